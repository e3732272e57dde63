"""Grids: the cells of a table, from rows of pieces that stand side by side."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from evidence.formats.pdf import rules
from evidence.formats.pdf.glyphs import Places
from evidence.formats.pdf.rows import Row, Spot

_TIGHT: Final = 1.15
"""Times the smallest distance of two lines: within a cell, lines stand no farther from one another."""
_LEADING: Final = 1.4
"""Font sizes from one line of a cell to the next, at least where no smaller print in the table says otherwise."""
_ALIGNED: Final = 0.5
"""Font sizes that cells of one column may stand off from the column's edge or middle."""
_MOSTLY: Final = 0.6
"""Share of a column's cells that are aligned."""
_FILLED: Final = 0.6
"""Share of a table's rows with more than one cell that holds something."""
_DENSE: Final = 0.4
"""Share of a table's cells that hold something."""

Cell = tuple[int, ...]
Line = list[tuple[int, Spot]]
"""Pieces side by side, each with its column."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. rows: for each row a tuple of cells, each the numbers of its pieces in the order of their lines.

    first: the piece that the extractor gives first.
    """

    rows: tuple[tuple[Cell, ...], ...]
    left: float
    top: float
    right: float
    bottom: float
    first: int


def build(group: Sequence[Row], separators: Sequence[float], drawn: Places) -> Grid | None:
    """The table in these rows of pieces; None where pieces only happen to stand below one another."""
    lines = [_line(row, separators) for row in group]
    if not _is_aligned(lines, len(separators) + 1):
        return None
    joined = _logical(lines, len(separators) + 1, _ruled_rows(group, drawn))
    if not _is_filled(joined):
        return None
    spots = [spot for row in group for spot in row.spots]
    return Grid(
        tuple(tuple(tuple(cell) for cell in row) for row in joined),
        min(spot.left for spot in spots),
        min(spot.top for spot in spots),
        max(spot.right for spot in spots),
        max(spot.bottom for spot in spots),
        min(spot.number for spot in spots),
    )


def _line(row: Row, separators: Sequence[float]) -> Line:
    """The row's pieces with their columns; a sign of a currency stands in the column of what follows."""
    line: Line = []
    for spot in reversed(row.spots):
        line.append((line[-1][0] if spot.is_sign and line else _column(spot, separators), spot))
    return line[::-1]


def _column(spot: Spot, separators: Sequence[float]) -> int:
    """By its middle, or where it begins when it reaches over several columns."""
    first, last = bisect(separators, spot.left), bisect(separators, spot.right)
    return first if last - first != 1 else bisect(separators, (spot.left + spot.right) / 2)


def _is_aligned(lines: Sequence[Line], columns: int) -> bool:
    """Whether at least two columns have cells that are aligned left, right or in the middle."""
    aligned = 0
    for column in range(columns):
        cells = [spot for line in lines for at, spot in line if at == column and not spot.is_sign]
        if len(cells) < 2:
            continue
        near = _ALIGNED * cells[0].size
        edges = ([spot.left for spot in cells], [spot.right for spot in cells], [(spot.left + spot.right) / 2 for spot in cells])
        aligned += any(_near_middle(places, near) >= _MOSTLY * len(cells) for places in edges)
    return aligned > 1


def _near_middle(places: Sequence[float], near: float) -> int:
    middle = sorted(places)[len(places) // 2]
    return sum(-near <= place - middle <= near for place in places)


def _is_filled(rows: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Whether enough cells hold something, and two rows one below the other have several that do; the labels of a plot do not."""
    counts = [sum(map(bool, row)) for row in rows]
    several = [count > 1 for count in counts]
    is_dense = sum(counts) >= _DENSE * len(rows) * len(rows[0])
    return is_dense and sum(several) >= _FILLED * len(rows) and any(both == (True, True) for both in pairwise(several))


def ruled_columns(group: Sequence[Row], drawn: Places) -> list[float]:
    """Where rules part the columns of these rows."""
    left, right = min(row.spots[0].left for row in group), max(row.spots[-1].right for row in group)
    found = rules.lines(rules.upright(drawn), group[0].top, group[-1].bottom)
    return [place for place in found if left < place < right]


def _ruled_rows(group: Sequence[Row], drawn: Places) -> list[bool]:
    """For each row but the first whether a rule parts it from the row above."""
    left, right = min(row.spots[0].left for row in group), max(row.spots[-1].right for row in group)
    found = rules.lines(rules.level(drawn), left, right)
    places = [bisect(found, (row.top + row.bottom) / 2) for row in group]
    return [below > above for above, below in pairwise(places)]


def _logical(lines: Sequence[Line], columns: int, ruled: Sequence[bool]) -> list[list[list[int]]]:
    """Rows of cells: a line goes on with the row above where its cells do."""
    tops = [min(spot.top for _, spot in line) for line in lines]
    pitches = [below - above for above, below in pairwise(tops)]
    smallest = min(pitches)
    has_two = max(pitches) > _TIGHT * smallest
    rows: list[list[list[int]]] = []
    for number, line in enumerate(lines):
        follows = bool(number) and _follows(line, lines[number - 1], smallest)
        is_tight = bool(number) and pitches[number - 1] <= max(_TIGHT * smallest, _LEADING * line[0][1].size)
        taken = {column for column, _ in line}
        if has_two:
            goes_on = follows or (is_tight and 0 not in taken and len(taken) < columns)
        else:
            goes_on = follows and len(taken) < columns and sum(map(bool, rows[-1])) > 1
        if not goes_on or ruled[number - 1]:
            rows.append([[] for _ in range(columns)])
        for column, spot in line:
            rows[-1][column].append(spot.number)
    return rows


def _follows(line: Line, above: Line, smallest: float) -> bool:
    """Whether the extractor goes straight on from a cell of the line above to the same cell of this one, one line lower."""
    ends = {(column, spot.number): spot for column, spot in above}
    for column, spot in line:
        before = ends.get((column, spot.number - 1))
        if before and spot.bottom - before.bottom <= max(_TIGHT * smallest, _LEADING * spot.size):
            return True
    return False
