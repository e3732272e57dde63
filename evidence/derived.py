"""What was made of originals and can be made again: files beside each original's digest, limited in size, gone with it.

A file here never says that anybody may see it; whoever reads one has checked that.
"""

from __future__ import annotations

import fcntl
import logging
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Final

from django.conf import settings

from evidence import blobs
from evidence.models import Revision

MAX_BYTES: Final = 500_000_000
"""All files together: some three thousand pages, each in the two sizes that are looked at most. The oldest go first."""
LOOK_EVERY: Final = 20
"""Files that one process writes between two looks at the size of all; a look at five thousand files takes 50 ms."""

logger = logging.getLogger(__name__)
_written = count()


def read(revision: Revision, name: str, *, younger_than: timedelta | None = None) -> bytes | None:
    """The file of this name; None when it was never made, is gone again, or is too old."""
    path = _path(revision, name)
    try:
        if younger_than is not None and time.time() - path.stat().st_mtime > younger_than.total_seconds():
            return None
        return path.read_bytes()
    except FileNotFoundError:
        return None


def put(revision: Revision, name: str, data: bytes) -> None:
    """Keep a file, unless the original has been removed meanwhile: then nothing made of it may stay.

    A disk that takes no more is logged and hinders nobody: what was made can be given out.
    """
    with _holding(fcntl.LOCK_SH):
        if Revision.objects.filter(pk=revision.pk).exists():
            path = _path(revision, name)
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                blobs.write_whole(path, data)
            except OSError as error:
                logger.warning("pages: %s can't be kept: %s", name, error.strerror)
    if next(_written) % LOOK_EVERY == 0:
        _shrink()


def keep_only(digests: Collection[str]) -> None:
    """Remove everything that was made of other originals than these, and parts that killed writers left."""
    with _holding(fcntl.LOCK_EX):
        for folder in _folder().glob("*"):
            for path in folder.iterdir():
                if folder.name not in digests or path.name.startswith(blobs.PART):
                    path.unlink(missing_ok=True)
            if folder.name not in digests:
                folder.rmdir()


def kept_of(digest: str) -> int:
    """How many files were made of this original and are kept."""
    return sum(1 for path in (_folder() / digest).glob("*") if path.is_file())


def _shrink() -> None:
    """Remove the oldest files until what is left is within the limit."""
    with _holding(fcntl.LOCK_EX):
        kept = [(path, path.stat()) for path in _folder().glob("*/*")]
        total = sum(found.st_size for _, found in kept)
        for path, found in sorted(kept, key=lambda one: one[1].st_mtime):
            if total <= MAX_BYTES:
                break
            path.unlink()
            total -= found.st_size


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "pages"


def _path(revision: Revision, name: str) -> Path:
    return _folder() / revision.source_sha256 / name


@contextmanager
def _holding(kind: int) -> Iterator[None]:
    """Writers go on beside one another, and nobody writes while files are removed."""
    locks = Path(settings.DATA_DIR) / "locks"
    locks.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (locks / "derived").open("w") as handle:
        fcntl.flock(handle, kind)
        yield
