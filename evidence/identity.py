"""Who asks, and what that person may read now: the one statement of the visibility rule.

A class is readable when the person is active, the membership is active and in the class's tenant, a principal of the person
is allowed, none is denied, the source is not closed, its rights were confirmed within its revocation SLA, and a sensitive one
confirms them at this moment. Anything else means no.

Groups that an identity provider says people are in count while it has said so of this person within OIDC_GROUPS_SLA: at a
sign-in, or, where it pushes people by SCIM, by any call that it made, of the groups that it pushes. Later nobody knows whether
the person is in a group of that provider: none of them lets the person in any more, and every one that a rule denies keeps the
person out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import OperationalError
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from evidence import live
from evidence.access import Access, Withheld
from evidence.models import (
    RESTORED,
    AccessClass,
    AccessRule,
    Effect,
    Group,
    Identity,
    Membership,
    Provider,
    Provisioned,
    Role,
    Source,
    SourceKind,
    Space,
    Tenant,
    Token,
)

NOBODY = Access(user=None, tenant=None, role="", classes=frozenset())
"""Someone who is not signed in, is inactive or belongs nowhere."""
MAY_MIGRATE: Final = frozenset({Role.EDITOR})
"""Roles that give citations successors."""
MAY_UPLOAD: Final = frozenset({Role.EDITOR, Role.ADMINISTRATOR})
"""Roles that bring documents and say who may read them. What they see of other documents is for their groups to say."""
MAY_CURATE: Final = frozenset({Role.CURATOR, Role.ADMINISTRATOR})
"""Roles that look after what is found: unsuccessful searches and evaluations. It lets them read nothing."""
MAY_PROPOSE: Final = frozenset({Role.EDITOR, Role.CURATOR, Role.REVIEWER})
"""Roles that propose what a space of knowledge shall say, and mark what contradicts. Administrators see no texts."""
MAY_REVIEW: Final = frozenset({Role.REVIEWER})
"""Roles that decide about what others propose."""
MAY_ADMINISTER: Final = frozenset({Role.ADMINISTRATOR})
"""Roles that see how sources are doing, close and open them. It lets them read nothing."""
USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""How exactly the last use of a token is known: a write with every request would make reading wait for imports."""
_IDENTITY: Final = -1
"""No key of a row: marks identities among groups."""


class Openness(StrEnum):
    """Whether a source's rights count now, and if not, why. A sensitive one must confirm them for each person beside that."""

    OPEN = "open"
    NEVER_CONFIRMED = "never_confirmed"
    TOO_OLD = "too_old"
    AHEAD = "ahead"  # confirmed in the future: the clock was set back
    CLOSED = "closed"
    RESTORED = "restored"


class Standing(StrEnum):
    """Whether a person counts as a member of a tenant now, and if not, why."""

    ACTIVE = "active"
    ACCOUNT_INACTIVE = "account_inactive"
    MEMBERSHIP_INACTIVE = "membership_inactive"


