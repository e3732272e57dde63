"""Plain text files: encodings, bytes that are refused, and the split into paragraphs and pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Content, Passage, PassageKind
from evidence.errors import Refused
from evidence.formats import FORMATS, MAX_PASSAGES, MAX_TEXT_BYTES, extract
from evidence.formats.encodings import canonical
from evidence.formats.options import Options
from evidence.tests import tricky

SAMPLES = Path(__file__).parent / "samples"
TEXT = FORMATS[".txt"]


def read(data: bytes, encoding: str = "") -> Content:
    return extract(TEXT, data, Options(encoding=encoding))


def _ranges(content: Content) -> list[tuple[int, int]]:
    return [(passage.start, passage.end) for passage in content.passages]


@pytest.mark.parametrize(
    ("data", "ranges"),
    [
        (b"", [(0, 0)]),
        (b"\xef\xbb\xbf", [(0, 0)]),
        (b"one\ntwo", [(0, 7)]),
        (b"one\r\n\r\ntwo\r\n", [(0, 3), (5, 9)]),
        (b"one\r\rtwo", [(0, 3), (5, 8)]),
        (b"one\n\n\ntwo", [(0, 3), (5, 9)]),
        (b"one\n\n\n\ntwo", [(0, 3), (5, 5), (7, 10)]),
        (b"\n\none\n\n", [(0, 0), (2, 5), (7, 7)]),
        (b"one\n \ntwo", [(0, 9)]),
        ("Mu\u0308ller\n\n👨‍👩 ok".encode(), [(0, 6), (8, 14)]),
    ],
)
def test_every_piece_between_empty_lines_is_a_paragraph(data: bytes, ranges: list[tuple[int, int]]) -> None:
    assert _ranges(extract(TEXT, data)) == ranges


def test_a_sample_is_read_word_for_word() -> None:
    content = extract(TEXT, (SAMPLES / "hausordnung.txt").read_bytes())
    assert content.text.startswith("Hausordnung\n\n§ 1 Ruhezeiten\n")
    assert content.passages[0] == Passage(PassageKind.PARAGRAPH, 0, 11)
    assert "5\u00a0000 €" in content.text
    assert "".join(text for _, text in content.pieces()) == content.text


def test_a_byte_order_mark_is_removed_once() -> None:
    assert extract(TEXT, "\ufeff\ufeffa".encode()).text == "\ufeffa"


FRIST = "Frist für Kündigungen: 3 €"


@pytest.mark.parametrize(
    ("codec", "declared"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-8-sig", "utf-8"),
        ("utf-16", ""),
        ("utf-16", "utf-16"),
        ("utf-16", "utf-16le"),
        ("utf-16-be", "utf-16be"),
        ("utf-32", ""),
        ("utf-32-be", "utf-32be"),
        ("cp1252", "windows-1252"),
        ("cp1252", "iso-8859-1"),
        ("iso8859-15", "ISO-8859-15"),
        ("mac-roman", "macintosh"),
        ("cp858", "cp858"),
    ],
)
def test_marks_and_declarations_are_believed(codec: str, declared: str) -> None:
    assert read(FRIST.encode(codec), declared).text == FRIST


@pytest.mark.parametrize(
    ("data", "declared", "code", "said"),
    [
        ("Kündigung".encode("cp1252"), "", "text_not_utf8", {"offset": 1}),
        (b"\xef\xbb\xbfab\xff", "", "text_not_utf8", {"offset": 5}),
        (b"\xed\xa0\xbd", "", "text_not_utf8", {"offset": 0}),
        (b"\xef\xbb\xbfab\xff", "utf-8", "text_not_utf8", {"offset": 5}),
        ("ü\0".encode(), "", "text_nul", {"offset": 2}),
        ("Frist".encode("utf-16-le"), "", "text_nul", {"offset": 1}),
        ("\ufeffü\0".encode("utf-16-le"), "", "text_nul", {"offset": 4}),
        (b"\xff\xfea\0\0\xd8", "", "text_not_encoding", {"encoding": "utf-16le", "offset": 4}),
        (b"ab\x81", "windows-1252", "text_not_encoding", {"encoding": "windows-1252", "offset": 2}),
        (FRIST.encode("utf-8-sig"), "windows-1252", "text_mark_differs", {"marked": "utf-8", "declared": "windows-1252"}),
        (FRIST.encode("utf-16"), "utf-16be", "text_mark_differs", {"marked": "utf-16le", "declared": "utf-16be"}),
        (FRIST.encode("utf-16-le"), "utf-16", "text_no_mark", {"encoding": "utf-16"}),
    ],
)
def test_other_bytes_are_refused_with_what_to_do(data: bytes, declared: str, code: str, said: dict[str, object]) -> None:
    with pytest.raises(Refused) as refusal:
        read(data, declared)
    assert (refusal.value.code, refusal.value.values) == (code, said)
    assert any(word in str(refusal.value) for word in ("UTF-8", "Name utf-16le", "One of them is wrong"))


def test_a_declared_encoding_is_part_of_how_a_text_was_read() -> None:
    assert TEXT.parser_with(Options(encoding="windows-1252")).configuration.endswith(" declared=windows-1252")
    assert TEXT.parser_with(Options()) == TEXT.parser


@pytest.mark.parametrize(
    "name", ["utf-7", "replacement", "x-user-defined", "rot13", "hex", "idna", "unicode_escape", "", "cp9999"]
)
def test_what_is_no_encoding_of_a_text_has_no_name(name: str) -> None:
    assert canonical(name) is None


@given(st.binary(max_size=40), st.sampled_from(["", "utf-16le", "utf-32", "gbk", "shift_jis", "iso-2022-jp", "big5", "cp273"]))
def test_any_bytes_give_a_text_that_fits_or_are_refused(data: bytes, declared: str) -> None:
    try:
        content = read(data, declared)
    except Refused:
        return
    assert content.text == profile.normalise(content.text)
    assert content.text.encode().decode() == content.text  # no lone surrogates
    assert "".join(text for _, text in content.pieces()) == content.text


@pytest.mark.parametrize(
    ("text", "pieces", "pages"),
    [
        ("a\fb", ["a", "\fb"], ["a", "\fb"]),
        ("a\n\fb\n\nc", ["a\n", "\fb\n\n", "c"], ["a\n", "\fb\n\nc"]),
        ("a\n\n\fb", ["a\n\n", "\fb"], ["a\n\n", "\fb"]),
        ("a\f\fb", ["a", "\f", "\fb"], ["a", "\f", "\fb"]),
        ("a\n\f\n", ["a\n", "\f\n"], []),
        ("\fa", ["\fa"], []),
        ("\f", ["\f"], []),
    ],
)
def test_a_form_feed_begins_a_paragraph_and_a_page(text: str, pieces: list[str], pages: list[str]) -> None:
    content = read(text.encode())
    assert [piece for _, piece in content.pieces()] == pieces
    assert [text[page.start : page.end] for page in content.pages] == pages
    assert [page.label for page in content.pages] == [str(number) for number in range(1, len(pages) + 1)]


def test_the_largest_text_is_read_and_one_byte_more_is_refused() -> None:
    assert len(extract(TEXT, b"x" * MAX_TEXT_BYTES).text) == MAX_TEXT_BYTES
    with pytest.raises(Refused, match="20000001 bytes, at most 20000000") as refusal:
        extract(TEXT, b"x" * (MAX_TEXT_BYTES + 1))
    assert refusal.value.code == "text_too_large"


def test_a_text_of_too_many_paragraphs_is_refused() -> None:
    assert len(extract(TEXT, b"\n\n" * (MAX_PASSAGES - 1)).passages) == MAX_PASSAGES
    with pytest.raises(Refused, match="has 250001 paragraphs"):
        extract(TEXT, b"\n\n" * MAX_PASSAGES)


def test_text_that_grows_beyond_the_limit_is_refused() -> None:
    grows = "\u0958".encode() * (MAX_TEXT_BYTES // 3)  # NFC writes this letter with two code points
    with pytest.raises(Refused, match="larger than one document may be"):
        extract(TEXT, grows)


# Damaged on purpose, "keep the rest" in their list: refused here, because what is left out or replaced may be what matters.
REFUSED = {"text/ungueltige_utf8_bytes.txt": "text_not_encoding", "text/nul_bytes.txt": "text_nul"}


@pytest.mark.parametrize("entry", tricky.entries("text"))
def test_tricky_texts_hold_what_their_list_says_or_are_refused(entry: tricky.Entry) -> None:
    if entry["file"] in REFUSED:
        with pytest.raises(Refused) as refusal:
            tricky.read(entry)
        assert refusal.value.code == REFUSED[entry["file"]]
    else:
        tricky.check(entry, tricky.read(entry))
