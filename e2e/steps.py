"""What a person does on the pages, and what the pages then show."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from e2e.reading_page import wait_for_state
from e2e.site import ANNA, PASSWORDS, Site

QUESTION = "fristlose Kündigung"
QUOTE = (
    "Das Recht zur fristlosen Kündigung aus wichtigem Grund bleibt unberührt. Eine fristlose Kündigung muss innerhalb von zwei "
    "Wochen ausgesprochen werden, nachdem die Tatsachen bekannt wurden."
)
"""A passage of the demo that the question finds."""


def fill_in_sign_in(page: Page, name: str = ANNA, password: str = "") -> None:
    """On the page that asks for it."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password or PASSWORDS[name])
    page.get_by_role("button", name="Sign in").click()


def ask(page: Page, question: str) -> None:
    """Type into the field, send it, and wait for what is found."""
    page.locator("#q").fill(question)
    with page.expect_response("**/?q=*"):
        page.locator("#q").press("Enter")


def result(page: Page, words: str = QUOTE) -> Locator:
    """The result that shows these words."""
    return page.locator(".hit").filter(has_text=words)


def open_quote(page: Page, site: Site) -> None:
    """From signing in straight to the checked passage."""
    site.search(page, QUESTION)
    result(page).locator("[data-open]").click()
    wait_for_state(page, "checked")


def open_filters(page: Page) -> None:
    """On a phone they are folded."""
    expect(page.locator(".option").first).to_be_attached()
    if not page.locator(".option").first.is_visible():
        page.locator(".filters summary").click()


def joined(page: Page, selector: str) -> str:
    """The text of all these elements, one after another."""
    return "".join(page.locator(selector).all_text_contents())
