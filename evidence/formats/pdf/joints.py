"""Joints: what stands between two lines of a paragraph, and what becomes of the hyphen at the end of the first.

A word that goes on with a small letter keeps the hyphen as U+2010, directly before its second part. Before a capital or a
number the hyphen is the word's own; before "und" and the like it stands for a part that is said only later.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Codes, Flags
from evidence.formats.pdf.ink import Numbers
from evidence.formats.pdf.letters import HYPHEN, SMALL, WORDLY
from evidence.formats.pdf.pieces import Pieces

NOTHING, BLANK = 0, 1
_PARTING: Final = 0x2010
_MINUS: Final = 0x2D
_SUSPENDED: Final = re.compile(r"(?:und|oder|bis|bzw|sowie|beziehungsweise|noch|als auch|and|or|to|nor)\b")


def between(pieces: Pieces, before: Numbers, after: Numbers, text: str) -> tuple[Numbers, Flags]:
    """For each pair of pieces, the last of a line and the first of the next: NOTHING or BLANK, and whether a word is joined."""
    ends, openings = pieces.end[before], pieces.codes[pieces.start[after]]
    second = pieces.codes[np.maximum(ends - 2, 0)]
    has_hyphen = HYPHEN.of(pieces.codes[ends - 1]) & (ends - pieces.start[before] > 1) & WORDLY.of(second)
    lower = SMALL.of(openings)
    suspended = np.zeros(len(before), dtype=bool)
    for number in np.flatnonzero(has_hyphen & lower).tolist():
        words = text[pieces.start[after[number]] : pieces.end[after[number]]]
        suspended[number] = _SUSPENDED.match(words) is not None
    close = has_hyphen & WORDLY.of(openings) & ~suspended
    return np.where(close, NOTHING, BLANK), close & lower


def written(pieces: Pieces, joined: Numbers) -> Codes:
    """The code points of all pieces. joined: pieces that end with a hyphen that parts a word; other pieces end with their own."""
    codes = pieces.codes.copy()
    last = pieces.end - 1
    codes[last[HYPHEN.of(codes[last])]] = _MINUS
    codes[last[joined]] = _PARTING
    return codes
