"""People whom an identity provider knows: their accounts, memberships and groups, kept as the provider says.

Who somebody is, issuer and subject say, and nothing else: no name and no address of mail is compared with anything, and an
account that exists is never joined to an identity because both look alike. Groups are known by issuer and id in the same way;
what rules call a group is its name here, which an administrator gives (`manage.py creategroup`), never the provider.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from evidence import audit
from evidence.claims import GroupsUnknown, Names, Stated
from evidence.errors import EvidenceError, gettext_noop
from evidence.models import Group, Identity, Membership, Provisioned, Role, Tenant

OURS: Final = "scim:"
"""How the id of a pushed group begins that its provider gave none: no claim can name it."""
_MAX_BASE: Final = 60
"""Characters of a user name that come from the provider: enough to be known by, with room for what keeps names apart."""
_KEEPS_APART: Final = (8, 16, 32, 64)
"""Digits of the digest behind a name; the first length that is free is taken."""


class NotAllowed(EvidenceError):
    """The provider knows this person, and there is no place for that person here. The code says why."""


def signed_in(stated: Stated, *, now: datetime) -> Identity:
    """Who this is, with the account, the membership and the groups that follow from it. Raises NotAllowed.

    Somebody new gets an account without a password and reads in the operator's tenant. Where the provider pushes people by SCIM,
    it says there who is in which group, and a token says nothing of it.
    """
    with transaction.atomic():
        identity = _known(stated.subject) or _new(stated)
        _refuse_without_place(identity)
        _show_names(identity.user, stated.names)
        if not settings.SCIM_TOKEN:
            _take_groups(identity, stated, now=now)
    return identity


def signed_out(subject: str, *, now: datetime) -> None:
    """The provider says that this person signed out there: so it is here, and the groups must be confirmed anew."""
    with transaction.atomic():
        identity = _known(subject)
        if identity is not None:
            end_sessions(identity, now=now)


def end_sessions(identity: Identity, *, now: datetime) -> None:
    """Of this person, everywhere, from the next request on. Groups of the provider count again after the next sign-in."""
    identity.signed_out_at, identity.groups_at = now, None
    identity.save(update_fields=["signed_out_at", "groups_at"])
    audit.record(identity, "signed_out", actor=None)


def is_signed_in(identity: int, user: int, *, since: datetime) -> bool:
    """Whether a session that began then as this person still holds."""
    found = Identity.objects.filter(pk=identity, user=user, issuer=settings.OIDC_ISSUER).first()
    return found is not None and (found.signed_out_at is None or found.signed_out_at < since)


def of_provider() -> Tenant:
    """The tenant that the provider's people come into. Raises NotAllowed when the operator named one that does not exist."""
    tenant = Tenant.objects.filter(slug=settings.OIDC_TENANT).first()
    if tenant is None:
        raise NotAllowed("oidc_tenant", gettext_noop("The tenant for people of this identity provider does not exist."))
    return tenant


def new_account(names: Names, *, key: str) -> User:
    """An account that only the provider opens. key: what tells this person from all others of the provider."""
    user = User(username=_free_name(names.user, key), first_name=names.given, last_name=names.family)
    user.set_unusable_password()
    user.save()
    audit.record(user, "created", actor=None)
    return user


def new_membership(user: User, tenant: Tenant) -> Membership:
    """A reader in this tenant, unless there is a membership already: that one stays as it is."""
    membership, is_new = Membership.objects.get_or_create(user=user, tenant=tenant, defaults={"role": Role.READER})
    if is_new:
        audit.record(membership, "created", actor=None)
    return membership


def group_of(tenant: Tenant, external_id: str) -> Group:
    """The provider's group with this id; made, with a name that no rule can have meant, where there is none."""
    known = Group.objects.filter(tenant=tenant, issuer=settings.OIDC_ISSUER, external_id=external_id)
    found = known.first()
    if found is not None:
        return found
    names = _numbered("idp-", f"{settings.OIDC_ISSUER}\n{external_id}")
    name = next(one for one in names if not Group.objects.filter(tenant=tenant, name__iexact=one).exists())
    try:
        with transaction.atomic():
            group = Group.objects.create(tenant=tenant, issuer=settings.OIDC_ISSUER, external_id=external_id, name=name)
    except IntegrityError:  # somebody else in it came in at the same time
        return known.get()
    audit.record(group, "created", actor=None)
    return group


