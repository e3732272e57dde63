"""The reading page's adapter: what it shows on arrival, and what it does when the text changes afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page

from e2e.conftest import DESKTOP
from e2e.reading_page import SENTENCES, ReadingPage, anchor_at, sha256, show, wait_for_state

PASSAGES = (
    "1. Allgemeines 📄\n\n",
    *(f"Absatz {number}: Die Gebühr beträgt {number} Euro & mehr.\n\n" for number in range(60)),
    "Kündigung: 30 Tage nach Erhalt.\n\n",
    *(f"Schluss {number}.\n\n" for number in range(60)),
)
TEXT = "".join(PASSAGES)
START = TEXT.index("Kündigung")
ANCHOR = anchor_at(TEXT, START, TEXT.index(".\n\nSchluss") + 1)
OVER_TWO = anchor_at(TEXT, TEXT.index("Die Gebühr beträgt 58"), TEXT.index(" & mehr.\n\nKünd"))
GOOD = ReadingPage(PASSAGES, ANCHOR)


def is_unmarked(page: Page) -> bool:
    """No marking is left."""
    return page.locator("#text :is(mark, .found)").count() == 0


def sentence(page: Page) -> str | None:
    """What #check says."""
    return page.locator("#check").text_content()


def test_mark_is_checked_and_brought_into_view_on_both_devices(either_device: Page) -> None:
    show(either_device, GOOD.html())
    wait_for_state(either_device, "checked")
    mark = either_device.locator("mark.cited.checked")
    assert mark.text_content() == ANCHOR.exact
    box, size = mark.bounding_box(), either_device.viewport_size
    assert box and size and 0.3 < box["y"] / size["height"] < 0.7


def test_state_is_told_once_in_the_servers_words(desktop: Page) -> None:
    desktop.add_init_script(
        """window.told = [];
        new MutationObserver(records => records.forEach(record => record.target.id === "check" && record.removedNodes.length
          && told.push(record.target.textContent))).observe(document, { childList: true, subtree: true })"""
    )
    show(desktop, GOOD.html())
    wait_for_state(desktop, "checked")
    assert desktop.evaluate("told") == [SENTENCES["checked"]]


def test_focus_is_on_the_mark_which_refers_to_the_sentence(desktop: Page) -> None:
    show(desktop, GOOD.html())
    focused = desktop.locator("mark:focus")
    assert (focused.get_attribute("tabindex"), focused.get_attribute("aria-describedby")) == ("-1", "check")


def test_range_over_two_passages_may_leave_line_feeds_unmarked(desktop: Page) -> None:
    html = replace(GOOD, anchor=OVER_TWO).html()
    show(desktop, html.replace("\n\n</mark>", "</mark>\n\n"))
    wait_for_state(desktop, "checked")
    assert desktop.locator("mark.checked").count() == 2


def test_wrappers_cells_and_found_words_are_just_another_node_shape(desktop: Page) -> None:
    html = GOOD.html().replace('<p id="p-3"', '<div><p id="p-3"').replace('<p id="p-6"', '</div><p id="p-6"')
    html = html.replace("Absatz 4:", '<span class="cell">Absatz</span> 4:')
    show(desktop, html.replace("30 Tage", '<strong>30 <mark class="found">Tage</mark></strong>', 1))
    wait_for_state(desktop, "checked")
    assert desktop.locator("mark.found").text_content() == "Tage"


REFUSED = {
    "quote": (replace(GOOD, anchor=replace(ANCHOR, exact=ANCHOR.exact.replace("30", "80"))), "refused-text"),
    "context": (replace(GOOD, anchor=replace(ANCHOR, suffix="!")), "refused-text"),
    "hash": (replace(GOOD, anchor=replace(ANCHOR, text_sha256=sha256("other"))), "refused-hash"),
    "marked too little": (replace(GOOD, marked=(ANCHOR.start, ANCHOR.end - 1)), "refused-text"),
    "marked too much": (replace(GOOD, marked=(ANCHOR.start - 9, ANCHOR.end)), "refused-text"),
    "marked elsewhere": (replace(GOOD, marked=(0, 9)), "refused-text"),
    "nothing marked": (replace(GOOD, marked=(0, 0)), "refused-text"),
}


@pytest.mark.parametrize("page, message", REFUSED.values(), ids=REFUSED.keys())
def test_refused_mark_is_taken_away_and_the_text_stays(desktop: Page, page: ReadingPage, message: str) -> None:
    show(desktop, page.html())
    wait_for_state(desktop, "refused")
    assert is_unmarked(desktop) and sentence(desktop) == SENTENCES[message]
    assert desktop.locator("#text").text_content() == TEXT


def test_equal_words_marked_at_another_place_are_refused(desktop: Page) -> None:
    passages = ("Miete 900.\n", "Miete 900.\n", "Ende.\n")
    page = ReadingPage(passages, anchor_at("".join(passages), 11, 21), marked=(0, 10))
    show(desktop, page.html())
    wait_for_state(desktop, "refused")
    assert is_unmarked(desktop)


def test_text_changed_before_the_check_is_refused(desktop: Page) -> None:
    show(desktop, GOOD.html().replace("Absatz 7:", "Absatz 8:"))
    wait_for_state(desktop, "refused")
    assert sentence(desktop) == SENTENCES["refused-hash"]


