"""Changes of the index file, each within a transaction of its caller: documents come, leave, and move to another class."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from evidence import language
from evidence.index import Entry, postings, sums, vocabulary
from evidence.index.postings import LONG, SEGMENT_BITS, SEGMENT_SLOTS, Flags, Row
from evidence.index.snapshot import HEADING_BIT
from evidence.index.storage import add_to_meta, meta, rows
from evidence.index.tokens import Vocabulary

COMPRESSION: Final = 1
"""Quick: the list of a document's words is only read when the document leaves."""
_POSTING: Final = "posting"
_TITLE: Final = "title"
"""The tables of the words of passages, by their slots, and of the words above them, by the numbers of their sections."""
_DELETE_OUTLINE: Final = "DELETE FROM outline WHERE document = ? RETURNING first_section, number, words, sum"
_DELETE: Final = f"DELETE FROM document WHERE id = ? RETURNING first_slot, length(lengths) / {LONG.itemsize}, words, sum"
_DOCUMENT: Final = "SELECT id, public, representation, class, first_slot, attributes, lengths, sum FROM document WHERE id = ?"


def reclass(connection: apsw.Connection, moved: Mapping[int, tuple[int, Mapping[str, str]]]) -> None:
    """Rights and attributes stand in a document's row and nowhere else."""
    old = [row for document in moved for row in rows(connection, _DOCUMENT, (document,))]
    new = [_moved(row, *moved[row[0]]) for row in old]
    connection.executemany("UPDATE document SET class = ?, attributes = ?, sum = ? WHERE id = ?", new)
    add_to_meta(connection, "documents", sum(row[2] for row in new) - sum(row[-1] for row in old))


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
    add_to_meta(connection, "documents", sum(kept))
    grown = _write(connection, _POSTING, batch.rows(first_slot), open_segment=first_slot >> SEGMENT_BITS)
    add_to_meta(connection, "next_slot", len(batch.lengths))
    grown |= _outline(connection, entries)
    vocabulary.spread(connection, grown, open_segment=meta(connection, "next_slot") >> SEGMENT_BITS)


def _outline(connection: apsw.Connection, entries: Sequence[Entry]) -> set[str]:
    """Give numbers to the sections of new documents and write the words above them; those that stand above none yet."""
    first_section = meta(connection, "next_section")
    batch = _Batch()
    made = []
    for entry in entries:
        titles = entry.titles or ("",)
        begin = batch.add(titles, mark=language.mark)
        sections = np.array(entry.sections or [0] * len(entry.passages), LONG)
        if len(sections) != len(entry.passages) or (len(sections) and sections.max() >= len(titles)):
            raise ValueError("Each passage needs a section that has a title.")
        sections[list(entry.headings)] |= HEADING_BIT
        made.append((entry.document, first_section + begin, len(titles), sums.of_title(titles[0]), sections.tobytes()))
    kept = [sums.of_outline(*one) for one in made]
    connection.executemany(
        "INSERT INTO outline VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((*one, words, sum_) for one, words, sum_ in zip(made, batch.lists, kept, strict=True)),
    )
    add_to_meta(connection, "outlines", sum(kept))
    add_to_meta(connection, "next_section", len(batch.lengths))
    return _write(connection, _TITLE, batch.rows(first_section), open_segment=first_section >> SEGMENT_BITS)


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
    _check_words(connection, _POSTING, "SELECT words, length(lengths) FROM document")
    _check_words(connection, _TITLE, "SELECT words, number FROM outline")
    vocabulary.check(connection)


def _check_words(connection: apsw.Connection, table: str, lists: str) -> None:
    wanted: Counter[str] = Counter()
    for words, size in connection.execute(lists):
        wanted.update(_unlisted(words) if size else ())
    statement = f"SELECT word, segment, slots, counts, sum, positions, positions_sum FROM {table}"
    for word, segment, slots, counts, sum_, positions, positions_sum in connection.execute(statement):
        sums.expect(sums.of_posting(word, segment, slots, counts), sum_)
        sums.expect(sums.of_positions(word, segment, positions), positions_sum)
        wanted[word] = min(wanted[word], 0)
    if any(missing > 0 for missing in wanted.values()):
        raise sums.Damaged


