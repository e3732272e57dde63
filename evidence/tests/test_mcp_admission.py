"""The identity provider's tokens for assistants: only those that were made for this address let anybody in."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import people
from evidence import provider as conversation
from evidence.models import Group, Membership
from evidence.tests.assistants import Asking, asking
from evidence.tests.builders import person, publish, tenant
from evidence.tests.calls import API
from evidence.tests.providers import CLIENT, Claims, Provider, key, running, settings_for, sign_in, signed

pytestmark = pytest.mark.django_db

HERE = "https://fundstelle.example/mcp"
METADATA = "/.well-known/oauth-protected-resource"


@pytest.fixture
def provider(settings: Settings, tmp_path: Path) -> Iterator[Provider]:
    """A provider whose anna has signed in; her group may read one document."""
    tenant()
    conversation.forget()
    with running(anna={"groups": ["f-7"]}, berta={}) as provider:
        Group.objects.create(tenant=tenant(), name="netz", issuer=provider.issuer, external_id="f-7")
        publish(tmp_path / "in", {"a.txt": "Die Frist."}, allowed='["group:netz"]')
        for name, one in settings_for(provider).items():
            setattr(settings, name, one)
        settings.MCP_RESOURCE = HERE
        sign_in(Client(), provider, "anna")
        yield provider


def token(provider: Provider, change: Claims | None = None, **header: Any) -> str:
    now = int(time.time())
    claims = {"iss": provider.issuer, "aud": HERE, "sub": "anna", "iat": now, "exp": now + 300, "client_id": "assistant"}
    claims |= {"scope": "openid fundstelle.read fundstelle.cite"} | (change or {})
    return signed({name: value for name, value in claims.items() if value is not None}, **({"typ": "at+jwt"} | header))


def test_a_token_made_for_this_address_lets_the_person_in(provider: Provider) -> None:
    calls = Asking(token(provider))
    assert calls.tool("find_passages", query="Frist").value["total"] == 1
    assert Asking(token(provider, {"aud": ["other", HERE]})).tool("find_passages", query="Frist").value["total"] == 1


@pytest.mark.parametrize(
    "change",
    [
        {"aud": "https://elsewhere.example/mcp"},
        {"aud": CLIENT},
        {"aud": [CLIENT, "account"]},
        {"aud": None},
        {"aud": f"{HERE}/"},
        {"iss": "https://other.example"},
        {"sub": None},
        {"sub": "berta"},
        {"sub": "nobody"},
        {"exp": 1_000},
        {"exp": None},
        {"iat": None},
        {"nonce": "x"},
        {"events": {}},
    ],
    ids=str,
)
def test_any_other_token_of_the_provider_lets_nobody_in(provider: Provider, change: Claims) -> None:
    answer = Asking(token(provider, change)).tool("find_passages", query="Frist")
    assert (answer.status, answer.body["code"]) == (401, "unauthenticated")


def test_a_token_with_a_header_of_odd_types_lets_nobody_in_and_is_no_fault_of_the_provider(provider: Provider) -> None:
    header = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", "kid": key().kid, "crit": 5}).encode()).rstrip(b"=").decode()
    answer = Asking(".".join([header, *token(provider).split(".")[1:]])).tool("find_passages", query="Frist")
    assert (answer.status, answer.body["code"]) == (401, "unauthenticated")


def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(provider: Provider) -> None:
    good = token(provider)
    forged = [token(provider, by=key("second")), good[:-4] + "AAAA", "a.b.c", f"{good.rpartition('.')[0]}.", "x" * 20_000]
    assert {Asking(one).send("tools/list").status for one in forged} == {401}


def test_scopes_are_those_that_the_provider_gave(provider: Provider) -> None:
    reads = Asking(token(provider, {"scope": "openid fundstelle.read"}))
    assert reads.tool("find_passages", query="Frist").value["total"] == 1
    assert reads.tool("cite", document="x", exact="x").error["code"] == "scope_missing"
    for claims in ({"scope": "openid read cite"}, {"scope": None}, {"scope": 3}):
        assert Asking(token(provider, claims)).tool("find_passages", query="Frist").error["code"] == "scope_missing"
    assert Asking(token(provider, {"scope": None, "scp": ["fundstelle.read"]})).tool("search", query="Frist").value["results"]


def test_who_signed_out_or_left_is_not_let_in_any_more(provider: Provider) -> None:
    before = token(provider, {"iat": int(time.time()) - 10})
    assert Asking(before).send("tools/list").status == 200
    people.signed_out("anna", now=timezone.now())
    assert Asking(before).send("tools/list").status == 401
    after = token(provider, {"iat": int(time.time()) + 5})
    assert Asking(after).send("tools/list").status == 200
    Membership.objects.update(active=False)
    assert Asking(after).send("tools/list").status == 401


def test_such_a_token_opens_nothing_else(provider: Provider) -> None:
    headers = {"authorization": f"Bearer {token(provider)}"}
    assert Client().get(f"{API}documents", headers=headers).status_code == 401
    assert Client().get("/documents/", headers=headers).status_code == 302


def test_tokens_made_here_go_on_to_count(provider: Provider) -> None:
    assert asking(person("eva")).send("tools/list").status == 200


def test_a_provider_that_gives_no_answer_is_told_so(provider: Provider) -> None:
    made = token(provider)
    conversation.forget()
    provider.answers["/.well-known/openid-configuration"] = lambda: (500, {}, b"Geheimes")
    answer = Asking(made).send("tools/list")
    assert answer.status == 503 and b"Geheimes" not in answer.response.content and answer.response["Retry-After"]


def test_clients_learn_which_provider_to_ask(provider: Provider) -> None:
    challenge = Asking("").send("tools/list").response["WWW-Authenticate"]
    assert f'resource_metadata="https://fundstelle.example{METADATA}/mcp"' in challenge and 'scope="fundstelle.read"' in challenge
    first, second = (Client().get(address).json() for address in (METADATA, f"{METADATA}/mcp"))
    assert first == second
    assert (first["resource"], first["authorization_servers"]) == (HERE, [provider.issuer])
    assert first["scopes_supported"] == ["fundstelle.read", "fundstelle.cite"]


def test_without_it_no_token_of_the_provider_counts_and_nothing_is_announced(provider: Provider, settings: Settings) -> None:
    settings.MCP_RESOURCE = ""
    answer = Asking(token(provider)).send("tools/list")
    assert answer.status == 401 and "resource_metadata" not in answer.response["WWW-Authenticate"]
    assert Client().get(METADATA).status_code == 404
