"""What a question asks for: its words one by one, and its references."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from evidence.language import compounds, forms, numbers, references, stopwords, turning
from evidence.language.compounds import Role
from evidence.language.references import Reference

LITTLE: Final = 0.6
"""What a word weighs that questions are phrased with. 0.4 to 0.7 give the same figures; 1 and less than 0.3 worse ones."""
NAME: Final = 2.0
"""What a word written with a capital inside the question weighs in whether it is answered: German nouns, names everywhere."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A word of the question. start, end: code points of where it stands first.

    ignored: it says nothing of what is asked. little: questions are phrased with it. weight: what it counts for. emphasis: what
    it counts for besides in whether hits answer the question. needed: without it nothing is answered, whatever else is held:
    numbers, which nothing stands for. forms: its form keys. parts: the form keys of what it is made of.
    """

    written: str
    start: int
    end: int
    ignored: bool
    little: bool = False
    weight: float = 1.0
    emphasis: float = 1.0
    needed: bool = False
    forms: frozenset[str] = frozenset()
    parts: Mapping[str, Role] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question understood. turning: those of its words that turn it round, as "not" does."""

    words: tuple[Wanted, ...]
    references: tuple[Reference, ...]
    turning: tuple[str, ...] = ()


def understand(text: str, words: Sequence[tuple[int, int, str]], *, without: Collection[Reference] = ()) -> Asked:
    """A question's text, and its words as the tokeniser gives them (start, end, lowered).

    Each word once; those of references not at all. without: what looked like references and turned out to be none.
    """
    found = tuple(one for one in references.find(text) if one not in without)
    free = [one for one in words if not any(reference.start < one[1] and one[0] < reference.end for reference in found)]
    left_out = stopwords.ignored([word for _, _, word in free]) if not found else _little_ones(free)
    first: dict[str, Wanted] = {}
    for start, end, word in free:
        if word not in first:
            first[word] = Wanted(word, start, end, True) if word in left_out else _wanted(text, word, start, end)
    return Asked(tuple(first.values()), found, turning.turning([word for _, _, word in free]))


def _little_ones(words: Sequence[tuple[int, int, str]]) -> frozenset[str]:
    """Beside a reference nothing else needs to be asked: all words may be little ones."""
    return stopwords.ignored([*(word for _, _, word in words), ""])


def _wanted(text: str, word: str, start: int, end: int) -> Wanted:
    parts = compounds.parts(word)
    keys = forms.keys(word, compound=bool(parts))
    little = stopwords.says_little(keys)
    capital = start > 0 and text[start].isupper()
    weight, emphasis = LITTLE if little else 1.0, NAME if capital else 1.0
    return Wanted(word, start, end, False, little, weight, emphasis, numbers.is_one(word), keys, parts)
