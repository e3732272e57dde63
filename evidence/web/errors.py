"""What a person is told when there is no page: one translator from EvidenceError to words, status and template."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext

from evidence import pace
from evidence.errors import EvidenceError, IndexFault, TooOften, Unavailable
from evidence.web.request import Request

PASSED_ON: Final = frozenset({HTTPStatus.OK, HTTPStatus.NO_CONTENT, HTTPStatus.BAD_REQUEST})
"""What htmx may put into a page that stands: fragments, and refusals that say what to change."""


def words(error: EvidenceError) -> str:
    """The error in the person's language."""
    return gettext(error.template) % error.values


class ErrorPages:
    """Turns errors that are meant to be shown into pages. What isn't available looks the same whatever the reason."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for an EvidenceError; anything else is a fault of ours and goes its way."""
        if isinstance(error, Unavailable):
            return not_found(request, error)
        if isinstance(error, IndexFault):
            return render(request, "errors/rebuilding.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
        if isinstance(error, TooOften):
            response = _refused(request, error, HTTPStatus.TOO_MANY_REQUESTS)
            response["Retry-After"] = str(int(pace.wait()) + 1)
            return response
        if isinstance(error, EvidenceError):
            return _refused(request, error, HTTPStatus.BAD_REQUEST)
        return None


def _refused(request: HttpRequest, error: EvidenceError, status: HTTPStatus) -> HttpResponse:
    return render(request, "errors/refused.html", {"reason": words(error)}, status=status)


class PagesForFragments:
    """Answers htmx with a page's address where it asked for a fragment and got none: signed out, gone, broken.

    Every fragment has the address of a page, which then says what is the matter.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not cast(Request, request).htmx or response.status_code in PASSED_ON:
            return response
        return HttpResponse(headers={"HX-Redirect": request.get_full_path()})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The one page for everything that is unknown, forbidden, deleted or withheld."""
    return render(request, "errors/unavailable.html", {"nowhere": True}, status=HTTPStatus.NOT_FOUND)


def forbidden(request: HttpRequest, exception: Exception | None = None, reason: str = "") -> HttpResponse:
    """A form that did not come from our own page, or a place that is closed to this role."""
    context = {"closed": isinstance(exception, PermissionDenied)}
    return render(request, "errors/forbidden.html", context, status=HTTPStatus.FORBIDDEN)
