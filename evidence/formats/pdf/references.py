"""References: numbers of notes, which stand small and high after a word, and glued to it in the text."""

from __future__ import annotations

from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Codes, Flags, Glyphs
from evidence.formats.pdf.ink import Numbers

_SMALL: Final = 0.85
"""Of the word's size, at most; writers use 0.6 to 0.8."""
_LETTERS: Final = 3
"""Of the word before, at least: a number on a shorter one is an exponent (m², cm²)."""


def find(page: Glyphs) -> Flags:
    """Which glyphs are digits of such a number."""
    digits = (page.codes >= ord("0")) & (page.codes <= ord("9"))
    found = np.zeros(len(digits), dtype=bool)
    begins = np.flatnonzero(digits & ~np.append(True, digits[:-1])[: len(digits)])
    for first in _raised(page, begins[begins >= _LETTERS]).tolist():
        if _is_word(page.codes[first - _LETTERS : first]):
            found[first : _end(page, digits, first)] = True
    return found


def _raised(page: Glyphs, begins: Numbers) -> Numbers:
    """Those glyphs that are smaller and end higher than the one before."""
    before = begins - 1
    small = page.size[begins] <= _SMALL * page.size[before]
    height = page.boxes[before, 3] - page.boxes[before, 1]
    high = page.boxes[begins, 3] <= page.boxes[before, 3] - 0.1 * height
    beside = np.abs(page.boxes[begins, 0] - page.boxes[before, 2]) <= height
    raised: Numbers = begins[small & high & beside & (page.angle[begins] == 0)]
    return raised


def _is_word(codes: Codes) -> bool:
    return all(chr(code).isalpha() for code in codes.tolist())


def _end(page: Glyphs, digits: Flags, first: int) -> int:
    """Behind the last digit of the same size."""
    end = first + 1
    while end < len(digits) and digits[end] and page.size[end] == page.size[first]:
        end += 1
    return end
