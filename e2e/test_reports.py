"""Reports of searches in a browser: a reader sends one from below the results, a curator answers, the reader sees it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE
from e2e.site import Room, Site
from evidence.models import Role, SearchReport
from evidence.tests import builders

LONG = "eine-lange-frage-ohne-jede-luecke-die-nirgends-umbrechen-will-" * 3


@pytest.fixture
def curator(open_window: Callable[..., Page], site: Site, room: Room) -> Page:
    """A window of this room's curator, at the list."""
    builders.person(f"{room.name}-kurt", [], of=room.tenant, role=Role.CURATOR)
    page = open_window(**DESKTOP)
    site.sign_in(page.context, f"{room.name}-kurt")
    return page


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_report_is_sent_worked_off_and_answered(
    open_window: Callable[..., Page], curator: Page, site: Site, room: Room, scripts: bool
) -> None:
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen."})
    reader = open_window(**PHONE, java_script_enabled=scripts)
    site.search(reader, "", room.name)
    reader.goto(site.url(q="Elternzeit", mode="wider"))
    reader.locator(".report > summary").click()
    expect(reader.locator(".sent-too")).to_contain_text("that you searched wider, and that 0 passages were found")
    reader.get_by_label("Your question").fill("Elternzeit?")
    reader.get_by_label("What were you looking for?").fill("Den Vordruck")
    reader.get_by_role("button", name="Send report").click()
    expect(reader.get_by_role("status").filter(has_text="The report is sent")).to_be_visible()
    expect(reader.locator(".report-row")).to_contain_text("No curator has answered yet.")
    curator.goto(site.url("/reports/work/"))
    row = curator.locator(".report-row").filter(has_text="Elternzeit?")
    row.get_by_label("Why it was not found").select_option(label="document missing")
    row.get_by_label("Answer to the person").fill("Ist bestellt.")
    row.get_by_role("button", name="Done").click()
    expect(curator.get_by_text("No report is open.")).to_be_visible()
    reader.reload()
    expect(reader.locator(".report-row")).to_contain_text("Ist bestellt.")
    curator.get_by_role("link", name="done").click()
    curator.get_by_role("button", name="Reopen").click()
    expect(curator.locator(".report-close")).to_be_visible()
    reader.get_by_role("button", name="Delete").click()
    expect(reader.get_by_role("heading", name="You have reported no search")).to_be_visible()


@pytest.mark.parametrize(
    "path", ["/reports/", "/reports/work/", "/reports/work/?state=done", "/reports/send/?q=Frist&mode=wider"]
)
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(curator: Page, site: Site, room: Room, path: str) -> None:
    user = User.objects.get(username=f"{room.name}-kurt")
    for state in ("open", "done"):
        SearchReport.objects.create(
            tenant=room.tenant, user=user, query=LONG, wish=LONG, answer=LONG, mode="wider", seen=12_345, state=state,
            cause="other", closed_at="2026-11-30T12:00Z" if state == "done" else None,
        )  # fmt: skip
    curator.goto(site.url(path))
    assert problems(curator) == {}
