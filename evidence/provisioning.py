"""Provisioning: people and groups as the identity provider pushes them by SCIM, kept in rows. `scim` says what they look like.

A pushed person is an account with a membership in the operator's tenant; who that is at the sign-in, the attribute says that
SCIM_SUBJECT names. A pushed group is a group of the provider, known by its externalId, or by an id of our own where it has none.
Each change is made whole or not at all: a list of members that names one who is unknown changes nothing.

Deleting a person here closes the membership and ends the sessions; account, citations and audit events stay. Deleting a group
leaves nobody in it; what rights say of it stays.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from scim2_models import (
    InvalidValueException,
    Meta,
    NotFoundException,
    PayloadTooLargeException,
    PreconditionFailedException,
    Reference,
    Resource,
    ResourceType,
    ResponseParameters,
    ScimFilter,
    SearchRequest,
    UniquenessException,
)
from scim2_models.path import CompareOperator, Comparison
from scim2_server.storage import ScimStorage, SearchPage

from evidence import audit, claims, people, scim
from evidence.claims import Names
from evidence.errors import Refused
from evidence.models import Group, Identity, Membership, Provider, Provisioned
from evidence.profile import normalise

MAX_VALUE: Final = 300
"""Characters of a name or an id: what the columns hold."""
MAX_MEMBERS: Final = 20_000
"""People in one group: each change of a group reads all of them."""
HEARD_EVERY: Final = timedelta(minutes=1)
"""How exactly it is known when the provider was last heard: a write with every call would make the others wait."""

Parameters = ResponseParameters[Any] | SearchRequest[Any] | None
T = TypeVar("T")


def heard(*, now: datetime) -> None:
    """The provider called, and was answered: what it pushed counts from now on."""
    known = Provider.objects.filter(issuer=settings.OIDC_ISSUER)
    old = Q(heard_at__lt=now - HEARD_EVERY) | Q(heard_at__gt=now)
    if not known.filter(old).update(heard_at=now) and not known.exists():
        Provider.objects.get_or_create(issuer=settings.OIDC_ISSUER, defaults={"heard_at": now})


def accepted(resource: str) -> None:
    """A change of this one was made: what is known of it is up to date."""
    _known(resource).exclude(refused_at=None).update(refused_at=None)


def refused(resource: str, *, now: datetime) -> None:
    """A change of this one was not made: what is known of it may be out of date from now on, and counts as long as allowed."""
    for row in _known(resource).filter(refused_at=None):
        row.refused_at = now
        row.save(update_fields=["refused_at"])
        audit.provisioned(row, "refused")


def _known(resource: str) -> QuerySet[Provisioned]:
    """At most one. A text that is no id is nobody's."""
    try:
        return Provisioned.objects.filter(public_id=uuid.UUID(resource), issuer=settings.OIDC_ISSUER)
    except ValueError:
        return Provisioned.objects.none()


