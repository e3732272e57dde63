"""Uploading in a browser: dropped and chosen files, progress, cancelling, lost connections, the preview, publishing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, Faults
from e2e.site import Room, Site
from evidence.models import Membership, Role, Upload

TEXT = "# Ventile\n\nDas Ventil ist zu prüfen.\n\n- eins\n- zwei\n\n| Teil | Preis |\n|---|---|\n| Dichtung | 3 |\n"
DROP = """(names, texts) => {
  const transfer = new DataTransfer();
  names.forEach(([name, text]) => transfer.items.add(new File([text], name)));
  for (const kind of ["dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.querySelector("h1").dispatchEvent(event);
  }
}"""


@pytest.fixture
def editor(site: Site, room: Room) -> Room:
    """The room's person as an editor."""
    Membership.objects.filter(user__username=room.name).update(role=Role.EDITOR)
    return room


def file(name: str, text: str | bytes = TEXT) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text if isinstance(text, bytes) else text.encode()}


def open_uploads(page: Page, site: Site, editor: Room) -> None:
    site.sign_in(page.context, editor.name)
    page.goto(site.url("/uploads/"))


def listed(page: Page) -> Locator:
    return page.locator(".file h3")


def publish(page: Page) -> None:
    """With everybody allowed."""
    page.locator("#field-allowed").get_by_label("alle").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("h1")).to_have_text("Published")


def test_dropped_files_are_listed_looked_at_published_and_found(
    either_device: Page, site: Site, editor: Room, faults: Faults
) -> None:
    faults.expect("400")
    page = either_device
    open_uploads(page, site, editor)
    page.evaluate(DROP, [["ventile.md", TEXT], ["bild.xyz", "x"], ["b.txt", "anderes"]])
    expect(listed(page)).to_have_count(2)
    expect(page.get_by_role("alert")).to_contain_text("can't be read (.xyz)")
    expect(page.locator("[data-upload-status]")).to_have_text("Done, but not every file could be taken.")
    listed(page).get_by_text("ventile.md").click()
    expect(page.locator(".preview")).to_contain_text("Das Ventil ist zu prüfen.")
    publish(page)
    page.goto(site.url(q="Ventil prüfen"))
    expect(page.locator(".hit")).to_have_count(1)


def test_the_preview_is_the_text_of_the_document_code_point_for_code_point(desktop: Page, site: Site, editor: Room) -> None:
    open_uploads(desktop, site, editor)
    desktop.locator("#file").set_input_files([file("ventile.md")])
    listed(desktop).get_by_role("link").click()
    before = desktop.locator("#text").evaluate("one => one.textContent")
    publish(desktop)
    desktop.locator(".published h2 a").click()
    assert desktop.locator("#text").evaluate("one => one.textContent") == before


def test_files_are_told_of_once_at_the_beginning_and_once_at_the_end(desktop: Page, site: Site, editor: Room) -> None:
    open_uploads(desktop, site, editor)
    desktop.evaluate("""() => { window.told = []; const status = document.querySelector("[data-upload-status]");
      new MutationObserver(() => window.told.push(status.textContent)).observe(status, { childList: true }); }""")
    desktop.locator("#file").set_input_files([file(f"{number}.txt", "x") for number in range(7)])
    expect(listed(desktop)).to_have_count(7)
    assert desktop.evaluate("told") == ["The files are being uploaded.", "All files are done. They are listed below."]


def held(page: Page, name: str) -> list[Route]:
    """Requests that bring this file are kept back, to be answered later or never."""
    routes: list[Route] = []

    def keep(route: Route) -> None:
        if name.encode() in (route.request.post_data_buffer or b""):
            routes.append(route)
        else:
            route.continue_()

    page.route("**/uploads/", keep)
    return routes


def test_one_file_is_cancelled_and_the_others_go_on(desktop: Page, site: Site, editor: Room) -> None:
    open_uploads(desktop, site, editor)
    held(desktop, "langsam.txt")
    desktop.locator("#file").set_input_files([file("langsam.txt", "x"), file("b.txt", "y")])
    expect(listed(desktop)).to_have_text(["b.txt"])
    row = desktop.locator(".sending-row").filter(has_text="langsam.txt")
    expect(row.get_by_role("progressbar", name="langsam.txt")).to_be_visible()
    row.get_by_role("button", name="Cancel").click()
    expect(row).to_have_count(0)
    expect(desktop.locator("[data-upload-status]")).to_have_text("All files are done. They are listed below.")


def test_a_lost_connection_loses_nothing_that_was_done(desktop: Page, site: Site, editor: Room, faults: Faults) -> None:
    faults.expect("ERR_FAILED")
    open_uploads(desktop, site, editor)
    routes = held(desktop, "zweite.txt")
    desktop.locator("#file").set_input_files([file("erste.txt", "x"), file("zweite.txt", "y")])
    expect(listed(desktop)).to_have_text(["erste.txt"])
    routes.pop().abort()
    row = desktop.locator(".sending-row")
    expect(row).to_contain_text("The connection was lost.")
    desktop.unroute("**/uploads/")
    row.get_by_role("button", name="Try again").click()
    expect(listed(desktop)).to_have_text(["erste.txt", "zweite.txt"])
    assert Upload.objects.filter(user__username=editor.name).count() == 2


