"""Why a person can or can't see a document: the explanation agrees with the decision, and only administrators get it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evidence import projection, reasons, removal
from evidence.access import Access
from evidence.errors import Refused, Unavailable
from evidence.identity import Live, Openness, Standing
from evidence.models import AccessClass, AccessRule, AuditEvent, Document, Effect, Membership, Role, Source, SourceKind
from evidence.reasons import Explanation
from evidence.tests.builders import access, document, group, person, publish, tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Access:
    return access(person("root", role=Role.ADMINISTRATOR))


def explain(admin: Access, name: str = "eva", external_id: str = "a", **options: str) -> Explanation:
    return reasons.explain(admin, person=name, document=external_id, **options)


def random_source(draw: Random, number: int) -> Source:
    now = timezone.now()
    return Source.objects.create(
        tenant=tenant(),
        name=f"s{number}",
        kind=draw.choice([SourceKind.LOCAL, SourceKind.FOLDER, SourceKind.PUSH]),
        sensitive=draw.random() < 0.2,
        rights_confirmed_at=draw.choice([None, now, now - timedelta(hours=30), now + timedelta(hours=1)]),
        closed_at=now if draw.random() < 0.2 else None,
    )


def random_class(draw: Random, source: Source, people: list[User]) -> AccessClass:
    row = AccessClass.objects.create(source=source, digest=str(AccessClass.objects.count()))
    for effect, most in ((Effect.ALLOW, 3), (Effect.DENY, 1)):
        for principal in draw.sample([*map(group, ("alle", "netz", "werk")), *people], draw.randint(0, most)):
            name = "user" if isinstance(principal, User) else "group"
            AccessRule.objects.create(access_class=row, effect=effect, **{name: principal})
    return row


def random_world(draw: Random, folder: Path) -> list[User]:
    """People, and documents of one imported text in random sources with random rights."""
    publish(folder, {f"{number}.txt": "eins" for number in range(8)}, source="all")
    people = []
    for name in ("eva", "max", "ida", "tom"):
        groups = draw.sample(["alle", "netz", "werk"], draw.randint(0, 2))
        people.append(person(name, groups, active=draw.random() < 0.8))
    User.objects.filter(username="tom").update(is_active=draw.random() < 0.5)
    Membership.objects.get(user=people[0]).groups.add(group("fremd", of=tenant("andere")))
    for number, row in enumerate(Document.objects.order_by("pk")):
        row.source = random_source(draw, number)
        row.access_class = random_class(draw, row.source, people)
        row.withdrawn_at = timezone.now() if draw.random() < 0.1 else None
        row.current = None if draw.random() < 0.1 else row.current
        row.save()
    return people


@pytest.mark.parametrize("seed", range(12))
def test_the_explanation_is_yes_exactly_where_the_document_is_readable(seed: int, tmp_path: Path, admin: Access) -> None:
    people = random_world(Random(seed), tmp_path)
    for one in User.objects.filter(pk__in=[one.pk for one in people]):
        readable = set(Document.objects.readable(access(one)).values_list("external_id", flat=True))
        asked = Document.objects.order_by("external_id").values_list("external_id", flat=True)
        assert {name for name in asked if explain(admin, one.username, name).reads} == readable


def test_the_worlds_hold_both_answers(tmp_path: Path, admin: Access) -> None:
    people = random_world(Random(1), tmp_path)
    answers = {explain(admin, one.username, str(number)).reads for one in people for number in range(8)}
    assert answers == {True, False}


def test_it_names_what_lets_a_person_in(tmp_path: Path, admin: Access) -> None:
    publish(tmp_path, {"a.txt": "eins"}, allowed='["group:alle", "group:netz"]')
    person("eva", ["alle", "werk"])
    found = explain(admin)
    assert (found.reads, found.searchable, found.standing) == (True, True, Standing.ACTIVE)
    assert [held.name for held in found.groups] == ["alle", "werk"]
    assert [(rule.name, rule.applies) for rule in found.rules] == [("alle", True), ("netz", False)]
    assert [rule.name for rule in found.allowing] == ["alle"] and found.denying == []


def test_it_names_what_keeps_a_person_out(tmp_path: Path, admin: Access) -> None:
    person("eva", ["alle"])
    publish(tmp_path, {"a.txt": "eins"})
    AccessRule.objects.create(access_class=document("a").access_class, effect=Effect.DENY, user=User.objects.get(username="eva"))
    found = explain(admin)
    assert not found.reads and [(rule.name, rule.is_group) for rule in found.denying] == [("eva", False)]


def test_it_says_whether_account_and_membership_are_active(tmp_path: Path, admin: Access) -> None:
    publish(tmp_path, {"a.txt": "eins"})
    person("eva", ["alle"], active=False)
    person("max", ["alle"])
    User.objects.filter(username="max").update(is_active=False)
    assert explain(admin).standing is Standing.MEMBERSHIP_INACTIVE
    assert explain(admin, "max").standing is Standing.ACCOUNT_INACTIVE
    assert not explain(admin).reads and not explain(admin, "max").reads


def test_it_says_why_the_source_is_closed_and_that_its_origin_is_silent(tmp_path: Path, admin: Access) -> None:
    person("eva", ["alle"])
    publish(tmp_path, {"a.txt": "eins"})
    Source.objects.update(kind=SourceKind.PUSH, rights_confirmed_at=timezone.now(), sensitive=True, ask_url="")
    assert (explain(admin).openness, explain(admin).weighed.live) == (Openness.OPEN, Live.SILENT)
    Source.objects.update(rights_confirmed_at=None)
    assert (explain(admin).openness, explain(admin).weighed.live) == (Openness.NEVER_CONFIRMED, Live.NOT_ASKED)


def test_it_says_that_a_document_is_withdrawn_or_not_yet_in_the_index(tmp_path: Path, admin: Access) -> None:
    person("eva", ["alle"])
    publish(tmp_path, {"a.txt": "eins", "b.txt": "zwei"})
    removal.withdraw(document("a"))
    projection.record([document("b").pk])
    assert explain(admin).withdrawn_at is not None and not explain(admin).reads
    assert explain(admin, external_id="b").reads and not explain(admin, external_id="b").searchable


def test_a_document_is_found_by_its_public_id_and_by_its_id_in_a_source(tmp_path: Path, admin: Access) -> None:
    person("eva", ["alle"])
    publish(tmp_path / "x", {"a.txt": "eins"}, source="x")
    publish(tmp_path / "y", {"a.txt": "zwei"}, source="y")
    with pytest.raises(Refused, match="Choose the source: x, y"):
        explain(admin)
    assert explain(admin, source="y").source.name == "y"
    assert explain(admin, external_id=str(document("a", source="x").public_id)).source.name == "x"


def test_names_are_compared_as_they_are_kept_and_what_no_database_holds_is_unknown(tmp_path: Path, admin: Access) -> None:
    person("eva", ["alle"])
    publish(tmp_path, {"Pru\u0308fung.txt": "eins"})
    assert explain(admin, external_id="Pru\u0308fung").external_id == "Pr\u00fcfung"
    for names in ({"name": "eva\0"}, {"external_id": "Pr\u00fcfung\0"}, {"external_id": "Pr\u00fcfung", "source": "\0"}):
        with pytest.raises(Refused):
            explain(admin, **names)


def test_people_and_documents_of_other_tenants_are_unknown(tmp_path: Path, admin: Access) -> None:
    person("fremd", ["alle"], of=tenant("andere"))
    person("eva", ["alle"])
    publish(tmp_path, {"a.txt": "eins"}, of=tenant("andere"))
    foreign = str(document("a", of=tenant("andere")).public_id)
    with pytest.raises(Refused, match="Nobody of this user name"):
        explain(admin, "fremd", foreign)
    for one in ("a", foreign):
        with pytest.raises(Refused, match="This tenant has no document of this id"):
            explain(admin, "eva", one)


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_only_administrators_are_told(role: Role, tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "eins"})
    with pytest.raises(Unavailable):
        explain(access(person("eva", ["alle"], role=role)))


def test_who_asked_about_whom_and_what_is_written_down_in_ids(tmp_path: Path, admin: Access) -> None:
    eva = person("eva", ["alle"])
    publish(tmp_path, {"a.txt": "eins"})
    explain(admin)
    event = AuditEvent.objects.get(code=reasons.ASKED)
    assert (event.actor_id, event.ids) == (admin.user, {"user": eva.pk, "document": document("a").pk})
    assert event.document is None  # its readers, who see its events, are not told


def test_a_removed_document_is_said_to_be_removed(tmp_path: Path, admin: Access) -> None:
    person("eva", ["alle"])
    publish(tmp_path, {"a.txt": "eins"})
    row = document("a")
    removal.purge(removal.request_purge(row).pk)
    with pytest.raises(Refused, match="was removed"):
        explain(admin, external_id=str(row.public_id))
