"""Boxes: where each code point stands on its page, kept compactly; and the rectangles that cover a range.

A box is left, top, right, bottom in 1/65535 of the page's width and height as the page is looked at, from its top left. A code
point that stands nowhere on the page (a space that the extractor put between two words) has a box of zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FULL: Final = 65_535
"""The page's whole width or height."""
GRID: Final = 8
"""Boxes whose left and right are multiples of this (a fortieth of a millimetre on A4) take up less room."""
_LONG: Final = 255
_BACK: Final = np.uint16(512)
"""Letters may begin so far before the end of the one before, and still take up one byte."""
MAX_RECTANGLES: Final = 500
"""On one page: real pages need at most some two hundred. Letters heaped up on one spot would take minutes."""
_SAME_LINE: Final = 0.5
"""Share of the smaller height that two boxes have in common when they stand on one line."""

Boxes = npt.NDArray[np.uint16]
"""Shape (code points, 4)."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Left, top, right, bottom in 1/65535 of the page's width and height."""

    left: int
    top: int
    right: int
    bottom: int


def pack(boxes: Boxes) -> bytes:
    """Boxes in one or two bytes each."""
    return next(packed(boxes, (0, len(boxes))))


def packed(boxes: Boxes, bounds: Sequence[int]) -> Iterator[bytes]:
    """What `pack` makes of each part of some boxes: from one of the bounds to the next.

    Most boxes begin where the one before ends, on its line: only their widths are kept, and what differs from that. Compressing
    this any further would save a fifth, and take as long as all the rest.
    """
    has_place = _has_place(boxes)
    at = np.concatenate(([0], np.cumsum(has_place)))[np.asarray(bounds)]
    gap, top, width, height = _steps(boxes[has_place], at)
    moved, turned = gap != 0, (top | height) != 0
    moves, turns = (np.concatenate(([0], np.cumsum(flags)))[at].tolist() for flags in (moved, turned))
    gaps, widths = _Short.of(gap[moved] + _BACK, moves), _Short.of(width, at.tolist())
    lines = np.stack((top[turned], height[turned]), axis=1).astype("<u2")
    ends = at.tolist()
    for part in range(len(bounds) - 1):
        start, end = ends[part], ends[part + 1]
        yield b"".join(
            (
                np.packbits(has_place[bounds[part] : bounds[part + 1]]).tobytes(),
                np.packbits(moved[start:end]).tobytes(),
                np.packbits(turned[start:end]).tobytes(),
                *gaps.part(part),
                lines[turns[part] : turns[part + 1]].tobytes(),
                *widths.part(part),
            )
        )


def unpack(packed: bytes, count: int) -> Boxes:
    """The boxes that `pack` was given; none at all for no bytes. Raises ValueError when there are not `count` of them."""
    boxes = np.zeros((count, 4), dtype=np.uint16)
    if not packed:
        return boxes
    rest = _Rest(packed)
    has_place = rest.flags(count)
    places = int(has_place.sum())
    moved, turned = rest.flags(places), rest.flags(places)
    gap, top, height = np.zeros((3, places), dtype=np.uint16)
    gap[moved] = rest.short(int(moved.sum())) - _BACK
    top[turned], height[turned] = rest.numbers(2 * int(turned.sum())).reshape(-1, 2).T
    width = rest.short(places)
    rest.end()
    right = np.cumsum(gap + width, dtype=np.uint16)
    top = np.cumsum(top, dtype=np.uint16)
    boxes[has_place] = np.stack((right - width, top, right, top + np.cumsum(height, dtype=np.uint16)), axis=1)
    return boxes


def rectangles(boxes: Boxes, start: int, end: int) -> Sequence[Rectangle]:
    """Rectangles over the code points from start to end of the page, one for each line or less of a line, in reading order.

    Boxes are put together as long as nothing else gets inside; what stands on the same spot as something else can't be parted.
    Raises ValueError when that takes more than MAX_RECTANGLES.
    """
    numbers = start + np.flatnonzero(_has_place(boxes[start:end]))
    others = np.ones(len(boxes), dtype=bool)
    others[start:end] = False
    foreign = _centres(boxes)[others & _has_place(boxes)]
    found: list[Rectangle] = []
    for line in _lines(boxes[numbers]):
        for area in _covering(line, foreign):
            if len(found) == MAX_RECTANGLES:
                raise ValueError("These are too many rectangles.")
            found.append(area)
    return found


def inside(boxes: Boxes, areas: Sequence[Rectangle]) -> npt.NDArray[np.intp]:
    """The code points (numbers on the page, ascending) whose centres stand inside any of these rectangles."""
    centres = _centres(boxes)
    within = np.zeros(len(boxes), dtype=bool)
    for area in areas:
        within |= _contains(area, centres)
    return np.flatnonzero(within & _has_place(boxes))


def placed(boxes: Boxes, start: int, end: int) -> npt.NDArray[np.intp]:
    """The code points from start to end (numbers on the page) that stand somewhere on it."""
    return start + np.flatnonzero(_has_place(boxes[start:end]))


