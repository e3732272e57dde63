"""Tokens: made, shown once, listed, revoked; on the page and by command."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from evidence import identity, tokens
from evidence.errors import Refused, Unavailable
from evidence.models import AuditEvent, Membership, Role, Source, SourceKind, Token
from evidence.tests.builders import access, person, tenant
from evidence.tests.pages import parsed, value
from evidence.web import once

pytestmark = pytest.mark.django_db


@pytest.fixture
def eva() -> User:
    return person("eva", ["alle"])


def make(user: User, *scopes: str, days: int = 7) -> tokens.Made:
    return tokens.make(access(user), name="Assistent", scopes=scopes or ("read",), days=days)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_a_token_gives_the_access_of_its_person(eva: User) -> None:
    found = identity.for_token(make(eva, "cite", "read").secret)
    assert found is not None
    assert found.access == access(eva)
    assert found.scopes == {"read", "cite"}


def test_nothing_kept_gives_the_secret(eva: User) -> None:
    made = make(eva)
    kept = Token.objects.values().get()
    assert made.secret not in repr(kept)
    assert len(made.secret) - len(kept["prefix"]) >= 32


@pytest.mark.parametrize("secret", ["", "fst_", "fst_" + "x" * 43, "\udc80", "ü"])
def test_other_secrets_give_nothing(eva: User, secret: str) -> None:
    make(eva)
    assert identity.for_token(secret.encode(errors="replace").decode()) is None


@pytest.mark.parametrize("change", [{"revoked_at": timezone.now()}, {"expires_at": timezone.now() - timedelta(seconds=1)}])
def test_a_revoked_or_expired_token_gives_nothing(eva: User, change: dict[str, object]) -> None:
    made = make(eva)
    Token.objects.update(**change)
    assert identity.for_token(made.secret) is None


def test_a_token_ends_with_the_membership_and_with_the_person(eva: User) -> None:
    made = make(eva)
    Membership.objects.update(active=False)
    assert identity.for_token(made.secret) is None
    Membership.objects.update(active=True)
    User.objects.update(is_active=False)
    assert identity.for_token(made.secret) is None


def test_a_token_stays_in_its_tenant(eva: User) -> None:
    there = tenant("anderswo")
    person("eva", [], of=there)
    found = identity.for_token(tokens.make(access(eva, at="anderswo"), name="x", scopes=["read"]).secret)
    assert found is not None and found.access.tenant == there.pk


def test_the_last_use_is_noted_once_a_minute(eva: User, django_assert_num_queries: object) -> None:
    made = make(eva)
    identity.for_token(made.secret)
    noted = Token.objects.get().last_used_at
    identity.for_token(made.secret)
    assert noted is not None and Token.objects.get().last_used_at == noted
    Token.objects.update(last_used_at=noted - timedelta(minutes=2))
    identity.for_token(made.secret)
    assert Token.objects.get().last_used_at != noted - timedelta(minutes=2)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": " "}, "token_name"),
        ({"name": "x" * 101}, "token_name"),
        ({"name": "a\0b"}, "token_name"),
        ({"scopes": []}, "token_scopes"),
        ({"scopes": ["read", "write"]}, "token_scopes"),
        ({"days": 0}, "token_days"),
        ({"days": 367}, "token_days"),
        ({"days": "7"}, "token_days"),
        ({"days": True}, "token_days"),
    ],
)
def test_what_makes_no_token_is_refused(eva: User, change: dict[str, object], code: str) -> None:
    with pytest.raises(Refused) as refusal:
        tokens.make(access(eva), **{"name": "x", "scopes": ["read"], "days": 7, **change})  # type: ignore[arg-type]
    assert (refusal.value.code, Token.objects.count()) == (code, 0)


def test_nobody_can_have_a_token_without_a_tenant() -> None:
    with pytest.raises(Unavailable):
        tokens.make(identity.NOBODY, name="x", scopes=["read"])


def test_making_and_revoking_leave_events_of_ids(eva: User) -> None:
    token = make(eva).token
    tokens.revoke(access(eva), token.pk)
    tokens.revoke(access(eva), token.pk)
    events = AuditEvent.objects.filter(code__startswith="token.").order_by("id").values_list("code", "actor", "ids")
    ids = {"token": token.pk, "user": eva.pk, "scopes": ["read"]}
    assert list(events) == [("token.created", eva.pk, ids), ("token.revoked", eva.pk, ids)]


def test_the_page_shows_a_new_secret_once(eva: User) -> None:
    client = signed_in(eva)
    shown = client.post("/tokens/", {"name": "Assistent", "scopes": ["read", "cite"], "days": "30"}).content.decode()
    token = Token.objects.get()
    secret = shown.partition('<code id="secret">')[2].partition("<")[0]
    assert Token.digest_of(secret) == token.digest
    later = client.get("/tokens/").content.decode()
    assert secret not in later and token.prefix in later


def form(client: Client) -> dict[str, object]:
    """What the page's form would send."""
    shown = parsed(client.get("/tokens/"))
    return {"name": "Assistent", "scopes": ["read"], "days": "30", "once": value(shown, "[name=once]", "value")}


