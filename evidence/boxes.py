"""Boxes: where each code point stands on its page, kept compactly; and the rectangles that cover a range.

A box is left, top, right, bottom in 1/65535 of the page's width and height as the page is looked at, from its top left. A code
point that stands nowhere on the page (a space that the extractor put between two words) has a box of zeros.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FULL: Final = 65_535
"""The page's whole width or height."""
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
    """Boxes in a few bytes each: differences in columns, compressed."""
    columns = np.empty((4, len(boxes)), dtype="<u2")
    columns[0], columns[1] = _differences(boxes[:, 0]), _differences(boxes[:, 1])
    columns[2], columns[3] = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return zlib.compress(columns.tobytes(), 6)


def unpack(packed: bytes, count: int) -> Boxes:
    """The boxes that `pack` was given; none at all for no bytes. Raises ValueError when there are not `count` of them."""
    if not packed:
        return np.zeros((count, 4), dtype=np.uint16)
    inflater = zlib.decompressobj()
    columns = np.frombuffer(inflater.decompress(packed, count * 8 + 1), dtype="<u2").reshape(4, count)
    boxes = np.empty((count, 4), dtype=np.uint16)
    boxes[:, 0], boxes[:, 1] = np.cumsum(columns[0], dtype=np.uint16), np.cumsum(columns[1], dtype=np.uint16)
    boxes[:, 2], boxes[:, 3] = boxes[:, 0] + columns[2], boxes[:, 1] + columns[3]
    return boxes


def rectangles(boxes: Boxes, start: int, end: int) -> Sequence[Rectangle]:
    """Rectangles over the code points from start to end of the page, one for each line or less of a line, in reading order.

    Boxes are put together as long as nothing else gets inside; what stands on the same spot as something else can't be parted.
    """
    numbers = start + np.flatnonzero(_has_place(boxes[start:end]))
    others = np.ones(len(boxes), dtype=bool)
    others[start:end] = False
    foreign = _centres(boxes)[others & _has_place(boxes)]
    found: list[Rectangle] = []
    for line in _lines(boxes[numbers]):
        found.extend(_covering(line, foreign))
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


def _differences(column: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    return np.diff(column, prepend=np.uint16(0))  # wraps around, as the sum does on the way back


def _has_place(boxes: Boxes) -> npt.NDArray[np.bool_]:
    return np.asarray(boxes.any(axis=1))


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


def _covering(line: Boxes, foreign: npt.NDArray[np.float64]) -> Sequence[Rectangle]:
    """One rectangle over the line if nothing foreign gets inside, else halves of it, down to single boxes."""
    area = Rectangle(*(int(edge) for edge in (*line[:, :2].min(axis=0), *line[:, 2:].max(axis=0))))
    if len(line) == 1 or not _contains(area, foreign).any():
        return (area,)
    middle = len(line) // 2
    return (*_covering(line[:middle], foreign), *_covering(line[middle:], foreign))
