"""Reports of searches: sending one, one's own with their answers, and for curators the list to work off.

Who is no curator gets what an address that is none gives instead of that list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evidence import reports
from evidence.errors import Refused
from evidence.models import SearchReport
from evidence.reports import PAGE, Listed
from evidence.search import Mode
from evidence.web.errors import words
from evidence.web.forms import CloseForm, OffsetForm, ReportForm, ReportsForm
from evidence.web.request import Request
from evidence.web.roles import for_curators

_NOTHING: Final[Mapping[str, object]] = {}
_NO_REASONS: Final[Mapping[UUID, str]] = {}


@dataclass(frozen=True, slots=True)
class Tab:
    """Reports in one state: its value and words, how many, and whether they are shown now."""

    state: str
    label: str
    count: int
    is_here: bool


def kept_days() -> int | None:
    """How long the words of reports are kept; None for ever."""
    kept = settings.KEEP["reports"]
    return kept.days if kept else None


@require_safe
def own(request: HttpRequest) -> HttpResponse:
    """`/reports/`: what the person has sent, and what became of it."""
    request = cast(Request, request)
    offset = _offset(request)
    found = reports.own(request.access, offset=offset)
    return render(request, "reports/own.html", _listed(found, offset) | {"kept_days": kept_days()})


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables()
def send(request: HttpRequest) -> HttpResponse:
    """`/reports/send/`: all that is sent, to be changed; posted to, it is sent."""
    request = cast(Request, request)
    form = ReportForm(request.POST if request.method == "POST" else request.GET)
    form.is_valid()
    sent = {name: form.cleaned_data.get(name) for name in form.fields}
    context: dict[str, object] = {"sent": sent | {"seen": sent["seen"] or 0}, "kept_days": kept_days()}
    if request.method != "POST":
        return render(request, "reports/send.html", context)
    try:
        mode = Mode.of(form.cleaned_data["mode"])
        reports.send(request.access, query=sent["q"] or "", wish=sent["wish"] or "", mode=mode, seen=sent["seen"] or 0)
    except Refused as error:
        return render(request, "reports/send.html", context | {"refused": words(error)}, status=HTTPStatus.BAD_REQUEST)
    messages.success(request, _("The report is sent. What becomes of it stands here."))
    return redirect("reports")


@require_POST
def delete(request: HttpRequest, report: UUID) -> HttpResponse:
    """Take back one's own report."""
    reports.delete(cast(Request, request).access, report)
    messages.success(request, _("The report is deleted."))
    return redirect("reports")


@for_curators("GET", "HEAD")
def to_work_off(request: HttpRequest) -> HttpResponse:
    """`/reports/work/`: the tenant's reports in one state."""
    return _work(cast(Request, request))


@for_curators("POST")
@sensitive_variables()
def close(request: HttpRequest, report: UUID) -> HttpResponse:
    """Say why it was not found and what was done."""
    request = cast(Request, request)
    form = CloseForm(request.POST)
    form.is_valid()
    try:
        reports.close(request.access, report, **form.cleaned_data)
    except Refused as error:
        return _work(request, refused={report: words(error)}, sent=form.cleaned_data)
    messages.success(
        request, _("The report is closed, and its sender sees your answer. Under “done” and “declined” it can be reopened.")
    )
    return redirect("reports_to_work_off")


@for_curators("POST")
def reopen(request: HttpRequest, report: UUID) -> HttpResponse:
    """Take back that it was closed."""
    request = cast(Request, request)
    try:
        reports.reopen(request.access, report)
    except Refused as error:
        return _work(request, refused={report: words(error)})
    messages.success(request, _("The report is open again."))
    return redirect("reports_to_work_off")


def _work(request: Request, *, refused: Mapping[UUID, str] = _NO_REASONS, sent: Mapping[str, object] = _NOTHING) -> HttpResponse:
    form = ReportsForm(request.GET)
    form.is_valid()
    state = form.cleaned_data.get("state") or SearchReport.State.OPEN.value
    offset = form.cleaned_data.get("offset") or 0
    found, tally = reports.to_work_off(request.access, state=state, offset=offset), reports.tally(request.access)
    context = _listed(found, offset) | {
        "tabs": _tabs(tally.states, state),
        "state": state,
        "causes": SearchReport.Cause.choices,
        "tallied": [(label, tally.causes[value]) for value, label in SearchReport.Cause.choices if value in tally.causes],
        "wordless": tally.wordless,
        "kept_days": kept_days(),
        "most": reports.MAX_ANSWER,
        "refused": refused,
        "elsewhere": [reason for report, reason in refused.items() if report not in {row.public_id for row in found.rows}],
        "sent": sent,
    }
    return render(request, "reports/work.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)


def _tabs(counts: Mapping[str, int], here: str) -> Sequence[Tab]:
    return [Tab(value, str(label), counts.get(value, 0), value == here) for value, label in SearchReport.State.choices]


def _offset(request: Request) -> int:
    form = OffsetForm(request.GET)
    form.is_valid()
    return form.cleaned_data.get("offset") or 0


def _listed(found: Listed, offset: int) -> dict[str, object]:
    return {
        "rows": found.rows,
        "total": found.total,
        "first": offset + 1,
        "last": offset + len(found.rows),
        "before": max(offset - PAGE, 0) if offset else None,
        "after": offset + PAGE if offset + PAGE < found.total else None,
    }
