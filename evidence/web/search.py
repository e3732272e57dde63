"""The search page: a question in, passages word for word out; whole, or the parts of it that changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import quote_plus

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from evidence import search
from evidence.errors import Refused
from evidence.index.questions import MAX_WITHOUT, Off
from evidence.knowledge import disputes, entries
from evidence.presentation import namesakes
from evidence.search import Choice, Mode, Results
from evidence.viewer import Asked
from evidence.web import answering, interpretation
from evidence.web.errors import words
from evidence.web.forms import SearchForm
from evidence.web.reports import kept_days
from evidence.web.request import Request, wants_fragment

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

MORE: Final = "more"
"""Id of the element that further results take the place of."""
_TOO_LONG: Final = frozenset({"query_too_long", "query_too_many_words"})
_HEADINGS: Final[Mapping[str, StrPromise]] = {
    "source": _("Source"),
    "kind": _("Kind"),
    "language": _("Language"),
    "status": _("Status given by the source"),  # whatever its dates: each hit says whether it holds today
}


_OPEN: Final[Mapping[str, Sequence[str]]] = {"without": (), "words": ["1"]}
"""Nothing is off, and what was made of the words stays open."""


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
    sent = form.cleaned_data
    shown = {"question": sent["q"], "earlier": sent["earlier"], "mode": _mode(sent["mode"])}
    try:
        asked = form.asked()
        results = search.search(
            request.access,
            asked.text,
            mode=asked.mode,
            without=asked.without,
            filters=form.filters(),
            versions=form.versions(),
            offset=sent["offset"],
        )
    except Refused as error:
        context = shown | {"refused": words(error), "instead": _instead(request.GET, shown["mode"], error)}
        return render(request, _template(request), context, status=HTTPStatus.BAD_REQUEST)
    context = _context(request, asked, results) | {"open": sent["words"]}
    context["writing"] = answering.offer(request.access, results, earlier=sent["earlier"])
    return render(request, _template(request), shown | context)


def _template(request: Request) -> str:
    if not wants_fragment(request):
        return "search/page.html"
    return "search/_more.html" if request.htmx.target == MORE else "search/_results.html"


def _mode(sent: str) -> Mode:
    """The one that is shown as chosen."""
    return Mode.WIDER if sent == Mode.WIDER else Mode.EXACT


def _instead(sent: QueryDict, mode: object, error: Refused) -> str:
    """The address of the same question in the wider mode where it is only too long for the exact one."""
    is_longer = error.code in _TOO_LONG and mode is Mode.EXACT
    return _address(sent, {"mode": [Mode.WIDER]}) if is_longer else ""


def _context(request: Request, asked: Asked, results: Results) -> dict[str, object]:
    next_offset = results.offset + search.DEFAULT_LIMIT
    has_more = next_offset < results.total and next_offset <= search.MAX_OFFSET
    is_wider = asked.mode is Mode.WIDER
    return {
        "results": results,
        "wordless": not (results.terms if is_wider else results.query.phrases),
        "carried": interpretation.carried(asked),
        "rows": (rows := interpretation.rows(results, asked.without, partial(_switched, _address(request.GET, _OPEN)))),
        "ignored": [row.written for row in rows if row.ignored],
        "typed": (typed := interpretation.typed(results)),
        "lacking": [typed[word] for word in results.lacking],
        "nowhere": [row.written for row in rows if not row.ignored and not row.passages and not row.used],
        "off": any(row.off for row in rows),
        "all_on": _address(request.GET, _OPEN),
        "without": sorted(set(request.GET.getlist("without")))[:MAX_WITHOUT],
        "concepts": [] if results.offset else SimpleLazyObject(partial(entries.by_term, request.access, asked.text)),
        "kept_days": kept_days(),
        "wider": "" if is_wider else _address(request.GET, {"mode": [Mode.WIDER]}),
        "namesakes": namesakes(hit.document for hit in results.hits),
        "disputes": disputes.of_hits(request.access, results.hits),
        "filters": _filters(request.GET, results),
        "narrowed": sum(choice.chosen for choices in results.choices.values() for choice in choices),
        "without_filters": _address(request.GET, dict.fromkeys(_HEADINGS, ())),
        "first": results.offset + 1,
        "last": min(next_offset, results.total),
        "more": _address(request.GET, {"offset": [str(next_offset)]}) if has_more else "",
        "start": _address(request.GET, {}) if results.offset else "",
        "countless": search.MAX_OFFSET if results.total > search.MAX_OFFSET else None,
    }


def _switched(address: str, without: Collection[Off]) -> str:
    """This address, which says nothing of what is off, with these off: a page has up to some thousand of them."""
    return "&".join([address, *(f"without={quote_plus(off)}" for off in sorted(map(str, without)))])


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
