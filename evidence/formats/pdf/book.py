"""The book: all pages written one after the other, each in one piece."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evidence.content import PassageKind
from evidence.formats.pdf import joints
from evidence.formats.pdf.blocks import Block
from evidence.formats.pdf.running import Running
from evidence.formats.pdf.streams import Stream
from evidence.formats.pdf.tabled import Table
from evidence.formats.pdf.writing import Writer

_SAME_PLACE: Final = 10.0
"""Points that a table may begin farther left or right on the next page."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a book holds. count: of pages. main: the text. others: what stands on pages outside their text, in this order.

    edges: running headers and footers. places: for each table its line in main.
    """

    count: int
    main: Stream
    others: Sequence[Stream]
    edges: Sequence[Running]
    tables: Sequence[Table]
    places: Sequence[int]


def write(writer: Writer, contents: Contents) -> None:
    """All pages."""
    outside = [_by_page(other) for other in contents.others]
    crowded = {edge.page for edge in contents.edges}.union(*outside)
    book = _Book(writer, replace(contents, main=contents.main.cut(crowded)), outside)
    book.write()


def _by_page(stream: Stream) -> Mapping[int, Sequence[Block]]:
    blocks: Mapping[int, list[Block]] = defaultdict(list)
    for block in stream.blocks:
        blocks[stream.pages(block)[0]].append(block)
    return blocks


class _Book:
    """Writes page after page."""

    def __init__(self, writer: Writer, contents: Contents, outside: Sequence[Mapping[int, Sequence[Block]]]) -> None:
        """outside: for each of the other streams the blocks on each page."""
        self._writer, self._contents, self._main, self._outside = writer, contents, contents.main, outside
        self._units: Mapping[int, list[Block | Table]] = defaultdict(list)
        for page, unit in _units(contents):
            self._units[page].append(unit)
        self._edges: Mapping[tuple[int, bool], list[Running]] = defaultdict(list)
        for edge in contents.edges:
            self._edges[edge.page, edge.is_footer].append(edge)
        self._above: tuple[Table, int | None] | None = None

    def write(self) -> None:
        """All pages."""
        begun = 0
        for page in range(self._contents.count):
            if page == begun:
                self._begin_page(page)
                begun += 1
            units = self._units.get(page, [])
            last = units[-1] if units else None
            goes_on = isinstance(last, Block) and self._main.pages(last)[1] > page
            for unit in units[:-1] if goes_on else units:
                self._write_unit(unit)
            for stream, blocks in zip(self._contents.others, self._outside, strict=True):
                for block in blocks.get(page, ()):
                    self._write_block(stream, block)
            self._write_edges(page, is_footer=True)
            if goes_on and isinstance(last, Block):
                begun = self._write_over(last)

    def _begin_page(self, page: int) -> None:
        self._writer.begin_page()
        self._write_edges(page, is_footer=False)

    def _write_edges(self, page: int, *, is_footer: bool) -> None:
        for edge in self._edges.get((page, is_footer), ()):
            self._writer.begin(PassageKind.PARAGRAPH)
            self._writer.add(edge.pieces, [joints.BLANK] * len(edge.pieces))
            self._writer.mark_running(repeated=edge.repeated)

    def _write_unit(self, unit: Block | Table) -> None:
        if isinstance(unit, Table):
            self._write_table(unit)
        else:
            self._above = None
            self._write_block(self._main, unit)

    def _write_block(self, stream: Stream, block: Block) -> None:
        self._writer.begin(block.kind, level=block.level)
        self._writer.add(*stream.pieces(block.first, block.last))

    def _write_over(self, block: Block) -> int:
        """A block that goes on over the end of its page. Returns the number of the page after that on which it ends."""
        self._above = None
        first, last = self._main.pages(block)
        self._writer.begin(block.kind, level=block.level)
        at = block.first
        for page in range(first + 1, last + 1):
            border = self._main.first_line(page, at)
            self._writer.add(*self._main.pieces(at, border))
            self._writer.begin_page()
            at = border
        self._writer.add(*self._main.pieces(at, block.last))
        for page in range(first + 1, last + 1):
            self._write_edges(page, is_footer=False)
        return last + 1

    def _write_table(self, table: Table) -> None:
        """Rows, below the head that their own table or the one that goes on in it has."""
        columns = self._writer.number if table.has_head else self._head_above(table)
        for number, row in enumerate(table.rows):
            is_head = table.has_head and not number
            self._writer.begin(PassageKind.TABLE_ROW, columns=None if is_head else columns, apart=not number)
            self._writer.add_row(row)
        self._above = table, columns

    def _head_above(self, table: Table) -> int | None:
        """The head of the table that ends the page before, if this one goes on with it."""
        if self._above is None:
            return None
        above, columns = self._above
        goes_on = above.page + 1 == table.page and abs(above.left - table.left) <= _SAME_PLACE
        return columns if goes_on and len(above.rows[0]) == len(table.rows[0]) else None


def _units(contents: Contents) -> Iterator[tuple[int, Block | Table]]:
    """Blocks and tables in reading order, each with the page on which it begins."""
    waiting = list(zip(contents.places, contents.tables, strict=True))[::-1]
    for block in contents.main.blocks:
        while waiting and waiting[-1][0] <= block.first:
            table = waiting.pop()[1]
            yield table.page, table
        yield contents.main.pages(block)[0], block
    for _, table in reversed(waiting):
        yield table.page, table
