"""Django's admin: rights stay inside their tenant, every change leaves an event, nothing of a document is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from evidence import removal
from evidence.models import (
    AccessClass,
    AccessRule,
    AuditEvent,
    Document,
    Effect,
    Group,
    Identity,
    Job,
    Membership,
    Representation,
    Revision,
    Role,
    SearchReport,
    Source,
    Space,
    Tenant,
    Upload,
)
from evidence.tests.builders import publish
from evidence.tests.pages import sign_in

pytestmark = pytest.mark.django_db

SOURCE = {
    "name": "akten",
    "title": "Akten",
    "kind": "folder",
    "revocation_sla": "1 00:00:00",
    "max_missing_share": "0.5",
    "purge_after": "7 00:00:00",
}
"""What the form of a source sends."""
ENGLISH = {"accept-language": "en"}
ANY_ID = "5f0c9c5e-8a53-5f6d-9d39-2f3a2f1d7a10"


@pytest.fixture
def operator(client: Client) -> Client:
    """A browser of the operator."""
    sign_in(client, User.objects.create_superuser("chefin"))
    return client


@pytest.fixture
def tenant() -> Tenant:
    return Tenant.objects.create(slug="nord", name="Nord")


@pytest.fixture
def group(tenant: Tenant) -> Group:
    return Group.objects.create(tenant=tenant, name="mietrecht")


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


def allow(tenant: Tenant, **principal: Any) -> AccessRule:
    source = Source.objects.create(tenant=tenant, name="akten", title="Akten")
    access_class = AccessClass.objects.create(source=source, digest="0" * 64)
    return AccessRule.objects.create(access_class=access_class, effect=Effect.ALLOW, **principal)


def codes() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("code", flat=True))


def test_new_membership_is_stored_with_an_event_of_ids(operator: Client, tenant: Tenant, group: Group, anna: User) -> None:
    form = {"user": anna.pk, "tenant": tenant.pk, "role": Role.READER, "active": "on", "groups": [group.pk]}
    assert operator.post("/admin/evidence/membership/add/", form).status_code == 302
    event = AuditEvent.objects.get()
    assert (event.code, event.tenant, event.actor) == ("membership.created", tenant, User.objects.get(username="chefin"))
    assert event.ids == {
        "membership": Membership.objects.get().pk,
        "user": anna.pk,
        "role": "reader",
        "active": True,
        "groups": [group.pk],
    }


def test_group_of_another_tenant_is_refused(operator: Client, group: Group, anna: User) -> None:
    other = Tenant.objects.create(slug="sued", name="Süd")
    form = {"user": anna.pk, "tenant": other.pk, "role": Role.READER, "active": "on", "groups": [group.pk]}
    response = operator.post("/admin/evidence/membership/add/", form)
    assert "Not a group of this tenant: mietrecht" in response.content.decode()
    assert not Membership.objects.exists()


def test_group_of_another_tenant_is_refused_later_too(operator: Client, group: Group, anna: User) -> None:
    other = Tenant.objects.create(slug="sued", name="Süd")
    membership = Membership.objects.create(user=anna, tenant=other)
    form = {"role": Role.READER, "active": "on", "groups": [group.pk]}
    assert operator.post(f"/admin/evidence/membership/{membership.pk}/change/", form).status_code == 200
    assert not membership.groups.exists()


def test_membership_made_inactive_leaves_an_event(operator: Client, tenant: Tenant, anna: User) -> None:
    membership = Membership.objects.create(user=anna, tenant=tenant)
    operator.post(f"/admin/evidence/membership/{membership.pk}/change/", {"role": Role.READER})
    assert Membership.objects.get().active is False
    assert codes() == ["membership.changed"]


def test_membership_never_moves_to_another_tenant(operator: Client, tenant: Tenant, anna: User) -> None:
    membership = Membership.objects.create(user=anna, tenant=tenant)
    other = Tenant.objects.create(slug="sued", name="Süd")
    operator.post(f"/admin/evidence/membership/{membership.pk}/change/", {"role": Role.READER, "tenant": other.pk})
    assert Membership.objects.get().tenant == tenant


def test_source_is_announced_only_to_groups_of_its_tenant(operator: Client, group: Group) -> None:
    other = Tenant.objects.create(slug="sued", name="Süd")
    form = SOURCE | {"tenant": other.pk}
    response = operator.post("/admin/evidence/source/add/", form | {"announced_to": [group.pk]})
    assert "Not a group of this tenant" in response.content.decode()
    assert operator.post("/admin/evidence/source/add/", form).status_code == 302


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"max_missing_share": "1.5"}, "max_missing_share", "less than or equal to 1"),
        ({"max_missing_share": "-0.1"}, "max_missing_share", "greater than or equal to 0"),
        ({"revocation_sla": "0"}, "revocation_sla", "Longer than nothing"),
        ({"sync_every": "-1 00:00:00"}, "sync_every", "Longer than nothing"),
        ({"purge_after": "-1 00:00:00"}, "purge_after", "Not before it left"),
        ({"kind": "local", "sensitive": "on"}, "sensitive", "nobody to ask"),
        ({"kind": "push", "sensitive": "on"}, "ask_url", "needs somebody who answers"),
        ({"ask_url": "https://example.org/"}, "ask_url", "Only for sources that are pushed"),
        ({"kind": "push", "ask_url": "http://example.org/"}, "ask_url", "Only https"),
        ({"kind": "push", "sync_every": "1 00:00:00"}, "sync_every", "only receive"),
        ({"kind": "push", "watched": "on"}, "watched", "Only a folder on this machine"),
    ],
)
def test_what_a_source_cannot_have_is_refused_at_its_field(
    operator: Client, tenant: Tenant, change: dict[str, str], field: str, words: str
) -> None:
    response = operator.post("/admin/evidence/source/add/", SOURCE | {"tenant": tenant.pk} | change)
    assert words in " ".join(response.context["adminform"].form.errors[field])
    assert not Source.objects.exists()


def test_a_source_keeps_its_place_and_its_closing_whatever_a_form_says(operator: Client, tenant: Tenant) -> None:
    row = Source.objects.create(tenant=tenant, name="akten", title="Akten", location="/srv/akten", closed_at=now())
    sent = SOURCE | {"title": "Neu", "location": "/etc", "closed_at_0": "", "closed_because": "", "kind": "local"}
    assert operator.post(f"/admin/evidence/source/{row.pk}/change/", sent).status_code == 302
    row.refresh_from_db()
    assert (row.title, row.location, row.kind, row.closed_at is None) == ("Neu", "/srv/akten", "folder", False)


def test_what_an_identity_provider_says_is_not_changed_by_hand(operator: Client, tenant: Tenant, anna: User) -> None:
    group = Group.objects.create(tenant=tenant, name="extern", issuer="https://idp", external_id="7")
    sent = {"name": "umbenannt", "issuer": "https://other", "external_id": "8"}
    operator.post(f"/admin/evidence/group/{group.pk}/change/", sent)
    group.refresh_from_db()
    assert (group.name, group.issuer, group.external_id) == ("umbenannt", "https://idp", "7")
    row = Identity.objects.create(user=anna, issuer="https://idp", subject="anna-1")
    assert "https://idp" in operator.get("/admin/evidence/identity/").content.decode()
    for way in ("change", "delete"):
        assert operator.post(f"/admin/evidence/identity/{row.pk}/{way}/", {"subject": "chefin"}).status_code == 403
    assert operator.get("/admin/evidence/identity/add/").status_code == 403


def test_a_diagnosis_is_not_prolonged_by_hand(operator: Client, tenant: Tenant) -> None:
    sent = {
        "name": "Nord",
        "contact": "",
        "trace_searches": "on",
        "diagnosis_until_0": "2099-01-01",
        "diagnosis_until_1": "00:00",
    }
    operator.post(f"/admin/evidence/tenant/{tenant.pk}/change/", sent)
    tenant.refresh_from_db()
    assert tenant.trace_searches and tenant.diagnosis_until is None


def test_group_that_rights_name_is_not_deleted_and_the_page_says_why(operator: Client, tenant: Tenant, group: Group) -> None:
    allow(tenant, group=group)
    response = operator.post(f"/admin/evidence/group/{group.pk}/delete/", {"post": "yes"})
    assert "1 access right names it" in response.content.decode()
    assert Group.objects.exists()


def test_a_space_of_knowledge_is_made_for_groups_of_its_tenant_and_stays(operator: Client, tenant: Tenant, group: Group) -> None:
    there = Group.objects.create(tenant=Tenant.objects.create(slug="sued", name="Süd"), name="dort")
    sent = {"tenant": tenant.pk, "slug": "handbuch", "title": "Handbuch", "text": ""}
    assert "every member of the tenant reads it" in operator.get("/admin/evidence/space/add/", headers=ENGLISH).content.decode()
    assert "Not a group of this tenant" in (
        operator.post("/admin/evidence/space/add/", sent | {"allowed": [there.pk]}, headers=ENGLISH).content.decode()
    )
    assert "Another page has this address" in (
        operator.post("/admin/evidence/space/add/", sent | {"slug": "review"}, headers=ENGLISH).content.decode()
    )
    operator.post("/admin/evidence/space/add/", sent | {"allowed": [group.pk]})
    space = Space.objects.get()
    assert list(space.allowed.all()) == [group] and codes()[-1] == "space.created"
    assert operator.post(f"/admin/evidence/space/{space.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_group_that_a_space_is_open_to_is_not_deleted(operator: Client, tenant: Tenant, group: Group) -> None:
    """Without its last group the space would be open to everybody."""
    Space.objects.create(tenant=tenant, slug="handbuch", title="Handbuch").allowed.add(group)
    answer = operator.post(f"/admin/evidence/group/{group.pk}/delete/", {"post": "yes"}, headers=ENGLISH)
    assert "Spaces of knowledge are open to it: handbuch" in answer.content.decode()
    many = {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"}
    operator.post("/admin/evidence/group/", many)
    assert Group.objects.filter(pk=group.pk).exists()


def test_person_whom_rights_name_is_not_deleted(operator: Client, tenant: Tenant, anna: User) -> None:
    allow(tenant, user=anna)
    response = operator.post(f"/admin/auth/user/{anna.pk}/delete/", {"post": "yes"})
    assert "1 access right names it" in response.content.decode()
    assert User.objects.filter(pk=anna.pk).exists()


def test_deleting_one_or_many_leaves_an_event_for_each(operator: Client, tenant: Tenant, group: Group) -> None:
    others = [Group.objects.create(tenant=tenant, name=name) for name in ("baurecht", "strafrecht")]
    operator.post(f"/admin/evidence/group/{group.pk}/delete/", {"post": "yes"})
    chosen = {"action": "delete_selected", "_selected_action": [one.pk for one in others], "post": "yes"}
    operator.post("/admin/evidence/group/", chosen)
    assert codes() == ["group.deleted"] * 3
    assert not Group.objects.exists()


def test_words_of_a_person_who_is_deleted_are_wiped_out_of_files(operator: Client, tenant: Tenant) -> None:
    ben = User.objects.create_user("ben")
    SearchReport.objects.create(tenant=tenant, user=ben, query="Rhabarberkuchen", mode="wider")
    operator.post(f"/admin/auth/user/{ben.pk}/delete/", {"post": "yes"})
    assert not SearchReport.objects.exists()
    assert Job.objects.filter(kind=removal.WIPE).exists()


def test_people_may_delete_themselves(operator: Client) -> None:
    operator.post(f"/admin/auth/user/{User.objects.get().pk}/delete/", {"post": "yes"})
    assert codes() == ["person.deleted"]


@pytest.mark.parametrize("kind", ["tenant", "source"])
def test_what_holds_documents_is_not_deleted_here(operator: Client, tenant: Tenant, group: Group, kind: str) -> None:
    row = tenant if kind == "tenant" else allow(tenant, group=group).access_class.source
    assert operator.post(f"/admin/evidence/{kind}/{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_no_page_shows_a_title_of_a_document(operator: Client, tenant: Tenant, group: Group) -> None:
    access_class = allow(tenant, group=group).access_class
    Document.objects.create(
        source=access_class.source, access_class=access_class, external_id="x", title="Geheimakte", public_id=ANY_ID
    )
    pages = ["", "evidence/", "evidence/source/", f"evidence/source/{access_class.source_id}/change/", "evidence/group/"]
    shown = [operator.get(f"/admin/{page}").content.decode() for page in pages]
    assert "Akten" in shown[2]
    assert not any("Geheimakte" in page for page in shown)


@pytest.mark.parametrize("model", [Document, Revision, Representation, AccessRule])
def test_documents_and_rights_have_no_page(operator: Client, model: type) -> None:
    assert operator.get(f"/admin/evidence/{model.__name__.lower()}/").status_code == 404


def test_events_are_read_and_never_changed(operator: Client) -> None:
    event = AuditEvent.objects.create(code="group.created")
    assert "group.created" in operator.get("/admin/evidence/auditevent/").content.decode()
    assert operator.post(f"/admin/evidence/auditevent/{event.pk}/change/", {"code": "x"}).status_code == 403
    assert operator.get("/admin/evidence/auditevent/add/").status_code == 403


def test_person_without_staff_is_sent_to_sign_in(client: Client, anna: User) -> None:
    sign_in(client, anna)
    assert client.get("/admin/").status_code == 302


def test_uploads_are_shown_without_the_names_of_files(operator: Client, tenant: Tenant, anna: User) -> None:
    upload = Upload.objects.create(tenant=tenant, user=anna, name="kuendigung-meier.pdf", title="Meier", size=7, kept_until=now())
    for path in ("", f"{upload.pk}/change/"):
        shown = operator.get(f"/admin/evidence/upload/{path}").content.decode()
        assert str(upload.public_id) in shown and "meier" not in shown.lower()


def test_a_person_who_brought_files_can_be_deleted_and_the_files_wait_for_their_end(
    operator: Client, tenant: Tenant, anna: User
) -> None:
    Upload.objects.create(tenant=tenant, user=anna, name="a.txt", size=7, kept_until=now())
    assert operator.post(f"/admin/auth/user/{anna.pk}/delete/", {"post": "yes"}).status_code == 302
    assert Upload.objects.get().user is None


def test_scans_are_counted_for_administrators(operator: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"leer.txt": "", "voll.txt": "Text."})
    source = Source.objects.get(name="handbuch")
    page = operator.get(f"/admin/evidence/source/{source.pk}/change/").content.decode()
    counted = dict(re.findall(r"<label>([^<]*):</label>\s*<div class=\"readonly\">(\d+)</div>", page))
    assert (counted["Documents"], counted["Documents without text (scans)"]) == ("2", "1")
