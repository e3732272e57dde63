"""Tables: which row names the columns, and which places are covered by cells that began elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_SPAN: Final = 100
"""Columns or rows that one cell is taken to cover; more would only make long rows of nothing."""


@dataclass(slots=True)
class Table:
    """A table that is open. columns: number of the first of the header rows that came last; covered: column -> rows."""

    group: int
    columns: int | None = None
    in_head: bool = False
    is_header: bool = False
    below_header: bool = False
    column: int = 0
    covered: dict[int, int] = field(default_factory=dict)

    def begin_row(self, *, only_headers: bool) -> None:
        """only_headers: whether all cells of the row are header cells."""
        self.column, self.is_header = 0, self.in_head or only_headers

    def end_row(self, number: int | None) -> None:
        """number: of the row; None if it has no text."""
        if self.is_header and number is not None and not self.below_header:
            self.columns = number
        self.below_header = self.is_header and (self.below_header or number is not None)

    def end_cell(self, *, rows: int, columns: int) -> None:
        """Remember what the cell covers: its own column in the rows below, the columns beside it from this row on."""
        rows = min(rows, MAX_SPAN)
        beside = range(self.column + 1, self.column + min(columns, MAX_SPAN))
        self.covered[self.column] = rows - 1
        self.covered.update(dict.fromkeys(beside, max(rows, 1)))
        self.column += 1

    def next_is_covered(self) -> bool:
        """Whether the next place belongs to a cell that is written already; steps over it."""
        rows = self.covered.get(self.column, 0)
        if rows < 1:
            return False
        self.covered[self.column] = rows - 1
        self.column += 1
        return True

    def end_group(self) -> None:
        """A group of rows ends: no cell reaches beyond it."""
        self.in_head = False
        self.covered.clear()
