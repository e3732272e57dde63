"""The administrators' pages in a browser: what a button does for others at once, charts, keys, phones, and everybody's eyes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE, Faults
from e2e.site import Room, Site
from evidence.models import Document, Receipt, Revocation, Role, Run, Source, SourceKind
from evidence.tests import builders

HOUR = timedelta(hours=1)


@pytest.fixture
def source(room: Room) -> Source:
    """A folder in a room of its own, with runs, failures, revocations and a receipt behind it."""
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen.", "lang.txt": "Noch ein Text."})
    builders.person(f"{room.name}-admin", [], of=room.tenant, role=Role.ADMINISTRATOR)
    row = Source.objects.get(tenant=room.tenant)
    now = timezone.now()
    row.kind, row.title, row.location = SourceKind.FOLDER, "Betriebshandbuch", str(room.folder)
    row.rights_confirmed_at = now
    row.save()
    problems = [["ordner/ein-sehr-langer-name-ohne-jede-luecke-der-nirgends-umbrechen-will.pdf", "pdf_damaged"]]
    for number in range(12):
        at = now - number * 6 * HOUR
        outcome = Run.Outcome.FAILED if number in {4, 5} else Run.Outcome.INCOMPLETE if number == 6 else Run.Outcome.COMPLETE
        Run.objects.create(
            source=row,
            outcome=outcome,
            started_at=at - HOUR / 6,
            finished_at=at,
            seen_at=at,
            error="origin_unreachable" if outcome == Run.Outcome.FAILED else "",
            problems=problems if number in {0, 6} else [],
            sample={"checked": 2, "faults": [], "error": ""},
        )
        Revocation.objects.create(
            source=row, documents=number + 1, at_origin=at - timedelta(seconds=4**number), in_effect_at=at, drill=number % 4 == 0
        )
    Receipt.objects.create(tenant=room.tenant, source=row, document=room.document("lang").public_id, counts={"documents": 1})
    Document.objects.filter(source=row, external_id="lang").update(rights_problem="unknown principal group:bauamt")
    return row


def visit(page: Page, site: Site, room: Room, path: str) -> None:
    site.sign_in(page.context, f"{room.name}-admin")
    page.goto(site.url(path))


def list_(page: Page, site: Site, room: Room, source: Source) -> None:
    visit(page, site, room, "/sources/")


def one(page: Page, site: Site, room: Room, source: Source) -> None:
    """With everything open that can be opened."""
    visit(page, site, room, f"/sources/{source.pk}/")
    page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")


def running(page: Page, site: Site, room: Room, source: Source) -> None:
    Run.objects.create(source=source, total=40, done=10)
    visit(page, site, room, f"/sources/{source.pk}/")


def pushed(page: Page, site: Site, room: Room, source: Source) -> None:
    Source.objects.filter(pk=source.pk).update(kind=SourceKind.PUSH)
    visit(page, site, room, f"/sources/{source.pk}/")
    page.get_by_label("Which system it is for").fill("Fachverfahren")
    page.get_by_role("button", name="Make a token").click()
    page.locator("#secret").wait_for()


def answer(page: Page, site: Site, room: Room, source: Source) -> None:
    visit(page, site, room, "/sources/why/")
    page.get_by_label("User name of the person").fill(room.name)
    page.get_by_label("Id of the document").fill("frist")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".verdict").wait_for()


PAGES: Mapping[str, Callable[[Page, Site, Room, Source], None]] = {
    "list": list_,
    "one": one,
    "running": running,
    "pushed": pushed,
    "answer": answer,
}


@pytest.mark.parametrize("shown", PAGES)
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    shown: str, desktop: Page, site: Site, room: Room, source: Source
) -> None:
    PAGES[shown](desktop, site, room, source)
    assert problems(desktop) == {}


def test_close_now_takes_effect_for_a_reader_in_another_window_at_once(
    either_device: Page, open_window: Callable[..., Page], site: Site, room: Room, source: Source, faults: Faults
) -> None:
    faults.expect("404")
    reader = open_window(**DESKTOP)
    site.search(reader, "Frist", room.name)
    expect(reader.locator(".hit")).to_have_count(1)
    visit(either_device, site, room, f"/sources/{source.pk}/")
    either_device.locator("summary", has_text="Close now").click()
    either_device.get_by_role("button", name="Close it now").click()
    expect(either_device.get_by_role("status").filter(has_text="The source is closed.")).to_be_visible()
    reader.reload()
    expect(reader.locator(".hit")).to_have_count(0)
    reader.goto(site.url(room.path("frist")))
    expect(reader.locator("h1")).to_have_text("Not available")
    either_device.get_by_role("button", name="Open again").click()
    expect(either_device.locator(".openness")).to_have_text("Open")
    site.search(reader, "Frist", room.name)
    expect(reader.locator(".hit")).to_have_count(1)


def test_charts_are_named_and_described_for_those_who_do_not_see_them(
    either_device: Page, site: Site, room: Room, source: Source
) -> None:
    visit(either_device, site, room, f"/sources/{source.pk}/")
    charts = either_device.locator(".chart").get_by_role("img")
    expect(charts).to_have_count(3)
    expect(charts.nth(0)).to_have_accessible_name("Age of rights")
    expect(charts.nth(0)).to_have_accessible_description(
        "The age rises until rights are confirmed and falls then. It was at most 24 hours 10 minutes; the SLA is 24 hours. "
        "It was above the SLA for a time."
    )
    expect(charts.nth(1)).to_have_accessible_name("Runs by day and outcome")
    expect(charts.nth(1)).to_have_accessible_description("13 runs, 3 of them not complete.")
    either_device.locator(".chart summary").nth(1).click()
    expect(either_device.locator(".chart").nth(1).get_by_role("row")).to_have_count(15)


def test_everything_can_be_done_with_the_keyboard(desktop: Page, site: Site, room: Room, source: Source) -> None:
    visit(desktop, site, room, f"/sources/{source.pk}/")
    desktop.locator("summary", has_text="Close now").focus()
    desktop.keyboard.press("Enter")
    desktop.keyboard.press("Tab")
    desktop.keyboard.press("Enter")
    expect(desktop.locator(".openness")).to_have_text("Closed by an administrator")


def test_progress_goes_on_by_itself_until_the_run_ends(desktop: Page, site: Site, room: Room, source: Source) -> None:
    running(desktop, site, room, source)
    run = Run.objects.get(source=source, outcome=Run.Outcome.RUNNING)
    expect(desktop.locator("#progress")).to_contain_text("10 of 40 items")
    Run.objects.filter(pk=run.pk).update(done=30)
    expect(desktop.locator("#progress")).to_contain_text("30 of 40 items")
    Run.objects.filter(pk=run.pk).update(outcome=Run.Outcome.COMPLETE, finished_at=timezone.now())
    expect(desktop.locator("#progress")).to_contain_text("The run has ended.")
    desktop.get_by_role("link", name="See what it did").click()
    expect(desktop.locator("#progress")).to_have_text("")


def test_progress_does_not_flicker_while_it_asks(desktop: Page, site: Site, room: Room, source: Source) -> None:
    running(desktop, site, room, source)
    desktop.locator("#progress").evaluate("shown => shown.classList.add('htmx-request')")
    assert desktop.locator("#progress").evaluate("shown => getComputedStyle(shown).opacity") == "1"


def test_a_drill_is_held_from_the_page(desktop: Page, site: Site, room: Room, source: Source) -> None:
    visit(desktop, site, room, f"/sources/{source.pk}/")
    desktop.locator("summary", has_text="Revocation drill").click()
    desktop.get_by_role("button", name="Start the drill").click()
    expect(desktop.get_by_role("status").filter(has_text="nobody saw the canary")).to_be_visible(timeout=60_000)


def test_the_pages_work_without_javascript(open_window: Callable[..., Page], site: Site, room: Room, source: Source) -> None:
    page = open_window(**PHONE, java_script_enabled=False)
    visit(page, site, room, f"/sources/{source.pk}/")
    page.locator("summary", has_text="Close now").click()
    page.get_by_role("button", name="Close it now").click()
    expect(page.locator(".openness")).to_have_text("Closed by an administrator")
    answer(page, site, room, source)
    expect(page.locator(".verdict")).to_contain_text("can’t see frist")


def test_targets_on_a_phone_are_24_pixels_or_stand_in_a_sentence(phone: Page, site: Site, room: Room, source: Source) -> None:
    small = """Array.from(document.querySelectorAll("a[href], button, summary, input:not([type=hidden])"))
      .filter(one => one.checkVisibility() && !one.closest("p:not(.way-back, .chart p), .skip, dd"))
      .map(one => [one.textContent.trim() || one.name, one.getBoundingClientRect()])
      .filter(([, box]) => box.width && (box.height < 24 || box.width < 24)).map(([words, box]) => `${words} ${box.height}`)"""
    for open_page in (list_, one, answer):
        open_page(phone, site, room, source)
        assert phone.evaluate(small) == []


def test_charts_are_seen_in_forced_colours_and_on_paper(desktop: Page, site: Site, room: Room, source: Source) -> None:
    visit(desktop, site, room, f"/sources/{source.pk}/")
    look = """() => ["chart-line", "chart-limit", "chart-failed"].map(name => {
      const { stroke, fill } = getComputedStyle(document.querySelector(`svg .${name}`));
      return [stroke, fill].filter(one => one !== "none").join();
    })"""
    plain = desktop.evaluate(look)
    desktop.emulate_media(forced_colors="active")
    assert all(before != after for before, after in zip(plain, desktop.evaluate(look), strict=True))
    desktop.emulate_media(media="print", forced_colors="none")
    expect(desktop.locator(".source-ways").first).to_be_hidden()
    expect(desktop.locator(".chart svg").first).to_be_visible()