class Live(StrEnum):
    """What the origin of a sensitive source says at this moment of one person and one access class."""

    NOT_NEEDED = "not_needed"  # the source is not sensitive
    NOT_ASKED = "not_asked"  # the answer is no without it
    YES = "yes"
    NO = "no"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a membership: those that count now, and those of which it was last heard too long ago.

    denying: groups that rules deny and that the person may be in for all that is known. They keep out, as counting ones do.
    """

    counting: tuple[int, ...]
    too_old: tuple[int, ...] = ()
    denying: tuple[int, ...] = ()


class Weighed(NamedTuple):
    """What speaks for and against one person's reading one access class. allowing, denying: the rules that name the person.

    A tuple, for an Access is made of thousands of them.
    """

    source: int
    openness: Openness
    allowing: Sequence[int] = ()
    denying: Sequence[int] = ()
    live: Live = Live.NOT_ASKED

    @property
    def granted(self) -> bool:
        """Whether the rules let this person in, and count now."""
        return bool(self.allowing) and not self.denying and self.openness is Openness.OPEN

    @property
    def confirmed(self) -> bool:
        """Whether the origin agrees, or need not be asked."""
        return self.live is Live.NOT_NEEDED or self.live is Live.YES

    @property
    def readable(self) -> bool:
        """Whether this person reads the class now."""
        return self.granted and self.confirmed


@dataclass(frozen=True, slots=True)
class Bearer:
    """What a valid token stands for. token: its key, which limits are counted by (negative: of a person whom the identity
    provider names); scopes: values of models.Scope.

    source: which one a token of another system pushes to. Such a token reads nothing.
    """

    token: int
    scopes: frozenset[str]
    access: Access
    source: Source | None = None


def for_user(user: AbstractBaseUser | AnonymousUser, *, tenant: str = "") -> Access:
    """The Access of a signed-in person in the tenant with this short name, else in the first one they belong to."""
    memberships = _memberships(user)
    chosen = next((one for one in memberships if one.tenant.slug == tenant), next(iter(memberships), None))
    return NOBODY if chosen is None else _for_membership(chosen, now=timezone.now())


def for_token(secret: str) -> Bearer | None:
    """Whom a program acts for, and what it may do; None for a secret that is unknown, expired or revoked.

    The person must be active and an active member of the token's tenant now, as for a page. A token that pushes is the source's,
    whoever made it.
    """
    now = timezone.now()
    found = Token.objects.valid(now).filter(digest=Token.digest_of(secret)).select_related("source__tenant").first()
    if found is None:
        return None
    access = NOBODY
    if found.source is None:
        membership = next(iter(_active(Membership.objects.filter(user=found.user_id, tenant=found.tenant_id))), None)
        if membership is None:
            return None
        access = _for_membership(membership, now=now)
    _note_use(found, now=now)
    return Bearer(token=found.pk, scopes=found.scope_set(), access=access, source=found.source)


def for_subject(subject: str, *, since: datetime, scopes: Collection[str]) -> Bearer | None:
    """Whom a program acts for with a token that the identity provider made at this time for this person; None for somebody who
    has never been here, who signed out since, or who is no active member of the provider's tenant now.
    """
    found = Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject).first()
    if found is None or (found.signed_out_at is not None and found.signed_out_at >= since):
        return None
    memberships = Membership.objects.filter(user=found.user_id, tenant__slug=settings.OIDC_TENANT)
    membership = next(iter(_active(memberships)), None)
    if membership is None:
        return None
    access = _for_membership(membership, now=timezone.now())
    return Bearer(token=-found.pk, scopes=frozenset(scopes), access=access)


def tenants(user: AbstractBaseUser | AnonymousUser) -> Sequence[Tenant]:
    """The tenants that this person can choose from, by name."""
    return [membership.tenant for membership in _memberships(user)]


def surroundings(access: Access, user: AbstractBaseUser | AnonymousUser) -> tuple[Sequence[Tenant], bool]:
    """The same, and whether a space of knowledge is open to this Access of the person's, in one query: every page asks."""
    spaces = Space.objects.readable(access).filter(tenant=OuterRef("tenant"))
    found = _active(_memberships_of(user).annotate(has_space=Exists(spaces)))
    return [one.tenant for one in found], any(one.has_space for one in found)  # type: ignore[attr-defined]


def _note_use(token: Token, *, now: datetime) -> None:
    if token.last_used_at is None or token.last_used_at + USE_NOTED_EVERY <= now:
        with suppress(OperationalError):  # a database that takes no changes now still lets people read
            Token.objects.filter(pk=token.pk).update(last_used_at=now)


def standing(membership: Membership) -> Standing:
    """Whether this person counts as a member of this tenant now."""
    if not membership.user.is_active:
        return Standing.ACCOUNT_INACTIVE
    return Standing.ACTIVE if membership.active else Standing.MEMBERSHIP_INACTIVE


def groups_of(membership: Membership, *, now: datetime) -> Groups:
    """The person's groups in this tenant."""
    mine, heard = _groups_and_heard(membership)
    fresh = {issuer for issuer, at in heard.items() if _counts(at, now=now)}
    counting: list[int] = []
    too_old: list[int] = []
    pushes = settings.OIDC_ISSUER if settings.SCIM_TOKEN else ""
    for group, issuer, refused_at, pushed in mine:
        said = issuer in fresh and (pushed or issuer != pushes)
        known = not issuer or (said and (refused_at is None or _counts(refused_at, now=now)))
        (counting if known else too_old).append(group)
    unknown = Q(pk__in=too_old) | Q(issuer__in=set(heard) - fresh)
    unknown |= Q(issuer__in=fresh, provisioned__refused_at__lt=now - settings.OIDC_GROUPS_SLA)
    if pushes in fresh:  # of a group that it does not push, it says nothing
        unknown |= Q(issuer=pushes, provisioned=None)
    denying = Group.objects.filter(unknown, tenant=membership.tenant_id, access_rules__effect=Effect.DENY) if heard else []
    return Groups(tuple(counting), tuple(too_old), tuple({group.pk for group in denying} | set(too_old)))


