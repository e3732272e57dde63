"""Spaces of knowledge that a person may read: all, one by its short name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from evidence.access import Access
from evidence.errors import Unavailable
from evidence.knowledge import entries
from evidence.models import Entry, Space


@dataclass(frozen=True, slots=True)
class Listed:
    """A space and how much in it this person may read that counts now."""

    space: Space
    concepts: int
    claims: int
    decisions: int


def readable(access: Access) -> Sequence[Listed]:
    """All that this person may read, by title, in one query."""
    rows = Space.objects.readable(access).annotate(
        concepts=_count(access, Entry.Kind.CONCEPT),
        claims=_count(access, Entry.Kind.CLAIM),
        decisions=_count(access, Entry.Kind.DECISION),
    )
    return [Listed(row, row.concepts, row.claims, row.decisions) for row in rows]  # type: ignore[attr-defined]


def get(access: Access, slug: str) -> Space:
    """The space of this short name. Raises Unavailable."""
    found = Space.objects.readable(access).filter(slug=slug).first()
    if found is None:
        raise Unavailable
    return found


def _count(access: Access, kind: Entry.Kind) -> Coalesce:
    rows = entries.readable(access).filter(space=OuterRef("pk"), kind=kind, state=Entry.State.ACCEPTED)
    return Coalesce(Subquery(rows.order_by().values("space").annotate(count=Count("pk")).values("count")), 0)
