"""Rows: what stands side by side on a page, and the stretches of it that gaps run through from top to bottom.

Such a stretch is a table or columns of text. Where a gap is crossed again and again as the extractor goes on, it parts the
cells of a table; where it is crossed once, it parts columns.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from evidence.formats.pdf.pieces import Pieces

MOST_COLUMNS: Final = 60
"""Of a table or of text: what has more is a drawing, or dots that lead to page numbers."""
_OTHER_SIZE: Final = 0.08
"""Difference of two font sizes that a reader sees, as a share."""
_SAME_ROW: Final = 0.4
"""Share of the smaller height that two pieces side by side have in common."""
_NARROW: Final = 0.5
"""Font sizes that the gap between two pieces of columns measures at least, unless a rule parts them."""
_THREAD: Final = 0.3
"""Font sizes of a gap that is left all through the rows of a table."""
_FAR: Final = 2.5
"""Heights of free space that end a stretch."""
_FEW: Final = 0.1
"""Share of a stretch's rows that may reach over a gap: headings over several columns."""
_ROWS_OF_TEXT: Final = 4
_LETTERS_OF_TEXT: Final = 25
"""A column of text has at least so many rows, and so many code points in one of them on average."""
_SIDE_BY_SIDE: Final = 2
"""Columns of text on a page, mostly; what has more is a table."""
_CROSSED_SELDOM: Final = 0.2
"""Crossings for each row, at most, of a gap between columns of text that the extractor reads one after the other."""


class Spot(NamedTuple):
    """A piece as this step sees it. length: in code points. beside: as in Pieces.

    is_sign: the sign of a currency, which belongs to what follows.
    """

    number: int
    left: float
    top: float
    right: float
    bottom: float
    size: float
    length: int
    beside: bool
    is_sign: bool


class Row(NamedTuple):
    """Pieces side by side, from left to right, and the edges of the highest and the lowest of them."""

    spots: Sequence[Spot]
    top: float
    bottom: float

    def gaps(self) -> list[tuple[float, float]]:
        """From left to right."""
        if len(self.spots) == 1:
            return []
        found = []
        reached = self.spots[0].right
        for spot in self.spots[1:]:
            if spot.left - reached >= _NARROW * spot.size or (spot.beside and spot.left > reached):
                found.append((reached, spot.left))
            reached = max(reached, spot.right)
        return found


def spots(pieces: Pieces, numbers: Sequence[int]) -> list[Spot]:
    """In the order of the numbers."""
    lengths = pieces.end[numbers] - pieces.start[numbers]
    signs = np.zeros(len(lengths), dtype=bool)
    for single in np.flatnonzero(lengths == 1).tolist():
        signs[single] = unicodedata.category(chr(pieces.codes[pieces.start[numbers[single]]])) == "Sc"
    columns = (pieces.left, pieces.top, pieces.right, pieces.bottom, pieces.size)
    values = [column[numbers].tolist() for column in columns]
    return list(map(Spot, numbers, *values, lengths.tolist(), pieces.beside[numbers].tolist(), signs.tolist()))


def rows(found: Iterable[Spot]) -> list[Row]:
    """From top to bottom."""
    grouped: list[list[Spot]] = []
    top = bottom = 0.0
    for spot in sorted(found, key=_middle):
        common = (bottom if bottom < spot.bottom else spot.bottom) - (top if top > spot.top else spot.top)
        lower = min(spot.bottom - spot.top, bottom - top)
        if grouped and common >= _SAME_ROW * lower:
            grouped[-1].append(spot)
        else:
            grouped.append([spot])
            top, bottom = spot.top, spot.bottom
    return [_row(group) for group in grouped]


def _middle(spot: Spot) -> float:
    return spot.top + spot.bottom


def _row(group: list[Spot]) -> Row:
    if len(group) == 1:
        return Row(group, group[0].top, group[0].bottom)
    group.sort(key=_left)
    return Row(group, min(spot.top for spot in group), max(spot.bottom for spot in group))


def _left(spot: Spot) -> float:
    return spot.left


@dataclass(slots=True)
class _Stretch:
    """Rows that follow one another and the gaps that are open in the last of them."""

    rows: list[Row] = field(default_factory=list)
    gaps: list[tuple[float, float]] = field(default_factory=list)
    bottom: float = 0.0

    def takes(self, row: Row) -> bool:
        """Add the row if one of the gaps goes on through it."""
        first = row.spots[0]
        if row.top - self.bottom > _FAR * (first.bottom - first.top):
            return False
        going_on = [free for gap in self.gaps if (free := _free(gap, row))]
        if not going_on:
            return False
        for gap in row.gaps():
            if not any(gap[0] < right and left < gap[1] for left, right in going_on):
                going_on.append(gap)
        self.rows.append(row)
        self.gaps = going_on
        self.bottom = max(self.bottom, row.bottom)
        return True


