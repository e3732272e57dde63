"""The whole way without a mouse, on the product's own pages."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from e2e.reading_page import wait_for_state
from e2e.site import ANNA, PASSWORDS, Site
from e2e.steps import QUESTION, joined, open_quote


def focused(page: Page) -> str:
    """What stands in the element with the focus, or its name."""
    return str(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.name"))


def press(page: Page, *keys: str) -> str:
    """One after another; then what has the focus."""
    for key in keys:
        page.keyboard.press(key)
    return focused(page)


def test_from_sign_in_to_the_checked_passage_and_back(desktop: Page, site: Site) -> None:
    desktop.goto(site.address)
    expect(desktop.locator("input[autofocus]")).to_be_focused()
    desktop.keyboard.type(ANNA)
    desktop.keyboard.press("Tab")
    desktop.keyboard.type(PASSWORDS[ANNA])
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(site.url())
    expect(desktop.locator("#q")).to_be_focused()
    desktop.keyboard.type(QUESTION)
    desktop.keyboard.press("Enter")
    desktop.locator(".hit").first.wait_for()
    press(desktop, "Escape", "j", "j")
    expect(desktop.locator("[data-open]").nth(1)).to_be_focused()
    desktop.keyboard.press("Enter")
    wait_for_state(desktop, "checked")
    expect(desktop.locator("mark.cited").first).to_be_focused()
    desktop.keyboard.press("Escape")
    desktop.locator(".hit").first.wait_for()
    assert press(desktop, "/") == "q"


def test_first_tab_leads_past_the_head_of_the_page(desktop: Page, site: Site) -> None:
    site.sign_in(desktop.context)
    desktop.goto(site.url("/help/"))
    assert press(desktop, "Tab") == "Skip to content"
    expect(desktop.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    desktop.keyboard.press("Enter")
    expect(desktop.locator("#content")).to_be_focused()


def test_tab_goes_through_the_page_in_the_order_in_which_it_is_read(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    desktop.locator("#q").focus()
    order = [press(desktop, "Tab") for _ in range(17)]
    assert order[:5] == ["Search", "Exact", "Wider", "earlier", "What this finds, and what not"]
    first = order.index("Betriebsvereinbarung Stempelkarten")
    assert order[first + 1 : first + 4] == ["What stands around it", "Cite this passage", "Open in the document"]


def test_focus_is_seen(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    for stop in ("#q", ".hit-title a", ".hit-around", ".account summary"):
        desktop.locator(stop).first.focus()
        desktop.keyboard.press("Shift")
        outline = desktop.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        shadow = desktop.evaluate("getComputedStyle(document.activeElement).boxShadow")
        assert float(outline.removesuffix("px")) >= 2 or shadow != "none", stop


def test_more_results_and_neighbours_put_the_focus_on_what_came(desktop: Page, site: Site) -> None:
    site.search(desktop, "die der")
    desktop.get_by_role("link", name="More results").focus()
    desktop.keyboard.press("Enter")
    expect(desktop.locator("[data-open]").nth(10)).to_be_focused()
    desktop.locator(".hit-around").first.focus()
    desktop.keyboard.press("Enter")
    expect(desktop.locator(".neighbours:focus")).to_have_count(1)


def test_single_keys_are_switched_off_in_the_products_own_dialog(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    press(desktop, "Escape", "?")
    expect(desktop.locator("dialog#keys")).to_be_visible()
    expect(desktop.get_by_role("button", name="Close")).to_be_focused()
    desktop.get_by_label("Single keys are on").focus()
    press(desktop, "Space", "Escape")
    expect(desktop.locator("dialog#keys")).to_be_hidden()
    desktop.reload()
    before = focused(desktop)
    assert press(desktop, "j", "/", "?") == before
    expect(desktop.locator("dialog#keys")).to_be_hidden()


def test_marks_of_a_document_are_reached_by_single_keys(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    assert [press(desktop, "j") for _ in range(3)] == ["Kündigung", "fristlose", "Kündigung"]
    assert joined(desktop, "#check") == "Checked in this view: text, place and hash agree."


def test_documents_are_walked_through_by_single_keys(desktop: Page, site: Site) -> None:
    site.sign_in(desktop.context)
    desktop.goto(site.url("/documents/"))
    press(desktop, "j", "j")
    expect(desktop.locator("[data-open]").nth(1)).to_be_focused()


def test_menu_of_the_account_opens_and_signs_out(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    desktop.locator(".account summary").focus()
    desktop.keyboard.press("Enter")
    desktop.get_by_role("button", name="Sign out").focus()
    desktop.keyboard.press("Enter")
    desktop.wait_for_url("**/sign-in/")
