"""Commands for the first tenant, group, person and administrator: what they make, and what they refuse."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from evidence.models import AuditEvent, Group, Membership, Tenant

pytestmark = pytest.mark.django_db

PASSWORD = "quittengelee-am-abend"


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch | None = None, password: str | None = None) -> str:
    """One command, with a password on its standard input where one is given."""
    if monkeypatch is not None and password is not None:
        monkeypatch.setattr("sys.stdin", StringIO(f"{password}\n"))
        arguments = (*arguments, "--password-stdin")
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def tenant() -> Tenant:
    run("createtenant", "kanzlei", "--name", "Kanzlei Nord", "--contact", "bibliothek@kanzlei.example")
    run("creategroup", "mietrecht", "--tenant", "kanzlei")
    run("creategroup", "strafrecht", "--tenant", "kanzlei")
    return Tenant.objects.get()


def test_createtenant_again_changes_only_what_is_given(tenant: Tenant) -> None:
    run("createtenant", "kanzlei", "--name", "Kanzlei Süd")
    tenant.refresh_from_db()
    assert (tenant.name, tenant.contact) == ("Kanzlei Süd", "bibliothek@kanzlei.example")


def test_createtenant_refuses_a_short_name_that_no_address_can_hold() -> None:
    with pytest.raises(CommandError, match="slug"):
        run("createtenant", "Kanzlei Nord")


def test_creategroup_again_changes_nothing(tenant: Tenant) -> None:
    assert "exists already" in run("creategroup", "mietrecht", "--tenant", "kanzlei")
    assert Group.objects.count() == 2


def test_group_of_an_unknown_tenant_is_refused_with_the_way_out() -> None:
    with pytest.raises(CommandError, match="manage.py createtenant nirgends"):
        run("creategroup", "mietrecht", "--tenant", "nirgends")


def test_person_can_sign_in_with_groups_and_role(tenant: Tenant, monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    command = ("createperson", "anna", "--tenant", "kanzlei", "--groups", "mietrecht, strafrecht", "--role", "editor")
    run(*command, monkeypatch=monkeypatch, password=PASSWORD)
    membership = Membership.objects.get(user__username="anna")
    assert membership.role == "editor"
    assert {group.name for group in membership.groups.all()} == {"mietrecht", "strafrecht"}
    assert membership.user.check_password(PASSWORD)


def test_createperson_again_sets_groups_and_keeps_the_password(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("createperson", "anna", "--tenant", "kanzlei", "--groups")
    run(*command, "mietrecht", monkeypatch=monkeypatch, password=PASSWORD)
    run(*command, "strafrecht")
    membership = Membership.objects.get()
    assert [group.name for group in membership.groups.all()] == ["strafrecht"]
    assert membership.user.check_password(PASSWORD)


def test_person_with_an_unknown_group_is_not_made(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("createperson", "anna", "--tenant", "kanzlei", "--groups", "mietrecht,baurecht")
    with pytest.raises(CommandError, match="'baurecht'"):
        run(*command, monkeypatch=monkeypatch, password=PASSWORD)
    assert not User.objects.exists()


@pytest.mark.parametrize("password", ["kurz", "administrator", "123456789012345"])
def test_weak_password_is_refused_and_nobody_made(tenant: Tenant, monkeypatch: pytest.MonkeyPatch, password: str) -> None:
    with pytest.raises(CommandError, match="password"):
        run("createperson", "anna", "--tenant", "kanzlei", monkeypatch=monkeypatch, password=password)
    assert not User.objects.exists()


def test_user_name_that_rights_could_not_hold_is_refused(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="valid username"):
        run("createperson", "anna, berta", "--tenant", "kanzlei", monkeypatch=monkeypatch, password=PASSWORD)


def test_without_terminal_and_standard_input_nobody_is_made(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO())
    with pytest.raises(CommandError, match="--password-stdin"):
        run("createperson", "anna", "--tenant", "kanzlei")
    assert not User.objects.exists()


def test_administrator_may_use_the_admin(tenant: Tenant, monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    run("createadministrator", "chefin", "--tenant", "kanzlei", monkeypatch=monkeypatch, password=PASSWORD)
    client.force_login(User.objects.get())
    assert Membership.objects.get().role == "administrator"
    assert client.get("/admin/").status_code == 200


def test_person_becomes_administrator_and_keeps_groups(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("createperson", "anna", "--tenant", "kanzlei", "--groups", "mietrecht")
    run(*command, monkeypatch=monkeypatch, password=PASSWORD)
    run("createadministrator", "anna", "--tenant", "kanzlei")
    assert [group.name for group in Membership.objects.get().groups.all()] == ["mietrecht"]
    assert User.objects.get().is_staff


def test_every_command_leaves_an_audit_event_of_ids(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("createperson", "anna", "--tenant", "kanzlei", "--groups", "mietrecht")
    run(*command, monkeypatch=monkeypatch, password=PASSWORD)
    assert set(AuditEvent.objects.values_list("code", flat=True)) == {
        "tenant.created",
        "group.created",
        "person.created",
        "membership.created",
    }
    event = AuditEvent.objects.get(code="membership.created")
    assert event.ids["groups"] == [Group.objects.get(name="mietrecht").pk]
    assert "anna" not in str(event.ids)


def test_import_names_the_files_in_which_nothing_can_be_searched(tenant: Tenant, tmp_path: Path) -> None:
    (tmp_path / "leer.txt").touch()
    (tmp_path / "voll.txt").write_text("Text.")
    told = run("import", str(tmp_path), "--source", "handbuch", "--tenant", "kanzlei", "--verbosity", "0")
    assert "1 without text" in told and "nothing in it can be searched (no text; a scan, perhaps):\n  leer.txt\n" in told