CHANGES = {
    "script": "document.querySelector('#p-3').firstChild.data = 'Anderes.\\n\\n'",
    "script in the mark": "document.querySelector('mark').textContent = 'Kündigung: 80 Tage nach Erhalt.'",
    "translation": """document.querySelectorAll('.passage').forEach(passage => {
        const outer = document.createElement('font'), inner = document.createElement('font');
        inner.textContent = 'Translated.';
        outer.append(inner);
        passage.replaceChildren(outer);
    })""",
    "inserted node": "document.querySelector('#p-5').prepend(document.createElement('grammar-note'))",
    "split node": "document.querySelector('#p-5').firstChild.splitText(3)",
    "removed passage": "document.querySelector('#p-9').remove()",
    "moved mark": "document.querySelector('#p-0').append(document.querySelector('mark'))",
}


@pytest.mark.parametrize("script", CHANGES.values(), ids=CHANGES.keys())
def test_mark_goes_when_the_text_is_changed_afterwards(desktop: Page, script: str) -> None:
    show(desktop, GOOD.html())
    wait_for_state(desktop, "checked")
    desktop.evaluate(script)
    wait_for_state(desktop, "changed")
    assert is_unmarked(desktop) and sentence(desktop) == SENTENCES["changed"]


def test_withdrawing_the_marks_leaves_the_changed_text_as_it_is(desktop: Page) -> None:
    show(desktop, GOOD.html())
    wait_for_state(desktop, "checked")
    desktop.evaluate("document.querySelector('#p-0').append('!')")
    wait_for_state(desktop, "changed")
    assert desktop.locator("#text").text_content() == TEXT.replace("📄\n\n", "📄\n\n!")


def test_focus_moves_from_a_withdrawn_mark_to_the_explanation(desktop: Page) -> None:
    show(desktop, GOOD.html())
    wait_for_state(desktop, "checked")
    desktop.evaluate(CHANGES["script"])
    wait_for_state(desktop, "changed")
    assert desktop.evaluate("document.activeElement.id") == "check"


def test_change_during_the_check_is_never_overwritten_by_its_outcome(desktop: Page) -> None:
    show(desktop, GOOD.without_script().html())
    desktop.evaluate(
        """async () => {
          const { startViewer } = await import("fundstelle/viewer");
          startViewer(document);
          document.querySelector("#p-3").append("!");
          await new Promise(resolve => setTimeout(resolve, 300));
        }"""
    )
    assert desktop.locator("#check").get_attribute("data-state") == "changed"
    assert is_unmarked(desktop)


def test_font_wrappers_that_keep_the_text_are_just_another_node_shape(desktop: Page) -> None:
    html = GOOD.html().replace("Absatz 7:", "<font><font>Absatz</font> 7</font>:")
    show(desktop, html.replace("Kündigung:", "<font>Künd</font>igung:"))
    wait_for_state(desktop, "checked")


def test_empty_nodes_around_and_in_the_mark_do_not_matter(desktop: Page) -> None:
    show(desktop, GOOD.without_script().html())
    desktop.evaluate(
        """async () => {
          const mark = document.querySelector("mark");
          for (const place of ["before", "prepend", "append", "after"]) mark[place]("");
          (await import("fundstelle/viewer")).startViewer(document);
        }"""
    )
    wait_for_state(desktop, "checked")


def test_own_focus_and_class_changes_do_not_count_as_changes(desktop: Page) -> None:
    show(desktop, GOOD.html())
    wait_for_state(desktop, "checked")
    desktop.keyboard.press("k")
    desktop.evaluate("document.querySelector('#p-3').classList.add('current')")
    assert desktop.locator("#check").get_attribute("data-state") == "checked"


def test_stopped_viewer_lets_the_text_change(desktop: Page) -> None:
    show(desktop, GOOD.without_script().html())
    desktop.evaluate('import("fundstelle/viewer").then(({ startViewer }) => { window.stop = startViewer(document); })')
    wait_for_state(desktop, "checked")
    desktop.evaluate("stop(); document.querySelector('#p-3').append('!')")
    assert desktop.locator("mark.checked").count() == 1


def test_without_secure_context_it_says_what_was_not_checked(browser: Browser) -> None:
    page = browser.new_page()
    show(page, GOOD.html(), origin="http://insecure.test")
    wait_for_state(page, "checked-without-hash")
    assert sentence(page) == SENTENCES["no-hash"]
    assert page.locator("mark.cited").count() == 1 and page.locator("mark.checked").count() == 0
    page.close()


def test_page_without_an_anchor_is_left_alone(desktop: Page) -> None:
    show(desktop, GOOD.html().replace('id="anchor"', 'id="none"'))
    desktop.wait_for_load_state("networkidle")
    assert desktop.locator("#check").get_attribute("data-state") == "unchecked"


def test_without_javascript_the_servers_mark_stands_as_not_yet_checked(open_window: Callable[..., Page]) -> None:
    page = open_window(**DESKTOP, java_script_enabled=False)
    show(page, GOOD.html())
    assert page.locator("mark.cited").text_content() == ANCHOR.exact
    assert sentence(page) == "Not yet checked."