@dataclass(frozen=True, slots=True)
class _Short:
    """Numbers in one byte each: how many steps of the grid they are, or _LONG for one that is written out behind the others."""

    short: npt.NDArray[np.uint8]
    long: npt.NDArray[np.uint16]
    bounds: Sequence[int]
    long_bounds: Sequence[int]

    @classmethod
    def of(cls, numbers: npt.NDArray[np.uint16], bounds: Sequence[int]) -> _Short:
        """Numbers with where each of their parts begins and the last one ends."""
        steps, rest = np.divmod(numbers, np.uint16(GRID))
        is_long = (steps >= _LONG) | (rest > 0)
        short = np.where(is_long, np.uint16(_LONG), steps).astype(np.uint8)
        long_bounds = np.concatenate(([0], np.cumsum(is_long)))[np.asarray(bounds)].tolist()
        return cls(short, numbers[is_long].astype("<u2"), bounds, long_bounds)

    def part(self, number: int) -> tuple[bytes, bytes]:
        """One of the parts."""
        short = self.short[self.bounds[number] : self.bounds[number + 1]]
        return short.tobytes(), self.long[self.long_bounds[number] : self.long_bounds[number + 1]].tobytes()


class _Rest:
    """What has not been read yet of some bytes. Raises ValueError when there is too little or too much."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._start = 0

    def bytes(self, count: int) -> npt.NDArray[np.uint8]:
        found = np.frombuffer(self._data, np.uint8, count, self._start) if count else np.zeros(0, np.uint8)
        self._start += count
        return found

    def flags(self, count: int) -> npt.NDArray[np.bool_]:
        return np.unpackbits(self.bytes((count + 7) // 8), count=count).astype(bool)

    def numbers(self, count: int) -> npt.NDArray[np.uint16]:
        return self.bytes(2 * count).view("<u2")

    def short(self, count: int) -> npt.NDArray[np.uint16]:
        short = self.bytes(count)
        found, is_long = short * np.uint16(GRID), short == _LONG
        found[is_long] = self.numbers(int(is_long.sum()))
        return found

    def end(self) -> None:
        if self._start != len(self._data):
            raise ValueError("These are not as many boxes.")


def _steps(boxes: Boxes, starts: npt.NDArray[np.intp]) -> tuple[Boxes, Boxes, Boxes, Boxes]:
    """From the end of each box before to its left, from its top and height to the own, and the widths; parts begin at starts."""
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    starts = starts[starts < len(boxes)]
    columns = []
    for own, before in ((boxes[:, 0], boxes[:, 2]), (boxes[:, 1], boxes[:, 1]), (height, height)):
        step = own.copy()
        step[1:] -= before[:-1]  # wraps around, as the sum does on the way back
        step[starts] = own[starts]
        columns.append(step)
    return columns[0], columns[1], width.astype("<u2"), columns[2]


def _has_place(boxes: Boxes) -> npt.NDArray[np.bool_]:
    return np.asarray(np.ascontiguousarray(boxes).view(np.uint64).ravel() != 0)


def _centres(boxes: Boxes) -> npt.NDArray[np.float64]:
    wide = boxes.astype(np.float64)
    return np.stack(((wide[:, 0] + wide[:, 2]) / 2, (wide[:, 1] + wide[:, 3]) / 2), axis=1)


def _contains(area: Rectangle, centres: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    x, y = centres[:, 0], centres[:, 1]
    return np.asarray((area.left <= x) & (x <= area.right) & (area.top <= y) & (y <= area.bottom))


def _lines(boxes: Boxes) -> Sequence[Boxes]:
    """Boxes that follow one another, cut where the next one no longer stands beside (or, in vertical writing, below) the last."""
    if not len(boxes):
        return ()
    wide = boxes.astype(np.int64)
    beside = _overlap(wide, 1, 3)
    below = _overlap(wide, 0, 2)
    upright = beside >= _SAME_LINE
    # a run of vertical writing: the next box is not beside but straight below or above, and so was the one before or after it
    vertical = ~upright & (below >= _SAME_LINE) & (np.abs(np.diff(wide[:, 1])) <= 2 * np.maximum(wide[:-1, 3] - wide[:-1, 1], 1))
    run = vertical & (np.append(vertical[1:], False) | np.append(False, vertical[:-1]))
    cuts = np.flatnonzero(~(upright | run)) + 1
    return np.split(boxes, cuts)


def _overlap(wide: npt.NDArray[np.int64], low: int, high: int) -> npt.NDArray[np.float64]:
    """How much of the smaller one's extent each box and the next have in common."""
    common = np.minimum(wide[:-1, high], wide[1:, high]) - np.maximum(wide[:-1, low], wide[1:, low])
    smaller = np.minimum(wide[:-1, high] - wide[:-1, low], wide[1:, high] - wide[1:, low])
    return np.asarray(common / np.maximum(smaller, 1))


def _covering(line: Boxes, foreign: npt.NDArray[np.float64]) -> Iterator[Rectangle]:
    """One rectangle over the line if nothing foreign gets inside, else halves of it, down to single boxes."""
    area = Rectangle(*(int(edge) for edge in (*line[:, :2].min(axis=0), *line[:, 2:].max(axis=0))))
    within = foreign[_contains(area, foreign)]
    if len(line) == 1 or not len(within):
        yield area
        return
    middle = len(line) // 2
    yield from _covering(line[:middle], within)
    yield from _covering(line[middle:], within)
