"""What the reading page says when the text, the state or the rights are not what they were."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.conftest import Faults
from e2e.reading_page import wait_for_state
from e2e.site import Room, Site
from e2e.steps import QUESTION, QUOTE, joined, open_quote, result
from evidence.models import Membership

TAKEN_AWAY = "The mark has been taken away."
TRANSLATION = """document.querySelectorAll(".passage").forEach(passage => {
  const outer = document.createElement("font"), inner = document.createElement("font");
  inner.textContent = "The right to terminate without notice remains unaffected.";
  outer.append(inner);
  passage.replaceChildren(outer);
})"""


def alter(page: Page, old: str, new: str, *, everywhere: bool = False) -> None:
    """Let the reading page reach the browser with other words in its text than the server sent; or in its anchor as well."""

    def answer(route: Route) -> None:
        response = route.fetch()
        head, opening, text = response.text().partition('<div id="text"')
        text, closing, foot = text.partition("</div>\n")
        html = head + opening + text.replace(old, new) + closing + foot
        route.fulfill(response=response, body=html.replace(old, new) if everywhere else html)

    page.route(re.compile(r"/documents/[0-9a-f-]{36}/"), answer)


def open_result(page: Page) -> None:
    """Open the quote from the results that are shown."""
    result(page).locator("[data-open]").click()
    page.locator("#text").wait_for()


@pytest.mark.parametrize(
    "script",
    ["document.querySelector('mark.cited').textContent = 'Eine fristlose Kündigung ist ausgeschlossen.'", TRANSLATION],
    ids=["script", "translation"],
)
def test_text_changed_in_the_browser_loses_its_mark(either_device: Page, site: Site, script: str) -> None:
    open_quote(either_device, site)
    either_device.evaluate(script)
    wait_for_state(either_device, "changed")
    assert either_device.locator("#text mark").count() == 0
    expect(either_device.locator("#check")).to_contain_text(f"changed the text after it was loaded. {TAKEN_AWAY}")
    expect(either_device.locator("#check")).to_be_in_viewport()


@pytest.mark.parametrize("old, new", [("zwei Wochen", "zwei Jahren"), (" bleibt", "\u00a0bleibt"), ("bekannt", "be\u00adkannt")])
def test_quote_altered_on_its_way_is_refused(desktop: Page, site: Site, old: str, new: str) -> None:
    site.search(desktop, QUESTION)
    alter(desktop, old, new)
    open_result(desktop)
    wait_for_state(desktop, "refused")
    assert desktop.locator("#text mark").count() == 0
    expect(desktop.locator("#check")).to_contain_text(f"the text in this view differs from the stored one. {TAKEN_AWAY}")


@pytest.mark.parametrize("old, new, everywhere", [("zwei Wochen", "drei Wochen", True), ("Stunden", "Stunde", False)])
def test_text_that_only_fits_its_anchor_is_refused_by_the_hash(
    desktop: Page, site: Site, old: str, new: str, everywhere: bool
) -> None:
    site.search(desktop, QUESTION)
    alter(desktop, old, new.ljust(len(old)), everywhere=everywhere)
    open_result(desktop)
    wait_for_state(desktop, "refused")
    expect(desktop.locator("#check")).to_contain_text("the hash of the text in this view differs")


def test_mark_at_another_place_is_refused(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    alter(desktop, '<mark class="cited">Das Recht', 'Das <mark class="cited">Recht')
    open_result(desktop)
    wait_for_state(desktop, "refused")
    assert desktop.locator("#text mark").count() == 0


def test_wrappers_that_keep_the_text_are_checked(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    alter(desktop, "bleibt unberührt", "<font><font>bleibt</font> un</font>berührt")
    open_result(desktop)
    wait_for_state(desktop, "checked")
    assert desktop.locator("mark.cited font").count() == 2
    assert joined(desktop, "#text mark.cited.checked") == QUOTE


def test_right_withdrawn_between_search_and_open_is_unavailable(
    either_device: Page, site: Site, room: Room, faults: Faults
) -> None:
    faults.expect("404")
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen."})
    site.search(either_device, "Frist", room.name)
    Membership.objects.filter(user__username=room.name).update(active=False)
    either_device.locator("[data-open]").click()
    expect(either_device.locator("h1")).to_have_text("Not available")
    assert "zwei Wochen" not in either_device.content()


def test_passage_withdrawn_since_the_search_has_no_neighbours_and_is_not_found_again(
    desktop: Page, site: Site, room: Room, faults: Faults
) -> None:
    faults.expect("404")
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen.\n\nSie beginnt morgen."})
    site.search(desktop, "Frist", room.name)
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen.\n\nSie beginnt morgen."}, allowed='["group:netz"]')
    desktop.get_by_role("link", name="What stands around it").click()
    expect(desktop.locator("h1")).to_have_text("Not available")
    desktop.goto(site.url(q="Frist"))
    assert desktop.locator(".hit").count() == 0 and "zwei Wochen" not in desktop.content()


def test_unavailable_pages_are_one_page_whatever_the_reason(desktop: Page, site: Site, room: Room, faults: Faults) -> None:
    faults.expect("404")
    room.publish({"a.txt": "Offen.", "b.txt": "Geheim."})
    forbidden = room.path("b")
    room.publish({"a.txt": "Offen."}, allowed='["group:netz"]')
    site.sign_in(desktop.context, room.name)
    seen = set()
    for path in (forbidden, re.sub(r"[0-9a-f]{12}/", "0123456789ab/", forbidden), "/documents/nowhere/"):
        desktop.goto(site.url(path))
        seen.add(desktop.locator("main").inner_html())
    assert len(seen) == 1


def test_earlier_state_says_so_and_leads_to_the_current_one(either_device: Page, site: Site, room: Room) -> None:
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen."})
    earlier = room.path("frist", 0, question="Frist")
    room.publish({"frist.txt": "Die Frist beträgt vier Wochen."})
    site.sign_in(either_device.context, room.name)
    either_device.goto(site.url(earlier))
    wait_for_state(either_device, "checked")
    assert joined(either_device, "mark.cited") == "Die Frist beträgt zwei Wochen."
    expect(either_device.get_by_text("You are reading an earlier state of this document.")).to_be_visible()
    either_device.get_by_role("link", name="Open the current state").click()
    expect(either_device.locator("#text")).to_contain_text("vier Wochen")
    expect(either_device.get_by_text("earlier state")).to_have_count(0)


def test_current_state_says_nothing_of_an_earlier_one(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    assert "earlier" not in desktop.locator("main").inner_text()


def test_words_that_stand_twice_alike_are_marked_and_said_not_to_be_citable(either_device: Page, site: Site, room: Room) -> None:
    room.publish({"liste.txt": "\n\n".join(["weggefallen"] * 40)})
    site.sign_in(either_device.context, room.name)
    either_device.goto(site.url(room.path("liste", 20)))
    wait_for_state(either_device, "checked")
    expect(either_device.get_by_text("Can’t be cited alone")).to_be_visible()


def test_quote_over_emoji_and_combined_letters_is_checked(either_device: Page, site: Site, room: Room) -> None:
    text = "👩‍🔧 Prüfung\n\nDie 🔧 „Prüfung“ – e\u0301 und ﬁ – 👨‍👩‍👧‍👦 𝔘𝔫𝔦 dauert 3 Tage.\n\nEnde 😀"
    room.publish({"zeichen.txt": text})
    site.search(either_device, "dauert Prüfung", room.name)
    either_device.locator("[data-open]").click()
    wait_for_state(either_device, "checked")
    assert joined(either_device, "mark.cited") == text.split("\n\n")[1].replace("e\u0301", "é")
