"""SQLite's dump: a copy of the file, taken by SQLite itself while others write, and compressed."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from django.db import connection

from evidence import archive
from evidence.dumps import LEFT_OUT, MIGRATIONS, NAMED, Dumped
from evidence.errors import EvidenceError, gettext_noop

ENGINE: Final = "sqlite"
LEVEL: Final = 1
"""Of compression: four times smaller at about 100 MB a second."""
BUSY_SECONDS: Final = 30.0


class Sqlite:
    """A `Dumper`."""

    def dump(self, target: Path) -> Dumped:
        """As Dumper says. Needs room for a second copy of the database beside the target."""
        with archive.beside(target, "copy") as copy:
            with closing(sqlite3.connect(_file(), timeout=BUSY_SECONDS)) as source, closing(sqlite3.connect(copy)) as taken:
                source.backup(taken)  # in one step: one state of it, and nobody waits
            with closing(_opened(copy)) as taken:
                _refuse_damaged(taken)
                for (table,) in taken.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    if table in LEFT_OUT:
                        taken.execute(f'DELETE FROM "{table}"')
                taken.commit()
                migrations = tuple((str(app), str(name)) for app, name in taken.execute(MIGRATIONS))
                digests = frozenset(str(digest) for (digest,) in taken.execute(NAMED))
            with copy.open("rb") as source_file, gzip.open(target, "wb", LEVEL) as packed:
                shutil.copyfileobj(source_file, packed, 1 << 20)
        return Dumped(ENGINE, self.server(), migrations, digests)

    def is_empty(self) -> bool:
        """As Dumper says."""
        return not connection.introspection.table_names()

    def load(self, dump: Path, also: Sequence[str]) -> None:
        """As Dumper says: the file takes its place when all of that is done."""
        with archive.beside(_file(), "fresh") as fresh:
            with gzip.open(dump) as packed, fresh.open("wb") as target:
                shutil.copyfileobj(packed, target, 1 << 20)
                target.flush()
                os.fsync(target.fileno())
            with closing(_opened(fresh)) as database:
                _refuse_damaged(database)
                with database:
                    for statement in also:
                        database.execute(statement)
            connection.close()
            for ending in ("-wal", "-shm"):  # of the empty one
                _file().with_name(_file().name + ending).unlink(missing_ok=True)
            fresh.replace(_file())

    def server(self) -> int:
        """There is none: SQLite reads the files of all its versions."""
        return 0


def _file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("PRAGMA secure_delete = ON")
    return database


def _refuse_damaged(database: sqlite3.Connection) -> None:
    (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise EvidenceError("database_damaged", gettext_noop("SQLite finds the database damaged: %(reason)s"), reason=found)
