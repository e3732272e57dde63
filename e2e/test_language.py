"""German and English: the browser decides, the switch overrides."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import DESKTOP, PHONE
from e2e.reading_page import wait_for_state
from e2e.site import Site
from e2e.steps import QUESTION, result


@pytest.mark.parametrize(
    "locale, language, words",
    [("de-DE", "de", "Anmelden"), ("de-AT", "de", "Anmelden"), ("en-GB", "en", "Sign in"), ("fr-FR", "en", "Sign in")],
)
def test_language_of_the_browser_decides(
    open_window: Callable[..., Page], site: Site, locale: str, language: str, words: str
) -> None:
    page = open_window(**DESKTOP, locale=locale)
    page.goto(site.address)
    assert page.locator("html").get_attribute("lang") == language
    expect(page.locator("h1")).to_have_text(words)


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_switch_overrides_the_browser_stays_and_keeps_the_page(
    open_window: Callable[..., Page], site: Site, window: dict[str, object]
) -> None:
    page = open_window(**window, locale="de-DE")
    site.search(page, QUESTION)
    page.locator(".account summary").click()
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#q")).to_have_value(QUESTION)
    result(page).locator("[data-open]").click()
    wait_for_state(page, "checked")
    expect(page.locator("#check")).to_have_text("Checked in this view: text, place and hash agree.")
    page.goto(site.url("/help/"))
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_whole_way_speaks_german(open_window: Callable[..., Page], site: Site) -> None:
    page = open_window(**DESKTOP, locale="de-DE")
    site.search(page, QUESTION)
    expect(page.locator("#count")).to_contain_text("3 Passagen gefunden")
    result(page).locator("[data-open]").click()
    wait_for_state(page, "checked")
    expect(page.locator("#check")).to_contain_text("geprüft")
    assert page.locator("#text").get_attribute("lang") == "de"


def test_language_of_the_text_is_its_own(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    assert desktop.locator("html").get_attribute("lang") == "en"
    assert set(desktop.locator(".hit-passage").evaluate_all("all => all.map(one => one.lang)")) == {"de"}
