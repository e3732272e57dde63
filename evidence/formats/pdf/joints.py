"""Joints: what stands between two lines of a paragraph, and what becomes of the hyphen at the end of the first.

A word that goes on with a small letter keeps the hyphen as U+2010, directly before its second part. Before a capital or a
number the hyphen is the word's own; before "und" and the like it stands for a part that is said only later.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Codes, Flags
from evidence.formats.pdf.lines import HYPHENS, is_lower
from evidence.formats.pdf.pieces import Numbers, Pieces

NOTHING, BLANK = 0, 1
HYPHEN: Final = 0x2010
_MINUS: Final = 0x2D
_SUSPENDED: Final = re.compile(r"(?:und|oder|bis|bzw|sowie|beziehungsweise|noch|als auch|and|or|to|nor)\b")
_KNOWN: Final = 0x2000
_WORDLY: Final = np.array([chr(code).isalnum() for code in range(_KNOWN)])


def between(pieces: Pieces, before: Numbers, after: Numbers, text: str) -> tuple[Numbers, Flags]:
    """For each pair of pieces, the last of a line and the first of the next: NOTHING or BLANK, and whether a word is joined."""
    ends, openings = pieces.end[before], pieces.codes[pieces.start[after]]
    second = pieces.codes[np.maximum(ends - 2, 0)]
    has_hyphen = np.isin(pieces.codes[ends - 1], HYPHENS) & (ends - pieces.start[before] > 1) & _is_wordly(second)
    lower = is_lower(openings)
    suspended = np.zeros(len(before), dtype=bool)
    for number in np.flatnonzero(has_hyphen & lower).tolist():
        suspended[number] = _SUSPENDED.match(text, int(pieces.start[after[number]])) is not None
    close = has_hyphen & _is_wordly(openings) & ~suspended
    return np.where(close, NOTHING, BLANK), close & lower


def written(pieces: Pieces, joined: Numbers) -> Codes:
    """The code points of all pieces. joined: pieces that end with a hyphen that parts a word; other pieces end with their own."""
    codes = pieces.codes.copy()
    last = pieces.end - 1
    codes[last[np.isin(codes[last], HYPHENS)]] = _MINUS
    codes[last[joined]] = HYPHEN
    return codes


def _is_wordly(codes: Codes) -> Flags:
    return np.asarray((codes >= _KNOWN) | _WORDLY[np.minimum(codes, _KNOWN - 1)])
