"""/scim/v2/: the identity provider pushes people and groups (RFC 7644), with a token that is this provider's alone."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable
from functools import cache, partial
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.core.cache import cache as counters
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from scim2_models import (
    PayloadTooLargeException,
    PreconditionFailedException,
    SCIMException,
    UnauthorizedException,
)
from scim2_server.handler import ScimHandler
from scim2_server.requests import ScimRequest
from scim2_server.responses import ScimResponse
from scim2_server.service import ScimService

from evidence import provisioning, scim

MEDIA_TYPE: Final = "application/scim+json"
WINDOW: Final = 60
"""Seconds over which calls are counted."""
MOST_FAILURES: Final = 60
"""Calls with a wrong token from one address within WINDOW; afterwards they are not even compared."""
TRIES: Final = 3
"""Times that a change is made anew when another one came in between: the provider need not know that."""
_WRITES: Final = frozenset({"PUT", "PATCH", "DELETE"})
_NOT_ABOUT_IT: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
"""What says nothing of whether the resource is up to date."""

logger = logging.getLogger(__name__)


class TooManyCalls(SCIMException):
    """More than are answered within a minute."""

    status = 429
    _default_detail = "Too many requests. Try again later."


@cache
def _service() -> ScimService:
    return ScimService(scim.provider())


@sensitive_variables()
def call(request: HttpRequest, path: str) -> HttpResponse:
    """One call, which needs a token in the settings."""
    try:
        _authenticate(request)
        answer = _answered(request, path)
    except Exception as error:  # every answer to a provider is one of SCIM
        answer = _refusal(error)
    response = HttpResponse(json.dumps(answer.body) if answer.body is not None else b"", MEDIA_TYPE, answer.status)
    for name, value in answer.headers.items():
        response[name] = value
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        response["Retry-After"] = str(WINDOW)
    return response


def _authenticate(request: HttpRequest) -> None:
    """Raises UnauthorizedException for whoever does not have the token. Digests are compared: they have one length."""
    failures = f"scim-failures:{request.META.get('REMOTE_ADDR', '')}:{_minute()}"
    if counters.get(failures, 0) >= MOST_FAILURES:
        raise TooManyCalls
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    digests = [hashlib.sha256(one.encode()).digest() for one in (token.strip(), settings.SCIM_TOKEN)]
    if scheme.lower() != "bearer" or not hmac.compare_digest(*digests):
        _count(failures)
        raise UnauthorizedException
    if _count(f"scim-calls:{_minute()}") > settings.API_CALLS_PER_MINUTE:
        raise TooManyCalls


def _answered(request: HttpRequest, path: str) -> ScimResponse:
    """The answer, with what follows from there having been one."""
    now = timezone.now()
    resource = path.strip("/").partition("/")[2] if request.method in _WRITES else ""
    try:
        answer = _made(partial(_handled, request, path), again="If-Match" not in request.headers)
    except Exception as error:
        if _status(error) not in _NOT_ABOUT_IT:
            provisioning.refused(resource, now=now)
        raise
    provisioning.accepted(resource)
    provisioning.heard(now=now)
    return answer


def _made(handle: Callable[[], ScimResponse], *, again: bool) -> ScimResponse:
    for _ in range(TRIES - 1 if again else 0):
        try:
            return handle()
        except PreconditionFailedException:
            continue
    return handle()


def _handled(request: HttpRequest, path: str) -> ScimResponse:
    try:
        body = request.body
    except RequestDataTooBig:
        raise PayloadTooLargeException from None
    asked = ScimRequest(
        method=request.method or "",
        base_url=request.build_absolute_uri("/scim/v2"),
        path=path,
        query=request.GET.dict(),
        headers=dict(request.headers),
        body=body,
    )
    return ScimHandler(_service(), provisioning.Storage()).handle(asked)


def _refusal(error: Exception) -> ScimResponse:
    """Its code in the log, and nothing of what was sent."""
    if isinstance(error, SCIMException):
        logger.info("scim: refused: %s %s", error.status, error.scim_type)
    else:
        logger.error("scim: failed", exc_info=error)
    return _service().error_response(error)


def _status(error: Exception) -> int:
    return error.status if isinstance(error, SCIMException) else HTTPStatus.INTERNAL_SERVER_ERROR


def _minute() -> int:
    return int(time.time() // WINDOW)


def _count(key: str) -> int:
    """How many there have been now."""
    return 1 if counters.add(key, 1, timeout=2 * WINDOW) else counters.incr(key)
