"""Changes of the index file, each within a transaction of its caller: documents come, leave, and move to another class."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import apsw
import numpy as np
from numpy.typing import NDArray

from evidence.index import Entry, postings
from evidence.index.postings import LONG, SEGMENT_BITS, SEGMENT_SLOTS, Flags, Row
from evidence.index.storage import meta, rows
from evidence.index.tokens import Vocabulary

COMPRESSION: Final = 1
"""Quick: the list of a document's words is only read when the document leaves."""


def reclass(connection: apsw.Connection, moved: Mapping[int, tuple[int, Mapping[str, str]]]) -> None:
    """Rights and attributes stand in a document's row and nowhere else."""
    connection.executemany(
        "UPDATE document SET class = ?, attributes = ? WHERE id = ?",
        [(access_class, _attributes(values), document) for document, (access_class, values) in moved.items()],
    )


def add(connection: apsw.Connection, entries: Sequence[Entry]) -> None:
    """Give slots to new documents and write them with their words."""
    first_slot = meta(connection, "next_slot")
    batch = _Batch()
    slots = [first_slot + batch.add(entry.passages) for entry in entries]
    connection.executemany(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                entry.document,
                entry.public_id.bytes,
                entry.representation,
                entry.access_class,
                slot,
                _attributes(entry.attributes),
                np.array(batch.lengths[slot - first_slot : slot - first_slot + len(entry.passages)], LONG).tobytes(),
                words,
            )
            for entry, slot, words in zip(entries, slots, batch.lists, strict=True)
        ),
    )
    _write(connection, batch.rows(first_slot), open_segment=first_slot >> SEGMENT_BITS)
    connection.execute("UPDATE meta SET value = ? WHERE name = 'next_slot'", (first_slot + len(batch.lengths),))


def take_out(connection: apsw.Connection, documents: Iterable[int]) -> int:
    """Remove documents and every place of their words; how many of them there were."""
    removed = [
        row
        for document in documents
        for row in rows(connection, "DELETE FROM document WHERE id = ? RETURNING first_slot, length(lengths), words", (document,))
    ]
    leaving: defaultdict[int, _Leaving] = defaultdict(_Leaving)
    for first, size, words in removed:
        for segment, part in _parts(first, first + size // LONG.itemsize):
            leaving[segment].slots[part] = True
            leaving[segment].words.update(_unlisted(words))
    for segment, what in leaving.items():
        for word in sorted(what.words):
            _cut(connection, word, segment, what.slots)
    return len(removed)


@dataclass(slots=True)
class _Batch:
    """Passages that are indexed together. lists: each document's different words, as they are stored."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    numbers: array[int] = field(default_factory=lambda: array("i"))
    lengths: list[int] = field(default_factory=list)
    lists: list[bytes] = field(default_factory=list)

    def add(self, passages: Iterable[str]) -> int:
        """Take in a document; the number of its first passage within the batch."""
        first, start = len(self.lengths), len(self.numbers)
        for passage in passages:
            found = self.vocabulary.numbers(passage)
            self.numbers.extend(found)
            self.lengths.append(len(found))
        self.lists.append(_listed(self.vocabulary.words[number] for number in set(self.numbers[start:]) if number >= 0))
        return first

    def rows(self, first_slot: int) -> Iterator[tuple[str, int, Row]]:
        """Word, segment and posting row, in the order of the table's key."""
        names = self.vocabulary.words
        order = sorted(range(len(names)), key=names.__getitem__)
        ranks = np.full(len(names) + 1, -1, np.int32)
        ranks[order] = np.arange(len(names))
        # words that can't be asked for have the number -1, the last place, whose rank is -1
        numbers: NDArray[np.int32] = ranks[np.frombuffer(self.numbers, np.int32)]
        for rank, segment, row in postings.build(numbers, self.lengths, first_slot):
            yield names[order[rank]], segment, row


@dataclass(slots=True)
class _Leaving:
    """What goes out of one segment: the words to look at, and a flag for each slot that goes."""

    words: set[str] = field(default_factory=set)
    slots: Flags = field(default_factory=lambda: np.zeros(SEGMENT_SLOTS, np.bool_))


def _parts(first: int, end: int) -> Iterator[tuple[int, slice]]:
    """The segments of a range of slots, and the part of each."""
    for segment in range(first >> SEGMENT_BITS, ((end - 1) >> SEGMENT_BITS) + 1):
        base = segment << SEGMENT_BITS
        yield segment, slice(max(first - base, 0), end - base)


def _write(connection: apsw.Connection, made: Iterable[tuple[str, int, Row]], *, open_segment: int) -> None:
    """Rows of the open segment are joined with what is there; later segments are new."""

    def joined() -> Iterator[tuple[str, int, bytes, bytes, bytes]]:
        for word, segment, row in made:
            old = _row(connection, word, segment) if segment == open_segment else None
            yield word, segment, *(postings.joined(old, row) if old else row)

    connection.executemany("REPLACE INTO posting VALUES (?, ?, ?, ?, ?)", joined())


def _cut(connection: apsw.Connection, word: str, segment: int, gone: Flags) -> None:
    row = _row(connection, word, segment)
    rest = postings.without(row, gone) if row else None
    if rest is None:
        connection.execute("DELETE FROM posting WHERE word = ? AND segment = ?", (word, segment))
    elif rest is not row:
        connection.execute("REPLACE INTO posting VALUES (?, ?, ?, ?, ?)", (word, segment, *rest))


def _row(connection: apsw.Connection, word: str, segment: int) -> Row | None:
    found = rows(connection, "SELECT slots, counts, positions FROM posting WHERE word = ? AND segment = ?", (word, segment))
    return Row(*found[0]) if found else None


def _attributes(values: Mapping[str, str]) -> str:
    return json.dumps(dict(values), ensure_ascii=False, sort_keys=True)


def _listed(words: Iterable[str]) -> bytes:
    return zlib.compress("\n".join(words).encode(), COMPRESSION)


def _unlisted(words: bytes) -> Iterable[str]:
    return filter(None, zlib.decompress(words).decode().split("\n"))
