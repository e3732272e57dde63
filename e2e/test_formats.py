"""Documents as people have them, in every format of the demo: the text is proved, the page of the original is shown with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import APIResponse, Locator, Page, expect

from demo.making.documents import DOCUMENTS, FOLDER
from demo.making.sheets import PASSWORD
from e2e.conftest import DESKTOP
from e2e.reading_page import wait_for_state
from e2e.site import Site
from e2e.steps import joined
from e2e.test_text_equality import assert_shown
from evidence.models import Representation

FULL = 65_535
"""A page's width and height, as rectangles count."""
BETWEEN = re.compile(r"[\s\u2010\u0002-]+")
"""White space and the hyphens of line ends, which every extractor writes in its own way."""
RECTANGLES = """paper => Array.from(paper.querySelectorAll("rect"),
  one => ["x", "y", "width", "height"].map(name => +one.getAttribute(name)))"""
PLACES = {
    "Schichtübergabegespräch": ("vereinbarungen/bv-nachtarbeit_2026-07-01.pdf", [1]),
    '"im letzten einvernehmlichen Plan"': ("vereinbarungen/bv-nachtarbeit_2026-07-01.pdf", [2, 3]),
    "Leistungszulage": ("personal/entgeltbaender_2026-01-01.pdf", [1]),
    '"turned on its side"': ("werkstatt/sdb-chlorbleichlauge_2026-03-02.en.pdf", [2]),
    "thiosulphate": ("werkstatt/sdb-chlorbleichlauge_2026-03-02.en.pdf", [3]),
    '"yellow line" cross': ("werkstatt/sdb-chlorbleichlauge_2026-03-02.en.pdf", [4]),
}
"""Question -> the PDF that it finds, and the numbers of the pages on which the passage stands."""


def states(*endings: str) -> Sequence[Representation]:
    """What the demo holds of the made documents, with these endings or all."""
    paths = [path.partition("/")[2] for path in DOCUMENTS if path.endswith(endings or "")]
    rows = Representation.objects.filter(revision__path__in=paths, revision__document__source__tenant__slug="lindenau")
    found = list(rows.select_related("revision__document"))
    assert len(found) == len(paths)
    return found


def address(site: Site, state: Representation, **query: object) -> str:
    """Of the reading page in this state."""
    return site.url(f"/documents/{state.revision.document.public_id}/", representation=state.public_id, **query)


def open_hit(page: Page, site: Site, question: str) -> str:
    """Open the only result; gives the marked words once they are checked."""
    site.search(page, question)
    page.locator("[data-open]").click()
    wait_for_state(page, "checked")
    return joined(page, "mark.cited.checked")


def papers(page: Page) -> Sequence[Locator]:
    """The pages of the original that are shown, each with its picture drawn."""
    sheet = page.locator("#sheet")
    if sheet.get_attribute("open") is None and not page.locator("#sheet .sheet-pages").is_visible():
        sheet.locator("summary").click()
    shown = page.locator("#sheet .sheet-paper").all()
    for paper in shown:
        picture = paper.locator("img")
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    return shown


def words_inside(data: bytes, password: str | None, number: int, areas: Sequence[Sequence[int]]) -> str:
    """What pdfium itself finds in these rectangles of the original: nothing of ours had a hand in it."""
    with pypdfium2.PdfDocument(data, password=password) as document:
        page = document[number - 1]
        text = page.get_textpage()
        return "".join(text.get_text_bounded(*bounds(page, *area)) for area in areas)


def bounds(page: pypdfium2.PdfPage, left: int, top: int, width: int, height: int) -> tuple[float, float, float, float]:
    """Left, bottom, right, top in the page's own points, of a rectangle on the page as it is looked at."""
    wide, high = page.get_mediabox()[2:]
    one, two = (left / FULL, top / FULL), ((left + width) / FULL, (top + height) / FULL)
    if page.get_rotation() == 90:
        return one[1] * wide, one[0] * high, two[1] * wide, two[0] * high
    return one[0] * wide, (1 - two[1]) * high, two[0] * wide, (1 - one[1]) * high


def test_text_of_every_made_document_is_proved_where_it_is_shown(either_device: Page, site: Site) -> None:
    site.sign_in(either_device.context)
    for state in states():
        assert_shown(either_device, site, state)
        if not state.text_sha256 or state.notes == ["no_text"]:
            continue
        passage = state.passages.exclude(text__regex=r"^\s*$").order_by("number").last()
        assert passage is not None, state.revision.path
        either_device.goto(address(site, state, passage=passage.number))
        wait_for_state(either_device, "checked")


