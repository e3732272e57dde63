"""Readiness: whether this process can do its work now, in codes that tell strangers nothing more."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from evidence import heartbeat, projection
from evidence.errors import IndexFault


def faults() -> Sequence[str]:
    """Codes of what does not work now; none where all of it does. Without a database there is nothing else to ask."""
    if not _database_answers():
        return ["database"]
    return [code for code, works in _CHECKS.items() if not works()]


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _is_migrated() -> bool:
    try:
        _refuse_unapplied()
    except (_Unapplied, DatabaseError):
        return False
    return True


class _Unapplied(Exception):
    """Some migrations have not been applied."""


@cache
def _refuse_unapplied() -> None:
    """Reading all migrations takes a while: once they are applied, this process does not look again."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise _Unapplied


def _index_answers() -> bool:
    try:
        projection.engine().representations([])
    except (IndexFault, DatabaseError):
        return False
    return True


def _data_folder_is_writable() -> bool:
    return os.access(settings.DATA_DIR, os.R_OK | os.W_OK | os.X_OK)


def _worker_was_seen() -> bool:
    return not heartbeat.is_missed(now=timezone.now())


_CHECKS: Final[Mapping[str, Callable[[], bool]]] = {
    "migrations": _is_migrated,
    "index": _index_answers,
    "data_folder": _data_folder_is_writable,
    "worker": _worker_was_seen,
}
