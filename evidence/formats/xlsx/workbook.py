"""The workbook: goes through its sheets and writes what each of them shows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from evidence.content import Content, Note, PassageKind, SpanKind
from evidence.formats import drawing, xml
from evidence.formats.drawn import Drawn
from evidence.formats.flow import Flow
from evidence.formats.opc import RELATION, Office, Relationship
from evidence.formats.xlsx.manners import ENGLISH, GERMAN, Manner
from evidence.formats.xlsx.names import S
from evidence.formats.xlsx.sheets import Cell, Reader, Row, Sheet, first_row, plain
from evidence.formats.xlsx.styles import cell_styles
from evidence.formats.xml import Element

_HIDDEN: Final = "hidden"
_OUT_OF_REACH: Final = "veryHidden"
_ON: Final = ("1", "true")
_WRITTEN_IN_ENGLISH: Final = ("Worksheets", "Charts", "Named Ranges")
"""What an English Excel writes into the properties of a file about the parts of it."""
_GERMAN_CODE: Final = re.compile(r"-(?:407|807|C07)\]|d\\?\.\\? ?m", re.IGNORECASE)
"""A format of Germany, Switzerland or Austria, or a day before its month with a point between them."""


class Workbook:
    """Reads the sheets of a workbook in their order."""

    def __init__(self, office: Office, part: str, root: Element) -> None:
        self.notes: dict[Note, None] = {}
        self._office = office
        self._root = root
        self._targets = office.relationships(part)
        self._flow = Flow()
        self._read: set[str] = set()  # sheets: a file that shows one of them twice could grow without end
        styles = self._related(part, "styles")
        manner = _manner(office.property_part("extended-properties"), styles)
        properties = root.find(f"{S}workbookPr")
        self._reader = Reader(
            self._texts(part),
            cell_styles(styles, manner),
            manner,
            from_1904=properties is not None and properties.get("date1904") in _ON,
        )

    def content(self, title: str) -> Content:
        """What was read; the name of a sheet is no title."""
        return replace(self._flow.writer.content(), title=title)

    def read(self) -> None:
        """All sheets but those that nobody can bring to light in Excel."""
        for element in self._root.iterfind(f"{S}sheets/{S}sheet"):
            target = self._targets.get(element.get(f"{RELATION}id", ""))
            if target is None or target.external or target.target in self._read:
                continue
            self._read.add(target.target)
            if element.get("state") == _OUT_OF_REACH:
                self.notes[Note.NOT_SHOWN] = None
                continue
            is_hidden = element.get("state") == _HIDDEN
            if is_hidden:
                self._flow.writer.begin_mark(SpanKind.UNSEEN)
            self._sheet(element.get("name", ""), target)
            if is_hidden:
                self._flow.writer.end_mark(SpanKind.UNSEEN)

    def _related(self, part: str, kind: str) -> Element | None:
        name = next(iter(self._office.related(part, kind)), None)
        return None if name is None else self._office.tree(name)

    def _texts(self, part: str) -> Sequence[str]:
        name = next(iter(self._office.related(part, "sharedStrings")), "")
        data = self._office.bytes(name)
        return [] if data is None else [plain(one) for one in xml.stream(data, name, ("si",))]

    def _sheet(self, name: str, target: Relationship) -> None:
        data = self._office.bytes(target.target)
        if data is None:
            return
        links = self._office.relationships(target.target)
        sheet = self._reader.read(data, target.target)
        sheet.heads.update(self._heads(sheet, links))
        self._note(sheet)
        drawn = list(self._drawn(sheet, links))
        if sheet.rows or drawn:
            self._flow.begin(PassageKind.HEADING, level=1)
            self._flow.writer.write(name)
            self._flow.end()
        self._rows(sheet, links)
        for line in drawn:
            self._flow.line(line)

    def _note(self, sheet: Sheet) -> None:
        if sheet.lacks_results:
            self.notes[Note.NOT_SHOWN] = None
        if sheet.embeds:
            self.notes[Note.ATTACHMENTS] = None

    def _heads(self, sheet: Sheet, links: Mapping[str, Relationship]) -> Iterable[int]:
        """The first rows of what is set up as a table."""
        for name in sheet.tables:
            root = self._office.tree(links[name].target) if name in links else None
            if root is not None and root.get("headerRowCount", "1") != "0":
                row = first_row(root.get("ref", ""))
                yield from () if row is None else (row,)

    def _rows(self, sheet: Sheet, links: Mapping[str, Relationship]) -> None:
        """Each row that shows something, with a place for every column in which any row does."""
        columns = sorted({cell.column for row in sheet.rows for cell in row.cells})
        heads = sheet.heads or _head(sheet.rows)
        self._flow.begin_table()
        for row in sheet.rows:
            self._flow.begin_row(names_columns=row.number in heads)
            place = 0
            for cell in sorted(row.cells, key=lambda one: one.column):
                at = bisect_left(columns, cell.column)
                self._reader.count(max(0, at - place))
                for _ in range(at - place):
                    self._flow.begin_cell()
                    self._flow.end_cell()
                place = at + 1
                self._cell(cell, row, sheet, links)
            self._flow.end_row()
        self._flow.end_table()

    def _cell(self, cell: Cell, row: Row, sheet: Sheet, links: Mapping[str, Relationship]) -> None:
        is_hidden = row.is_hidden or bool(sheet.hidden[cell.column])
        is_unseen = is_hidden or (cell.style.is_white and not sheet.has_looks_of_its_own)
        target = links.get(sheet.links.get((row.number, cell.column), ""))
        address = target.target if target is not None and target.external else ""
        self._flow.begin_cell()
        self._flow.mark([SpanKind.UNSEEN] if is_unseen else [])
        if address:
            self._flow.writer.begin_mark(SpanKind.LINK, address)
        for line in cell.text.split("\n"):
            self._flow.writer.write(line)
            self._flow.writer.next_line()
        if address:
            self._flow.writer.end_mark(SpanKind.LINK)
        self._flow.mark([])
        self._flow.end_cell()

    def _drawn(self, sheet: Sheet, links: Mapping[str, Relationship]) -> Iterable[str]:
        """The words of what lies on top of a sheet."""
        for name in sheet.drawings:
            part = links[name].target if name in links else ""
            root = self._office.tree(part) if part else None
            if root is None:
                continue
            drawn = Drawn()
            drawn.take(root)
            targets = self._office.relationships(part)
            yield from (*drawn.descriptions, *filter(str.strip, drawn.lines))
            for chart in dict.fromkeys(drawn.charts):
                self.notes[Note.NOT_SHOWN] = None
                found = self._office.tree(targets[chart].target) if chart in targets else None
                yield from () if found is None else drawing.chart(found)


def _head(rows: Sequence[Row]) -> set[int]:
    """The first row of several cells, if they are nothing but text, and bold or above something that is none."""
    at = next((at for at, row in enumerate(rows) if len(row.cells) > 1), len(rows))
    if at == len(rows) or not all(cell.is_text for cell in rows[at].cells):
        return set()
    is_bold = all(cell.style.bold for cell in rows[at].cells)
    is_above = any(not cell.is_text for row in rows[at + 1 : at + 2] for cell in row.cells)
    return {rows[at].number} if is_bold or is_above else set()


def _manner(properties: Element | None, styles: Element | None) -> Manner:
    """How numbers are written: as where the file was written if that was in English, else as in German.

    A file holds no language. But Excel writes into its properties, in its own language, what kinds of sheets it has; programs
    that write as an English Excel does still write dates and currencies in their own way.
    """
    said = "" if properties is None else " ".join(map(str, properties.itertext()))
    codes = () if styles is None else (one.get("formatCode", "") for one in styles.iter(f"{S}numFmt"))
    is_english = any(words in said for words in _WRITTEN_IN_ENGLISH) and not any(map(_GERMAN_CODE.search, codes))
    return ENGLISH if is_english else GERMAN
