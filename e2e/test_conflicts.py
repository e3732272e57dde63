"""Contradictions in a browser: marked from a citation, seen at both sides, settled; and a translation beside its passage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE
from e2e.site import Room, Site
from evidence import citations
from evidence.access import Access
from evidence.knowledge import conflicts, proposals, translations
from evidence.knowledge.conflicts import Named
from evidence.models import Role, Space
from evidence.tests import builders

LONG: Final = "Ab-zehn-Prozent-der-unteren-Explosionsgrenze-wird-das-Haus-ohne-Umschweife-geräumt-" * 2
TEN, TWENTY = "Ab 10 Prozent wird das Haus geräumt.", "Ab 20 Prozent wird das Haus geräumt."


def access(room: Room, name: str, role: str) -> Access:
    """Somebody of this room with this role, who reads everything in it."""
    user = User.objects.filter(username=name).first() or builders.person(name, ["alle"], of=room.tenant, role=role)
    return builders.access(user, at=room.name)


@pytest.fixture
def editor(room: Room) -> Access:
    """Marks and proposes. Two documents of the room contradict each other."""
    room.publish({"zehn.txt": TEN, "zwanzig.txt": f"{TWENTY}\n\n{LONG}"})
    return access(room, f"{room.name}-edda", Role.EDITOR)


def cited(who: Access, room: Room, name: str, words: str) -> UUID:
    return citations.cite_words(who, room.document(name).public_id, exact=words)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_contradiction_is_marked_seen_at_both_sides_and_settled(
    open_window: Callable[..., Page], site: Site, room: Room, editor: Access, scripts: bool
) -> None:
    left, _ = cited(editor, room, "zehn", TEN), cited(editor, room, "zwanzig", TWENTY)
    page = open_window(**DESKTOP, java_script_enabled=scripts)
    site.sign_in(page.context, f"{room.name}-edda")
    page.goto(site.url(f"/citations/{left}/"))
    page.get_by_role("link", name="Mark a contradiction").click()
    page.get_by_label("One of your citations").select_option(label=f"zwanzig: {TWENTY}")
    page.get_by_label("What they contradict each other about").fill("Grenze der Räumung")
    page.get_by_role("button", name="Mark a contradiction").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Grenze der Räumung")
    expect(page.locator(".conflict-side .cited-words")).to_have_text([TEN, TWENTY])
    reader = open_window(**PHONE, java_script_enabled=scripts)
    site.search(reader, "Prozent Haus", room.name)
    expect(reader.locator(".hit .disputes")).to_have_count(2)
    reader.get_by_role("link", name="zehn", exact=True).click()
    expect(reader.locator(".reading-head .disputes")).to_contain_text("Grenze der Räumung")
    reader.get_by_role("link", name="Both sides").click()
    expect(reader.locator(".conflict-side")).to_have_count(2)
    expect(reader.get_by_role("button", name="Settle")).to_have_count(0)
    page.get_by_label("How it was settled").fill("Es gelten 10 Prozent.")
    page.get_by_role("button", name="Settle").click()
    expect(page.locator(".conflict-settled")).to_contain_text("Es gelten 10 Prozent.")
    reader.goto(site.url(q="Prozent Haus"))
    expect(reader.locator(".disputes")).to_have_count(0)
    page.get_by_role("button", name="Reopen").click()
    reader.reload()
    expect(reader.locator(".hit .disputes")).to_have_count(2)


def test_sides_stand_beside_each_other_and_below_on_a_phone(desktop: Page, site: Site, room: Room, editor: Access) -> None:
    conflict = marked(editor, room)
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(f"/conflicts/{conflict}/"))
    first, second = desktop.locator(".conflict-side").all()
    wide = [one.bounding_box() or {"x": 0.0, "y": 0.0} for one in (first, second)]
    assert wide[0]["y"] == wide[1]["y"] and wide[0]["x"] < wide[1]["x"]
    desktop.set_viewport_size(PHONE["viewport"])
    narrow = [one.bounding_box() or {"x": 0.0, "y": 0.0} for one in (first, second)]
    assert narrow[0]["x"] == narrow[1]["x"] and narrow[0]["y"] < narrow[1]["y"]


def test_a_translation_is_proposed_approved_and_shown(
    open_window: Callable[..., Page], site: Site, room: Room, editor: Access
) -> None:
    Space.objects.create(tenant=room.tenant, slug="betrieb", title="Betrieb")
    citation = cited(editor, room, "zehn", TEN)
    page = open_window(**PHONE)
    site.sign_in(page.context, f"{room.name}-edda")
    page.goto(site.url(f"/citations/{citation}/"))
    page.get_by_role("link", name="Propose a translation").click()
    page.get_by_label("Language of the translation").fill("en")
    page.get_by_label("Translation", exact=True).fill("From 10 percent on, the house is cleared.")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_role("status").filter(has_text="The translation is proposed")).to_be_visible()
    expect(page.locator(".translated")).to_have_count(0)
    reviewer = access(room, f"{room.name}-rita", Role.REVIEWER)
    proposals.approve(reviewer, proposals.to_review(reviewer).rows[0].id)
    page.goto(site.url(room.path("zehn", 0)))
    expect(page.locator(".translated")).to_contain_text("Translation into English, derived from the passage; not citable")
    expect(page.locator("#text")).to_have_text(TEN)
    expect(page.locator(".reading-bar")).to_contain_text("Checked in this view")


def marked(who: Access, room: Room, matter: str = "Grenze der Räumung") -> UUID:
    """A long passage against a short one."""
    sides = Named(citation=cited(who, room, "zehn", TEN)), Named(citation=cited(who, room, "zwanzig", LONG))
    return conflicts.mark(who, *sides, matter=matter, note=LONG)


@pytest.mark.parametrize("page_of", ["list", "conflict", "mark", "citation", "translate", "search", "documents", "reading"])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    desktop: Page, site: Site, room: Room, editor: Access, page_of: str
) -> None:
    Space.objects.create(tenant=room.tenant, slug="betrieb", title="Betrieb")
    conflict, citation = marked(editor, room, LONG), cited(editor, room, "zehn", TEN)
    said = {"space": "betrieb", "language": "en", "text": LONG, "translator": "Büro"}
    reviewer = access(room, f"{room.name}-rita", Role.REVIEWER)
    proposals.approve(reviewer, translations.propose(editor, citation, **said))
    paths = {
        "list": "/conflicts/",
        "conflict": f"/conflicts/{conflict}/",
        "mark": f"/conflicts/mark/?left={citation}",
        "citation": f"/citations/{citation}/",
        "translate": f"/citations/{citation}/translate/",
        "search": "/?q=Prozent",
        "documents": "/documents/",
        "reading": room.path("zehn", 0),
    }
    site.sign_in(desktop.context, f"{room.name}-edda")
    desktop.goto(site.url(paths[page_of]))
    assert problems(desktop) == {}


def test_claims_that_contradict_each_other_stand_beside_each_other(desktop: Page, site: Site) -> None:
    site.search(desktop, '"Kündigungsfrist in der Probezeit"')
    desktop.locator(".disputes a", has_text="Both sides").first.click()
    expect(desktop.locator(".conflict-side")).to_have_count(2)
    expect(desktop.locator(".conflict-side .cited-words")).to_have_count(2)
    assert problems(desktop) == {}
