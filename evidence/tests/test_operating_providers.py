"""What operators do about an identity provider: naming its groups, linking an account, looking after it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence.models import AuditEvent, Group, Identity, Membership, Provider, Provisioned
from evidence.tests.builders import group, person, tenant

pytestmark = pytest.mark.django_db

ISSUER = "https://id.example"


@pytest.fixture(autouse=True)
def provider(settings: Settings) -> None:
    settings.OIDC_ISSUER = ISSUER
    tenant()


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def named(name: str, *more: str) -> str:
    return run("creategroup", name, "--tenant", "lindenau", *more)


def test_a_group_of_the_provider_gets_a_name_here() -> None:
    named("personal", "--external-id", "f-7")
    made = Group.objects.get()
    assert (made.name, made.issuer, made.external_id) == ("personal", ISSUER, "f-7")
    assert "exists already" in named("personal", "--external-id", "f-7")


def test_a_group_that_was_made_on_demand_keeps_its_members_under_its_new_name() -> None:
    made = Group.objects.create(tenant=tenant(), name="idp-0a1b", issuer=ISSUER, external_id="f-7")
    Membership.objects.get(user=person("eva")).groups.add(made)
    assert "until now idp-0a1b" in named("personal", "--external-id", "f-7")
    assert [one.name for one in Membership.objects.get().groups.all()] == ["personal"]
    assert AuditEvent.objects.filter(code="group.changed").exists()


@pytest.mark.parametrize("more", [("--external-id", "f-7"), ("--external-id", "f-7", "--issuer", "https://other.example")])
def test_a_group_kept_here_never_becomes_one_of_a_provider(more: tuple[str, ...]) -> None:
    group("personal")
    with pytest.raises(CommandError, match="kept here"):
        named("personal", *more)
    assert Group.objects.get().issuer == ""


def test_a_group_of_a_provider_never_becomes_one_kept_here_or_of_another() -> None:
    named("personal", "--external-id", "f-7")
    for more in ((), ("--external-id", "f-8"), ("--external-id", "f-7", "--issuer", "https://other.example")):
        with pytest.raises(CommandError, match="exists already: it is of"):
            named("personal", *more)


def test_two_providers_with_the_same_id_are_two_groups() -> None:
    named("personal", "--external-id", "f-7")
    named("personal-alt", "--external-id", "f-7", "--issuer", "https://other.example")
    assert Group.objects.count() == 2


def test_half_of_what_names_a_group_is_refused(settings: Settings) -> None:
    with pytest.raises(CommandError, match="--external-id"):
        named("personal", "--issuer", ISSUER)
    settings.OIDC_ISSUER = ""
    with pytest.raises(CommandError, match="FUNDSTELLE_OIDC_ISSUER"):
        named("personal", "--external-id", "f-7")


def test_createperson_neither_gives_nor_takes_groups_of_a_provider() -> None:
    theirs = Group.objects.create(tenant=tenant(), name="netz", issuer=ISSUER, external_id="f-7")
    group("alle")
    Membership.objects.get(user=person("eva")).groups.add(theirs)
    with pytest.raises(CommandError, match="'netz'"):
        run("createperson", "eva", "--tenant", "lindenau", "--groups", "alle,netz")
    run("createperson", "eva", "--tenant", "lindenau", "--groups", "alle")
    run("createperson", "eva", "--tenant", "lindenau", "--role", "editor")
    assert {one.name for one in Membership.objects.get().groups.all()} == {"alle", "netz"}


def test_an_account_is_linked_only_by_hand_and_once() -> None:
    eva = person("eva")
    run("linkperson", "eva", "--subject", "e-1")
    run("linkperson", "eva", "--subject", "e-1")
    assert Identity.objects.get().user == eva
    assert AuditEvent.objects.filter(code="identity.created").count() == 1
    person("max")
    with pytest.raises(CommandError, match="'eva' here already"):
        run("linkperson", "max", "--subject", "e-1")


@pytest.mark.parametrize(("name", "subject"), [("niemand", "e-1"), ("eva", ""), ("eva", "ä"), ("eva", "x" * 256)])
def test_what_cannot_be_linked_is_refused(name: str, subject: str) -> None:
    person("eva")
    with pytest.raises(CommandError):
        run("linkperson", name, "--subject", subject)
    assert not Identity.objects.exists()


# By hand, in the administration


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("chefin"))
    return client


def test_nobody_gets_into_or_out_of_a_group_of_a_provider_by_hand(operator: Client) -> None:
    theirs = Group.objects.create(tenant=tenant(), name="netz", issuer=ISSUER, external_id="f-7")
    eva, max_ = (Membership.objects.get(user=person(name)) for name in ("eva", "max"))
    eva.groups.add(theirs)
    alle = group("alle")
    form = {"role": "reader", "active": "on"}
    for row, groups, status in ((eva, [alle], 200), (max_, [theirs], 200), (eva, [alle, theirs], 302), (max_, [alle], 302)):
        sent = form | {"groups": [one.pk for one in groups]}
        assert operator.post(f"/admin/evidence/membership/{row.pk}/change/", sent).status_code == status
    assert {one.name for one in eva.groups.all()} == {"alle", "netz"}
    assert {one.name for one in max_.groups.all()} == {"alle"}


def test_what_a_pushed_group_is_called_there_is_shown_beside_its_name_here(operator: Client) -> None:
    theirs = Group.objects.create(tenant=tenant(), name="idp-0a1b", issuer=ISSUER, external_id="f-7")
    Provisioned.objects.create(tenant=tenant(), issuer=ISSUER, group=theirs, name="Netzbetrieb Nord")
    group("alle")
    page = operator.get("/admin/evidence/group/").content.decode()
    assert "Netzbetrieb Nord" in page and "f-7" in page
    assert operator.get("/admin/evidence/group/?q=betrieb").content.decode().count("idp-0a1b") >= 1


def test_an_account_goes_with_its_identities_and_they_do_not_go_alone(operator: Client) -> None:
    eva = person("eva")
    row = Identity.objects.create(user=eva, issuer=ISSUER, subject="e-1", groups_problem="elsewhere")
    assert "elsewhere" in operator.get("/admin/evidence/identity/").content.decode()
    assert operator.post(f"/admin/evidence/identity/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert operator.post(f"/admin/auth/user/{eva.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Identity.objects.exists()


def test_when_a_provider_was_heard_is_shown_and_not_written(operator: Client) -> None:
    row = Provider.objects.create(issuer=ISSUER, heard_at=timezone.now())
    assert ISSUER in operator.get("/admin/evidence/provider/").content.decode()
    for way in ("change", "delete"):
        assert operator.post(f"/admin/evidence/provider/{row.pk}/{way}/", {"post": "yes"}).status_code == 403
    assert operator.get("/admin/evidence/provider/add/").status_code == 403
