"""Diagnosis for administrators: keeping words of questions for a while, seeing them, and letting go of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Final, cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evidence import retention, traces
from evidence.errors import Refused
from evidence.models import Tenant
from evidence.web.errors import words
from evidence.web.forms import DiagnosisForm
from evidence.web.request import Request
from evidence.web.roles import for_administrators

SHOWN: Final = 100
"""The latest questions that were kept."""
MINUTES: Final = (30, 120, 480, 1_440)
"""How long it can be: a call, a morning, a working day, a day."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How long, and its words."""

    minutes: int
    label: str


@for_administrators("GET", "HEAD", "POST")
def page(request: HttpRequest) -> HttpResponse:
    """`/sources/diagnosis/`: whether words are kept, which ones, and the buttons for that."""
    request = cast(Request, request)
    tenant = get_object_or_404(Tenant, pk=request.access.tenant)
    if request.method != "POST":
        return _shown(request, tenant)
    form = DiagnosisForm(request.POST)
    if not form.is_valid():
        return _shown(request, tenant, status=HTTPStatus.BAD_REQUEST)
    try:
        messages.success(request, _do(tenant, form.cleaned_data["do"], form.cleaned_data["minutes"] or 0, request.access.user))
    except Refused as error:
        return _shown(request, tenant, refused=words(error), status=HTTPStatus.BAD_REQUEST)
    return redirect("diagnosis")


def _do(tenant: Tenant, what: str, minutes: int, actor: int | None) -> str:
    """Do it; gives what is said of it."""
    if what == "begin":
        traces.begin_diagnosis(tenant, timedelta(minutes=minutes), actor=actor)
        return _("Words of questions are kept from now on.")
    if what == "end":
        traces.end_diagnosis(tenant, actor=actor)
        return _("Words of questions are not kept any more.")
    count = retention.forget_words(tenant, actor=actor)
    return ngettext("The words of %(count)d question are removed.", "The words of %(count)d questions are removed.", count) % {
        "count": count
    }


def _shown(request: Request, tenant: Tenant, *, refused: str = "", status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    context = {
        "until": tenant.diagnosis_until if traces.is_diagnosed(tenant) else None,
        "choices": [Choice(minutes, _label(minutes)) for minutes in MINUTES],
        "kept": traces.with_words(tenant, number=SHOWN),
        "days": kept.days if (kept := settings.KEEP["diagnosis"]) else None,
        "refused": refused,
    }
    return render(request, "diagnosis/page.html", context, status=status)


def _label(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    if rest:
        return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
    return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}
