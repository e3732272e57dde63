"""Which passages are found, in which order, and how many there are of each kind. Pure functions on arrays."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evidence.index import Hit
from evidence.index.postings import Flags, Integers
from evidence.index.snapshot import Audience, Snapshot

K1: Final = 1.2
B: Final = 0.75
LEAST_IDF: Final = 1e-6
"""As FTS5's own bm25() has them (ext/fts5/fts5_aux.c)."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where a phrase stands among what may be read: slots, ascending, and how often in each."""

    slots: Integers
    counts: NDArray[np.integer]

    def counts_at(self, slots: Integers) -> NDArray[np.integer]:
        """How often in each of these slots, all of which hold the phrase."""
        return self.counts if len(slots) == len(self.slots) else self.counts[np.searchsorted(self.slots, slots)]


def common(phrases: Iterable[Integers]) -> Integers:
    """The slots that are in all of these ascending arrays."""
    rarest, *others = sorted(phrases, key=len)
    for other in others:
        if not len(rarest):
            break
        place = np.searchsorted(other, rarest)
        place[place == len(other)] = 0
        rarest = rarest[other[place] == rarest]
    return rarest


def scores(slots: Integers, phrases: Sequence[Occurrences], snapshot: Snapshot, audience: Audience) -> Scores:
    """BM25 of each slot, positive. The terms are added in the order of the phrases and computed as FTS5 does, to the bit."""
    length = snapshot.length_of_slot[slots].astype(np.float64)
    average = audience.words / audience.passages
    norm = K1 * (1 - B + B * length / average)
    total = np.zeros(len(slots))
    for phrase in phrases:
        count = phrase.counts_at(slots).astype(np.float64)
        total += _idf(audience.passages, len(phrase.slots)) * ((count * (K1 + 1.0)) / (count + norm))
    return total


def best(slots: Integers, scores: Scores, snapshot: Snapshot, *, first: int, last: int) -> Integers:
    """Places in `slots` of the hits numbered first to last (half-open): by score, public document id, passage number."""
    candidates = np.arange(len(slots))
    if len(slots) > last:
        threshold = np.partition(scores, len(slots) - last)[len(slots) - last]
        candidates = np.flatnonzero(scores >= threshold)
    place = snapshot.places(slots[candidates])
    order = np.lexsort((slots[candidates], snapshot.public_order[place], -scores[candidates]))
    return candidates[order[first:last]]


def hits(slots: Integers, scores: Scores, snapshot: Snapshot, referred: Flags | None = None) -> tuple[Hit, ...]:
    """What is told of these slots. referred: which of them are of a section that the question names."""
    place = snapshot.places(slots)
    columns = (
        snapshot.ids[place],
        snapshot.representations[place],
        snapshot.classes[place],
        slots - snapshot.first_slots[place],
        scores,
        np.zeros(len(slots), np.bool_) if referred is None else referred,
    )
    return tuple(Hit(*values) for values in zip(*(column.tolist() for column in columns), strict=True))


def filtered(
    places: Integers, filters: Mapping[str, Collection[str]], snapshot: Snapshot
) -> tuple[Flags, Mapping[str, Mapping[str, int]]]:
    """Which of the found passages (given by their documents) pass all filters, and the counts of each attribute's values."""
    passing = {name: snapshot.attributes[name].accepted(values)[places] for name, values in filters.items()}
    everything = np.ones(len(places), np.bool_)
    counts = {}
    for name, attribute in snapshot.attributes.items():
        others = [flags for filtered_by, flags in passing.items() if filtered_by != name]
        codes = attribute.codes[places[np.logical_and.reduce(others)] if others else places]
        numbers = np.bincount(codes, minlength=len(attribute.values)).tolist()
        counts[name] = {value: number for value, number in zip(attribute.values, numbers, strict=True) if number}
    return np.logical_and.reduce([everything, *passing.values()]), counts


def counted(
    found: Integers, filters: Mapping[str, Collection[str]], snapshot: Snapshot
) -> tuple[Flags, Mapping[str, Mapping[str, int]]]:
    """As `filtered`, from the number of passages found in each document: which documents pass, and the counts."""
    passing = {name: snapshot.attributes[name].accepted(values) for name, values in filters.items()}
    counts = {}
    for name, attribute in snapshot.attributes.items():
        others = [flags for filtered_by, flags in passing.items() if filtered_by != name]
        left = np.where(np.logical_and.reduce(others), found, 0) if others else found
        numbers = np.bincount(attribute.codes, left, minlength=len(attribute.values)).astype(np.int64).tolist()
        counts[name] = {value: number for value, number in zip(attribute.values, numbers, strict=True) if number}
    everything = np.ones(len(found), np.bool_)
    return np.logical_and.reduce([everything, *passing.values()]), counts


def phrase_counts(words: Sequence[tuple[Integers, Integers]], slots: int) -> Integers:
    """How often a phrase stands in each of `slots` passages.

    words: for each word of the phrase, in order, the passage (0 to slots - 1) and the position of each place where it stands.
    """
    # moved so that all words of one instance get the same key; + len(words) keeps it above zero
    keys = (passage << 32 | (position + len(words) - offset) for offset, (passage, position) in enumerate(words))
    found = reduce(lambda instances, more: common([instances, more]), keys)  # two at a time: a phrase may have a hundred words
    return np.bincount(found >> 32, minlength=slots)


def _idf(passages: int, with_phrase: int) -> float:
    idf = math.log((passages - with_phrase + 0.5) / (with_phrase + 0.5))
    return idf if idf > 0 else LEAST_IDF
