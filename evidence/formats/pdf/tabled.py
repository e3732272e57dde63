"""Tables as they are written: rows of cells with their pieces, and which row names the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evidence.formats.pdf import heads, joints
from evidence.formats.pdf.grid import Grid
from evidence.formats.pdf.ink import Numbers
from evidence.formats.pdf.pieces import Pieces

Cell = tuple[Sequence[int], Sequence[int]]
"""Pieces, and what stands before each."""


@dataclass(frozen=True, slots=True)
class Table:
    """page: where it stands. rows: of cells. has_head: whether the first row names the columns. left: in points."""

    page: int
    rows: Sequence[Sequence[Cell]]
    has_head: bool
    left: float


@dataclass(frozen=True, slots=True)
class Tables:
    """hyphens: pieces whose last code point parts a word."""

    tables: Sequence[Table]
    hyphens: Numbers


def make(grids: Sequence[Grid], pieces: Pieces, text: str) -> Tables:
    """text: of all pieces."""
    pairs = [pair for grid in grids for row in grid.rows for cell in row for pair in pairwise(cell)]
    before, after = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    gaps, joined = joints.between(pieces, before, after, text)
    stands_before = dict(zip(after.tolist(), gaps.tolist(), strict=True))

    def cell(numbers: Sequence[int]) -> Cell:
        return numbers, [stands_before.get(number, joints.BLANK) for number in numbers]

    return Tables(
        [
            Table(int(pieces.page[grid.first]), [[cell(numbers) for numbers in row] for row in grid.rows], has_head, grid.left)
            for grid, has_head in zip(grids, heads.find(grids, pieces, text), strict=True)
        ],
        before[joined],
    )
