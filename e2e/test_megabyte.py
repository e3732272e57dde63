"""A document of 1 MB arrives checked and in place. With -s: what server, script and scrolling cost (goals: 300, 50, 16 ms)."""

from __future__ import annotations

from statistics import median

import pytest
from playwright.sync_api import Page, expect

from e2e.reading_page import wait_for_state
from e2e.site import Room, Site

WORDS = "§ 573 Die Kündigung durch den Vermieter – „schriftlich“ – bis zum dritten Werktag über 😀 Fristen. "
ANSWER = "performance.getEntriesByType('navigation').map(({ responseEnd, requestStart }) => responseEnd - requestStart)[0]"
ARRIVE = """async () => {
  const { startViewer } = await import("fundstelle/viewer");
  const begin = performance.now();
  startViewer(document);
  return performance.now() - begin;
}"""
SCROLL = """async () => {
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  scrollTo(0, 0);
  for (let step = 0; step < 60; step += 1) {
    scrollBy({ top: 700, behavior: "instant" });
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  return frames;
}"""


@pytest.mark.parametrize("shape", ["text", "markdown"])
def test_a_megabyte_is_answered_checked_and_scrolled(desktop: Page, site: Site, room: Room, shape: str) -> None:
    one = WORDS * 4
    count = 1_000_000 // len(one.encode())
    if shape == "text":
        room.publish({"lang.txt": "\n\n".join(f"{number}. {one}" for number in range(count))})
    else:
        room.publish({"lang.md": "\n\n".join(f"## Abschnitt {number}\n\n- **{number}** {one}" for number in range(count))})
    row = room.document("lang")
    assert row.current is not None
    number = row.current.passage_count - 2
    site.sign_in(desktop.context, room.name)
    answers, arrivals = [], []
    for _ in range(3):
        desktop.goto(site.url(room.path("lang", number, question="Vermieter")))
        wait_for_state(desktop, "checked")
        expect(desktop.locator("mark.cited").first).to_be_in_viewport()
        answers.append(desktop.evaluate(ANSWER))
        arrivals.append(desktop.evaluate(ARRIVE))
    frames = sorted(desktop.evaluate(SCROLL))
    print(f"\n{shape}: server {median(answers):.0f} ms, arrival {median(arrivals):.1f} ms, frames {frames[-4:]} ms")
