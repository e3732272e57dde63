"""Groups that an identity provider says people are in: how long that counts, and what holds when it counts no longer."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from evidence import identity, tokens
from evidence.models import (
    AccessClass,
    AccessRule,
    Effect,
    Group,
    Identity,
    Membership,
    Provider,
    Provisioned,
    Source,
    SourceKind,
)
from evidence.tests.builders import access, group, person, tenant

pytestmark = pytest.mark.django_db

ISSUER = "https://id.example"
OTHER = "https://id.elsewhere.example"
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def provider(settings: Settings) -> None:
    settings.OIDC_ISSUER, settings.OIDC_GROUPS_SLA = ISSUER, 12 * HOUR


def theirs(name: str = "netz", *, issuer: str = ISSUER) -> Group:
    return Group.objects.get_or_create(tenant=tenant(), name=name, issuer=issuer, external_id="f-7")[0]


def known(name: str = "eva", *, at: datetime | None, groups: tuple[Group, ...] = (), issuer: str = ISSUER) -> User:
    user = User.objects.filter(username=name).first() or person(name)
    Identity.objects.create(user=user, issuer=issuer, subject=name, groups_at=at)
    Membership.objects.get(user=user).groups.add(*groups)
    return user


def ago(time: timedelta) -> datetime:
    return timezone.now() - time


def readable(*, allow: Group, deny: Group | None = None) -> int:
    source = Source.objects.get_or_create(tenant=tenant(), name="handbuch", kind=SourceKind.LOCAL)[0]
    row = AccessClass.objects.create(source=source, digest=str(AccessClass.objects.count()))
    for effect, one in ((Effect.ALLOW, allow), (Effect.DENY, deny)):
        if one is not None:
            AccessRule.objects.create(access_class=row, effect=effect, group=one)
    return row.pk


@pytest.mark.parametrize(
    ("age", "counts"), [(0 * HOUR, True), (11 * HOUR, True), (13 * HOUR, False), (-1 * HOUR, False), (None, False)]
)
def test_a_group_counts_while_it_was_confirmed_within_the_sla(age: timedelta | None, counts: bool) -> None:
    wanted = readable(allow=theirs())
    eva = known(at=None if age is None else ago(age), groups=(theirs(),))
    assert (wanted in access(eva).classes) is counts


def test_a_group_kept_here_counts_however_long_the_provider_is_silent() -> None:
    wanted = readable(allow=group("alle"))
    assert access(known(at=None, groups=(group("alle"),))).classes == {wanted}


def test_a_group_counts_only_for_whom_its_own_issuer_confirms() -> None:
    readable(allow=theirs())
    assert access(known(at=ago(HOUR), issuer=OTHER, groups=(theirs(),))).classes == frozenset()


def test_a_group_given_by_hand_to_somebody_the_issuer_does_not_know_lets_nobody_in() -> None:
    readable(allow=theirs())
    eva = person("eva")
    Membership.objects.get(user=eva).groups.add(theirs())
    assert access(eva).classes == frozenset()


def test_the_latest_of_two_identities_counts() -> None:
    wanted = readable(allow=theirs())
    eva = known(at=ago(HOUR), groups=(theirs(),))
    Identity.objects.create(user=eva, issuer=ISSUER, subject="eva-2", groups_at=ago(20 * HOUR))
    Identity.objects.create(user=eva, issuer=ISSUER, subject="eva-3", groups_at=None)
    assert access(eva).classes == {wanted}


@pytest.mark.parametrize(("age", "reads"), [(HOUR, True), (13 * HOUR, False)])
def test_who_may_be_in_a_denied_group_is_kept_out_when_nobody_knows_it_any_more(age: timedelta, reads: bool) -> None:
    """Not in it as far as is known; but that is known no longer."""
    wanted = readable(allow=group("alle"), deny=theirs())
    assert (wanted in access(known(at=ago(age), groups=(group("alle"),))).classes) is reads


@pytest.mark.parametrize("age", [HOUR, 13 * HOUR])
def test_a_denied_group_keeps_out_however_old_it_is(age: timedelta) -> None:
    readable(allow=group("alle"), deny=theirs())
    assert access(known(at=ago(age), groups=(group("alle"), theirs()))).classes == frozenset()


def test_a_denied_group_of_a_provider_does_not_keep_out_whom_that_provider_does_not_know() -> None:
    wanted = readable(allow=group("alle"), deny=theirs())
    assert access(person("eva", ["alle"])).classes == {wanted}
    assert access(known("max", at=None, issuer=OTHER, groups=(group("alle"),))).classes == {wanted}


def test_a_token_loses_groups_that_nobody_confirms_any_more() -> None:
    wanted = readable(allow=theirs())
    eva = known(at=ago(HOUR), groups=(theirs(),))
    secret = tokens.make(access(eva), name="Skript", scopes=["read"], days=30).secret
    for age, classes in ((HOUR, {wanted}), (13 * HOUR, set())):
        Identity.objects.update(groups_at=ago(age))
        bearer = identity.for_token(secret)
        assert bearer is not None and bearer.access.classes == classes


def test_a_group_too_old_is_said_to_be_so() -> None:
    eva = known(at=ago(13 * HOUR), groups=(group("alle"), theirs()))
    found = identity.groups_of(Membership.objects.get(user=eva), now=timezone.now())
    assert (found.counting, found.too_old) == ((group("alle").pk,), (theirs().pk,))


def test_a_group_too_old_is_not_told_of_withheld_sources() -> None:
    source = Source.objects.create(tenant=tenant(), name="netz", kind=SourceKind.FOLDER)
    source.announced_to.add(theirs())
    assert access(known("neu", at=ago(HOUR), groups=(theirs(),))).withheld
    assert not access(known("alt", at=ago(13 * HOUR), groups=(theirs(),))).withheld


class TestPushed:
    """Where the provider pushes people by SCIM, its calls are what confirms."""

    @pytest.fixture(autouse=True)
    def token(self, settings: Settings) -> None:
        settings.SCIM_TOKEN = "token-of-the-provider"
        self.wanted = readable(allow=theirs())

    def group(self, *, refused: timedelta | None = None) -> None:
        fields = {"tenant": tenant(), "issuer": ISSUER, "name": "Netz", "refused_at": refused and ago(refused)}
        Provisioned.objects.create(group=theirs(), **fields)

    def pushed(self, *, heard: timedelta, active: bool = True, refused: timedelta | None = None) -> User:
        eva = known(at=None, groups=(theirs(),))
        Provider.objects.create(issuer=ISSUER, heard_at=ago(heard))
        refused_at = None if refused is None else ago(refused)
        fields = {"tenant": tenant(), "issuer": ISSUER, "name": "eva", "active": active, "refused_at": refused_at}
        Provisioned.objects.create(user=eva, **fields)
        return eva

    @pytest.mark.parametrize(("heard", "counts"), [(HOUR, True), (13 * HOUR, False), (-1 * HOUR, False)])
    def test_a_pushed_group_counts_while_the_provider_calls(self, heard: timedelta, counts: bool) -> None:
        self.group()
        assert (self.wanted in access(self.pushed(heard=heard)).classes) is counts

    def test_a_group_that_the_provider_does_not_push_counts_for_nobody_and_keeps_out_when_it_is_denied(self) -> None:
        """Sign-ins said so before people were pushed; nobody would ever say that somebody has left it."""
        eva = self.pushed(heard=HOUR)
        denied = readable(allow=group("alle"), deny=theirs())
        assert access(eva).classes == frozenset()
        Membership.objects.get(user=eva).groups.set([group("alle")])
        assert denied not in access(eva).classes
        self.group()
        assert access(eva).classes == {denied}

    def test_whom_the_provider_does_not_push_loses_its_groups_although_a_sign_in_confirmed_them(self) -> None:
        self.group()
        Provider.objects.create(issuer=ISSUER, heard_at=ago(HOUR))
        assert access(known(at=ago(HOUR), groups=(theirs(),))).classes == frozenset()

    def test_whom_the_provider_pushes_as_inactive_has_none_of_its_groups(self) -> None:
        self.group()
        assert access(self.pushed(heard=HOUR, active=False)).classes == frozenset()

    @pytest.mark.parametrize(("refused", "counts"), [(HOUR, True), (13 * HOUR, False)])
    def test_a_refused_change_of_a_person_stops_the_clock_of_that_person(self, refused: timedelta, counts: bool) -> None:
        self.group()
        assert (self.wanted in access(self.pushed(heard=0 * HOUR, refused=refused)).classes) is counts

    @pytest.mark.parametrize(("refused", "counts"), [(HOUR, True), (13 * HOUR, False)])
    def test_a_refused_change_of_a_group_stops_the_clock_of_that_group(self, refused: timedelta, counts: bool) -> None:
        eva = self.pushed(heard=0 * HOUR)
        self.group(refused=refused)
        denied = readable(allow=group("alle"), deny=theirs())
        Membership.objects.get(user=eva).groups.set([group("alle"), theirs()])
        assert (self.wanted in access(eva).classes) is counts
        assert denied not in access(eva).classes

    def test_a_group_whose_changes_are_refused_keeps_out_everybody_who_may_be_in_it(self) -> None:
        eva = self.pushed(heard=0 * HOUR)
        self.group(refused=13 * HOUR)
        denied = readable(allow=group("alle"), deny=theirs())
        Membership.objects.get(user=eva).groups.set([group("alle")])
        assert denied not in access(eva).classes
