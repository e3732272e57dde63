"""Exact bytes, kept by their digest in a folder. Written once, read back whole, deleted when nothing names them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Final

from django.conf import settings

from evidence.errors import EvidenceError, gettext_noop

PART: Final = ".part-"
"""How the names of files begin that are still being written."""


def put(data: bytes) -> str:
    """Keep these bytes; gives their SHA-256 (lower case hex). Keeping them twice changes nothing."""
    digest = hashlib.sha256(data).hexdigest()
    target = _path(digest)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(target, data)
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


def remove(digest: str) -> None:
    """Remove these bytes, if they are there. Nobody may be keeping the same ones meanwhile."""
    _path(digest).unlink(missing_ok=True)


def exists(digest: str) -> bool:
    """Whether there are bytes under this digest."""
    return _path(digest).exists()


def digest_of(path: Path) -> str | None:
    """The digest that this path belongs to; None for any file that is none of these."""
    return path.name if path == _path(path.name) else None


def keep_only(digests: Collection[str]) -> None:
    """Remove all bytes but those with these digests, and parts that killed writers left. Nobody may be writing meanwhile."""
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


def _path(digest: str) -> Path:
    return Path(settings.BLOB_DIR) / digest[:2] / digest
