"""Notes: small print below a page's text, such as footnotes, which is read after the page and not in the middle of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.lines import Lines

_SMALL: Final = 0.92
"""Times the size of the text, at most."""


def find(lines: Lines, body: float) -> Flags:
    """For each line whether it belongs to a note. body: the size of most of the text."""
    small = lines.size <= _SMALL * body
    found = np.zeros(len(small), dtype=bool)
    for first, last in _runs(lines, small):
        stands_below = first > 0 and lines.page[first - 1] == lines.page[first] and lines.top[first - 1] < lines.top[first]
        if stands_below and _ends_column(lines, last) and (lines.noted[first] or _interrupts(lines, first, last)):
            found[first:last] = True
    return found


def _runs(lines: Lines, small: Flags) -> Sequence[tuple[int, int]]:
    """Small lines that follow one another in a column, as ranges."""
    begins = (np.diff(lines.page, prepend=-1) != 0) | (np.diff(lines.top, prepend=0.0) < 0)
    begins |= np.diff(small, prepend=False)
    borders = [*np.flatnonzero(begins).tolist(), len(begins)]
    return [(first, last) for first, last in pairwise(borders) if small[first]]


def _ends_column(lines: Lines, last: int) -> bool:
    return last == len(lines.page) or lines.page[last] != lines.page[last - 1] or bool(lines.top[last] < lines.top[last - 1])


def _interrupts(lines: Lines, first: int, last: int) -> bool:
    """Whether the line before goes on with the line after."""
    return last < len(lines.page) and not lines.ended[first - 1] and bool(lines.lower[last])
