"""Everything on the main path works where scripts are off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import DESKTOP, PHONE
from e2e.site import Site
from e2e.steps import QUESTION, QUOTE, fill_in_sign_in, joined, open_filters, result


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def plain(request: pytest.FixtureRequest, open_window: Callable[..., Page]) -> Page:
    """A window without scripts."""
    options: dict[str, Any] = request.param
    return open_window(**options, java_script_enabled=False)


def style(page: Page, selector: str, name: str) -> str:
    """A computed style; the test may run scripts where the page may not."""
    return str(page.locator(selector).first.evaluate(f"element => getComputedStyle(element).{name}"))


def test_from_sign_in_to_the_marked_passage(plain: Page, site: Site) -> None:
    plain.goto(site.address)
    fill_in_sign_in(plain)
    plain.locator("#q").fill(QUESTION)
    plain.get_by_role("button", name="Search").click()
    result(plain).get_by_role("link", name="Open in the document").click()
    assert joined(plain, "#text mark.cited") == QUOTE
    expect(plain.locator("mark.cited").first).to_be_in_viewport()
    expect(plain.locator("#check")).to_have_text("Marked by the server, not yet checked in this view.")


def test_unchecked_mark_looks_unlike_a_checked_one(plain: Page, desktop: Page, site: Site) -> None:
    for page in (plain, desktop):
        site.search(page, QUESTION)
        result(page).locator("[data-open]").click()
    desktop.locator("mark.checked").first.wait_for()
    looks = ("textDecorationStyle", "borderBottomStyle", "outlineStyle", "backgroundColor", "boxShadow", "backgroundImage")
    assert [style(plain, "mark.cited", look) for look in looks] != [style(desktop, "mark.cited", look) for look in looks]


def test_filter_more_and_back_to_the_first(plain: Page, site: Site) -> None:
    site.search(plain, "die der")
    open_filters(plain)
    plain.locator(".option", has_text="Beschlüsse").click()
    expect(plain.locator("#count")).to_contain_text("5 passages found")
    open_filters(plain)
    plain.get_by_role("link", name="Take all out").click()
    plain.get_by_role("link", name="More results").click()
    expect(plain.locator("#count")).to_contain_text("11 to 20")
    assert plain.locator(".hit").count() == 10
    plain.get_by_role("link", name="To the first results").click()
    expect(plain.locator("#count")).to_contain_text("1 to 10")


def test_chosen_filter_stays_with_the_next_question(plain: Page, site: Site) -> None:
    site.sign_in(plain.context)
    plain.goto(site.url(q="die der", source="beschluesse"))
    plain.locator("#q").fill("Kündigung")
    plain.get_by_role("button", name="Search").click()
    assert "source=beschluesse" in plain.url


def test_neighbours_are_a_page_that_leads_into_the_document(plain: Page, site: Site) -> None:
    site.search(plain, QUESTION)
    result(plain).get_by_role("link", name="What stands around it").click()
    expect(plain.locator(".neighbours")).to_have_count(2)
    plain.get_by_role("link", name="in the document").click()
    assert joined(plain, "#text mark.cited") == QUOTE


def test_titles_are_found_by_the_button(plain: Page, site: Site) -> None:
    site.sign_in(plain.context)
    plain.goto(site.url("/documents/"))
    plain.locator("#title").fill("GLEITZEIT")
    plain.get_by_role("button", name="Find").click()
    expect(plain.locator(".title-row")).to_have_count(2)


def test_language_and_sign_out_are_reached(plain: Page, site: Site) -> None:
    site.search(plain, QUESTION)
    plain.locator(".account summary").click()
    plain.get_by_role("button", name="Deutsch").click()
    expect(plain.locator("#count")).to_contain_text("3 Passagen")
    plain.locator(".account summary").click()
    plain.get_by_role("button", name="Abmelden").click()
    assert "/sign-in/" in plain.url


def test_nothing_is_offered_that_needs_a_script(plain: Page, site: Site) -> None:
    site.search(plain, QUESTION)
    result(plain).locator("[data-open]").click()
    assert plain.get_by_role("button", name="Copy").count() == 0
    assert plain.get_by_role("button", name="Keyboard").count() == 0
