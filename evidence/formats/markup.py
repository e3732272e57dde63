"""Markup: HTML to Content as a reader sees it, by walking the tree that a browser's parser builds. Loads and runs nothing.

Out: what is never shown (scripts, styles, templates, comments, `hidden`, `display: none`). In: alternative texts of images,
the markers of list items, closed details. A table's row is one passage; what lies inside a cell, other tables included, is
lines of that cell. A cell over several columns or rows stands where it begins, with empty cells in the places it covers, so
that every cell stands in its own column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from evidence.content import Content, PassageKind, SpanKind
from evidence.formats.depth import refuse_deep
from evidence.formats.elements import BLOCKS, NEVER_SHOWN
from evidence.formats.markers import ListMarkers
from evidence.formats.tables import Table
from evidence.formats.writer import Writer

MAX_FILLED: Final = 100_000
"""Empty cells in one document for covered places; a table of 1,000 rows and 100 columns that are all one cell."""

_SPACE: Final = " \t\n\r"
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_MARKS: Final = {
    **dict.fromkeys(("strong", "b"), SpanKind.STRONG),
    **dict.fromkeys(("em", "i"), SpanKind.EMPHASIS),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), SpanKind.CODE),
}
_HIDDEN_STYLE: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_UNMARKED: Final = re.compile(r"list-style(?:-type)?\s*:\s*none", re.IGNORECASE)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


def extract(html: str, *, delimiters: str = "", title: str = "") -> Content:
    """The content of an HTML text.

    delimiters: an attribute of `ol` that holds what follows its numbers ("." unless it says something else); its name must be
    one that the document cannot know. title: of the document; else its first heading of level 1 is.
    Raises Refused (`markup_too_deep`).
    """
    refuse_deep(html)
    body = LexborHTMLParser(html).body
    reader = _Reader(delimiters)
    if body is not None:
        reader.read(body)
    return reader.writer.content(title)


class _Reader:
    """Walks a tree in the order of its text and tells the writer. `enter` and `leave` meet every element once each."""

    def __init__(self, delimiters: str) -> None:
        self.writer = Writer()
        self._delimiters = delimiters
        self._groups = 0
        self._heading = 0
        self._quotes = 0
        self._verbatim = 0
        self._cells = 0
        self._filled = 0
        self._lists: list[ListMarkers] = []
        self._tables: list[Table] = []
        self._markers: list[str] = []

    def read(self, root: LexborNode) -> None:
        """Everything below root, without recursion: depth is no reason to fail."""
        path, node = [root], root.first_child
        while True:
            if node is None:
                node = path.pop()
                if not path:
                    return
                self.leave(node)
                node = node.next
            elif self.enter(node):
                path.append(node)
                node = node.first_child
            else:
                node = node.next

    def enter(self, node: LexborNode) -> bool:
        """Begin an element or take a text; says whether to go inside."""
        tag = node.tag
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if not node.is_element_node or tag in NEVER_SHOWN or _is_hidden(node):
            return False
        if tag in BLOCKS:
            self._boundary()
        if tag in _MARKS and not self._verbatim:
            self.writer.begin_mark(_MARKS[tag])
        elif tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in _ENTER:
            _ENTER[tag](self, node)
        return True

    def leave(self, node: LexborNode) -> None:
        """End an element that was entered."""
        tag = node.tag
        if tag in _MARKS and not self._verbatim:
            self.writer.end_mark(_MARKS[tag])
        elif tag in _HEADINGS:
            self._heading = 0
        elif tag in _LEAVE:
            _LEAVE[tag](self, node)
        if tag in BLOCKS:
            self._boundary()

    def _text(self, run: str) -> None:
        is_blank = not run.strip(_SPACE)
        if not self.writer.is_open:
            if is_blank and not self._verbatim:
                return
            self._begin()
        if self._markers and not is_blank:
            self._write_markers()
        if self._verbatim:
            self.writer.write_verbatim(run)
        else:
            self.writer.write(run)

    def _begin(self) -> None:
        """Begin the passage that text at this place belongs to."""
        if self._verbatim:
            self._write_lone_markers()
            self.writer.open(PassageKind.CODE)
        elif self._heading and not self._quotes:
            self.writer.open(PassageKind.HEADING, level=self._heading)
        elif self._markers:
            self._open_item()
        else:
            self.writer.open(PassageKind.QUOTE if self._quotes else PassageKind.PARAGRAPH)

    def _open_item(self) -> None:
        self.writer.open(PassageKind.LIST_ITEM, level=len(self._lists) or 1, group=self._lists[0].group if self._lists else 0)

    def _write_markers(self) -> None:
        markers, self._markers = self._markers, []
        for marker in filter(None, markers):
            self.writer.write_marker(marker)

    def _write_lone_markers(self) -> None:
        """The markers of items whose own text is none, or stands in passages of another kind."""
        if self._markers:
            if not self._cells:
                self._open_item()
            self._write_markers()
            self._boundary()

    def _boundary(self) -> None:
        if not self._cells:
            self.writer.close()
        elif self.writer.is_open:
            self.writer.next_line()

    def _enter_break(self, node: LexborNode) -> None:
        if self._verbatim:
            self._text("\n")
        elif self.writer.is_open:
            self.writer.break_line()

    def _enter_image(self, node: LexborNode) -> None:
        self._text(node.attributes.get("alt") or "")

    def _enter_link(self, node: LexborNode) -> None:
        self.writer.begin_mark(SpanKind.LINK, node.attributes.get("href") or "")

    def _leave_link(self, node: LexborNode) -> None:
        self.writer.end_mark(SpanKind.LINK)

    def _enter_quote(self, node: LexborNode) -> None:
        self._quotes += 1

    def _leave_quote(self, node: LexborNode) -> None:
        self._quotes -= 1

    def _enter_verbatim(self, node: LexborNode) -> None:
        self._verbatim += 1

    def _leave_verbatim(self, node: LexborNode) -> None:
        self._verbatim -= 1

    def _enter_list(self, node: LexborNode) -> None:
        self._groups += 1
        self._lists.append(_list(node, self._groups, self._delimiters))

    def _leave_list(self, node: LexborNode) -> None:
        self._lists.pop()

    def _enter_item(self, node: LexborNode) -> None:
        owner = self._lists[-1] if self._lists else ListMarkers(0, "bullet")
        owner.number = _integer(node, "value", owner.number)
        self._markers.append(owner.next())

    def _leave_item(self, node: LexborNode) -> None:
        self._write_lone_markers()

    def _enter_table(self, node: LexborNode) -> None:
        if not self._cells:
            self._groups += 1
            self._tables.append(Table(self._groups))

    def _leave_table(self, node: LexborNode) -> None:
        if not self._cells:
            self._tables.pop()

    def _enter_head(self, node: LexborNode) -> None:
        if self._tables and not self._cells:
            self._tables[-1].in_head = True

    def _leave_row_group(self, node: LexborNode) -> None:
        if self._tables and not self._cells:
            self._tables[-1].end_group()

    def _enter_row(self, node: LexborNode) -> None:
        if self._tables and not self._cells:
            self._write_lone_markers()
            table = self._tables[-1]
            table.begin_row(only_headers={cell.tag for cell in node.iter()} == {"th"})
            self.writer.open(PassageKind.TABLE_ROW, group=table.group, columns=None if table.is_header else table.columns)

    def _leave_row(self, node: LexborNode) -> None:
        if self._tables and not self._cells:
            table, number = self._tables[-1], self.writer.number
            self._fill(table)
            self.writer.close()
            table.end_row(number if self.writer.number > number else None)

    def _enter_cell(self, node: LexborNode) -> None:
        if not self._tables:
            return
        if self._cells:
            self._boundary()
        else:
            self._fill(self._tables[-1])
            self.writer.begin_cell()
        self._cells += 1

    def _leave_cell(self, node: LexborNode) -> None:
        if not self._tables:
            return
        self._cells -= 1
        if self._cells:
            self._boundary()
        else:
            self.writer.end_cell()
            self._tables[-1].end_cell(rows=_integer(node, "rowspan", 1), columns=_integer(node, "colspan", 1))

    def _fill(self, table: Table) -> None:
        """Empty cells in the places that a cell above or beside covers."""
        while self._filled < MAX_FILLED and table.next_is_covered():
            self.writer.begin_cell()
            self.writer.end_cell()
            self._filled += 1


_Step = Callable[[_Reader, LexborNode], None]
_ENTER: Final[dict[str, _Step]] = {
    "br": _Reader._enter_break,
    "img": _Reader._enter_image,
    "a": _Reader._enter_link,
    "blockquote": _Reader._enter_quote,
    "pre": _Reader._enter_verbatim,
    **dict.fromkeys(("ol", "ul", "menu", "dir"), _Reader._enter_list),
    "li": _Reader._enter_item,
    "table": _Reader._enter_table,
    "thead": _Reader._enter_head,
    "tr": _Reader._enter_row,
    **dict.fromkeys(("td", "th"), _Reader._enter_cell),
}
_LEAVE: Final[dict[str, _Step]] = {
    "a": _Reader._leave_link,
    "blockquote": _Reader._leave_quote,
    "pre": _Reader._leave_verbatim,
    **dict.fromkeys(("ol", "ul", "menu", "dir"), _Reader._leave_list),
    "li": _Reader._leave_item,
    "table": _Reader._leave_table,
    **dict.fromkeys(("thead", "tbody", "tfoot"), _Reader._leave_row_group),
    "tr": _Reader._leave_row,
    **dict.fromkeys(("td", "th"), _Reader._leave_cell),
}


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return bool(attributes) and ("hidden" in attributes or bool(_HIDDEN_STYLE.search(attributes.get("style") or "")))


def _integer(node: LexborNode, name: str, default: int) -> int:
    """An attribute that is a whole number, else the default."""
    value = node.attributes.get(name) or ""
    return int(value) if _INTEGER.fullmatch(value) else default


def _list(node: LexborNode, group: int, delimiters: str) -> ListMarkers:
    attributes = node.attributes
    if _UNMARKED.search(attributes.get("style") or ""):
        return ListMarkers(group, "none")
    if node.tag != "ol":
        return ListMarkers(group, "bullet")
    is_reversed = "reversed" in attributes
    return ListMarkers(
        group,
        style=attributes.get("type") or "1",
        number=_integer(node, "start", sum(item.tag == "li" for item in node.iter()) if is_reversed else 1),
        step=-1 if is_reversed else 1,
        delimiter=attributes.get(delimiters) or ".",
    )
