"""What is known of every document, as arrays: which slots are whose, how long passages are, who may read them.

Made from the document table once per epoch and kept by each process. About 9 bytes a passage and 70 bytes a document.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evidence.index import ATTRIBUTES, sums
from evidence.index.postings import LONG, Flags, Integers

AUDIENCES: Final = 8
"""How many sets of classes keep their mask (a byte a passage) until all are forgotten."""

HEADING_BIT: Final = 1 << 31
"""Set in the number of a passage's section, as it is stored, where the passage is a heading."""
OUTLINE_COLUMNS: Final = ("document", "first_section", "number", "title", "sections", "sum")

COLUMNS: Final = ("first_slot", "length(lengths)", "id", "public", "representation", "class", "attributes", "lengths", "sum")
"""What a snapshot is made of. Sorting by the first two gives the order of slots, documents without passages first."""


@dataclass(frozen=True, slots=True)
class Audience:
    """What some classes may read: flags for documents and slots, and the statistics of these passages, empty ones included."""

    documents: Flags
    readable: Flags
    passages: int
    words: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """The values of one attribute and, for each document, the place of its value."""

    values: Sequence[str]
    codes: Integers

    def accepted(self, values: Collection[str]) -> Flags:
        """For each document, whether its value is one of these."""
        return np.array([value in values for value in self.values], np.bool_)[self.codes]


class Snapshot:
    """All documents of one epoch. Documents are numbered here by the order of their slots ("places")."""

    def __init__(self, epoch: int, slots: int, rows: Sequence[tuple[Any, ...]]) -> None:
        """rows: COLUMNS of each document. slots: all that were ever given."""
        # sorted here because SQLite would move the long lengths about
        columns = zip(*sorted(rows), strict=True) if rows else [()] * len(COLUMNS)
        first_slots, sizes, ids, public, representations, classes, attributes, packed_lengths, kept = columns
        made = map(sums.of_document, ids, public, representations, classes, first_slots, attributes, packed_lengths)
        if list(made) != list(kept):
            raise sums.Damaged
        lengths = np.frombuffer(b"".join(packed_lengths), LONG)
        self.epoch = epoch
        self.ids = _integers(ids)
        self.representations = _integers(representations)
        self.classes = _integers(classes)
        self.first_slots = _integers(first_slots)
        self.passages = _integers(sizes) // LONG.itemsize
        self.public_order = _public_order(public)
        self.attributes = _attributes(attributes)

        self.place_of_slot = _places(slots, self.first_slots, self.passages)
        self.length_of_slot = np.zeros(slots, LONG)
        self.length_of_slot[self.place_of_slot >= 0] = lengths
        words_until = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        passages_until = np.cumsum(self.passages)
        self.words = words_until[passages_until] - words_until[passages_until - self.passages]
        self.outline: Outline | None = None
        """Read when the wider mode is asked first."""
        self._audiences: dict[tuple[frozenset[int], frozenset[int]], Audience] = {}

    def audience(self, classes: Collection[int], excluded: Collection[int]) -> Audience:
        """What these classes may read without the excluded documents."""
        key = frozenset(classes), frozenset(excluded)
        known = self._audiences.get(key)
        if known is None:
            # not an lru_cache of a method: that would be a cycle, and old snapshots would wait for the garbage collector
            if len(self._audiences) >= AUDIENCES:
                self._audiences = {}
            self._audiences[key] = known = self._find_audience(*key)
        return known

    def places(self, slots: Integers) -> Integers:
        """The document of each slot."""
        return self.place_of_slot[slots].astype(np.int64)

    def strays(self, slots: Integers) -> int:
        """How many of these slots belong to no document."""
        given = slots[slots < len(self.place_of_slot)]
        return len(slots) - int(np.count_nonzero(self.place_of_slot[given] >= 0))

    def _find_audience(self, classes: frozenset[int], excluded: frozenset[int]) -> Audience:
        may_read = np.isin(self.classes, _integers(classes)) & ~np.isin(self.ids, _integers(excluded))
        return Audience(
            documents=may_read,
            # the place of an unused slot is -1: it takes the flag that is appended here
            readable=np.append(may_read, False)[self.place_of_slot],
            passages=int(self.passages[may_read].sum()),
            words=int(self.words[may_read].sum()),
        )


@dataclass(frozen=True, slots=True)
class Sections:
    """What some classes may read of the sections: a flag for each, and the statistics of these.

    A section without passages counts for nothing.
    """

    readable: Flags
    number: int


