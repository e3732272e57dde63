"""For whatever watches the process: it answers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """`/healthz`: nothing but that requests are served."""
    return HttpResponse("ok\n", content_type="text/plain")
