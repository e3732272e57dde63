"""Heads: rows of tables that name their columns. A PDF does not say which those are; their print and their words do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from evidence.formats.pdf.grid import Cell, Grid
from evidence.formats.pdf.pieces import Pieces

_MOSTLY: Final = 0.7
"""Share of a column's cells with a number in them."""
_FEW: Final = 3
"""Rows below from which such a share can be told."""
_NUMBER: Final = re.compile(r"[0-9]", re.ASCII)


def find(grids: Sequence[Grid], pieces: Pieces, text: str) -> list[bool]:
    """For each table whether its first row names the columns. text: of all pieces."""
    words = [tuple(_words(cell, pieces, text) for cell in grid.rows[0]) for grid in grids]
    times = Counter(words)
    return [
        times[first] > 1 or _looks_so(grid, pieces) or _has_numbers_below(grid, pieces, text)
        for grid, first in zip(grids, words, strict=True)
    ]


def _words(cell: Cell, pieces: Pieces, text: str) -> str:
    return " ".join(text[pieces.start[number] : pieces.end[number]] for number in cell)


def _looks_so(grid: Grid, pieces: Pieces) -> bool:
    """Whether the first row is bold and the others are not."""
    bold = [all(pieces.bold[number] for cell in row for number in cell) for row in grid.rows]
    return bold[0] and not any(bold[1:2]) and sum(map(bool, grid.rows[0])) > 1


def _has_numbers_below(grid: Grid, pieces: Pieces, text: str) -> bool:
    """Whether the first row has a word in each cell, and the rows below numbers in half of the columns."""
    if len(grid.rows) <= _FEW:
        return False
    numbered = [[bool(_NUMBER.search(_words(cell, pieces, text))) for cell in row] for row in grid.rows]
    if any(numbered[0]) or not all(grid.rows[0][1:]):
        return False
    columns = [sum(row[column] for row in numbered[1:]) for column in range(len(grid.rows[0]))]
    return sum(count >= _MOSTLY * (len(grid.rows) - 1) for count in columns) * 2 >= len(columns)
