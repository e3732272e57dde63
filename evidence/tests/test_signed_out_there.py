"""The provider reports that somebody signed out: believed when it is the provider, and then in effect everywhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from evidence import provider as conversation
from evidence.models import AuditEvent, Group, Identity
from evidence.provider import LOGOUT_EVENT
from evidence.tests.builders import tenant
from evidence.tests.providers import CLIENT, Claims, Provider, key, running, settings_for, sign_in, signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    tenant()
    conversation.forget()
    with running(anna={"groups": ["f-7"]}, berta={}) as provider:
        for name, one in settings_for(provider).items():
            setattr(settings, name, one)
        yield provider


def report(provider: Provider, change: Claims | None = None, *, token: str | None = None) -> int:
    now = int(time.time())
    claims = {"iss": provider.issuer, "aud": CLIENT, "iat": now, "exp": now + 120, "jti": f"{time.monotonic()}"}
    claims |= {"sub": "anna", "sid": "s-1", "events": {LOGOUT_EVENT: {}}} | (change or {})
    kept = {name: value for name, value in claims.items() if value is not None}
    sent = {"logout_token": signed(kept, typ="logout+jwt") if token is None else token}
    return Client(enforce_csrf_checks=True).post("/sign-in/oidc/logout/", sent).status_code


def test_a_report_ends_all_sessions_of_the_person_and_takes_the_groups(provider: Provider) -> None:
    Group.objects.create(tenant=tenant(), name="netz", issuer=provider.issuer, external_id="f-7")
    desk, phone, other = Client(), Client(), Client()
    for client, subject in ((desk, "anna"), (phone, "anna"), (other, "berta")):
        sign_in(client, provider, subject)
    assert report(provider) == 200
    assert [client.get("/").status_code for client in (desk, phone, other)] == [302, 302, 200]
    assert Identity.objects.get(subject="anna").groups_at is None
    assert AuditEvent.objects.filter(code="identity.signed_out").count() == 1


def test_afterwards_one_can_sign_in_again(provider: Provider) -> None:
    client = Client()
    sign_in(client, provider, "anna")
    report(provider)
    sign_in(client, provider, "anna")
    assert client.get("/").status_code == 200


def test_a_report_about_nobody_known_is_taken_and_changes_nothing(provider: Provider) -> None:
    assert report(provider, {"sub": "niemand"}) == 200
    assert not AuditEvent.objects.exists()


def test_a_report_counts_once(provider: Provider) -> None:
    assert report(provider, {"jti": "m-1"}) == 200
    assert report(provider, {"jti": "m-1"}) == 400


def test_a_report_that_could_not_be_written_down_may_come_again(provider: Provider) -> None:
    client = Client()
    sign_in(client, provider, "anna")

    def locked(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(locked), pytest.raises(OperationalError):
        report(provider, {"jti": "m-1"})
    assert (client.get("/").status_code, report(provider, {"jti": "m-1"}), client.get("/").status_code) == (200, 200, 302)


@pytest.mark.parametrize(
    "change",
    [
        {"iss": "https://other.example"},
        {"aud": "somebody"},
        {"iat": 1_000},
        {"iat": 99_999_999_999},
        {"iat": None},
        {"exp": 1_000},
        {"sub": None},
        {"sub": 7},
        {"jti": None},
        {"events": None},
        {"events": {}},
        {"events": [LOGOUT_EVENT]},
        {"events": {LOGOUT_EVENT: "x"}},
        {"nonce": "x"},
    ],
)
def test_a_report_that_is_none_ends_nothing(provider: Provider, change: Claims) -> None:
    client = Client()
    sign_in(client, provider, "anna")
    assert report(provider, change) == 400
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "x" * 20_000, "a.b.c"])
def test_a_report_that_nobody_signed_ends_nothing(provider: Provider, token: str) -> None:
    assert report(provider, token=token) == 400


def test_a_report_by_another_key_ends_nothing(provider: Provider) -> None:
    now = int(time.time())
    claims = {"iss": provider.issuer, "aud": CLIENT, "iat": now, "exp": now + 120, "jti": "x", "sub": "anna"}
    assert report(provider, token=signed(claims | {"events": {LOGOUT_EVENT: {}}}, by=key("other"))) == 400


def test_a_token_of_a_person_is_no_report(provider: Provider) -> None:
    seen: list[str] = []
    provider.token = lambda claims: seen.append(signed(claims)) or seen[-1]  # type: ignore[func-returns-value]
    client = Client()
    sign_in(client, provider, "anna")
    assert report(provider, token=seen[0]) == 400
    assert client.get("/").status_code == 200


def test_a_provider_that_is_down_is_told_to_try_again(provider: Provider) -> None:
    provider.answers["/.well-known/openid-configuration"] = lambda: (500, {}, b"")
    assert report(provider) == 503


def test_where_people_are_known_by_another_claim_nobody_is_named_by_a_report(provider: Provider, settings: Settings) -> None:
    settings.OIDC_SUBJECT_CLAIM = "oid"
    assert report(provider) == 404
