"""Access: who asks, and what that person may read right now. Built only by identity.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Withheld:
    """A source that is announced to this person and closed at the moment, because its rights are too old or unknown."""

    source: str
    title: str
    contact: str


@dataclass(frozen=True, slots=True)
class Access:
    """One person's view of one tenant at one moment.

    classes: ids of the access classes that this person may read. Empty for someone who may read nothing. groups: ids of the
    groups that the person is in and that count.
    """

    user: int | None
    tenant: int | None
    role: str
    classes: frozenset[int]
    withheld: tuple[Withheld, ...] = ()
    groups: frozenset[int] = frozenset()
