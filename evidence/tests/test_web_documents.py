"""The list of documents by title."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence.models import Document
from evidence.tests.builders import person, publish
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db(transaction=True)


def titles(*names: str) -> dict[str, str]:
    """Files whose documents have these titles."""
    return {f"{number}.md": f"# {name}\n\nText." for number, name in enumerate(names)}


def test_each_person_sees_titles_of_what_that_person_may_read(client: Client, tmp_path: Path) -> None:
    publish(tmp_path / "a", titles("Urlaub", "Arbeitszeit"))
    publish(tmp_path / "n", titles("Netz"), allowed='["group:netz"]', source="netz")
    for name, groups, seen in (("all", ["alle", "netz"], 3), ("part", ["alle"], 2), ("none", [], 0)):
        sign_in(client, person(name, groups))
        assert len(texts(parsed(client.get("/documents/")), ".title-row h2")) == seen


def test_list_is_the_same_to_the_byte_with_and_without_what_may_not_be_read(client: Client, tmp_path: Path) -> None:
    publish(tmp_path / "a", titles("Urlaub", "Arbeitszeit"))
    sign_in(client, person("anna", ["alle"]))
    before = [main(client.get("/documents/", asked)) for asked in ({}, {"title": "netz"}, {"title": "u"})]
    publish(tmp_path / "n", titles("Netz", "Unternetz"), allowed='["group:netz"]', source="netz")
    assert [main(client.get("/documents/", asked)) for asked in ({}, {"title": "netz"}, {"title": "u"})] == before


def test_titles_are_found_by_words_in_any_case(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, titles("Große Übersicht", "Arbeitszeit"))
    sign_in(client, person("anna", ["alle"]))
    assert texts(parsed(client.get("/documents/", {"title": "ÜBERSICHT"})), ".title-row h2") == ["Große Übersicht"]


def test_live_filter_gets_the_list_alone(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, titles("Urlaub", "Arbeitszeit"))
    sign_in(client, person("anna", ["alle"]))
    fragment = parsed(client.get("/documents/", {"title": "url"}, headers={"hx-request": "true"}))
    assert texts(fragment, ".title-row h2") == ["Urlaub"]
    assert fragment.css("form, header") == []


def test_long_list_has_pages(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, titles(*(f"Titel {number:02}" for number in range(60))))
    sign_in(client, person("anna", ["alle"]))
    first = parsed(client.get("/documents/"))
    second = parsed(client.get("/documents/" + value(first, ".turn a", "href")))
    assert len(texts(first, ".title-row")) == 50
    assert texts(second, ".title-row h2")[0] == "Titel 50"


def test_too_long_a_title_is_refused_with_the_reason(client: Client) -> None:
    sign_in(client, person("anna", ["alle"]))
    response = client.get("/documents/", {"title": "a" * 201}, headers={"accept-language": "en"})
    assert response.status_code == 400
    assert "at most 200 characters" in texts(parsed(response), "[role=alert]")[0]


def test_drafts_expired_and_coming_documents_are_labelled(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, titles("Entwurf", "Alt", "Neu", "Gültig"))
    Document.objects.filter(title="Entwurf").update(status="draft")
    Document.objects.filter(title="Alt").update(valid_until="2001-01-01")
    Document.objects.filter(title="Neu").update(valid_from="2999-01-01")
    sign_in(client, person("anna", ["alle"]))
    rows = parsed(client.get("/documents/", headers={"accept-language": "en"})).css(".title-row")
    badges = {one(row, "h2").text(): [badge.text() for badge in row.css(".badge")] for row in rows}
    assert badges == {"Alt": ["Expired"], "Entwurf": ["Draft"], "Gültig": [], "Neu": ["Valid only from 1 Jan 2999"]}


def test_queries_do_not_depend_on_the_number_of_documents(
    client: Client, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    publish(tmp_path, titles("Urlaub", *(f"Titel {number}" for number in range(9))))
    sign_in(client, person("anna", ["alle"]))
    for title, found in (("urlaub", 1), ("", 10)):
        with django_assert_num_queries(11):
            response = client.get("/documents/", {"title": title})
        assert len(texts(parsed(response), ".title-row")) == found


def test_documents_of_one_title_are_told_apart_by_their_ids(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": "# Miete\n\nA.", "alt/b.md": "# Miete\n\nB.", "c.md": "# Pacht\n\nC."})
    sign_in(client, person("anna", ["alle"]))
    assert sorted(texts(parsed(client.get("/documents/")), ".facts dd[dir]")) == ["a", "alt/b"]
