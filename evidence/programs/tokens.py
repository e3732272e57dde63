"""The token of a request: whom it stands for, and how often it calls. Cookies count for nothing here."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest

from evidence import identity, pace

SCHEME: Final = "bearer"


def sent(request: HttpRequest) -> str:
    """The token in `Authorization: Bearer <token>`; empty without one."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == SCHEME else ""


def bearer(request: HttpRequest) -> identity.Bearer | None:
    """Whom the token stands for now; None without a valid one."""
    secret = sent(request)
    return identity.for_token(secret) if secret else None


def counted(token: int) -> bool:
    """Count a call with this token, in this process of the server, and say whether it is still within the limit of a minute."""
    return pace.counted(f"calls:{token}") <= settings.API_CALLS_PER_MINUTE


def wait() -> float:
    """Seconds until the next minute begins."""
    return pace.wait()
