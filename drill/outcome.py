"""What a drill ends with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """wrong: what must not have happened, none of it where the drill is passed. figures: what was measured, in words."""

    wrong: Sequence[str]
    figures: str


class Skipped(Exception):
    """This machine can't do this drill; the message says why."""
