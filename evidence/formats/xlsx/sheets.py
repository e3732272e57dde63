"""Sheets: the cells of one worksheet with what is shown in them, and what the sheet says about its rows and columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.formats import xml
from evidence.formats.opc import RELATION
from evidence.formats.xlsx import values
from evidence.formats.xlsx.manners import Manner
from evidence.formats.xlsx.styles import CellStyle
from evidence.formats.xml import Element, integer

MAX_CELLS: Final = 1_000_000
"""With something in them, in one workbook, or empty between two of a row. 100,000 rows of ten columns."""
MAX_CHARACTERS: Final = 20_000_000
"""In all cells: many of them can show the same long text, which the file holds only once."""
MAX_FROZEN: Final = 20
"""Rows that stay where they are while others move, if they are to be the head of a table."""

_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})(?::.*)?", re.ASCII)
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_", re.ASCII)
_ON: Final = ("1", "true")
_PLAIN: Final = CellStyle()
_LAST_COLUMN: Final = 16_384
_STRICT: Final = "{http://purl.oclc.org/ooxml/officeDocument/relationships}"
_EPOCH: Final = datetime(1899, 12, 30)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows. is_text: it is no number and the like."""

    column: int
    text: str
    is_text: bool
    style: CellStyle


@dataclass(slots=True)
class Row:
    """A row with what is shown in it."""

    number: int
    is_hidden: bool
    cells: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class Sheet:
    """What one worksheet shows, and says about itself.

    hidden: 1 at the number of each column that is. heads: numbers of the rows that name the columns. links: ids of
    relationships by (row, column). has_looks_of_its_own: tables or conditions can put a colour behind any cell. lacks_results:
    of formulas that nobody has calculated yet.
    """

    rows: list[Row] = field(default_factory=list)
    hidden: bytearray = field(default_factory=lambda: bytearray(_LAST_COLUMN + 1))
    heads: set[int] = field(default_factory=set)
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    drawings: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    has_looks_of_its_own: bool = False
    lacks_results: bool = False
    embeds: bool = False


