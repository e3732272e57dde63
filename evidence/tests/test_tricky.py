"""The table of tricky files says what holds of them and what does not."""

from collections.abc import Mapping

import pytest

from bench.tricky import outcome
from evidence.content import Content, Note, Page, Passage, PassageKind, Span, SpanKind
from evidence.errors import Refused
from evidence.formats.options import Options

TEXT = "Erster Titel\nDer Miet\u2010\nvertrag  gilt."
CONTENT = Content(
    TEXT,
    (Passage(PassageKind.HEADING, 0, 12, level=1), Passage(PassageKind.PARAGRAPH, 13, len(TEXT))),
    spans=(Span(SpanKind.HYPHENATION, 21, 23),),
    pages=(Page("iv", 0, len(TEXT)),),
    title="Erster Titel",
)


def tried(stated: Mapping[str, object], *, content: Content = CONTENT, expected: str = "ok") -> tuple[bool, int]:
    """Whether it is right, and how many statements hold."""
    entry = {"file": "a.txt", "must_contain": [], **stated}
    found = outcome(entry, b"", lambda *_: content, Options(), expected=expected)
    return found.is_right, found.held


@pytest.mark.parametrize(
    ("stated", "held"),
    [
        ({"must_contain": ["Titel", "gilt"]}, 2),
        ({"normalised": ["vertrag gilt."]}, 1),
        ({"dehyphenated": ["Der Mietvertrag gilt"]}, 1),
        ({"must_not_contain": ["Mietvertrag"]}, 1),
        ({"order": ["Titel", "gilt"]}, 1),
        ({"headings": ["Erster Titel"]}, 1),
        ({"title": "Erster Titel"}, 1),
        ({"pages": 1, "labels": ["iv"]}, 2),
    ],
)
def test_what_holds_is_right(stated: Mapping[str, object], held: int) -> None:
    assert tried(stated) == (True, held)


@pytest.mark.parametrize(
    "stated",
    [
        {"must_contain": ["vertrag gilt."]},
        {"must_contain": ["Mietvertrag"]},
        {"normalised": ["Mietvertrag"]},
        {"dehyphenated": ["Miet vertrag"]},
        {"must_not_contain": ["Titel"]},
        {"order": ["gilt", "Titel"]},
        {"headings": ["Zweiter Titel"]},
        {"headings": ["Der"]},
        {"title": "Titel"},
        {"pages": 2},
        {"labels": ["4"]},
    ],
)
def test_what_does_not_hold_deviates(stated: Mapping[str, object]) -> None:
    assert tried(stated) == (False, 0)


@pytest.mark.parametrize(
    ("notes", "expected", "right"),
    [
        ((), "ok", True),
        ((), "ok_with_warning", False),
        ((Note.ATTACHMENTS,), "ok_with_warning", True),
        ((Note.ATTACHMENTS,), "ok", True),
        ((Note.NO_TEXT,), "ok", False),
        ((Note.NO_TEXT,), "no_text", True),
    ],
)
def test_notes_tell_how_a_file_ended(notes: tuple[Note, ...], expected: str, right: bool) -> None:
    content = Content("a", (Passage(PassageKind.PARAGRAPH, 0, 1),), notes=notes)
    assert tried({}, content=content, expected=expected)[0] is right


@pytest.mark.parametrize(
    ("garbled", "expected", "right"),
    [(10, "garbage_text", True), (5, "garbage_text", True), (4, "garbage_text", False), (4, "ok", True), (10, "ok", False)],
)
def test_letter_soup_is_garbage_when_half_of_the_text_is(garbled: int, expected: str, right: bool) -> None:
    passages = (Passage(PassageKind.PARAGRAPH, 0, 10),)
    content = Content("0LHWUHFKW!", passages, (Span(SpanKind.GARBLED, 0, garbled),), notes=(Note.LETTER_SOUP,))
    assert tried({}, content=content, expected=expected)[0] is right


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("pdf_password", "needs_password"),
        ("pdf_wrong_password", "rejected"),
        ("pdf_damaged", "rejected"),
        ("parser_time", "failed"),
        ("parser_crashed", "failed"),
    ],
)
def test_a_limit_that_was_met_is_a_failure_and_not_a_rejection(code: str, ended: str) -> None:
    def refuse(*_: object) -> Content:
        raise Refused(code, "")

    entry = {"file": "a.txt", "must_contain": ["x"]}
    assert outcome(entry, b"", refuse, Options(), expected="rejected").ended == ended
