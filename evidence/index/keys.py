"""What words are looked up by in the wider mode. Stands in until `evidence.language` is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LANGUAGE: Final = "language=0"


class Role(StrEnum):
    """What a part is in its compound."""

    HEAD = "head"
    MODIFIER = "modifier"


@dataclass(frozen=True, slots=True)
class Keys:
    """forms: of all forms of a word. parts: the form keys of what a compound is made of. spellings: for typing errors."""

    forms: frozenset[str]
    parts: Mapping[str, Role]
    spellings: frozenset[str]


def _stem(word: str) -> str:
    stem = fold(word)
    for ending in ("en", "er", "es", "e", "n", "s"):
        if len(stem) > len(ending) + 3 and stem.endswith(ending):
            return stem.removesuffix(ending)
    return stem


def fold(word: str) -> str:
    """One spelling of all."""
    return word.translate({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"})


def keys(word: str) -> Keys:
    """What leads to this word."""
    parts = {}
    if word.isalpha() and len(word) >= 12:
        parts = {f"d:{_stem(word[6:])}": Role.HEAD, f"d:{_stem(word[:6])}": Role.MODIFIER}
    return Keys(frozenset({f"d:{_stem(word)}"}), parts, frozenset())
