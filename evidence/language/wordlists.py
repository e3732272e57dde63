"""Lists of words as they stand in the code."""

from __future__ import annotations


def listed(text: str) -> frozenset[str]:
    """The words of a text, in no order."""
    return frozenset(text.split())
