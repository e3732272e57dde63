"""Migrating citations: a dry run to look at, and an explicit approval by an editor."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from evidence import citations, succession
from evidence.errors import Refused, Unavailable
from evidence.succession import Outcome
from evidence.web.errors import words
from evidence.web.forms import MigrateForm
from evidence.web.request import Request


@require_http_methods(["GET", "HEAD", "POST"])
def migrate(request: HttpRequest) -> HttpResponse:
    """`/citations/migrate/`: the dry run (GET), and the successors of those that were chosen (POST). For editors."""
    request = cast(Request, request)
    if not succession.may_migrate(request.access):
        raise PermissionDenied
    form = MigrateForm(request.POST if request.method == "POST" else request.GET)
    if not form.is_valid():
        raise Unavailable
    if request.method != "POST":
        return _dry_run(request, form)
    chosen = form.cleaned_data["citation"]
    try:
        made = succession.approve(request.access, chosen)
    except Refused as error:
        return _dry_run(request, form, refused=words(error))
    return render(request, "citations/migrated.html", {"made": citations.several(request.access, made)})


def _dry_run(request: Request, form: MigrateForm, *, refused: str = "") -> HttpResponse:
    document, offset = form.cleaned_data["document"], form.cleaned_data["offset"] or 0
    found = succession.propose(request.access, document=document, offset=offset)
    waiting = succession.waiting(request.access, document=document)
    context = {
        "groups": [(outcome, [one for one in found if one.outcome is outcome]) for outcome in Outcome],
        "found": found,
        "document": document,
        "later": offset + succession.MAX_CITATIONS if offset + succession.MAX_CITATIONS < waiting else None,
        "refused": refused,
    }
    status = HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK
    return render(request, "citations/migrate.html", context, status=status)
