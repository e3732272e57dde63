"""The demo's documents and people are what the demo promises."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password

from evidence.formats import FORMATS
from evidence.sources import Item, Listing
from evidence.sources.folder import Folder
from evidence.sources.rules import beside

DEMO = Path(__file__).resolve().parents[2] / "demo"
PEOPLE: dict[str, Any] = tomllib.loads((DEMO / "people.toml").read_text(encoding="utf-8"))
SOURCES = {source["name"]: (tenant, source) for tenant in PEOPLE["tenant"] for source in tenant["source"]}
FOR_NOBODY = {"merkzettel-ohne-regel", "personal/jour-fixe-11"}


def listed(name: str) -> Listing:
    folder = DEMO / SOURCES[name][1]["folder"]
    return Folder(folder, beside(folder), frozenset(FORMATS)).list()


def states() -> list[Item]:
    return [item for name in SOURCES for item in listed(name).items]


@pytest.mark.parametrize("name", SOURCES)
def test_a_demo_source_is_listed_whole(name: str) -> None:
    found = listed(name)
    assert (found.refusals, found.unused, found.complete) == ([], [], True)
    assert not found.unread.keys() & FORMATS.keys()


@pytest.mark.parametrize("name", SOURCES)
def test_demo_rights_name_groups_and_people_that_exist(name: str) -> None:
    known = {f"group:{group}" for group in SOURCES[name][0]["groups"]} | {f"user:{person['name']}" for person in PEOPLE["person"]}
    for item in listed(name).items:
        assert {*(item.rights.allowed or ()), *item.rights.denied} <= known, item.path


def test_two_demo_documents_are_for_nobody() -> None:
    assert {item.external_id for item in states() if item.rights.allowed is None} == FOR_NOBODY


def test_the_demo_has_documents_with_several_states() -> None:
    counts = Counter(item.external_id for item in states())
    assert len(counts) >= 60
    assert sum(count > 1 for count in counts.values()) >= 10


def test_demo_markdown_is_utf_8() -> None:
    for item in states():
        assert not item.path.endswith(".md") or item.read().decode("utf-8").strip(), item.path


def test_demo_passwords_are_accepted() -> None:
    for person in PEOPLE["person"]:
        first_name, _, last_name = person["full_name"].partition(" ")
        user = User(username=person["name"], first_name=first_name, last_name=last_name)
        validate_password(person["password"], user)


def test_demo_memberships_name_tenants_and_groups_that_exist() -> None:
    groups = {tenant["slug"]: set(tenant["groups"]) for tenant in PEOPLE["tenant"]}
    for person in PEOPLE["person"]:
        for membership in person["membership"]:
            assert set(membership["groups"]) <= groups[membership["tenant"]], person["name"]
