"""The visibility rule: who may read which classes."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from evidence import identity
from evidence.models import AccessClass, AccessRule, Effect, Group, Membership, Source, SourceKind
from evidence.tests.builders import access, group, person, tenant

pytestmark = pytest.mark.django_db


def source(**fields: object) -> Source:
    return Source.objects.create(**{"tenant": tenant(), "name": "handbuch", "kind": SourceKind.LOCAL, **fields})


def access_class(of: Source, *, allow: tuple[object, ...] = (), deny: tuple[object, ...] = ()) -> int:
    row = AccessClass.objects.create(source=of, digest=str(AccessClass.objects.count()))
    for effect, principals in ((Effect.ALLOW, allow), (Effect.DENY, deny)):
        for one in principals:
            name = "group" if isinstance(one, Group) else "user"
            AccessRule.objects.create(access_class=row, effect=effect, **{name: one})
    return row.pk


def test_a_member_of_an_allowed_group_reads() -> None:
    wanted = access_class(source(), allow=(group("netz"),))
    assert access(person("eva", ["netz"])).classes == {wanted}


def test_a_single_allowed_user_reads() -> None:
    eva = person("eva")
    wanted = access_class(source(), allow=(eva,))
    assert access(eva).classes == {wanted}
    assert access(person("max")).classes == frozenset()


def test_a_person_without_the_group_reads_nothing() -> None:
    access_class(source(), allow=(group("netz"),))
    assert access(person("eva", ["alle"])).classes == frozenset()


def test_a_denied_principal_reads_nothing_although_a_group_is_allowed() -> None:
    eva, max_ = person("eva", ["alle"]), person("max", ["alle", "netz"])
    row = source()
    access_class(row, allow=(group("alle"),), deny=(eva,))
    by_group = access_class(row, allow=(group("alle"),), deny=(group("netz"),))
    assert access(eva).classes == {by_group}
    assert by_group not in access(max_).classes


def test_a_class_without_rules_is_read_by_nobody() -> None:
    access_class(source())
    assert access(person("eva", ["alle"])).classes == frozenset()


def test_an_inactive_membership_reads_nothing() -> None:
    access_class(source(), allow=(group("alle"),))
    assert access(person("eva", ["alle"], active=False)) == identity.NOBODY


def test_an_inactive_user_reads_nothing() -> None:
    eva = person("eva", ["alle"])
    access_class(source(), allow=(group("alle"), eva))
    eva.is_active = False
    eva.save()
    assert access(eva) == identity.NOBODY


def test_nobody_signed_in_reads_nothing() -> None:
    assert identity.for_user(AnonymousUser()) == identity.NOBODY


def test_another_tenant_reads_nothing_even_with_a_group_of_this_one() -> None:
    access_class(source(), allow=(group("alle"),))
    stranger = person("eva", of=tenant("andere"))
    Membership.objects.get(user=stranger).groups.add(group("alle"))
    assert access(stranger).classes == frozenset()


def test_someone_in_two_tenants_sees_the_chosen_one_only() -> None:
    eva = person("eva", ["alle"])
    person("eva", ["alle"], of=tenant("andere"))
    here = access_class(source(), allow=(group("alle"),))
    there = access_class(source(tenant=tenant("andere")), allow=(group("alle", of=tenant("andere")),))
    assert access(eva, at="lindenau").classes == {here}
    assert access(eva, at="andere").classes == {there}


def test_an_unknown_tenant_falls_back_to_an_own_one() -> None:
    eva = person("eva", ["alle"])
    assert access(eva, at="gibt-es-nicht").tenant == tenant().pk


@pytest.mark.parametrize(
    ("age", "readable"),
    [
        (timedelta(0), True),
        (timedelta(hours=23), True),
        (timedelta(hours=25), False),
        (None, False),
        (timedelta(hours=-1), False),
    ],
)
def test_rights_count_only_within_the_revocation_sla(age: timedelta | None, readable: bool) -> None:
    confirmed = None if age is None else timezone.now() - age
    row = source(kind=SourceKind.FOLDER, rights_confirmed_at=confirmed, revocation_sla=timedelta(hours=24))
    access_class(row, allow=(group("alle"),))
    assert bool(access(person("eva", ["alle"])).classes) is readable


def test_the_longest_revocation_sla_closes_nobody_out() -> None:
    longest = timedelta(days=10_000_000)  # beyond the calendar's end
    row = source(kind=SourceKind.FOLDER, rights_confirmed_at=timezone.now(), revocation_sla=longest)
    access_class(row, allow=(group("alle"),))
    assert access(person("eva", ["alle"])).classes


def test_a_withheld_source_is_told_to_the_groups_it_is_announced_to_only() -> None:
    row = source(kind=SourceKind.FOLDER, title="Archiv", contact="archiv@example.org")
    row.announced_to.add(group("netz"))
    assert [one.title for one in access(person("eva", ["netz"])).withheld] == ["Archiv"]
    assert access(person("max", ["alle"])).withheld == ()


def test_an_open_source_is_not_withheld() -> None:
    row = source()
    row.announced_to.add(group("netz"))
    assert access(person("eva", ["netz"])).withheld == ()


def test_the_number_of_queries_does_not_depend_on_classes(django_assert_num_queries: object) -> None:
    row = source()
    eva = person("eva", ["alle"])
    for _ in range(30):
        access_class(row, allow=(group("alle"),))
    with django_assert_num_queries(4):  # type: ignore[operator]
        assert len(access(eva).classes) == 30


def test_a_principal_that_rights_name_is_not_deleted() -> None:
    access_class(source(), allow=(group("alle"),), deny=(group("netz"),))
    with pytest.raises(ProtectedError):
        group("netz").delete()


def test_a_rule_names_exactly_one_principal() -> None:
    row = AccessClass.objects.create(source=source(), digest="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        AccessRule.objects.create(access_class=row, effect=Effect.ALLOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        AccessRule.objects.create(access_class=row, effect=Effect.ALLOW, group=group(), user=person("eva"))


def test_tenants_to_choose_from_are_the_active_memberships() -> None:
    eva = person("eva")
    person("eva", of=tenant("andere"), active=False)
    assert [one.slug for one in identity.tenants(eva)] == ["lindenau"]
