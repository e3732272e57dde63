"""The file of the embedded index: its tables, its connections, its transactions. Only APSW opens it.

Two SQLite libraries on one file break its locks, so Django's sqlite3 never sees it. Every thread has a connection of its own.

Rows carry checksums (`evidence.index.sums`), because SQLite notices only damage to its own structure. Whoever meets damage tells
`damaged`, and nobody gets an answer from what is left.
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import apsw

from evidence.errors import IndexFault, gettext_noop
from evidence.index.sums import Damaged
from evidence.index.tokens import TOKENISER
from evidence.language import TERMS

FORMAT: Final = f"postings 5 {TOKENISER} {TERMS}"
BUSY_MILLISECONDS: Final = 30_000
"""Longer than one batch of an import takes to write."""
RETRY_SECONDS: Final = 0.005
PAGE_BYTES: Final = 8192
MAPPED_BYTES: Final = 1 << 40
"""Everything: a mapped file is read without a copy, and its memory is the system's, shared by all processes."""
CACHE_KIB: Final = 32 * 1024
"""For pages that are being written, each connection; reading goes through the map."""

SCHEMA: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE document (
  id INTEGER PRIMARY KEY, public BLOB NOT NULL, representation INTEGER NOT NULL, class INTEGER NOT NULL,
  first_slot INTEGER NOT NULL, attributes TEXT NOT NULL, lengths BLOB NOT NULL, words BLOB NOT NULL, sum INTEGER NOT NULL
);
CREATE TABLE posting (
  word TEXT NOT NULL, segment INTEGER NOT NULL, slots BLOB NOT NULL, counts BLOB NOT NULL, sum INTEGER NOT NULL,
  positions BLOB NOT NULL, positions_sum INTEGER NOT NULL,
  PRIMARY KEY (word, segment)
) WITHOUT ROWID;
CREATE TABLE outline (
  document INTEGER PRIMARY KEY, first_section INTEGER NOT NULL, number INTEGER NOT NULL, title INTEGER NOT NULL,
  sections BLOB NOT NULL, words BLOB NOT NULL, sum INTEGER NOT NULL
);
CREATE TABLE title (
  word TEXT NOT NULL, segment INTEGER NOT NULL, slots BLOB NOT NULL, counts BLOB NOT NULL, sum INTEGER NOT NULL,
  positions BLOB NOT NULL, positions_sum INTEGER NOT NULL,
  PRIMARY KEY (word, segment)
) WITHOUT ROWID;
CREATE TABLE word (word TEXT PRIMARY KEY, size INTEGER NOT NULL, keys TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE form (
  key TEXT NOT NULL, size INTEGER NOT NULL, word TEXT NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (key, size DESC, word)
) WITHOUT ROWID;
"""


class Storage:
    """An index file, made when it is not there. Raises IndexFault when it is out of reach, damaged, of another format or busy."""

    def __init__(self, path: Path, *, may_create: bool = True, damaged: Callable[[], object] = lambda: None) -> None:
        """damaged: told when the file turns out to be."""
        self.path = path
        self._may_create = may_create
        self._damaged = damaged
        self._local = threading.local()
        self._inherited: list[apsw.Connection] = []

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """One unchanging state of the file."""
        with self._faults():
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                with suppress(apsw.Error):  # it read only
                    connection.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """One change: all of it or nothing. Raises the epoch."""
        with self._faults():
            connection = self._connection()
            with _immediate(connection):
                yield connection
                connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")

    def checkpoint(self) -> None:
        """Leave nothing of older states in the log. Waits for readers; raises IndexFault if they don't end."""
        with self._faults():
            ((busy, _, _),) = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if busy:
                raise apsw.BusyError

    def compact(self) -> None:
        """Write the file anew. Pages keep copies of rows that moved within their tree, which secure_delete does not know of."""
        with self._faults():
            self._connection().execute("VACUUM")
        self.checkpoint()

    def _connection(self) -> apsw.Connection:
        connection = self._opened()
        if getattr(self._local, "checked", None) is not connection:
            _check_format(connection, may_create=self._may_create)
            self._local.checked = connection
        return connection

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except apsw.BusyError as error:
            raise IndexFault("index_busy", gettext_noop("The index is busy. Please try again.")) from error
        except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError) as error:
            raise IndexFault("index_unreachable", gettext_noop("The index can't be opened.")) from error
        except (apsw.FullError, apsw.ReadOnlyError) as error:
            message = gettext_noop("The index can't be written: the disk is full, or does not let it.")
            raise IndexFault("index_unwritable", message) from error
        except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, Damaged, UnicodeDecodeError, zlib.error) as error:
            self._damaged()
            raise _format_fault() from error

    def _opened(self) -> apsw.Connection:
        """This thread's connection. After a fork the parent's is kept aside: to close it here would break the parent's locks."""
        process, connection = getattr(self._local, "opened", (None, None))
        if connection is None or process != os.getpid():
            if connection is not None:
                self._inherited.append(connection)
            connection = _open(self.path, may_create=self._may_create)
            self._local.opened = (os.getpid(), connection)
        return connection


