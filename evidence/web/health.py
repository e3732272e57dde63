"""For whatever watches the process: it answers, and it can do its work. Nothing more is told: anybody may ask."""

from __future__ import annotations

import logging
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evidence import alarms, readiness

logger = logging.getLogger(__name__)


@login_not_required
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """`/healthz`: nothing but that requests are served."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """`/readyz`: whether requests can be answered as they should be, else the codes of what is in the way, one a line.

    Where no worker is seen, whoever asks this makes that known.
    """
    faults = readiness.faults()
    if "worker" in faults:
        _raise_alarms()
    status = HTTPStatus.SERVICE_UNAVAILABLE if faults else HTTPStatus.OK
    return HttpResponse("".join(f"{line}\n" for line in faults or ["ok"]), content_type="text/plain", status=status)


def _raise_alarms() -> None:
    try:
        alarms.check_without_worker()
    except Exception as fault:  # the answer is the same
        logger.warning("alarms: %s", type(fault).__name__)
