"""What leaves the page: nothing. Headers, inline code, storage, and the server's log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from io import StringIO
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response, expect

from e2e.conftest import DESKTOP, Faults
from e2e.reading_page import wait_for_state
from e2e.site import Room, Site
from e2e.steps import QUESTION, ask, fill_in_sign_in, joined, open_quote, result
from evidence.logs import PrivateFormatter

INLINE = """() => Array.from(document.querySelectorAll("*"), element => [
  element.localName === "style" || element.hasAttribute("style") ? "style" : "",
  element.localName === "script" && !element.src && !["importmap", "application/json"].includes(element.type) ? "script" : "",
  element.getAttributeNames().some(name => name.startsWith("on") || name.startsWith("hx-on")) ? "handler" : "",
].join("")).filter(Boolean)"""
STORED = """async () => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,
  await caches.keys(), (await indexedDB.databases()).map(database => database.name)])"""


@pytest.fixture
def pages(open_window: Callable[..., Page], site: Site, faults: Faults) -> list[tuple[Page, Response]]:
    """Every kind of page, each with its response."""
    faults.expect("404")
    faults.expect("400")
    visitor, anna = open_window(**DESKTOP), open_window(**DESKTOP)
    open_quote(anna, site)
    reading = urlsplit(anna.url)
    paths = ["/", f"/?q={QUESTION}", "/?q=xyzzy", f"/?q={'a' * 201}", "/documents/", f"{reading.path}?{reading.query}"]
    paths += ["/help/", "/password/", "/nowhere/"]
    shown = [(visitor, visitor.goto(site.url("/sign-in/")))]
    for path in paths:
        page = anna.context.new_page()
        shown.append((page, page.goto(f"{site.address}{path}")))
    return [(page, response) for page, response in shown if response is not None]


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What the configured console would show, everything included."""
    shown = StringIO()
    handler = logging.StreamHandler(shown)
    handler.setFormatter(PrivateFormatter("{levelname} {name} {message}", style="{"))
    logging.getLogger().addHandler(handler)
    yield shown
    logging.getLogger().removeHandler(handler)


def test_every_page_has_strict_headers_and_nothing_inline(pages: list[tuple[Page, Response]]) -> None:
    assert len(pages) == 10
    for page, response in pages:
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy, page.url
        assert response.headers["referrer-policy"] == "no-referrer", page.url
        assert response.headers["cache-control"] == "private, no-store", page.url
        assert response.headers["x-content-type-options"] == "nosniff", page.url
        assert page.evaluate(INLINE) == [], page.url


def test_only_the_import_map_carries_a_nonce_and_each_page_has_its_own(desktop: Page, site: Site) -> None:
    carriers = []
    for path in ("/sign-in/", "/sign-in/"):
        desktop.goto(site.url(path))
        carriers += desktop.evaluate("Array.from(document.querySelectorAll('[nonce]'), one => [one.type, one.nonce])")
    (one, first), (other, second) = carriers
    assert one == other == "importmap" and first != second


def test_policy_stops_what_a_fault_of_ours_would_let_through(desktop: Page, site: Site, faults: Faults) -> None:
    faults.expect("Content Security Policy")
    faults.expect("violates")
    open_quote(desktop, site)
    desktop.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.broken = 1";
          document.body.append(script);
          const button = document.createElement("button");
          button.setAttribute("onclick", "window.broken = 2");
          document.body.append(button);
          button.click();
          document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:1/x.png" }));
        }"""
    )
    assert desktop.evaluate("window.broken") is None
    assert desktop.evaluate("fetch('http://127.0.0.1:1/').then(() => 'sent', () => 'stopped')") == "stopped"


def test_nothing_that_was_asked_or_read_stays_in_the_browser(either_device: Page, site: Site) -> None:
    page = either_device
    open_quote(page, site)
    page.go_back()
    ask(page, "Arbeitspreis")
    page.locator(".hit-around").first.click()
    page.locator(".neighbours").first.wait_for()
    page.go_back()
    expect(result(page)).to_be_visible()
    assert page.evaluate(STORED) == '[{},{},"",[],[]]'


def test_history_of_the_browser_is_answered_by_the_server(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": "Vertraulich."})
    site.search(desktop, "Vertraulich", room.name)
    ask(desktop, "anderes")
    room.publish({"a.txt": "Vertraulich."}, allowed='["group:netz"]')
    desktop.go_back()
    expect(desktop.locator("#q")).to_have_value("Vertraulich")
    desktop.wait_for_load_state()
    assert desktop.locator(".hit").count() == 0


def test_no_request_says_where_it_came_from(desktop: Page, site: Site) -> None:
    referrers: list[str | None] = []
    desktop.on("request", lambda request: referrers.append(request.header_value("referer")))
    open_quote(desktop, site)
    desktop.get_by_role("link", name="Results").click()
    desktop.locator(".hit").first.wait_for()
    assert len(referrers) > 10 and not any(referrers)


def test_log_of_the_server_holds_no_question_and_no_quote(desktop: Page, site: Site, log: StringIO, faults: Faults) -> None:
    faults.expect("400")
    desktop.goto(site.url(q="Geheimwort fristlose"))
    fill_in_sign_in(desktop)
    desktop.locator("#q").wait_for()
    ask(desktop, "Geheimwort Kündigung")
    desktop.goto(site.url(q="Geheimwort" * 21))
    desktop.goto(site.url("/documents/", title="Geheimwort"))
    open_quote(desktop, site)
    lines = log.getvalue()
    assert "GET /documents/" in lines and "POST /sign-in/" in lines
    for words in ("Geheimwort", "fristlos", "Kündigung", "K%C3", "Umspannwerk"):
        assert words not in lines


def test_address_of_a_marked_place_that_is_copied_holds_no_question(open_window: Callable[..., Page], site: Site) -> None:
    page = open_window(**DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    open_quote(page, site)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("[data-copy-status]")).to_have_text("The link is copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "q=" not in link and "representation=" in link
    page.goto(link)
    wait_for_state(page, "checked")
    quote = joined(page, "mark.cited")
    page.get_by_role("button", name="Copy passage").click()
    expect(page.locator("[data-copy-status]")).to_have_text("The passage is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == quote