def rows(connection: apsw.Connection, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
    """All rows of a statement. (apsw can't know the types of columns; here they are taken on trust.)"""
    return connection.execute(statement, values).fetchall()


def meta(connection: apsw.Connection, name: str) -> int:
    """A number that the file keeps about itself."""
    found = rows(connection, "SELECT value FROM meta WHERE name = ?", (name,))
    if len(found) != 1 or not isinstance(found[0][0], int):
        raise Damaged
    return int(found[0][0])


def add_to_meta(connection: apsw.Connection, name: str, change: int) -> None:
    """Raise, or lower, a number that the file keeps about itself."""
    connection.execute("UPDATE meta SET value = value + ? WHERE name = ?", (change, name))


def _open(path: Path, *, may_create: bool) -> apsw.Connection:
    creating = apsw.SQLITE_OPEN_CREATE if may_create else 0
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | creating)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
    _begin_log(connection)
    for setting in (
        "synchronous=FULL",
        "secure_delete=ON",
        "temp_store=MEMORY",
        f"mmap_size={MAPPED_BYTES}",
        f"cache_size=-{CACHE_KIB}",
    ):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _begin_log(connection: apsw.Connection) -> None:
    """Have changes written to a log first. SQLite itself waits for nobody who does this at the same moment."""
    until = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)


def _check_format(connection: apsw.Connection, *, may_create: bool) -> None:
    """Create the tables in an empty file that may be made; refuse a file of another format."""
    if may_create and not rows(connection, "SELECT 1 FROM sqlite_schema"):
        with _immediate(connection):
            if not rows(connection, "SELECT 1 FROM sqlite_schema"):
                _create(connection)
    is_index = rows(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'meta'")
    if not is_index or rows(connection, "SELECT value FROM meta WHERE name = 'format'") != [(FORMAT,)]:
        raise _format_fault()


def _create(connection: apsw.Connection) -> None:
    """The first epoch is random: a process that knew another file at this path must not take it for one it knows."""
    epoch = int.from_bytes(os.urandom(6), "big")
    connection.execute(SCHEMA)
    numbers = ("next_slot", "documents", "next_section", "outlines", "forms")
    connection.execute("INSERT INTO meta VALUES ('format', ?), ('epoch', ?)", (FORMAT, epoch))
    connection.executemany("INSERT INTO meta VALUES (?, 0)", [(name,) for name in numbers])


@contextmanager
def _immediate(connection: apsw.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(apsw.Error):  # a full disk and some damage have rolled back by themselves
            connection.execute("ROLLBACK")
        raise


def _format_fault() -> IndexFault:
    return IndexFault("index_format", gettext_noop("The index is of another format, or damaged; it must be rebuilt."))
