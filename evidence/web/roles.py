"""Views that only people in some role have. To others such an address is none at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from evidence import identity
from evidence.access import Access
from evidence.errors import Unavailable
from evidence.web.request import Request

View = Callable[..., HttpResponse]


def for_administrators(*methods: str) -> Callable[[View], View]:
    """The same view for these methods, and for administrators of a tenant."""
    return _only(identity.may_administer, methods)


def for_curators(*methods: str) -> Callable[[View], View]:
    """The same view for these methods, and for curators and administrators of a tenant."""
    return _only(identity.may_curate, methods)


def for_whoever(may: Callable[[Access], bool], *methods: str) -> Callable[[View], View]:
    """The same view for these methods, and for whom this holds."""
    return _only(may, methods)


def _only(may: Callable[[Access], bool], methods: tuple[str, ...]) -> Callable[[View], View]:
    """Others can't tell that there is one: neither a missing CSRF token nor a wrong method is looked at before the role."""

    def decorate(view: View) -> View:
        protected = csrf_protect(require_http_methods(methods)(view))

        @csrf_exempt
        @wraps(view)
        def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if not may(cast(Request, request).access):
                raise Unavailable
            return protected(request, *args, **kwargs)

        return checked

    return decorate