class Reader:
    """Reads the worksheets of one workbook. Raises Refused (`sheet_cells`, `sheet_characters`) and what `xml.stream` does."""

    def __init__(self, texts: Sequence[str], styles: Sequence[CellStyle], manner: Manner, *, from_1904: bool) -> None:
        self._texts = texts
        self._styles = styles
        self._manner = manner
        self._from_1904 = from_1904
        self._cells = 0
        self._characters = 0

    def read(self, data: bytes, part: str) -> Sheet:
        """One worksheet."""
        sheet = Sheet()
        row, column = 0, 0
        for element in xml.stream(data, part, ("c", "row", *_SAID)):
            name = element.tag.rpartition("}")[2]
            if name == "row":
                row, column = integer(element.get("r"), row + 1), 0
            elif name == "c":
                parent = element.getparent()
                column = self._take(sheet, element, parent, row + 1, column + 1)
            else:
                _SAID[name](sheet, element)
        sheet.rows.sort(key=lambda one: one.number)
        return sheet

    def count(self, cells: int) -> None:
        """Count cells, also empty ones that are written."""
        self._cells += cells
        if self._cells > MAX_CELLS:
            message = gettext_noop("The sheets of this workbook have more than %(limit)d cells. Split it into several.")
            raise Refused("sheet_cells", message, limit=MAX_CELLS)

    def _take(self, sheet: Sheet, element: Element, parent: Element | None, row: int, column: int) -> int:
        """Take a cell; gives its column."""
        found = _REFERENCE.fullmatch(element.get("r", ""))
        column = column_number(found[1]) if found else column
        row = integer(None if parent is None else parent.get("r"), row)
        style = self._style(element)
        text, is_text = self._shown(sheet, element, style)
        if text.strip() and column <= _LAST_COLUMN:
            self.count(1)
            self._measure(text)
            if not sheet.rows or sheet.rows[-1].number != row:
                sheet.rows.append(Row(row, parent is not None and parent.get("hidden") in _ON))
            sheet.rows[-1].cells.append(Cell(column, text, is_text, style))
        return column

    def _measure(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            message = gettext_noop("The cells of this workbook show more than %(limit)d characters. Split it into several.")
            raise Refused("sheet_characters", message, limit=MAX_CHARACTERS)

    def _style(self, element: Element) -> CellStyle:
        at = integer(element.get("s"))
        return self._styles[at] if 0 <= at < len(self._styles) else _PLAIN

    def _shown(self, sheet: Sheet, element: Element, style: CellStyle) -> tuple[str, bool]:
        """What a cell shows, and whether that is a text."""
        kind = element.get("t", "n")
        if kind == "inlineStr":
            return values.text(plain(element), style.code), True
        value = next((child.text or "" for child in element if child.tag.endswith("}v")), "")
        if not value:
            sheet.lacks_results |= any(child.tag.endswith("}f") for child in element)
            return "", False
        match kind:
            case "s":
                at = integer(value, -1)
                return values.text(self._texts[at] if 0 <= at < len(self._texts) else "", style.code), True
            case "str":
                return values.text(unescaped(value), style.code), True
            case "b":
                return self._manner.truth[value in _ON], False
            case "e":
                return self._manner.errors.get(value, value), False
            case "d":
                return self._number(_serial(value), value, style), False
        return self._number(_float(value), value, style), False

    def _number(self, number: float | None, value: str, style: CellStyle) -> str:
        return value if number is None else values.number(number, style.code, self._manner, from_1904=self._from_1904)


def plain(element: Element) -> str:
    """The text of a shared or inline string: its runs, without what says how to pronounce them."""
    texts = (one for one in element.iter("{*}t") if not _is_pronunciation(one))
    return unescaped("".join(one.text or "" for one in texts))


def unescaped(text: str) -> str:
    """A text in which characters that XML can't hold are written as _x000D_; none of them but line ends can be seen."""
    return _ESCAPED.sub(lambda match: _character(int(match[1], 16)), text) if "_x" in text else text


def _character(code: int) -> str:
    return chr(code) if code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE else ""


def column_number(letters: str) -> int:
    """A is 1, XFD is 16,384."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def first_row(reference: str) -> int | None:
    """The row that a range begins with."""
    found = _REFERENCE.fullmatch(reference)
    return int(found[2]) if found else None


def _is_pronunciation(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag.endswith("}rPh")


def _float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _serial(value: str) -> float | None:
    try:
        return (datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=None) - _EPOCH).total_seconds() / 86_400
    except ValueError:
        return None


def _relation(element: Element) -> str:
    return element.get(f"{RELATION}id") or element.get(f"{_STRICT}id") or ""


def _col(sheet: Sheet, element: Element) -> None:
    if element.get("hidden") in _ON or element.get("width") == "0":
        first, last = max(1, integer(element.get("min"))), min(integer(element.get("max")), _LAST_COLUMN)
        sheet.hidden[first : last + 1] = b"\1" * max(0, last + 1 - first)


def _pane(sheet: Sheet, element: Element) -> None:
    rows = integer(element.get("ySplit"))
    if element.get("state") in ("frozen", "frozenSplit") and 0 < rows <= MAX_FROZEN:
        sheet.heads.add(rows)


def _auto_filter(sheet: Sheet, element: Element) -> None:
    row = first_row(element.get("ref", ""))
    sheet.heads.update(() if row is None else (row,))


def _hyperlink(sheet: Sheet, element: Element) -> None:
    found = _REFERENCE.fullmatch(element.get("ref", ""))
    if found:
        sheet.links[int(found[2]), column_number(found[1])] = _relation(element)


def _drawing(sheet: Sheet, element: Element) -> None:
    sheet.drawings.append(_relation(element))


def _table_part(sheet: Sheet, element: Element) -> None:
    sheet.has_looks_of_its_own = True
    sheet.tables.append(_relation(element))


def _condition(sheet: Sheet, element: Element) -> None:
    sheet.has_looks_of_its_own = True


def _embedded(sheet: Sheet, element: Element) -> None:
    sheet.embeds = True


_SAID: Final[dict[str, Callable[[Sheet, Element], None]]] = {
    "col": _col,
    "pane": _pane,
    "autoFilter": _auto_filter,
    "hyperlink": _hyperlink,
    "drawing": _drawing,
    "tablePart": _table_part,
    "conditionalFormatting": _condition,
    "oleObject": _embedded,
}
