"""The main path in a browser, on a desktop and on a phone: sign in, ask, read the passage, open it, see it checked."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from e2e.conftest import DESKTOP
from e2e.reading_page import wait_for_state
from e2e.site import Site
from e2e.steps import QUESTION, QUOTE, ask, fill_in_sign_in, joined, open_filters, open_quote, result

FOUND = ["Kündigung", "fristlose", "Kündigung"]
SOURCES = """lists => lists.map(list => Array.from(list.querySelectorAll("div"))
  .find(pair => pair.firstElementChild.textContent === "Source").lastElementChild.textContent)"""


def test_from_sign_in_to_the_checked_passage(either_device: Page, site: Site) -> None:
    page = either_device
    page.goto(site.address)
    fill_in_sign_in(page)
    ask(page, QUESTION)
    assert result(page).locator("blockquote.quote").text_content() == QUOTE
    assert result(page).locator("mark.found").all_text_contents() == FOUND
    result(page).locator("[data-open]").click()
    wait_for_state(page, "checked")
    assert joined(page, "#text mark.cited.checked") == QUOTE
    assert page.locator("mark.cited mark.found").all_text_contents() == FOUND
    expect(page.locator("mark.cited").first).to_be_in_viewport()


def test_every_result_of_a_question_opens_checked(desktop: Page, site: Site) -> None:
    site.search(desktop, "Arbeitspreis")
    shown = [
        ("".join(hit.locator("blockquote.quote").all_text_contents()), hit.locator("[data-open]").get_attribute("href"))
        for hit in desktop.locator(".hit").all()
    ]
    for quote, link in shown:
        desktop.goto(f"{site.address}{link}")
        wait_for_state(desktop, "checked")
        assert joined(desktop, "#text mark.cited").replace("\t", "") == quote.replace("\t", "")


def test_link_to_the_results_leads_back_to_them(either_device: Page, site: Site) -> None:
    open_quote(either_device, site)
    either_device.get_by_role("link", name="Results").click()
    expect(result(either_device)).to_be_visible()
    expect(either_device.locator("#q")).to_have_value(QUESTION)


def test_back_and_forward_walk_through_questions_and_documents(either_device: Page, site: Site) -> None:
    page = either_device
    open_quote(page, site)
    page.go_back()
    expect(result(page)).to_be_visible()
    ask(page, "Arbeitspreis")
    expect(page.locator("#count")).to_contain_text("7 passages found")
    page.go_back()
    expect(result(page)).to_be_visible()
    expect(page.locator("#q")).to_have_value(QUESTION)
    page.go_forward()
    expect(page.locator("#count")).to_contain_text("7 passages found")
    expect(page.locator("#q")).to_have_value("Arbeitspreis")


def test_reload_keeps_question_and_checked_place(either_device: Page, site: Site) -> None:
    open_quote(either_device, site)
    either_device.reload()
    wait_for_state(either_device, "checked")
    assert joined(either_device, "#text mark.cited.checked") == QUOTE


def test_a_question_arrives_without_loading_the_page_again(desktop: Page, site: Site) -> None:
    site.search(desktop, QUESTION)
    desktop.evaluate("window.loadedOnce = true")
    ask(desktop, "Arbeitspreis")
    expect(desktop.locator("#count")).to_contain_text("7 passages found")
    assert desktop.evaluate("window.loadedOnce") is True
    assert desktop.locator("main").count() == 1


def test_more_results_continue_the_list(either_device: Page, site: Site) -> None:
    page = either_device
    site.search(page, "die der")
    hits = page.locator(".hit")
    expect(hits).to_have_count(10)
    seen = hits.locator("[data-open]").evaluate_all("links => links.map(link => link.href)")
    page.get_by_role("link", name="More results").click()
    expect(hits).to_have_count(20)
    now = hits.locator("[data-open]").evaluate_all("links => links.map(link => link.href)")
    assert now[:10] == seen and len(set(now)) == 20
    expect(hits.nth(10).locator("[data-open]")).to_be_focused()


def test_a_filter_narrows_down_and_is_taken_out_again(either_device: Page, site: Site) -> None:
    page = either_device
    site.search(page, "die der")
    whole = page.locator("#count").inner_text()
    open_filters(page)
    page.locator(".option", has_text="Beschlüsse").click()
    expect(page.locator("#count")).to_contain_text("5 passages found")
    assert set(page.locator(".hit .facts").evaluate_all(SOURCES)) == {"Beschlüsse"}
    open_filters(page)
    page.get_by_role("link", name="Take all out").click()
    expect(page.locator("#count")).to_contain_text(whole)


def test_a_new_question_keeps_the_chosen_filter(desktop: Page, site: Site) -> None:
    site.search(desktop, "die der")
    desktop.locator(".option", has_text="Beschlüsse").click()
    desktop.wait_for_url("**source=beschluesse*")
    expect(desktop.locator("#count")).to_contain_text("5 passages found")
    ask(desktop, "Kündigung")
    desktop.wait_for_url("**source=beschluesse*")
    assert set(desktop.locator(".hit .facts").evaluate_all(SOURCES)) == {"Beschlüsse"}


def test_neighbours_come_around_the_passage(either_device: Page, site: Site) -> None:
    site.search(either_device, QUESTION)
    hit = result(either_device)
    hit.get_by_role("link", name="What stands around it").click()
    expect(hit.locator(".neighbours")).to_have_count(2)
    assert hit.locator("blockquote.quote").text_content() == QUOTE


def test_a_shared_address_opens_elsewhere_after_sign_in(desktop: Page, site: Site, open_window: Callable[..., Page]) -> None:
    open_quote(desktop, site)
    other = open_window(**DESKTOP)
    other.goto(desktop.url)
    assert "/sign-in/" in other.url
    fill_in_sign_in(other)
    wait_for_state(other, "checked")
    assert joined(other, "#text mark.cited.checked") == QUOTE


def test_a_shared_search_opens_elsewhere_after_sign_in(desktop: Page, site: Site) -> None:
    desktop.goto(site.url(q=QUESTION, source="handbuch"))
    fill_in_sign_in(desktop)
    expect(result(desktop)).to_be_visible()
    expect(desktop.locator("#q")).to_have_value(QUESTION)


def test_a_document_is_found_by_its_title(either_device: Page, site: Site) -> None:
    site.sign_in(either_device.context)
    either_device.goto(site.url("/documents/"))
    either_device.locator("#title").press_sequentially("gleitzeit")
    expect(either_device.locator(".title-row")).to_have_count(2)
    either_device.get_by_role("link", name="Arbeitszeit und Gleitzeit").click()
    expect(either_device.locator("h1")).to_have_text("Arbeitszeit und Gleitzeit")


def test_signing_out_ends_what_could_be_read(desktop: Page, site: Site) -> None:
    open_quote(desktop, site)
    reading = desktop.url
    desktop.locator(".account summary").click()
    desktop.get_by_role("button", name="Sign out").click()
    desktop.goto(reading)
    assert "/sign-in/" in desktop.url
    assert QUOTE not in desktop.content()


def test_no_line_of_facts_begins_or_ends_with_a_dot(phone: Page, site: Site) -> None:
    """Dots stand before their fact. Of one that begins a line, the dot lies outside of what is shown."""
    site.search(phone, "Arbeitspreis")
    dots = """lists => lists.flatMap(list => Array.from(list.children, fact => {
      const dot = getComputedStyle(fact, "::before"), [here, all] = [fact, list].map(one => one.getBoundingClientRect());
      const right = here.left + parseFloat(dot.left) + parseFloat(dot.width);
      const after = getComputedStyle(fact, "::after").content;
      const begins = here.left - all.left < 8;
      return {begins, shown: right > all.left + parseFloat(getComputedStyle(list).paddingLeft), after};
    }))"""
    facts = phone.locator(".hit .facts")
    found = facts.evaluate_all(dots)
    assert {one["after"] for one in found} == {"none"} and facts.first.evaluate(
        "one => getComputedStyle(one).overflowX"
    ) == "clip"
    assert sum(one["begins"] for one in found) > facts.count()  # some lines wrap
    assert [one for one in found if one["begins"] == one["shown"]] == []
