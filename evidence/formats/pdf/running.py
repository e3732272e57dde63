"""Running headers and footers: what stands at the edge of several pages, at one height, with the same words or page numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from evidence.formats.pdf.ink import Numbers, Sheet
from evidence.formats.pdf.pieces import Pieces

MOST_ROWS: Final = 4
"""Of a header or footer: a letterhead has about as many."""
_EDGE: Final = 0.2
"""Share of the page's height that a header or a footer keeps to."""
_GAP: Final = 0.5
"""Heights of its last row that are free below a header; a table's repeated head is nearer to what it heads."""
_SAME_PLACE: Final = 6.0
"""Points that the same header may stand higher or lower on another page."""
_FEW_LETTERS: Final = 3
"""Of what says the same on another page; less is a sign in a formula or on an axis."""
_LARGE: Final = 1.15
"""Times the size of the text: what is larger is a heading, though it may stand at the top of several pages."""

_WORDLESS: Final = re.compile(r"[\W\d_]+")
_NUMBER: Final = re.compile(r"[0-9]{1,6}", re.ASCII)
_DIGITS: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN: Final = re.compile(r"[ivxlc]{1,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Running:
    """A header or footer of a page: its pieces from left to right, row by row. repeated: its words stood on an earlier page."""

    page: int
    pieces: tuple[int, ...]
    is_footer: bool
    repeated: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """Pieces side by side near a page's edge. place: how far from it, in points. is_all: whether the page holds nothing else."""

    page: int
    is_footer: bool
    place: float
    pieces: tuple[int, ...]
    texts: tuple[str, ...]
    is_all: bool


def find(pieces: Pieces, sheets: Sequence[Sheet], text: str, body: float) -> Sequence[Running]:
    """In the order of the pages, headers first. text: of all pieces; body: the size of most of it."""
    sizes = pieces.size.tolist()
    rows = [row for row in _rows(pieces, sheets, text) if max(sizes[number] for number in row.pieces) <= _LARGE * body]
    wanted = _standing_again(rows)
    seen: set[tuple[bool, str]] = set()
    found: list[Running] = []
    for number, row in enumerate(rows):
        if number in wanted:
            words = (row.is_footer, _words(" ".join(row.texts)))
            found.append(Running(row.page, row.pieces, row.is_footer, words in seen))
            seen.add(words)
    return found


def _rows(pieces: Pieces, sheets: Sequence[Sheet], text: str) -> Iterator[_Row]:
    """The rows at the top and at the bottom of each page, as far as a gap parts them from the rest."""
    chosen = np.flatnonzero(~pieces.turned & ~pieces.unseen)
    chosen = chosen[np.lexsort((pieces.left[chosen], pieces.top[chosen], pieces.page[chosen]))]
    tops, bottoms = pieces.top[chosen].tolist(), pieces.bottom[chosen].tolist()
    upwards = [-bottom for bottom in bottoms], [-top for top in tops]
    borders = np.searchsorted(pieces.page[chosen], np.arange(len(sheets) + 1)).tolist()
    pieces_of, lefts, starts, ends = chosen.tolist(), pieces.left.tolist(), pieces.start.tolist(), pieces.end.tolist()

    def row(members: Sequence[int], page: int, *, is_footer: bool, is_all: bool) -> _Row:
        numbers = sorted([pieces_of[member] for member in members], key=lefts.__getitem__)
        place = sheets[page].height - bottoms[members[0]] if is_footer else tops[members[0]]
        texts = tuple([text[starts[number] : ends[number]] for number in numbers])
        return _Row(page, is_footer, place, tuple(numbers), texts, is_all)

    for page, (first, last) in enumerate(pairwise(borders)):
        upper = _block(tops, bottoms, range(first, last), limit=_EDGE * sheets[page].height)
        lower = _block(*upwards, range(last - 1, first - 1, -1), limit=(_EDGE - 1) * sheets[page].height)
        for members in upper:
            yield row(members, page, is_footer=False, is_all=sum(map(len, upper)) == last - first)
        for members in reversed(lower):
            yield row(members, page, is_footer=True, is_all=sum(map(len, lower)) == last - first)


def _block(tops: Sequence[float], bottoms: Sequence[float], order: range, *, limit: float) -> Sequence[Sequence[int]]:
    """Rows from the edge on until a gap comes; none if no gap comes before the limit or after too many rows."""
    rows: list[list[int]] = []
    lowest = 0.0
    for number in order:
        top, bottom = tops[number], bottoms[number]
        if rows and top < lowest - (bottom - top) / 2:
            rows[-1].append(number)
            lowest = max(lowest, bottom)
            continue
        if rows and top - lowest > _GAP * (bottom - top):
            return rows
        if top > limit or len(rows) == MOST_ROWS:
            return ()
        rows.append([number])
        lowest = bottom
    return rows


def _standing_again(rows: Sequence[_Row]) -> set[int]:
    """The numbers of the rows that, or a piece of which, stands at the same place of another page too."""
    groups: Mapping[tuple[bool, str], list[tuple[int, str]]] = defaultdict(list)
    for number, row in enumerate(rows):
        for written in dict.fromkeys((*row.texts, " ".join(row.texts))):  # a set's order differs from one process to the next
            groups[row.is_footer, _words(written)].append((number, written))
    found: set[int] = set()
    for members in groups.values():
        places = [rows[number].place for number, _ in members]
        middle = sorted(places)[len(places) // 2]
        near = [member for member, place in zip(members, places, strict=True) if abs(place - middle) <= _SAME_PLACE]
        if not all(rows[number].is_all for number, _ in near):
            found.update(_running(rows, near))
    return found


def _running(rows: Sequence[_Row], members: Sequence[tuple[int, str]]) -> Iterator[int]:
    """Those that say the same as a neighbour, or whose number has grown from page to page as page numbers do."""
    for (number, written), (after, then) in pairwise(members):
        apart = rows[after].page - rows[number].page
        says_same = written == then and len(_words(written)) >= _FEW_LETTERS
        if apart and (says_same or not {count + apart for count in _numbers(written)}.isdisjoint(_numbers(then))):
            yield number
            yield after


def _numbers(written: str) -> set[int]:
    if _ROMAN.fullmatch(written):
        values = [_DIGITS[digit] for digit in written]
        return {sum(-value if value < after else value for value, after in pairwise([*values, 0]))}
    return {int(number) for number in _NUMBER.findall(written)}


def _words(written: str) -> str:
    words = _WORDLESS.sub(" ", written.lower()).strip()
    return "" if _ROMAN.fullmatch(words) else words


def mask(found: Sequence[Running], count: int) -> Numbers:
    """For each piece 1 if it belongs to one of these, else 0."""
    marks = np.zeros(count, dtype=np.int64)
    for running in found:
        marks[list(running.pieces)] = 1
    return marks
