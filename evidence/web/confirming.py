"""Sessions of people whom the identity provider signed in: how long they hold, and how they are confirmed meanwhile.

Such a session ends when the provider has not confirmed it within OIDC_GROUPS_SLA, when the provider says that the person signed
out, and with the identity. At half that time the next page that is opened goes round by the provider, which may answer without
asking the person; if it does not, the page is shown as before. Nothing else is ever sent there: no form, no fragment, no call.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, logout
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from evidence import people
from evidence.errors import EvidenceError
from evidence.web import journeys
from evidence.web.backends import FROM_PROVIDER
from evidence.web.journeys import Confirmed
from evidence.web.request import Request


class SessionsOfProvider:
    """Ends what does not hold any more before anybody asks who the person is, and has the rest confirmed in time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        confirmed = Confirmed.of(request)
        if not _holds(request, confirmed):
            logout(request)
        elif confirmed is not None and confirmed.is_due() and _is_a_page_opened(request):
            confirmed.try_now(request)
            try:
                return journeys.departure(request, request.get_full_path(), silent=True)
            except EvidenceError:
                pass  # the page is worth more than knowing today
        return self.get_response(request)


def _holds(request: HttpRequest, confirmed: Confirmed | None) -> bool:
    """Whether this session still holds; one that is none does."""
    if confirmed is None:
        return not (settings.OIDC_ONLY and _began_with_a_password(request))
    user = request.user
    since = datetime.fromtimestamp(confirmed.at, UTC)
    is_of_provider = user.is_authenticated and request.session.get(BACKEND_SESSION_KEY) == FROM_PROVIDER
    return (
        is_of_provider and not confirmed.is_over() and people.is_signed_in(confirmed.identity, cast(User, user).pk, since=since)
    )


def _began_with_a_password(request: HttpRequest) -> bool:
    """And not as an administrator, who may (see OnlyAdministrators)."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
        return False
    return not (request.user.is_superuser and request.user.is_staff)


def _is_a_page_opened(request: HttpRequest) -> bool:
    """A person opens a page in a window, and can be sent elsewhere and back without losing anything."""
    if request.method != "GET" or cast(Request, request).htmx or "Sec-Purpose" in request.headers:
        return False
    kind = request.headers.get("Sec-Fetch-Dest")
    return kind == "document" if kind else "text/html" in request.headers.get("Accept", "")