def set_groups(membership: Membership, wanted: Iterable[Group]) -> None:
    """Make the person's groups of the provider exactly these; groups kept here and of others stay."""
    mine = {group.pk for group in membership.groups.filter(issuer=settings.OIDC_ISSUER)}
    chosen = {group.pk for group in wanted}
    if mine != chosen:
        membership.groups.remove(*mine - chosen)
        membership.groups.add(*chosen - mine)
        audit.record(membership, "changed", actor=None)


def _known(subject: str) -> Identity | None:
    """Locked: sign-ins of one person come one after the other."""
    known = Identity.objects.select_for_update(of=("self",)).select_related("user")
    return known.filter(issuer=settings.OIDC_ISSUER, subject=subject).first()


def _new(stated: Stated) -> Identity:
    if not settings.OIDC_CREATE_PEOPLE:
        raise _no_place("oidc_unknown_person")
    tenant = of_provider()
    try:
        with transaction.atomic():
            user = new_account(stated.names, key=stated.subject)
            identity = Identity.objects.create(user=user, issuer=settings.OIDC_ISSUER, subject=stated.subject)
            audit.record(identity, "created", actor=None)
            new_membership(user, tenant)
    except IntegrityError:  # somebody signs in twice at the same time
        other = _known(stated.subject)
        if other is None:
            raise
        return other
    return identity


def _refuse_without_place(identity: Identity) -> None:
    user = identity.user
    if not user.is_active or not Membership.objects.filter(user=user, active=True).exists():
        raise _no_place("oidc_inactive_person")
    pushed = Provisioned.objects.filter(user=user, issuer=settings.OIDC_ISSUER, active=True)
    if settings.SCIM_TOKEN and not settings.OIDC_CREATE_PEOPLE and not pushed.exists():
        raise _no_place("oidc_unknown_person")


def _no_place(code: str) -> NotAllowed:
    return NotAllowed(code, gettext_noop("There is no account for you here, or it is closed."))


def _show_names(user: User, names: Names) -> None:
    shown = (names.given or user.first_name, names.family or user.last_name)
    if shown != (user.first_name, user.last_name):
        user.first_name, user.last_name = shown
        user.save(update_fields=["first_name", "last_name"])


def _take_groups(identity: Identity, stated: Stated, *, now: datetime) -> None:
    """In every tenant where the person is. What was said before what is known already changes nothing."""
    at = min(stated.issued_at, now)
    if identity.groups_at is not None and at < identity.groups_at <= now:
        return
    unknown = isinstance(stated.groups, GroupsUnknown)
    values = frozenset() if isinstance(stated.groups, GroupsUnknown) else _not_ours(stated.groups)
    for membership in Membership.objects.filter(user=identity.user_id).select_related("tenant"):
        if settings.OIDC_CREATE_GROUPS and membership.tenant.slug == settings.OIDC_TENANT:
            for value in sorted(values):
                group_of(membership.tenant, value)
        mapped = Group.objects.filter(tenant=membership.tenant_id, issuer=settings.OIDC_ISSUER, external_id__in=values)
        set_groups(membership, mapped)
    before = identity.groups_problem
    identity.groups_at = None if unknown else at
    identity.groups_problem = str(stated.groups) if unknown else ""
    identity.save(update_fields=["groups_at", "groups_problem"])
    if identity.groups_problem != before:
        audit.record(identity, "groups_unknown" if unknown else "groups_known", actor=None)


def _not_ours(values: frozenset[str]) -> frozenset[str]:
    return frozenset(one for one in values if not one.startswith(OURS))


def _free_name(stated: str, key: str) -> str:
    """What the provider calls the person, and behind it what no one can choose: rules name people, and so must not be caught."""
    kept = re.sub(r"[^\w.-]", "", unicodedata.normalize("NFKC", stated.partition("@")[0]))[:_MAX_BASE]
    names = _numbered(f"{kept or 'person'}-", f"{settings.OIDC_ISSUER}\n{key}")
    return next(name for name in names if not User.objects.filter(username__iexact=name).exists())


def _numbered(beginning: str, key: str) -> Iterator[str]:
    """This beginning with ever more digits that follow from the key."""
    digest = hashlib.sha256(key.encode()).hexdigest()
    yield from (beginning + digest[:length] for length in _KEEPS_APART)
    yield from (f"{beginning}{digest}-{count}" for count in itertools.count(2))
