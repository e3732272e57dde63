"""What was found out of commits, kept for the next run: a commit never changes, so what it changed is worked out once.

A file of its own in the source's cache; it can be deleted at any time. Of commits that the branch no longer holds nothing stays:
a history is rewritten to get rid of something, names included.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from evidence.sources.git.history import Made

FORM: Final = 1
"""Number it anew when what is found out of a commit changes (see renames)."""
_BATCH: Final = 1_000

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS made (oid BLOB PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS listed (oid BLOB NOT NULL);
"""


class Kept:
    """Commits that were read before; what is asked for or written stays. A file that can't be used is removed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._used: set[bytes] = set()
        self._fresh: list[tuple[bytes, str]] = []
        self._connection = _connected(file)
        self._listed = self._last()

    def _last(self) -> bytes | None:
        try:
            row = None if self._connection is None else self._connection.execute("SELECT oid FROM listed").fetchone()
        except sqlite3.DatabaseError:
            self._give_up()
            return None
        return None if row is None else bytes(row[0])

    def get(self, oid: bytes) -> Made | None:
        """What was found out of this commit before."""
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT facts FROM made WHERE oid = ?", (oid,)).fetchone()
            made = None if row is None else _made(row[0])
        except (sqlite3.DatabaseError, ValueError, KeyError, TypeError):
            self._give_up()
            return None
        if made is not None:
            self._used.add(oid)
        return made

    def put(self, oid: bytes, made: Made) -> None:
        """Keep it."""
        self._used.add(oid)
        self._fresh.append((oid, _facts(made)))
        if len(self._fresh) >= _BATCH:
            self._write()

    @property
    def listed(self) -> bytes | None:
        """The commit that was listed last."""
        return self._listed

    def finish(self, listed: bytes) -> None:
        """Write what is new, drop what was not asked for, and remember which commit was listed."""
        self._write()
        if self._connection is None:
            return
        try:
            known = {oid for (oid,) in self._connection.execute("SELECT oid FROM made")}
            self._connection.executemany("DELETE FROM made WHERE oid = ?", [(oid,) for oid in known - self._used])
            self._connection.execute("DELETE FROM listed")
            self._connection.execute("INSERT INTO listed VALUES (?)", (listed,))
            self._connection.commit()
        except sqlite3.DatabaseError:
            self._give_up()

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()

    def _write(self) -> None:
        if self._connection is not None:
            try:
                self._connection.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", self._fresh)
                self._connection.commit()
            except sqlite3.DatabaseError:
                self._give_up()
        self._fresh.clear()

    def _give_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._file.unlink(missing_ok=True)


@contextmanager
def kept_in(folder: Path) -> Iterator[Kept]:
    """What is kept in this folder. Forms of earlier times are removed."""
    file = folder / f"commits-{FORM}.sqlite3"
    for old in folder.glob("commits-*.sqlite3"):
        if old != file:
            old.unlink(missing_ok=True)
    with closing(Kept(file)) as kept:
        yield kept


def _connected(file: Path) -> sqlite3.Connection | None:
    """The file, ready for use; None where there can be none."""
    with suppress(OSError, sqlite3.DatabaseError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for _ in range(2):
            connection = sqlite3.connect(file)
            try:
                connection.execute("PRAGMA secure_delete = ON")
                connection.executescript(_SCHEMA)
                return connection
            except sqlite3.DatabaseError:
                connection.close()
                file.unlink(missing_ok=True)
    return None


def _facts(made: Made) -> str:
    return json.dumps(
        {
            "parents": [parent.hex() for parent in made.parents],
            "when": made.when,
            "changed": [[_text(path), None if new is None else new.hex()] for path, new in made.changed.items()],
            "moved": [[_text(new), _text(old)] for new, old in made.moved.items()],
        },
        separators=(",", ":"),
    )


def _made(facts: str) -> Made:
    said = json.loads(facts)
    return Made(
        tuple(bytes.fromhex(parent) for parent in said["parents"]),
        int(said["when"]),
        {_path(path): None if new is None else bytes.fromhex(new) for path, new in said["changed"]},
        {_path(new): _path(old) for new, old in said["moved"]},
    )


def _text(path: bytes) -> str:
    """A path is bytes of any kind; each is one character here."""
    return path.decode("latin-1")


def _path(text: str) -> bytes:
    return text.encode("latin-1")
