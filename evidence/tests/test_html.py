"""HTML files: encodings as a browser takes them, titles, and a whole page."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Content, Note, SpanKind
from evidence.errors import Refused
from evidence.formats import FORMATS, extract
from evidence.formats.html import MAX_PRESCAN
from evidence.formats.options import Options
from evidence.tests import tricky

SAMPLES = Path(__file__).parent / "samples"
HTML = FORMATS[".html"]


def read(data: bytes, encoding: str = "") -> Content:
    return extract(HTML, data, Options(encoding=encoding))


def passages(content: Content) -> list[tuple[str, str]]:
    return [(passage.kind.value, content.text[passage.start : passage.end]) for passage in content.passages]


def test_a_sample_becomes_what_a_reader_sees() -> None:
    content = read((SAMPLES / "merkblatt.html").read_bytes())
    assert content.title == "Merkblatt: Elternzeit"
    assert content.notes == (Note.UNSEEN_TEXT, Note.NOT_SHOWN)
    assert passages(content) == [
        ("paragraph", "Wappen"),
        ("paragraph", "Start"),
        ("heading", "Elternzeit"),
        (
            "paragraph",
            "Der Antrag ist „spätestens sieben Wochen“ vorher schriftlich zu stellen; siehe § 16 BEEG. Ende des Absatzes",
        ),
        ("paragraph", "Nur für Suchmaschinen"),
        ("heading", "Fristen"),
        ("paragraph", "Was bis wann vorliegt"),
        ("table_row", "Unterlage\tFrist\t"),
        ("table_row", "\tMutter\tVater"),
        ("table_row", "Antrag\t7 Wochen\t8 Wochen"),
        ("table_row", "Geburtsurkunde\teine Woche\u00a0nach der Geburt\t"),
        ("list_item", "1. Wer beantragt"),
        ("list_item", "a) Mutter"),
        ("list_item", "b) Vater"),
        ("list_item", "Wochen\nzählen rückwärts"),
        ("list_item", "c. Antrag"),
        ("list_item", "d. Bestätigung"),
        ("list_item", "• per Post"),
        ("paragraph", "☑ gelesen"),
        ("paragraph", "Bemerkung\nkeine"),
        ("code", "Tag   Stunden\n  1      7,5"),
        ("paragraph", "Letzte Zeile"),
        ("paragraph", "Stand: 2026"),
    ]
    unseen = [content.text[span.start : span.end] for span in content.spans if span.kind is SpanKind.UNSEEN]
    assert unseen == ["Ende des Absatzes", "Nur für Suchmaschinen"]
    assert [span.value for span in content.spans if span.kind is SpanKind.LINK] == ["/", "javascript:auf()"]


META = "<meta charset={}>Kündigung – 3 €"


@pytest.mark.parametrize(
    ("data", "declared", "notes"),
    [
        (META.format("utf-8").encode(), "", ()),
        (META.format("windows-1252").encode("cp1252"), "", ()),
        (META.format("'ISO-8859-1'").encode("cp1252"), "", ()),
        (META.format("utf-16").encode(), "", ()),
        (META.format("no-such").encode(), "", ()),
        (META.format("no-such").encode("cp1252"), "", (Note.ENCODING_ASSUMED,)),
        (META.format("utf-8").encode("cp1252"), "windows-1252", ()),
        (META.format("windows-1252").encode("utf-8-sig"), "", ()),
        (META.format("windows-1252").encode("utf-16"), "", ()),
        (b"<meta http-equiv=Content-Type content='text/html; charset=cp1252'>" + META.format("x").encode("cp1252"), "", ()),
        (b"<meta name=x content='charset=utf-8'>" + META.format("x").encode("cp1252"), "", (Note.ENCODING_ASSUMED,)),
        (b"<!-- <meta charset=utf-8> -->" + META.format("x").encode("cp1252"), "", (Note.ENCODING_ASSUMED,)),
        (b"<?xml version='1.0' encoding='windows-1252'?><p>" + META.format("x").encode("cp1252"), "", ()),
        (b" " * MAX_PRESCAN + META.format("macintosh").encode("cp1252"), "", (Note.ENCODING_ASSUMED,)),
    ],
)
def test_encodings_are_those_of_a_browser(data: bytes, declared: str, notes: tuple[Note, ...]) -> None:
    content = read(data, declared)
    assert (content.text, content.notes) == ("Kündigung – 3 €", notes)


def test_what_is_wrong_in_the_encoding_that_a_page_names_is_replaced_and_told_of() -> None:
    content = read("<meta charset=utf-8>ä".encode() + b"\xe4b")
    assert (content.text, content.notes) == ("ä\ufffdb", (Note.REPAIRED,))


def test_one_wrong_byte_among_letters_of_utf8_does_not_make_it_something_else() -> None:
    content = read("Kündigungsschutzgesetz, Größe, Maß".encode() + b"\xe4")
    assert content.text == "Kündigungsschutzgesetz, Größe, Maß\ufffd"
    assert content.notes == (Note.ENCODING_ASSUMED, Note.REPAIRED)


@pytest.mark.parametrize(
    ("data", "declared", "code"),
    [
        (b"Gr\x9ar \x81ber", "", "encoding_unknown"),
        ("<p>Привет".encode("utf-16-le"), "", "encoding_unknown"),
        (b"<p>\x81", "windows-1252", "text_not_encoding"),
        ("<p>a".encode("utf-8-sig"), "utf-16le", "text_mark_differs"),
    ],
)
def test_what_can_not_be_guessed_or_is_declared_wrongly_is_refused(data: bytes, declared: str, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        read(data, declared)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A\n &amp;  B </title><h1>C</h1>", "A & B"),
        ("<title>u\u0308</title>", "ü"),
        ("<title> </title><h1>C</h1>", "C"),
        ("<h1>C</h1><svg><title>D</title></svg>", "C"),
        ("<p>a", ""),
    ],
)
def test_the_title_is_the_pages_own_else_its_first_heading(html: str, title: str) -> None:
    assert read(html.encode()).title == title


def test_xhtml_with_entities_is_read_like_html() -> None:
    source = (
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x "no"><!ENTITY e SYSTEM "file:///etc/passwd">]><p>a&uuml;&e;&x;<br/>b</p>'
    )
    assert read(source.encode()).text == "]>\n\naü&e;&x;\nb"


@pytest.mark.parametrize("entry", [*tricky.entries("html"), *tricky.entries("markdown")])
def test_tricky_pages_hold_what_their_list_says(entry: tricky.Entry) -> None:
    tricky.check(entry, tricky.read(entry))


@pytest.mark.parametrize(
    "source",
    ["<p>a" * 250_000, "<b>a</b> " * 110_000, "<table>" + "<tr><td>a<td>b" * 70_000, "&amp;" * 200_000, "<!--" * 250_000],
    ids=["paragraphs", "marks", "rows", "references", "comments"],
)
def test_a_megabyte_is_read_in_seconds(source: str) -> None:
    started = perf_counter()
    read(source.encode())
    assert perf_counter() - started < 20


STYLES = ["display:none", "color:#fff", "font-size:0", "visibility:hidden", "display:block", "list-style:none", "white-space:pre"]
TAGS = (
    "p b i div=x a=x li ol ul dl dt dd pre table tr td th caption h1 h2 blockquote q br select option textarea ruby rt svg text"
    " span template noscript frameset details"
)
PIECES = [
    *(f"<{tag.replace('=x', ' class=x href=x')}>" for tag in TAGS.split()),
    *(f"</{tag.removesuffix('=x')}>" for tag in TAGS.split()),
    *(f"<span style='{style}'>" for style in STYLES),
    *(
        "<style>b{display:none}i{opacity:0}.x{color:white}</style>",
        "<input value=v>",
        "<td rowspan=2>",
        "<dialog open>",
        "<title>t",
    ),
    *(" ", "\n", "word ", "ü", "u\u0308", "<!--", "-->", "&#776;", "&nbsp;", "</"),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_page_gives_content_that_fits(source: str) -> None:
    content = read(source.encode())
    assert content.text == profile.normalise(content.text)
    assert all(text.strip("\n\t ") for _, text in content.pieces())
    assert Content.from_json(content.to_json()) == content


@given(st.binary(max_size=60), st.sampled_from(["", "windows-1252", "utf-16le", "shift_jis"]))
def test_any_bytes_are_read_or_refused(data: bytes, declared: str) -> None:
    try:
        content = read(b"<p>" + data, declared)
    except Refused:
        return
    assert content.text == profile.normalise(content.text)
    assert content.text.encode().decode() == content.text
