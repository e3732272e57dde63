"""The file of a backup: a tar archive with the database, every original, and what proves that it is whole.

Its members, in this order: what it is (JSON), the database as its engine gives it away, the journal of what was removed before,
each original under its SHA-256, and at the end the sums of all that (JSON). Without its end it is not whole.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from evidence.errors import Refused, gettext_noop

FORMAT: Final = 1
MANIFEST: Final = "fundstelle.json"
DATABASE: Final = "database"
JOURNAL: Final = "purged"
ORIGINALS: Final = "originals/"
SUMS: Final = "sums.json"
CHUNK: Final = 1 << 20
UNFINISHED: Final = "restoring"
"""File in the data folder while a restore is not finished. It names the backup."""
MAX_MANIFEST: Final = 10_000_000
"""Bytes of what says what the file is: some thousand migrations take a tenth of a megabyte."""

Progress = Callable[[int], object]
"""Called with the number of bytes that were read or written since the last call."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup is. created_at: ISO 8601. engine, server: of the database, and the main number of its server's version.

    migrations: app and name of each that was applied.
    """

    created_at: str
    engine: str
    server: int
    migrations: tuple[tuple[str, str], ...]
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Verified:
    """A backup that is whole. name: of exactly these contents. missing: SHA-256 of originals that could not be read for it."""

    name: str
    originals: int
    missing: tuple[str, ...]


class Writer:
    """Adds members to a file that is not there under its name before all of it is."""

    def __init__(self, file: IO[bytes], progress: Progress) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 (closed by `finish`)
        self._sums: dict[str, str] = {}
        self._missing: list[str] = []
        self._progress = progress

    def add(self, name: str, data: bytes) -> None:
        """A member of these bytes."""
        self._add(name, len(data), io.BytesIO(data))

    def add_file(self, name: str, path: Path) -> None:
        """A member with the bytes of a file."""
        with path.open("rb") as source:
            self._add(name, path.stat().st_size, source)

    def lack(self, digest: str) -> None:
        """Note that this original is not there."""
        self._missing.append(digest)

    def finish(self) -> None:
        """Add the sums, and end the archive."""
        self.add(SUMS, json.dumps({"sums": self._sums, "missing": self._missing}, indent=0).encode())
        self._tar.close()

    def _add(self, name: str, size: int, source: IO[bytes]) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        hashed = _Hashed(source, self._progress)
        self._tar.addfile(member, hashed)
        self._sums[name] = hashed.digest()


@contextmanager
def written(path: Path, progress: Progress) -> Iterator[Writer]:
    """A new file at this path, for its owner alone, all of it or nothing. Raises Refused for one that is there already."""
    with beside(path, "part") as part:
        with part.open("wb") as file:
            writer = Writer(file, progress)
            yield writer
            writer.finish()
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(part)
        except FileExistsError:
            refuse_existing(path)
        except OSError:  # a file system without links
            refuse_existing(path)
            part.rename(path)


@contextmanager
def beside(path: Path, ending: str) -> Iterator[Path]:
    """An empty file for its owner alone beside this path, gone afterwards; one that a killed process left is taken away."""
    part = path.with_name(f".{path.name}.{ending}")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield part
    finally:
        for of_sqlite in ("", "-journal", "-wal", "-shm"):
            part.with_name(part.name + of_sqlite).unlink(missing_ok=True)


def refuse_existing(path: Path) -> None:
    """Raises Refused for a file that is there, or a folder that is not."""
    if path.exists():
        raise Refused("backup_exists", gettext_noop("%(path)s is there already. Nothing was overwritten."), path=path)
    if not path.parent.is_dir():
        raise Refused("backup_no_folder", gettext_noop("There is no folder %(path)s."), path=path.parent)


def manifest(path: Path) -> Manifest:
    """What this backup is, before all of it is read. Raises Refused for a file that is none, or of a format that is not known."""
    with _opened(path) as tar:
        member = tar.next()
        if member is None or member.name != MANIFEST or not member.isreg() or member.size > MAX_MANIFEST:
            raise damaged(path)
        return _manifest(path, _bytes(tar, member))


def verify(path: Path, progress: Progress) -> Verified:
    """Read all of it and compare every sum. Raises Refused."""
    with _opened(path) as tar:
        sums: dict[str, str] = {}
        stated: Mapping[str, Any] | None = None
        for member in tar:
            if stated is not None or member.name in sums or not member.isreg():
                raise damaged(path)
            if member.name == SUMS:
                stated = _object(path, _bytes(tar, member))
            else:
                sums[member.name] = _digest(tar, member, progress)
    digests = {name: name.removeprefix(ORIGINALS) for name in sums if name.startswith(ORIGINALS)}
    if stated is None or sums != stated.get("sums") or any(sums[name] != digest for name, digest in digests.items()):
        raise damaged(path)
    if sums.keys() - digests.keys() != {MANIFEST, DATABASE, JOURNAL}:
        raise damaged(path)
    name = hashlib.sha256(json.dumps(sorted(sums.items())).encode()).hexdigest()
    return Verified(name, len(digests), tuple(stated.get("missing", ())))


def members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and bytes of each member, in order; each is read before the next is asked for. Raises Refused."""
    with _opened(path) as tar:
        for member in tar:
            source = tar.extractfile(member)
            if source is not None:
                yield member.name, source


def damaged(path: Path) -> Refused:
    """The file is not what was written."""
    return Refused("backup_damaged", gettext_noop("%(path)s is damaged, or not a whole backup. Nothing was changed."), path=path)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, mode="r:") as tar:
            yield tar
    except FileNotFoundError:
        raise Refused("backup_missing", gettext_noop("There is no file %(path)s."), path=path) from None
    except tarfile.TarError:
        raise damaged(path) from None
    except OSError as error:
        message = gettext_noop("%(path)s can't be read (%(reason)s).")
        raise Refused("backup_unreadable", message, path=path, reason=error.strerror or type(error).__name__) from None


def _manifest(path: Path, data: bytes) -> Manifest:
    value = _object(path, data)
    if type(value.get("format")) is int and value["format"] > FORMAT:
        message = gettext_noop("%(path)s was written by a newer version of Fundstelle. Restore it with that one.")
        raise Refused("backup_newer", message, path=path)
    try:
        pairs: Sequence[Sequence[str]] = value.pop("migrations")
        return Manifest(**value, migrations=tuple((app, name) for app, name in pairs))
    except (KeyError, TypeError, ValueError):
        raise damaged(path) from None


def encoded(value: Manifest) -> bytes:
    """A manifest as it stands in the file."""
    return json.dumps(asdict(value), indent=1).encode()


def _object(path: Path, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        raise damaged(path) from None
    if not isinstance(value, dict):
        raise damaged(path)
    return value


def _bytes(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    source = tar.extractfile(member)
    return b"" if source is None else source.read()


def _digest(tar: tarfile.TarFile, member: tarfile.TarInfo, progress: Progress) -> str:
    source = tar.extractfile(member)
    hashed = _Hashed(source or io.BytesIO(), progress)
    while hashed.read(CHUNK):
        pass
    return hashed.digest()


class _Hashed:
    """Bytes that are hashed while they are read."""

    def __init__(self, source: IO[bytes], progress: Progress) -> None:
        self._source, self._progress = source, progress
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """As a file does."""
        data = self._source.read(size)
        self._hash.update(data)
        self._progress(len(data))
        return data

    def digest(self) -> str:
        """SHA-256 of what was read so far, lower case hex."""
        return self._hash.hexdigest()