class Storage(ScimStorage):
    """What the provider pushed into the operator's tenant. Raises people.NotAllowed where there is no such tenant."""

    def __init__(self) -> None:
        self._tenant = people.of_provider()

    def get(
        self, resource_type: ResourceType, resource_id: str, *, response_parameters: ResponseParameters[Any] | None = None
    ) -> Resource[Any]:
        """One of this kind and id."""
        row = self._row(resource_type, resource_id)
        return self._resources([row], with_members=_wants_members(response_parameters))[0]

    def search(
        self, resource_types: list[ResourceType], search_request: SearchRequest[Any], *, position: Any = None
    ) -> SearchPage:
        """A page. What the database can't compare is compared here, over everything that may fit."""
        rows = _narrowed(self._rows([str(one.name) for one in resource_types]), search_request.filter)
        first, after = search_request.start_index_0 or 0, search_request.stop_index_0
        if search_request.filter is None and search_request.sort_by is None:
            page = list(rows[first:after])
            return SearchPage(rows.count(), self._resources(page, with_members=_wants_members(search_request)))
        found: list[Resource[Any]] = [
            one
            for one in self._resources(rows, with_members=True)
            if search_request.filter is None or search_request.filter.match(one)
        ]
        return SearchPage(len(found), search_request.sort(found)[first:after])

    @transaction.atomic
    def create(self, resource_type: ResourceType, resource: Resource[Any]) -> Resource[Any]:
        """A new one, and what follows from it."""
        if resource_type.name == scim.USER:
            row = _once(lambda: self._new_person(cast(scim.User, resource)))
        else:
            row = _once(lambda: self._new_group(cast(scim.Group, resource)))
        audit.provisioned(row, "created")
        return self._resources([row], with_members=True)[0]

    @transaction.atomic
    def update(
        self, resource_type: ResourceType, resource: Resource[Any], *, expected_version: str | None = None
    ) -> Resource[Any]:
        """Another state of one that is there."""
        row = self._locked(resource_type, str(resource.id), expected_version)
        if row.user is not None:
            _once(lambda: self._change_person(row, cast(scim.User, resource)))
        else:
            _once(lambda: self._change_group(row, cast(scim.Group, resource)))
        row.version, row.changed_at = row.version + 1, timezone.now()
        _once(row.save)
        audit.provisioned(row, "changed")
        return self._resources([row], with_members=True)[0]

    @transaction.atomic
    def delete(self, resource_type: ResourceType, resource_id: str, *, expected_version: str | None = None) -> None:
        """Not pushed any more."""
        row = self._locked(resource_type, resource_id, expected_version)
        if row.user is not None:
            self._set_active(row.user, False)
            for membership in Membership.objects.filter(user=row.user, tenant=self._tenant):
                _changed(membership.groups.filter(issuer=settings.OIDC_ISSUER))
                people.set_groups(membership, [])
        elif row.group is not None:
            self._set_members(row.group, [])
        audit.provisioned(row, "deleted")
        row.delete()

    # Rows

    def _rows(self, kinds: Sequence[str]) -> QuerySet[Provisioned]:
        rows = Provisioned.objects.filter(tenant=self._tenant, issuer=settings.OIDC_ISSUER).select_related("user", "group")
        wanted = Q(pk__in=[])
        for kind, is_one in ((scim.USER, Q(group=None)), (scim.GROUP, Q(user=None))):
            if kind in kinds:
                wanted |= is_one
        return rows.filter(wanted).order_by("pk")

    def _row(self, resource_type: ResourceType, resource_id: str) -> Provisioned:
        try:
            return self._rows([str(resource_type.name)]).get(public_id=uuid.UUID(resource_id))
        except (ValueError, Provisioned.DoesNotExist):
            raise NotFoundException(detail=f"There is no {resource_type.name} of this id") from None

    def _new(self, public_id: uuid.UUID, **fields: Any) -> Provisioned:
        now = timezone.now()
        place = {"tenant": self._tenant, "issuer": settings.OIDC_ISSUER}
        return Provisioned.objects.create(public_id=public_id, created_at=now, changed_at=now, **place, **fields)

    def _locked(self, resource_type: ResourceType, resource_id: str, expected_version: str | None) -> Provisioned:
        row = self._row(resource_type, resource_id)
        row = Provisioned.objects.select_for_update(of=("self",)).select_related("user", "group").get(pk=row.pk)
        if expected_version is not None and expected_version != _version(row):
            raise PreconditionFailedException
        return row

    def _resources(self, rows: Iterable[Provisioned], *, with_members: bool) -> list[Resource[Any]]:
        rows = list(rows)
        members = self._members([row.group_id for row in rows if row.group_id is not None]) if with_members else {}
        return [_person(row) if row.group_id is None else _group(row, members.get(row.group_id, ())) for row in rows]

    def _members(self, groups: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """The ids of the pushed people in these groups."""
        members: defaultdict[int, list[str]] = defaultdict(list)
        pairs = Membership.groups.through.objects.filter(
            group_id__in=groups,
            membership__tenant=self._tenant,
            membership__user__provisioned__tenant=self._tenant,
            membership__user__provisioned__issuer=settings.OIDC_ISSUER,
        ).order_by("membership__user__provisioned")
        for group, person in pairs.values_list("group_id", "membership__user__provisioned__public_id"):
            members[group].append(str(person))
        return members

    # People

    def _new_person(self, pushed: scim.User) -> Provisioned:
        name, subject = _name(pushed.user_name), self._subject(pushed)
        public_id = uuid.uuid4()
        identity = Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject).first() if subject else None
        user = identity.user if identity else people.new_account(_names(pushed), key=subject or str(public_id))
        if subject and identity is None:
            self._link(user, subject)
        people.new_membership(user, self._tenant)
        fields = _fields(pushed, name, was_active=True)
        self._set_active(user, fields["active"])
        return self._new(public_id, user=user, **fields)

    def _change_person(self, row: Provisioned, pushed: scim.User) -> None:
        user = cast(User, row.user)
        before, after = _subject_of(row.external_id, row.name), self._subject(pushed)
        if before != after:
            for identity in Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=before, user=user):
                audit.record(identity, "deleted", actor=None)
                identity.delete()  # with its sessions
            if after:
                self._link(user, after)
        fields = _fields(pushed, _name(pushed.user_name), was_active=row.active)
        if row.active != fields["active"]:
            self._set_active(user, fields["active"])
        names = _names(pushed)
        if (user.first_name, user.last_name) != (names.given, names.family):
            user.first_name, user.last_name = names.given, names.family
            user.save(update_fields=["first_name", "last_name"])
        for field, value in fields.items():
            setattr(row, field, value)

    def _link(self, user: User, subject: str) -> None:
        if Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject).exists():
            raise UniquenessException(attribute=settings.SCIM_SUBJECT)
        audit.record(Identity.objects.create(user=user, issuer=settings.OIDC_ISSUER, subject=subject), "created", actor=None)

    def _subject(self, pushed: scim.User) -> str:
        """What the provider's tokens call this person; empty while nobody can tell."""
        subject = _subject_of(pushed.external_id or "", pushed.user_name or "")
        try:
            return claims.subject_of(subject) if subject else ""
        except Refused:
            limit = claims.MAX_SUBJECT
            raise InvalidValueException(detail=f"{settings.SCIM_SUBJECT}: up to {limit} printable ASCII characters") from None

    def _set_active(self, user: User, active: bool) -> None:
        """In this tenant. The account itself is for administrators here to close."""
        for membership in Membership.objects.filter(user=user, tenant=self._tenant).exclude(active=active):
            membership.active = active
            membership.save(update_fields=["active"])
            audit.record(membership, "changed", actor=None)
        if not active:
            for identity in Identity.objects.filter(user=user, issuer=settings.OIDC_ISSUER):
                people.end_sessions(identity, now=timezone.now())

    # Groups

    def _new_group(self, pushed: scim.Group) -> Provisioned:
        public_id = uuid.uuid4()
        external_id = self._external_id(pushed)
        group = people.group_of(self._tenant, external_id or f"{people.OURS}{public_id}")
        if Provisioned.objects.filter(group=group).exists():
            raise UniquenessException(attribute="externalId")
        name = _name(pushed.display_name)
        row = self._new(public_id, group=group, external_id=external_id, name=name, key=_key(name))
        self._set_members(group, self._people(pushed))
        return row

    def _change_group(self, row: Provisioned, pushed: scim.Group) -> None:
        group, external_id = cast(Group, row.group), self._external_id(pushed)
        if external_id and external_id != group.external_id:
            if Group.objects.filter(tenant=self._tenant, issuer=settings.OIDC_ISSUER, external_id=external_id).exists():
                raise UniquenessException(attribute="externalId")
            group.external_id = external_id
            group.save(update_fields=["external_id"])
            audit.record(group, "changed", actor=None)
        row.external_id, row.name = external_id, _name(pushed.display_name)
        row.key = _key(row.name)
        self._set_members(group, self._people(pushed))

    def _external_id(self, pushed: scim.Group) -> str:
        external_id = pushed.external_id or ""
        if len(external_id) > MAX_VALUE or not external_id.isprintable() or external_id.startswith(people.OURS):
            raise InvalidValueException(detail=f"externalId: up to {MAX_VALUE} printable characters")
        return external_id

    def _people(self, pushed: scim.Group) -> Sequence[int]:
        """The accounts of the members, all of them."""
        wanted = {str(one.value or "") for one in pushed.members or ()}
        if len(wanted) > MAX_MEMBERS:
            raise PayloadTooLargeException(detail=f"A group has at most {MAX_MEMBERS} members")
        ids = [known for known in map(_id, wanted) if known is not None]
        users = list(self._rows([scim.USER]).filter(public_id__in=ids).values_list("user", flat=True))
        if len(users) != len(wanted):
            raise InvalidValueException(detail="members: not all of them are Users that were created here")
        return users

    def _set_members(self, group: Group, users: Sequence[int]) -> None:
        """These people and nobody else, whoever was in it before."""
        memberships = Membership.objects.filter(tenant=self._tenant)
        wanted = dict(memberships.filter(user__in=users).values_list("pk", "user"))
        before = dict(memberships.filter(groups=group).values_list("pk", "user"))
        added, removed = wanted.keys() - before.keys(), before.keys() - wanted.keys()
        group.memberships.remove(*removed)
        group.memberships.add(*added)
        if added or removed:
            audit.members(group, added=[wanted[one] for one in added], removed=[before[one] for one in removed])


