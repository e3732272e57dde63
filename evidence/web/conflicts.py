"""Conflicts in sources: the list, one with both sides beside each other, marking, settling and reopening."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from evidence import citations, identity
from evidence.access import Access
from evidence.citations import Cited
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.knowledge import conflicts, disputes
from evidence.knowledge.conflicts import MAX_MATTER, MAX_NOTE, PAGE, Named, Side
from evidence.web.errors import words
from evidence.web.forms import ConflictForm, ConflictsForm, SettleForm
from evidence.web.request import Request
from evidence.web.roles import for_whoever

OFFERED: Final = 50
"""One's own latest citations, to choose the other side from."""
_ID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LIMITS: Final[Mapping[str, object]] = {"most_matter": MAX_MATTER, "most_note": MAX_NOTE}


@require_safe
def several(request: HttpRequest) -> HttpResponse:
    """`/conflicts/`: open ones, or settled ones, of which the person may read both sides."""
    request = cast(Request, request)
    form = ConflictsForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    settled, offset = bool(form.cleaned_data["settled"]), form.cleaned_data["offset"] or 0
    found = conflicts.listed(request.access, settled=settled, offset=offset)
    is_open, is_settled = conflicts.counts(request.access)
    context = {
        "rows": found.rows,
        "settled": settled,
        "counts": {"open": is_open, "settled": is_settled},
        "first": offset + 1,
        "before": max(offset - PAGE, 0) if offset else None,
        "after": offset + PAGE if offset + PAGE < found.total else None,
        "may_mark": identity.may_propose(request.access),
    }
    return render(request, "conflicts/list.html", context)


@require_safe
def page(request: HttpRequest, conflict: UUID) -> HttpResponse:
    """`/conflicts/<id>/`: both sides beside each other, with who answers for them and what each is worth."""
    return _page(cast(Request, request), conflict)


@require_safe
def claims(request: HttpRequest, one: UUID, other: UUID) -> HttpResponse:
    """`/conflicts/claims/<id>/<id>/`: two claims that contradict each other by rule, beside each other."""
    sides = disputes.between(cast(Request, request).access, one, other)
    return render(request, "conflicts/claims.html", {"sides": sides})


@for_whoever(identity.may_propose, "GET", "HEAD", "POST")
@sensitive_variables()
def mark(request: HttpRequest) -> HttpResponse:
    """`/conflicts/mark/`: say which two contradict each other, and about what; posted to, it is marked."""
    request = cast(Request, request)
    form = ConflictForm(request.POST if request.method == "POST" else request.GET)
    form.is_valid()
    sent = form.cleaned_data
    if request.method != "POST":
        return _form(request, sent)
    try:
        sides = _named(request.access, sent["left"]), _named(request.access, sent["right"] or sent["own"])
        made = conflicts.mark(request.access, *sides, matter=sent["matter"], note=sent["note"])
    except (Refused, Unavailable) as error:
        return _form(request, sent, refused=words(error))
    messages.success(request, _("The contradiction is marked. Whoever may read both sides sees it at both of them."))
    return redirect("conflict", made)


@for_whoever(identity.may_propose, "POST")
@sensitive_variables()
def settle(request: HttpRequest, conflict: UUID) -> HttpResponse:
    """Say how it ended."""
    request = cast(Request, request)
    form = SettleForm(request.POST)
    form.is_valid()
    try:
        conflicts.settle(request.access, conflict, words=form.cleaned_data["words"])
    except Refused as error:
        return _page(request, conflict, refused=words(error), sent=form.cleaned_data["words"])
    messages.success(request, _("The contradiction is settled. It is no longer shown beside the passages, and can be reopened."))
    return redirect("conflict", conflict)


@for_whoever(identity.may_propose, "POST")
def reopen(request: HttpRequest, conflict: UUID) -> HttpResponse:
    """Take back that it was settled."""
    request = cast(Request, request)
    try:
        conflicts.reopen(request.access, conflict)
    except Refused as error:
        return _page(request, conflict, refused=words(error))
    messages.success(request, _("The contradiction is open again."))
    return redirect("conflict", conflict)


def _page(request: Request, conflict: UUID, *, refused: str = "", sent: str = "") -> HttpResponse:
    found = conflicts.get(request.access, conflict)
    context = {
        "conflict": found,
        "sides": [found.left, found.right],
        "may_settle": identity.may_propose(request.access),
        "refused": refused,
        "sent": sent or found.settlement,
        **_LIMITS,
    }
    return render(request, "conflicts/page.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)


def _form(request: Request, sent: Mapping[str, str], *, refused: str = "") -> HttpResponse:
    left = _known(request.access, sent["left"])
    context = {
        "sent": sent,
        "left": left,
        "own": [one for one in _own(request.access) if left is None or one.id != left.citation],
        "refused": refused,
        **_LIMITS,
    }
    return render(request, "conflicts/mark.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)


def _own(access: Access) -> Sequence[Cited]:
    """The person's latest citations that may be read."""
    found, _total = citations.own(access, limit=OFFERED)
    return [one for one in found if isinstance(one, Cited)]


def _known(access: Access, text: str) -> Side | None:
    """The side that this names; None where it names none that may be read."""
    try:
        return conflicts.about(access, _named(access, text)) if text else None
    except (Refused, Unavailable):
        return None


def _named(access: Access, text: str) -> Named:
    """What an address, or an id alone, names: a document by the address of its page, else a citation, else a document.

    Raises Refused where there is no id in it, and Unavailable.
    """
    if not text.strip():
        raise Refused("conflict_side", gettext_noop("Choose the other side, or paste the address of a citation or document."))
    found = _ID.search(text)
    if found is None:
        raise Refused("conflict_address", gettext_noop("This is no address of a citation or of a document."))
    named = UUID(found[0])
    if "documents/" in text[: found.start()]:
        return Named(document=named)
    try:
        conflicts.about(access, Named(citation=named))
    except Unavailable:
        return Named(document=named)
    return Named(citation=named)
