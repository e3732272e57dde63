"""Flow: what office formats tell the writer. Inside a table's cell, passages are lines of that cell."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from evidence.content import PassageKind, SpanKind
from evidence.formats import omml, symbols
from evidence.formats.sight import Look
from evidence.formats.tables import MAX_SPAN, Table
from evidence.formats.writer import Writer

MAX_FILLED: Final = 100_000
"""Empty cells in one document for places that a wide or high cell covers, or that a row leaves out."""


class Flow:
    """Passages and tables in the order of their text."""

    def __init__(self) -> None:
        self.writer = Writer()
        self._open: set[SpanKind] = set()
        self._cells = 0
        self._filled = 0
        self._groups: dict[str, int] = {}
        self._tables: list[Table] = []

    @property
    def in_cell(self) -> bool:
        """Whether what comes next is part of a table's cell."""
        return self._cells > 0

    def begin(self, kind: PassageKind, *, level: int = 0, group: str = "", markers: Iterable[str] = ()) -> None:
        """Begin a passage, or a line of a cell, with its markers. Items of one group stand close together."""
        if not self._cells:
            self.writer.open(kind, level=level, group=self._group(group) if group else 0)
        for marker in filter(None, markers):
            self.writer.write_marker(marker)

    def end(self) -> None:
        """End the passage or the line."""
        if not self._cells:
            self.writer.close()
        elif self.writer.is_open:
            self.writer.next_line()

    def line(self, text: str) -> None:
        """A paragraph, or line of a cell, that is nothing but text."""
        self.begin(PassageKind.PARAGRAPH)
        self.writer.write_verbatim(text.strip())
        self.end()

    def text(self, text: str, look: Look) -> None:
        """Text as it looks: in a symbol font it is signs, and numbers that stand high are raised."""
        text = symbols.shown(text, look.font)
        self.writer.write(omml.raised(text) if look.raised and text.isdecimal() else text)

    def mark(self, wanted: Collection[SpanKind]) -> None:
        """Begin and end marks so that these are open: neighbouring runs of one look have one mark."""
        for kind in self._open.difference(wanted):
            self.writer.end_mark(kind)
            self._open.remove(kind)
        for kind in wanted:
            if kind not in self._open:
                self.writer.begin_mark(kind)
                self._open.add(kind)

    def begin_table(self) -> None:
        """Begin a table; not inside a cell, where a table is lines like anything else."""
        self._tables.append(Table(self._group(f"table {len(self._groups)}")))

    def end_table(self) -> None:
        """End the table that began last."""
        self._tables.pop()

    def begin_row(self, *, names_columns: bool) -> None:
        """Begin a row of the table that began last."""
        table = self._tables[-1]
        table.begin_row(only_headers=names_columns)
        self.writer.open(PassageKind.TABLE_ROW, group=table.group, columns=None if table.is_header else table.columns)

    def end_row(self) -> None:
        """End the row."""
        table, number = self._tables[-1], self.writer.number
        self._fill(table)
        self.writer.close()
        table.end_row(number if self.writer.number > number else None)

    def begin_cell(self) -> None:
        """Begin a cell of the row."""
        self._fill(self._tables[-1])
        self.writer.begin_cell()
        self._cells += 1

    def end_cell(self, *, columns: int = 1, rows: int = 1) -> None:
        """End the cell, which covers so many columns and rows."""
        self._cells -= 1
        self.writer.end_cell()
        is_full = self._filled >= MAX_FILLED
        self._tables[-1].end_cell(rows=1 if is_full else rows, columns=1 if is_full else columns)

    def skip(self, count: int) -> None:
        """Leave so many places of the row empty, MAX_SPAN at most."""
        for _ in range(min(count, MAX_SPAN) if self._filled < MAX_FILLED else 0):
            self.begin_cell()
            self.end_cell()
            self._filled += 1

    def _fill(self, table: Table) -> None:
        """Empty cells in the places that a cell above or beside covers."""
        while table.next_is_covered():
            self._filled += 1
            self.writer.begin_cell()
            self.writer.end_cell()

    def _group(self, name: str) -> int:
        return self._groups.setdefault(name, len(self._groups) + 1)
