"""Signing in at the identity provider: the way there and back, signing out there too, and what the provider itself reports."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_POST

from evidence import claims, people, provider
from evidence.errors import EvidenceError, Unavailable
from evidence.models import Identity
from evidence.people import NotAllowed
from evidence.provider import NoAnswer, NotAccepted
from evidence.web import journeys
from evidence.web.backends import FROM_PROVIDER
from evidence.web.journeys import Confirmed, Journey

MAX_CODE: Final = 4_000
"""Characters of a code. Entra ID's have some 1,500."""
MAX_REPORT: Final = 16_000
"""Characters of a report that somebody signed out."""
_ANSWERS: Final[Mapping[str, tuple[type[EvidenceError], str]]] = {
    "access_denied": (NotAccepted, "oidc_denied"),
    "temporarily_unavailable": (NoAnswer, "oidc_unavailable"),
    "server_error": (NoAnswer, "oidc_unavailable"),
}
"""What a provider says instead of a code (RFC 6749, section 4.1.2.1); its further words are shown to nobody."""
_OWN_PAGES: Final = {"oidc_denied": "denied", "oidc_clock": "clock"}
"""Codes with words of their own; the others have those of not_accepted."""

logger = logging.getLogger(__name__)


@login_not_required
@require_GET
def begin(request: HttpRequest) -> HttpResponse:
    """`/sign-in/oidc/`: on the way there; `next` is where the person goes afterwards."""
    _refuse_without_provider()
    after = journeys.own_path(request, request.GET.get("next", ""))
    try:
        return journeys.departure(request, after)
    except EvidenceError as error:
        return _failed(request, error, after)


@login_not_required
@require_GET
@sensitive_variables()
def callback(request: HttpRequest) -> HttpResponseBase:
    """`/sign-in/oidc/callback/`: back again, once for each journey."""
    _refuse_without_provider()
    journey = journeys.arrival(request)
    if journey is None:
        return redirect("search") if request.user.is_authenticated else _page(request, "lost", HTTPStatus.BAD_REQUEST)
    try:
        identity = _who(request, journey)
    except EvidenceError as error:
        response = _not_confirmed(request, error, journey) if journey.silent else _failed(request, error, journey.after)
    else:
        response = _confirmed(request, identity, journey) if journey.silent else _signed_in(request, identity, journey)
    return journeys.ended(response, journey)


@login_not_required
@require_GET
def signed_out(request: HttpRequest) -> HttpResponse:
    """`/sign-in/oidc/signed-out/`: signed out here, and where to sign out there."""
    _refuse_without_provider()
    try:
        address = provider.sign_out_address(request.build_absolute_uri(reverse("login")))
    except EvidenceError:
        address = ""
    return _page(request, "signed_out", HTTPStatus.OK, address=address)


@login_not_required
@csrf_exempt
@require_POST
@sensitive_variables()
def report(request: HttpRequest) -> HttpResponse:
    """`/sign-in/oidc/logout/`: the provider reports that a person signed out (OpenID Connect Back-Channel Logout 1.0)."""
    _refuse_without_provider()
    if settings.OIDC_SUBJECT_CLAIM != "sub":  # such a report would name nobody whom we know
        raise Unavailable
    token = request.POST.get("logout_token", "")
    try:
        if not token or len(token) > MAX_REPORT:
            raise NotAccepted("oidc_logout", "")
        subject, message = provider.signed_out(token)
        taken = f"signed-out:{hashlib.sha256(message.encode()).hexdigest()}"
        if not cache.add(taken, True, timeout=2 * provider.LOGOUT_AGE):
            raise NotAccepted("oidc_logout", "")
    except NoAnswer:
        return HttpResponse(status=HTTPStatus.SERVICE_UNAVAILABLE)
    except EvidenceError:
        return JsonResponse({"error": "invalid_request"}, status=HTTPStatus.BAD_REQUEST)
    try:
        people.signed_out(subject, now=timezone.now())
    except Exception:
        cache.delete(taken)  # so that the same report may come again
        raise
    return HttpResponse()


def _who(request: HttpRequest, journey: Journey) -> Identity:
    """Whom the provider sends back. Raises EvidenceError."""
    provider.check_sender(request.GET.get("iss"))
    answer, code = request.GET.get("error"), request.GET.get("code", "")
    if answer is not None:
        kind, name = _ANSWERS.get(answer, (NotAccepted, "oidc_answer"))
        raise kind(name, "")
    if not 1 <= len(code) <= MAX_CODE:
        raise NotAccepted("oidc_no_code", "")
    said = journeys.finished(request, journey, code)
    stated = claims.read(said, subject=settings.OIDC_SUBJECT_CLAIM, groups=settings.OIDC_GROUPS_CLAIM)
    return people.signed_in(stated, now=timezone.now())


def _signed_in(request: HttpRequest, identity: Identity, journey: Journey) -> HttpResponse:
    """A session of its own: Django gives it a new key."""
    login(request, identity.user, backend=FROM_PROVIDER)
    Confirmed.now(request, identity.pk)
    return redirect(journey.after)


def _confirmed(request: HttpRequest, identity: Identity, journey: Journey) -> HttpResponse:
    """The session goes on, if the provider has the same person in mind: forms in other tabs stay valid."""
    before = Confirmed.of(request)
    if before is None or not request.user.is_authenticated or before.identity != identity.pk:
        return _again(request, journey)
    Confirmed.now(request, identity.pk)
    return redirect(journey.after)


def _not_confirmed(request: HttpRequest, error: EvidenceError, journey: Journey) -> HttpResponse:
    """What could not be done in silence disturbs nobody, until the time is over; who may not come in any more goes now."""
    if isinstance(error, NotAllowed):
        return _failed(request, error, journey.after)
    return redirect(journey.after)


def _again(request: HttpRequest, journey: Journey) -> HttpResponse:
    logout(request)
    return redirect_to_login(journey.after)


def _failed(request: HttpRequest, error: EvidenceError, after: str) -> HttpResponse:
    logger.info("oidc: not signed in: %s", error.code)
    if isinstance(error, NotAllowed):
        logout(request)
        return _page(request, "not_allowed", HTTPStatus.FORBIDDEN, after=after)
    if isinstance(error, NoAnswer):
        return _page(request, "no_answer", HTTPStatus.SERVICE_UNAVAILABLE, after=after)
    return _page(request, _OWN_PAGES.get(error.code, "not_accepted"), HTTPStatus.FORBIDDEN, after=after)


def _page(request: HttpRequest, kind: str, status: HTTPStatus, **shown: str) -> HttpResponse:
    """Its address holds a code that is used up: another language begins at the sign-in page."""
    return render(request, "registration/provider.html", {"kind": kind, "nowhere": True, **shown}, status=status)


def _refuse_without_provider() -> None:
    if not provider.is_set_up():
        raise Unavailable
