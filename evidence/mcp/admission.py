"""Who is let in at /mcp: a token that was made here, or one that the identity provider made for this address and no other.

Where the operator names the address (FUNDSTELLE_MCP_RESOURCE), clients learn from it which provider to ask (RFC 9728).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from evidence import identity, provider
from evidence.models import PERSONAL_SCOPES, Scope
from evidence.programs import refusals, tokens
from evidence.provider import NotAccepted

METADATA: Final = "/.well-known/oauth-protected-resource"
PREFIX: Final = "fundstelle."
"""Before the names of scopes at the provider, where other services have some, too."""
LONGEST: Final = 16_000
"""Characters of a token; longer ones fit no header."""


def bearer(request: HttpRequest) -> identity.Bearer | None:
    """Whom the request's token stands for now; None without a valid one. Raises provider.NoAnswer."""
    own = tokens.bearer(request)
    return _from_provider(tokens.sent(request)) if own is None and settings.MCP_RESOURCE else own


def unauthenticated(request: HttpRequest) -> HttpResponse:
    """No token, or none that is valid now; with the address that says where to get one."""
    response = refusals.unauthenticated(request)
    if settings.MCP_RESOURCE:
        where, scope = f"{_origin()}{METADATA}/mcp", f"{PREFIX}{Scope.READ}"
        response["WWW-Authenticate"] += f', resource_metadata="{where}", scope="{scope}"'
    return response


@csrf_exempt
@login_not_required
def metadata(request: HttpRequest) -> HttpResponse:
    """What clients ask before they send anybody to the provider; unavailable where none is set up for this."""
    if not settings.MCP_RESOURCE:
        return refusals.unavailable()
    if request.method not in {"GET", "HEAD"}:
        return refusals.method_not_allowed("GET, HEAD")
    stated = {
        "resource": settings.MCP_RESOURCE,
        "authorization_servers": [settings.OIDC_ISSUER],
        "scopes_supported": [f"{PREFIX}{scope}" for scope in PERSONAL_SCOPES],
        "bearer_methods_supported": ["header"],
        "resource_name": "Fundstelle",
    }
    return JsonResponse(stated, status=HTTPStatus.OK)


def _origin() -> str:
    parts = urlsplit(settings.MCP_RESOURCE)
    return f"{parts.scheme}://{parts.netloc}"


def _from_provider(token: str) -> identity.Bearer | None:
    if token.count(".") != 2 or len(token) > LONGEST:
        return None
    try:
        claims = provider.let_in(token)
    except NotAccepted:
        return None
    subject, issued = claims.get(settings.OIDC_SUBJECT_CLAIM), claims["iat"]
    if not isinstance(subject, str) or not isinstance(issued, int | float):
        return None
    return identity.for_subject(subject, since=datetime.fromtimestamp(issued, UTC), scopes=_scopes(claims))


def _scopes(claims: Mapping[str, object]) -> frozenset[str]:
    """RFC 9068 calls them scope; some providers scp."""
    said = claims.get("scope", claims.get("scp"))
    named = said.split() if isinstance(said, str) else said if isinstance(said, list) else []
    return frozenset(scope for scope in PERSONAL_SCOPES if f"{PREFIX}{scope}" in named)
