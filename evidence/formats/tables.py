"""Tables: which row names the columns, and which places are covered by cells that began elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

MAX_SPAN: Final = 100
"""Columns or rows that one cell is taken to cover; more would only make long rows of nothing."""

_OF_DATA: Final = frozenset({"caption", "colgroup", "tfoot", "th", "thead"})
_NOT_IN_DATA: Final = "table, h1, h2, h3, h4, h5, h6"


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


def only_arranges(table: LexborNode) -> bool:
    """Whether a table is there to put things beside each other: it says so, has a single cell, or has tables or headings in its
    cells; and has neither headers nor a border."""
    attributes = table.attributes
    if (attributes.get("role") or "").strip().lower() in ("none", "presentation"):
        return True
    own = list(_own_parts(table))
    if (attributes.get("border") or "0") != "0" or not _OF_DATA.isdisjoint(part.tag or "" for part in own):
        return False
    cells = [part for part in own if part.tag == "td"]
    return len(cells) == 1 or any(cell.css_first(_NOT_IN_DATA) is not None for cell in cells)


def _own_parts(table: LexborNode) -> Iterator[LexborNode]:
    """Groups, rows and cells of a table, without those of tables inside it."""
    for part in table.iter():
        yield part
        for row in part.iter() if part.tag in ("tbody", "tfoot", "thead") else (part,):
            yield from (row, *row.iter()) if row.tag == "tr" else ()
