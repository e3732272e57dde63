"""What a program is told when it does not get what it asked for: codes, messages and statuses, in one place."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from evidence import pace
from evidence.errors import Ambiguous, Busy, EvidenceError, IndexFault, Outdated, TooLarge, TooOften, Unavailable, gettext_noop
from evidence.programs.shapes import Error

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
    TooOften: HTTPStatus.TOO_MANY_REQUESTS,
}


class ScopeMissing(EvidenceError):
    """The token is valid, and may not do this."""

    def __init__(self, scope: str) -> None:
        super().__init__("scope_missing", gettext_noop("This token may not do that; it would need “%(scope)s”."), scope=scope)
        self.scope = scope


class Unreadable(EvidenceError):
    """Something that was sent is missing, unknown or of another kind; names the field, never what was sent in it.

    field: "" where it is all that was sent, or has no name that is known.
    """

    def __init__(self, field: str) -> None:
        message = gettext_noop("“%(field)s” is missing, unknown or not of the right kind.")
        if not field:
            message = gettext_noop("What was sent is not of the right kind, or holds something that is unknown here.")
        super().__init__("invalid_request", message, field=field)


class Broken(EvidenceError):
    """A fault of ours; the log says where."""

    def __init__(self) -> None:
        super().__init__("internal_error", gettext_noop("Something went wrong here. It has been noted."))


class NoToken(EvidenceError):
    """Nothing valid was sent that says whom the program acts for."""

    def __init__(self) -> None:
        super().__init__("unauthenticated", gettext_noop("Send a valid token: Authorization: Bearer …"))


class TooMany(EvidenceError):
    """More calls than a token has in a minute."""

    def __init__(self) -> None:
        super().__init__("too_many_requests", gettext_noop("Too many requests with this token. Try again later."))


def told(error: EvidenceError) -> Error:
    """The code, and the message in the language of the request."""
    return Error(code=error.code, message=gettext(error.template) % error.values)


def answer(error: Error | EvidenceError, status: HTTPStatus, **headers: str) -> HttpResponse:
    """An error as JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    shape = told(error) if isinstance(error, EvidenceError) else error
    return HttpResponse(shape.model_dump_json(), content_type=JSON, status=status, headers=named)


def refused(error: EvidenceError) -> HttpResponse:
    """What the core refuses, with the status that goes with it."""
    status = _STATUS.get(type(error), HTTPStatus.BAD_REQUEST)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return answer(error, status, Retry_After=RETRY_AFTER)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return answer(error, status, Retry_After=str(int(pace.wait()) + 1))
    return answer(error, status)


def unavailable() -> HttpResponse:
    """The one answer for everything that is unknown, forbidden, deleted or withheld."""
    return refused(Unavailable())


def method_not_allowed(allowed: str) -> HttpResponse:
    """For an address that exists, called in another way."""
    message = gettext("This address is called by %(methods)s.") % {"methods": allowed}
    return answer(Error(code="method_not_allowed", message=message), HTTPStatus.METHOD_NOT_ALLOWED, Allow=allowed)


def broken() -> HttpResponse:
    """A fault of ours."""
    return answer(Broken(), HTTPStatus.INTERNAL_SERVER_ERROR)


def unauthenticated(request: HttpRequest) -> HttpResponse:
    """No token, or none that is valid now."""
    challenge = f'{SCHEME}, error="invalid_token"' if "Authorization" in request.headers else SCHEME
    return answer(NoToken(), HTTPStatus.UNAUTHORIZED, WWW_Authenticate=challenge)


def scope_missing(error: ScopeMissing) -> HttpResponse:
    """The token may do other things."""
    challenge = f'{SCHEME}, error="insufficient_scope", scope="{error.scope}"'
    return answer(error, HTTPStatus.FORBIDDEN, WWW_Authenticate=challenge)


def too_many(**headers: str) -> HttpResponse:
    """More calls than are taken."""
    return answer(TooMany(), HTTPStatus.TOO_MANY_REQUESTS, **headers)


def too_large() -> HttpResponse:
    """More bytes than are taken."""
    message = gettext("This request is too large. Send less at once.")
    return answer(Error(code="request_too_large", message=message), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
