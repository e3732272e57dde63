"""Locks that end with the transaction that took them: what must not happen side by side where a database lets several write.

SQLite lets one transaction write at a time, and every one begins as that one (IMMEDIATE): there is nothing to lock. PostgreSQL
lets them go on side by side, and what one has written is seen by others only once it is committed: then a question like "does
anything still name these bytes?" needs a lock first, and must be asked after it.

Rows are locked as rows (`select_for_update`, which SQLite leaves out); this is for what no row stands for.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from django.db import connection
from django.db.transaction import TransactionManagementError

NAMESPACE: Final = 0x46554E44
"""Tells these locks from those of other programs that use the same database ("FUND")."""


class Lock(IntEnum):
    """What is locked. The number is what all processes agree on."""

    ORIGINALS = 1


def share(lock: Lock) -> None:
    """Until the transaction ends, nobody owns this lock; whoever owns it now is waited for."""
    _take("pg_advisory_xact_lock_shared", lock)


def own(lock: Lock) -> None:
    """Until the transaction ends, nobody else shares or owns this lock; those who do now are waited for.

    Never in a transaction that shares it already: two of them would wait for each other.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("A lock is owned by a transaction.")
    _take("pg_advisory_xact_lock", lock)


def _take(function: str, lock: Lock) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}(%s, %s)", [NAMESPACE, lock])
