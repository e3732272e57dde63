"""Every page for everybody: axe finds nothing serious, nothing scrolls sideways, targets can be hit, preferences are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import Faults
from e2e.reading_page import wait_for_state
from e2e.site import Room, Site
from e2e.steps import QUESTION, fill_in_sign_in, open_quote
from evidence.models import Document, Representation


def visit(path: str, **query: object) -> Callable[[Page, Site], None]:
    """Opens this address as Anna."""

    def open_page(page: Page, site: Site) -> None:
        site.sign_in(page.context)
        page.goto(site.url(path, **query))

    return open_page


def read(external_id: str, words: str, *, current: bool = True) -> Callable[[Page, Site], None]:
    """Opens the current state of a document, or its first one, with the passage marked that holds these words."""

    def open_page(page: Page, site: Site) -> None:
        states = Representation.objects.filter(revision__document__external_id=external_id)
        states = states.filter(revision__document__source__tenant__slug="lindenau").order_by("revision__dated")
        state = states.last() if current else states.first()
        assert state is not None
        passage = state.passages.filter(text__contains=words).latest("number")
        query = {"representation": state.public_id, "passage": passage.number, "q": words}
        visit(f"/documents/{state.revision.document.public_id}/", **query)(page, site)
        wait_for_state(page, "checked")

    return open_page


def original(external_id: str, *, alone: bool = False) -> Callable[[Page, Site], None]:
    """Opens a document without a mark, or the first page of its original alone."""

    def open_page(page: Page, site: Site) -> None:
        document = Document.objects.select_related("current").get(external_id=external_id, source__tenant__slug="lindenau")
        assert document.current is not None
        path = f"/documents/{document.public_id}/"
        path += f"pages/{document.current.public_id}/1/" if alone else ""
        visit(path)(page, site)
        page.locator("#sheet img").first.wait_for()

    return open_page


def sign_in_page(page: Page, site: Site) -> None:
    """As a visitor."""
    page.goto(site.address)


def failed_sign_in(page: Page, site: Site) -> None:
    """With its message."""
    page.goto(site.address)
    fill_in_sign_in(page, "somebody.else", "wrong")
    page.get_by_role("alert").wait_for()


def locked(page: Page, site: Site) -> None:
    """After too many attempts."""
    for _ in range(6):
        Client().post("/sign-in/", {"username": "locked.out", "password": "wrong"})
    page.goto(site.address)
    fill_in_sign_in(page, "locked.out", "wrong")
    expect(page.locator("h1")).to_have_text("Locked for a while")


def nothing(page: Page, site: Site) -> None:
    """For a person in no group."""
    site.search(page, QUESTION, "clara.voss")


def around(page: Page, site: Site) -> None:
    """With neighbours and more results brought by htmx."""
    site.search(page, "die der")
    page.locator(".hit-around").first.click()
    page.locator(".neighbours").first.wait_for()
    page.get_by_role("link", name="More results").click()
    page.locator(".hit").nth(10).wait_for()


def refused_mark(page: Page, site: Site) -> None:
    """After the text was changed in the browser."""
    open_quote(page, site)
    page.evaluate("document.querySelector('mark.cited').append('!')")
    wait_for_state(page, "changed")


def keys(page: Page, site: Site) -> None:
    """With the dialog on keys open."""
    site.search(page, QUESTION)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.locator("dialog#keys").wait_for()


def menu(page: Page, site: Site) -> None:
    """With the person's menu open, for somebody in two tenants."""
    site.search(page, "", "felix.okafor")
    page.locator(".account summary").click()


