"""Plain text files: bytes that are refused, and the split into paragraphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evidence.content import Content, Passage, PassageKind
from evidence.errors import Refused
from evidence.formats import FORMATS, MAX_PASSAGES, MAX_TEXT_BYTES, extract

SAMPLES = Path(__file__).parent / "samples"
TRICKY = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tricky"
TEXT = FORMATS[".txt"]


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


@pytest.mark.parametrize(
    ("data", "code", "offset"),
    [
        ("Kündigung".encode("cp1252"), "text_not_utf8", 1),
        (b"\xef\xbb\xbfab\xff", "text_not_utf8", 5),
        (b"\xed\xa0\xbd", "text_not_utf8", 0),
        ("Frist".encode("utf-16"), "text_not_utf8", 0),
        ("Frist".encode("utf-16-le"), "text_nul", 1),
        ("ü\0".encode(), "text_nul", 2),
    ],
)
def test_other_bytes_are_refused_with_the_place(data: bytes, code: str, offset: int) -> None:
    with pytest.raises(Refused) as refusal:
        extract(TEXT, data)
    assert (refusal.value.code, refusal.value.values["offset"]) == (code, offset)
    assert "UTF-8" in str(refusal.value)


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


# Files that do not say in which encoding they are, or hold zero bytes: refused, because a guess could change words.
REFUSED = {
    "utf16le_bom.txt": "text_not_utf8",
    "iso8859_1.txt": "text_not_utf8",
    "windows1252_typografie.txt": "text_not_utf8",
    "macroman_cr.txt": "text_not_utf8",
    "ungueltige_utf8_bytes.txt": "text_not_utf8",
    "csv_mit_txt_endung.txt": "text_not_utf8",
    "nul_bytes.txt": "text_nul",
}


@pytest.mark.skipif(not TRICKY.exists(), reason="the shared tricky files are not here")
def test_tricky_texts_hold_what_their_list_says_or_are_refused() -> None:
    for entry in json.loads((TRICKY / "manifest.json").read_text("utf-8")):
        if entry["kind"] != "text":
            continue
        path = TRICKY / entry["file"]
        if path.name in REFUSED:
            with pytest.raises(Refused) as refusal:
                extract(TEXT, path.read_bytes())
            assert refusal.value.code == REFUSED[path.name]
            continue
        text = extract(TEXT, path.read_bytes()).text
        spaced = " ".join(text.split())
        assert all(words in text for words in entry["must_contain"])
        assert all(words in spaced for words in entry.get("normalised", []))
        assert not any(words in text for words in entry.get("must_not_contain", []))
