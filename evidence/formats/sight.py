"""Sight: how runs of text look in office files, as far as it decides whether and as what they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TINY: Final = 2
"""Half points: 1 pt, the smallest size that Word offers."""
SAME_COLOUR: Final = 8
"""Of 255, in each of red, green and blue: who looks for a difference of this size does not see it."""
PAPER: Final = "FFFFFF"


@dataclass(frozen=True, slots=True)
class Look:
    """What properties say of a run; None where they say nothing. size: half points. colour, fill: RRGGBB, or "" for automatic."""

    bold: bool | None = None
    italic: bool | None = None
    hidden: bool | None = None
    raised: bool | None = None
    size: int | None = None
    colour: str | None = None
    fill: str | None = None
    font: str | None = None

    def over(self, base: Look) -> Look:
        """These properties, and those of the base where these say nothing."""
        if self is PLAIN:
            return base
        return Look(
            bold=base.bold if self.bold is None else self.bold,
            italic=base.italic if self.italic is None else self.italic,
            hidden=base.hidden if self.hidden is None else self.hidden,
            raised=base.raised if self.raised is None else self.raised,
            size=base.size if self.size is None else self.size,
            colour=base.colour if self.colour is None else self.colour,
            fill=base.fill if self.fill is None else self.fill,
            font=base.font if self.font is None else self.font,
        )


PLAIN: Final = Look()


def is_unseen(shown: Look, ground: str | None) -> bool:
    """Whether a run is too small to be seen, or has the colour of what is behind it. ground: None where that is not known."""
    if shown.size is not None and shown.size <= TINY:
        return True
    behind = shown.fill or ground
    return bool(shown.colour and behind) and _alike(shown.colour or "", behind or "")


def _alike(one: str, other: str) -> bool:
    pairs = zip(bytes.fromhex(one), bytes.fromhex(other), strict=True)
    return all(abs(left - right) <= SAME_COLOUR for left, right in pairs)
