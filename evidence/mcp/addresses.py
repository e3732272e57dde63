"""Streamable HTTP at /mcp: who calls, from where, how often and how much. The rest is the protocol's.

Served as every other address, by WSGI and ASGI servers alike: an exchange is one request and one answer in JSON, since this
server never calls its clients. The host is checked as for every address (ALLOWED_HOSTS).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt

from evidence import identity
from evidence.mcp import admission, installed
from evidence.mcp.calls import Caller
from evidence.mcp.installed import NotInstalled
from evidence.programs import refusals, tokens
from evidence.programs.links import Links
from evidence.programs.shapes import Error
from evidence.provider import NoAnswer

KNOWN: Final = ("accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name")
"""Headers that are handed on; `mcp-session-id` is not, for there are no sessions."""


@csrf_exempt
@login_not_required
def endpoint(request: HttpRequest) -> HttpResponse:
    """POST /mcp with a token; the person must be active now, whatever came before."""
    if request.method != "POST":
        return refusals.method_not_allowed("POST")
    if not _may_come_from(request, request.headers.get("Origin", "")):
        message = gettext("Pages of other sites may not call this address.")
        return refusals.answer(Error(code="origin_refused", message=message), HTTPStatus.FORBIDDEN)
    try:
        bearer = admission.bearer(request)
    except NoAnswer as error:
        return refusals.answer(error, HTTPStatus.SERVICE_UNAVAILABLE, Retry_After=refusals.RETRY_AFTER)
    if bearer is None:
        return admission.unauthenticated(request)
    if not tokens.counted(bearer.token):
        return refusals.too_many(Retry_After=str(int(tokens.wait()) + 1))
    try:
        return _exchanged(request, request.body, bearer)
    except RequestDataTooBig:
        return refusals.too_large()
    except NotInstalled as error:
        return refusals.answer(error, HTTPStatus.NOT_IMPLEMENTED)


def _may_come_from(request: HttpRequest, origin: str) -> bool:
    """Programs send no origin; a browser sends that of the page, and only pages of this host may call. It keeps a page that
    lets its own name point here (DNS rebinding) from calling with what the browser has.
    """
    return origin in {"", Links.of(request).base}


def _exchanged(request: HttpRequest, body: bytes, bearer: identity.Bearer) -> HttpResponse:
    protocol = installed.protocol()
    headers = {name: request.headers[name] for name in KNOWN if name in request.headers}
    headers |= {name.lower(): value for name, value in request.headers.items() if name.lower().startswith("mcp-param-")}
    sent = protocol.Exchange("POST", request.path, headers, body)
    answered = protocol.exchange(sent, Caller(lambda: bearer, Links.of(request)))
    response = HttpResponse(answered.body, status=answered.status)
    response.headers.pop("Content-Type", None)
    if "content-type" in answered.headers:
        response["Content-Type"] = answered.headers["content-type"]
    return response
