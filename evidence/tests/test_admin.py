"""Django's admin: rights stay inside their tenant, every change leaves an event, nothing of a document is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from evidence.models import (
    AccessClass,
    AccessRule,
    AuditEvent,
    Document,
    Effect,
    Group,
    Membership,
    Representation,
    Revision,
    Role,
    Source,
    Tenant,
    Upload,
)
from evidence.tests.builders import publish

pytestmark = pytest.mark.django_db

ANY_ID = "5f0c9c5e-8a53-5f6d-9d39-2f3a2f1d7a10"


@pytest.fixture
def operator(client: Client) -> Client:
    """A browser of the operator."""
    client.force_login(User.objects.create_superuser("chefin"))
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
    form = {"tenant": other.pk, "name": "akten", "title": "Akten", "kind": "folder", "revocation_sla": "1 00:00:00"}
    response = operator.post("/admin/evidence/source/add/", form | {"announced_to": [group.pk]})
    assert "Not a group of this tenant" in response.content.decode()
    assert operator.post("/admin/evidence/source/add/", form).status_code == 302


def test_group_that_rights_name_is_not_deleted_and_the_page_says_why(operator: Client, tenant: Tenant, group: Group) -> None:
    allow(tenant, group=group)
    response = operator.post(f"/admin/evidence/group/{group.pk}/delete/", {"post": "yes"})
    assert "1 access right names it" in response.content.decode()
    assert Group.objects.exists()


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
    client.force_login(anna)
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
