"""What is found is worth so much: whether one of the sections with the best passages is likely to answer, and what it lacks.

By the references, else by how much of the question the first section holds; and where the question is turned round ("not"), by
whether one of the first turns the same words round. Only what may be read has a part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from evidence.index.looking import Reader
from evidence.index.meaning import Meaning, Word
from evidence.index.postings import Integers
from evidence.index.questions import Answerability
from evidence.language import answering
from evidence.language.answering import Support
from evidence.language.turning import TURNED

TURNING: Final = 3
"""So many sections are looked at for a question that is turned round: the first often says the opposite."""


class Looked(NamedTuple):
    """A section. slots: its passages with any of the words. supports: of each word. cited: whether it cites each reference."""

    slots: Integers
    supports: Sequence[Support]
    cited: Sequence[bool]


class Worth(NamedTuple):
    """lacking: the question's words, in order, that the first section does not hold; told where it is NEAR. Not those that
    questions are phrased with.
    """

    state: Answerability
    lacking: tuple[str, ...] = ()


def judge(meaning: Meaning, looked: Iterable[Looked], sections: int, reader: Reader) -> Worth:
    """looked: the sections with the best passages, best first, at least one. sections: how many may be read."""
    named = any(len(one.sections) for one in meaning.references)
    lacking: list[Sequence[str]] = []
    for one in islice(looked, TURNING if meaning.turning else 1):
        unknown = _unknown(meaning, one)
        unturned = () if named or _turns(meaning, reader, one.slots) else meaning.turning
        supported = named or not one.supports or answering.answered(one.supports, sections)
        if supported and not unknown and not unturned:
            return Worth(Answerability.ANSWERABLE)
        absent = [word.written for word, support in zip(meaning.words, one.supports, strict=True) if _lacks(word, support)]
        lacking.append([*unknown, *absent, *unturned])
    return Worth(Answerability.NEAR, tuple(term.written for term in meaning.terms if term.written in lacking[0]))


def _unknown(meaning: Meaning, looked: Looked) -> list[str]:
    """References to sections that are not there and that this one does not cite either."""
    pairs = zip(meaning.references, looked.cited, strict=True)
    return [one.written for one, cited in pairs if one.sure and not len(one.sections) and not cited]


def _lacks(word: Word, support: Support) -> bool:
    return not word.little and not support.held and (support.needed or support.parts < 1)


def _turns(meaning: Meaning, reader: Reader, slots: Integers) -> bool:
    """Whether enough of the question's words stand near one that turns round; true for a question that is not turned.

    References are no words: they are named or cited, wherever that is.
    """
    if not meaning.turning:
        return True
    asked = {word.written for word in meaning.words}
    words = [[one.words for one in term.alternatives if not one.off] for term in meaning.terms if term.written in asked]
    *places, turned = reader.within([*words, [(word,) for word in TURNED]], slots)
    near = np.zeros(len(turned), np.int64)
    for some in places:
        first, end = np.searchsorted(some, turned - answering.NEAR), np.searchsorted(some, turned + answering.NEAR, "right")
        near += first < end
    return answering.turned(int(near.max(initial=0)), sum(len(some) > 0 for some in places))
