"""What is found is worth so much: whether the section with the best passage is likely to answer, and what is lacking there.

By the references, else by how much of the question the section holds; and where the question is turned round ("not"), by
whether the section turns the same words round. Only what may be read has a part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evidence.index.looking import Reader
from evidence.index.meaning import Meaning, Word
from evidence.index.postings import Integers
from evidence.index.questions import Answerability
from evidence.language import answering
from evidence.language.answering import Support
from evidence.language.turning import TURNED


class Worth(NamedTuple):
    """lacking: the question's words, in order, that the section does not hold; told where it is NEAR. Not those that questions
    are phrased with.
    """

    state: Answerability
    lacking: tuple[str, ...] = ()


def judge(meaning: Meaning, supports: Sequence[Support], sections: int, reader: Reader, slots: Integers) -> Worth:
    """supports: for each word of the meaning. sections: all readable ones. slots: passages of the best, with any of the words."""
    if unknown := [one.written for one in meaning.references if one.sure and not len(one.sections)]:
        return Worth(Answerability.NEAR, _in_order(meaning, unknown))
    if any(len(one.sections) for one in meaning.references):
        return Worth(Answerability.ANSWERABLE)
    unturned = () if _turns(meaning, reader, slots) else meaning.turning
    if answering.answered(supports, sections) and not unturned:
        return Worth(Answerability.ANSWERABLE)
    absent = [word.written for word, support in zip(meaning.words, supports, strict=True) if _lacks(word, support)]
    return Worth(Answerability.NEAR, _in_order(meaning, [*absent, *unturned]))


def _lacks(word: Word, support: Support) -> bool:
    return not word.little and not support.held and (support.needed or not support.parts)


def _in_order(meaning: Meaning, words: Sequence[str]) -> tuple[str, ...]:
    return tuple(term.written for term in meaning.terms if term.written in words)


def _turns(meaning: Meaning, reader: Reader, slots: Integers) -> bool:
    """Whether enough of the question's words stand near one that turns round; true for a question that is not turned."""
    if not meaning.turning:
        return True
    words = [[one.words for one in term.alternatives if not one.off] for term in meaning.terms if not term.ignored]
    *places, turned = reader.within([*words, [(word,) for word in TURNED]], slots)
    near = np.zeros(len(turned), np.int64)
    for some in places:
        first, end = np.searchsorted(some, turned - answering.NEAR), np.searchsorted(some, turned + answering.NEAR, "right")
        near += first < end
    return answering.turned(int(near.max(initial=0)), sum(len(some) > 0 for some in places))
