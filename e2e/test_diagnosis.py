"""Diagnosis in a browser: an administrator begins it, a reader in another window is told, and it ends."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP
from e2e.site import Room, Site
from evidence.models import Role, SearchTrace
from evidence.tests import builders

TOLD = ".kept-questions"


def administrator(page: Page, site: Site, room: Room) -> None:
    """The page, for an administrator of this room."""
    builders.person(f"{room.name}-admin", [], of=room.tenant, role=Role.ADMINISTRATOR)
    site.sign_in(page.context, f"{room.name}-admin")
    page.goto(site.url("/sources/diagnosis/"))


def test_a_reader_is_told_while_words_are_kept(desktop: Page, open_window: Callable[..., Page], site: Site, room: Room) -> None:
    room.publish({"frist.txt": "Die Frist beträgt zwei Wochen."})
    administrator(desktop, site, room)
    desktop.get_by_label("Keep words of questions for").select_option("30")
    desktop.get_by_role("button", name="Begin").click()
    reader = open_window(**DESKTOP)
    site.search(reader, "Frist", room.name)
    expect(reader.locator(TOLD)).to_be_visible()
    desktop.reload()
    expect(desktop.get_by_role("cell", name="Frist")).to_be_visible()
    desktop.get_by_role("button", name="End it now").click()
    reader.reload()
    expect(reader.locator(TOLD)).to_have_count(0)
    desktop.get_by_role("button", name="Remove these words now").click()
    expect(desktop.get_by_text("No words of questions are kept.")).to_be_visible()


def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(desktop: Page, site: Site, room: Room) -> None:
    query = "eine-lange-frage-ohne-jede-luecke-die-nirgends-umbrechen-will-" * 2
    SearchTrace.objects.create(tenant=room.tenant, query=query, total=12_345, classes=[1, 2])
    administrator(desktop, site, room)
    assert problems(desktop) == {}
