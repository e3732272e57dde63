"""Backups: everything that can't be made again, in one file, as of one moment, while others go on working.

That is the database and the originals that it names. The index, pictures of pages and copies of origins are made again; who is
signed in must sign in again. What a backup holds is read by whoever has the file: it is for its owner alone, and not encrypted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.utils import timezone

from evidence import archive, blobs, purged
from evidence.archive import Manifest, Progress, Writer
from evidence.dumps import Dumper
from evidence.dumps.postgresql import Postgresql
from evidence.dumps.sqlite import Sqlite
from evidence.errors import EvidenceError, Refused, gettext_noop

DUMPERS: Final[Mapping[str, type[Dumper]]] = {"sqlite": Sqlite, "postgresql": Postgresql}
"""Engine of the database, as Django calls it -> what dumps it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A backup that was made, and read back. size: bytes. missing: SHA-256 of originals that could not be read."""

    size: int
    originals: int
    missing: tuple[str, ...]


def dumper() -> Dumper:
    """What dumps the database that is in use."""
    return DUMPERS[connection.vendor]()


def write(path: Path, progress: Progress = lambda size: None) -> Written:
    """Make a backup at this path. Raises EvidenceError, leaving nothing there. Others go on writing meanwhile.

    No original is removed before it is done. One that can't be read is left out and named: the others are worth having.
    """
    path = path.absolute()
    _refuse_inside(path)
    archive.refuse_existing(path)
    with blobs.unremoved(), archive.beside(path, "database") as dump:
        journal = purged.read(purged.path())  # before the database: what is removed in between is in it, or comes after
        dumped = dumper().dump(dump)
        about = Manifest(timezone.now().isoformat(), dumped.engine, dumped.server, dumped.migrations)
        with archive.written(path, progress) as file:
            file.add(archive.MANIFEST, archive.encoded(about))
            file.add_file(archive.DATABASE, dump)
            file.add(archive.JOURNAL, purged.encoded(journal))
            for digest in sorted(dumped.digests):
                _add_original(file, digest)
    try:
        found = archive.verify(path, progress)
    except EvidenceError:
        path.unlink(missing_ok=True)
        raise
    return Written(path.stat().st_size, found.originals, found.missing)


def _add_original(file: Writer, digest: str) -> None:
    try:
        data = blobs.read(digest)
    except (EvidenceError, OSError):
        file.lack(digest)
    else:
        file.add(archive.ORIGINALS + digest, data)


def _refuse_inside(path: Path) -> None:
    """In the data folder, what is removed would be found in it, and lost with it would be what it is to replace."""
    folder = Path(settings.DATA_DIR).resolve()
    if path.resolve().is_relative_to(folder):
        message = gettext_noop("A backup belongs outside of the data folder %(folder)s.")
        raise Refused("backup_inside", message, folder=folder)