def _changed(groups: QuerySet[Group]) -> None:
    """Somebody who is gone is missing in these: they are another version."""
    Provisioned.objects.filter(group__in=groups).update(version=F("version") + 1, changed_at=timezone.now())


def _once(make: Callable[[], T]) -> T:
    """What this makes; a value that somebody else has taken meanwhile is told as one that was taken before."""
    try:
        with transaction.atomic():
            return make()
    except IntegrityError:
        raise UniquenessException from None


def _subject_of(external_id: str, user_name: str) -> str:
    return external_id if settings.SCIM_SUBJECT == "externalId" else user_name


def _narrowed(rows: QuerySet[Provisioned], wanted: ScimFilter[Any] | None) -> QuerySet[Provisioned]:
    """All rows that this filter can fit, and few more where it compares an indexed value."""
    node = None if wanted is None else wanted.ast
    if wanted is None or not isinstance(node, Comparison) or node.op != CompareOperator.eq or not isinstance(node.value, str):
        return rows
    match str(node.attr_path).rpartition(":")[2].lower():
        case "username":
            return rows.filter(key=_key(node.value), group=None)
        case "displayname":
            return rows.filter(Q(key=_key(node.value)) | Q(group=None))  # what people are called is in no column of its own
        case "externalid":
            return rows.filter(external_id=node.value)
        case "id":
            return rows.filter(public_id__in=[known for known in [_id(node.value)] if known is not None])
        case _:
            return rows


