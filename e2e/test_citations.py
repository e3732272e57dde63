"""Citing in a browser: what is selected becomes exactly those code points, and every state has its page through real changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE, Faults
from e2e.reading_page import wait_for_state
from e2e.site import Room, Site
from e2e.steps import QUESTION, QUOTE, joined, result
from evidence import citations, formats, profile, removal, representations, worker
from evidence.access import Access
from evidence.anchoring import Parser
from evidence.models import Citation, Membership, Passage, Role
from evidence.tests import builders

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt 🔧 mit dem Zugang.\n\nMehr steht hier nicht."
MIXED = """# 👩‍🔧 Prüfung 𝔘𝔫𝔦

Vor dem **fett gedruckten** Wort und dem `code` steht 😀 ein [Verweis](https://example.org/).

| Stufe | Preis |
|---|---|
| eins 🔧 | 10 EUR |
| zwei | 20 EUR |

Hebräisch: שלום עולם, dann arabisch: مرحبا بالعالم, dann Deutsch.

Team 👩‍🔧👨‍👩‍👧‍👦 kommt; e\u0301 und ﬁ bleiben.
"""
SELECT = """([first, start, last, end]) => {
  const nodeOf = number => {
    const walker = document.createTreeWalker(document.getElementById(`p-${number}`), NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  };
  const at = (number, offset) => {
    for (const node of nodeOf(number)) {
      if (offset <= node.length) return [node, offset];
      offset -= node.length;
    }
  };
  const [from, fromOffset] = at(first, start), [to, toOffset] = at(last, end);
  from.parentElement.scrollIntoView({ block: "center" });
  getSelection().setBaseAndExtent(from, fromOffset, to, toOffset);
}"""


def stored(room: Room, external_id: str) -> str:
    """The current text of a document."""
    rows = Passage.objects.filter(representation=room.document(external_id).current).order_by("number")
    return "".join(rows.values_list("text", flat=True))


def units(text: str) -> int:
    """UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def select(page: Page, room: Room, external_id: str, words: str) -> int:
    """Select these words, which stand in the document once; gives the code point at which they begin."""
    text = stored(room, external_id)
    start = text.index(words)
    rows = list(Passage.objects.filter(representation=room.document(external_id).current).order_by("number"))
    first = next(row for row in reversed(rows) if row.start <= start)
    last = next(row for row in reversed(rows) if row.start < start + len(words))
    edges = (units(text[first.start : start]), units(text[last.start : start + len(words)]))
    page.evaluate(SELECT, [first.number, edges[0], last.number, edges[1]])
    expect(page.locator("#cite")).to_be_visible()
    return start


def access(room: Room) -> Access:
    return builders.access(Membership.objects.get(user__username=room.name).user)


def cite(room: Room, words: str = "acht Tage") -> UUID:
    """A citation of these words of the document `a`."""
    return citations.cite_words(access(room), room.document("a").public_id, exact=words)


def open_citation(page: Page, site: Site, room: Room, citation: UUID) -> None:
    site.sign_in(page.context, room.name)
    page.goto(site.url(f"/citations/{citation}/"))


def last_anchor() -> Citation:
    return Citation.objects.latest("pk")


# Selecting


@pytest.mark.parametrize(
    "words",
    [
        "fett gedruckten Wort und dem co",
        "𝔘𝔫𝔦\n\nVor dem",
        "😀 ein Verweis.",
        "eins 🔧\t10",
        "10 EUR\nzwei",
        "שלום עולם, dann",
        "arabisch: مرحبا",
        "👩‍🔧👨‍👩‍👧‍👦 kommt; é",
        "steht 😀 ein Verweis.\n\nStufe\tPreis\neins 🔧\t10 EUR\nzwei\t20 EUR\n\nHebräisch: שלום",
    ],
)
def test_what_is_selected_is_cited_to_the_code_point(either_device: Page, site: Site, room: Room, words: str) -> None:
    room.publish({"m.md": MIXED})
    words = words if words in stored(room, "m") else words.replace("\t", " ")
    site.sign_in(either_device.context, room.name)
    either_device.goto(site.url(room.path("m")))
    start = select(either_device, room, "m", words)
    expect(either_device.locator("[data-cite-length]")).to_have_text(str(len(words)))
    either_device.get_by_role("button", name="Cite", exact=True).click()
    wait_for_state(either_device, "checked")
    made = last_anchor()
    assert (made.start, made.end, made.exact) == (start, start + len(words), words)
    assert joined(either_device, "#text mark.cited").replace("\n", "") == words.replace("\n", "")


def test_triple_click_takes_the_paragraph_without_what_separates_it(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a")))
    desktop.locator("#p-1").click(click_count=3, position={"x": 60, "y": 12})
    desktop.get_by_role("button", name="Cite", exact=True).click()
    wait_for_state(desktop, "checked")
    assert last_anchor().exact == "Sie beginnt 🔧 mit dem Zugang."


def test_selection_of_the_whole_page_chooses_the_text_alone(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a")))
    desktop.evaluate("getSelection().selectAllChildren(document.body)")
    expect(desktop.locator("[data-cite-length]")).to_have_text(str(len(TEXT)))
    expect(desktop.locator("[data-cite-passages]")).to_have_text("0–2")


def test_selection_outside_of_the_text_offers_nothing(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a")))
    desktop.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")
    desktop.wait_for_timeout(400)
    expect(desktop.locator("#cite")).to_be_hidden()


def test_bar_goes_with_the_selection_on_a_desktop_and_stays_after_a_touch(
    desktop: Page, phone: Page, site: Site, room: Room
) -> None:
    room.publish({"a.txt": TEXT})
    for page, stays in ((desktop, False), (phone, True)):
        site.sign_in(page.context, room.name)
        page.goto(site.url(room.path("a")))
        select(page, room, "a", "acht Tage")
        page.evaluate("getSelection().removeAllRanges()")
        page.wait_for_timeout(400)
        expect(page.locator("#cite")).to_be_visible(visible=stays)
    box = phone.get_by_role("button", name="Cite", exact=True).bounding_box()
    assert box is not None and box["height"] >= 44 and box["y"] + box["height"] <= 844
    phone.get_by_role("button", name="Dismiss").tap()
    expect(phone.locator("#cite")).to_be_hidden()


def test_bar_is_reached_by_keyboard(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a")))
    select(desktop, room, "a", "acht Tage")
    desktop.keyboard.press("c")
    expect(desktop.get_by_role("button", name="Cite", exact=True)).to_be_focused()
    desktop.keyboard.press("Enter")
    wait_for_state(desktop, "checked")
    assert last_anchor().exact == "acht Tage"


def test_half_a_character_is_refused_and_the_whole_one_offered(
    either_device: Page, site: Site, room: Room, faults: Faults
) -> None:
    faults.expect("400")
    room.publish({"a.txt": "Team 👩‍🔧 kommt."})
    site.sign_in(either_device.context, room.name)
    either_device.goto(site.url(room.path("a")))
    select(either_device, room, "a", "Team 👩")
    either_device.get_by_role("button", name="Cite", exact=True).click()
    expect(either_device.locator("h1")).to_have_text("Not cited")
    expect(either_device.locator(".cited-words")).to_have_text(["Team 👩", "Team 👩‍🔧"])
    either_device.get_by_role("button", name="Cite exactly this").click()
    wait_for_state(either_device, "checked")
    assert last_anchor().exact == "Team 👩‍🔧"


def test_ambiguous_words_are_refused_and_the_way_leads_back_to_their_place(
    desktop: Page, site: Site, room: Room, faults: Faults
) -> None:
    faults.expect("409")
    room.publish({"a.txt": "\n\n".join(["weggefallen"] * 40)})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a")))
    desktop.evaluate(SELECT, [20, 0, 20, 4])
    desktop.get_by_role("button", name="Cite", exact=True).click()
    expect(desktop.get_by_text("Select more")).to_be_visible()
    desktop.get_by_role("link", name="Back to the place").click()
    wait_for_state(desktop, "checked")
    expect(desktop.locator("#p-20 mark")).to_be_in_viewport()


def test_text_that_was_changed_in_the_browser_is_not_cited(desktop: Page, site: Site, room: Room, faults: Faults) -> None:
    faults.expect("400")
    room.publish({"a.txt": TEXT})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(room.path("a")))
    desktop.evaluate("document.querySelector('#p-0').firstChild.data = 'Die Frist beträgt neun Tage.\\n\\n'")
    desktop.evaluate(SELECT, [0, 18, 0, 27])
    desktop.get_by_role("button", name="Cite", exact=True).click()
    expect(desktop.get_by_text("differs from the stored one")).to_be_visible()
    assert not Citation.objects.filter(tenant=room.tenant).exists()


def test_passage_is_cited_from_a_result_without_scripts(open_window: Callable[..., Page], site: Site) -> None:
    plain = open_window(**PHONE, java_script_enabled=False)
    site.search(plain, QUESTION)
    result(plain).get_by_role("button", name="Cite this passage").click()
    expect(plain.locator(".cited-words")).to_have_text(QUOTE)
    assert joined(plain, "#text mark.cited") == QUOTE
    plain.locator(".copies summary").click()
    expect(plain.locator("#copy-text")).to_be_visible()
    assert plain.get_by_role("button", name="Markdown").count() == 0


# Every state, through real changes


def another_source(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.publish({"a.txt": "Vorweg.\n\n" + TEXT})


def another_label(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    rights = builders.rules(("**", 'allowed = ["group:alle"]\nversion = "2"'))
    builders.write(room.folder, {"fundstelle.toml": rights})
    builders.run(room.folder, of=room.tenant)


def another_parser(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats.FORMATS, ".txt", replace(formats.FORMATS[".txt"], parser=Parser("text", "2", "other")))
    builders.run(room.folder, of=room.tenant)


def another_profile(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(representations, "PROFILE", profile.PROFILE + " other")
    builders.run(room.folder, of=room.tenant)


def nothing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves all as it is."""


Change = Callable[[Room, pytest.MonkeyPatch], None]
STATES: dict[str, tuple[Change, dict[str, object], str, str]] = {
    "holds": (nothing, {}, "Holds", "current"),
    "other bytes": (another_source, {}, "Document changed", "historical"),
    "other label": (another_label, {}, "Document changed", "historical"),
    "other parser": (another_parser, {}, "Read by another parser", "historical"),
    "other profile": (another_profile, {}, "Normalised differently", "historical"),
    "other bytes, not proven": (another_source, {"exact": "neun Tage"}, "Document changed", ""),
    "other parser, not proven": (another_parser, {"exact": "neun Tage"}, "Read by another parser", ""),
    "other profile, not proven": (another_profile, {"exact": "neun Tage"}, "Normalised differently", ""),
    "other text": (nothing, {"text_sha256": "0" * 64}, "Text differs", ""),
    "tampered words": (nothing, {"exact": "neun Tage"}, "Words not found", ""),
    "repeated words": (nothing, {"exact": "e", "prefix": "", "suffix": ""}, "More than one place", ""),
    "tampered place": (nothing, {"start": 3, "end": 12}, "Another position", ""),
    "inverted": (nothing, {"start": 12, "end": 3}, "Not a valid anchor", ""),
}


@pytest.mark.parametrize("case", STATES)
def test_every_state_says_what_it_is_and_shows_only_what_is_proven(
    desktop: Page, site: Site, room: Room, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    change, tampering, label, shown = STATES[case]
    room.publish({"a.txt": TEXT})
    citation = cite(room)
    change(room, monkeypatch)
    Citation.objects.filter(public_id=citation).update(**tampering)
    open_citation(desktop, site, room, citation)
    expect(desktop.locator(".worth .state")).to_have_text(label)
    expect(desktop.get_by_text("Historical text.")).to_be_visible(visible=shown == "historical")
    if shown:
        wait_for_state(desktop, "checked")
        assert joined(desktop, "mark.cited.checked") == "acht Tage"
    else:
        expect(desktop.locator("#text, mark.cited")).to_have_count(0)
        expect(desktop.get_by_text("Do not rely on them")).to_be_visible()
    expect(desktop.locator("h1")).to_be_in_viewport()
    expect(desktop.locator(".steps li").first).to_be_visible()
    assert problems(desktop) == {}


def test_right_withdrawn_and_document_deleted_are_the_same_page(desktop: Page, site: Site, room: Room, faults: Faults) -> None:
    faults.expect("404")
    room.publish({"a.txt": TEXT, "b.txt": "Offen."})
    withdrawn = cite(room)
    deleted = citations.cite_words(access(room), room.document("b").public_id, exact="Offen")
    removal.request_purge(room.document("b"))
    worker.run_due()
    room.publish({"a.txt": TEXT}, allowed='["group:netz"]')
    seen = set()
    for citation in (withdrawn, deleted, UUID(int=7)):
        open_citation(desktop, site, room, citation)
        seen.add(desktop.locator("main").inner_html())
    assert len(seen) == 1 and "Not available" in seen.pop()


def test_changed_citation_leads_to_the_comparison_at_the_cited_place(either_device: Page, site: Site, room: Room) -> None:
    rest = "\n\n".join(f"Absatz {number} bleibt gleich." for number in range(60))
    room.publish({"a.txt": f"{rest}\n\n{TEXT}"})
    citation = cite(room, "acht Tage")
    room.publish({"a.txt": f"Neu am Anfang.\n\n{rest}\n\n{TEXT.replace('acht', 'neun')}"})
    open_citation(either_device, site, room, citation)
    either_device.get_by_role("link", name="Compare both states").click()
    expect(either_device.locator(".compare-cited del")).to_have_text("acht")
    expect(either_device.locator(".compare-cited ins")).to_have_text("neun")
    expect(either_device.locator(".compare-cited del")).to_be_in_viewport()
    assert problems(either_device) == {}


def test_print_of_a_historical_citation_says_so_with_state_hashes_and_time(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    citation = cite(room)
    room.publish({"a.txt": "Neu."})
    open_citation(desktop, site, room, citation)
    wait_for_state(desktop, "checked")
    desktop.emulate_media(media="print")
    expect(desktop.get_by_text("Historical text.")).to_be_visible()
    paper = desktop.locator(".on-paper").inner_text()
    row = Citation.objects.get(public_id=citation)
    assert all(
        part in paper
        for part in ("Document changed", "is historical", row.text_sha256, row.source_sha256, "Checked by the server")
    )


def test_copies_hold_the_stored_words_and_their_state(open_window: Callable[..., Page], site: Site, room: Room) -> None:
    page = open_window(**DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    room.publish({"a.txt": TEXT})
    citation = cite(room, "Tage.\n\nSie beginnt 🔧")
    open_citation(page, site, room, citation)
    copied = {}
    for name in ("Text", "Markdown", "HTML", "Anchor (JSON)", "Link"):
        page.locator(".copies-buttons").get_by_role("button", name=name, exact=True).click()
        expect(page.locator("[data-copy-status]")).to_contain_text(name)
        copied[name] = page.evaluate("navigator.clipboard.readText()")
    assert copied["Text"].startswith("“Tage.\n\nSie beginnt 🔧”") and "State: Holds" in copied["Text"]
    assert json.loads(copied["Anchor (JSON)"]) == Citation.objects.get(public_id=citation).anchor.to_dict()
    assert copied["Link"] == site.url(f"/citations/{citation}/")


# Lists


def test_all_are_checked_again_with_progress(either_device: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    first = Citation.objects.get(public_id=cite(room))
    rows = [
        Citation.of(first.anchor, tenant_id=first.tenant_id, author_id=first.author_id, document_id=first.document_id)
        for _ in range(119)
    ]
    Citation.objects.bulk_create(rows)
    Citation.objects.filter(public_id=rows[100].public_id).update(exact="neun Tage")
    site.sign_in(either_device.context, room.name)
    either_device.goto(site.url("/citations/"))
    either_device.get_by_role("button", name="Check all").click()
    expect(either_device.get_by_text("1 of them no longer holds")).to_be_visible()
    expect(either_device.locator("#recheck .row")).to_have_count(1)
    assert problems(either_device) == {}


def test_filter_applies_at_once_and_exports_download(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT, "b.txt": "Offen steht es hier."})
    cite(room)
    citations.cite_words(access(room), room.document("b").public_id, exact="Offen")
    room.publish({"a.txt": "Neu."})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url("/citations/"))
    desktop.get_by_role("link", name="Show what no longer holds").click()
    expect(desktop.locator(".row-quote")).to_have_text(["acht Tage"])
    desktop.get_by_label("State").select_option(label="Holds")
    expect(desktop.locator(".row-quote")).to_have_text(["Offen"])
    with desktop.expect_download() as download:
        desktop.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "citations.csv"


def test_pasted_ids_are_checked_and_the_page_is_sound(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    citation = cite(room)
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url("/citations/check/"))
    desktop.get_by_label("Ids of citations").fill(f"{citation}\nunsinn")
    desktop.get_by_role("button", name="Check", exact=True).click()
    expect(desktop.locator(".row .state")).to_have_text(["Holds", "Neither an id nor an anchor"])
    assert problems(desktop) == {}


def test_editor_migrates_what_was_chosen(desktop: Page, site: Site, room: Room) -> None:
    room.publish({"a.txt": TEXT})
    Membership.objects.filter(user__username=room.name).update(role=Role.EDITOR)
    old = cite(room)
    room.publish({"a.txt": "Vorweg.\n\n" + TEXT})
    open_citation(desktop, site, room, old)
    desktop.get_by_role("link", name="Migrate citations of this document").click()
    assert problems(desktop) == {}
    desktop.set_viewport_size(DESKTOP["viewport"])
    desktop.get_by_role("checkbox").first.check()
    desktop.get_by_role("button", name="Approve the chosen ones").click()
    expect(desktop.locator(".row .state")).to_have_text("Holds")
    desktop.locator(".row-title a").click()
    wait_for_state(desktop, "checked")
    desktop.get_by_role("link", name="succeeds an older one").click()
    expect(desktop.locator(".worth .state")).to_have_text("Document changed")


@pytest.mark.parametrize("path", ["history", "provenance"])
def test_pages_about_a_document_are_sound(desktop: Page, site: Site, room: Room, path: str) -> None:
    room.publish({"a.txt": TEXT})
    room.publish({"a.txt": "Neu."})
    site.sign_in(desktop.context, room.name)
    desktop.goto(site.url(f"/documents/{room.document('a').public_id}/{path}/"))
    expect(desktop.locator("h1")).to_have_count(1)
    assert problems(desktop) == {}
