"""The adapter at a document of 1 MB. With -s: what its script costs on arrival (goal: 50 ms)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from e2e.reading_page import ReadingPage, anchor_at, show, wait_for_state

ARRIVE = """async () => {
  const { startViewer } = await import("fundstelle/viewer");
  document.body.getBoundingClientRect(); // layout is the page's cost, not the script's
  const begin = performance.now();
  startViewer(document);
  return performance.now() - begin;
}"""
WORDS = "§ 573 Die Kündigung durch den Vermieter – „schriftlich“ – bis zum dritten Werktag über 😀 Fristen. "


def large_page(count: int) -> ReadingPage:
    """A page of about a million code points in `count` passages, its mark in the last one."""
    size = 1_000_000 // count
    passages = tuple((f"{number}. " + WORDS * (size // len(WORDS) + 1))[: size - 2] + "\n\n" for number in range(count))
    text = "".join(passages)
    return ReadingPage(passages, anchor_at(text, len(text) - 60, len(text) - 10)).without_script()


@pytest.mark.parametrize("count", [2_500, 10_000])
def test_a_megabyte_in_many_passages_is_checked_on_arrival(desktop: Page, count: int) -> None:
    html = large_page(count).html()
    times = []
    for _ in range(3):
        show(desktop, html)
        times.append(desktop.evaluate(ARRIVE))
        wait_for_state(desktop, "checked")
    print(f"\n{count} passages, cold script, ms: {times}")
