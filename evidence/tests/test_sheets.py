"""Sheets: rectangles over a marked range are given only when reading them back gives exactly that range and its words."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from evidence import boxes, sheets
from evidence.models import Page, Representation
from evidence.sheets import Mark, Panel
from evidence.tests import papers
from evidence.tests.papers import paper, places

PAGES = ["Erste Seite.\n\nDieser Absatz beginnt hier\nund geht", "auf der zweiten Seite weiter.\n\nEnde.", "Dritte Seite."]
TEXT = "\n".join(PAGES)


@pytest.fixture
def state(tmp_path: Path, db: None) -> Representation:
    found = paper(tmp_path, PAGES, labels=["i", "ii", "3"]).current
    assert found is not None
    return found


def mark(words: str) -> Mark:
    start = TEXT.index(words)
    return Mark(start, start + len(words), words)


def panel(state: Representation, words: str = "", number: int | None = None) -> Panel:
    found = sheets.panel(state, sheets.of(state), number=number, mark=mark(words) if words else None)
    assert found is not None
    return found


def page(text: str, start: int = 0) -> Page:
    return Page(number=1, start=start, end=start + len(text), width=1, height=1)


def test_each_line_of_the_mark_has_its_rectangle(state: Representation) -> None:
    (sheet,) = panel(state, "Absatz beginnt hier\nund").sheets
    first, second = sheet.rectangles
    assert (sheet.number, sheet.uncertain) == (1, False)
    assert first.bottom <= second.top and first.left > second.left


def test_a_mark_over_a_pages_end_is_shown_on_both_pages(state: Representation) -> None:
    found = panel(state, "und geht\nauf der zweiten")
    assert [(one.number, len(one.rectangles), one.uncertain) for one in found.sheets] == [(1, 1, False), (2, 1, False)]
    assert (found.earlier, found.later, found.total) == (None, 3, 3)


def test_without_a_mark_the_first_page_is_shown(state: Representation) -> None:
    assert [(one.number, one.label, list(one.rectangles)) for one in panel(state).sheets] == [(1, "i", [])]


def test_a_label_that_is_the_number_is_not_told_twice(state: Representation) -> None:
    assert panel(state, number=3).sheets[0].label == ""


@pytest.mark.parametrize(("number", "earlier", "later"), [(1, None, 2), (2, 1, 3), (3, 2, None)])
def test_one_can_turn_to_the_pages_beside(state: Representation, number: int, earlier: int | None, later: int | None) -> None:
    found = panel(state, number=number)
    assert (found.earlier, found.later) == (earlier, later)


def test_a_long_mark_shows_some_pages_and_says_that_it_goes_on(tmp_path: Path, db: None) -> None:
    state = paper(tmp_path, [f"Zeile {number}" for number in range(6)]).current
    assert state is not None
    whole = Mark(0, state.length, sheets.words(state, 0, state.length))
    found = sheets.panel(state, sheets.of(state), mark=whole)
    assert found is not None
    assert (len(found.sheets), found.continues, found.later) == (sheets.MAX_AT_ONCE, True, 4)


def test_a_page_that_is_none_has_no_panel(state: Representation) -> None:
    assert sheets.panel(state, sheets.of(state), number=4) is None


def test_a_text_without_sizes_of_pages_has_no_panel(state: Representation) -> None:
    Page.objects.update(width=0)
    assert sheets.panel(state, sheets.of(state)) is None


def test_the_words_of_any_range_are_those_of_the_text(state: Representation) -> None:
    chance = random.Random(4)
    for _ in range(50):
        start, end = sorted(chance.sample(range(len(TEXT) + 1), 2))
        assert sheets.words(state, start, end) == TEXT[start:end]


def test_a_panel_costs_the_pages_the_boxes_and_the_words(state: Representation, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(3):  # type: ignore[operator]
        panel(state, "Erste Seite.")
    with django_assert_num_queries(1):  # type: ignore[operator]
        panel(state, number=2)


def test_random_ranges_of_a_page_are_proved() -> None:
    text, chance = PAGES[0], random.Random(5)
    packed = boxes.pack(places(text)[: len(text)])
    for _ in range(200):
        start, end = sorted(chance.sample(range(len(text) + 1), 2))
        assert sheets.proved(packed, page(text), text, Mark(start, end, text[start:end])) is not None


def test_other_words_than_the_quote_are_not_marked() -> None:
    packed = boxes.pack(places("Frist 30 Tage")[:13])
    assert sheets.proved(packed, page("Frist 30 Tage"), "Frist 30 Tage", Mark(6, 8, "80")) is None


def test_a_character_that_stands_nowhere_makes_the_place_uncertain() -> None:
    found = places("acht Tage")[:9]
    found[2] = 0
    assert sheets.proved(boxes.pack(found), page("acht Tage"), "acht Tage", Mark(0, 4, "acht")) is None
    assert sheets.proved(boxes.pack(found), page("acht Tage"), "acht Tage", Mark(5, 9, "Tage")) is not None


def test_what_stands_on_the_same_spot_makes_the_place_uncertain() -> None:
    twice = np.concatenate((places("acht")[:4], places("neun")[:4]))
    assert sheets.proved(boxes.pack(twice), page("achtneun"), "achtneun", Mark(0, 4, "acht")) is None


def test_a_heap_of_letters_makes_the_place_uncertain() -> None:
    heap, text = np.repeat(places("a")[:1], 4_000, axis=0), "ab" * 2_000
    assert sheets.proved(boxes.pack(heap), page(text), text, Mark(0, 2_000, text[:2_000])) is None


@pytest.mark.parametrize("packed", [b"", b"nonsense", boxes.pack(places("ab")[:2])])
def test_boxes_that_do_not_fit_the_page_mark_nothing(packed: bytes) -> None:
    assert sheets.proved(packed, page("acht"), "acht", Mark(0, 4, "acht")) is None


def test_the_papers_say_where_their_characters_are() -> None:
    assert papers.pdf(PAGES).startswith(b"%PDF-")
