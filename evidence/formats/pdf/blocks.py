"""Blocks: paragraphs, headings, list items and tables, in reading order, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from evidence.content import PassageKind
from evidence.formats.pdf import lines as reading
from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.lines import OTHER_SIZE, Lines

_LARGE: Final = 1.12
"""Times the size of the text: print that is larger is a heading's."""
_SMALL: Final = 0.95
"""Times the size of the text: bold print that is smaller is no heading's."""
_HEADING_LINES: Final = 4
_HEADING_LETTERS: Final = 300
"""Lines and code points of a heading; what is longer is text in large print."""
_NESTED: Final = 1.0
"""Font sizes that an item stands farther right than the one that it belongs to."""
_COLUMN: Final = 10.0
"""Font sizes that an item stands farther left or right in another column, where its place says nothing."""
_LEVELS: Final = 6

_NAMED: Final = re.compile(r"[^\W\d_]{2}")
_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)
_LETTERS: Final = re.compile(r"[a-z]+", re.ASCII)
_NO_HEADING: Final = (".", ",", ";")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines from first to last, the last one not included. level: as in Passage."""

    kind: PassageKind
    first: int
    last: int
    level: int = 0


def find(lines: Lines, begins: Flags, text: str, body: float) -> list[Block]:
    """The blocks that these lines make. text: of all pieces; body: the size of most of it."""
    found = _ranges(begins)
    headings = _headings(lines, found, text, body)
    return list(_classified(lines, found, headings, text))


def paragraphs(begins: Flags) -> list[Block]:
    """A paragraph for each line that begins one."""
    return [Block(PassageKind.PARAGRAPH, first, last) for first, last in _ranges(begins)]


def _ranges(begins: Flags) -> list[tuple[int, int]]:
    return list(pairwise([*np.flatnonzero(begins).tolist(), len(begins)]))


def _headings(lines: Lines, found: Sequence[tuple[int, int]], text: str, body: float) -> dict[int, int]:
    """First line of each heading -> its level: the larger the print, the higher; bold print in the text's size comes last."""
    letters = lines.end - lines.start
    usually_bold = bool(letters[lines.bold].sum() * 2 > letters.sum())
    large = lines.size >= _LARGE * body
    bold = lines.bold & (lines.size >= _SMALL * body) & (not usually_bold)
    sizes: dict[int, float] = {}
    for first, last in found:
        if (large[first] or bold[first]) and last - first <= _HEADING_LINES and letters[first:last].sum() <= _HEADING_LETTERS:
            start, end = int(lines.start[first]), int(lines.end[last - 1])
            is_named = any(_NAMED.search(text, int(lines.start[line]), int(lines.end[line])) for line in range(first, last))
            if is_named and (large[first] or not text.endswith(_NO_HEADING, start, end)):
                sizes[first] = float(lines.size[first]) if large[first] else 0.0
    levels = dict[float, int]()
    before = float("inf")
    for size in sorted(set(sizes.values()), reverse=True):
        levels[size] = len(set(levels.values())) + (size < before * (1 - OTHER_SIZE / 2))
        before = size if size < before * (1 - OTHER_SIZE / 2) else before
    return {first: min(levels[size], _LEVELS) for first, size in sizes.items()}


def _classified(lines: Lines, found: Sequence[tuple[int, int]], headings: dict[int, int], text: str) -> Iterator[Block]:
    outline: list[tuple[str, float]] = []
    for first, last in found:
        if first in headings:
            outline.clear()
            yield Block(PassageKind.HEADING, first, last, headings[first])
        elif lines.marked[first]:
            marker = reading.marker(text, int(lines.start[first]), int(lines.end[first]))
            left = float(lines.left[first] / max(lines.size[first], 0.1))
            yield Block(PassageKind.LIST_ITEM, first, last, _depth(outline, marker, left))
        else:
            yield Block(PassageKind.PARAGRAPH, first, last)


def _depth(outline: list[tuple[str, float]], marker: str, left: float) -> int:
    """How deep an item lies, by its kind of marker and its place (in font sizes); outline: the items that it may belong to."""
    style = _DIGITS.sub("1", _LETTERS.sub(_style, marker))
    near = [abs(left - place) < _COLUMN for _, place in outline]
    for at in reversed(range(len(outline))):
        known, place = outline[at]
        if known == style and not (near[at] and left > place + _NESTED):
            del outline[at:]
            break
    else:
        while outline and near[len(outline) - 1] and left < outline[-1][1] - _NESTED:
            outline.pop()
    outline.append((style, left))
    return min(len(outline), _LEVELS)


def _style(letters: re.Match[str]) -> str:
    """Of a marker's letters: after a number none, else one for each, or i for a Roman number of several."""
    if letters.start() and letters.string[letters.start() - 1].isdigit():
        return ""
    return "i" if len(letters[0]) > 1 and set(letters[0]) <= set("ivx") else "a" * len(letters[0])
