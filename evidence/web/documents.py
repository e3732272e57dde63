"""Documents: the list by title, reading one with a place marked in it, and what stands around a passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evidence import documents, identity, viewer
from evidence.citations import Place
from evidence.errors import Refused, Unavailable
from evidence.knowledge import disputes, translations
from evidence.knowledge.entries import Read
from evidence.presentation import namesakes
from evidence.viewer import Heading, Reading
from evidence.web.errors import words
from evidence.web.forms import PlaceForm, TitleForm
from evidence.web.interpretation import carried
from evidence.web.pages import leaf
from evidence.web.request import Request, wants_fragment


@require_safe
def titles(request: HttpRequest) -> HttpResponse:
    """`/documents/`: what the person may read, by title."""
    request = cast(Request, request)
    form = TitleForm(request.GET)
    form.is_valid()
    title, offset = form.cleaned_data["title"], form.cleaned_data.get("offset") or 0
    template = "documents/_titles.html" if wants_fragment(request) else "documents/page.html"
    try:
        found = documents.by_title(request.access, title, offset=offset)
    except Refused as error:
        return render(request, template, {"title": title, "refused": words(error)}, status=400)
    context = {
        "title": title,
        "titles": found,
        "namesakes": namesakes(found.cards),
        "disputes": disputes.of_documents(request.access, {card.id for card in found.cards}),
        "first": offset + 1,
        "last": offset + len(found.cards),
        "earlier": max(offset - documents.PAGE, 0) if offset else None,
        "later": offset + documents.PAGE if offset + documents.PAGE < found.total else None,
    }
    return render(request, template, context)


@require_safe
def reading(request: HttpRequest, document: UUID) -> HttpResponse:
    """`/documents/<id>/`: the whole text in one state. An address that is no address names nothing that could be read."""
    request = cast(Request, request)
    form = PlaceForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    place = form.cleaned_data
    found = viewer.read(
        request.access, document, representation=place["representation"], passage=place["passage"], asked=form.led_here()
    )
    context = {
        "reading": found,
        "leaf": leaf(document, found.representation, found.panel),
        "question": place["q"],
        "carried": carried(form.led_here()),
        "here": heading_above(found),
        "disputes": disputes.of_documents(request.access, {document}),
        "translations": _translations(request, found),
        "may_propose": identity.may_propose(request.access),
        "link": request.build_absolute_uri(_address(found)),
    }
    return render(request, "reading/page.html", context)


@require_safe
def neighbours(request: HttpRequest, document: UUID, representation: UUID, number: int) -> HttpResponse:
    """What stands before and after a passage: inside a result, or as a page."""
    request = cast(Request, request)
    around = documents.neighbours(request.access, document, representation, number)
    context = {
        "document": document,
        "representation": representation,
        "number": number,
        "before": [passage for passage in around if passage.number < number],
        "after": [passage for passage in around if passage.number > number],
    }
    template = "neighbours/_around.html" if wants_fragment(request) else "neighbours/page.html"
    return render(request, template, context)


def _translations(request: Request, found: Reading) -> Sequence[Read]:
    """Of the marked passage; none where nothing is marked."""
    if found.marked is None:
        return ()
    place = Place(found.card.id, found.representation, found.marked.start, found.marked.end)
    return translations.of_place(request.access, place)


def heading_above(found: Reading) -> int | None:
    """Number of the heading that the marked passage stands under (or is)."""
    if found.marked is None:
        return None
    return _last_until(found.outline, found.marked.passage)


def _last_until(outline: Sequence[Heading], number: int) -> int | None:
    return max((heading.number for heading in outline if heading.number <= number), default=None)


def _address(found: Reading) -> str:
    """The address of this state, and of the marked place in it: ids and numbers, never words."""
    place = {"representation": str(found.representation)}
    mark = ""
    if found.marked:
        place["passage"] = str(found.marked.passage)
        mark = f"#p-{found.marked.passage}"
    return f"{reverse('document', args=[found.card.id])}?{urlencode(place)}{mark}"
