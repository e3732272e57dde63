"""The embedded engine: an inverted index of our own in an SQLite file, scored with numpy.

FTS5 defines what is found and how it is scored, and tests compare with it; but it scores with the statistics of the whole
table, and with Python call-backs for our own it is several times too slow for common words. Here a query reads the slots of
its words at once, keeps those that may be read, and counts what is left: there are no statistics but those.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from evidence.index import Entry, Hit, Indexed, Result, Wider, changes, postings, ranking, sums
from evidence.index.postings import LONG, Integers
from evidence.index.query import Query
from evidence.index.questions import Alternative, Answerability, How, Question, Term
from evidence.index.ranking import Occurrences
from evidence.index.snapshot import COLUMNS, Audience, Snapshot
from evidence.index.storage import Storage, meta, rows


class SqliteEngine:
    """An `Engine`; `path` is the file (SQLite keeps a -wal and a -shm file beside it)."""

    def __init__(self, path: Path, *, may_create: bool = True, damaged: Callable[[], object] = lambda: None) -> None:
        """may_create: whether a missing file is made; else asking it raises IndexFault (`index_unreachable`). damaged: told when
        the file turns out to be.
        """
        self._storage = Storage(path, may_create=may_create, damaged=damaged)
        self._snapshot: Snapshot | None = None
        self._building = threading.Lock()

    def put(self, entries: Iterable[Entry]) -> None:
        """Add or replace. All passages of one call are held in memory; 50,000 a call is fast (about 100 MB)."""
        latest = {entry.document: entry for entry in entries}
        with self._storage.writing() as connection:
            replaced = changes.take_out(connection, latest)
            changes.add(connection, list(latest.values()))
        if replaced:
            self._storage.checkpoint()

    def remove(self, documents: Collection[int]) -> None:
        """Take out. A call that ended with IndexFault "index_busy" must be repeated."""
        with self._storage.writing() as connection:
            changes.take_out(connection, documents)
        self._storage.checkpoint()

    def reclass(self, moved: Mapping[int, tuple[int, Mapping[str, str]]]) -> None:
        """Rights and attributes stand in the document's row only."""
        with self._storage.writing() as connection:
            changes.reclass(connection, moved)

    def representations(self, documents: Collection[int]) -> Mapping[int, int]:
        """As Engine says."""
        wanted = json.dumps(sorted(documents))
        statement = "SELECT id, representation FROM document WHERE id IN (SELECT value FROM json_each(?))"
        with self._storage.reading() as connection:
            return dict(rows(connection, statement, (wanted,)))

    def checkpoint(self) -> None:
        """As Engine says. Raises IndexFault "index_busy" when readers don't end."""
        self._storage.checkpoint()

    def compact(self) -> None:
        """As Engine says. Needs room for a second file, and a few seconds for a million passages."""
        self._storage.compact()

    def known(self, words: Collection[str]) -> set[str]:
        """As Engine says."""
        with self._storage.reading() as connection:
            return {word for word in words if rows(connection, "SELECT 1 FROM posting WHERE word = ? LIMIT 1", (word,))}

    def containing(self, text: str) -> set[str]:
        """As Engine says."""
        with self._storage.reading() as connection:
            return {word for (word,) in rows(connection, "SELECT word FROM posting WHERE instr(word, ?) LIMIT 10", (text,))}

    def strays(self, words: Collection[str]) -> int:
        """As Engine says."""
        with self._storage.reading() as connection:
            snapshot = self._current(connection)
            return sum(snapshot.strays(_slots(connection, word).slots) for word in set(words))

    def check(self) -> None:
        """As Engine says. Reads all of it: some seconds for a million passages."""
        with self._storage.reading() as connection:
            if rows(connection, "PRAGMA integrity_check(1)") != [("ok",)]:
                raise sums.Damaged
            changes.check(connection)
            _read_snapshot(connection, meta(connection, "epoch"))

    def documents(self, only: Collection[int] | None = None) -> Iterator[Indexed]:
        """As Engine says, as of one moment."""
        which = "1" if only is None else "id IN (SELECT value FROM json_each(?))"
        statement = f"SELECT id, representation, class, length(lengths), attributes FROM document WHERE {which} ORDER BY id"
        with self._storage.reading() as connection:
            found = rows(connection, statement, () if only is None else (json.dumps(sorted(only)),))
        for document, representation, access_class, size, attributes in found:
            yield Indexed(document, representation, access_class, size // LONG.itemsize, json.loads(attributes))

    def search(
        self,
        query: Query,
        *,
        classes: Collection[int],
        excluded: Collection[int],
        filters: Mapping[str, Collection[str]],
        limit: int,
        offset: int,
    ) -> Result:
        """As Engine says."""
        if not classes or not query.phrases:
            return Result()
        with self._storage.reading() as connection:
            snapshot = self._current(connection)
            audience = snapshot.audience(classes, excluded)
            phrases = _occurrences(connection, query.phrases, audience)
        frequencies = tuple(len(phrase.slots) for phrase in phrases)
        found = ranking.common(phrase.slots for phrase in phrases)
        if not len(found):
            return Result(frequencies=frequencies)
        passing, counts = ranking.filtered(snapshot.places(found), filters, snapshot)
        found = found[passing] if filters else found
        scores = ranking.scores(found, phrases, snapshot, audience)
        best = ranking.best(found, scores, snapshot, first=offset, last=offset + limit)
        return Result(_hits(found[best], scores[best], snapshot), len(found), counts, frequencies)

    def wider(
        self,
        question: Question,
        *,
        classes: Collection[int],
        excluded: Collection[int],
        filters: Mapping[str, Collection[str]],
        limit: int,
        offset: int,
    ) -> Wider:
        """As Engine says."""
        if not classes or not question.words:
            return Wider()
        with self._storage.reading() as connection:
            snapshot = self._current(connection)
            audience = snapshot.audience(classes, excluded)
            phrases = _occurrences(connection, [(word,) for _, _, word in question.words], audience)
        terms = [
            Term(word, start, end, alternatives=(Alternative((word,), How.EXACT, len(phrase.slots)),))
            for (start, end, word), phrase in zip(question.words, phrases, strict=True)
        ]
        found = np.unique(np.concatenate([phrase.slots for phrase in phrases]))
        if not len(found):
            return Wider(terms=terms)
        passing, counts = ranking.filtered(snapshot.places(found), filters, snapshot)
        found = found[passing] if filters else found
        scores = np.zeros(len(found))
        for phrase in phrases:
            mine = np.isin(found, phrase.slots)
            scores[mine] += ranking.scores(found[mine], [phrase], snapshot, audience)
        best = ranking.best(found, scores, snapshot, first=offset, last=offset + limit)
        return Wider(_hits(found[best], scores[best], snapshot), len(found), counts, terms, Answerability.ANSWERABLE)

    def _current(self, connection: apsw.Connection) -> Snapshot:
        """The snapshot of the epoch that this transaction sees."""
        epoch = meta(connection, "epoch")
        snapshot = self._snapshot
        if snapshot is None or snapshot.epoch != epoch:
            with self._building:
                snapshot = self._snapshot
                if snapshot is None or snapshot.epoch != epoch:
                    self._snapshot = snapshot = _read_snapshot(connection, epoch)
        return snapshot


def _read_snapshot(connection: apsw.Connection, epoch: int) -> Snapshot:
    documents = rows(connection, f"SELECT {', '.join(COLUMNS)} FROM document")
    sums.expect(sum(row[-1] for row in documents), meta(connection, "documents"))
    return Snapshot(epoch, meta(connection, "next_slot"), documents)


def _hits(slots: Integers, scores: ranking.Scores, snapshot: Snapshot) -> tuple[Hit, ...]:
    place = snapshot.places(slots)
    columns = (
        snapshot.ids[place],
        snapshot.representations[place],
        snapshot.classes[place],
        slots - snapshot.first_slots[place],
        scores,
    )
    return tuple(Hit(*values) for values in zip(*(column.tolist() for column in columns), strict=True))


def _occurrences(connection: apsw.Connection, phrases: Sequence[tuple[str, ...]], audience: Audience) -> list[Occurrences]:
    """Each phrase's readable occurrences; a phrase that comes twice is read once."""
    found = {
        phrase: _word(connection, phrase[0], audience) if len(phrase) == 1 else _phrase(connection, phrase, audience)
        for phrase in dict.fromkeys(phrases)
    }
    return [found[phrase] for phrase in phrases]


def _word(connection: apsw.Connection, word: str, audience: Audience) -> Occurrences:
    slots, counts = _slots(connection, word)
    if len(slots) and slots[-1] >= len(audience.readable):
        raise sums.Damaged
    readable = audience.readable[slots]
    return Occurrences(slots[readable], counts[readable])


def _slots(connection: apsw.Connection, word: str) -> postings.Postings:
    found = rows(connection, "SELECT segment, slots, counts, sum FROM posting WHERE word = ?", (word,))
    for segment, slots, counts, kept in found:
        sums.expect(sums.of_posting(word, segment, slots, counts), kept)
    return postings.read([(segment, slots, counts) for segment, slots, counts, _ in found])


def _phrase(connection: apsw.Connection, words: Sequence[str], audience: Audience) -> Occurrences:
    places = {word: _places(connection, word) for word in dict.fromkeys(words)}
    together = ranking.common([of_word.slots for of_word in places.values()])
    together = together[audience.readable[together]]
    at = {word: of_word.at(together) for word, of_word in places.items()}
    counts = ranking.phrase_counts([at[word] for word in words], len(together))
    return Occurrences(together[counts > 0], counts[counts > 0])


class _Places(NamedTuple):
    """All of a word: slots, how often in each, and the positions in all slots one after the other."""

    slots: Integers
    counts: NDArray[np.unsignedinteger]
    positions: NDArray[np.unsignedinteger]

    def at(self, wanted: Integers) -> tuple[Integers, Integers]:
        """The places in these slots: for each the number of the slot in `wanted`, and the position."""
        kept = np.zeros(len(self.slots), np.bool_)
        kept[np.searchsorted(self.slots, wanted)] = True
        positions = self.positions[np.repeat(kept, self.counts)]
        return np.repeat(np.arange(len(wanted)), self.counts[kept]), positions.astype(np.int64)


def _places(connection: apsw.Connection, word: str) -> _Places:
    slots, counts = _slots(connection, word)
    statement = "SELECT segment, slots, counts, positions, positions_sum FROM posting WHERE word = ?"
    found = rows(connection, statement, (word,))
    for segment, _, _, positions, kept in found:
        sums.expect(sums.of_positions(word, segment, positions), kept)
    sizes = [postings.size(row[1]) for row in found]
    return _Places(slots, counts, postings.read_positions([row[3] for row in found], counts, sizes))
