"""Sources for administrators: how all of them and each one is doing, closing and opening, runs, tokens, and why somebody reads.

Everybody else gets what an address that is none gives. Ids, counts and codes are shown, no title and no text of a document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Final, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from evidence import canary, closing, identity, inspection, monitor, reasons, syncing, tokens
from evidence.errors import EvidenceError, Refused, Unavailable
from evidence.identity import Live, Openness, Standing
from evidence.inspection import Inspection
from evidence.models import Run, Source, SourceKind
from evidence.monitor import SourceState
from evidence.reasons import Explanation
from evidence.sources.kinds import KINDS
from evidence.tokens import DEFAULT_DAYS, MAX_DAYS, MAX_NAME, Made
from evidence.web import charts, once
from evidence.web.conditions import lasting
from evidence.web.errors import words
from evidence.web.forms import TokenForm, WhyForm
from evidence.web.request import Request, wants_fragment
from evidence.web.roles import for_administrators
from evidence.web.tokens import not_again

PROGRESS: Final = "progress"
"""Id of the element that says how far a run is."""
_NEW_TOKEN: Final[Mapping[str, object]] = {"name": "", "days": DEFAULT_DAYS}


@dataclass(frozen=True, slots=True)
class Going:
    """What is said of a run that goes on or was asked for. percent: None where it is not known how much there is."""

    run: Run | None
    waits: bool
    percent: int | None


@for_administrators("GET", "HEAD")
def sources(request: HttpRequest) -> HttpResponse:
    """`/sources/`: every source of the tenant, what needs attention first."""
    request = cast(Request, request)
    states = monitor.gravest_first(monitor.sources(request.access.tenant, now=timezone.now()))
    rows = [(state, monitor.concerns(state)) for state in states]
    context = {"rows": rows, "total": len(rows), "concerned": sum(1 for _, concerns in rows if concerns)}
    return render(request, "sources/list.html", context)


@for_administrators("GET", "HEAD")
def source(request: HttpRequest, source: int) -> HttpResponse:
    """`/sources/<id>/`: one source; for htmx, how far its run is."""
    request = cast(Request, request)
    if wants_fragment(request) and request.htmx.target == PROGRESS:
        row = closing.mine(request.access, source)
        return render(request, "sources/_progress.html", {"row": row, "going": _going(monitor.one(row, now=timezone.now()))})
    return _page(request, source)


@for_administrators("POST")
def close(request: HttpRequest, source: int) -> HttpResponse:
    """Close it at once."""
    closing.close(cast(Request, request).access, source)
    messages.success(request, _("The source is closed. Nobody reads anything of it from now on."))
    return redirect("source", source)


@for_administrators("POST")
def open_again(request: HttpRequest, source: int) -> HttpResponse:
    """Take back that it was closed by hand; what else keeps it closed is said."""
    request = cast(Request, request)
    closing.open_again(request.access, source)
    now = timezone.now()
    if identity.rights_are_fresh(closing.mine(request.access, source), now=now):
        messages.success(request, _("The source is open again."))
    else:
        messages.warning(request, _("It is no longer closed by hand, but its rights keep it closed."))
    return redirect("source", source)


@for_administrators("POST")
def confirm(request: HttpRequest, source: int) -> HttpResponse:
    """State that what a backup said of a restored source is right; what else it needs to open is said."""
    request = cast(Request, request)
    closing.confirm(request.access, source)
    row = closing.mine(request.access, source)
    if identity.rights_are_fresh(row, now=timezone.now()):
        messages.success(request, _("Its rights are confirmed, and the source is open."))
    elif row.closed_at is not None:
        messages.success(request, _("That is confirmed. An administrator had closed the source, and it stays closed."))
    elif row.kind == SourceKind.PUSH:
        messages.success(request, _("It opens when the other system confirms its rights the next time."))
    else:
        messages.success(request, _("It opens by itself after the next complete run, which confirms its rights."))
    return redirect("source", source)


@for_administrators("POST")
def sync(request: HttpRequest, source: int) -> HttpResponse:
    """Have a run started as soon as a worker is free."""
    request = cast(Request, request)
    row = closing.mine(request.access, source)
    if not _can_run(row):
        raise Unavailable
    if syncing.request(row, actor=request.access.user):
        messages.success(request, _("A run was asked for. It begins as soon as a worker is free."))
    else:
        messages.success(request, _("A run was asked for before. It begins as soon as a worker is free."))
    return redirect("source", source)


@for_administrators("POST")
def drill(request: HttpRequest, source: int) -> HttpResponse:
    """Withdraw the right of a canary, and say how long it took until nobody saw it."""
    request = cast(Request, request)
    row = closing.mine(request.access, source)
    try:
        found = canary.drill(row, actor=request.access.user)
    except EvidenceError as error:
        messages.error(request, words(error))
    else:
        told = {"span": lasting(found.took)}
        messages.success(request, _("Revocation drill: %(span)s after the right was withdrawn, nobody saw the canary.") % told)
    return redirect("source", source)


@for_administrators("POST")
@sensitive_variables()
def make_token(request: HttpRequest, source: int) -> HttpResponse:
    """A token with which another system pushes to the source; its secret is shown in the answer and never again."""
    request = cast(Request, request)
    row = closing.mine(request.access, source)
    form = TokenForm(request.POST)
    form.is_valid()
    sent = form.cleaned_data
    if once.was_used(request, sent["once"]):
        messages.warning(request, not_again())
        return redirect("source", source)
    try:
        made = tokens.make_for_source(request.access, row.name, name=sent["name"], days=sent["days"])
    except Refused as error:
        return _page(request, source, sent=sent, refused=words(error))
    once.use(request, sent["once"])
    return _page(request, source, made=made)


@for_administrators("POST")
def revoke_token(request: HttpRequest, source: int, token: int) -> HttpResponse:
    """End a token that pushes to the source."""
    request = cast(Request, request)
    row = closing.mine(request.access, source)
    tokens.revoke_of_source(request.access, row.name, token)
    messages.success(request, _("The token is revoked. Programs that use it get no answer any more."))
    return redirect("source", source)


@for_administrators("GET", "HEAD", "POST")
@sensitive_variables()
def why(request: HttpRequest) -> HttpResponse:
    """`/sources/why/`: why a person can or can't see a document. It is asked by a form: who asks about whom is written down."""
    request = cast(Request, request)
    form = WhyForm(request.POST if request.method == "POST" else request.GET)
    form.is_valid()
    context: dict[str, object] = {"sent": form.cleaned_data, "sources": _names(request)}
    if request.method == "POST":
        try:
            found = reasons.explain(request.access, **form.cleaned_data)
            condition = monitor.one(found.source, now=found.at).condition
            context |= {"found": found, "passed": _passed(found), "condition": condition}
        except Refused as error:
            context["refused"] = words(error)
    status = HTTPStatus.BAD_REQUEST if "refused" in context else HTTPStatus.OK
    return render(request, "sources/why.html", context, status=status)


