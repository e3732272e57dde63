"""The order of the wider mode: which passages answer a question best, and how many there are of each kind.

What counts is the section: all passages under one heading, with the words above them. Each concept adds what BM25 gives it there;
the sum is multiplied by the share of the question that the section holds. Within a section, and between sections that are much
alike, the passages' own words decide.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidence.index import Wider, ranking
from evidence.index.meaning import WHOLE, Concept, Meaning
from evidence.index.postings import Flags, Integers
from evidence.index.questions import Answerability
from evidence.index.ranking import Scores
from evidence.index.snapshot import Audience, Outline, Sections, Snapshot

K1: Final = 1.2
B: Final = 0.75
TITLE: Final = 3
"""A word above a section counts as often as so many inside it."""
PASSAGE: Final = 0.1
"""The share of the passage's own words."""


def answer(
    meaning: Meaning,
    snapshot: Snapshot,
    audience: Audience,
    outline: Outline,
    sections: Sections,
    *,
    filters: Mapping[str, Collection[str]],
    first: int,
    last: int,
) -> Wider:
    """The hits numbered first to last (half-open), and what is told with them."""
    flags = _any(meaning.concepts, len(audience.readable))
    found = np.flatnonzero(flags)
    if not len(found):
        return Wider(terms=meaning.terms)
    passing, counts = ranking.filtered(snapshot.places(found), filters, snapshot)
    found = found[passing] if filters else found
    scores = _scores(found, meaning.concepts, snapshot, audience, outline, sections)
    best = ranking.best(found, scores, snapshot, first=first, last=last)
    hits = ranking.hits(found[best], scores[best], snapshot)
    return Wider(hits, len(found), counts, meaning.terms, Answerability.ANSWERABLE)


class _Measured(NamedTuple):
    """A concept in the sections: its share in the score, and how much of it stands in each, above it included."""

    share: float
    numbers: Integers
    inside: Scores
    above: Scores


def _any(concepts: Sequence[Concept], slots: int) -> Flags:
    flags = np.zeros(slots, np.bool_)
    for concept in concepts:
        for one in concept.answering:
            flags[one.passages.slots] = True
    return flags


def _scores(
    found: Integers, concepts: Sequence[Concept], snapshot: Snapshot, audience: Audience, outline: Outline, sections: Sections
) -> Scores:
    """Of passages, which are found."""
    total = np.zeros(len(outline.words))
    covered = np.zeros(len(outline.words))
    own = np.zeros(len(snapshot.length_of_slot))
    norm = _norm(snapshot.length_of_slot, audience.words, audience.passages)
    asked = 0.0
    for concept in concepts:
        measured = _measured(concept, outline, sections)
        asked += measured.share
        lengths = _norm(outline.words[measured.numbers], audience.words, sections.number)
        total[measured.numbers] += measured.share * _saturated(measured.inside + TITLE * measured.above, lengths)
        covered[measured.numbers] += measured.share * np.minimum(1.0, measured.inside + measured.above)
        amounts = np.zeros(len(own))
        for one in concept.answering:
            amounts[one.passages.slots] += one.passages.counts.astype(np.float64) * one.weight
        own += measured.share * _saturated(amounts / WHOLE, norm)
    inside = outline.of_slot[found]
    scores: Scores = total[inside] * covered[inside] / asked + PASSAGE * own[found]
    return scores


def _measured(concept: Concept, outline: Outline, sections: Sections) -> _Measured:
    inside = np.zeros(len(outline.words))
    above = np.zeros(len(outline.words))
    for one in sorted(concept.answering, key=lambda one: one.weight):
        amounts = one.passages.counts.astype(np.float64) * one.weight
        inside += np.bincount(outline.of_slot[one.passages.slots], amounts, minlength=len(inside))
        above[one.sections.slots] = one.weight
    idf = math.log(1 + (sections.number - (n := np.count_nonzero(inside)) + 0.5) / (n + 0.5))
    numbers = np.flatnonzero((inside > 0) | (above > 0))
    return _Measured(concept.weight / WHOLE * idf, numbers, inside[numbers] / WHOLE, above[numbers] / WHOLE)


def _saturated(amounts: Scores, norms: Scores) -> Scores:
    saturated: Scores = amounts * (K1 + 1) / (amounts + norms)
    return saturated


def _norm(lengths: NDArray[np.integer[Any]], words: int, number: int) -> Scores:
    norms: Scores = K1 * (1 - B + B * lengths.astype(np.float64) / (words / number))
    return norms
