"""Pages of originals on the web: beside the text and alone, as pictures, and the original as a download; for who may read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence import blobs
from evidence.models import Document, Page, Passage, Representation, Revision
from evidence.tests.builders import document, person, publish
from evidence.tests.pages import main, one, parsed, sign_in, texts, value
from evidence.tests.papers import paper, pdf, trait

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = ["Erste Seite.\n\nEin Absatz beginnt", "und endet auf der zweiten.\n\nEnde.", "\nDritte Seite."]


@pytest.fixture
def row(tmp_path: Path, client: Client) -> Document:
    """A document of three pages, read by a person who may."""
    found = paper(tmp_path, PAGES, labels=["i", "ii", "3"])
    sign_in(client, person("anna", ["alle"]))
    return found


def reading(row: Document, passage: int | None = None) -> str:
    assert row.current is not None
    place = "" if passage is None else f"?representation={row.current.public_id}&passage={passage}"
    return f"/documents/{row.public_id}/{place}"


def page(row: Document, number: int, query: str = "") -> str:
    assert row.current is not None
    return f"/documents/{row.public_id}/pages/{row.current.public_id}/{number}/{query}"


def picture(row: Document, number: int, query: str = "") -> str:
    return page(row, number).removesuffix("/") + f".png{query}"


def original(row: Document) -> str:
    assert row.current is not None
    return f"/documents/{row.public_id}/original/?representation={row.current.public_id}"


def test_the_marked_passage_is_shown_on_its_pages_beside_the_text(client: Client, row: Document) -> None:
    found = parsed(client.get(reading(row, 1), headers={"accept-language": "en"}))
    assert [(len(paper.css("rect")), value(paper, "img", "width")) for paper in found.css(".sheet-paper")] == [(1, "595")] * 2
    assert texts(found, "#sheet-where") == ["Pages 1 to 2 of 3 (printed: i, ii)"]
    assert value(found, "#sheet-later", "href") == page(row, 3, "?start=14&end=59")


def test_every_picture_names_its_page_and_stands_in_no_style(client: Client, row: Document) -> None:
    found = parsed(client.get(reading(row), headers={"accept-language": "en"}))
    assert value(found, ".sheet-paper img", "alt").startswith("Picture of page 1 of the original.")
    assert found.css("[style]") == [] and found.css("#sheet rect") == []
    assert client.get(value(found, ".sheet-paper img", "src")).headers["Content-Type"] == "image/png"


def test_where_pages_begin_is_said_outside_of_the_text(client: Client, row: Document) -> None:
    root = one(parsed(client.get(reading(row, 1))), "#text")
    stored = "".join(Passage.objects.filter(representation=row.current).order_by("number").values_list("text", flat=True))
    assert root.text() == stored
    starts = [(node.attributes["data-page"], node.attributes["href"]) for node in root.css("a.page-start")]
    assert starts == [(name, page(row, number, "?start=14&end=59")) for number, name in enumerate(["i", "ii", "3"], start=1)]


def test_a_page_is_turned_to_as_a_fragment_and_as_a_page(client: Client, row: Document) -> None:
    address = page(row, 2, "?start=14&end=59")
    whole, fragment = parsed(client.get(address)), parsed(client.get(address, headers={"hx-request": "true"}))
    assert one(whole, "#sheet").html == one(fragment, "#sheet").html
    assert fragment.css("header, h1") == [] and len(fragment.css("rect")) == 1
    assert value(whole, ".eyebrow a", "href") == f"{reading(row, 1)}#p-1"
    assert [value(fragment, f"#sheet-{way}", "href") for way in ("earlier", "later", "closer")] == [
        page(row, 1, "?start=14&end=59"),
        page(row, 3, "?start=14&end=59"),
        page(row, 2, "?start=14&end=59&zoom=2"),
    ]


@pytest.mark.parametrize(("zoom", "widths", "ways"), [(1, "800 1600", "+"), (2, "1600 2400", "-+"), (3, "1600 2400", "-")])
def test_a_closer_look_asks_for_larger_pictures(client: Client, row: Document, zoom: int, widths: str, ways: str) -> None:
    found = parsed(client.get(page(row, 1, f"?zoom={zoom}")))
    assert one(found, f".sheet-pages.zoom-{zoom}")
    assert all(f"width={width} {width}w" in value(found, "img", "srcset") for width in widths.split())
    assert [node.attributes["data-key"] for node in found.css("#sheet-wider, #sheet-closer")] == list(ways)


def test_an_uncertain_place_is_said_and_not_drawn(client: Client, row: Document) -> None:
    Page.objects.filter(number=1).update(boxes=b"")
    found = parsed(client.get(reading(row, 0)))
    assert found.css("rect") == [] and len(found.css(".sheet-doubt")) == 1


def test_a_citation_is_shown_on_its_pages(client: Client, row: Document) -> None:
    assert row.current is not None
    place = {"representation": str(row.current.public_id), "start": "18", "end": "40"}
    found = parsed(client.post(f"/documents/{row.public_id}/cite/", place, follow=True))
    assert [len(paper.css("rect")) for paper in found.css("#sheet .sheet-paper")] == [1, 1]
    assert one(found, "#text a.page-start")


def test_a_scan_shows_its_pages_and_says_that_nothing_can_be_found(client: Client, row: Document) -> None:
    Passage.objects.all().delete()
    Page.objects.update(start=0, end=0)
    Representation.objects.update(notes=["no_text"], length=0, passage_count=0)
    found = parsed(client.get(reading(row), headers={"accept-language": "en"}))
    assert texts(found, ".note-no_text") == [
        "Nothing in this file can be read as text. Nothing in it can be searched or cited. "
        "Its pages are shown as pictures; it may be a scan."
    ]
    assert one(found, "#sheet[open] img") and one(found, "#text").text() == ""


def test_what_is_to_be_known_of_a_file_is_said_beside_its_text_and_its_origin(client: Client, row: Document) -> None:
    notes = ["letter_soup", "unseen_text", "encoding_assumed", "attachments", "form_values", "not_shown", "repaired"]
    Representation.objects.update(notes=notes)
    for address in (reading(row), f"/documents/{row.public_id}/provenance/"):
        found = parsed(client.get(address))
        assert [node.attributes["class"].split()[-1] for node in found.css(".notes li")] == [f"note-{note}" for note in notes]  # type: ignore[union-attr]
        assert len(set(texts(found, ".notes li"))) == len(notes)


def test_what_nobody_sees_is_marked_in_the_text_and_not_only_by_colour(client: Client, row: Document) -> None:
    trait(row, "Absatz", "unseen")
    trait(row, "Ende.", "garbled")
    trait(row, "Dritte", "running", "repeated")
    found = parsed(client.get(reading(row, 1), headers={"accept-language": "en"}))
    assert value(found, "mark.cited .trait-unseen", "data-label") == "not visible in the original"
    assert value(found, ".trait-garbled", "data-label").startswith("letter soup")
    assert value(found, ".trait-running", "aria-label") == "running header or footer"
    assert len(found.css(".place .place-worth-warn")) == 1


def test_letter_soup_is_not_offered_to_be_cited(client: Client, row: Document) -> None:
    trait(row, "Ende.", "garbled")
    found = parsed(client.get(reading(row, 2)))
    assert found.css(".place form") == [] and len(found.css(".place-worth-warn")) == 1
    assert row.current is not None
    place = {"representation": str(row.current.public_id), "start": "60", "end": "65"}
    refused = client.post(f"/documents/{row.public_id}/cite/", place)
    assert refused.status_code == 400 and texts(parsed(refused), "h1")


def test_a_hit_in_unseen_text_is_labelled(client: Client, row: Document) -> None:
    trait(row, "Absatz", "unseen")
    hits = {word: parsed(client.get("/", {"q": word}, headers={"accept-language": "en"})) for word in ("Absatz", "beginnt")}
    assert texts(hits["Absatz"], ".badge-warn") == ["Not visible in the original"]
    assert hits["beginnt"].css(".badge-warn") == []
    assert one(hits["Absatz"], ".quote .trait-unseen mark") and "page i" in one(hits["Absatz"], ".hit-number").text()


def test_a_text_without_pages_has_none(client: Client, row: Document, tmp_path: Path) -> None:
    publish(tmp_path / "t", {"t.txt": "Text."}, source="texte")
    sign_in(client, person("ben", ["alle"]))
    found = parsed(client.get(reading(document("t", source="texte"), 0)))
    assert found.css("#sheet, .page-start, .with-sheet") == []


@pytest.mark.parametrize("password", ["", "geheim"])
def test_the_original_is_a_download_of_the_exact_bytes(client: Client, row: Document, password: str) -> None:
    Revision.objects.update(password=password)
    Document.objects.update(title="Größe/\u202etxt")
    response = client.get(original(row))
    assert (response.content, response.headers["Content-Type"]) == (pdf(PAGES), "application/pdf")
    assert response.headers["Content-Disposition"] == (
        "attachment; filename=\"Groesse txt.pdf\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20txt.pdf"
    )
    assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "private, no-store"


def test_a_media_type_that_is_none_is_not_sent(client: Client, row: Document) -> None:
    Revision.objects.update(media_type="text/html\r\nx: y")
    assert client.get(original(row)).headers["Content-Type"] == "application/octet-stream"


def test_a_damaged_original_is_not_given_out(client: Client, row: Document, data_folder: Path) -> None:
    assert row.current is not None
    digest = row.current.revision.source_sha256
    (data_folder / "blobs" / digest[:2] / digest).write_bytes(b"other bytes")
    response = client.get(original(row))
    assert response.status_code == 400 and b"other bytes" not in response.content


def test_a_picture_is_private_and_nothing_but_a_picture(client: Client, row: Document) -> None:
    response = client.get(picture(row, 2, "?width=800"))
    assert response.content.startswith(b"\x89PNG")
    kept = {name: response.headers[name] for name in ("Content-Type", "Cache-Control", "X-Content-Type-Options")}
    assert kept == {"Content-Type": "image/png", "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff"}


def test_a_picture_that_cannot_be_made_is_a_page_that_says_so(client: Client, row: Document) -> None:
    Revision.objects.update(source_sha256=blobs.put(b"%PDF-1.4 nonsense"))
    response = client.get(picture(row, 1), headers={"accept-language": "en"})
    assert response.status_code == 400 and "No picture can be made of this page" in response.content.decode()
    assert one(parsed(client.get(reading(row, 0))), ".sheet-none[hidden]")


WAYS: list[Callable[[Document], str]] = [
    lambda row: page(row, 1),
    lambda row: page(row, 1, "?start=0&end=5"),
    lambda row: picture(row, 1),
    lambda row: original(row),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("groups", [[], ["netz"]])
def test_who_may_not_read_gets_the_answer_for_what_is_unknown(
    client: Client, row: Document, tmp_path: Path, way: Callable[[Document], str], groups: list[str]
) -> None:
    client.get(picture(row, 1))  # kept from now on
    sign_in(client, person("max", groups))
    there = way(row)
    answers = {main(client.get(there.replace(str(row.public_id), one))) for one in (str(row.public_id), str(uuid4()))}
    assert len(answers) == 1 and answers.pop().startswith("404 ")


def test_who_may_read_in_part_sees_only_that_part(client: Client, row: Document, tmp_path: Path) -> None:
    other = paper(tmp_path / "n", ["Geheim."], source="netz", allowed='["group:netz"]')
    assert other.current is not None and row.current is not None
    mixed = f"/documents/{row.public_id}/pages/{other.current.public_id}/1"
    unknown = main(client.get(page(other, 1)))
    for address in (
        f"{mixed}/",
        f"{mixed}.png",
        f"/documents/{row.public_id}/original/?representation={other.current.public_id}",
    ):
        assert main(client.get(address)) == unknown
    assert client.get(picture(row, 1)).status_code == 200


@pytest.mark.parametrize(
    "query", ["1/?zoom=9", "1/?start=x", "1/?end=-1", "9/", "0/", "1.png?width=801", "1.png?width=x", "9.png", f"{10**30}.png"]
)
def test_an_address_that_is_none_is_unavailable(client: Client, row: Document, query: str) -> None:
    assert client.get(page(row, 1).removesuffix("1/") + query).status_code == 404


def test_a_page_and_a_picture_cost_few_queries(
    client: Client, row: Document, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(picture(row, 1))
    with django_assert_num_queries(QUERIES + 1):
        client.get(picture(row, 1))
    with django_assert_num_queries(QUERIES + 5):
        client.get(page(row, 1, "?start=14&end=59"), headers={"hx-request": "true"})


QUERIES = 8
"""Session, person, membership, rights (4), document, state. Then the page; or pages, boxes, words of mark and
pages, passage."""
