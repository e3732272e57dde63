"""Options: what a source says about how its files are to be read."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """encoding: name of a text's encoding, where the file does not say it itself. password: what opens an encrypted file."""

    encoding: str = ""
    password: str = field(default="", repr=False)


NOTHING_SAID = Options()
