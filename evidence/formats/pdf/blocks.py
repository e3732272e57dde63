"""Blocks: paragraphs, headings, list items and tables, in reading order, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from evidence.content import PassageKind
from evidence.formats.pdf import lines as reading
from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.lines import Lines
from evidence.formats.pdf.paragraphs import OTHER_SIZE

_LARGE: Final = 1.12
"""Times the size of the text: print that is larger is a heading's."""
_UNSTEADY: Final = 1.3
"""The same where the text's size varies from word to word, as on scans."""
_STEADY: Final = 0.03
"""Difference from the text's size that most of the text has at most, else it varies."""
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
    steady = bool(letters[np.abs(lines.size - body) <= _STEADY * body].sum() * 2 > letters.sum())
    large = lines.size >= (_LARGE if steady else _UNSTEADY) * body
    bold = lines.bold & (lines.size >= _SMALL * body) & (not usually_bold)
    sizes: dict[int, float] = {}
    looks_so = (large | bold).tolist()
    for first, last in found:
        if not looks_so[first] or last - first > _HEADING_LINES or lines.led[first:last].any():
            continue
        words = " ".join(text[lines.start[line] : lines.end[line]] for line in range(first, last))
        is_heading = not words.startswith("(") and (large[first] or not words.endswith(_NO_HEADING))
        if is_heading and len(words) <= _HEADING_LETTERS and _NAMED.search(words):
            sizes[first] = float(lines.size[first]) if large[first] else 0.0
    levels = _levels(sizes.values())
    return {first: levels[size] for first, size in sizes.items()}


def _levels(sizes: Iterable[float]) -> dict[float, int]:
    """For each size its level; sizes that nobody can tell apart have one."""
    levels = dict[float, int]()
    above, level = float("inf"), 0
    for size in sorted(set(sizes), reverse=True):
        if size < above * (1 - OTHER_SIZE / 2):
            above, level = size, min(level + 1, _LEVELS)
        levels[size] = level
    return levels


def _classified(lines: Lines, found: Sequence[tuple[int, int]], headings: dict[int, int], text: str) -> Iterator[Block]:
    outline: list[tuple[str, float]] = []
    marked = lines.marked.tolist()
    for first, last in found:
        if first in headings:
            outline.clear()
            yield Block(PassageKind.HEADING, first, last, headings[first])
        elif marked[first]:
            marker = reading.marker(text, int(lines.start[first]), int(lines.end[first]))
            left = float(lines.left[first] / max(lines.size[first], 0.1))
            yield Block(PassageKind.LIST_ITEM, first, last, _depth(outline, marker, left))
        else:
            yield Block(PassageKind.PARAGRAPH, first, last)


def _depth(outline: list[tuple[str, float]], marker: str, left: float) -> int:
    """How deep an item lies, by its kind of marker and its place (in font sizes); outline: the items that it may belong to."""
    styles = _styles(marker)
    near = [abs(left - place) < _COLUMN for _, place in outline]
    for at in reversed(range(len(outline))):
        style, place = outline[at]
        if style in styles and not (near[at] and abs(left - place) > _NESTED):
            del outline[at:]
            break
    else:
        style = styles[0]
        while outline and near[len(outline) - 1] and left < outline[-1][1] - _NESTED:
            outline.pop()
    outline.append((style, left))
    return min(len(outline), _LEVELS)


def _styles(marker: str) -> tuple[str, ...]:
    """What kind of marker this can be, the likeliest first: i), v) and x) are numbers or letters."""
    letters = "".join(filter(str.isalpha, marker))
    plain = _DIGITS.sub("1", marker)
    if not letters or "1" in plain:
        return (plain.replace(letters, ""),) if letters else (plain,)
    roman, alphabetic = plain.replace(letters, "i"), plain.replace(letters, "a" * len(letters))
    if not set(letters) <= set("ivx"):
        return (alphabetic,)
    return (alphabetic, roman) if letters in ("v", "x") else (roman, alphabetic)
