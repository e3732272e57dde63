"""Runs: which text object draws which characters, and what that says of their look.

An object's characters follow one another, so that the objects of a line's first and last character tell those between when
they are the same; when not, halving finds where they change. Only in lines with right-to-left writing, which pdfium turns around
piece by piece, every character is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf import calls
from evidence.formats.pdf.calls import Addresses, Handle, Numbers

MAX_SIZE: Final = 10_000.0
"""Points; what claims to be larger is taken to be this large: sizes are counted."""
_NONE: Final = np.uint64(0)
_BLACK: Final = np.array([0, 0, 0, 255], dtype=np.uint32)
_STROKED: Final = 2
"""Render mode of letters that are filled and outlined: bold for want of a bold font."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Characters that are drawn alike; one entry per run, and a last one for what is not drawn at all.

    of: the run of each character that was given. angle: degrees on the page, clockwise (0: left to right). size: of the font, in
    points. colour: red, green, blue, alpha of the letters' inside.
    """

    of: Numbers
    object: Addresses
    font: Addresses
    size: npt.NDArray[np.float64]
    angle: npt.NDArray[np.float64]
    colour: npt.NDArray[np.int64]
    mode: Numbers

    @property
    def outlined(self) -> npt.NDArray[np.bool_]:
        """Filled and outlined letters."""
        return np.asarray(self.mode == _STROKED)


def found(texts: Sequence[Handle], pages: Numbers, characters: Numbers, alone: npt.NDArray[np.bool_]) -> Runs:
    """The runs of characters that are drawn.

    texts: the pages' text. pages: for each character the number of its page among them. characters: its number on that page.
    alone: where a line begins; every one of a line that has to be asked for one by one.
    """
    objects = _objects(texts, pages, characters, alone)
    change = np.ones(len(objects), dtype=bool)
    change[1:] = (objects[1:] != objects[:-1]) | (pages[1:] != pages[:-1])
    start = np.flatnonzero(change)
    of, at = [texts[page] for page in pages[start].tolist()], characters[start]
    matrix = np.nan_to_num(calls.matrices(of, at).astype(np.float64))
    size = np.abs(calls.font_sizes(of, at) * np.hypot(matrix[:, 2], matrix[:, 3]))
    fonts, modes = calls.fonts_and_modes(objects[start])
    return Runs(
        of=np.cumsum(change) - 1,
        object=np.append(objects[start], _NONE),
        font=np.append(fonts, _NONE),
        size=np.append(np.clip(np.nan_to_num(size), 0, MAX_SIZE), 0.0),
        angle=np.append(-np.degrees(np.arctan2(matrix[:, 1], matrix[:, 0])), 0.0),
        colour=np.append(calls.fill_colours(of, at), [_BLACK], axis=0).astype(np.int64),
        mode=np.append(modes, 0),
    )


def _objects(texts: Sequence[Handle], pages: Numbers, characters: Numbers, alone: npt.NDArray[np.bool_]) -> Addresses:
    """The object of each character."""
    count = len(characters)
    objects, known = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=bool)

    def ask(numbers: npt.NDArray[Any]) -> None:
        of = map(texts.__getitem__, pages[numbers].tolist())
        objects[numbers] = calls.text_objects(of, characters[numbers])
        known[numbers] = True

    low = np.flatnonzero(alone)
    high = np.append(low, count)[1:] - 1
    ask(low)
    ask(high[high > low])
    while len(low):
        differ = (objects[low] != objects[high]) & (high - low > 1)
        low, high = low[differ], high[differ]
        middle = (low + high) // 2
        ask(middle)
        low, high = np.concatenate((low, middle)), np.concatenate((middle, high))
    return objects[np.maximum.accumulate(np.where(known, np.arange(count), 0))]