def _page(
    request: Request, source: int, *, sent: Mapping[str, object] = _NEW_TOKEN, made: Made | None = None, refused: str = ""
) -> HttpResponse:
    now = timezone.now()
    found = inspection.inspect(request.access, source, now=now)
    row = found.state.source
    context = {
        "row": row,
        "found": found,
        "state": found.state,
        "concerns": monitor.concerns(found.state),
        "going": _going(found.state),
        "can_run": _can_run(row),
        "can_confirm": found.state.openness is Openness.RESTORED and not closing.waits_for_origin(row),
        "pushed": row.kind == SourceKind.PUSH,
        "drawn": _drawn(found),
        "days": inspection.DAYS,
        "outcomes": (Run.Outcome.COMPLETE, Run.Outcome.INCOMPLETE, Run.Outcome.FAILED),
        "sent": sent,
        once.FIELD: once.fresh(),
        "made": made,
        "refused": refused,
        "max_name": MAX_NAME,
        "max_days": MAX_DAYS,
    }
    return render(request, "sources/page.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)


def _drawn(found: Inspection) -> Mapping[str, object]:
    row = found.state.source
    now = timezone.now()
    return {
        "ages": charts.ages(found.confirmations, sla=row.revocation_sla, since=found.ages_since, now=now),
        "runs": charts.runs(found.endings, days=inspection.DAYS, today=timezone.localdate()),
        "revocations": charts.revocations(found.revocations, sla=row.revocation_sla),
    }


def _going(state: SourceState) -> Going | None:
    """What is said of a run; None where nothing goes on."""
    run = state.running
    if run is not None:
        return Going(run, waits=False, percent=min(run.done * 100 // run.total, 100) if run.total else None)
    is_due = state.next_try is not None and state.next_try <= timezone.now() + timedelta(seconds=1)
    return Going(None, waits=True, percent=None) if is_due else None


def _can_run(row: Source) -> bool:
    """Whether there is an origin to ask; what is pushed or brought only comes."""
    return row.kind in KINDS


def _passed(found: Explanation) -> Mapping[str, str]:
    """Each step of the path: "yes", "no", or "unasked" where the answer is no without it."""
    steps = {
        "person": found.standing is Standing.ACTIVE,
        "source": found.openness is Openness.OPEN,
        "rights": bool(found.allowing) and not found.denying,
        "origin": found.weighed.confirmed,
        "document": found.withdrawn_at is None and found.has_text,
    }
    told = {name: "yes" if passed else "no" for name, passed in steps.items()}
    return told | ({"origin": "unasked"} if found.weighed.live is Live.NOT_ASKED else {})


def _names(request: Request) -> list[tuple[str, str]]:
    """Short name and title of each source."""
    return list(Source.objects.filter(tenant=request.access.tenant).order_by("name").values_list("name", "title"))
