"""Keyboard, copy buttons and small upgrades, on pages that hold only the attributes they look for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from e2e.conftest import DESKTOP
from e2e.reading_page import HEAD, IMPORT_MAP, STARTED, ReadingPage, anchor_at, show, wait_for_state


def document(body: str) -> str:
    """A page that has started its modules."""
    return f'<!doctype html><html lang="en">{HEAD}<script type="importmap">{IMPORT_MAP}</script>{STARTED}<body>{body}</html>'


CARDS = "".join(
    f'<article data-result id="r{number}"><a data-open id="a{number}" href="/#open-{number}">Hit {number}</a>'
    f'<button id="b{number}">More</button></article>'
    for number in (1, 2, 3)
)
RESULTS = document(
    '<form action="/"><input name="q" type="search" value="Frist"><select id="s"><option>jung<option>alt</select>'
    '<input type="checkbox" id="c"></form><a data-back href="/#back">Back</a>'
    f'<div id="hits">{CARDS}</div><button data-keys-open id="help">Keys</button>'
    '<dialog id="keys"><label><input type="checkbox" data-keys-switch id="switch"> Single keys</label>'
    '<form method="dialog"><button>Close</button></form></dialog>'
)


def focused(page: Page) -> str:
    """The id or name of the element that has the focus."""
    return str(page.evaluate("document.activeElement.id || document.activeElement.name || document.activeElement.tagName"))


def press(page: Page, *keys: str) -> str:
    """Press them one after another; where the focus is then."""
    for key in keys:
        page.keyboard.press(key)
    return focused(page)


@pytest.fixture
def results(desktop: Page) -> Page:
    """A page of three results."""
    show(desktop, RESULTS)
    return desktop


def test_slash_goes_to_the_search_field_and_selects_the_query(results: Page) -> None:
    assert press(results, "/") == "q"
    results.keyboard.type("Kündigung/jk?")
    assert results.locator("input[name=q]").input_value() == "Kündigung/jk?"


def test_slash_works_where_it_is_typed_with_shift(results: Page) -> None:
    results.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', code: 'Digit7', shiftKey: true, bubbles: true }))"
    )
    assert focused(results) == "q"


@pytest.mark.parametrize(
    "keys, expected", [("j", "a1"), ("jj", "a2"), ("jjk", "a1"), ("k", "a1"), ("jjjjj", "a3"), ("jkk", "a1")]
)
def test_j_and_k_move_through_the_results_and_stop_at_the_ends(results: Page, keys: str, expected: str) -> None:
    assert press(results, *keys) == expected


def test_j_goes_on_from_any_element_of_a_result(results: Page) -> None:
    results.locator("#b2").focus()
    assert press(results, "j") == "a3"


def test_enter_opens_the_current_result(results: Page) -> None:
    press(results, "j", "j", "Enter")
    results.wait_for_url("**/#open-2")


def test_results_that_arrive_later_are_reached(results: Page) -> None:
    results.evaluate("document.getElementById('hits').replaceChildren(document.getElementById('r3'))")
    assert press(results, "j") == "a3"


@pytest.mark.parametrize("modifier", ["Control", "Alt", "Meta"])
def test_keys_with_modifiers_are_left_to_the_browser(results: Page, modifier: str) -> None:
    assert press(results, f"{modifier}+j") == "BODY"


def test_letters_in_a_select_choose_and_do_not_move(results: Page) -> None:
    results.locator("#s").focus()
    assert press(results, "j") == "s"


def test_a_checkbox_is_not_typed_into(results: Page) -> None:
    results.locator("#c").focus()
    assert press(results, "j") == "a1"


def test_escape_leaves_the_field_and_keeps_the_query(results: Page) -> None:
    assert press(results, "/", "Escape") == "BODY"
    assert results.locator("input[name=q]").input_value() == "Frist"
    assert results.url.endswith("/")


def test_escape_goes_back_to_the_results(results: Page) -> None:
    press(results, "Escape")
    results.wait_for_url("**/#back")


def test_help_opens_by_key_and_by_button_and_escape_only_closes_it(results: Page) -> None:
    dialog = results.locator("dialog#keys")
    press(results, "?")
    assert dialog.is_visible()
    assert press(results, "j", "Escape") != "a1"
    assert not dialog.is_visible() and not results.url.endswith("#back")
    results.locator("#help").click()
    assert dialog.is_visible()


def test_single_keys_can_be_switched_off_for_good(results: Page) -> None:
    press(results, "?")
    assert results.locator("#switch").is_checked()
    results.locator("#switch").uncheck()
    results.reload()
    assert press(results, "j", "/") == "BODY"
    assert not results.locator("#switch").is_checked()


def test_keys_without_anything_to_do_are_left_alone(desktop: Page) -> None:
    show(desktop, document("<p>Nothing here.</p>"))
    assert press(desktop, "/", "j", "k", "?", "Escape", "F9") == "BODY"


def test_j_and_k_move_through_the_marks_of_a_reading_page(desktop: Page) -> None:
    passages = ("Eins zwei.\n\n", "Drei vier.\n")
    page = ReadingPage(passages, anchor_at("".join(passages), 0, 22))
    show(desktop, page.html().replace("vier", '<mark class="found" id="found">vier</mark>', 1))
    wait_for_state(desktop, "checked")
    assert press(desktop, "j", "j") == "found"
    assert desktop.locator("#check").get_attribute("data-state") == "checked"


COPY = document(
    '<p id="quote">Erste <b>Zeile</b>\nZweite</p><span role="status" data-copy-status></span>'
    '<button hidden data-needs-js data-copy-target="quote" data-copied="Copied." data-copy-failed="Selected.">Copy</button>'
    '<button hidden data-needs-js data-copy-text="Zitat 😀 &amp;\n2" data-copied="Copied.">Copy citation</button>'
)


@pytest.mark.parametrize("button, text", [("Copy", "Erste Zeile\nZweite"), ("Copy citation", "Zitat 😀 &\n2")])
def test_copy_button_gives_the_servers_text_and_says_so(open_window: Callable[..., Page], button: str, text: str) -> None:
    page = open_window(**DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    show(page, COPY)
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == text


def test_without_a_clipboard_the_text_is_selected_and_that_is_said(browser: Browser) -> None:
    page = browser.new_page()
    show(page, COPY, origin="http://insecure.test")
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("Selected.").wait_for()
    assert page.evaluate("getSelection().toString()") == "Erste Zeile Zweite"
    page.close()


def test_copy_buttons_stay_hidden_without_javascript(open_window: Callable[..., Page]) -> None:
    page = open_window(**DESKTOP, java_script_enabled=False)
    show(page, COPY)
    assert page.get_by_role("button").count() == 0


def test_buttons_that_htmx_brings_are_shown(desktop: Page) -> None:
    show(desktop, document('<div id="part"></div><template id="t"><button hidden data-needs-js>New</button></template>'))
    desktop.evaluate(
        """() => {
          const part = document.getElementById("part");
          part.append(document.getElementById("t").content);
          part.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true }));
        }"""
    )
    assert desktop.get_by_role("button", name="New").is_visible()


def test_choice_submits_its_form_at_once(desktop: Page) -> None:
    form = '<form action="/" data-submit-on-change><select name="kind"><option>all<option>law</select></form>'
    show(desktop, document(form))
    desktop.locator("select").select_option("law")
    desktop.wait_for_url("**/?kind=law")


def test_what_was_started_can_be_stopped(desktop: Page) -> None:
    show(desktop, RESULTS.replace(STARTED, ""))
    desktop.evaluate(
        """async () => {
          const { startKeys } = await import("fundstelle/keys");
          const { startCopying } = await import("fundstelle/copy");
          const { startUpgrades } = await import("fundstelle/upgrade");
          [startKeys, startCopying, startUpgrades].map(start => start(document)).forEach(stop => stop());
        }"""
    )
    assert press(desktop, "j", "/", "Escape") == "BODY"
    assert desktop.url.endswith("/")
