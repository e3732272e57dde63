"""A document through time: its kept states and events, its origin, and how two of its texts differ."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evidence import history
from evidence.errors import Unavailable
from evidence.web.forms import CompareForm
from evidence.web.request import Request


@require_safe
def states(request: HttpRequest, document: UUID) -> HttpResponse:
    """`/documents/<id>/history/`: versions, the texts that are kept of them, and events."""
    found = history.history(cast(Request, request).access, document)
    kept = [state for revision in found.revisions for state in revision.states]
    current = next((place for place, state in enumerate(kept) if state.is_current), 0)
    other = kept[current + 1 : current + 2] or kept[:current][-1:]
    context = {"history": found, "card": found.card, "several": len(kept) > 1, "before": other[0] if other else None}
    return render(request, "history/page.html", context)


@require_safe
def provenance(request: HttpRequest, document: UUID) -> HttpResponse:
    """`/documents/<id>/provenance/`: where the document comes from and what its current text is made of."""
    found = history.provenance(cast(Request, request).access, document)
    return render(request, "history/provenance.html", {"provenance": found, "card": found.card, "state": found.origin.state})


@require_safe
def compare(request: HttpRequest, document: UUID) -> HttpResponse:
    """`/documents/<id>/compare/`: two kept states side by side, or in one column."""
    form = CompareForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    asked = form.cleaned_data
    found = history.compared(
        cast(Request, request).access,
        document,
        old=asked["old"],
        new=asked["new"],
        passage=asked["passage"],
        folding=not asked["all"],
    )
    context = {
        "compared": found,
        "card": found.card,
        "passage": asked["passage"],
        "one": asked["view"] == "one",
        "all": asked["all"],
    }
    return render(request, "history/compare.html", context)
