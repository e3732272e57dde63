"""Content: ranges that fit their text, and a round trip through JSON."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.content import Content, Note, Page, Passage, PassageKind, Span, SpanKind
from evidence.errors import Refused

TEXT = "Fristen\n\nName\tDauer\nKlage\tdrei 🗓️ Wochen"
PASSAGES = (
    Passage(PassageKind.HEADING, 0, 7, level=1),
    Passage(PassageKind.TABLE_ROW, 9, 19, headings=(0,)),
    Passage(PassageKind.TABLE_ROW, 20, 40, headings=(0,), columns=1),
)
SPANS = (Span(SpanKind.CELL, 20, 25), Span(SpanKind.CELL, 26, 40), Span(SpanKind.LINK, 26, 30, "https://example.org/"))
CONTENT = Content(
    TEXT, PASSAGES, SPANS, (Page("i", 0, 19, 595.3, 841.9, b"\x00\xff"), Page("ii", 19, 40)), "Fristen", (Note.ATTACHMENTS,)
)


def test_json_gives_an_equal_content() -> None:
    assert Content.from_json(CONTENT.to_json()) == CONTENT


def test_pieces_put_together_are_the_text() -> None:
    assert [text for _, text in CONTENT.pieces()] == ["Fristen\n\n", "Name\tDauer\n", "Klage\tdrei 🗓️ Wochen"]


def test_an_empty_content_has_no_pieces() -> None:
    assert list(Content("", ()).pieces()) == []


def _paragraphs(*ranges: tuple[int, int]) -> tuple[Passage, ...]:
    return tuple(Passage(PassageKind.PARAGRAPH, start, end) for start, end in ranges)


def test_empty_passages_keep_their_numbers() -> None:
    content = Content("a\n\n\n\nb", _paragraphs((0, 1), (3, 3), (5, 6)))
    assert [text for _, text in content.pieces()] == ["a\n\n", "\n\n", "b"]


@pytest.mark.parametrize(
    "parts",
    [
        {"text": "ab", "passages": _paragraphs((0, 3))},
        {"text": "ab", "passages": _paragraphs((0, 1))},
        {"text": "ab", "passages": _paragraphs((1, 2))},
        {"text": "\nab", "passages": _paragraphs((1, 3))},
        {"text": "ab", "passages": _paragraphs((0, 2), (1, 2))},
        {"text": "a b", "passages": _paragraphs((0, 1), (2, 3))},
        {"text": "ab", "passages": ()},
        {"text": "a\nb", "passages": _paragraphs((0, 1), (2, 3)), "spans": (Span(SpanKind.STRONG, 0, 3),)},
        {"text": "ab", "passages": _paragraphs((0, 2)), "spans": (Span(SpanKind.STRONG, 2, 1),)},
        {"text": "ab", "passages": _paragraphs((0, 2)), "spans": (Span(SpanKind.STRONG, 1, 3),)},
        {"text": "ab", "passages": _paragraphs((0, 2)), "pages": (Page("1", 1, 3),)},
        {"text": "ab", "passages": _paragraphs((0, 2)), "pages": (Page("1", 0, 2), Page("2", 1, 2))},
    ],
)
def test_a_range_out_of_place_is_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refusal:
        Content(**parts)
    assert refusal.value.code == "content_range"
