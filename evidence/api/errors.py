"""What a program is told when it does not get what it asked for: one translator from errors to codes and statuses."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final, cast

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, Throttled, ValidationError

from evidence.api.schemas import Error, Faults
from evidence.errors import Ambiguous, Busy, EvidenceError, IndexFault, Outdated, TooLarge, Unavailable
from evidence.sources.push import Invalid

JSON: Final = "application/json; charset=utf-8"
SCHEME: Final = 'Bearer realm="Fundstelle"'
RETRY_AFTER: Final = "10"
"""Seconds; the index of a hundred thousand passages is rebuilt in about that time, and most runs of a source end within it."""

_STATUS: Final = {
    Unavailable: HTTPStatus.NOT_FOUND,
    Ambiguous: HTTPStatus.CONFLICT,
    Outdated: HTTPStatus.CONFLICT,
    IndexFault: HTTPStatus.SERVICE_UNAVAILABLE,
    Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}


class ScopeMissing(HttpError):
    """The token is valid, and may not do this."""

    def __init__(self, scope: str) -> None:
        super().__init__(HTTPStatus.FORBIDDEN, scope)


def documented(*statuses: int) -> dict[int, type[Error]]:
    """The errors that a call can give, for the OpenAPI document: these, and those that every call can give."""
    return dict.fromkeys(sorted({*statuses, 401, 403, 429}), Error)


def answer(code: str, message: str, status: HTTPStatus, **headers: str) -> HttpResponse:
    """An error as JSON. message: in the language of the request already."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = Error(code=code, message=message).model_dump_json()
    return HttpResponse(content, content_type=JSON, status=status, headers=named)


def unavailable() -> HttpResponse:
    """The one answer for everything that is unknown, forbidden, deleted or withheld."""
    return _refused(Unavailable())


def method_not_allowed(allowed: str) -> HttpResponse:
    """For an address that exists, called in another way."""
    message = gettext("This address is called by %(methods)s.") % {"methods": allowed}
    return answer("method_not_allowed", message, HTTPStatus.METHOD_NOT_ALLOWED, Allow=allowed)


def broken() -> HttpResponse:
    """A fault of ours; the log says where."""
    return answer("internal_error", gettext("Something went wrong here. It has been noted."), HTTPStatus.INTERNAL_SERVER_ERROR)


def translate(api: NinjaAPI) -> None:
    """Let this API answer with codes and messages."""
    api.add_exception_handler(EvidenceError, lambda request, error: _refused(cast(EvidenceError, error)))
    api.add_exception_handler(Invalid, lambda request, error: _faulty(cast(Invalid, error)))
    api.add_exception_handler(AuthenticationError, _unauthenticated)
    api.add_exception_handler(ScopeMissing, _scope_missing)
    api.add_exception_handler(Throttled, _throttled)
    api.add_exception_handler(RequestDataTooBig, _too_large)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(HttpError, _unreadable)


def _refused(error: EvidenceError) -> HttpResponse:
    status = _STATUS.get(type(error), HTTPStatus.BAD_REQUEST)
    headers = {"Retry_After": RETRY_AFTER} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return answer(error.code, gettext(error.template) % error.values, status, **headers)


def _faulty(error: Invalid) -> HttpResponse:
    fields = {name: gettext(fault.template) % fault.values for name, fault in error.faults.items()}
    content = Faults(code=error.code, message=gettext(error.template), fields=fields).model_dump_json()
    return HttpResponse(content, content_type=JSON, status=HTTPStatus.BAD_REQUEST)


def _unauthenticated(request: HttpRequest, error: object) -> HttpResponse:
    sent = "Authorization" in request.headers
    challenge = f'{SCHEME}, error="invalid_token"' if sent else SCHEME
    message = gettext("Send a valid token: Authorization: Bearer …")
    return answer("unauthenticated", message, HTTPStatus.UNAUTHORIZED, WWW_Authenticate=challenge)


def _scope_missing(request: HttpRequest, error: object) -> HttpResponse:
    scope = str(error)
    challenge = f'{SCHEME}, error="insufficient_scope", scope="{scope}"'
    message = gettext("This token may not do that; it would need “%(scope)s”.") % {"scope": scope}
    return answer("scope_missing", message, HTTPStatus.FORBIDDEN, WWW_Authenticate=challenge)


def _throttled(request: HttpRequest, error: object) -> HttpResponse:
    """The caller adds Retry-After."""
    message = gettext("Too many requests with this token. Try again later.")
    return answer("too_many_requests", message, HTTPStatus.TOO_MANY_REQUESTS)


def _too_large(request: HttpRequest, error: object) -> HttpResponse:
    message = gettext("This request is too large. Send less at once.")
    return answer("request_too_large", message, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


def _invalid(request: HttpRequest, error: object) -> HttpResponse:
    """Names the first field that is wrong, never what was sent in it."""
    place = cast(ValidationError, error).errors[0]["loc"]
    field = next((part for part in reversed(place) if isinstance(part, str)), "")
    message = gettext("“%(field)s” is missing, unknown or not of the right kind.") % {"field": field}
    return answer("invalid_request", message, HTTPStatus.BAD_REQUEST)


def _unreadable(request: HttpRequest, error: object) -> HttpResponse:
    return answer("invalid_json", gettext("The body is not valid JSON."), HTTPStatus.BAD_REQUEST)
