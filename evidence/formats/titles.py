"""Titles that files give themselves."""

from __future__ import annotations

import re
from typing import Final

_NO_TITLE: Final = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)\b.*|(?:dokument|document|präsentation|presentation|mappe|book|folie|slide)\W?\d*"
    r"|(?:powerpoint|word)[- ]?(?:präsentation|presentation|dokument|document)|untitled|unbenannt|ohne titel|no title|titel|title"
    r"|.*\.(?:docx?|dotx?|rtf|odt|pptx?|xlsx?|pdf))",
    re.IGNORECASE | re.DOTALL,
)


def sensible(title: str) -> str:
    """The title on one line, or empty if it is one that a program has put there."""
    words = " ".join(title.split())
    return "" if _NO_TITLE.fullmatch(words) else words