def test_loading_the_answer_again_makes_no_second_token(eva: User) -> None:
    client = signed_in(eva)
    sent = form(client)
    assert "secret" in client.post("/tokens/", sent).content.decode()
    again = client.post("/tokens/", sent, follow=True, headers={"accept-language": "en"})
    assert Token.objects.count() == 1 and again.redirect_chain == [("/tokens/", 302)]
    page = again.content.decode()
    assert "no second token was made" in page and 'id="secret"' not in page
    client.post("/tokens/", form(client))
    assert Token.objects.count() == 2, "the next form makes another"


def test_a_form_that_was_refused_can_be_sent_again(eva: User) -> None:
    client = signed_in(eva)
    sent = form(client)
    assert client.post("/tokens/", sent | {"name": ""}).status_code == 400
    assert client.post("/tokens/", sent).status_code == 200 and Token.objects.count() == 1


def test_a_session_keeps_few_forms(eva: User) -> None:
    client = signed_in(eva)
    sent = form(client)
    for number in range(once.MOST_KEPT + 1):
        client.post("/tokens/", sent | {"once": f"{number}" * 200})
    assert len(client.session["used_forms"]) == once.MOST_KEPT
    assert max(map(len, client.session["used_forms"])) == 100


def test_the_page_says_what_is_wrong_and_keeps_what_was_sent(eva: User) -> None:
    answer = signed_in(eva).post("/tokens/", {"name": "Assistent", "days": "30"})
    assert (answer.status_code, Token.objects.count()) == (400, 0)
    assert 'value="Assistent"' in answer.content.decode()


def test_the_page_revokes_ones_own_token_only(eva: User) -> None:
    mine = make(eva).token
    foreign = make(person("max", ["alle"])).token
    client = signed_in(eva)
    assert client.post(f"/tokens/{mine.pk}/revoke/").status_code == 302
    assert [client.post(f"/tokens/{pk}/revoke/").status_code for pk in (foreign.pk, 999, 10**30)] == [404] * 3
    assert list(Token.objects.filter(revoked_at=None)) == [foreign]


def test_the_page_lists_ones_own_tokens_only(eva: User) -> None:
    make(person("max", ["alle"]))
    assert "Assistent" not in signed_in(eva).get("/tokens/").content.decode()


def test_the_command_prints_the_secret_alone(eva: User) -> None:
    out, err = StringIO(), StringIO()
    call_command("createtoken", "eva", tenant="lindenau", name="x", scopes="cite,read", days=3, stdout=out, stderr=err)
    token = Token.objects.get()
    assert Token.digest_of(out.getvalue().strip()) == token.digest
    assert (token.scopes, (token.expires_at - token.created_at).days) == ("read cite", 3)
    assert out.getvalue().strip() not in err.getvalue()


