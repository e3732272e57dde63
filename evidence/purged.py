"""The journal of what was removed: public ids, one a line, in a file beside the database that is only ever added to.

A backup from before brings back what was removed since. Whoever restores one removes that again, with this journal's help; so it
must not be lost with the database, and may be copied anywhere: it holds ids and nothing else.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from evidence import blobs
from evidence.errors import Refused, gettext_noop

NAME: Final = "purged"
_TORN: Final = re.compile(r"[0-9a-f-]{0,35}")
"""What a full disk or a sudden end leaves of a line."""


def path() -> Path:
    """Where the journal of this data folder is, if there is one."""
    return Path(settings.DATA_DIR) / NAME


def note(*public_ids: UUID) -> None:
    """Add these, on the disk before this returns. Belongs into the transaction that removes them, before its commit.

    If that is undone, the journal says too much: a restored backup then lacks what somebody had wanted to be removed.
    """
    if not public_ids:
        return
    with os.fdopen(os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        size = journal.seek(0, os.SEEK_END)
        journal.seek(max(size - 1, 0))
        torn = journal.read(1) not in {b"", b"\n"}
        journal.write(b"\n" * torn + encoded(public_ids))
        journal.flush()
        os.fsync(journal.fileno())


def read(journal: Path) -> Sequence[UUID]:
    """All ids of a journal, in their order; none where there is no such file. Raises Refused for a file of another kind."""
    try:
        return decoded(journal.read_bytes(), journal)
    except FileNotFoundError:
        return []


def write(public_ids: Sequence[UUID]) -> None:
    """Let these be the journal of this data folder."""
    blobs.write_whole(path(), encoded(public_ids))


def decoded(data: bytes, journal: Path) -> Sequence[UUID]:
    """The ids of a journal that came from this path. Raises Refused."""
    try:
        return [UUID(line) for line in data.decode("ascii").splitlines() if not _TORN.fullmatch(line)]
    except ValueError:
        message = gettext_noop("%(path)s is no journal of removed documents: it has lines that are no ids.")
        raise Refused("purged_unreadable", message, path=journal) from None


def encoded(ids: Sequence[UUID]) -> bytes:
    """A journal of these ids."""
    return "".join(f"{one}\n" for one in ids).encode()


def since(earlier: Sequence[UUID], now: Sequence[UUID]) -> Sequence[UUID]:
    """What `now` has beyond `earlier`; all of it when it does not go on from there.

    What was removed before may have come back before the backup, so it is not to be removed again; when in doubt, it is.
    """
    return now[len(earlier) :] if list(now[: len(earlier)]) == list(earlier) else now
