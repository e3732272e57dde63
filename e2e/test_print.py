"""On paper: the state, the hashes and the mark, without what only a screen needs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from e2e.reading_page import wait_for_state
from e2e.site import Room, Site
from e2e.steps import open_quote


def test_paper_names_state_place_and_hashes(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    digest = desktop.locator("#text").get_attribute("data-sha256") or ""
    desktop.emulate_media(media="print")
    paper = desktop.locator(".on-paper")
    expect(paper).to_be_visible()
    expect(paper).to_contain_text("current state")
    expect(paper).to_contain_text("Passage 26")
    expect(paper).to_contain_text(digest)
    expect(desktop.locator("#check")).to_be_visible()
    expect(desktop.locator("mark.cited").first).to_be_visible()


def test_paper_leaves_out_what_only_a_screen_needs(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    desktop.emulate_media(media="print")
    for selector in (".header", ".skip", ".reading-side-outline", ".place-copy", ".back"):
        expect(desktop.locator(selector).first).to_be_hidden()


def test_paper_of_an_earlier_state_says_so(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen."})
    earlier = room.path("frist", 0)
    room.publish({"frist.txt": "Die Frist beträgt vier Wochen."})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(earlier))
    wait_for_state(desktop, "checked")
    desktop.emulate_media(media="print")
    expect(desktop.locator(".on-paper")).to_contain_text("earlier state")
    expect(desktop.get_by_text("You are reading an earlier state of this document.")).to_be_visible()


def test_mark_is_told_from_other_text_without_its_background(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    desktop.emulate_media(media="print")
    lines = "getComputedStyle(document.querySelector('mark.cited')).textDecorationLine"
    borders = "getComputedStyle(document.querySelector('.passage:has(mark.cited)')).borderLeftWidth"
    assert "underline" in desktop.evaluate(lines) or desktop.evaluate(borders) != "0px"


def test_every_passage_is_printed(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    desktop.emulate_media(media="print")
    assert len(desktop.pdf()) > 10_000
    hidden = "Array.from(document.querySelectorAll('.passage')).filter(one => one.getBoundingClientRect().height === 0).length"
    assert desktop.evaluate(hidden) == 0