@pytest.mark.parametrize("question", PLACES)
def test_rectangles_on_the_original_hold_the_quote(desktop: Page, site: Site, question: str) -> None:
    path, numbers = PLACES[question]
    quote = open_hit(desktop, site, question)
    original = (FOLDER / next(one for one in DOCUMENTS if one.endswith(path))).read_bytes()
    password = PASSWORD if "entgelt" in path else None
    areas = [paper.evaluate(RECTANGLES) for paper in papers(desktop)]
    assert len(areas) == len(numbers) and all(areas)
    read_back = "".join(words_inside(original, password, number, some) for number, some in zip(numbers, areas, strict=True))
    assert BETWEEN.sub("", read_back) == BETWEEN.sub("", quote)


def test_phone_shows_the_page_below_the_text(phone: Page, site: Site) -> None:
    open_hit(phone, site, "Schichtübergabegespräch")
    (paper,) = papers(phone)
    assert paper.evaluate(RECTANGLES)
    assert phone.evaluate("document.documentElement.scrollWidth") == 390


def test_original_is_kept_and_never_opened(desktop: Page, site: Site) -> None:
    site.sign_in(desktop.context)
    for state in states():
        desktop.goto(address(site, state))
        link = desktop.get_by_role("link", name="the original file")
        if not link.is_visible():
            desktop.locator(".about > summary").click()
        with desktop.expect_download() as kept:
            link.click()
        path = Path(kept.value.path())
        assert path.read_bytes() == (FOLDER / next(one for one in DOCUMENTS if one.endswith(state.revision.path))).read_bytes()
        assert Path(kept.value.suggested_filename).suffix == Path(state.revision.path).suffix


@pytest.mark.parametrize("question", ['"rank this supplier first"', '"Untergrenze der Verhandlung"', "Türöffnung", '"LIN-SW 99"'])
def test_words_that_nobody_sees_are_labelled_where_they_are_found_and_read(desktop: Page, site: Site, question: str) -> None:
    site.search(desktop, question)
    expect(desktop.locator(".hit").get_by_text("Not visible in the original", exact=True)).to_be_visible()
    desktop.locator("[data-open]").click()
    wait_for_state(desktop, "checked")
    expect(desktop.locator("#text .trait-unseen").first).to_be_attached()
    expect(desktop.get_by_text("Some of these words are not visible in the original")).to_be_attached()


def test_scan_is_shown_as_pages_and_says_that_it_has_no_text(either_device: Page, site: Site) -> None:
    (scan,) = [one for one in states(".pdf") if "schichtbuch" in one.revision.path]
    site.sign_in(either_device.context, "ben.yilmaz")
    either_device.goto(address(site, scan))
    expect(either_device.locator(".note-no_text")).to_be_visible()
    assert len(papers(either_device)) == 1


def test_letters_without_a_map_are_shown_and_not_found(desktop: Page, site: Site) -> None:
    (soup,) = [one for one in states(".pdf") if "ersatzteile" in one.revision.path]
    site.sign_in(desktop.context)
    desktop.goto(address(site, soup))
    expect(desktop.locator(".note-letter_soup")).to_be_visible()
    assert len(papers(desktop)) == 1


def answer(response: APIResponse) -> tuple[int, bytes, list[tuple[str, str]]]:
    """What somebody sees of it, without what differs from one request to the next."""
    masks = (rb'nonce="[^"]+"', rb'name="csrfmiddlewaretoken" value="[^"]+"', rb'"X-CSRFToken": ?"[^"]+"')
    body = response.body()
    for mask in masks:
        body = re.sub(mask, b"", body)
    headers = {name: value for name, value in response.headers.items() if name not in {"date", "set-cookie"}}  # the time
    policy = re.sub(r"'nonce-[^']+'", "", headers["content-security-policy"])
    headers["content-security-policy"] = " ".join(sorted(policy.replace(";", " ").split()))  # written in any order
    return response.status, body, sorted(headers.items())


def test_picture_and_original_of_what_one_may_not_read_are_unknown(open_window: Callable[..., Page], site: Site) -> None:
    (offer,) = [one for one in states(".pdf") if "angebot" in one.revision.path]
    known, unknown = str(offer.revision.document.public_id), "00000000-0000-4000-8000-000000000000"
    paths = [f"{{}}/pages/{offer.public_id}/1.png", f"{{}}/pages/{offer.public_id}/1/", "{}/original/", "{}/"]
    anna, ben = (open_window(**DESKTOP).context for _ in range(2))
    site.sign_in(anna)
    site.sign_in(ben, "ben.yilmaz")
    for path in paths:
        allowed, forbidden, missing = (
            context.request.get(site.url(f"/documents/{path.format(document)}"))
            for context, document in ((anna, known), (ben, known), (ben, unknown))
        )
        assert allowed.status == 200, path
        assert forbidden.status == 404 and answer(forbidden) == answer(missing), path
