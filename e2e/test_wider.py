"""The wider search in a browser: the switch, what was made of the words, what is switched off; with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import PHONE
from e2e.reading_page import wait_for_state
from e2e.site import Room, Site
from e2e.steps import ask

TEXTS = {
    "frist.md": "# Fristen\n\nDie Frist beginnt mit dem Zugang.\n\nFristen enden um Mitternacht.\n",
    "liste.md": "# Andere Wörter\n\nZugang und Antrag.\n",
}


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def window(request: pytest.FixtureRequest, open_window: Callable[..., Page]) -> Page:
    """A phone with scripts, and one without."""
    options: dict[str, Any] = {**PHONE, "java_script_enabled": request.param}
    return open_window(**options)


def interpretation(page: Page) -> None:
    """Unfold it."""
    page.locator("#interpretation > summary").click()
    expect(page.locator(".terms")).to_be_visible()


def test_the_switch_asks_what_is_typed_and_exact_is_one_press_away(window: Page, site: Site, room: Room) -> None:
    room.publish(TEXTS)
    site.search(window, "", room.name)
    window.locator("#q").fill("Frist Quastenflosser")
    window.get_by_role("button", name="Wider").click()
    expect(window.locator("#mode-wider")).to_have_attribute("aria-pressed", "true")
    expect(window.locator(".hit").first).to_be_visible()
    expect(window.locator("#finds")).to_contain_text("Finds any of the words")
    window.locator("#q").fill("Zugang Quastenflosser")
    window.locator("#q").press("Enter")
    expect(window.locator(".read").first).to_have_text("Zugang")
    window.get_by_role("button", name="Exact").click()
    expect(window.locator("#mode-exact")).to_have_attribute("aria-pressed", "true")
    expect(window.get_by_role("heading", name="Nothing found")).to_be_visible()
    window.get_by_role("link", name="Search wider").click()
    expect(window.locator(".hit").first).to_be_visible()


def test_passages_that_only_share_words_are_announced_as_such(desktop: Page, site: Site, room: Room) -> None:
    room.publish(TEXTS)
    site.search(desktop, "Frist", room.name)
    desktop.locator("#q").fill("Frist nach § 999 BGB")
    desktop.get_by_role("button", name="Wider").click()
    expect(desktop.get_by_role("status").and_(desktop.locator("#count"))).to_contain_text("No likely answer.")
    expect(desktop.get_by_text("none of them is likely to answer it")).to_be_visible()
    expect(desktop.locator(".report-loud > summary")).to_be_in_viewport()
    expect(desktop.locator(".hit").first).to_be_visible()


def test_an_expansion_is_switched_off_and_on_again(window: Page, site: Site, room: Room) -> None:
    room.publish(TEXTS)
    site.search(window, "", room.name)
    window.goto(site.url(q="Frist Quastenflosser", mode="wider"))
    found = window.locator(".hit").filter(has_text="Fristen enden um Mitternacht.")
    expect(found.locator("mark.found-form")).to_have_text("Fristen")
    expect(found.locator(".way")).to_contain_text("other form")
    interpretation(window)
    window.locator("#off-1-form").click()
    expect(found).to_have_count(0)
    expect(window.locator(".read").first).to_contain_text("−1")
    expect(window.locator(".terms")).to_be_visible()
    window.get_by_role("link", name="Switch everything on again").click()
    expect(found).to_be_visible()


def test_focus_stays_on_what_was_switched_and_results_are_announced(desktop: Page, site: Site, room: Room) -> None:
    room.publish(TEXTS)
    site.search(desktop, "", room.name)
    desktop.goto(site.url(q="Frist", mode="wider"))
    interpretation(desktop)
    desktop.locator("#off-1-form").focus()
    before = desktop.locator("#count").inner_text()
    desktop.keyboard.press("Enter")
    expect(desktop.locator("#count")).not_to_have_text(before)
    expect(desktop.get_by_role("status").and_(desktop.locator("#count"))).to_contain_text("found")
    expect(desktop.locator("#off-1-form")).to_be_focused()
    desktop.locator("#mode-exact").focus()
    desktop.keyboard.press("Enter")
    expect(desktop.locator("#mode-exact")).to_have_attribute("aria-pressed", "true")
    expect(desktop.locator("#mode-exact")).to_be_focused()


def test_a_chosen_filter_stays_when_the_mode_changes(desktop: Page, site: Site) -> None:
    site.sign_in(desktop.context)
    desktop.goto(site.url(q="die der", source="beschluesse"))
    desktop.get_by_role("button", name="Wider").click()
    desktop.wait_for_url("**mode=wider*")
    assert "source=beschluesse" in desktop.url
    expect(desktop.locator("#filter-source-beschluesse")).to_have_attribute("aria-current", "true")


def test_the_document_marks_the_same_words_in_the_same_way_and_leads_back(desktop: Page, site: Site, room: Room) -> None:
    room.publish(TEXTS)
    site.search(desktop, "", room.name)
    desktop.goto(site.url(q="Frist Mitternacht", mode="wider"))
    hit = desktop.locator(".hit").filter(has_text="Fristen enden um Mitternacht.")
    marks = [(one.inner_text(), one.get_attribute("class")) for one in hit.locator(".quote mark").all()]
    hit.locator("[data-open]").click()
    wait_for_state(desktop, "checked")
    here = [(one.inner_text(), one.get_attribute("class")) for one in desktop.locator("#text mark.found").all()]
    assert here == marks == [("Fristen", "found found-form"), ("Mitternacht", "found")]
    desktop.keyboard.press("Escape")
    expect(desktop.locator("#mode-wider")).to_have_attribute("aria-pressed", "true")


def test_kinds_of_marks_differ_by_more_than_colour(desktop: Page, site: Site) -> None:
    site.sign_in(desktop.context)
    desktop.goto(site.url("/help/"))
    looks = desktop.locator(".legend-ways mark").evaluate_all(
        "marks => marks.map(one => { const look = getComputedStyle(one); "
        "return `${look.textDecorationStyle} ${look.textDecorationThickness}`; })"
    )
    assert len(looks) == len(set(looks)) == 5


def test_further_results_keep_the_mode(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"viel.txt": "\n\n".join(f"Frist {n}" for n in range(15))})
    site.search(desktop, "", room.name)
    desktop.goto(site.url(q="Frist Quastenflosser", mode="wider"))
    desktop.get_by_role("link", name="More results").click()
    expect(desktop.locator(".hit")).to_have_count(15)
    assert "mode=wider" in (desktop.locator("[data-open]").nth(12).get_attribute("href") or "")


def test_a_list_of_synonyms_says_how_it_was_read(desktop: Page, site: Site) -> None:
    site.sign_in(desktop.context)
    desktop.goto(site.url("/documents/", title="Synonyme im Haus"))
    desktop.locator(".title-row a").first.click()
    expect(desktop.locator(".synonyms")).to_contain_text("7 groups count")
    desktop.locator(".synonyms summary", has_text="How it was read").click()
    expect(desktop.locator(".synonyms li").first).to_have_text("homeoffice = telearbeit = mobiles arbeiten")


def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(desktop: Page, site: Site, room: Room) -> None:
    words = " ".join(f"Fristenordnungsangelegenheit{n}{'en' * 3}" for n in range(12))
    room.publish({**TEXTS, "lang.txt": words})
    site.search(desktop, "", room.name)
    desktop.goto(site.url(q=f"§ 999 BGB Frist Zugang wie {words}"[:450], mode="wider"))
    interpretation(desktop)
    desktop.locator(".report > summary").click()
    assert problems(desktop) == {}


def test_the_field_keeps_what_is_typed_while_results_come(desktop: Page, site: Site, room: Room) -> None:
    room.publish(TEXTS)
    site.search(desktop, "Frist", room.name)
    desktop.get_by_role("button", name="Wider").click()
    expect(desktop.locator("#mode-wider")).to_have_attribute("aria-pressed", "true")
    expect(desktop.locator("#q")).to_have_value("Frist")
    ask(desktop, "Zugang")
    assert "mode=wider" in desktop.url
