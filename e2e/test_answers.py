"""Checked answers in a browser: pasted, checked, read beside the passages, checked again after a change, deleted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE
from e2e.site import Room, Site
from evidence.answers import keeping
from evidence.answers.values import Draft, Pointer, Sentence
from evidence.models import Answer, Document
from evidence.tests.builders import access

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang und endet am achten Tag um Mitternacht."
OTHER = "Rechnungen werden binnen dreißig Tagen bezahlt.\n\nWer zu spät zahlt, zahlt mehr.\n\nWer zu spät zahlt, hört von uns."
LONG = "ein-wort-ohne-jede-luecke-das-nirgends-umbrechen-will-" * 8


def published(room: Room, text: str = TEXT) -> Document:
    """The deadlines; the page beside it says when invoices are paid."""
    room.publish({"fristen.txt": text, "rechnungen.txt": OTHER})
    return Document.objects.select_related("current").get(external_id="fristen", source__tenant=room.tenant)


def pasted(row: Document) -> str:
    """An answer with one sentence of each state."""
    document = str(row.public_id)
    quotes = [
        ("Nach der Regel gilt: Die Frist beträgt acht Tage, mehr nicht.", "Die Frist beträgt acht Tage."),
        ("Rechnungen werden binnen dreißig Tagen bezahlt.", "binnen dreißig Tagen bezahlt"),
        ("Die Frist endet um Mitternacht.", "Die Frist beträgt … am achten Tag um Mitternacht"),
        ("Die Frist beträgt neun Tage.", "beträgt neun Tage"),
    ]
    sentences = [{"text": text, "citations": [{"document": document, "exact": quote}]} for text, quote in quotes]
    uncited = ["Das war es.", "Es heißt: „Rechnungen werden binnen dreißig Tagen bezahlt.“", "Es heißt: „Wer zu spät zahlt“."]
    sentences += [{"text": text, "citations": []} for text in uncited]
    return json.dumps({"question": "Wie lang ist die Frist?", "model": "ein-modell", "sentences": sentences})


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_an_answer_is_pasted_checked_read_checked_again_and_deleted(
    open_window: Callable[..., Page], site: Site, room: Room, scripts: bool
) -> None:
    row = published(room)
    page = open_window(**(DESKTOP if scripts else PHONE), java_script_enabled=scripts)
    site.search(page, "", room.name)
    page.goto(site.url("/answers/"))
    expect(page.get_by_role("heading", name="You have had no answer checked")).to_be_visible()
    page.get_by_label("Answer: a text, or JSON").fill(pasted(row))
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="Wie lang ist die Frist?")).to_be_visible()
    states = page.locator(".answer-state .state")
    assert [states.nth(n).get_attribute("data-support") for n in range(7)] == [
        "supported",
        "misattributed",
        "stitched",
        "absent",
        "uncited",
        "found",
        "ambiguous",
    ]
    found = page.locator(".answer-row").nth(5)
    expect(found.locator(".proof-title")).to_have_text("rechnungen")
    first = page.locator(".answer-row").first
    expect(first.locator(".answer-text .from-document")).to_have_text("Die Frist beträgt acht Tage")
    first.get_by_role("link", name="Open in the document").click()
    expect(page.locator("#text mark.cited")).to_have_text("Die Frist beträgt acht Tage.")
    page.go_back()
    published(room, TEXT.replace("acht Tage", "zwei Tage"))
    page.reload()
    expect(first.locator(".answer-before")).to_have_text("was: Quotes verified")
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_text("Sentences with another state than before: 1.")).to_be_visible()
    expect(page.locator(".answer-before")).to_have_count(0)
    page.locator(".answer-delete > summary").click()
    page.get_by_role("button", name="Delete this answer").click()
    expect(page.get_by_text("The answer is deleted.")).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    open_window: Callable[..., Page], site: Site, room: Room, size: dict[str, object], scheme: str
) -> None:
    row = published(room, f"{TEXT}\n\n{LONG}")
    page = open_window(**size, color_scheme=scheme)
    site.search(page, "", room.name)
    asker = access(User.objects.get(username=room.name), at=room.tenant.slug)
    sentences = [
        Sentence(LONG, [Pointer(document=row.public_id, exact=one)]) for one in (LONG, f"{LONG} {LONG}", "am achten Tag")
    ]
    sentences += [
        Sentence(LONG),
        Sentence(f"„{LONG} und {LONG}“"),
        Sentence("„Die Frist beträgt acht Tage.“ „Wer zu spät zahlt“"),
    ]
    answer = keeping.keep(asker, Draft(sentences, LONG[:400], LONG[:90]), origin=Answer.Origin.GENERATED)
    for path in ("/answers/", f"/answers/{answer}/"):
        page.goto(site.url(path))
        assert problems(page) == {}, path
