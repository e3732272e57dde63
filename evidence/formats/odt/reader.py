"""The reader: walks an OpenDocument text in the order of its text and tells the writer what someone sees who has it on paper.

What hangs on a paragraph, boxes and notes, follows it. What lies inside a table's cell is lines of that cell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.content import Content, Note, PassageKind, SpanKind
from evidence.errors import Refused, gettext_noop
from evidence.formats.flow import Flow
from evidence.formats.odt.names import DRAW, OFFICE, STYLE, SVG, TABLE, TEXT, XLINK
from evidence.formats.odt.numbering import LEVELS, ListStyle, Numbering, Numbers, starting
from evidence.formats.odt.styles import Style, Styles, automatic, is_coloured
from evidence.formats.opc import MAX_TARGET
from evidence.formats.sight import PAPER, PLAIN, is_unseen
from evidence.formats.xml import Element, integer

MAX_HEADING: Final = 6
MAX_COPIES: Final = 10_000
"""Of rows and cells that stand for several of the same words; no text document has any."""

_MARKS: Final = (SpanKind.UNSEEN, SpanKind.STRONG, SpanKind.EMPHASIS)
_RUNNING: Final = {
    "header": ("header-first", "header", "header-left"),
    "footer": ("footer-first", "footer", "footer-left"),
}
_INDEXES: Final = tuple(
    f"{TEXT}{name}"
    for name in (
        "table-of-content",
        "illustration-index",
        "table-index",
        "object-index",
        "user-index",
        "alphabetical-index",
        "bibliography",
    )
)
_ROWS: Final = tuple(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))
_CELLS: Final = (f"{TABLE}table-cell", f"{TABLE}covered-table-cell")


@dataclass(slots=True)
class _List:
    """A list that is open. waiting: the item that has no paragraph yet."""

    style: str
    numbers: Numbers
    waiting: Element | None = None


class Reader:
    """Reads `content.xml` and the running headers and footers of `styles.xml`."""

    def __init__(self, content: Element, styles: Element | None) -> None:
        common = None if styles is None else styles.find(f"{OFFICE}styles")
        self.notes: dict[Note, None] = {}
        self._content = content
        self._pages = styles
        self._body_styles = Styles((automatic(content), common))
        self._page_styles = Styles((automatic(styles), common))
        self._styles = self._body_styles
        self._outline = ListStyle(None if common is None else common.find(f"{TEXT}outline-style"))
        self._list_styles: dict[tuple[int, str], ListStyle] = {}
        self._numbering = Numbering()
        self._lists: list[_List] = []
        self._begun = 0
        self._flow = Flow()
        self._ground = None if styles is not None and is_coloured(styles) else PAPER
        self._behind: str | None = self._ground
        self._base = self._own = PLAIN
        self._shapes: list[Element] = []
        self._pending: deque[tuple[str, Element]] = deque()
        self._cited: list[tuple[str, Element]] = []
        self._in_note = False
        self._prefix = ""
        self._copies = 0

    def content(self, title: str) -> Content:
        """What was read."""
        return self._flow.writer.content(title)

    def read(self, body: Element) -> None:
        """Running headers, the text with its notes, running footers."""
        pages = list(_master_pages(self._content, self._pages))
        self._running(pages, "header")
        self._blocks(body)
        self._flow.writer.end_outline()
        self._running(pages, "footer")

    def _running(self, pages: Sequence[Element], kind: str) -> None:
        said: set[str] = set()
        self._styles = self._page_styles
        for page in pages:
            for element in (found for name in _RUNNING[kind] for found in page if found.tag.endswith(f"}}{name}")):
                words = "".join(map(str, element.itertext()))
                if words not in said and element.get(f"{STYLE}display") != "false":
                    said.add(words)
                    self._flow.writer.begin_mark(SpanKind.RUNNING)
                    self._blocks(element)
                    self._flow.writer.end_mark(SpanKind.RUNNING)
        self._styles = self._body_styles

    def _blocks(self, parent: Element) -> None:
        for child in parent:
            step = _BLOCKS.get(child.tag)
            if step is not None:
                step(self, child)

    def _section(self, element: Element) -> None:
        if element.get(f"{TEXT}display") != "none" and element.get(f"{TEXT}is-hidden") != "true":
            self._blocks(element)

    def _index(self, element: Element) -> None:
        for body in element.iterchildren(f"{TEXT}index-body"):
            self._blocks(body)

    def _paragraph(self, element: Element) -> None:
        if any(one.get(f"{TEXT}is-hidden") == "true" for one in element.iter(f"{TEXT}hidden-paragraph")):
            return
        style = self._styles.get("paragraph", element.get(f"{TEXT}style-name"))
        self._begin(element, style)
        self._base, self._own = style.look, PLAIN
        self._behind = style.fill or self._ground
        self._inline(element)
        self._flow.mark(())
        self._flow.end()
        self._after()

    def _begin(self, element: Element, style: Style) -> None:
        """Begin the passage, or line of a cell, that a paragraph is."""
        in_list = bool(self._lists) and self._lists[-1].waiting is not None
        marker = self._list_marker() if in_list else self._outline_marker(element, style)
        markers, self._prefix = (self._prefix, marker), ""
        if element.tag == f"{TEXT}h":
            level = max(1, min(integer(element.get(f"{TEXT}outline-level"), 1), MAX_HEADING))
            self._flow.begin(PassageKind.HEADING, level=level, markers=markers)
        elif style.is_title:
            self._flow.begin(PassageKind.HEADING, level=1, markers=markers)
        elif marker:
            self._flow.begin(PassageKind.LIST_ITEM, level=len(self._lists), group=f"list {self._begun}", markers=markers)
        else:
            self._flow.begin(PassageKind.QUOTE if style.is_quote else PassageKind.PARAGRAPH, markers=markers)

    def _list_marker(self) -> str:
        opened = self._lists[-1]
        item, opened.waiting = opened.waiting, None
        assert item is not None  # only asked for when one is waiting
        style = self._list_style(item.get(f"{TEXT}style-override") or opened.style)
        return style.next(opened.numbers, len(self._lists), starting(item))

    def _outline_marker(self, element: Element, style: Style) -> str:
        """The number of a heading that is part of no list."""
        if element.tag != f"{TEXT}h" or self._lists or style.lists == "" or element.get(f"{TEXT}is-list-header") == "true":
            return ""
        restarts = element.get(f"{TEXT}restart-numbering") == "true"
        start = (starting(element) or 1) if restarts else None
        return self._outline.next(self._numbering.outline, integer(element.get(f"{TEXT}outline-level"), 1), start)

    def _list_style(self, name: str) -> ListStyle:
        key = (id(self._styles), name)
        if key not in self._list_styles:
            self._list_styles[key] = ListStyle(self._styles.list_style(name))
        return self._list_styles[key]

    def _list(self, element: Element) -> None:
        outer = self._lists[-1] if self._lists else None
        style = element.get(f"{TEXT}style-name") or (outer.style if outer else "")
        numbers = outer.numbers if outer else self._numbering.begin(element, style)
        self._begun += outer is None
        self._lists.append(_List(style, numbers))
        for child in element:
            if child.tag in (f"{TEXT}list-item", f"{TEXT}list-header"):
                self._lists[-1].waiting = child if child.tag == f"{TEXT}list-item" else None
                self._blocks(child)
        self._lists.pop()

    def _numbered_paragraph(self, element: Element) -> None:
        level = max(1, min(integer(element.get(f"{TEXT}level"), 1), LEVELS))
        numbers = self._numbering.named(element.get(f"{TEXT}list-id", ""))
        lists, self._lists = self._lists, [_List(element.get(f"{TEXT}style-name", ""), numbers) for _ in range(level)]
        self._lists[-1].waiting = element
        self._blocks(element)
        self._lists = lists

    def _inline(self, parent: Element) -> None:
        self._write(parent.text)
        for child in parent:
            _INLINE.get(child.tag, Reader._inline)(self, child)
            self._write(child.tail)

    def _write(self, text: str | None) -> None:
        if not text:
            return
        shown = self._own.over(self._base)
        if not shown.hidden:
            wanted = zip(_MARKS, (is_unseen(shown, self._behind), self._own.bold, self._own.italic), strict=True)
            self._flow.mark([kind for kind, is_wanted in wanted if is_wanted])
            self._flow.text(text, shown)

    def _span(self, element: Element) -> None:
        before = self._own
        self._own = self._styles.get("text", element.get(f"{TEXT}style-name")).look.over(before)
        self._inline(element)
        self._own = before

    def _link(self, element: Element) -> None:
        address = element.get(f"{XLINK}href", "")
        self._flow.mark(())
        is_address = not address.startswith("#") and 0 < len(address) <= MAX_TARGET
        if is_address:
            self._flow.writer.begin_mark(SpanKind.LINK, address)
        self._inline(element)
        self._flow.mark(())
        if is_address:
            self._flow.writer.end_mark(SpanKind.LINK)

    def _space(self, element: Element) -> None:
        self._flow.writer.write(" ")

    def _break(self, element: Element) -> None:
        self._flow.writer.break_line()

    def _field(self, element: Element) -> None:
        if element.get(f"{TEXT}display") != "none" and element.get(f"{TEXT}is-hidden") != "true":
            self._inline(element)

    def _ruby(self, element: Element) -> None:
        """A word with its pronunciation above it."""
        for base in element.iterchildren(f"{TEXT}ruby-base"):
            self._inline(base)
        for above in element.iterchildren(f"{TEXT}ruby-text"):
            self._write(f"({''.join(map(str, above.itertext()))})")

    def _note(self, element: Element) -> None:
        citation, body = element.find(f"{TEXT}note-citation"), element.find(f"{TEXT}note-body")
        number = "" if citation is None else "".join(map(str, citation.itertext()))
        is_own_mark = citation is not None and citation.get(f"{TEXT}label") is not None
        marker = number if is_own_mark or not number else f"[{number}]"
        self._write(marker)
        if body is not None and not self._own.over(self._base).hidden:
            self._cited.append((marker, body))

    def _skip(self, element: Element) -> None:
        """Nothing of it is seen here."""

    def _anchored(self, element: Element) -> None:
        """A frame or shape: what it is a picture of stands in the text, what is written in it follows."""
        if self._own.over(self._base).hidden:
            return
        for description in _descriptions(element):
            self._write(f" {description} ")
        self._shapes.append(element)

    def _drawn(self, element: Element) -> None:
        """A frame or shape that hangs on a page."""
        for description in _descriptions(element):
            self._flow.line(description)
        self._shape(element)

    def _shape(self, element: Element) -> None:
        ground, self._ground = self._ground, None
        lists, self._lists = self._lists, []
        if element.tag == f"{DRAW}frame":
            self._frame(element)
        else:
            self._blocks(element)
        self._ground, self._lists = ground, lists

    def _frame(self, element: Element) -> None:
        """The first of several ways to show something."""
        for child in element:
            if child.tag in (f"{DRAW}text-box", f"{TABLE}table"):
                self._blocks(child if child.tag == f"{DRAW}text-box" else element)
                return
            if child.tag in (f"{DRAW}object", f"{DRAW}object-ole", f"{DRAW}plugin", f"{DRAW}floating-frame"):
                self.notes[Note.NOT_SHOWN] = None
                return
            if child.tag == f"{DRAW}image":
                return

    def _after(self) -> None:
        """What hangs on a paragraph: first what is drawn beside it, then its notes, unless it is part of a table."""
        shapes, self._shapes = self._shapes, []
        cited, self._cited = self._cited, []
        for shape in shapes:
            self._shape(shape)
        self._pending.extend(cited)
        if not self._flow.in_cell and not self._in_note:
            self._write_notes()

    def _write_notes(self) -> None:
        lists, self._lists = self._lists, []
        self._in_note = True
        while self._pending:
            self._prefix, body = self._pending.popleft()
            self._blocks(body)
        self._prefix, self._in_note = "", False
        self._lists = lists

    def _table(self, element: Element) -> None:
        lists, self._lists = self._lists, []
        rows = list(_rows(element, names_columns=False))
        ground, self._ground = self._ground, self._fill("table", element)
        if self._flow.in_cell or (len(rows) == 1 and len(rows[0][0].findall(_CELLS[0])) == len(rows[0][0]) == 1):
            for row, _ in rows:
                for cell in row.iterchildren(_CELLS[0]):
                    self._fill_cell(cell)
        else:
            self._flow.begin_table()
            for row, names_columns in rows:
                self._row(row, names_columns=names_columns)
            self._flow.end_table()
        self._ground, self._lists = ground, lists
        if not self._flow.in_cell and not self._in_note:
            self._write_notes()

    def _row(self, row: Element, *, names_columns: bool) -> None:
        if not "".join(map(str, row.itertext())).strip() and row.find(f".//{DRAW}frame") is None:
            return
        times = max(1, integer(row.get(f"{TABLE}number-rows-repeated"), 1))
        self._count(times)
        for _ in range(times):
            self._flow.begin_row(names_columns=names_columns)
            for cell in row.iterchildren(*_CELLS):
                self._cell(cell)
            self._flow.end_row()

    def _cell(self, cell: Element) -> None:
        times = max(1, integer(cell.get(f"{TABLE}number-columns-repeated"), 1))
        if cell.tag != _CELLS[0] or not len(cell):
            self._flow.skip(times)
            return
        self._count(times)
        for _ in range(times):
            self._flow.begin_cell()
            self._fill_cell(cell)
            self._flow.end_cell()

    def _count(self, times: int) -> None:
        self._copies += times - 1
        if self._copies > MAX_COPIES:
            message = gettext_noop("Rows and cells of this table are repeated more than %(limit)d times. Split it into several.")
            raise Refused("table_repeats", message, limit=MAX_COPIES)

    def _fill_cell(self, cell: Element) -> None:
        ground, self._ground = self._ground, self._fill("table-cell", cell)
        self._blocks(cell)
        self._ground = ground

    def _fill(self, family: str, element: Element) -> str | None:
        return self._styles.get(family, element.get(f"{TABLE}style-name")).fill or self._ground


_Step = Callable[[Reader, Element], None]
_SHAPES: Final = tuple(
    f"{DRAW}{name}"
    for name in (
        "frame",
        "custom-shape",
        "rect",
        "ellipse",
        "circle",
        "polygon",
        "polyline",
        "path",
        "line",
        "connector",
        "caption",
        "g",
        "a",
    )
)
_BLOCKS: Final[dict[str, _Step]] = {
    **dict.fromkeys((f"{TEXT}p", f"{TEXT}h"), Reader._paragraph),
    f"{TEXT}list": Reader._list,
    f"{TEXT}numbered-paragraph": Reader._numbered_paragraph,
    f"{TEXT}section": Reader._section,
    f"{TEXT}index-title": Reader._section,
    **dict.fromkeys(_INDEXES, Reader._index),
    f"{TABLE}table": Reader._table,
    **dict.fromkeys(_SHAPES, Reader._drawn),
}
_INLINE: Final[dict[str, _Step]] = {
    **dict.fromkeys((f"{TEXT}s", f"{TEXT}tab"), Reader._space),
    f"{TEXT}line-break": Reader._break,
    f"{TEXT}span": Reader._span,
    f"{TEXT}a": Reader._link,
    f"{TEXT}note": Reader._note,
    f"{TEXT}ruby": Reader._ruby,
    **dict.fromkeys(
        (f"{TEXT}{name}" for name in ("hidden-text", "variable-set", "user-field-get", "variable-get", "sequence")), Reader._field
    ),
    **dict.fromkeys((f"{TEXT}script", f"{TEXT}number", f"{TEXT}hidden-paragraph"), Reader._skip),
    **dict.fromkeys((f"{OFFICE}annotation", f"{OFFICE}event-listeners", f"{DRAW}control"), Reader._skip),
    **dict.fromkeys(_SHAPES, Reader._anchored),
}


def _rows(parent: Element, *, names_columns: bool) -> Iterator[tuple[Element, bool]]:
    """The rows of a table that are shown, and whether they name the columns."""
    for child in parent:
        if child.tag in _ROWS:
            yield from _rows(child, names_columns=names_columns or child.tag == _ROWS[0])
        elif child.tag == f"{TABLE}table-row" and child.get(f"{TABLE}visibility", "visible") == "visible":
            yield child, names_columns


def _descriptions(element: Element) -> Sequence[str]:
    """What is said of a picture for those who do not see it."""
    said = (element.findtext(f"{SVG}{name}") or "" for name in ("title", "desc"))
    return list(dict.fromkeys(" ".join(one.split()) for one in said if one.strip()))


def _master_pages(content: Element, styles: Element | None) -> Iterator[Element]:
    """The pages that a text begins with, changes to, or goes on with."""
    found = {} if styles is None else {one.get(f"{STYLE}name", ""): one for one in styles.iter(f"{STYLE}master-page")}
    asked = dict.fromkeys(one.get(f"{STYLE}master-page-name", "") for one in content.iter(f"{STYLE}style"))
    names = deque([*list(found)[:1], *asked])
    while names:
        page = found.pop(names.popleft(), None)
        if page is not None:
            yield page
            names.append(page.get(f"{STYLE}next-style-name", ""))
