"""Addresses of pages for people, and ids in the addresses of calls."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from evidence.citations import NOTHING


def id_of(text: str) -> UUID:
    """The id. Text that is none names nothing, and is looked up all the same, so that it costs what other unknown ids cost."""
    try:
        return UUID(text)
    except ValueError:
        return NOTHING


def document(request: HttpRequest, document: UUID, *, representation: UUID | None = None, passage: int | None = None) -> str:
    """The page where the document is read, in this state, with this passage marked."""
    place = {name: str(value) for name, value in (("representation", representation), ("passage", passage)) if value is not None}
    query = f"?{urlencode(place)}" if place else ""
    mark = "" if passage is None else f"#p-{passage}"
    return request.build_absolute_uri(f"{reverse('document', args=[document])}{query}{mark}")


def citation(request: HttpRequest, citation: UUID) -> str:
    """The page of a citation."""
    return request.build_absolute_uri(reverse("citation", args=[citation]))


def receipt(request: HttpRequest, source: str, receipt: UUID) -> str:
    """What to call to see how far a removal is."""
    return request.build_absolute_uri(reverse("api:receipt", args=[source, receipt]))
