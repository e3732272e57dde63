"""Disputes of what a page shows: of a hit, of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django import template

from evidence.citations import Place
from evidence.knowledge.disputes import Dispute, place_of
from evidence.search import Found

register = template.Library()


@register.filter
def of_hit(disputes: Mapping[Place, Sequence[Dispute]] | str, hit: Found) -> Sequence[Dispute]:
    """Those of a found passage; none where the page was told of none."""
    return disputes.get(place_of(hit), ()) if isinstance(disputes, Mapping) else ()


@register.filter
def of_document(disputes: Mapping[UUID, Sequence[Dispute]] | str, document: UUID) -> Sequence[Dispute]:
    """Those of a document."""
    return disputes.get(document, ()) if isinstance(disputes, Mapping) else ()
