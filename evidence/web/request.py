"""A request as the views get it: who asks has been settled before they run."""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from evidence.access import Access


class Request(HttpRequest):
    """What the middlewares add. Views read `access` and hand it on; none builds one."""

    access: Access
    htmx: HtmxDetails


def wants_fragment(request: Request) -> bool:
    """Whether htmx puts the answer into a page that stands; going back in the history asks for the whole page."""
    return bool(request.htmx) and not request.htmx.history_restore_request
