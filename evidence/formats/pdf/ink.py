"""Ink: the glyphs of several pages that are no blanks, with their places as they are read.

What is written downwards, upwards or upside down is turned until it runs from left to right; and a page, if most of it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf.glyphs import Codes, Glyphs, Places

BLANK: Final = 0x20
NO_BREAK: Final = 0xA0
_LEVEL: Final = 3
"""Degrees that a line may slope, as on a scan that lay a little crooked."""
_FARTHEST: Final = 100_000.0
"""Points: more than any page measures."""
_DOWNWARDS, _UPSIDE_DOWN, _UPWARDS = 90, 180, 270
DIRECTIONS: Final = (0, _DOWNWARDS, _UPSIDE_DOWN, _UPWARDS)

Numbers = npt.NDArray[np.int64]
Measures = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ink:
    """Every glyph that is no blank: `at` is its number in the batch, `pages` where each page's glyphs begin among them.

    Places are meant as the glyph is read, from left to right, whatever direction it is written in; only what is written aslant
    keeps the places that it has on the page. angle: None where everything is written from left to right.
    """

    at: Numbers
    left: Measures
    top: Measures
    right: Measures
    bottom: Measures
    size: Measures
    pages: Numbers
    angle: Numbers | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is left of a page when its glyphs have become pieces. drawn: as in Glyphs.

    A page on which most is written downwards, upwards or upside down is turned until it can be read; all places are meant so.
    """

    width: float
    height: float
    drawn: Places


def read(pages: Sequence[Glyphs], codes: Codes) -> Ink:
    """The ink of these pages. codes: of all their glyphs."""
    at = np.flatnonzero((codes > BLANK) & (codes != NO_BREAK))
    boxes = np.concatenate([np.zeros((0, 4)), *[page.boxes for page in pages]], dtype=np.float32, casting="same_kind")[at]
    boxes = _measured(boxes, -_FARTHEST)
    ends = np.cumsum([len(page.codes) for page in pages], dtype=np.int64)
    begins = np.searchsorted(at, np.concatenate(([0], ends[:-1]))) if len(ends) else ends
    angles = column(pages, "angle", np.int16)
    angle = _straight(angles[at].astype(np.int64) % 360) if angles.any() else None
    if angle is not None:
        numbers = np.searchsorted(begins, np.arange(len(at)), side="right") - 1
        for direction in DIRECTIONS[1:]:
            turned = np.flatnonzero(angle == direction)
            sizes = np.array([(page.width, page.height) for page in pages], dtype=np.float32)[numbers[turned]]
            boxes[turned] = _turned(boxes[turned], direction, sizes[:, 0], sizes[:, 1])
    left, top, right, bottom = np.ascontiguousarray(boxes.T)
    return Ink(at, left, top, right, bottom, _measured(column(pages, "size", np.float32)[at], 0.0), begins, angle)


def _measured(values: Measures, least: float) -> Measures:
    """Numbers that can be counted with: a broken file holds any."""
    clipped = np.clip(values, least, _FARTHEST)
    return clipped if np.isfinite(clipped.sum()) else np.nan_to_num(clipped)


def _straight(angle: Numbers) -> Numbers:
    """Angles, with those that are nearly one of the four directions made so."""
    nearest = np.round(angle / 90).astype(np.int64) * 90
    return np.where(np.abs(angle - nearest) <= _LEVEL, nearest % 360, angle)


def _turned(boxes: npt.NDArray[Any], direction: int, width: Any, height: Any) -> npt.NDArray[Any]:
    """Boxes as they are seen when the page is turned so that what is written in this direction runs from left to right."""
    left, top, right, bottom = boxes.T
    if direction == _DOWNWARDS:
        turned = (top, width - right, bottom, width - left)
    elif direction == _UPWARDS:
        turned = (height - bottom, left, height - top, right)
    else:
        turned = (width - right, height - bottom, width - left, height - top)
    return np.stack(turned, axis=1)


def main_angles(ink: Ink, count: int) -> Numbers:
    """For each page the direction in which most of it is written; the usual one where it is none of the four."""
    main = np.zeros(count, dtype=np.int64)
    if ink.angle is not None:
        for number, own in enumerate(np.split(ink.angle, ink.pages[1:])):
            if own.any():
                angles, counts = np.unique(own, return_counts=True)
                main[number] = angles[counts.argmax()]
        main[~np.isin(main, DIRECTIONS)] = 0
    return main


def sheet(page: Glyphs, angle: int) -> Sheet:
    """angle: in which most of the page is written."""
    if not angle:
        return Sheet(page.width, page.height, page.drawn)
    drawn = _turned(page.drawn, angle, page.width, page.height)
    width, height = (page.width, page.height) if angle == _UPSIDE_DOWN else (page.height, page.width)
    return Sheet(width, height, drawn)


def column(pages: Sequence[Glyphs], name: str, kind: type[np.generic]) -> npt.NDArray[Any]:
    """One array of all pages, one after the other."""
    return np.concatenate([np.zeros(0, kind), *[getattr(page, name) for page in pages]])
