"""Dumps: the whole database as one file, as of one moment, and back into an empty one. One module for each engine.

What is left out is nothing that anybody would miss: who is signed in, and failed attempts at it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from evidence.models import Revision, Upload

LEFT_OUT: Final = (
    "django_session",
    "axes_accessattempt",
    "axes_accessattemptexpiration",
    "axes_accessfailurelog",
    "axes_accesslog",
)
"""Tables whose rows are not dumped."""
MIGRATIONS: Final = "SELECT app, name FROM django_migrations ORDER BY id"
NAMED: Final = (
    f"SELECT source_sha256 FROM {Revision._meta.db_table}"
    f" UNION SELECT sha256 FROM {Upload._meta.db_table} WHERE document_id IS NULL"
    f" UNION SELECT content FROM {Upload._meta.db_table} WHERE document_id IS NULL AND content <> ''"
)
"""Digests of all originals that the database names. In SQL, so that a dump can be asked that no model is connected to."""


@dataclass(frozen=True, slots=True)
class Dumped:
    """What was dumped. server: main number of the server's version. digests: originals that are named in it."""

    engine: str
    server: int
    migrations: tuple[tuple[str, str], ...]
    digests: Collection[str]


class Dumper(Protocol):
    """What the module of an engine does. Raises EvidenceError where a program that it needs is missing or fails."""

    def dump(self, target: Path) -> Dumped:
        """Write the database to this file, which is there and empty. Others may go on writing to the database."""

    def is_empty(self) -> bool:
        """Whether the database has no table yet."""

    def load(self, dump: Path, also: Sequence[str]) -> None:
        """Fill an empty database, and carry out these statements; nobody sees one without the other."""

    def server(self) -> int:
        """The main number of the server's version."""
