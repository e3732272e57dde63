"""Written answers: the button beside a wider search asks the configured model; what comes of it is an answer's page or a reason.

Where no model is configured there is no button, and the address is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from evidence.access import Access
from evidence.answering import asking, endpoint
from evidence.answering.endpoint import Unwritten
from evidence.errors import Refused
from evidence.search import Mode, Results
from evidence.web.errors import words
from evidence.web.forms import SearchForm
from evidence.web.request import Request
from evidence.web.roles import for_whoever

_CARRIED = ("q", "without", "source", "kind", "language", "status")
"""What a question is made of; an answer is written from current versions and from the first results."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What would be sent where: the number of passages, the model's name and its host's; and how long it is waited for."""

    passages: int
    model: str
    host: str
    seconds: int


def offer(access: Access, results: Results, *, earlier: bool) -> Offer | None:
    """What the button stands for; None where the model would not be asked. earlier: earlier versions are among the results."""
    passages = asking.chosen(results) if asking.may_ask(access) and not earlier else ()
    if not passages:
        return None
    return Offer(len(passages), settings.ANSWERING_MODEL, endpoint.host(), settings.ANSWERING_SECONDS)


@for_whoever(asking.may_ask, "GET", "HEAD", "POST")
@sensitive_variables()
def ask(request: HttpRequest) -> HttpResponse:
    """`/answers/ask/`: to the answer, or back to what was found with the reason. Whoever only comes here gets the search."""
    request = cast(Request, request)
    if request.method != "POST":
        return redirect("search")
    form = SearchForm(request.POST)
    form.is_valid()
    try:
        asked = form.asked()
        answer = asking.ask(request.access, asked.text, without=asked.without, filters=form.filters())
    except Unwritten as error:
        messages.warning(request, words(error))
        return _on(request, _found(request.POST))
    except Refused:  # the search says why
        return _on(request, _found(request.POST))
    return _on(request, reverse("answer", args=[answer]))


def _found(sent: QueryDict) -> str:
    """The search that the question came from."""
    query = QueryDict(mutable=True)
    for name in _CARRIED:
        if sent.getlist(name):
            query.setlist(name, sent.getlist(name))
    query["mode"] = Mode.WIDER
    return f"{reverse('search')}?{query.urlencode()}"


def _on(request: Request, address: str) -> HttpResponse:
    """To another page, whole: a fragment of it would have no place."""
    return HttpResponse(headers={"HX-Redirect": address}) if request.htmx else redirect(address)