def _groups_and_heard(
    membership: Membership,
) -> tuple[Sequence[tuple[int, str, datetime | None, bool]], Mapping[str, datetime | None]]:
    """The groups, each with its issuer, since when a change of it is refused and whether it is pushed; and the identity
    providers that know this person, each with when it last said which groups the person is in. One query for both: every
    request of everybody makes it.
    """
    groups = membership.groups.filter(tenant=membership.tenant_id).order_by()
    identities = Identity.objects.filter(user=membership.user_id)
    rows = groups.values_list("pk", "issuer", "provisioned__refused_at", Coalesce("provisioned", 0)).union(
        identities.values_list("pk", "issuer", "groups_at", Value(_IDENTITY)), all=True
    )
    mine: list[tuple[int, str, datetime | None, bool]] = []
    heard: dict[str, datetime | None] = {}
    for pk, issuer, at, pushed in rows:
        if pushed == _IDENTITY:
            heard[issuer] = max(filter(None, (heard.get(issuer), at)), default=None)
        else:
            mine.append((pk, issuer, at, bool(pushed)))
    if settings.SCIM_TOKEN and settings.OIDC_ISSUER in heard:
        heard[settings.OIDC_ISSUER] = _heard_by_pushing(membership.user_id, settings.OIDC_ISSUER)
    return mine, heard


def _heard_by_pushing(user: int, issuer: str) -> datetime | None:
    """Who pushes has said nothing of people that it does not push, or not as active; and of others while a change is refused."""
    pushed = Provisioned.objects.filter(user=user, issuer=issuer, active=True).first()
    heard = Provider.objects.filter(issuer=issuer).values_list("heard_at", flat=True).first()
    if pushed is None or heard is None:
        return None
    return heard if pushed.refused_at is None else min(heard, pushed.refused_at)


def _counts(at: datetime | None, *, now: datetime) -> bool:
    """Whether what was heard then counts now: not longer ago than allowed, and not in the future."""
    return at is not None and timedelta() <= now - at <= settings.OIDC_GROUPS_SLA


def weigh(membership: Membership, access_class: AccessClass, *, now: datetime) -> Weighed:
    """What speaks for and against this person's reading this class, as an Access weighs it; the origin is asked as then."""
    source = access_class.source
    groups = groups_of(membership, now=now)
    rules = AccessRule.objects.filter(access_class=access_class)
    found = _weigh(membership.user_id, groups, {source.pk: source}, rules, now=now)
    nothing = Weighed(source.pk, openness(source, now=now), live=Live.NOT_ASKED if source.sensitive else Live.NOT_NEEDED)
    return found.get(access_class.pk, nothing)


def _memberships(user: AbstractBaseUser | AnonymousUser) -> Sequence[Membership]:
    return _active(_memberships_of(user))


def _memberships_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Membership]:
    if not user.is_authenticated or not user.is_active:
        return Membership.objects.none()
    return Membership.objects.filter(user=user.pk).order_by("tenant__name", "tenant_id")


def _active(memberships: QuerySet[Membership]) -> Sequence[Membership]:
    return [one for one in memberships.select_related("tenant", "user") if standing(one) is Standing.ACTIVE]


