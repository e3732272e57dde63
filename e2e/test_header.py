"""The head of every page: on a phone in one line, with a menu for what has no room there; wide, every link beside the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE
from e2e.site import Room, Site
from evidence.models import Membership, Role
from evidence.tests import knowing

FURTHER = ["Knowledge", "Upload", "Sources", "Help"]
TOPS = "all => [...new Set(all.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().top))]"


@pytest.fixture
def administrator(room: Room) -> str:
    """Somebody with every link, in a room that has a space of knowledge."""
    Membership.objects.filter(tenant=room.tenant).update(role=Role.ADMINISTRATOR)
    User.objects.filter(username=room.name).update(first_name="Friederike", last_name="Hohenstein")
    knowing.space(of=room.tenant)
    return room.name


@pytest.fixture(params=[True, False], ids=["with scripts", "without"])
def narrow(request: pytest.FixtureRequest, open_window: Callable[..., Page]) -> Page:
    """A phone, and one without scripts."""
    options: dict[str, Any] = PHONE
    return open_window(**options, java_script_enabled=request.param)


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("language", ["de", "en"])
def test_the_links_stand_in_one_line_on_a_phone(
    open_window: Callable[..., Page], site: Site, administrator: str, language: str, width: int
) -> None:
    page = open_window(**{**PHONE, "viewport": {"width": width, "height": 700}}, locale=language)
    site.sign_in(page.context, administrator)
    for path in ("/", "/documents/", "/citations/", "/knowledge/"):
        page.goto(site.url(path))
        assert len(page.locator(".pages > a, .pages-more > summary").evaluate_all(TOPS)) == 1
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_menu_opens_with_the_keyboard_and_leads_on(narrow: Page, site: Site, administrator: str) -> None:
    site.sign_in(narrow.context, administrator)
    narrow.goto(site.url("/documents/"))
    menu = narrow.locator(".pages-menu")
    expect(menu).to_be_hidden()
    narrow.get_by_role("navigation", name="Pages").get_by_text("More").focus()
    narrow.keyboard.press("Enter")
    expect(menu.get_by_role("link")).to_have_text(FURTHER)
    narrow.keyboard.press("Tab")
    expect(menu.get_by_role("link", name="Knowledge")).to_be_focused()
    narrow.keyboard.press("Enter")
    expect(narrow.locator("h1")).to_have_text("Knowledge")
    expect(narrow.locator(".pages-more > summary")).to_have_attribute("aria-current", "true")


def test_one_menu_of_the_head_is_open_at_a_time(phone: Page, site: Site, administrator: str) -> None:
    site.sign_in(phone.context, administrator)
    phone.goto(site.address)
    phone.locator(".pages-more > summary").click()
    phone.locator(".account > summary").click()
    expect(phone.locator(".account-menu")).to_be_visible()
    expect(phone.locator(".pages-menu")).to_be_hidden()


def test_every_link_stands_beside_the_others_where_there_is_room(desktop: Page, site: Site, administrator: str) -> None:
    site.sign_in(desktop.context, administrator)
    desktop.goto(site.address)
    links = desktop.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(links).to_have_text(["Search", "Documents", "Citations", *FURTHER])
    assert len(links.evaluate_all(TOPS)) == 1
    expect(desktop.locator(".pages-more")).to_be_hidden()


def test_who_has_few_links_gets_no_menu(phone: Page, site: Site, room: Room) -> None:
    site.sign_in(phone.context, room.name)
    phone.goto(site.address)
    links = phone.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(links).to_have_text(["Search", "Documents", "Citations", "Help"])
    assert len(links.evaluate_all(TOPS)) == 1
    expect(phone.locator(".pages-more")).to_have_count(0)


def test_axe_finds_nothing_in_the_open_menu(open_window: Callable[..., Page], site: Site, administrator: str) -> None:
    page = open_window(**DESKTOP)
    site.sign_in(page.context, administrator)
    page.goto(site.url("/knowledge/"))
    page.set_viewport_size(PHONE["viewport"])
    page.locator(".pages-more > summary").click()
    expect(page.locator(".pages-menu")).to_be_visible()
    assert problems(page) == {}