def _wants_members(parameters: Parameters) -> bool:
    """Whether the answer can hold the members of a group: reading them costs the most."""
    if parameters is None:
        return True
    only = {_attribute(one) for one in parameters.attributes or ()}
    without = {str(one).rpartition(":")[2].lower() for one in parameters.excluded_attributes or ()}
    return "members" in only if only else "members" not in without


def _attribute(path: object) -> str:
    return str(path).rpartition(":")[2].partition(".")[0].lower()


def _id(value: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(value)
    except ValueError:
        return None


def _key(name: str) -> str:
    """What SCIM compares where case does not count."""
    return normalise(normalise(name).lower())


def _name(value: str | None) -> str:
    if not value or len(value) > MAX_VALUE or not value.isprintable():
        raise InvalidValueException(detail=f"userName and displayName: 1 to {MAX_VALUE} printable characters")
    return value


def _names(pushed: scim.User) -> Names:
    name = pushed.name
    return Names(
        user=claims.shown(pushed.user_name),
        given=claims.shown(name.given_name if name else None),
        family=claims.shown(name.family_name if name else None),
    )


def _fields(pushed: scim.User, name: str, *, was_active: bool) -> dict[str, Any]:
    """Who is not said to be active or inactive stays what that person was."""
    stated = pushed.name
    shown = {
        "displayName": pushed.display_name,
        "givenName": stated.given_name if stated else None,
        "familyName": stated.family_name if stated else None,
    }
    if any(value is not None and len(value) > MAX_VALUE for value in (*shown.values(), pushed.external_id)):
        raise InvalidValueException(detail=f"Names and ids have up to {MAX_VALUE} characters")
    return {
        "name": name,
        "key": _key(name),
        "external_id": pushed.external_id or "",
        "active": was_active if pushed.active is None else pushed.active,
        "details": {key: value for key, value in (shown | {"active": pushed.active}).items() if value is not None},
    }


def _person(row: Provisioned) -> scim.User:
    given, family = row.details.get("givenName"), row.details.get("familyName")
    return scim.User(
        id=str(row.public_id),
        external_id=row.external_id or None,
        meta=_meta(row, scim.USER),
        user_name=row.name,
        name=None if given is None and family is None else scim.Name(given_name=given, family_name=family),
        display_name=row.details.get("displayName"),
        active=row.details.get("active"),
    )


def _group(row: Provisioned, members: Sequence[str]) -> scim.Group:
    return scim.Group(
        id=str(row.public_id),
        external_id=row.external_id or None,
        meta=_meta(row, scim.GROUP),
        display_name=row.name,
        members=[scim.Member(value=one, ref=Reference["scim.User"](f"Users/{one}"), type=scim.USER) for one in members] or None,
    )


def _meta(row: Provisioned, kind: str) -> Meta:
    return Meta(resource_type=kind, created=row.created_at, last_modified=row.changed_at, version=_version(row))


def _version(row: Provisioned) -> str:
    return f'W/"{row.version}"'