def _for_membership(membership: Membership, *, now: datetime) -> Access:
    groups = groups_of(membership, now=now)
    announced = Source.announced_to.through.objects.filter(source_id=OuterRef("pk"), group_id__in=groups.counting)
    sources = list(Source.objects.filter(tenant=membership.tenant_id).annotate(announced=Exists(announced)))
    fresh = {source.pk: source for source in sources if rights_are_fresh(source, now=now)}
    rules = AccessRule.objects.filter(access_class__source__in=fresh)
    weighed = _weigh(membership.user_id, groups, fresh, rules, now=now)
    silent = {one.source for one in weighed.values() if one.live is Live.SILENT}
    return Access(
        user=membership.user_id,
        tenant=membership.tenant_id,
        role=membership.role,
        classes=frozenset(pk for pk, one in weighed.items() if one.readable),
        withheld=tuple(
            Withheld(source=source.name, title=source.title, contact=source.contact)
            for source in sources
            if source.announced and (source.pk not in fresh or source.pk in silent)
        ),
        groups=frozenset(groups.counting),
    )


def _weigh(
    user: int, groups: Groups, sources: Mapping[int, Source], rules: QuerySet[AccessRule], *, now: datetime
) -> Mapping[int, Weighed]:
    """Each access class of these sources that a rule about this person is in, with what sensitive sources say of it now."""
    allowing: dict[int, list[int]] = {}
    denying: dict[int, list[int]] = {}
    source_of: dict[int, int] = {}
    about = Q(group__in=groups.counting) | Q(user=user) | Q(group__in=groups.denying, effect=Effect.DENY)
    mine = rules.filter(about).values_list("pk", "access_class", "effect", "access_class__source")
    for rule, one, effect, source in mine:
        (allowing if effect == Effect.ALLOW else denying).setdefault(one, []).append(rule)
        source_of[one] = source
    says = {
        pk: (openness(source, now=now), Live.NOT_ASKED if source.sensitive else Live.NOT_NEEDED) for pk, source in sources.items()
    }
    weighed = {}
    for one, source in source_of.items():
        open_now, live_now = says[source]
        weighed[one] = Weighed(source, open_now, allowing.get(one, ()), denying.get(one, ()), live_now)
    return {**weighed, **_asked(weighed, user=user, groups=groups)}


def _asked(weighed: Mapping[int, Weighed], *, user: int, groups: Groups) -> Mapping[int, Weighed]:
    """Those that their sensitive sources must confirm, with what they say now."""
    asked: dict[int, set[int]] = {}
    for one, found in weighed.items():
        if found.live is Live.NOT_ASKED and found.granted:
            asked.setdefault(found.source, set()).add(one)
    answers = live.confirmed(asked, user=user, groups=groups.counting, denying=groups.denying)
    return {
        one: weighed[one]._replace(live=_answer(one, answers.get(source))) for source, classes in asked.items() for one in classes
    }


def _answer(access_class: int, confirmed: Collection[int] | None) -> Live:
    if confirmed is None:
        return Live.SILENT
    return Live.YES if access_class in confirmed else Live.NO


def may_upload(access: Access) -> bool:
    """Whether this person may bring documents and say who reads them."""
    return access.role in MAY_UPLOAD


def may_curate(access: Access) -> bool:
    """Whether this person looks after what is found in the tenant."""
    return access.role in MAY_CURATE


def may_propose(access: Access) -> bool:
    """Whether this person may propose what spaces of knowledge shall say, and mark what contradicts."""
    return access.role in MAY_PROPOSE


def may_review(access: Access) -> bool:
    """Whether this person decides about what others propose."""
    return access.role in MAY_REVIEW


def may_administer(access: Access) -> bool:
    """Whether this person answers for the sources of the tenant."""
    return access.role in MAY_ADMINISTER


def rights_are_fresh(source: Source, *, now: datetime) -> bool:
    """Whether the source's rights count now: not closed, and kept here, or confirmed no longer ago than its SLA (and not in the
    future).
    """
    return openness(source, now=now) is Openness.OPEN


def openness(source: Source, *, now: datetime) -> Openness:
    """Whether the source's rights count now, and if not, why. Every other answer is derived from this one."""
    if source.closed_at is not None:
        return Openness.RESTORED if source.closed_because in RESTORED else Openness.CLOSED
    if source.kind == SourceKind.LOCAL:
        return Openness.OPEN
    if source.rights_confirmed_at is None:
        return Openness.NEVER_CONFIRMED
    age = now - source.rights_confirmed_at
    if age < timedelta():
        return Openness.AHEAD
    return Openness.OPEN if age <= source.revocation_sla else Openness.TOO_OLD
