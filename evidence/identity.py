"""Who asks, and what that person may read now: the one statement of the visibility rule.

A class is readable when the person is active, the membership is active and in the class's tenant, a principal of the person
is allowed, none is denied, the source is not closed, its rights were confirmed within its revocation SLA, and a sensitive one
confirms them at this moment. Anything else means no.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evidence import live
from evidence.access import Access, Withheld
from evidence.models import AccessRule, Closed, Effect, Membership, Role, Source, SourceKind, Tenant, Token

NOBODY = Access(user=None, tenant=None, role="", classes=frozenset())
"""Someone who is not signed in, is inactive or belongs nowhere."""
MAY_MIGRATE: Final = frozenset({Role.EDITOR})
"""Roles that give citations successors."""
MAY_UPLOAD: Final = frozenset({Role.EDITOR, Role.ADMINISTRATOR})
"""Roles that bring documents and say who may read them. What they see of other documents is for their groups to say."""
USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""How exactly the last use of a token is known: a write with every request would make reading wait for imports."""


class Openness(StrEnum):
    """Whether a source's rights count now, and if not, why. A sensitive one must confirm them for each person beside that."""

    OPEN = "open"
    NEVER_CONFIRMED = "never_confirmed"
    TOO_OLD = "too_old"
    AHEAD = "ahead"  # confirmed in the future: the clock was set back
    CLOSED = "closed"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Bearer:
    """What a valid token stands for. token: its key, which limits are counted by; scopes: values of models.Scope."""

    token: int
    scopes: frozenset[str]
    access: Access


def for_user(user: AbstractBaseUser | AnonymousUser, *, tenant: str = "") -> Access:
    """The Access of a signed-in person in the tenant with this short name, else in the first one they belong to."""
    memberships = _memberships(user)
    chosen = next((one for one in memberships if one.tenant.slug == tenant), next(iter(memberships), None))
    return NOBODY if chosen is None else _for_membership(chosen, now=timezone.now())


def for_token(secret: str) -> Bearer | None:
    """Whom a program acts for, and what it may do; None for a secret that is unknown, expired or revoked.

    The person must be active and an active member of the token's tenant now, as for a page.
    """
    now = timezone.now()
    token = Token.objects.valid(now).filter(source=None, digest=Token.digest_of(secret)).first()
    if token is None:
        return None
    membership = _active(token.user_id).filter(tenant=token.tenant_id).first()
    if membership is None:
        return None
    _note_use(token, now=now)
    return Bearer(token=token.pk, scopes=token.scope_set(), access=_for_membership(membership, now=now))


def tenants(user: AbstractBaseUser | AnonymousUser) -> Sequence[Tenant]:
    """The tenants that this person can choose from, by name."""
    return [membership.tenant for membership in _memberships(user)]


def _note_use(token: Token, *, now: datetime) -> None:
    if token.last_used_at is None or token.last_used_at + USE_NOTED_EVERY <= now:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)


def _memberships(user: AbstractBaseUser | AnonymousUser) -> Sequence[Membership]:
    if not user.is_authenticated or not user.is_active:
        return []
    return list(_active(user.pk).select_related("tenant").order_by("tenant__name", "tenant_id"))


def _active(user: int) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user, active=True, user__is_active=True)


def _for_membership(membership: Membership, *, now: datetime) -> Access:
    groups = _groups(membership, now=now)
    announced = Source.announced_to.through.objects.filter(source_id=OuterRef("pk"), group_id__in=groups)
    sources = list(Source.objects.filter(tenant=membership.tenant_id).annotate(announced=Exists(announced)))
    fresh = {source.pk: source for source in sources if rights_are_fresh(source, now=now)}
    mine = AccessRule.objects.filter(Q(group__in=groups) | Q(user=membership.user_id), access_class__source__in=fresh)
    rules = set(mine.values_list("access_class", "effect", "access_class__source"))
    denied = {one for one, effect, _ in rules if effect == Effect.DENY}
    readable: dict[int, set[int]] = {}
    for one, effect, source in rules:
        if effect == Effect.ALLOW and one not in denied:
            readable.setdefault(source, set()).add(one)
    asked = {pk: classes for pk, classes in readable.items() if fresh[pk].sensitive}
    confirmed = live.confirmed(asked, user=membership.user_id, groups=groups)
    withheld = {pk for pk in asked if confirmed.get(pk) is None}
    classes = {one for pk, some in readable.items() for one in (some if pk not in asked else confirmed.get(pk) or ())}
    return Access(
        user=membership.user_id,
        tenant=membership.tenant_id,
        role=membership.role,
        classes=frozenset(classes),
        withheld=tuple(
            Withheld(source=source.name, title=source.title, contact=source.contact)
            for source in sources
            if source.announced and (source.pk not in fresh or source.pk in withheld)
        ),
    )


def _groups(membership: Membership, *, now: datetime) -> Sequence[int]:
    """The person's groups that count now."""
    return list(membership.groups.filter(tenant=membership.tenant_id).values_list("pk", flat=True))


def may_upload(access: Access) -> bool:
    """Whether this person may bring documents and say who reads them."""
    return access.role in MAY_UPLOAD


def rights_are_fresh(source: Source, *, now: datetime) -> bool:
    """Whether the source's rights count now: not closed, and kept here, or confirmed no longer ago than its SLA (and not in the
    future).
    """
    return openness(source, now=now) is Openness.OPEN


def openness(source: Source, *, now: datetime) -> Openness:
    """Whether the source's rights count now, and if not, why. Every other answer is derived from this one."""
    if source.closed_at is not None:
        return Openness.RESTORED if source.closed_because == Closed.RESTORED else Openness.CLOSED
    if source.kind == SourceKind.LOCAL:
        return Openness.OPEN
    if source.rights_confirmed_at is None:
        return Openness.NEVER_CONFIRMED
    age = now - source.rights_confirmed_at
    if age < timedelta():
        return Openness.AHEAD
    return Openness.OPEN if age <= source.revocation_sla else Openness.TOO_OLD
