"""For whatever watches the process: it answers, and it can do its work. Nothing more is told: anybody may ask."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evidence import readiness


@login_not_required
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """`/healthz`: nothing but that requests are served."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """`/readyz`: whether requests can be answered as they should be, else the codes of what is in the way, one a line."""
    faults = readiness.faults()
    status = HTTPStatus.SERVICE_UNAVAILABLE if faults else HTTPStatus.OK
    return HttpResponse("".join(f"{line}\n" for line in faults or ["ok"]), content_type="text/plain", status=status)