@pytest.mark.parametrize(("name", "where"), [("eva", "anderswo"), ("niemand", "lindenau"), ("eva", "nirgends")])
def test_the_command_refuses_who_does_not_belong_there(eva: User, name: str, where: str) -> None:
    tenant("anderswo")
    with pytest.raises(CommandError):
        call_command("createtoken", name, tenant=where, name="x", stdout=StringIO(), stderr=StringIO())
    assert not Token.objects.exists()


def test_the_operator_sees_prefixes_and_revokes(eva: User, admin_client: Client) -> None:
    made = make(eva)
    shown = admin_client.get("/admin/evidence/token/").content.decode()
    assert made.token.prefix in shown
    assert made.token.digest not in shown and made.token.name not in shown
    admin_client.post("/admin/evidence/token/", {"action": "revoke", "_selected_action": [made.token.pk]})
    assert identity.for_token(made.secret) is None
    assert AuditEvent.objects.get(code="token.revoked").actor != eva


def test_a_person_with_tokens_can_be_deleted(eva: User, admin_client: Client) -> None:
    make(eva)
    admin_client.post(f"/admin/auth/user/{eva.pk}/delete/", {"post": "yes"})
    assert not Token.objects.exists()


def pushed(name: str = "dms", kind: str = SourceKind.PUSH) -> Source:
    return Source.objects.create(tenant=tenant(), name=name, kind=kind)


@pytest.fixture
def chief() -> User:
    return person("chief", role=Role.ADMINISTRATOR)


def test_a_token_of_a_source_is_in_its_list_and_in_nobodys_own(chief: User) -> None:
    pushed()
    made = tokens.make_for_source(access(chief), "dms", name="DMS")
    assert (made.token.scopes, made.token.source) == ("push", pushed_source())
    assert [one.pk for one in tokens.of_source(access(chief), "dms")] == [made.token.pk]
    assert tokens.own(access(chief)) == []
    with pytest.raises(Unavailable):
        tokens.revoke(access(chief), made.token.pk)


def pushed_source() -> Source:
    return Source.objects.get(name="dms")


def test_only_administrators_of_the_tenant_make_list_and_end_tokens_of_a_source(chief: User) -> None:
    pushed()
    made = tokens.make_for_source(access(chief), "dms", name="DMS")
    for other in (person("eva", role=Role.EDITOR), person("max", of=tenant("andere"), role=Role.ADMINISTRATOR)):
        for call in (
            lambda who: tokens.make_for_source(who, "dms", name="DMS"),
            lambda who: tokens.of_source(who, "dms"),
            lambda who: tokens.revoke_of_source(who, "dms", made.token.pk),
        ):
            with pytest.raises(Unavailable):
                call(access(other))
    assert Token.objects.filter(revoked_at=None).count() == 1


def test_only_a_source_that_is_pushed_has_tokens(chief: User) -> None:
    pushed("ordner", SourceKind.FOLDER)
    with pytest.raises(Unavailable):
        tokens.make_for_source(access(chief), "ordner", name="DMS")


def test_a_token_of_a_source_is_ended_by_any_administrator(chief: User) -> None:
    pushed()
    made = tokens.make_for_source(access(chief), "dms", name="DMS")
    tokens.revoke_of_source(access(person("second", role=Role.ADMINISTRATOR)), "dms", made.token.pk)
    assert Token.objects.exclude(revoked_at=None).count() == 1
    assert AuditEvent.objects.filter(code="token.created").get().ids["source"] == pushed_source().pk


def test_the_command_makes_a_token_of_a_source(chief: User) -> None:
    pushed()
    out = StringIO()
    call_command(
        "createtoken", "chief", "--tenant", "lindenau", "--source", "dms", "--name", "DMS", stdout=out, stderr=StringIO()
    )
    assert Token.objects.get(digest=Token.digest_of(out.getvalue().strip())).source == pushed_source()
    person("eva")
    with pytest.raises(CommandError, match="no administrator"):
        call_command("createtoken", "eva", "--tenant", "lindenau", "--source", "dms", "--name", "DMS")
