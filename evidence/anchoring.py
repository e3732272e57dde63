"""Anchors: values that name one exact place. Make one, check one against a text. Pure: no database, no I/O.

Equality only, never similarity; nothing is repaired. All positions are code points of the representation text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

UNIT: Final = "unicode-codepoint"
MAX_CONTEXT: Final = 64
"""Code points of context a side, at most, when an anchor is made."""


class State(StrEnum):
    """What checking an anchor can give. `RESOLVED` always means: in the current state."""

    RESOLVED = "resolved"
    UNAVAILABLE = "unavailable"
    INVALID_ANCHOR = "invalid_anchor"
    SOURCE_CHANGED = "source_changed"
    PARSER_CHANGED = "parser_changed"
    PROFILE_CHANGED = "profile_changed"
    TEXT_CHANGED = "text_changed"
    QUOTE_NOT_FOUND = "quote_not_found"
    AMBIGUOUS = "ambiguous"
    POSITION_MISMATCH = "position_mismatch"


@dataclass(frozen=True, slots=True)
class Parser:
    """Which parser made a text."""

    name: str
    version: str
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class TextState:
    """Everything that fixes a text: the document's revision, its bytes, parser, profile and the text's own hash.

    document and representation are public ids; revision is the version label; hashes are lower case hex.
    """

    document: str
    revision: str
    representation: str
    source_sha256: str
    parser: Parser
    profile: str
    text_sha256: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """One exact place in one text state: `[start, end)` holds `exact`, between `prefix` and `suffix`."""

    state: TextState
    start: int
    end: int
    exact: str
    prefix: str = ""
    suffix: str = ""
    unit: str = UNIT
