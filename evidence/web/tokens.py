"""A person's tokens: the list, making one (its secret is shown once), revoking one."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from evidence import tokens
from evidence.errors import Refused
from evidence.models import PERSONAL_SCOPES, Scope
from evidence.tokens import DEFAULT_DAYS, MAX_DAYS, MAX_NAME, Made
from evidence.web import once
from evidence.web.errors import words
from evidence.web.forms import TokenForm
from evidence.web.request import Request

_NEW: Mapping[str, object] = {"name": "", "scopes": [Scope.READ.value], "days": DEFAULT_DAYS}


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables()
def page(request: HttpRequest) -> HttpResponse:
    """`/tokens/`: what there is; posted to, a new one, shown in the answer and never again, nor made again by a reload."""
    request = cast(Request, request)
    if request.method != "POST":
        return _page(request, sent=_NEW)
    form = TokenForm(request.POST)
    form.is_valid()
    sent = form.cleaned_data
    if once.was_used(request, sent["once"]):
        messages.warning(request, not_again())
        return redirect("tokens")
    try:
        made = tokens.make(request.access, name=sent["name"], scopes=sent["scopes"], days=sent["days"])
    except Refused as error:
        return _page(request, sent=sent, refused=words(error))
    once.use(request, sent["once"])
    return _page(request, sent=_NEW, made=made)


@require_POST
def revoke(request: HttpRequest, token: int) -> HttpResponse:
    """End one of one's own tokens; any other is unavailable."""
    tokens.revoke(cast(Request, request).access, token)
    messages.success(request, _("The token is revoked. Programs that use it get no answer any more."))
    return redirect("tokens")


def not_again() -> str:
    """What is told of a form that was sent a second time."""
    return _(
        "This form had been sent before, so no second token was made. The secret of the first is not shown again: if you did not "
        "copy it, revoke that token and make another."
    )


def _page(request: Request, *, sent: Mapping[str, object], made: Made | None = None, refused: str = "") -> HttpResponse:
    context = {
        "tokens": tokens.own(request.access),
        "made": made,
        "refused": refused,
        "sent": sent,
        once.FIELD: once.fresh(),
        "scopes": [(scope.value, scope.label) for scope in PERSONAL_SCOPES],
        "max_name": MAX_NAME,
        "max_days": MAX_DAYS,
    }
    return render(request, "tokens/page.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)
