"""Commands about what an identity provider says: naming its groups, linking an account."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from evidence.models import AuditEvent, Group, Identity, Membership
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