def _free(gap: tuple[float, float], row: Row) -> tuple[float, float] | None:
    """What is left of a gap beside the row's pieces, if it is wide enough."""
    left, right = gap
    for spot in row.spots:
        if spot.left <= left < spot.right:
            left = spot.right
        elif left < spot.left < right:
            right = spot.left
            break
    return (left, right) if right - left >= _THREAD * row.spots[0].size else None


def stretches(found: Iterable[Row]) -> list[list[Row]]:
    """Rows that follow one another with a gap that runs through them; at least two of each have pieces on both sides."""
    complete, current = list[list[Row]](), _Stretch()
    for row in found:
        if current.rows and current.takes(row):
            continue
        complete.append(current.rows)
        gaps = row.gaps()
        current = _Stretch([row], gaps, row.bottom) if gaps else _Stretch()
    complete.append(current.rows)
    parted = [part for group in complete for part in _parted(group)]
    return [_trimmed(group) for group in parted if sum(len(row.spots) > 1 for row in group) > 1]


def _parted(group: list[Row]) -> Iterator[list[Row]]:
    """Columns of text above or below a table as stretches of their own, though one gap may run through all of them."""
    several = [number for number, row in enumerate(group) if len(row.spots) > _SIDE_BY_SIDE]
    first, last = (several[0], several[-1] + 1) if several else (0, len(group))
    first = first if _are_text(group[:first]) else 0
    last = last if _are_text(group[last:]) else len(group)
    yield from (part for part in (group[:first], group[first:last], group[last:]) if part)


def _are_text(group: Sequence[Row]) -> bool:
    lengths = [spot.length for row in group for spot in row.spots]
    return len(group) >= _ROWS_OF_TEXT and sum(lengths) >= _LETTERS_OF_TEXT * len(lengths)


def _trimmed(group: list[Row]) -> list[Row]:
    """Without lines at the end that reach over a gap of another row, or are printed in another size than the last one."""
    last = max(number for number, row in enumerate(group) if len(row.spots) > 1)
    gaps = [gap for row in group for gap in row.gaps()]
    size = group[last].spots[0].size
    for number in range(last + 1, len(group)):
        spot = group[number].spots[0]
        over = any(spot.left < left and right < spot.right for left, right in gaps)
        if over or abs(spot.size - size) > _OTHER_SIZE * size:
            return group[:number]
    return group


def separators(group: Sequence[Row]) -> list[float]:
    """Where the gaps through these rows are, from left to right."""
    several = [row.spots for row in group if len(row.spots) > 1]
    found = [spot for spots in several for spot in spots if not spot.is_sign]
    most = int(_FEW * len(several))
    edges = sorted([(spot.left, 1) for spot in found] + [(spot.right, -1) for spot in found])
    narrow = _THREAD * min(spot.size for spot in found)
    middles, covered, free_from = list[float](), 0, edges[0][0]
    for place, step in edges:
        if covered <= most < covered + step and place - free_from >= narrow:
            middles.append((free_from + place) / 2)
        covered += step
        if step < 0 and covered == most:
            free_from = place
    return [middle for middle in middles if _parts(middle, group)] if len(middles) <= MOST_COLUMNS else []


def _parts(middle: float, group: Sequence[Row]) -> bool:
    """Whether at least two rows have pieces on both sides."""
    return sum(row.spots[0].right <= middle <= row.spots[-1].left for row in group) > 1


class Gap(Enum):
    """What a gap parts."""

    CELLS = auto()
    COLUMNS = auto()
    MIXED_COLUMNS = auto()


def kind(separator: float, group: Sequence[Row]) -> Gap:
    """MIXED_COLUMNS: the extractor reads across columns of text, line by line."""
    sides = [(spot.number, spot.left >= separator, spot) for row in group for spot in row.spots]
    sides.sort(key=lambda side: side[0])
    crossed = sum(before[1] != after[1] for before, after in pairwise(sides))
    halves = [[spot for _, is_right, spot in sides if is_right == side] for side in (False, True)]
    fewer = min(len(half) for half in halves)
    if crossed <= max(1, _CROSSED_SELDOM * fewer):
        both = sum(row.spots[0].left < separator <= row.spots[-1].left for row in group)
        cells = all(sum(spot.length for spot in half) < _LETTERS_OF_TEXT / 2 * len(half) for half in halves)
        return Gap.CELLS if cells and both >= 0.8 * len(group) else Gap.COLUMNS
    if all(_is_text(half) for half in halves):
        return Gap.MIXED_COLUMNS
    return Gap.CELLS


def _is_text(half: Sequence[Spot]) -> bool:
    return len(half) >= _ROWS_OF_TEXT and sum(spot.length for spot in half) >= _LETTERS_OF_TEXT * len(half)
