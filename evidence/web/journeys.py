"""Journeys: people on their way to the identity provider and back, and what their sessions keep of it afterwards.

What a journey needs when it comes back lies in a signed cookie of its own: several tabs can be under way at once, nobody who
only knocks leaves a row in the database, and the address to go on to, which can hold a query, stays in the person's browser.
"""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from evidence import provider

TIME_FOR_IT: Final = 900
"""Seconds that a person may take at the provider: enough for a forgotten password."""
TRIED_EVERY: Final = 600.0
"""Seconds until a provider that did not confirm a person without asking is tried again."""
MAX_AFTER: Final = 2_000
"""Characters of the address to go on to: a cookie holds some 4,000."""
SESSION_KEY: Final = "provider"
_STATE: Final = re.compile(r"[A-Za-z0-9]{20,100}")
_SALT: Final = "evidence.web.journeys"
_HOME: Final = "/"


@dataclass(frozen=True, slots=True)
class Journey:
    """One person on the way. after: the path to go on to. silent: the provider may not ask anything."""

    state: str
    nonce: str
    verifier: str
    after: str
    silent: bool


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a session knows of the provider: which identity it is of, when that was confirmed, when it was last tried in vain."""

    identity: int
    at: float
    tried: float = 0.0

    @classmethod
    def of(cls, request: HttpRequest) -> Self | None:
        """What this session keeps; None for one that began with a password, and for no session."""
        kept = request.session.get(SESSION_KEY) if settings.SESSION_COOKIE_NAME in request.COOKIES else None
        return None if kept is None else cls(**kept)

    @classmethod
    def now(cls, request: HttpRequest, identity: int) -> None:
        """Let the session know that the provider has just confirmed the person."""
        request.session[SESSION_KEY] = asdict(cls(identity, time.time()))

    def is_over(self) -> bool:
        """Whether it was confirmed too long ago, or in the future."""
        return not 0 <= time.time() - self.at <= settings.OIDC_GROUPS_SLA.total_seconds()

    def is_due(self) -> bool:
        """Whether it is time to have it confirmed again."""
        now = time.time()
        return now - self.at > settings.OIDC_GROUPS_SLA.total_seconds() / 2 and not 0 <= now - self.tried < TRIED_EVERY

    def try_now(self, request: HttpRequest) -> None:
        """Write down that it is tried."""
        request.session[SESSION_KEY] = asdict(replace(self, tried=time.time()))


def departure(request: HttpRequest, after: str, *, silent: bool = False) -> HttpResponse:
    """Send the person to the provider. Raises EvidenceError where there is no way to it."""
    begun = provider.begin(_callback(request), silent=silent)
    journey = Journey(begun.state, begun.nonce, begun.verifier, own_path(request, after), silent)
    response = HttpResponseRedirect(begun.url)
    response.set_cookie(
        _cookie(journey.state),
        signing.dumps(asdict(journey), salt=_SALT, compress=True),
        max_age=TIME_FOR_IT,
        **_place(),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
    )
    return response


def arrival(request: HttpRequest) -> Journey | None:
    """The journey that comes back with this request; None when this browser is on none of that name, or not any more."""
    state = request.GET.get("state", "")
    value = request.COOKIES.get(_cookie(state), "") if _STATE.fullmatch(state) else ""
    try:
        journey = Journey(**signing.loads(value, salt=_SALT, max_age=TIME_FOR_IT))
    except (signing.BadSignature, TypeError):
        return None
    return journey if journey.state == state else None


def ended(response: HttpResponseBase, journey: Journey) -> HttpResponseBase:
    """The answer after which this journey can't come back once more."""
    response.delete_cookie(_cookie(journey.state), **_place())
    return response


def finished(request: HttpRequest, journey: Journey, code: str) -> dict[str, object]:
    """What the provider says of the person who came back. Raises EvidenceError."""
    return dict(provider.finish(code, callback=_callback(request), nonce=journey.nonce, verifier=journey.verifier))


def own_path(request: HttpRequest, wanted: str) -> str:
    """A path of this host, and no other place; the search where it is none, or leads round in a circle."""
    is_path = wanted.startswith("/") and len(wanted) <= MAX_AFTER
    own = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return wanted if is_path and own and not wanted.startswith((reverse("login"), reverse("logout"))) else _HOME


def _callback(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("provider_callback"))


def _cookie(state: str) -> str:
    return f"journey-{state}"


def _place() -> dict[str, Any]:
    return {"path": reverse("provider"), "samesite": "Lax"}  # it comes back by a link on another site
