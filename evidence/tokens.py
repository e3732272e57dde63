"""Tokens: made, listed and revoked by the person whom programs act for, or by an administrator for a system that pushes.

What one lets a program see, identity says.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evidence import audit
from evidence.access import Access
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.models import PERSONAL_SCOPES, Role, Scope, Source, SourceKind, Tenant, Token

MARK: Final = "fst_"
"""What every secret begins with, so that people and scanners of source code recognise one."""
SHOWN: Final = 10
"""Characters of the secret that are kept for recognising it; more than 220 random bits stay unknown."""
SECRET_BYTES: Final = 32
DEFAULT_DAYS: Final = 90
MAX_DAYS: Final = 366
MAX_NAME: Final = 100


@dataclass(frozen=True, slots=True)
class Made:
    """A new token and its secret, which can't be had again."""

    token: Token
    secret: str


def make(access: Access, *, name: str, scopes: Collection[str], days: object = DEFAULT_DAYS) -> Made:
    """A new token for the person and tenant of this Access. Raises Refused, and Unavailable for someone who belongs nowhere."""
    if not scopes or not set(scopes) <= set(PERSONAL_SCOPES):
        raise Refused("token_scopes", gettext_noop("Choose what the token may do."))
    return _make(access, name, " ".join(scope for scope in PERSONAL_SCOPES if scope in scopes), days)


def make_for_source(access: Access, source: str, *, name: str, days: object = DEFAULT_DAYS) -> Made:
    """A new token with which another system pushes to the source of this short name, and can do nothing else.

    Raises Unavailable for a source that is not pushed, and for people who are no administrators; Refused.
    """
    return _make(access, name, Scope.PUSH.value, days, _pushed(access, source))


def own(access: Access) -> Sequence[Token]:
    """The person's tokens in this tenant, the newest first, revoked and expired ones too."""
    return list(Token.objects.filter(user=access.user, tenant=access.tenant, source=None))


def of_source(access: Access, source: str) -> Sequence[Token]:
    """The tokens of systems that push to this source, the newest first, whoever made them. Raises Unavailable."""
    return list(Token.objects.filter(source=_pushed(access, source)).select_related("user"))


def revoke(access: Access, token: int) -> None:
    """End one of the person's own tokens with its next request; one that has ended stays so. Raises Unavailable for any other."""
    person, tenant = _owner(access)
    row = Token.objects.filter(user=person, tenant=tenant, source=None, pk=token).first()
    if row is None:
        raise Unavailable
    end(row, actor=person)


def revoke_of_source(access: Access, source: str, token: int) -> None:
    """End a token of a system that pushes to this source. Raises Unavailable for any other."""
    person, _ = _owner(access)
    row = Token.objects.filter(source=_pushed(access, source), pk=token).first()
    if row is None:
        raise Unavailable
    end(row, actor=person)


def end(token: Token, *, actor: User) -> None:
    """Revoke any token, for the operator; one that has ended stays so."""
    with transaction.atomic():
        if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
            audit.record(token, "revoked", actor=actor)


def _owner(access: Access) -> tuple[User, Tenant]:
    if access.user is None or access.tenant is None:
        raise Unavailable
    return User.objects.get(pk=access.user), Tenant.objects.get(pk=access.tenant)


def _pushed(access: Access, name: str) -> Source:
    """The source of this name in the tenant of this administrator."""
    row = Source.objects.filter(tenant=access.tenant, name=name, kind=SourceKind.PUSH).first()
    if row is None or access.role != Role.ADMINISTRATOR:
        raise Unavailable
    return row


def _make(access: Access, name: str, scopes: str, days: object, source: Source | None = None) -> Made:
    person, tenant = _owner(access)
    if not (1 <= len(name.strip()) <= MAX_NAME and name.strip().isprintable()):
        raise Refused("token_name", gettext_noop("A token needs a name of at most %(limit)d characters."), limit=MAX_NAME)
    valid_for = timedelta(days=_days(days))
    secret = MARK + secrets.token_urlsafe(SECRET_BYTES)
    now = timezone.now()
    with transaction.atomic():
        token = Token.objects.create(
            user=person,
            tenant=tenant,
            name=name.strip(),
            prefix=secret[:SHOWN],
            digest=Token.digest_of(secret),
            scopes=scopes,
            source=source,
            created_at=now,
            expires_at=now + valid_for,
        )
        audit.record(token, "created", actor=person)
    return Made(token, secret)


def _days(value: object) -> int:
    if type(value) is not int or not 1 <= value <= MAX_DAYS:
        raise Refused("token_days", gettext_noop("A token is valid for 1 to %(limit)d days."), limit=MAX_DAYS)
    return value
