"""The calls, put together: addresses under /api/v1/ and the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, re_path
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.parser import Parser

from evidence.api import answers, citations, documents, errors, knowledge, pushing, search
from evidence.api.bearer import PerToken
from evidence.programs import refusals

View = Callable[..., HttpResponseBase]


class StrictJson(Parser):
    """JSON as its standard has it: UTF-8, without NaN and infinity."""

    def parse_body(self, request: HttpRequest) -> Any:
        """What the body says. Raises ValueError."""
        return json.loads(request.body.decode(), parse_constant=self._refuse)

    @staticmethod
    def _refuse(constant: str) -> None:
        raise ValueError(constant)


api = NinjaAPI(
    title="Fundstelle",
    version="1",
    description=(
        "Search, read and cite what the person of the token may read. Every answer is the same for what is unknown, forbidden "
        "and deleted. All positions are Unicode code points, half-open."
    ),
    docs_url=None,
    parser=StrictJson(),
    throttle=PerToken(),
    urls_namespace="api",
)
errors.translate(api)
for router in (search.router, documents.router, citations.router, knowledge.router, answers.router, pushing.router):
    api.add_router("", router)


def for_programs(view: View) -> View:
    """A view that answers programs: no sign-in page, no cookie, no form token, and JSON whatever happens. HEAD is GET without
    the body.
    """

    @wraps(view)
    def answer(request: HttpRequest, **named: object) -> HttpResponseBase:
        if request.method == "HEAD":
            request.method = "GET"
            return _head_of(answer(request, **named))
        try:
            response = view(request, **named)
        except Http404:
            return refusals.unavailable()
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            return refusals.method_not_allowed(response["Allow"].replace("GET", "GET, HEAD"))
        return response

    return csrf_exempt(login_not_required(answer))


def _head_of(response: HttpResponseBase) -> HttpResponseBase:
    """The same answer, with the length of the body instead of the body."""
    if isinstance(response, HttpResponse):
        response["Content-Length"] = str(len(response.content))
        response.content = b""
    return response


def nothing(request: HttpRequest) -> HttpResponse:
    """Addresses that are none."""
    return refusals.unavailable()


def patterns() -> list[URLPattern]:
    """All addresses of the API; what none of them fits is unavailable."""
    known = cast(list[URLPattern], api.urls[0])
    for pattern in known:
        pattern.callback = for_programs(cast(View, pattern.callback))
    return [*known, re_path("", for_programs(nothing), name="nothing")]


urls = (patterns(), "api", "api")
