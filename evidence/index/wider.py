"""The order of the wider mode: which passages answer a question best, and how many there are of each kind.

What counts is the section: all passages under one heading, with the words above them. Each concept adds what BM25 gives it there;
the sum is multiplied by the share of the question that the section holds. Within a section, and between sections that are much
alike, the passages' own words decide.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
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
FEW: Final = 16
"""Numbers that are fewer than a sixteenth of all are sorted to be added up; more of them go through an array of all."""


@dataclass(frozen=True, slots=True)
class Readable:
    """What may be read, as it is counted."""

    snapshot: Snapshot
    audience: Audience
    outline: Outline
    sections: Sections


def answer(meaning: Meaning, readable: Readable, *, filters: Mapping[str, Collection[str]], first: int, last: int) -> Wider:
    """The hits numbered first to last (half-open), and what is told with them."""
    outline, snapshot = readable.outline, readable.snapshot
    concepts = [_gathered(concept, readable) for concept in meaning.concepts]
    found = _found(concepts, snapshot)
    each = np.bincount(outline.of_slot[found], minlength=len(outline.place))
    of_document = np.bincount(np.maximum(outline.place, 0), each, minlength=len(snapshot.ids)).astype(np.int64)
    if not len(of_document) or not of_document.any():
        return Wider(terms=meaning.terms)
    passing, counts = ranking.counted(of_document, filters, snapshot)
    if filters:
        each[~passing[outline.place]] = 0
    scores = _of_sections(concepts, readable)
    among = _promising(scores, each, last=last, spare=PASSAGE * (K1 + 1) * sum(one.share for one in concepts))
    slots = found[among[outline.of_slot[found]]]
    own = scores[outline.of_slot[slots]] + PASSAGE * _of_passages(slots, among, concepts, readable)
    best = ranking.best(slots, own, snapshot, first=first, last=last)
    hits = ranking.hits(slots[best], own[best], snapshot)
    return Wider(hits, int(each.sum()), counts, meaning.terms, Answerability.ANSWERABLE)


class _Gathered(NamedTuple):
    """A concept. share: of it in the score. slots: where something answers it, some of them several times; with the section of
    each and how much stands there. sections: those that hold it or stand under it; with how much stands in each, and above it.
    """

    share: float
    slots: Integers
    of_slots: NDArray[np.int32]
    amounts: Integers
    sections: Integers
    inside: Scores
    above: Scores


def _gathered(concept: Concept, readable: Readable) -> _Gathered:
    none = np.empty(0, np.int64)
    slots = np.concatenate([none, *(one.passages.slots for one in concept.answering)])
    amounts = np.concatenate([none, *(one.passages.counts.astype(np.int64) * one.weight for one in concept.answering)])
    of_slots = readable.outline.of_slot[slots]
    numbers, inside = _summed(of_slots, amounts, len(readable.outline.place))
    share = concept.weight / WHOLE * _idf(readable.sections.number, len(numbers))
    under, above = _greatest([(one.weight, one.sections.slots) for one in concept.answering])
    sections = _united(numbers, under) if len(under) else numbers
    return _Gathered(
        share, slots, of_slots, amounts, sections, _placed(numbers, inside, sections), _placed(under, above, sections)
    )


def _summed(numbers: NDArray[np.int32], amounts: Integers, size: int) -> tuple[Integers, Integers]:
    """The different ones of these numbers, ascending, and the sum of the amounts of each. size: numbers are less."""
    if len(numbers) * FEW > size:
        dense = np.bincount(numbers, amounts, minlength=size)  # of whole numbers below 2**53: exact
        different = np.flatnonzero(dense)
        return different, dense[different].astype(np.int64)
    return _grouped(numbers.astype(np.int64), amounts, np.add)


def _greatest(parts: Sequence[tuple[int, Integers]]) -> tuple[Integers, Integers]:
    """The different ones of the numbers of all parts, ascending, and the greatest weight of each."""
    some = [(weight, numbers) for weight, numbers in parts if len(numbers)]
    if len(some) <= 1:
        weight, numbers = some[0] if some else (0, np.empty(0, np.int64))
        return numbers, np.full(len(numbers), weight, np.int64)
    weights = np.repeat([weight for weight, _ in some], [len(numbers) for _, numbers in some])
    return _grouped(np.concatenate([numbers for _, numbers in some]), weights, np.maximum)


def _grouped(numbers: Integers, values: Integers, how: np.ufunc) -> tuple[Integers, Integers]:
    if not len(numbers):
        return numbers, values
    order = np.argsort(numbers, kind="stable")
    numbers, values = numbers[order], values[order]
    starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    return numbers[starts], how.reduceat(values, starts)


def _united(some: Integers, others: Integers) -> Integers:
    """All that are in either, ascending."""
    both: Integers = np.sort(np.concatenate([some, others]), kind="stable")  # two runs, which are merged
    different: Integers = both[np.concatenate([[True], both[1:] != both[:-1]])]
    return different


def _placed(numbers: Integers, amounts: Integers, among: Integers) -> Scores:
    """The amounts in words, at the places of their numbers among others; 0 elsewhere."""
    if numbers is among:
        return amounts / WHOLE
    placed = np.zeros(len(among))
    placed[np.searchsorted(among, numbers)] = amounts / WHOLE
    return placed


def _found(concepts: Sequence[_Gathered], snapshot: Snapshot) -> Integers:
    """Every slot with any of them."""
    flags = np.zeros(len(snapshot.length_of_slot), np.bool_)
    for concept in concepts:
        flags[concept.slots] = True
    return np.flatnonzero(flags)


def _of_sections(concepts: Sequence[_Gathered], readable: Readable) -> Scores:
    outline = readable.outline
    total = np.zeros(len(outline.place))
    covered = np.zeros(len(outline.place))
    for one in concepts:
        norms = _norms(outline.words[one.sections], readable.audience.words, readable.sections.number)
        total[one.sections] += one.share * _saturated(one.inside + TITLE * one.above, norms)
        covered[one.sections] += one.share * np.minimum(1.0, one.inside + one.above)
    scores: Scores = total * (covered / sum(one.share for one in concepts))
    return scores


def _promising(scores: Scores, found: Integers, *, last: int, spare: float) -> Flags:
    """The sections with any of the best `last` passages, by the scores of sections, to which a passage adds `spare` at most.

    found: how many passages of each section are asked for.
    """
    some = np.flatnonzero(found)
    # a section has one of them at least, so that no more than `last` sections are needed to have `last` of them
    leading = some[np.argpartition(-scores[some], last - 1)[:last]] if len(some) > last else some
    leading = leading[np.argsort(-scores[leading], kind="stable")]
    enough = int(np.searchsorted(np.cumsum(found[leading]), last))
    least = scores[leading[min(enough, len(leading) - 1)]] if len(leading) else 0.0
    # what is added up in another order may differ in its last digits
    return (found > 0) & (scores + spare * (1 + 1e-9) + 1e-9 >= least)


def _of_passages(slots: Integers, among: Flags, concepts: Sequence[_Gathered], readable: Readable) -> Scores:
    """BM25 of each of these slots, all those that are found in the sections `among`."""
    norms = _norms(readable.snapshot.length_of_slot[slots], readable.audience.words, readable.audience.passages)
    own = np.zeros(len(slots))
    for one in concepts:
        mine = among[one.of_slots]
        places = np.searchsorted(slots, one.slots[mine])
        amounts = np.bincount(places, one.amounts[mine], minlength=len(slots)) / WHOLE
        own += one.share * _saturated(amounts, norms)
    return own


def _idf(number: int, having: int) -> float:
    return math.log(1 + (number - having + 0.5) / (having + 0.5))


def _saturated(amounts: Scores, norms: Scores) -> Scores:
    saturated: Scores = amounts * (K1 + 1) / (amounts + norms)
    return saturated


def _norms(lengths: NDArray[np.integer[Any]], words: int, number: int) -> Scores:
    norms: Scores = K1 * (1 - B + B * lengths.astype(np.float64) / (words / number))
    return norms