class Outline:
    """The sections of all documents of a snapshot.

    of_slot: the section of each slot, 0 for slots whose document is gone. place: the document of each section, -1 for sections
    that have no passage, or whose document is gone. words: in all the passages of a section. headings: the slots that are one.
    """

    def __init__(self, snapshot: Snapshot, sections: int, rows: Sequence[tuple[Any, ...]]) -> None:
        """rows: OUTLINE_COLUMNS of each document. sections: all that were ever given."""
        columns = zip(*sorted(rows), strict=True) if rows else [()] * len(OUTLINE_COLUMNS)
        documents, first_sections, numbers_of, titles, packed, kept = columns
        if list(map(sums.of_outline, documents, first_sections, numbers_of, titles, packed)) != list(kept):
            raise sums.Damaged
        self._first_slots, self._passages = snapshot.first_slots, snapshot.passages  # the snapshot itself would be a cycle
        by_document = np.argsort(snapshot.ids)
        if not np.array_equal(snapshot.ids[by_document], _integers(documents)):
            raise sums.Damaged
        in_order = np.empty(len(documents), np.int64)  # for each place, its row here
        in_order[by_document] = np.arange(len(documents))
        firsts = _integers(first_sections)
        counts = _integers(numbers_of)

        self.place = np.full(sections, -1, np.int32)
        places = by_document  # of each row here
        numbers = np.repeat(firsts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= sections):
            raise sums.Damaged
        self.place[numbers] = np.repeat(places, counts)
        self.given = self.place >= 0

        stored = np.frombuffer(b"".join(packed[row] for row in in_order.tolist()), LONG)
        within = stored & (HEADING_BIT - 1)
        if len(within) != snapshot.passages.sum():
            raise sums.Damaged
        self.of_slot = np.zeros(len(snapshot.place_of_slot), np.int32)
        self.of_slot[snapshot.place_of_slot >= 0] = within + np.repeat(firsts[in_order], snapshot.passages)
        used = snapshot.place_of_slot >= 0
        self.headings = np.zeros(len(used), np.bool_)
        self.headings[used] = stored >= HEADING_BIT
        self.words = np.bincount(self.of_slot[used], snapshot.length_of_slot[used], minlength=sections).astype(np.int64)
        self.place[np.bincount(self.of_slot[used], minlength=sections) == 0] = -1

    def strays(self, sections: Integers) -> int:
        """How many of these sections belong to no document."""
        given = sections[sections < len(self.place)]
        return len(sections) - int(np.count_nonzero(self.given[given]))

    def sections(self, audience: Audience) -> Sections:
        """Those of an audience of the same snapshot."""
        readable = np.append(audience.documents, False)[self.place]
        return Sections(readable, int(np.count_nonzero(readable)))


def _integers(values: Collection[int]) -> Integers:
    return np.fromiter(values, np.int64, len(values))


def _places(slots: int, first_slots: Integers, passages: Integers) -> NDArray[np.int32]:
    """The document of each slot, -1 for slots whose document is gone."""
    ends = first_slots + passages
    if (np.append(first_slots, slots) < np.concatenate([[0], ends])).any():
        raise sums.Damaged
    unused = np.append(first_slots, slots) - np.concatenate([[0], ends])
    runs = np.zeros(2 * len(passages) + 1, np.int64)
    runs[::2], runs[1::2] = unused, passages
    values = np.full(len(runs), -1, np.int32)
    values[1::2] = np.arange(len(passages))
    return np.repeat(values, runs)


def _public_order(ids: Sequence[bytes]) -> Integers:
    """For each document, its rank by public id, compared as bytes."""
    halves = np.frombuffer(b"".join(ids), ">u8").reshape(-1, 2)
    order = np.lexsort((halves[:, 1], halves[:, 0]))
    ranks = np.empty(len(ids), np.int64)
    ranks[order] = np.arange(len(ids))
    return ranks


def _attributes(rows: Sequence[str]) -> Mapping[str, Attribute]:
    """Few different sets of attributes occur, so that each is read once."""
    different = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    number = _integers([different[row] for row in rows])
    decoded = [json.loads(row) for row in different]
    attributes = {}
    for name in ATTRIBUTES:
        values = {value: code for code, value in enumerate(sorted({row.get(name, "") for row in decoded}))}
        codes = _integers([values[row.get(name, "")] for row in decoded])
        attributes[name] = Attribute(tuple(values), codes[number])
    return attributes
