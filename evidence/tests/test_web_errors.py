"""What is said when there is no page, and what every page keeps to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from evidence.errors import EvidenceError, Refused
from evidence.tests.builders import document, person, publish
from evidence.tests.pages import parsed, sign_in, texts, value
from evidence.web.errors import words

TEMPLATES: Path = settings.BASE_DIR / "templates"


def test_words_are_the_template_filled_in() -> None:
    assert words(Refused("x", "at most %(limit)d", limit=3)) == str(EvidenceError("x", "at most %(limit)d", limit=3))


@pytest.mark.django_db(transaction=True)
def test_missing_index_is_said_to_be_rebuilt(client: Client, tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"x.txt": "Wort"})
    for file in (data_folder / "index").iterdir():
        file.unlink()
    sign_in(client, person("anna", ["alle"]))
    response = client.get("/", {"q": "wort"}, headers={"accept-language": "en"})
    assert (response.status_code, texts(parsed(response), "h1")) == (503, ["The search index is being rebuilt"])


@pytest.mark.django_db(transaction=True)
def test_htmx_is_sent_to_the_page_when_there_is_no_fragment(client: Client) -> None:
    response = client.get("/?q=wort", headers={"hx-request": "true", "hx-target": "results"})
    assert (response.status_code, response.headers["HX-Redirect"]) == (200, "/?q=wort")
    sign_in(client, person("anna"))
    assert client.get("/documents/no-id/", headers={"hx-request": "true"}).headers["HX-Redirect"] == "/documents/no-id/"


def test_page_for_a_fault_needs_no_request_and_no_database() -> None:
    assert "Fundstelle" in render_to_string("500.html")


@pytest.fixture
def pages(client: Client, tmp_path: Path) -> Iterator[str]:
    """The HTML of every kind of page."""
    publish(tmp_path, {"x.md": "# Titel\n\nWort [hier](https://example.org)."})
    row = document("x")
    assert row.current is not None
    addresses = ["/sign-in/", "/", "/?q=wort", "/?q=" + "a" * 201, "/documents/", "/help/", "/password/", "/nowhere"]
    addresses += [f"/documents/{row.public_id}/?representation={row.current.public_id}&passage=1&q=wort"]
    addresses += [f"/documents/{row.public_id}/passages/{row.current.public_id}/1/neighbours/"]
    sign_out = client.get(addresses[0]).content.decode()
    sign_in(client, person("anna", ["alle"]))
    return iter([sign_out, *(client.get(address).content.decode() for address in addresses[1:])])


@pytest.mark.django_db(transaction=True)
def test_no_page_holds_code_styles_or_requests_to_elsewhere(pages: Iterator[str]) -> None:
    for page in pages:
        assert not re.search(r"<style|\sstyle=|\son\w+=|hx-on|javascript:|\bjs:|(src|href|action)=[\"']?(https?:)?//", page)
        inline = [one for one in re.findall(r"<script[^>]*>", page) if "src=" not in one and "application/json" not in one]
        assert len(inline) == 1 and 'type="importmap" nonce="' in inline[0]


@pytest.mark.django_db(transaction=True)
def test_every_page_has_one_heading_one_main_part_and_a_way_to_it(pages: Iterator[str]) -> None:
    for text in pages:
        page = LexborHTMLParser(text)
        assert len(page.css("h1")) == len(page.css("main")) == 1
        assert value(page, "a.skip", "href") == "#content"
        assert value(page, "html", "lang")
