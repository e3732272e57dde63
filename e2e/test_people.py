"""Who reads nothing sees an honest empty product; who reads in part sees that part and no trace of the rest."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Faults
from e2e.site import ANNA, Site
from e2e.steps import ask, fill_in_sign_in, result

NOTHING = "There is nothing here yet that you may read"


@pytest.mark.parametrize(
    "name, reason",
    [("clara.voss", "no document is open to you there"), ("dirk.hansen", "belong to no active tenant")],
    ids=["in no group", "membership inactive"],
)
def test_who_reads_nothing_is_told_so_and_whom_to_ask(either_device: Page, site: Site, name: str, reason: str) -> None:
    either_device.goto(site.address)
    fill_in_sign_in(either_device, name)
    expect(either_device.get_by_role("heading", name=NOTHING)).to_be_visible()
    expect(either_device.locator(".nothing")).to_contain_text(reason)
    ask(either_device, "Kündigung")
    expect(either_device.get_by_role("heading", name=NOTHING)).to_be_visible()
    either_device.get_by_role("link", name="Documents", exact=True).click()
    expect(either_device.get_by_role("heading", name=NOTHING)).to_be_visible()


@pytest.mark.parametrize("name", ["clara.voss", "dirk.hansen", "ben.yilmaz"])
def test_a_link_to_what_one_may_not_read_is_unavailable(desktop: Page, site: Site, name: str, faults: Faults) -> None:
    faults.expect("404")
    site.search(desktop, "Beschluss Personalangelegenheit Werkstatt", ANNA)
    link = desktop.locator("[data-open]").first.get_attribute("href")
    site.sign_in(desktop.context, name)
    desktop.goto(f"{site.address}{link}")
    expect(desktop.locator("h1")).to_have_text("Not available")
    assert "Personalangelegenheit" not in desktop.content().replace(str(link), "")


def test_what_one_may_not_read_is_not_even_counted(desktop: Page, site: Site) -> None:
    site.search(desktop, "fristlose Kündigung", ANNA)
    expect(desktop.locator("#count")).to_contain_text("3 passages found")
    site.search(desktop, "fristlose Kündigung", "ben.yilmaz")
    expect(desktop.locator("#count")).to_contain_text("2 passages found")
    expect(desktop.locator(".option", has_text="Beschlüsse")).to_have_count(0)
    expect(result(desktop)).to_be_visible()
    assert "Personalangelegenheit" not in desktop.content()


def test_choice_of_tenant_changes_what_is_found(either_device: Page, site: Site) -> None:
    page = either_device
    site.search(page, "Hausordnung", "felix.okafor")
    page.locator(".account summary").click()
    page.get_by_role("button", name="Stadtwerke Lindenau").click()
    expect(page.locator(".account-tenant")).to_have_text("Stadtwerke Lindenau")
    ask(page, "fristlose Kündigung")
    expect(result(page)).to_be_visible()
    page.locator(".account summary").click()
    page.get_by_role("button", name="Kinderhaus am Hafen").click()
    expect(page.locator(".account-tenant")).to_have_text("Kinderhaus am Hafen")
    page.goto(site.url(q="fristlose Kündigung"))
    expect(page.locator(".hit")).to_have_count(0)
    page.goto(site.url("/documents/"))
    expect(page.locator(".title-row")).to_have_count(1)


def test_withheld_source_is_said_only_to_whom_it_is_announced(desktop: Page, site: Site) -> None:
    site.search(desktop, "Hochwasser", ANNA)
    expect(desktop.locator(".withheld")).to_contain_text("“Netzarchiv” is withheld.")
    site.search(desktop, "Hochwasser", "eva.lindner")
    assert "Netzarchiv" not in desktop.content()


def test_wrong_password_is_said_and_the_lock_comes_after_six(desktop: Page, site: Site, faults: Faults) -> None:
    faults.expect("429")
    desktop.goto(site.address)
    for _ in range(5):
        fill_in_sign_in(desktop, "nobody.here", "wrong")
        expect(desktop.get_by_role("alert")).to_contain_text("do not go together")
    fill_in_sign_in(desktop, "nobody.here", "wrong")
    expect(desktop.locator("h1")).to_have_text("Locked for a while")
