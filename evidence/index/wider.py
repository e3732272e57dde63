"""The order of the wider mode: which passages answer a question best, and how many there are of each kind.

What counts is the section: all passages under one heading, with the words above them. Each concept adds what BM25 gives it there,
and the sum is multiplied by the share of the question that the section holds. The best passage of a section has its score; the
others follow by the square of how much of the question they say themselves, so that ten of one section do not fill the page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidence.index import Wider, ranking, worth
from evidence.index.looking import Reader
from evidence.index.meaning import WHOLE, Answering, Meaning, Word
from evidence.index.postings import Flags, Integers
from evidence.index.ranking import Scores
from evidence.index.snapshot import Audience, Outline, Sections, Snapshot
from evidence.language import Role, answering

K1: Final = 1.2
B: Final = 0.75
TITLE: Final = 3
"""A word above a section counts as often as so many inside it,"""
ABOVE: Final = 0.5
"""and this much besides, however often it stands inside."""
REFERENCE: Final = 3.0
"""What a section that is named counts for, in the rarest words."""
CITING: Final = 0.4
"""What it counts for to cite the same."""
SHORTEST: Final = 20.0
"""A passage of less than a twentieth of the mean length loses no more than one of a twentieth."""
HEADING: Final = 0.3
"""What a heading counts for among the passages of its section, which all stand under it: it seldom answers."""
LOOKED_AT: Final = 10
"""So many passages are looked at for what the answer is worth, whatever page is shown."""
FEW: Final = 16
"""Numbers that are fewer than a sixteenth of all are sorted to be added up; more of them go through an array of all."""


@dataclass(frozen=True, slots=True)
class Readable:
    """What may be read, as it is counted, and what looks it up."""

    reader: Reader
    snapshot: Snapshot
    audience: Audience
    outline: Outline
    sections: Sections


def answer(meaning: Meaning, readable: Readable, *, filters: Mapping[str, Collection[str]], first: int, last: int) -> Wider:
    """The hits numbered first to last (half-open), and what is told with them."""
    search = _Search(meaning, readable)
    if not len(search.found):
        return Wider(terms=meaning.terms)
    outline, snapshot = readable.outline, readable.snapshot
    each = np.bincount(search.of_found, minlength=len(outline.place))
    of_document = np.bincount(np.maximum(outline.place, 0), each, minlength=len(snapshot.ids)).astype(np.int64)
    passing, counts = ranking.counted(of_document, filters, snapshot)
    slots, scores = search.best(each > 0, LOOKED_AT if filters else max(last, LOOKED_AT))
    state, lacking = _worth(meaning, search, outline.of_slot[slots[:LOOKED_AT]])
    if filters:
        each[~passing[outline.place]] = 0
        slots, scores = search.best(each > 0, last)
    slots, scores = slots[first:last], scores[first:last]
    referred = search.referred[outline.of_slot[slots]]
    return Wider(ranking.hits(slots, scores, snapshot, referred), int(each.sum()), counts, meaning.terms, state, lacking)


class _Places(NamedTuple):
    """Where some words stand. slots: some of them several times; with the section of each and how much stands there. sections:
    those that hold it or stand under it; with how much stands in each, and above it, in words.
    """

    slots: Integers
    of_slots: NDArray[np.int32]
    amounts: Integers
    sections: Integers
    inside: Scores
    above: Scores


class _Measured(NamedTuple):
    """A concept and its share in the score."""

    share: float
    places: _Places


class _Asked(NamedTuple):
    """A word of the question. direct, compounds: where its own concept stands. weight, needed, parts: as in `Word`."""

    weight: float
    needed: bool
    direct: _Places
    compounds: _Places
    parts: Sequence[tuple[Role, _Measured]]


class _Search:
    """A question among what may be read. found: every slot with any of it, and of_found their sections. scores: of all sections.
    referred: which are named.
    """

    def __init__(self, meaning: Meaning, readable: Readable) -> None:
        self._readable = readable
        self.reader = readable.reader
        self.asked = [_asked(word, readable) for word in meaning.words]
        self._concepts = [
            concept
            for word, asked in zip(meaning.words, self.asked, strict=True)
            for concept in (
                _measured(word.own.weight, _both(asked.direct, asked.compounds), readable),
                *(part for _, part in asked.parts),
            )
        ]
        self._references = meaning.references
        self.number = readable.sections.number
        self.referred = np.zeros(len(readable.outline.place), np.bool_)
        for one in meaning.references:
            self.referred[one.sections] = True
        self.found = self._found()
        self.of_found = readable.outline.of_slot[self.found]
        self.scores = self._of_sections() if len(self.found) else np.zeros(len(readable.outline.place))

    def best(self, among: Flags, last: int) -> tuple[Integers, Scores]:
        """Slots and scores of the first `last` passages in the sections `among`."""
        promising = _promising(self.scores, among, last)
        some = promising[self.of_found]
        slots, sections = self.found[some], self.of_found[some]
        own = self._of_passages(slots, promising)
        own[self._readable.outline.headings[slots]] *= HEADING
        most = np.zeros(len(promising))
        np.maximum.at(most, sections, own)
        scores = self.scores[sections] * (own / most[sections]) ** 2
        best = ranking.best(slots, scores, self._readable.snapshot, first=0, last=last)
        return slots[best], scores[best]

    def _found(self) -> Integers:
        flags = np.zeros(len(self._readable.audience.readable), np.bool_)
        for concept in self._concepts:
            flags[concept.places.slots] = True
        for one in self._references:
            flags[one.citing] = True
        if self.referred.any():
            flags |= self.referred[self._readable.outline.of_slot] & self._readable.audience.readable
        return np.flatnonzero(flags)

    def _of_sections(self) -> Scores:
        outline, sections = self._readable.outline, self._readable.sections
        total = np.zeros(len(outline.place))
        covered = np.zeros(len(outline.place))
        for share, one in self._concepts:
            norms = _norms(outline.words[one.sections], self._readable.audience.words, sections.number)
            total[one.sections] += share * (_saturated(one.inside + TITLE * one.above, norms) + ABOVE * one.above)
            covered[one.sections] += share * np.minimum(1.0, one.inside + one.above)
        whole = sum(share for share, _ in self._concepts)
        for reference in self._references:
            value = np.zeros(len(outline.place))
            value[outline.of_slot[reference.citing]] = CITING
            value[reference.sections] = 1.0
            total += REFERENCE * _rarest(sections) * value
            covered += _rarest(sections) * value
            whole += _rarest(sections)
        scores: Scores = total * (covered / whole)
        return scores

    def _of_passages(self, slots: Integers, among: Flags) -> Scores:
        """What each of these slots says itself, all those that are found in the sections `among`."""
        readable = self._readable
        norms = _norms_of_passages(readable.snapshot.length_of_slot[slots], readable.audience)
        own = np.zeros(len(slots))
        for share, one in self._concepts:
            mine = among[one.of_slots]
            places = np.searchsorted(slots, one.slots[mine])
            amounts = np.bincount(places, one.amounts[mine], minlength=len(slots)) / WHOLE
            own += share * _saturated(amounts, norms)
        for reference in self._references:
            own[np.isin(readable.outline.of_slot[slots], reference.sections)] += REFERENCE * _rarest(readable.sections)
            own[np.isin(slots, reference.citing)] += REFERENCE * _rarest(readable.sections) * CITING
        return own


def _asked(word: Word, readable: Readable) -> _Asked:
    direct = _placed(word.own.direct, readable)
    compounds = _placed(word.own.compounds, readable)
    parts = [(role, _measured(part.weight, _placed(part.direct, readable), readable)) for role, part in word.parts]
    return _Asked(word.weight, word.needed, direct, compounds, parts)


def _measured(weight: float, places: _Places, readable: Readable) -> _Measured:
    return _Measured(weight * answering.rarity(len(places.sections), readable.sections.number), places)


def _placed(words: Sequence[Answering], readable: Readable) -> _Places:
    none = np.empty(0, np.int64)
    slots = np.concatenate([none, *(one.passages.slots for one in words)])
    amounts = np.concatenate([none, *(one.passages.counts.astype(np.int64) * one.weight for one in words)])
    of_slots = readable.outline.of_slot[slots]
    numbers, inside = _summed(of_slots, amounts, len(readable.outline.place))
    under, above = _greatest([(one.weight, one.sections.slots) for one in words])
    sections = _united(numbers, under)
    return _Places(
        slots, of_slots, amounts, sections, _spread(numbers, inside / WHOLE, sections), _spread(under, above / WHOLE, sections)
    )


def _both(some: _Places, others: _Places) -> _Places:
    if not len(others.sections):
        return some
    sections = _united(some.sections, others.sections)
    inside = _spread(some.sections, some.inside, sections) + _spread(others.sections, others.inside, sections)
    above = np.maximum(_spread(some.sections, some.above, sections), _spread(others.sections, others.above, sections))
    return _Places(
        np.concatenate([some.slots, others.slots]),
        np.concatenate([some.of_slots, others.of_slots]),
        np.concatenate([some.amounts, others.amounts]),
        sections,
        inside,
        above,
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
    """All that are in either, ascending, as both are."""
    if not len(others) or not len(some):
        return some if len(some) else others
    both: Integers = np.sort(np.concatenate([some, others]), kind="stable")  # two runs, which are merged
    different: Integers = both[np.concatenate([[True], both[1:] != both[:-1]])]
    return different


def _spread(numbers: Integers, amounts: Scores, among: Integers) -> Scores:
    """The amounts at the places of their numbers among others; 0 elsewhere."""
    if len(numbers) == len(among):
        return amounts
    placed = np.zeros(len(among))
    placed[np.searchsorted(among, numbers)] = amounts
    return placed


def _promising(scores: Scores, among: Flags, last: int) -> Flags:
    """The sections with any of the best `last` passages: each section has one with its own score, and none with more."""
    some = np.flatnonzero(among)
    if len(some) <= last:
        return among
    least = np.partition(scores[some], len(some) - last)[len(some) - last]
    promising: Flags = among & (scores >= least)
    return promising


def _rarest(sections: Sections) -> float:
    return float(np.log1p(sections.number))


def _saturated(amounts: Scores, norms: Scores) -> Scores:
    saturated: Scores = amounts * (K1 + 1) / (amounts + norms)
    return saturated


def _norms(lengths: NDArray[np.integer[Any]], words: int, number: int) -> Scores:
    norms: Scores = K1 * (1 - B + B * lengths.astype(np.float64) / (max(words, 1) / number))
    return norms


def _norms_of_passages(lengths: NDArray[np.integer[Any]], audience: Audience) -> Scores:
    """Short ones lose like long ones: a bare heading says less than the paragraph that answers."""
    share = np.maximum(lengths, 1).astype(np.float64) / (max(audience.words, 1) / audience.passages)
    norms: Scores = K1 * (1 - B + B * np.maximum(share, np.minimum(1 / share, SHORTEST)))
    return norms


def _worth(meaning: Meaning, search: _Search, sections: NDArray[np.int32]) -> worth.Worth:
    """By these sections, which have the best passages."""
    best = dict.fromkeys(sections.tolist())
    return worth.judge(meaning, (_looked_at(meaning, search, section) for section in best), search.number, search.reader)


def _looked_at(meaning: Meaning, search: _Search, section: int) -> worth.Looked:
    slots = search.found[search.of_found == section]
    cited = [bool(np.isin(slots, one.citing).any()) for one in meaning.references]
    return worth.Looked(slots, [_support(one, section) for one in search.asked], cited)


def _support(asked: _Asked, section: int) -> answering.Support:
    held = {role for role, part in asked.parts if _holds(part.places, section)}
    return answering.Support(
        sections=len(asked.direct.sections) or len(asked.compounds.sections),
        held=_holds(asked.direct, section),
        parts=1.0 if _holds(asked.compounds, section) else answering.parts(held),
        weight=asked.weight,
        needed=asked.needed,
    )


def _holds(places: _Places, section: int) -> bool:
    place = int(np.searchsorted(places.sections, section))
    return place < len(places.sections) and bool(places.sections[place] == section)
