"""The pages of evaluations in a browser: eyes, phones, keys, paper, and deleting a run without JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import PHONE
from e2e.site import Room, Site
from evidence.evaluation import figures
from evidence.evaluation.figures import Given, Outcome
from evidence.evaluation.questions import State
from evidence.models import Evaluation, Role
from evidence.tests import builders

LONG = "ein-sehr-langer-name-eines-satzes-ohne-jede-luecke-der-nicht-umbricht"[:64]


@pytest.fixture
def run(room: Room) -> Evaluation:
    """The last of twelve runs of a set in a room of its own, with everything in it that can be shown."""
    builders.person(f"{room.name}-curator", [], of=room.tenant, role=Role.CURATOR)
    runs = []
    for number in range(12):
        outcomes = [
            Outcome(
                f"{LONG[:50]}-{one}",
                State.ANSWERABLE,
                Given.ANSWERABLE if one % 4 else Given.NEAR,
                rank=one % 12 + 1 if (one + number) % 3 else None,
                gain=1 / (one % 12 + 1),
                quoted=True,
                passage=one % 7 + 1,
                passage_gain=0.5,
                group="de" if one % 2 else "en",
            )
            for one in range(230)
        ]
        outcomes += [
            Outcome(f"u{one}", State.UNANSWERABLE, Given.NEAR if one < number else Given.ANSWERABLE) for one in range(12)
        ]
        outcomes += [Outcome("c1", State.CONFLICT, Given.ANSWERABLE), Outcome("r1", State.ANSWERABLE, Given.REFUSED)]
        leak = ("0190b8f2-0000-4000-8000-000000000000",) if number == 11 else ()
        outcomes.append(Outcome("f1", State.FORBIDDEN, Given.NOTHING, forbidden=leak))
        found = figures.summary(outcomes, seconds=12.3)
        runs.append(
            Evaluation.objects.create(
                tenant=room.tenant,
                at=timezone.now() - timedelta(days=11 - number),
                name=LONG,
                digest=str(number),
                version="0.1.0",
                settings={"mode": "wider", "thresholds": {"min_success10": 0.75}},
                figures=found,
                results=[one.to_json() for one in outcomes],
                forbidden=found["forbidden_hits"],
                passed=number < 10,
                seconds=12.3,
            )
        )
    return runs[-1]


def visit(page: Page, site: Site, room: Room, path: str) -> None:
    site.sign_in(page.context, f"{room.name}-curator")
    page.goto(site.url(path))


def list_(page: Page, site: Site, room: Room, run: Evaluation) -> None:
    visit(page, site, room, "/evaluation/")


def one(page: Page, site: Site, room: Room, run: Evaluation) -> None:
    """With everything open that can be opened."""
    visit(page, site, room, f"/evaluation/{run.pk}/")
    page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")


def empty(page: Page, site: Site, room: Room, run: Evaluation) -> None:
    Evaluation.objects.filter(tenant=room.tenant).delete()
    visit(page, site, room, "/evaluation/")
    expect(page.locator(".nothing")).to_be_visible()


PAGES: Mapping[str, Callable[[Page, Site, Room, Evaluation], None]] = {"list": list_, "one": one, "empty": empty}


@pytest.mark.parametrize("shown", PAGES)
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    shown: str, desktop: Page, site: Site, room: Room, run: Evaluation
) -> None:
    PAGES[shown](desktop, site, room, run)
    assert problems(desktop) == {}


def test_the_chart_is_named_and_described_for_those_who_do_not_see_it(
    either_device: Page, site: Site, room: Room, run: Evaluation
) -> None:
    list_(either_device, site, room, run)
    chart = either_device.locator(".chart").get_by_role("img")
    expect(chart).to_have_accessible_name("Figures over time")
    description = " ".join((chart.locator("desc").text_content() or "").split())
    assert description.startswith("12 runs, oldest first. success@10: ")
    assert description.endswith("The values are in the table of runs.")


def test_lines_of_the_chart_are_told_apart_without_colour(desktop: Page, site: Site, room: Room, run: Evaluation) -> None:
    list_(desktop, site, room, run)
    dashes = desktop.locator("svg polyline").evaluate_all("all => all.map(one => getComputedStyle(one).strokeDasharray)")
    assert len(dashes) == 3 == len(set(dashes))
    desktop.emulate_media(forced_colors="active")
    strokes = desktop.locator("svg polyline").evaluate_all("all => all.map(one => getComputedStyle(one).stroke)")
    assert strokes and "none" not in strokes


def test_targets_on_a_phone_are_24_pixels_or_stand_in_a_sentence(phone: Page, site: Site, room: Room, run: Evaluation) -> None:
    small = """Array.from(document.querySelectorAll("a[href], button, summary, input:not([type=hidden])"))
      .filter(one => one.checkVisibility() && !one.closest("p:not(.way-back, .pages-of), .skip, dd"))
      .map(one => [one.textContent.trim() || one.name, one.getBoundingClientRect()])
      .filter(([, box]) => box.width && (box.height < 24 || box.width < 24)).map(([words, box]) => `${words} ${box.height}`)"""
    for open_page in (list_, one):
        open_page(phone, site, room, run)
        assert phone.evaluate(small) == []


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_phone_shows_the_figures_of_a_run_beside_those_of_the_run_before(
    language: str, phone: Page, site: Site, room: Room, run: Evaluation
) -> None:
    phone.context.add_cookies([{"name": "django_language", "value": language, "url": site.url("/")}])
    one(phone, site, room, run)
    table = phone.get_by_role("table").first
    assert table.locator(".change").count() > 3
    outside = "all => all.filter(one => one.getBoundingClientRect().right > innerWidth).map(one => one.textContent)"
    assert table.locator("td").evaluate_all(outside) == []


def test_a_run_is_deleted_without_javascript_after_being_asked(
    open_window: Callable[..., Page], site: Site, room: Room, run: Evaluation
) -> None:
    page = open_window(**PHONE, java_script_enabled=False)
    visit(page, site, room, f"/evaluation/{run.pk}/")
    expect(page.get_by_role("button", name="Delete it now")).to_be_hidden()
    page.locator("summary", has_text="Delete this run").click()
    page.get_by_role("button", name="Delete it now").click()
    expect(page.get_by_role("status").filter(has_text="is deleted.")).to_be_visible()
    assert not Evaluation.objects.filter(pk=run.pk).exists()


def test_everything_can_be_reached_with_the_keyboard(desktop: Page, site: Site, room: Room, run: Evaluation) -> None:
    visit(desktop, site, room, f"/evaluation/{run.pk}/")
    desktop.get_by_role("link", name="Not right").focus()
    desktop.keyboard.press("Enter")
    expect(desktop.get_by_role("link", name="Not right")).to_have_attribute("aria-current", "page")
    desktop.locator("summary", has_text="Delete this run").focus()
    desktop.keyboard.press("Enter")
    desktop.keyboard.press("Tab")
    expect(desktop.get_by_role("button", name="Delete it now")).to_be_focused()


def test_on_paper_stand_figures_and_chart_without_what_can_be_pressed(
    desktop: Page, site: Site, room: Room, run: Evaluation
) -> None:
    one(desktop, site, room, run)
    desktop.emulate_media(media="print")
    expect(desktop.locator(".choices")).to_be_hidden()
    expect(desktop.locator(".source-ways")).to_be_hidden()
    expect(desktop.locator(".confusion")).to_be_visible()