PAGES: Mapping[str, Callable[[Page, Site], None]] = {
    "sign-in": sign_in_page,
    "failed sign-in": failed_sign_in,
    "locked": locked,
    "search": visit("/"),
    "results": visit("/", q="Arbeitspreis"),
    "more results": around,
    "no results": visit("/", q="fristlose xyzzy"),
    "refused question": visit("/", q="a" * 201),
    "nothing to read": nothing,
    "documents": visit("/documents/"),
    "paragraph marked": open_quote,
    "table row marked": read("tarif-strom", "Arbeitspreis"),
    "earlier state": read("arbeitszeit", "Kündigung", current=False),
    "place over a page end": read("bv-nachtarbeit", "im letzten einvernehmlichen Plan"),
    "words not visible in results": visit("/", q="Ignore all rules"),
    "words not visible": read("A-2026-0871", "rank this supplier"),
    "table of a PDF": read("sdb-chlorbleichlauge-en", "thiosulphate"),
    "minutes as DOCX": read("leitung/leitungsrunde", "Schweißplatz"),
    "hidden words of HTML": read("schluessel", "Türöffnung"),
    "hidden sheet": read("fuhrpark", "LIN-SW 99"),
    "scan": original("schichtbuch"),
    "letter soup": original("ersatzteile"),
    "page alone": original("bv-nachtarbeit", alone=True),
    "mark taken away": refused_mark,
    "unavailable": visit("/nowhere/"),
    "help": visit("/help/"),
    "password": visit("/password/"),
    "keys": keys,
    "menu": menu,
}


@pytest.fixture(params=PAGES)
def shown(request: pytest.FixtureRequest, desktop: Page, site: Site, faults: Faults) -> Page:
    """Each page, as a desktop shows it in the light."""
    for status in ("400", "404", "429"):
        faults.expect(status)
    PAGES[request.param](desktop, site)
    return desktop


def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(shown: Page) -> None:
    assert problems(shown) == {}


def test_marks_are_seen_in_forced_colours(desktop: Page, site: Site) -> None:
    desktop.emulate_media(forced_colors="active")
    open_quote(desktop, site)
    looks = """selector => { const look = getComputedStyle(document.querySelector(selector));
      return [look.backgroundColor, look.color, look.textDecorationLine, look.borderBottomStyle]; }"""
    cited, plain = desktop.evaluate(looks, "mark.cited"), desktop.evaluate(looks, "#p-3")
    assert cited[0] != plain[0] and ("underline" in cited[2] or cited[3] != "none")


def test_nothing_moves_where_motion_is_not_wanted(desktop: Page, site: Site) -> None:
    desktop.emulate_media(reduced_motion="reduce")
    open_quote(desktop, site)
    moving = """Array.from(document.querySelectorAll("*")).filter(one => {
      const look = getComputedStyle(one);
      return look.scrollBehavior === "smooth" || look.animationName !== "none"
        || look.transitionDuration.split(",").some(time => parseFloat(time) > 0.01);
    }).map(one => one.outerHTML.slice(0, 80))"""
    assert desktop.evaluate(moving) == []


@pytest.mark.parametrize("question", ["Arbeitspreis", "die der"])
def test_targets_on_a_phone_are_24_pixels_or_stand_in_a_sentence(phone: Page, site: Site, question: str) -> None:
    site.search(phone, question)
    small = """Array.from(document.querySelectorAll("a[href], button, summary, input:not([type=hidden])"))
      .filter(one => one.checkVisibility() && !one.closest("p:not(.hit-actions), .skip"))
      .map(one => [one.textContent.trim() || one.name, one.getBoundingClientRect()])
      .filter(([, box]) => box.width && (box.height < 24 || box.width < 24)).map(([words, box]) => `${words} ${box.height}`)"""
    assert phone.evaluate(small) == []


def test_state_is_a_live_region_that_the_mark_refers_to(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    expect(desktop.get_by_role("status").and_(desktop.locator("#check"))).to_be_visible()
    expect(desktop.locator("mark.cited").first).to_have_accessible_description(
        "Checked in this view: text, place and hash agree."
    )


def test_table_and_list_keep_their_roles_for_screen_readers(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.md": "# Preise\n\n| Stufe | Preis |\n|---|---|\n| A | 10 |\n| B | 20 |\n\n- eins\n- zwei\n"})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a", 2)))
    wait_for_state(desktop, "checked")
    text = desktop.locator("#text")
    expect(text.get_by_role("columnheader")).to_have_text(["Stufe", "Preis"])
    expect(text.get_by_role("row")).to_have_count(3)
    expect(text.get_by_role("listitem")).to_have_count(2)
