"""The embedded engine: an inverted index of our own in an SQLite file, scored with numpy.

FTS5 defines what is found and how it is scored, and tests compare with it; but it scores with the statistics of the whole
table, and with Python call-backs for our own it is several times too slow for common words. Here a query reads the slots of
its words at once, keeps those that may be read, and counts what is left: there are no statistics but those.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

import apsw

from evidence.index import Entry, Indexed, Result, Wider, changes, meaning, ranking, reading, sums, vocabulary, wider
from evidence.index.looking import Reader
from evidence.index.postings import LONG
from evidence.index.query import Query
from evidence.index.questions import Question
from evidence.index.snapshot import COLUMNS, OUTLINE_COLUMNS, Outline, Snapshot
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
            return {word for word in words if vocabulary.knows(connection, word)}

    def containing(self, text: str) -> set[str]:
        """As Engine says."""
        with self._storage.reading() as connection:
            return set(vocabulary.containing(connection, text, limit=10))

    def strays(self, words: Collection[str]) -> int:
        """As Engine says."""
        with self._storage.reading() as connection:
            snapshot = self._current(connection)
            outline = self._outline(connection, snapshot)
            places = sum(snapshot.strays(reading.slots(connection, word)) for word in set(words))
            return places + sum(outline.strays(reading.sections(connection, word)) for word in set(words))

    def check(self) -> None:
        """As Engine says. Reads all of it: some seconds for a million passages."""
        with self._storage.reading() as connection:
            if rows(connection, "PRAGMA integrity_check(1)") != [("ok",)]:
                raise sums.Damaged
            changes.check(connection)
            _read_outline(connection, _read_snapshot(connection, meta(connection, "epoch")))

    def documents(self, only: Collection[int] | None = None) -> Iterator[Indexed]:
        """As Engine says, as of one moment."""
        which = "1" if only is None else "id IN (SELECT value FROM json_each(?))"
        columns = "id, representation, class, length(document.lengths), attributes, title"
        statement = f"SELECT {columns} FROM document LEFT JOIN outline ON document = id WHERE {which} ORDER BY id"
        with self._storage.reading() as connection:
            found = rows(connection, statement, () if only is None else (json.dumps(sorted(only)),))
        for document, representation, access_class, size, attributes, title in found:
            passages = size // LONG.itemsize
            yield Indexed(document, representation, access_class, passages, json.loads(attributes), title)

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
            phrases = reading.occurrences(connection, query.phrases, audience)
        frequencies = tuple(len(phrase.slots) for phrase in phrases)
        found = ranking.common(phrase.slots for phrase in phrases)
        if not len(found):
            return Result(frequencies=frequencies)
        passing, counts = ranking.filtered(snapshot.places(found), filters, snapshot)
        found = found[passing] if filters else found
        scores = ranking.scores(found, phrases, snapshot, audience)
        best = ranking.best(found, scores, snapshot, first=offset, last=offset + limit)
        return Result(ranking.hits(found[best], scores[best], snapshot), len(found), counts, frequencies)

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
            outline = self._outline(connection, snapshot)
            audience = snapshot.audience(classes, excluded)
            sections = outline.sections(audience)
            reader = Reader(connection, audience, sections.readable)
            readable = wider.Readable(reader, snapshot, audience, outline, sections)
            understood = meaning.understand(reader, question)
            return wider.answer(understood, readable, filters=filters, first=offset, last=offset + limit)

    def _outline(self, connection: apsw.Connection, snapshot: Snapshot) -> Outline:
        """The sections of this snapshot, which this transaction sees."""
        outline = snapshot.outline
        if outline is None:
            with self._building:
                outline = snapshot.outline
                if outline is None:
                    snapshot.outline = outline = _read_outline(connection, snapshot)
        return outline

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


def _read_outline(connection: apsw.Connection, snapshot: Snapshot) -> Outline:
    sections = rows(connection, f"SELECT {', '.join(OUTLINE_COLUMNS)} FROM outline")
    sums.expect(sum(row[-1] for row in sections), meta(connection, "outlines"))
    return Outline(snapshot, meta(connection, "next_section"), sections)
