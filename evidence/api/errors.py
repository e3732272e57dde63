"""What a call is told when it does not get what it asked for: the errors of the framework, put into the words of refusals."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, Throttled, ValidationError

from evidence.api.schemas import FORMS, Faults
from evidence.errors import EvidenceError
from evidence.programs import refusals
from evidence.programs.refusals import JSON, ScopeMissing, Unreadable
from evidence.programs.shapes import Error
from evidence.sources.push import Invalid


def documented(*statuses: int) -> dict[int, type[Error]]:
    """The errors that a call can give, for the OpenAPI document: these, and those that every call can give."""
    return dict.fromkeys(sorted({*statuses, 401, 403, 429}), Error)


def translate(api: NinjaAPI) -> None:
    """Let this API answer with codes and messages."""
    api.add_exception_handler(EvidenceError, lambda request, error: refusals.refused(cast(EvidenceError, error)))
    api.add_exception_handler(Invalid, lambda request, error: _faulty(cast(Invalid, error)))
    api.add_exception_handler(AuthenticationError, lambda request, error: refusals.unauthenticated(request))
    api.add_exception_handler(ScopeMissing, lambda request, error: refusals.scope_missing(cast(ScopeMissing, error)))
    api.add_exception_handler(Throttled, lambda request, error: refusals.too_many())  # the caller adds Retry-After
    api.add_exception_handler(RequestDataTooBig, lambda request, error: refusals.too_large())
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(HttpError, _unreadable)


def _faulty(error: Invalid) -> HttpResponse:
    fields = {name: gettext(fault.template) % fault.values for name, fault in error.faults.items()}
    content = Faults(code=error.code, message=gettext(error.template), fields=fields).model_dump_json()
    return HttpResponse(content, content_type=JSON, status=HTTPStatus.BAD_REQUEST)


def _invalid(request: HttpRequest, error: object) -> HttpResponse:
    """Names the first field that is wrong, by the name that it has for who sends it, never what was sent in it."""
    where, *place = cast(ValidationError, error).errors[0]["loc"]
    if where == "body":
        place = place[2:] if place[1:2] and place[1] in FORMS else place[1:]  # the first is the parameter in here
    return refusals.refused(Unreadable(next((part for part in reversed(place) if isinstance(part, str)), "")))


def _unreadable(request: HttpRequest, error: object) -> HttpResponse:
    return refusals.answer(Error(code="invalid_json", message=gettext("The body is not valid JSON.")), HTTPStatus.BAD_REQUEST)
