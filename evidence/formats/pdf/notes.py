"""Notes: small print below a page's text, such as footnotes, which is read after the page and not in the middle of a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.lines import Lines

_NUMBER: Final = re.compile(r"\(?[0-9]{1,3}[).]? ?(?=[^\W\d_]|[„“\"(])|[*†‡]+ ?(?=\S)")
"""What a footnote begins with."""
_SMALL: Final = 0.92
"""Times the size of the text, at most."""


def find(lines: Lines, text: str, body: float) -> Flags:
    """For each line whether it belongs to a note. text: of all pieces; body: the size of most of it."""
    small = lines.size <= _SMALL * body
    found = np.zeros(len(small), dtype=bool)
    for first, last in _runs(lines, small):
        stands_below = first > 0 and lines.page[first - 1] == lines.page[first] and lines.top[first - 1] < lines.top[first]
        if stands_below and _ends_column(lines, last) and (_is_numbered(lines, first, text) or _interrupts(lines, first, last)):
            found[first:last] = True
    return found


def begins(lines: Lines, text: str) -> Flags:
    """For each line of notes whether a note begins with it: with a sign, or with the number after the one before."""
    found = np.zeros(len(lines.page), dtype=bool)
    number = 0
    for line in range(len(found)):
        sign = _NUMBER.match(text, int(lines.start[line]), int(lines.end[line]))
        digits = "".join(filter(str.isdigit, sign[0])) if sign else ""
        found[line] = sign is not None and (not digits or int(digits) == number + 1)
        number = int(digits) if digits and (found[line] or _is_new_page(lines, line)) else number
    return found


def _is_new_page(lines: Lines, line: int) -> bool:
    return not line or lines.page[line] != lines.page[line - 1]


def _is_numbered(lines: Lines, first: int, text: str) -> bool:
    return _NUMBER.match(text, int(lines.start[first]), int(lines.end[first])) is not None


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
