"""Who calls: a bearer token, its scope, and how often it calls. Cookies count for nothing here."""

from __future__ import annotations

import time
from typing import Final, cast

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from ninja.security.http import HttpAuthBase
from ninja.throttling import BaseThrottle

from evidence import identity
from evidence.access import Access
from evidence.api.errors import ScopeMissing
from evidence.models import Scope

WINDOW: Final = 60
"""Seconds over which requests are counted."""


class Call(HttpRequest):
    """A request as calls get it."""

    auth: identity.Bearer


def access(request: HttpRequest) -> Access:
    """What the person of the token may read now."""
    return cast(Call, request).auth.access


class Bearer(HttpAuthBase):
    """`Authorization: Bearer <token>`, with this scope."""

    openapi_scheme: str = "bearer"

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> identity.Bearer | None:
        """Whom the token stands for; None lets the caller answer 401."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        bearer = identity.for_token(secret.strip()) if scheme.lower() == self.openapi_scheme else None
        if bearer is not None and self.scope not in bearer.scopes:
            raise ScopeMissing(self.scope)
        return bearer


class PerToken(BaseThrottle):
    """So many requests a minute with one token, counted by each process of the server for itself."""

    def allow_request(self, request: HttpRequest) -> bool:
        """Count this request, and say whether it is still within the limit."""
        key = f"calls:{cast(Call, request).auth.token}:{int(time.time() // WINDOW)}"
        if cache.add(key, 1, timeout=2 * WINDOW):
            return settings.API_CALLS_PER_MINUTE >= 1
        return cache.incr(key) <= settings.API_CALLS_PER_MINUTE

    def wait(self) -> float:
        """Seconds until the next minute begins."""
        return WINDOW - time.time() % WINDOW
