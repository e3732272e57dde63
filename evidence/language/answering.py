"""Whether what was found is likely to answer the question: how much of it the best section says. Never shown as a number."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.language.compounds import Role

ENOUGH: Final = 0.48
"""The least support of an answer, but for"""
LESS: Final = 0.01
"""this for each word: long questions say more that their answers don't. Both learnt by bench/answerability.py."""
NEAR: Final = 12
"""A question that is turned round ("not") is answered where a word that turns round is at most so many words away"""
NEARBY: Final = 0.5
"""from at least so much of what the best section holds of the question's words."""
_PART: Final = 0.7
"""What it is worth that a compound of the word is there, or its head and a part before it, in place of the word;"""
_ALONE: Final = 0.4
"""and so much of this, that only one of the two is there: a garden door is no front door."""


@dataclass(frozen=True, slots=True)
class Support:
    """A word of the question and the best section.

    sections: readable ones that hold the word or a form of it; where there is none, those with any alternative. held: the best
    section holds the word, a form, a spelling or a synonym. parts: what its parts in this section are worth, or 1 if it holds
    a compound with it. weight: of the word, times its emphasis. needed: see `Wanted`.
    """

    sections: int
    held: bool
    parts: float
    weight: float = 1.0
    needed: bool = False


def answered(words: Sequence[Support], sections: int) -> bool:
    """Whether the best section supports an answer. sections: all that are readable."""
    return all(one.held for one in words if one.needed) and support(words, sections) >= ENOUGH - LESS * len(words)


def turned(near: int, held: int) -> bool:
    """Whether a passage turns round what the question does. held: the question's words in the section; near: those near "not"."""
    return 0 < near >= NEARBY * held


def support(words: Sequence[Support], sections: int) -> float:
    """The share of the question that the section holds, between 0 and 1; 0 for no words."""
    weights = [one.weight * rarity(one.sections, sections) for one in words]
    held = (weight * (1.0 if one.held else _PART * one.parts) for weight, one in zip(weights, words, strict=True))
    return sum(held) / sum(weights) if weights else 0.0


def parts(held: Collection[Role]) -> float:
    """What those parts of a compound are worth that a section holds, between 0 and 1."""
    return 1.0 if len(set(held)) == len(Role) else _ALONE if held else 0.0


def rarity(found: int, sections: int) -> float:
    """The inverse document frequency as BM25 has it."""
    return math.log1p((sections - found + 0.5) / (found + 0.5))
