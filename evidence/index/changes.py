"""Changes of the index file, each within a transaction of its caller: documents come, leave, and move to another class."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from evidence.index import Entry, postings, sums
from evidence.index.postings import LONG, SEGMENT_BITS, SEGMENT_SLOTS, Flags, Row
from evidence.index.storage import meta, rows
from evidence.index.tokens import Vocabulary

COMPRESSION: Final = 1
"""Quick: the list of a document's words is only read when the document leaves."""
_REPLACE: Final = "REPLACE INTO posting VALUES (?, ?, ?, ?, ?, ?, ?)"
_DELETE: Final = "DELETE FROM document WHERE id = ? RETURNING first_slot, length(lengths), words, sum"
_DOCUMENT: Final = "SELECT id, public, representation, class, first_slot, attributes, lengths, sum FROM document WHERE id = ?"


def reclass(connection: apsw.Connection, moved: Mapping[int, tuple[int, Mapping[str, str]]]) -> None:
    """Rights and attributes stand in a document's row and nowhere else."""
    old = [row for document in moved for row in rows(connection, _DOCUMENT, (document,))]
    new = [_moved(row, *moved[row[0]]) for row in old]
    connection.executemany("UPDATE document SET class = ?, attributes = ?, sum = ? WHERE id = ?", new)
    _count(connection, sum(row[2] for row in new) - sum(row[-1] for row in old))


def add(connection: apsw.Connection, entries: Sequence[Entry]) -> None:
    """Give slots to new documents and write them with their words."""
    first_slot = meta(connection, "next_slot")
    batch = _Batch()
    slots = [first_slot + batch.add(entry.passages) for entry in entries]
    known = list(_known(entries, slots, batch.lengths, first_slot))
    kept = [sums.of_document(*one) for one in known]
    connection.executemany(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((*one, words, sum_) for one, words, sum_ in zip(known, batch.lists, kept, strict=True)),
    )
    _count(connection, sum(kept))
    _write(connection, batch.rows(first_slot), open_segment=first_slot >> SEGMENT_BITS)
    connection.execute("UPDATE meta SET value = ? WHERE name = 'next_slot'", (first_slot + len(batch.lengths),))


def _known(
    entries: Sequence[Entry], slots: Sequence[int], lengths: Sequence[int], first_slot: int
) -> Iterator[tuple[int, bytes, int, int, int, str, bytes]]:
    """What is kept of each document beside its words."""
    for entry, slot in zip(entries, slots, strict=True):
        begin = slot - first_slot
        yield (
            entry.document,
            entry.public_id.bytes,
            entry.representation,
            entry.access_class,
            slot,
            _attributes(entry.attributes),
            np.array(lengths[begin : begin + len(entry.passages)], LONG).tobytes(),
        )


def check(connection: apsw.Connection) -> None:
    """Compare every posting with its sums, and see that each document's words are there. Raises Damaged."""
    wanted: Counter[str] = Counter()
    for words, size in connection.execute("SELECT words, length(lengths) FROM document"):
        wanted.update(_unlisted(words) if size else ())
    statement = "SELECT word, segment, slots, counts, sum, positions, positions_sum FROM posting"
    for word, segment, slots, counts, sum_, positions, positions_sum in connection.execute(statement):
        sums.expect(sums.of_posting(word, segment, slots, counts), sum_)
        sums.expect(sums.of_positions(word, segment, positions), positions_sum)
        wanted[word] = min(wanted[word], 0)
    if any(missing > 0 for missing in wanted.values()):
        raise sums.Damaged


def _count(connection: apsw.Connection, change: int) -> None:
    """Keep the sum of all documents' sums, by which a document that is lost is missed."""
    connection.execute("UPDATE meta SET value = value + ? WHERE name = 'documents'", (change,))


def _moved(row: Sequence[Any], access_class: int, values: Mapping[str, str]) -> tuple[int, str, int, int]:
    """The class, attributes and sum of a document's row from now on, and its id."""
    document, public, representation, old_class, slot, old_attributes, lengths, kept = row
    sums.expect(sums.of_document(document, public, representation, old_class, slot, old_attributes, lengths), kept)
    attributes = _attributes(values)
    made = sums.of_document(document, public, representation, access_class, slot, attributes, lengths)
    return access_class, attributes, made, document


def take_out(connection: apsw.Connection, documents: Iterable[int]) -> int:
    """Remove documents and every place of their words; how many of them there were."""
    removed = [row for document in documents for row in rows(connection, _DELETE, (document,))]
    _count(connection, -sum(row[-1] for row in removed))
    leaving: defaultdict[int, _Leaving] = defaultdict(_Leaving)
    for first, size, words, _ in removed:
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

    def joined() -> Iterator[tuple[str, int, bytes, bytes, int, bytes, int]]:
        for word, segment, row in made:
            old = _row(connection, word, segment) if segment == open_segment else None
            yield _stored(word, segment, postings.joined(old, row) if old else row)

    connection.executemany(_REPLACE, joined())


def _stored(word: str, segment: int, row: Row) -> tuple[str, int, bytes, bytes, int, bytes, int]:
    """The columns of a posting row."""
    sum_ = sums.of_posting(word, segment, row.slots, row.counts)
    return word, segment, row.slots, row.counts, sum_, row.positions, sums.of_positions(word, segment, row.positions)


def _cut(connection: apsw.Connection, word: str, segment: int, gone: Flags) -> None:
    row = _row(connection, word, segment)
    rest = postings.without(row, gone) if row else None
    if rest is None:
        connection.execute("DELETE FROM posting WHERE word = ? AND segment = ?", (word, segment))
    elif rest is not row:
        connection.execute(_REPLACE, _stored(word, segment, rest))


def _row(connection: apsw.Connection, word: str, segment: int) -> Row | None:
    statement = "SELECT slots, counts, sum, positions, positions_sum FROM posting WHERE word = ? AND segment = ?"
    for slots, counts, sum_, positions, positions_sum in rows(connection, statement, (word, segment)):
        sums.expect(sums.of_posting(word, segment, slots, counts), sum_)
        sums.expect(sums.of_positions(word, segment, positions), positions_sum)
        return Row(slots, counts, positions)
    return None


def _attributes(values: Mapping[str, str]) -> str:
    return json.dumps(dict(values), ensure_ascii=False, sort_keys=True)


def _listed(words: Iterable[str]) -> bytes:
    return zlib.compress("\n".join(words).encode(), COMPRESSION)


def _unlisted(words: bytes) -> Iterable[str]:
    return filter(None, zlib.decompress(words).decode().split("\n"))
