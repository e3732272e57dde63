"""Quotations that nothing is cited for: words in quotation marks, looked up in everything that the person may read.

Equality alone says where they stand. A place is taken for the one that is meant only where there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evidence.access import Access
from evidence.answers import standing, wording
from evidence.answers.findings import Why
from evidence.answers.limits import MAX_QUOTATIONS
from evidence.answers.standing import Everywhere, Spot
from evidence.answers.values import Sentence, Support


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words in quotation marks, and where they stand."""

    words: str
    support: Support = Support.UNCITED
    why: Why = Why.UNSOUGHT
    spots: Sequence[Spot] = ()


def look_up(access: Access, sentences: Sequence[Sentence]) -> Sequence[Sequence[Quotation]]:
    """The quotations of each sentence that cites nothing, the first MAX_QUOTATIONS different ones looked up."""
    own = [() if one.pointers else quoted(one.text) for one in sentences]  # what cites something quotes what it cites
    sought = list(dict.fromkeys(words for several in own for words in several))[:MAX_QUOTATIONS]
    found = {words: _found(words, where) for words, where in zip(sought, standing.everywhere(access, sought), strict=True)}
    return [[found.get(words) or Quotation(words) for words in several] for several in own]


def quoted(sentence: str) -> Sequence[str]:
    """The different words in quotation marks in a sentence, as documents have them."""
    return list(dict.fromkeys(filter(None, map(wording.spoken, wording.quotations(sentence)))))


def _found(words: str, where: Everywhere) -> Quotation:
    if not where.spots:
        return Quotation(words, Support.ABSENT, Why.NOWHERE)
    if len(where.spots) > 1:
        return Quotation(words, Support.AMBIGUOUS, Why.NONE, where.spots)
    if not where.complete:
        return Quotation(words, Support.AMBIGUOUS, Why.MANY, where.spots)
    return Quotation(words, Support.FOUND, Why.NONE, where.spots)
