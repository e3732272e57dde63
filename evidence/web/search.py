"""The search page: a question in, passages word for word out; whole, or the parts of it that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from evidence import search
from evidence.errors import Refused
from evidence.presentation import namesakes
from evidence.search import Choice, Results
from evidence.web.errors import words
from evidence.web.forms import SearchForm
from evidence.web.request import Request, wants_fragment

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

MORE: Final = "more"
"""Id of the element that further results take the place of."""
_HEADINGS: Final[Mapping[str, StrPromise]] = {
    "source": _("Source"),
    "kind": _("Kind"),
    "language": _("Language"),
    "status": _("Status"),
}


@dataclass(frozen=True, slots=True)
class Option:
    """A value to filter by, and the address that takes it in or leaves it out."""

    choice: Choice
    url: str


@dataclass(frozen=True, slots=True)
class Filter:
    """The values of one attribute."""

    name: str
    heading: StrPromise
    options: Sequence[Option]


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """`/`: the field, and what was found."""
    request = cast(Request, request)
    form = SearchForm(request.GET)
    form.is_valid()
    asked = form.cleaned_data
    try:
        results = search.search(
            request.access, asked["q"], filters=form.filters(), versions=form.versions(), offset=asked["offset"]
        )
    except Refused as error:
        context = {"question": asked["q"], "earlier": asked["earlier"], "refused": words(error)}
        return render(request, _template(request), context, status=HTTPStatus.BAD_REQUEST)
    context = _context(request, asked["q"], results) | {"earlier": asked["earlier"]}
    return render(request, _template(request), context)


def _template(request: Request) -> str:
    if not wants_fragment(request):
        return "search/page.html"
    return "search/_more.html" if request.htmx.target == MORE else "search/_results.html"


def _context(request: Request, question: str, results: Results) -> dict[str, object]:
    next_offset = results.offset + search.DEFAULT_LIMIT
    has_more = next_offset < results.total and next_offset <= search.MAX_OFFSET
    return {
        "question": question,
        "results": results,
        "namesakes": namesakes(hit.document for hit in results.hits),
        "filters": _filters(request.GET, results),
        "narrowed": sum(choice.chosen for choices in results.choices.values() for choice in choices),
        "without_filters": _address(request.GET, dict.fromkeys(_HEADINGS, ())),
        "first": results.offset + 1,
        "last": min(next_offset, results.total),
        "more": _address(request.GET, {"offset": [str(next_offset)]}) if has_more else "",
        "start": _address(request.GET, {}) if results.offset else "",
        "countless": search.MAX_OFFSET if results.total > search.MAX_OFFSET else None,
    }


def _filters(sent: QueryDict, results: Results) -> Sequence[Filter]:
    """Attributes that part these results: with two values or more, or with one that is chosen."""
    return [
        Filter(name, heading, [Option(choice, _toggled(sent, name, choice)) for choice in choices])
        for name, heading in _HEADINGS.items()
        if len(choices := results.choices.get(name, ())) > 1 or any(choice.chosen for choice in choices)
    ]


def _toggled(sent: QueryDict, name: str, choice: Choice) -> str:
    others = [value for value in sent.getlist(name) if value != choice.value]
    return _address(sent, {name: others if choice.chosen else [*others, choice.value]})


def _address(sent: QueryDict, changes: Mapping[str, Sequence[str]]) -> str:
    """This search with other values; from its beginning unless the changes say where."""
    query = sent.copy()
    for name, values in {"offset": (), **changes}.items():
        query.setlist(name, list(values))
    return f"?{query.urlencode()}"