def test_a_session_that_ended_leads_to_sign_in(desktop: Page, site: Site, editor: Room) -> None:
    open_uploads(desktop, site, editor)
    desktop.context.clear_cookies(name="sessionid")
    desktop.locator("#file").set_input_files([file("a.txt", "x")])
    expect(desktop).to_have_url(re.compile("/sign-in/"))


def test_a_long_text_is_turned_over_without_losing_what_was_typed(desktop: Page, site: Site, editor: Room) -> None:
    open_uploads(desktop, site, editor)
    desktop.locator("#file").set_input_files([file("lang.txt", "\n\n".join(f"Absatz {number}" for number in range(450)))])
    listed(desktop).get_by_role("link").click()
    desktop.get_by_label("Owner").or_(desktop.get_by_label("Kind")).first.fill("Notiz")
    desktop.get_by_role("link", name="After this").click()
    expect(desktop.locator(".preview")).to_contain_text("Absatz 200")
    expect(desktop.get_by_label("Kind")).to_have_value("Notiz")


def test_everything_works_without_javascript(open_window: Callable[..., Page], site: Site, editor: Room) -> None:
    page = open_window(**DESKTOP, java_script_enabled=False)
    open_uploads(page, site, editor)
    page.locator("#file").set_input_files([file("a.txt", "Ventil"), file("alt.txt", "Prüfung".encode("cp1252"))])
    page.get_by_role("button", name="Upload").click()
    expect(listed(page)).to_have_text(["a.txt", "alt.txt"])
    listed(page).get_by_text("alt.txt").click()
    page.get_by_label("Encoding").select_option("windows-1252")
    page.get_by_role("button", name="Read it again").click()
    expect(page.locator(".preview")).to_have_text("Prüfung")
    publish(page)
    page.locator(".withdraw summary").click()
    page.get_by_role("button", name="Withdraw it now").click()
    expect(page.get_by_role("status").first).to_contain_text("withdrawn")


def test_the_text_can_be_scrolled_with_the_keyboard(desktop: Page, site: Site, editor: Room) -> None:
    open_uploads(desktop, site, editor)
    desktop.locator("#file").set_input_files([file("lang.txt", "\n\n".join(f"Absatz {number}" for number in range(150)))])
    listed(desktop).get_by_role("link").click()
    desktop.locator("#preview").focus()
    desktop.keyboard.press("End")
    expect(desktop.locator("#preview").get_by_text("Absatz 149")).to_be_in_viewport()


def bring(page: Page, site: Site, editor: Room) -> None:
    open_uploads(page, site, editor)
    page.locator("#file").set_input_files(
        [file("ventile.md"), file("alt.txt", b"Pr\xfcfung"), file("x" * 200 + ".txt"), file("bild.xyz"), file("leer.txt", " ")]
    )
    expect(listed(page)).to_have_count(4)
    expect(page.get_by_role("alert")).to_be_visible()


def look(page: Page, site: Site, editor: Room) -> None:
    bring(page, site, editor)
    listed(page).get_by_text("ventile.md").click()
    for summary in page.locator("main summary").all():
        summary.click()


def missing(page: Page, site: Site, editor: Room) -> None:
    look(page, site, editor)
    page.get_by_label("Version").fill("")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_be_visible()


def unreadable(page: Page, site: Site, editor: Room) -> None:
    bring(page, site, editor)
    listed(page).get_by_text("alt.txt").click()


def done(page: Page, site: Site, editor: Room) -> None:
    look(page, site, editor)
    publish(page)
    page.locator(".withdraw summary").click()


def own(page: Page, site: Site, editor: Room) -> None:
    done(page, site, editor)
    page.goto(site.url("/uploads/published/"))


def version(page: Page, site: Site, editor: Room) -> None:
    done(page, site, editor)
    page.get_by_role("link", name="Upload a new version").click()
    page.locator("#file").set_input_files([file("neu.md")])
    listed(page).get_by_text("neu.md").click()
    expect(page.locator(".describe h2")).to_have_text("Publish as a new version")


@pytest.mark.parametrize("prepare", [open_uploads, bring, look, missing, unreadable, done, own, version])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    prepare: Callable[[Page, Site, Room], None], desktop: Page, site: Site, editor: Room, faults: Faults
) -> None:
    faults.expect("400")
    prepare(desktop, site, editor)
    assert problems(desktop) == {}


def test_a_file_of_a_megabyte_shows_how_far_it_is(desktop: Page, site: Site, editor: Room, tmp_path: Path) -> None:
    open_uploads(desktop, site, editor)
    (tmp_path / "lang.txt").write_text("Ventil " * 300_000)
    seen = """() => { window.seen = []; const list = document.querySelector("[data-upload-list]");
      new MutationObserver(() => list.querySelectorAll("progress").forEach(one => window.seen.push(one.position)))
        .observe(list, { subtree: true, childList: true, attributes: true }); }"""
    desktop.evaluate(seen)
    desktop.locator("#file").set_input_files(tmp_path / "lang.txt")
    expect(listed(desktop)).to_have_text(["lang.txt"])
    assert desktop.evaluate("Math.max(...seen)") == 1
