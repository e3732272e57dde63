"""Whether what was found is likely to answer the question: how much of it the best section says. Never shown as a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

ENOUGH: Final = 0.5
"""The least support of an answer: half of the question. Learnt by bench/answerability.py on the public unanswerable questions."""
_RARITY: Final = 0.4
"""Rare words matter more, but far from in proportion: the power of a word's inverse document frequency."""
_PART: Final = 0.7
"""What it is worth that a part of a compound is there, or a compound of the word, in place of the word."""


@dataclass(frozen=True, slots=True)
class Support:
    """A word of the question and the best section.

    sections: readable ones that hold the word or a form of it; where there is none, those with any alternative. held: the best
    section holds the word, a form, a spelling or a synonym. parts: the share of its parts that this section holds, or 1 if
    it holds a compound with it. weight: of the word, times its emphasis.
    """

    sections: int
    held: bool
    parts: float
    weight: float = 1.0


def answered(words: Sequence[Support], sections: int) -> bool:
    """Whether the best section supports an answer. sections: all that are readable."""
    return support(words, sections) >= ENOUGH


def support(words: Sequence[Support], sections: int) -> float:
    """The share of the question that the section holds, between 0 and 1; 0 for no words."""
    weights = [one.weight * rarity(one.sections, sections) ** _RARITY for one in words]
    held = (weight * (1.0 if one.held else _PART * one.parts) for weight, one in zip(weights, words, strict=True))
    return sum(held) / sum(weights) if weights else 0.0


def rarity(found: int, sections: int) -> float:
    """The inverse document frequency as BM25 has it."""
    return math.log1p((sections - found + 0.5) / (found + 0.5))
