"""Boxes: a round trip, and rectangles that hold exactly the range that they were made for."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from evidence import boxes
from evidence.boxes import Boxes


def page(*lines: str, columns: int = 1) -> Boxes:
    """A page with these lines of text, each code point 100 wide and 200 high; a blank stands nowhere."""
    found = []
    for number, line in enumerate(lines):
        column, row = divmod(number, -(-len(lines) // columns))
        for place, character in enumerate(line):
            left, top = column * 30_000 + place * 100, row * 300
            found.append((left, top, left + 100, top + 200) if character != " " else (0, 0, 0, 0))
    return np.array(found, dtype=np.uint16)


def test_packed_boxes_come_back() -> None:
    some = np.array([[60_000, 1, 65_535, 2], [0, 0, 0, 0], [5, 60_000, 9, 60_001]], dtype=np.uint16)
    assert (boxes.unpack(boxes.pack(some), 3) == some).all()


@pytest.mark.parametrize("grid", [1, boxes.GRID])
def test_packed_parts_come_back_one_by_one(grid: int) -> None:
    some = np.random.default_rng(1).integers(0, 65_536 // grid, (500, 4), dtype=np.uint16) * np.uint16(grid)
    some[::7] = 0
    bounds = [0, 1, 1, 300, 499, 500]
    for start, end, part in zip(bounds[:-1], bounds[1:], boxes.packed(some, bounds), strict=True):
        assert (boxes.unpack(part, end - start) == some[start:end]).all()


def test_a_letter_in_a_line_takes_less_than_two_bytes() -> None:
    line = page("Wort" * 50)
    line[:, 0::2] = line[:, 0::2] // boxes.GRID * boxes.GRID
    assert len(boxes.pack(line)) < 2 * len(line)


def test_another_number_of_boxes_is_an_error() -> None:
    with pytest.raises(ValueError):
        boxes.unpack(boxes.pack(page("abc")), 2)


def test_no_bytes_are_boxes_without_a_place() -> None:
    assert not boxes.unpack(b"", 2).any()


def test_a_range_over_three_lines_has_three_rectangles() -> None:
    assert len(boxes.rectangles(page("erste Zeile", "zweite", "dritte"), 6, 20)) == 3


def test_a_rectangle_covers_the_blanks_between_words() -> None:
    (one,) = boxes.rectangles(page("ein Wort"), 0, 8)
    assert (one.left, one.top, one.right, one.bottom) == (0, 0, 800, 200)


def test_vertical_writing_has_one_rectangle_for_a_column() -> None:
    column = np.array([[500, 100 * n, 600, 100 * n + 90] for n in range(5)], dtype=np.uint16)
    assert len(boxes.rectangles(column, 0, 5)) == 1


def test_what_stands_nowhere_has_no_rectangle() -> None:
    assert not boxes.rectangles(page("a b"), 1, 2)


def test_rectangles_of_random_ranges_hold_these_ranges_and_nothing_else() -> None:
    chance = random.Random(1)
    some = page(*(" ".join("Wort" for _ in range(chance.randint(1, 8))) for _ in range(40)), columns=2)
    for _ in range(200):
        start, end = sorted(chance.sample(range(len(some) + 1), 2))
        areas = boxes.rectangles(some, start, end)
        assert list(boxes.inside(some, areas)) == list(boxes.placed(some, start, end))


def test_two_code_points_on_one_spot_are_told_by_reading_back() -> None:
    double = np.concatenate((page("ab"), page("ab")))
    assert list(boxes.inside(double, boxes.rectangles(double, 0, 2))) == [0, 1, 2, 3]


def test_a_heap_of_letters_is_given_up_soon() -> None:
    heap = np.full((200_000, 4), (100, 100, 200, 200), dtype=np.uint16)
    begun = time.process_time()
    with pytest.raises(ValueError, match="too many"):
        boxes.rectangles(heap, 0, 100_000)
    assert time.process_time() - begun < 10


def test_as_many_rectangles_as_are_allowed_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    some = page(*["Wort"] * 5)
    monkeypatch.setattr(boxes, "MAX_RECTANGLES", 5)
    assert len(boxes.rectangles(some, 0, len(some))) == 5
    monkeypatch.setattr(boxes, "MAX_RECTANGLES", 4)
    with pytest.raises(ValueError, match="too many"):
        boxes.rectangles(some, 0, len(some))
