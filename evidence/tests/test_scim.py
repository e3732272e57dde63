"""What the identity provider pushes: who comes in by it, who is in which group, and what happens when a push is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import identity, provisioning
from evidence import provider as conversation
from evidence.api import scim as api
from evidence.models import (
    AccessClass,
    AccessRule,
    AuditEvent,
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
from evidence.tests.pages import main
from evidence.tests.providers import Provider as OpenIdProvider
from evidence.tests.providers import running, settings_for, sign_in

pytestmark = pytest.mark.django_db

ISSUER = "https://id.example"
TOKEN = "k7QmZ2vT9xWc4LpR8sYb3NfH6jDg1AeU"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


@pytest.fixture(autouse=True)
def set_up(settings: Settings) -> None:
    tenant()
    settings.OIDC_ISSUER, settings.OIDC_TENANT, settings.SCIM_TOKEN = ISSUER, "lindenau", TOKEN
    settings.OIDC_CREATE_PEOPLE = False


def call(method: str, path: str, body: object = None, *, token: str = TOKEN, status: int | None = None, **headers: str) -> Any:
    """One call; its JSON, if it has the status that was expected."""
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    answer = Client(enforce_csrf_checks=True).generic(
        method,
        f"/scim/v2{path}",
        sent,
        content_type="application/scim+json",
        headers={"authorization": f"Bearer {token}", **headers},
    )
    if status is None:
        return answer
    assert answer.status_code == status, (answer.status_code, answer.content[:300])
    return json.loads(answer.content) if answer.content else None


def push(user_name: str = "eva", *, external_id: str | None = "e-1", status: int = 201, **more: object) -> str:
    """A person; the id that SCIM has for it."""
    stated = {"schemas": [USER], "userName": user_name, "externalId": external_id, "active": True} | more
    answer = call("POST", "/Users", {key: value for key, value in stated.items() if value is not None}, status=status)
    return str(answer.get("id"))


def push_group(name: str = "Netz", *members: str, external_id: str | None = "f-7", status: int = 201) -> str:
    stated: dict[str, object] = {"schemas": [GROUP], "displayName": name, "externalId": external_id}
    stated |= {"members": [{"value": one} for one in members]}
    answer = call("POST", "/Groups", {key: value for key, value in stated.items() if value is not None}, status=status)
    return str(answer.get("id"))


def patch(path: str, *operations: object, status: int = 204, **headers: str) -> Any:
    return call("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)}, status=status, **headers)


def account(subject: str = "e-1") -> User:
    return User.objects.get(identities__issuer=ISSUER, identities__subject=subject)


def groups_of(user: User) -> set[str]:
    return set(Membership.objects.filter(user=user).values_list("groups__external_id", flat=True)) - {None}


def readable(*, allow: Group) -> int:
    source = Source.objects.get_or_create(tenant=tenant(), name="handbuch", kind=SourceKind.LOCAL)[0]
    row = AccessClass.objects.create(source=source, digest=str(AccessClass.objects.count()))
    AccessRule.objects.create(access_class=row, effect=Effect.ALLOW, group=allow)
    return row.pk


# Who may call


def test_without_a_token_in_the_settings_it_is_an_address_like_any_that_is_none(settings: Settings) -> None:
    settings.SCIM_TOKEN = ""
    pages = {main(Client().get(path, headers={"authorization": "Bearer "})) for path in ("/scim/v2/Users", "/scim/v3/Users")}
    assert len(pages) == 1


@pytest.mark.parametrize(
    "sent", ["", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer ä"]
)
@pytest.mark.parametrize("path", ["/Users", "/ServiceProviderConfig", "/nowhere", ""])
def test_whoever_does_not_have_the_token_is_told_nothing(sent: str, path: str) -> None:
    answer = Client().get(f"/scim/v2{path}", headers={"authorization": sent} if sent else {})
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, 'Bearer realm="SCIM"')
    assert not Provider.objects.exists()


def test_a_token_of_a_person_opens_nothing_here_and_this_one_nothing_there() -> None:
    assert Client().get("/api/v1/documents", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 401


def test_guessing_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_minute", lambda: 1)
    statuses = [call("GET", "/Users", token="geraten").status_code for _ in range(api.MOST_FAILURES + 1)]
    assert statuses[-2:] == [401, 429]
    assert call("GET", "/Users").status_code == 429


def test_more_calls_than_allowed_wait(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_minute", lambda: 1)
    settings.API_CALLS_PER_MINUTE = 2
    answers = [call("GET", "/Users") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1]["Retry-After"] == "60"


def test_without_the_tenant_nothing_is_taken(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.OIDC_TENANT = "nirgends"
    assert call("GET", "/Users").status_code == 500
    assert "scim: failed" in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/Users", b"{", 400),
        ("POST", "/Users", b"[]", 400),
        ("POST", "/Users", {"schemas": [USER]}, 400),
        ("POST", "/Users", {"schemas": [GROUP], "displayName": "x"}, 400),
        ("POST", "/Users", {"schemas": [USER], "userName": "x" * 301}, 400),
        ("POST", "/Users", {"schemas": [USER], "userName": "a\nb"}, 400),
        ("POST", "/Users", {"schemas": [USER], "userName": "x", "externalId": "ä"}, 400),
        ("POST", "/Users", {"schemas": [USER], "userName": "x", "externalId": "x" * 256}, 400),
        ("POST", "/Users", {"schemas": [USER], "userName": "x", "displayName": "x" * 301}, 400),
        ("POST", "/Users", b"x" * 4_100_000, 413),
        ("POST", "/Groups", {"schemas": [GROUP], "displayName": ""}, 400),
        ("POST", "/Groups", {"schemas": [GROUP], "displayName": "x", "externalId": "scim:x"}, 400),
        ("POST", "/Groups", {"schemas": [GROUP], "displayName": "x", "externalId": "x" * 301}, 400),
        ("GET", "/Users/none", None, 404),
        ("GET", "/Users/5f0c9c5e-8a53-5f6d-9d39-2f3a2f1d7a10", None, 404),
        ("DELETE", "/Groups/none", None, 404),
        ("GET", "/Nowhere", None, 404),
        ("DELETE", "/Users", None, 405),
        ("POST", "/Bulk", {"schemas": []}, 501),
        ("GET", "/Me", None, 501),
        ("GET", "/Users?filter=userName%20eq", None, 400),
        ("GET", "/Users?filter=password%20eq%20%22x%22", None, 400),
    ],
)
def test_what_is_wrong_is_told_in_the_words_of_scim(method: str, path: str, body: object, status: int) -> None:
    answer = call(method, path, body, status=status)
    assert answer["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    assert not User.objects.exists() and not Group.objects.exists()


def test_a_fault_of_ours_is_told_without_its_message(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("geheim")

    monkeypatch.setattr(provisioning.Storage, "search", broken)
    answer = call("GET", "/Users", status=500)
    assert "geheim" not in str(answer)


# People


def test_a_pushed_person_gets_an_account_without_a_password_and_reads_in_the_tenant() -> None:
    push("eva", name={"givenName": "Eva", "familyName": "Lindner"}, emails=[{"value": "eva@firma.example"}], password="geheim")
    user = account()
    membership = Membership.objects.get(user=user)
    assert (membership.tenant.slug, membership.role, membership.active) == ("lindenau", "reader", True)
    assert (user.first_name, user.last_name, user.email, user.has_usable_password()) == ("Eva", "Lindner", "", False)
    assert user.username.startswith("eva-")
    assert "firma" not in str(Provisioned.objects.values()) and "geheim" not in str(User.objects.values())


def test_a_pushed_person_is_never_somebody_of_the_same_name() -> None:
    local = person("eva", ["alle"])
    push("eva")
    assert account() != local


def test_a_person_without_an_external_id_can_be_nobody_at_the_sign_in() -> None:
    push(external_id=None)
    assert User.objects.count() == 1 and not Identity.objects.exists()


def test_an_external_id_that_comes_later_says_who_it_is() -> None:
    known = push(external_id=None)
    patch(f"/Users/{known}", {"op": "add", "path": "externalId", "value": "e-1"})
    assert account() == User.objects.get()


def test_another_external_id_is_another_person_at_the_sign_in() -> None:
    known = push()
    patch(f"/Users/{known}", {"op": "replace", "path": "externalId", "value": "e-2"})
    assert account("e-2") == User.objects.get()
    assert not Identity.objects.filter(subject="e-1").exists()


def test_two_people_cannot_be_the_same_one() -> None:
    push("eva")
    push("max", external_id="e-1", status=409)
    push("EVA", external_id="e-2", status=409)
    other = push("max", external_id="e-2")
    answer = patch(f"/Users/{other}", {"op": "replace", "path": "externalId", "value": "e-1"}, status=409)
    assert answer["scimType"] == "uniqueness"
    assert User.objects.count() == 2


def test_the_user_name_can_be_what_tokens_call_a_person(settings: Settings) -> None:
    settings.SCIM_SUBJECT = "userName"
    push("eva@firma.example", external_id="e-1")
    assert account("eva@firma.example") == User.objects.get()


def test_who_signed_in_before_is_the_same_person_when_pushed() -> None:
    before = person("eva")
    Identity.objects.create(user=before, issuer=ISSUER, subject="e-1")
    push("eva")
    assert account() == before and User.objects.count() == 1


def test_a_deactivated_person_reads_nothing_with_the_next_request_and_comes_back() -> None:
    known = push()
    push_group("Netz", known)
    wanted = readable(allow=Group.objects.get())
    assert access(account()).classes == {wanted}
    patch(f"/Users/{known}", {"op": "replace", "value": {"active": False}})
    assert access(account()) == identity.NOBODY
    patch(f"/Users/{known}", {"op": "Replace", "path": "active", "value": "True"})  # as Entra ID writes it
    assert access(account()).classes == {wanted}


def test_taking_away_what_says_whether_a_person_is_active_changes_nothing() -> None:
    known = push(active=False)
    patch(f"/Users/{known}", {"op": "remove", "path": "active"})
    assert not Membership.objects.get().active
    call("PUT", f"/Users/{known}", {"schemas": [USER], "userName": "eva", "externalId": "e-1"}, status=200)
    assert not Membership.objects.get().active


def test_an_administrators_own_lock_is_not_undone_by_a_push() -> None:
    known = push()
    User.objects.update(is_active=False)
    call("PUT", f"/Users/{known}", {"schemas": [USER], "userName": "eva", "externalId": "e-1", "active": True}, status=200)
    assert not account().is_active and access(account()) == identity.NOBODY


def test_a_deleted_person_is_closed_out_and_everything_that_happened_stays() -> None:
    known = push()
    push_group("Netz", known)
    user, events = account(), AuditEvent.objects.count()
    call("DELETE", f"/Users/{known}", status=204)
    call("GET", f"/Users/{known}", status=404)
    user.refresh_from_db()
    assert (user.is_active, Membership.objects.get().active, groups_of(user)) == (True, False, set())
    assert AuditEvent.objects.count() > events and account() == user
    assert push("eva") != known
    assert account() == user and Membership.objects.get().active


# Groups


def test_members_are_added_removed_and_replaced_with_effect_for_the_next_request() -> None:
    eva, max_ = push("eva", external_id="e-1"), push("max", external_id="e-2")
    netz = push_group("Netz", eva)
    wanted = readable(allow=Group.objects.get())
    assert [wanted in access(account(one)).classes for one in ("e-1", "e-2")] == [True, False]
    patch(f"/Groups/{netz}", {"op": "Add", "path": "members", "value": [{"value": max_}]})
    assert [wanted in access(account(one)).classes for one in ("e-1", "e-2")] == [True, True]
    patch(f"/Groups/{netz}", {"op": "Remove", "path": f'members[value eq "{eva}"]'})
    assert [wanted in access(account(one)).classes for one in ("e-1", "e-2")] == [False, True]
    stated = {"schemas": [GROUP], "displayName": "Netz", "externalId": "f-7", "members": [{"value": eva}]}
    call("PUT", f"/Groups/{netz}", stated, status=200)
    assert [wanted in access(account(one)).classes for one in ("e-1", "e-2")] == [True, False]
    call("DELETE", f"/Groups/{netz}", status=204)
    assert [wanted in access(account(one)).classes for one in ("e-1", "e-2")] == [False, False]
    assert Group.objects.get().access_rules.exists()  # what rights say of it stays


@pytest.mark.parametrize("unknown", ["5f0c9c5e-8a53-5f6d-9d39-2f3a2f1d7a10", "none", "", "*"])
def test_a_list_that_names_one_who_is_unknown_changes_nothing(unknown: str) -> None:
    eva, max_ = push("eva", external_id="e-1"), push("max", external_id="e-2")
    netz = push_group("Netz", eva)
    members = [{"value": one} for one in (max_, unknown)]
    stated = {"schemas": [GROUP], "displayName": "Anders", "externalId": "f-8", "members": members}
    call("PUT", f"/Groups/{netz}", stated, status=400)
    patch(f"/Groups/{netz}", {"op": "add", "path": "members", "value": members}, status=400)
    call("POST", "/Groups", stated, status=400)
    assert (groups_of(account("e-1")), groups_of(account("e-2"))) == ({"f-7"}, set())
    assert [one.name for one in Provisioned.objects.exclude(group=None)] == ["Netz"]


def test_a_group_and_a_person_of_elsewhere_are_no_members() -> None:
    eva = push("eva")
    netz = push_group("Netz", eva)
    foreign = Provisioned.objects.create(
        tenant=tenant("hafen"), issuer=ISSUER, user=person("felix", of=tenant("hafen")), name="felix", key="felix"
    )
    for one in (netz, str(foreign.public_id)):
        patch(f"/Groups/{netz}", {"op": "add", "path": "members", "value": [{"value": one}]}, status=400)
    call("GET", f"/Users/{foreign.public_id}", status=404)


def test_a_group_that_has_a_name_here_is_the_one_with_its_id() -> None:
    mapped = Group.objects.create(tenant=tenant(), name="personal", issuer=ISSUER, external_id="f-7")
    local = group("Netz")
    push_group("Netz", push(), external_id="f-7")
    assert groups_of(account()) == {"f-7"}
    assert not local.memberships.exists() and mapped.memberships.count() == 1


def test_a_group_without_an_id_gets_one_that_no_claim_can_name() -> None:
    known = push_group("alle", push(), external_id=None)
    made = Group.objects.get()
    assert (made.external_id, made.name.startswith("idp-")) == (f"scim:{known}", True)
    patch(f"/Groups/{known}", {"op": "replace", "path": "displayName", "value": "personal"})
    made.refresh_from_db()
    assert made.name.startswith("idp-")


def test_a_group_is_pushed_once_and_keeps_its_own_id() -> None:
    first = push_group("Netz", external_id="f-7")
    push_group("Netz", external_id="f-7", status=409)
    push_group("Netz", external_id="f-8")
    patch(f"/Groups/{first}", {"op": "replace", "path": "externalId", "value": "f-8"}, status=409)
    patch(f"/Groups/{first}", {"op": "replace", "path": "externalId", "value": "f-9"})
    assert set(Group.objects.values_list("external_id", flat=True)) == {"f-8", "f-9"}


def test_a_group_has_no_more_members_than_are_read_with_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provisioning, "MAX_MEMBERS", 1)
    eva, max_ = push("eva", external_id="e-1"), push("max", external_id="e-2")
    push_group("Netz", eva, max_, status=413)
    assert not Group.objects.exists()


def test_groups_kept_here_are_not_touched() -> None:
    known = push()
    Membership.objects.get().groups.add(group("alle"))
    netz = push_group("Netz", known)
    call("DELETE", f"/Groups/{netz}", status=204)
    call("DELETE", f"/Users/{known}", status=204)
    assert [one.name for one in Membership.objects.get().groups.all()] == ["alle"]


# Reading, conditions


def test_filters_find_people_and_groups() -> None:
    eva, max_ = push("eva", external_id="e-1"), push("max", external_id="e-2", displayName="Max M.")
    netz = push_group("Netz", eva)
    for kind, wanted, found in (
        ("Users", 'userName eq "EVA"', eva),
        ("Users", 'externalId eq "e-2"', max_),
        ("Users", 'displayName eq "max m."', max_),
        ("Users", f'id eq "{eva}"', eva),
        ("Users", 'userName sw "m" and active eq true', max_),
        ("Groups", 'displayName eq "netz"', netz),
        ("Groups", 'externalId eq "f-7"', netz),
        ("Groups", f'members.value eq "{eva}"', netz),
    ):
        answer = call("GET", f"/{kind}?{_query(filter=wanted)}", status=200)
        assert [one["id"] for one in answer["Resources"]] == [found], wanted
    for nothing in ('externalId eq "E-1"', 'userName eq "ev"', 'id eq "none"'):
        assert call("GET", f"/Users?{_query(filter=nothing)}", status=200)["totalResults"] == 0


def _query(**parameters: object) -> str:
    return urlencode(parameters)


def test_pages_hold_everybody_once() -> None:
    known = [push(f"person-{number}", external_id=f"e-{number}") for number in range(5)]
    seen = []
    for start in (1, 3, 5):
        answer = call("GET", f"/Users?{_query(startIndex=start, count=2)}", status=200)
        assert answer["totalResults"] == 5
        seen += [one["id"] for one in answer["Resources"]]
    assert seen == known
    assert call("GET", "/Users?count=0", status=200)["totalResults"] == 5


def test_members_are_left_out_when_nobody_wants_them() -> None:
    netz = push_group("Netz", push())
    assert "members" in call("GET", f"/Groups/{netz}", status=200)
    for path in (f"/Groups/{netz}?excludedAttributes=members", f"/Groups/{netz}?attributes=displayName"):
        assert "members" not in call("GET", path, status=200)
    listed = call("GET", "/Groups?excludedAttributes=members", status=200)["Resources"][0]
    assert "members" not in listed


def test_a_change_of_what_was_meanwhile_changed_is_refused_when_asked_for() -> None:
    known = push()
    first = call("GET", f"/Users/{known}")["ETag"]
    patch(f"/Users/{known}", {"op": "replace", "path": "displayName", "value": "Eva"}, **{"if-match": first})
    patch(f"/Users/{known}", {"op": "replace", "path": "displayName", "value": "X"}, status=412, **{"if-match": first})
    call("DELETE", f"/Users/{known}", status=412, **{"if-match": first})
    current = call("GET", f"/Users/{known}")["ETag"]
    assert call("GET", f"/Users/{known}", **{"if-none-match": current}).status_code == 304


def test_a_change_that_comes_in_between_is_none_of_the_providers_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    netz = push_group("Netz")
    original, interfering = provisioning.Storage.update, iter([True, True, False])

    def update(self: Any, *args: Any, **named: Any) -> Any:
        if next(interfering):
            Provisioned.objects.filter(public_id=netz).update(version=99)
        return original(self, *args, **named)

    monkeypatch.setattr(provisioning.Storage, "update", update)
    Provisioned.objects.filter(public_id=netz).update(version=98)
    patch(f"/Groups/{netz}", {"op": "replace", "path": "displayName", "value": "Anders"})
    assert Provisioned.objects.get(public_id=netz).name == "Anders"


# What counts, and how long


def test_each_answered_call_confirms_and_a_refused_one_does_not() -> None:
    assert not Provider.objects.exists()
    call("POST", "/Users", b"{", status=400)
    assert not Provider.objects.exists()
    call("GET", "/Users", status=200)
    old = timezone.now() - timedelta(hours=5)
    Provider.objects.update(heard_at=old)
    call("GET", "/Users/none", status=404)
    assert Provider.objects.get().heard_at == old
    call("GET", "/ServiceProviderConfig", status=200)
    assert Provider.objects.get().heard_at > old


def test_a_clock_that_was_ahead_does_not_stop_confirming() -> None:
    Provider.objects.create(issuer=ISSUER, heard_at=timezone.now() + timedelta(days=1))
    call("GET", "/Users", status=200)
    assert Provider.objects.get().heard_at <= timezone.now()


def test_a_refused_change_starts_a_clock_that_only_an_accepted_one_stops() -> None:
    known = push()
    netz = push_group("Netz", known)
    patch(f"/Groups/{netz}", {"op": "add", "path": "members", "value": [{"value": "none"}]}, status=400)
    row = Provisioned.objects.get(public_id=netz)
    assert row.refused_at is not None
    assert AuditEvent.objects.get(code="pushed.refused").ids["pushed"] == netz
    call("GET", f"/Groups/{netz}", status=200)
    assert Provisioned.objects.get(public_id=netz).refused_at == row.refused_at
    patch(f"/Groups/{netz}", {"op": "add", "path": "members", "value": [{"value": known}]})  # it is there already
    assert Provisioned.objects.get(public_id=netz).refused_at is None


def test_a_change_that_breaks_here_starts_the_clock_too(monkeypatch: pytest.MonkeyPatch) -> None:
    known = push()

    def broken(*args: object, **named: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(provisioning.Storage, "update", broken)
    patch(f"/Users/{known}", {"op": "replace", "path": "active", "value": False}, status=500)
    assert Provisioned.objects.get(public_id=known).refused_at is not None


def test_what_was_pushed_counts_only_while_the_provider_calls() -> None:
    push_group("Netz", push())
    wanted = readable(allow=Group.objects.get())
    assert access(account()).classes == {wanted}
    Provider.objects.update(heard_at=timezone.now() - timedelta(hours=13))
    assert access(account()).classes == frozenset()
    call("GET", "/Users", status=200)
    assert access(account()).classes == {wanted}


def test_no_audit_event_and_no_log_holds_a_name(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        known = push("evalina", name={"givenName": "Evalina"})
        netz = push_group("Netzbetrieb", known)
        patch(f"/Groups/{netz}", {"op": "add", "path": "members", "value": [{"value": "evalina"}]}, status=400)
        call("DELETE", f"/Users/{known}", status=204)
    kept = str(list(AuditEvent.objects.values_list("code", "ids"))) + caplog.text
    assert not [word for word in ("valina", "Netzbetrieb", "e-1", "f-7", TOKEN) if word in kept]


# Together with signing in


class TestSigningIn:
    """People are pushed, and sign in at the same provider."""

    @pytest.fixture
    def provider(self, settings: Settings) -> Iterator[OpenIdProvider]:
        conversation.forget()
        with running(**{"e-1": {"groups": ["f-8"], "given_name": "Eva"}}) as provider:
            for name, value in settings_for(provider).items():
                setattr(settings, name, value)
            yield provider

    def test_who_is_pushed_signs_in_as_that_person_with_the_pushed_groups(self, client: Client, provider: OpenIdProvider) -> None:
        Group.objects.create(tenant=tenant(), name="claimed", issuer=provider.issuer, external_id="f-8")
        push_group("Netz", push())
        assert sign_in(client, provider, "e-1").status_code == 302
        user = User.objects.get()
        assert (groups_of(user), client.get("/").status_code) == ({"f-7"}, 200)

    def test_who_is_not_pushed_does_not_come_in(self, client: Client, provider: OpenIdProvider) -> None:
        assert sign_in(client, provider, "e-2").status_code == 403
        assert not User.objects.exists()

    def test_who_came_in_before_people_were_pushed_does_not_come_in_until_pushed(
        self, client: Client, provider: OpenIdProvider, settings: Settings
    ) -> None:
        settings.SCIM_TOKEN, settings.OIDC_CREATE_PEOPLE = "", True
        assert sign_in(client, provider, "e-1").status_code == 302
        settings.SCIM_TOKEN, settings.OIDC_CREATE_PEOPLE = TOKEN, False
        assert sign_in(client, provider, "e-1").status_code == 403
        push()
        assert sign_in(client, provider, "e-1").status_code == 302
        assert User.objects.count() == 1

    @pytest.mark.parametrize("way", ["deactivated", "deleted"])
    def test_who_is_taken_back_is_out_at_once_and_does_not_come_in_again(
        self, client: Client, provider: OpenIdProvider, way: str
    ) -> None:
        known = push()
        sign_in(client, provider, "e-1")
        assert client.get("/").status_code == 200
        if way == "deleted":
            call("DELETE", f"/Users/{known}", status=204)
        else:
            patch(f"/Users/{known}", {"op": "replace", "value": {"active": False}})
        assert client.get("/").status_code == 302
        assert sign_in(client, provider, "e-1").status_code == 403
