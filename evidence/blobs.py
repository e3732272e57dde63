"""Exact bytes, kept by their digest in a folder. Written once, read back whole, deleted when nothing names them.

They are put in the transaction that names them, so that whoever removes what nothing names can wait for it (`alone`).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import transaction

from evidence import locks
from evidence.errors import EvidenceError, gettext_noop

PART: Final = ".part-"
"""How the names of files begin that are still being written."""
MAX_WAIT: Final = 60.0
"""Seconds that a backup waits for those who remove something; a wiping of a large database takes less with originals."""


def put(data: bytes) -> str:
    """Keep these bytes; gives their SHA-256 (lower case hex). Keeping them twice changes nothing.

    Belongs into the transaction of the row that names them: what no row names is removed at any time. Raises EvidenceError when
    the disk takes no more.
    """
    locks.share(locks.Lock.ORIGINALS)
    digest = hashlib.sha256(data).hexdigest()
    target = _path(digest)
    if not target.exists():
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(target, data)
        except OSError as error:
            message = gettext_noop("The data folder can't be written (%(reason)s).")
            raise EvidenceError("data_unwritable", message, reason=error.strerror) from error
    return digest


def read(digest: str) -> bytes:
    """The bytes with this digest, compared with it. Raises EvidenceError when they are missing or differ."""
    try:
        data = _path(digest).read_bytes()
    except FileNotFoundError:
        raise EvidenceError("blob_missing", gettext_noop("The stored original %(digest)s is missing."), digest=digest) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise EvidenceError("blob_damaged", gettext_noop("The stored original %(digest)s is damaged."), digest=digest)
    return data


@contextmanager
def alone() -> Iterator[None]:
    """A transaction in which nobody puts anything, for looking what is still named and removing the rest.

    Raises EvidenceError (`originals_in_use`) while a backup reads them.
    """
    with transaction.atomic(), _holding(fcntl.LOCK_SH, wait=0.0):
        locks.own(locks.Lock.ORIGINALS)
        yield


@contextmanager
def unremoved() -> Iterator[None]:
    """Nothing is removed meanwhile. Raises EvidenceError (`originals_in_use`) when others take too long."""
    with _holding(fcntl.LOCK_EX, wait=MAX_WAIT):
        yield


def remove(digest: str) -> None:
    """Remove these bytes, if they are there. Only `alone`."""
    _path(digest).unlink(missing_ok=True)


def exists(digest: str) -> bool:
    """Whether there are bytes under this digest."""
    return _path(digest).exists()


def digest_of(path: Path) -> str | None:
    """The digest that this path belongs to; None for any file that is none of these."""
    return path.name if path == _path(path.name) else None


def keep_only(digests: Collection[str]) -> None:
    """Remove all bytes but those with these digests, and parts that killed writers left. Only `alone`."""
    for path in Path(settings.BLOB_DIR).glob("*/*"):
        if path.name not in digests:
            path.unlink(missing_ok=True)


def write_whole(target: Path, data: bytes) -> None:
    """Write beside the target and rename: whoever is killed leaves either nothing or the whole file under its name."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=PART)
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def _holding(kind: int, *, wait: float) -> Iterator[None]:
    """Those who remove go on beside one another (see `locks`), and beside no backup. wait: seconds, at most."""
    folder = Path(settings.DATA_DIR) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    until = time.monotonic() + wait
    with (folder / "originals").open("w") as handle:
        while not _locked(handle.fileno(), kind):
            if time.monotonic() >= until:
                message = gettext_noop("A backup is being made at this moment, or originals are being removed.")
                raise EvidenceError("originals_in_use", message)
            time.sleep(0.05)
        yield


def _locked(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _path(digest: str) -> Path:
    return Path(settings.BLOB_DIR) / digest[:2] / digest
