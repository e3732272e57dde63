"""The heartbeat of workers: when one was last seen at work, whichever it was. A file that all processes share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings

MISSED_AFTER: Final = timedelta(minutes=2)
"""A worker beats every fifteen seconds; one that is on a machine under load, or is replaced, misses a few."""


def beat() -> None:
    """A worker is at work now."""
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch()


def last() -> datetime | None:
    """When a worker was last seen; None where none ever was."""
    try:
        return datetime.fromtimestamp(_path().stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def is_missed(*, now: datetime) -> bool:
    """Whether no worker was seen lately."""
    seen = last()
    return seen is None or now - seen > MISSED_AFTER


def _path() -> Path:
    return Path(settings.DATA_DIR) / "locks" / "worker"
