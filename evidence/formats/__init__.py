"""Formats: bytes to Content, one file per format, and the table of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evidence.anchoring import Parser
from evidence.content import Content


@dataclass(frozen=True, slots=True)
class Format:
    """One way to read bytes. `extract` gives Content whose text has gone through the profile; it raises Refused."""

    parser: Parser
    media_type: str
    extract: Callable[[bytes], Content]


FORMATS: dict[str, Format] = {}
"""File ending (lower case, with its dot) -> format."""
