"""Several at once: one person who signs in twice at the same time is one, and pushes side by side all arrive."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import people
from evidence.claims import Names, Stated
from evidence.models import Group, Identity, Membership
from evidence.tests.builders import tenant

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "k7QmZ2vT9xWc4LpR8sYb3NfH6jDg1AeU"
AT_ONCE = 4


@pytest.fixture(autouse=True)
def set_up(settings: Settings) -> None:
    tenant()
    settings.OIDC_ISSUER, settings.OIDC_TENANT = "https://id.example", "lindenau"


def side_by_side(calls: Sequence[Callable[[], object]]) -> list[object]:
    """What they give, begun at the same moment."""
    together = Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        together.wait()
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_somebody_new_who_signs_in_several_times_at_once_is_one_person(settings: Settings) -> None:
    settings.OIDC_CREATE_GROUPS = True
    stated = Stated("anna", datetime.now(UTC), frozenset({"f-7", "f-8"}), Names(user="anna"))
    found = side_by_side([lambda: people.signed_in(stated, now=timezone.now()).pk] * AT_ONCE)
    assert len(set(found)) == User.objects.count() == Identity.objects.count() == Membership.objects.count() == 1
    assert {one.external_id for one in Membership.objects.get().groups.all()} == {"f-7", "f-8"}


def test_several_new_people_with_the_same_new_group_make_it_once(settings: Settings) -> None:
    settings.OIDC_CREATE_GROUPS = True
    stated = [Stated(f"p-{number}", datetime.now(UTC), frozenset({"f-7"})) for number in range(AT_ONCE)]
    side_by_side([lambda one=one: people.signed_in(one, now=timezone.now()) for one in stated])  # type: ignore[misc]
    assert Group.objects.get().memberships.count() == AT_ONCE


def test_people_pushed_side_by_side_into_one_group_are_all_in_it(settings: Settings) -> None:
    settings.SCIM_TOKEN = TOKEN

    def call(method: str, path: str, body: object) -> str:
        sent, headers = json.dumps(body), {"authorization": f"Bearer {TOKEN}"}
        answer = Client().generic(method, f"/scim/v2{path}", sent, content_type="application/scim+json", headers=headers)
        assert answer.status_code in {201, 204}, answer.content
        return str(json.loads(answer.content)["id"]) if answer.content else ""

    core = "urn:ietf:params:scim:schemas:core:2.0:"
    users = [
        call("POST", "/Users", {"schemas": [f"{core}User"], "userName": f"p-{one}", "externalId": f"p-{one}"}) for one in range(3)
    ]
    netz = call("POST", "/Groups", {"schemas": [f"{core}Group"], "displayName": "Netz", "externalId": "f-7"})

    def add(user: str) -> str:
        operation = {"op": "add", "path": "members", "value": [{"value": user}]}
        body = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [operation]}
        return call("PATCH", f"/Groups/{netz}", body)

    side_by_side([lambda one=one: add(one) for one in users])  # type: ignore[misc]
    assert Group.objects.get().memberships.count() == 3


def test_a_person_pushed_twice_at_once_is_one(settings: Settings) -> None:
    settings.SCIM_TOKEN = TOKEN
    person = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "anna", "externalId": "a-1"}

    def push() -> int:
        headers = {"authorization": f"Bearer {TOKEN}"}
        return Client().post("/scim/v2/Users", person, content_type="application/scim+json", headers=headers).status_code

    assert sorted(side_by_side([push] * AT_ONCE), key=str) == [201] + [409] * (AT_ONCE - 1)
    assert User.objects.count() == Identity.objects.count() == 1
