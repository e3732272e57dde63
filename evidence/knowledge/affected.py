"""Affected entries: those that count and cite something that does not hold any more, for those who may mend them."""

from __future__ import annotations

from typing import Final

from django.db.models import Exists, F, OuterRef

from evidence import identity
from evidence.access import Access
from evidence.anchoring import State
from evidence.errors import Unavailable
from evidence.knowledge import entries
from evidence.knowledge.entries import Page
from evidence.models import Entry, EntryRevision

MOST: Final = 200
"""Entries that are looked at at once. Each is checked word for word; who has more mends these first."""


def entries_of(access: Access, *, space: str | None = None) -> Page:
    """Entries with at least one citation that no longer holds, as far as this person may read them.

    A citation of the document's current state holds; only the others are checked. total: of those that were not looked at too.
    Raises Unavailable for people who may neither propose nor review.
    """
    if not (identity.may_propose(access) or identity.may_review(access)):
        raise Unavailable
    moved = EntryRevision.citations.through.objects.filter(
        entryrevision__entry=OuterRef("pk"), entryrevision__number=OuterRef("number")
    ).exclude(citation__representation=F("citation__document__current__public_id"))
    rows = entries.readable(access).filter(Exists(moved), state=Entry.State.ACCEPTED).order_by("kind", "title", "id")
    if space is not None:
        rows = rows.filter(space__slug=space)
    found = [one for one in entries.of_rows(access, rows[:MOST]) if _lost(one)]
    return Page(found, max(rows.count() - MOST, 0) + len(found))


def _lost(read: entries.Read) -> bool:
    return any(one.resolution.state is not State.RESOLVED for one in read.cited)