def _moved(row: Sequence[Any], access_class: int, values: Mapping[str, str]) -> tuple[int, str, int, int]:
    """The class, attributes and sum of a document's row from now on, and its id."""
    document, public, representation, old_class, slot, old_attributes, lengths, kept = row
    sums.expect(sums.of_document(document, public, representation, old_class, slot, old_attributes, lengths), kept)
    attributes = _attributes(values)
    made = sums.of_document(document, public, representation, access_class, slot, attributes, lengths)
    return access_class, attributes, made, document


def take_out(connection: apsw.Connection, documents: Collection[int]) -> int:
    """Remove documents and every place of their words; how many of them there were."""
    removed = [row for document in documents for row in rows(connection, _DELETE, (document,))]
    outlines = [row for document in documents for row in rows(connection, _DELETE_OUTLINE, (document,))]
    if len(removed) != len(outlines):
        raise sums.Damaged
    add_to_meta(connection, "documents", -sum(row[-1] for row in removed))
    add_to_meta(connection, "outlines", -sum(row[-1] for row in outlines))
    vocabulary.leave(connection, _cut_all(connection, _POSTING, removed) | _cut_all(connection, _TITLE, outlines))
    return len(removed)


def _cut_all(connection: apsw.Connection, table: str, removed: Iterable[Sequence[Any]]) -> set[str]:
    """Cut out what these had; the words that lost a row."""
    leaving: defaultdict[int, _Leaving] = defaultdict(_Leaving)
    for first, size, words, _ in removed:
        for segment, part in _parts(first, first + size):
            leaving[segment].slots[part] = True
            leaving[segment].words.update(_unlisted(words))
    return {
        word
        for segment, what in leaving.items()
        for word in sorted(what.words)
        if _cut(connection, table, word, segment, what.slots)
    }


@dataclass(slots=True)
class _Batch:
    """Passages that are indexed together. lists: each document's different words, as they are stored."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    numbers: array[int] = field(default_factory=lambda: array("i"))
    lengths: list[int] = field(default_factory=list)
    lists: list[bytes] = field(default_factory=list)

    def add(self, passages: Iterable[str], *, mark: Callable[[str], str | None] = lambda text: None) -> int:
        """Take in a document; the number of its first passage within the batch. mark: what a text is found by besides words."""
        first, start = len(self.lengths), len(self.numbers)
        for passage in passages:
            found = self.vocabulary.numbers(passage)
            if marked := mark(passage):
                found.append(self.vocabulary[marked])
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


def _write(connection: apsw.Connection, table: str, made: Iterable[tuple[str, int, Row]], *, open_segment: int) -> set[str]:
    """Rows of the open segment are joined with what is there; later segments are new. Gives the words of new rows, and of those
    that have grown past a power of four.
    """
    grown = set()

    def joined() -> Iterator[tuple[str, int, bytes, bytes, int, bytes, int]]:
        for word, segment, row in made:
            old = _row(connection, table, word, segment) if segment == open_segment else None
            whole = postings.joined(old, row) if old else row
            if old is None or _exponent(old) != _exponent(whole):
                grown.add(word)
            yield _stored(word, segment, whole)

    connection.executemany(_replace(table), joined())
    return grown


def _exponent(row: Row) -> int:
    return vocabulary.exponent(postings.size(row.slots))


def _replace(table: str) -> str:
    return f"REPLACE INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?)"


def _stored(word: str, segment: int, row: Row) -> tuple[str, int, bytes, bytes, int, bytes, int]:
    """The columns of a posting row."""
    sum_ = sums.of_posting(word, segment, row.slots, row.counts)
    return word, segment, row.slots, row.counts, sum_, row.positions, sums.of_positions(word, segment, row.positions)


def _cut(connection: apsw.Connection, table: str, word: str, segment: int, gone: Flags) -> bool:
    """Whether nothing is left of the row."""
    row = _row(connection, table, word, segment)
    rest = postings.without(row, gone) if row else None
    if rest is None:
        connection.execute(f"DELETE FROM {table} WHERE word = ? AND segment = ?", (word, segment))
    elif rest is not row:
        connection.execute(_replace(table), _stored(word, segment, rest))
    return rest is None


def _row(connection: apsw.Connection, table: str, word: str, segment: int) -> Row | None:
    statement = f"SELECT slots, counts, sum, positions, positions_sum FROM {table} WHERE word = ? AND segment = ?"
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
