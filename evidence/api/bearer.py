"""Who calls: a bearer token, its scope, and how often it calls. Cookies count for nothing here."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest
from ninja.security.http import HttpAuthBase
from ninja.throttling import BaseThrottle

from evidence import identity
from evidence.access import Access
from evidence.models import Scope
from evidence.programs import tokens
from evidence.programs.refusals import ScopeMissing


class Call(HttpRequest):
    """A request as calls get it."""

    auth: identity.Bearer


def access(request: HttpRequest) -> Access:
    """What the person of the token may read now."""
    return cast(Call, request).auth.access


class Bearer(HttpAuthBase):
    """`Authorization: Bearer <token>`, with this scope."""

    openapi_scheme: str = tokens.SCHEME

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> identity.Bearer | None:
        """Whom the token stands for; None lets the caller answer 401."""
        bearer = tokens.bearer(request)
        if bearer is not None and self.scope not in bearer.scopes:
            raise ScopeMissing(self.scope)
        return bearer


class PerToken(BaseThrottle):
    """So many requests a minute with one token."""

    def allow_request(self, request: HttpRequest) -> bool:
        """Count this request, and say whether it is still within the limit."""
        return tokens.counted(cast(Call, request).auth.token)

    def wait(self) -> float:
        """Seconds until the next minute begins."""
        return tokens.wait()
