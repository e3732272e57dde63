"""Markup: HTML to Content as a reader sees it, by walking the tree that a browser's parser builds. Loads and runs nothing.

Out: what is never shown (scripts and what stands in for them, styles, templates, comments) and what styles hide. In: alternative
texts of images, the markers of list items, closed details, what form controls show. Marked: what styles make unseen. A table's
row is one passage; what lies inside a cell, other tables included, is lines of that cell. A cell over several columns or rows
stands where it begins, with empty cells in the places it covers, so that every cell stands in its own column. A table that only
arranges its cells is none. A term and its definition are one passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from evidence.content import Content, Note, PassageKind, SpanKind
from evidence.formats import fields, tables
from evidence.formats.css.cascade import Looks
from evidence.formats.css.looks import Look
from evidence.formats.depth import refuse_deep
from evidence.formats.elements import APART, BLOCKS, ELSEWHERE, NEVER_SHOWN
from evidence.formats.markers import STYLES, ListMarkers
from evidence.formats.tables import Table
from evidence.formats.writer import Writer

MAX_FILLED: Final = 100_000
"""Empty cells in one document for covered places; a table of 1,000 rows and 100 columns that are all one cell."""
MAX_TARGET: Final = 2_000
"""Characters of a link's target that are kept: more is data, not an address."""

_SPACE: Final = " \t\n\r\f"
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_MARKS: Final = {
    **dict.fromkeys(("strong", "b"), SpanKind.STRONG),
    **dict.fromkeys(("em", "i"), SpanKind.EMPHASIS),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), SpanKind.CODE),
}
_SIDE_BY_SIDE: Final = ("contents", "inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "table-cell")
_QUOTATION_MARKS: Final = {"de": ("„", "“", "‚", "‘"), "": ("“", "”", "‘", "’")}
_NUMBER: Final = re.compile(r"[(\[§]?\s?(?:\w{1,4}[.):\]]+|[0-9]{1,4}\w?|[–—•*-])")
"""A term that only counts, as in the lists of German laws."""
_NO_DEFINITION: Final = frozenset(("blockquote", "menu", "ol", "pre", "table", "ul", *_HEADINGS))
"""Stand by themselves, also where they are all that is said of a term."""
_PLACES: Final = frozenset({"dx", "dy", "x", "y"})
_NO_SIZE: Final = ("0", "1", "0px", "1px")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


def extract(html: str, *, delimiters: str = "", title: str = "") -> Content:
    """The content of an HTML text. Raises Refused: see `parse` and `write`.

    delimiters: an attribute of `ol` that holds what follows its numbers ("." unless it says something else); its name must be
    one that the document cannot know. title: of the document; else its first heading of level 1 is.
    """
    writer = Writer()
    notes = write(parse(html), writer, delimiters=delimiters)
    return writer.content(title, notes)


def parse(html: str) -> LexborHTMLParser:
    """The tree of an HTML text. Raises Refused (`markup_too_deep`)."""
    refuse_deep(html)
    return LexborHTMLParser(html)


def write(tree: LexborHTMLParser, writer: Writer, *, delimiters: str = "", quotes: int = 0) -> Sequence[Note]:
    """Write what a reader sees of a tree, and give what must be known about it. quotes: around all of it.

    Raises Refused (`styles_too_heavy`).
    """
    reader = _Reader(writer, Looks(tree), delimiters, quotes)
    if tree.root is not None:
        reader.read(tree.root)
    writer.close()
    return [note for note in Note if note in reader.notes]


@dataclass(frozen=True, slots=True)
class _Entered:
    """An element that is being read, and its looks; `around`: of the element around it."""

    node: LexborNode
    look: Look
    around: Look


class _Reader:
    """Walks a tree in the order of its text and tells the writer. `_enter` and `_leave` meet every element once each."""

    def __init__(self, writer: Writer, looks: Looks, delimiters: str, quotes: int) -> None:
        self.writer = writer
        self.notes: set[Note] = set()
        self._looks = looks
        self._delimiters = delimiters
        self._language = ""
        self._heading = 0
        self._quotes = quotes
        self._quoted = 0
        self._verbatim = 0
        self._cells = 0
        self._filled = 0
        self._lists: list[ListMarkers] = []
        self._tables: list[Table | None] = []
        self._markers: list[str] = []
        self._after_term = ""

    def read(self, root: LexborNode) -> None:
        """An element and everything in it, without recursion: depth is no reason to fail."""
        self._language = (root.attributes.get("lang") or "").lower()[:2]
        look = self._looks.look(root, self._looks.outermost)
        self._see(self._looks.outermost, look)
        path, node = [_Entered(root, look, self._looks.outermost)], root.first_child
        while True:
            if node is None:
                entered = path.pop()
                if not path:
                    return
                self._leave(entered)
                node = entered.node.next
                continue
            inside = self._enter(node, path[-1].look)
            if inside is None:
                node = node.next
            else:
                path.append(_Entered(node, inside, path[-1].look))
                node = node.first_child

    def _enter(self, node: LexborNode, around: Look) -> Look | None:
        """Take a text, or begin an element and give its look; None when there is nothing to be read inside."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "", around)
            return None
        if not node.is_element_node or (tag in NEVER_SHOWN and tag not in ELSEWHERE):
            return None
        look = self._looks.look(node, around)
        if look.display == "none":
            return None
        if tag in ELSEWHERE:
            self._note_other_file(node, look)
            return None
        self._begin_element(tag, look, around)
        if tag in _FIELDS:
            self._text(_FIELDS[tag](node), look)
        elif tag in _MARKS and not self._verbatim:
            self.writer.begin_mark(_MARKS[tag])
        elif tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in _ENTER:
            _ENTER[tag](self, node, look)
        if tag == "option" or (tag == "select" and not fields.is_list_box(node)):
            self._end_element(tag, look, around)
            return None
        return look

    def _leave(self, entered: _Entered) -> None:
        """End an element that was entered."""
        tag = entered.node.tag or ""
        if tag in _MARKS and not self._verbatim:
            self.writer.end_mark(_MARKS[tag])
        elif tag in _HEADINGS:
            self._heading = 0
        elif tag in _LEAVE:
            _LEAVE[tag](self, entered.node, entered.look)
        self._end_element(tag, entered.look, entered.around)

    def _begin_element(self, tag: str, look: Look, around: Look) -> None:
        if tag in _NO_DEFINITION:
            self._after_term = ""
        if _is_block(tag, look):
            self._boundary()
        elif _stands_apart(tag, look, around):
            self._space()
        self._see(around, look)

    def _end_element(self, tag: str, look: Look, around: Look) -> None:
        self._see(look, around)
        if _is_block(tag, look):
            self._boundary()
        elif _stands_apart(tag, look, around):
            self._space()

    def _see(self, before: Look, now: Look) -> None:
        """Begin or end the mark of what nobody sees."""
        if now.unseen and not before.unseen:
            self.writer.begin_mark(SpanKind.UNSEEN)
        elif before.unseen and not now.unseen:
            self.writer.end_mark(SpanKind.UNSEEN)

    def _note_other_file(self, node: LexborNode, look: Look) -> None:
        attributes = node.attributes
        has_size = not {attributes.get("width"), attributes.get("height")}.intersection(_NO_SIZE)
        if look.shown and not look.unseen and has_size:
            self.notes.add(Note.NOT_SHOWN)

    def _text(self, run: str, look: Look) -> None:
        is_blank = not run.strip(_SPACE)
        if not look.shown:
            return
        if not self.writer.is_open:
            if is_blank and not self._verbatim:
                return
            self._begin()
        if not is_blank:
            self._after_term = ""
            if look.unseen:
                self.notes.add(Note.UNSEEN_TEXT)
            if self._markers:
                self._write_markers()
        if self._verbatim:
            self.writer.write_verbatim(run)
        elif look.lines:
            self._lines(run)
        else:
            self.writer.write(run)

    def _lines(self, run: str) -> None:
        """Text that keeps its line feeds."""
        first, *others = run.split("\n")
        self.writer.write(first)
        for line in others:
            if self.writer.is_open:
                self.writer.break_line()
            if line.strip(_SPACE) and not self.writer.is_open:
                self._begin()
            if self.writer.is_open:
                self.writer.write(line)

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
        if any(self._markers):
            if not self._cells:
                self._open_item()
            self._write_markers()
            self._boundary()
        self._markers.clear()

    def _boundary(self) -> None:
        if self._after_term:
            self._part_from_term()
        elif not self._cells:
            self.writer.close()
        elif self.writer.is_open:
            self.writer.next_line()

    def _space(self) -> None:
        if self.writer.is_open:
            self.writer.write(" ")

    def _enter_break(self, node: LexborNode, look: Look) -> None:
        if self._verbatim:
            self._text("\n", look)
        elif self.writer.is_open and look.shown:
            self.writer.break_line()

    def _enter_link(self, node: LexborNode, look: Look) -> None:
        self.writer.begin_mark(SpanKind.LINK, (node.attributes.get("href") or "")[:MAX_TARGET])

    def _leave_link(self, node: LexborNode, look: Look) -> None:
        self.writer.end_mark(SpanKind.LINK)

    def _enter_quote(self, node: LexborNode, look: Look) -> None:
        self._quotes += 1

    def _leave_quote(self, node: LexborNode, look: Look) -> None:
        self._quotes -= 1

    def _enter_quotation(self, node: LexborNode, look: Look) -> None:
        self._text(self._quotation_marks()[0], look)
        self._quoted += 1

    def _leave_quotation(self, node: LexborNode, look: Look) -> None:
        self._quoted -= 1
        self._text(self._quotation_marks()[1], look)

    def _quotation_marks(self) -> Sequence[str]:
        marks = _QUOTATION_MARKS.get(self._language, _QUOTATION_MARKS[""])
        return marks[2:] if self._quoted % 2 else marks[:2]

    def _enter_verbatim(self, node: LexborNode, look: Look) -> None:
        self._verbatim += 1

    def _leave_verbatim(self, node: LexborNode, look: Look) -> None:
        self._verbatim -= 1

    def _enter_reading_aid(self, node: LexborNode, look: Look) -> None:
        """Small signs above others, which the file need not part from them."""
        if node.prev is None or node.prev.tag != "rp":
            self._space()

    def _leave_reading_aid(self, node: LexborNode, look: Look) -> None:
        if node.next is None or node.next.tag != "rp":
            self._space()

    def _enter_placed_text(self, node: LexborNode, look: Look) -> None:
        """Text of a picture with a place of its own."""
        if not _PLACES.isdisjoint(node.attributes):
            self._space()

    def _enter_list(self, node: LexborNode, look: Look) -> None:
        self._lists.append(_list(node, self.writer.new_group(), self._delimiters))

    def _leave_list(self, node: LexborNode, look: Look) -> None:
        self._lists.pop()

    def _enter_item(self, node: LexborNode, look: Look) -> None:
        if not _is_block("li", look):
            return
        owner = self._lists[-1] if self._lists else ListMarkers(0, "bullet")
        owner.number = _integer(node, "value", owner.number)
        self._markers.append(owner.next(_marker_style(look.marker)))

    def _leave_item(self, node: LexborNode, look: Look) -> None:
        self._write_lone_markers()

    def _enter_terms(self, node: LexborNode, look: Look) -> None:
        self._lists.append(ListMarkers(self.writer.new_group(), "none"))

    def _enter_term(self, node: LexborNode, look: Look) -> None:
        if self._lists:
            self._markers.append("")

    def _leave_term(self, node: LexborNode, look: Look) -> None:
        """What comes next, a definition or another term for it, stands in the same passage."""
        self._forget_item()
        following = node.next
        while following is not None and not following.is_element_node:
            following = following.next
        if self.writer.is_open and following is not None and following.tag in ("dd", "dt"):
            self._after_term = " " if _NUMBER.fullmatch(" ".join(node.text(deep=True).split())) else "\n"

    def _enter_definition(self, node: LexborNode, look: Look) -> None:
        if self._lists and not self._after_term:
            self._markers.append("")

    def _leave_definition(self, node: LexborNode, look: Look) -> None:
        self._after_term = ""
        self._forget_item()

    def _forget_item(self) -> None:
        """A term or definition ends; it may have had no text."""
        if self._markers and not self._markers[-1]:
            self._markers.pop()

    def _part_from_term(self) -> None:
        if self._after_term == " ":
            self._space()
        elif self.writer.is_open:
            self.writer.next_line()

    def _table(self) -> Table | None:
        """The table that the next row or cell belongs to, unless that is inside a cell."""
        return self._tables[-1] if self._tables and not self._cells else None

    def _enter_table(self, node: LexborNode, look: Look) -> None:
        if not self._cells:
            self._tables.append(None if tables.only_arranges(node) else Table(self.writer.new_group()))

    def _leave_table(self, node: LexborNode, look: Look) -> None:
        if not self._cells:
            self._tables.pop()

    def _enter_head(self, node: LexborNode, look: Look) -> None:
        if table := self._table():
            table.in_head = True

    def _leave_row_group(self, node: LexborNode, look: Look) -> None:
        if table := self._table():
            table.end_group()

    def _enter_row(self, node: LexborNode, look: Look) -> None:
        if table := self._table():
            self._write_lone_markers()
            table.begin_row(only_headers={cell.tag for cell in node.iter()} == {"th"})
            self.writer.open(PassageKind.TABLE_ROW, group=table.group, columns=None if table.is_header else table.columns)

    def _leave_row(self, node: LexborNode, look: Look) -> None:
        if table := self._table():
            number = self.writer.number
            self._fill(table)
            self.writer.close()
            table.end_row(number if self.writer.number > number else None)

    def _enter_cell(self, node: LexborNode, look: Look) -> None:
        table = self._table()
        if table:
            self._fill(table)
            self.writer.begin_cell()
        else:
            self._boundary()
        self._cells += bool(self._cells or table)

    def _leave_cell(self, node: LexborNode, look: Look) -> None:
        self._cells -= bool(self._cells)
        if table := self._table():
            self.writer.end_cell()
            table.end_cell(rows=_integer(node, "rowspan", 1), columns=_integer(node, "colspan", 1))
        else:
            self._boundary()

    def _fill(self, table: Table) -> None:
        """Empty cells in the places that a cell above or beside covers."""
        while self._filled < MAX_FILLED and table.next_is_covered():
            self.writer.begin_cell()
            self.writer.end_cell()
            self._filled += 1


_FIELDS: Final[dict[str, Callable[[LexborNode], str]]] = {
    "img": lambda node: node.attributes.get("alt") or "",
    "input": fields.input_text,
    "option": fields.option_text,
    "optgroup": lambda node: node.attributes.get("label") or "",
    "select": lambda node: "" if fields.is_list_box(node) else fields.chosen(node),
}
"""Kind -> the text that an element shows in place of, or before, what is inside."""
_Step = Callable[[_Reader, LexborNode, Look], None]
_ENTER: Final[dict[str, _Step]] = {
    "br": _Reader._enter_break,
    "a": _Reader._enter_link,
    "blockquote": _Reader._enter_quote,
    "q": _Reader._enter_quotation,
    "pre": _Reader._enter_verbatim,
    "rt": _Reader._enter_reading_aid,
    "tspan": _Reader._enter_placed_text,
    **dict.fromkeys(("ol", "ul", "menu", "dir"), _Reader._enter_list),
    "li": _Reader._enter_item,
    "dl": _Reader._enter_terms,
    "dt": _Reader._enter_term,
    "dd": _Reader._enter_definition,
    "table": _Reader._enter_table,
    "thead": _Reader._enter_head,
    "tr": _Reader._enter_row,
    **dict.fromkeys(("td", "th"), _Reader._enter_cell),
}
_LEAVE: Final[dict[str, _Step]] = {
    "a": _Reader._leave_link,
    "blockquote": _Reader._leave_quote,
    "q": _Reader._leave_quotation,
    "pre": _Reader._leave_verbatim,
    "rt": _Reader._leave_reading_aid,
    **dict.fromkeys(("ol", "ul", "menu", "dir", "dl"), _Reader._leave_list),
    "li": _Reader._leave_item,
    "dt": _Reader._leave_term,
    "dd": _Reader._leave_definition,
    "table": _Reader._leave_table,
    **dict.fromkeys(("thead", "tbody", "tfoot"), _Reader._leave_row_group),
    "tr": _Reader._leave_row,
    **dict.fromkeys(("td", "th"), _Reader._leave_cell),
}


def _is_block(tag: str, look: Look) -> bool:
    return look.is_block or (tag in BLOCKS and look.display not in _SIDE_BY_SIDE)


def _stands_apart(tag: str, look: Look, around: Look) -> bool:
    return tag in APART or look.display == "table-cell" or around.has_columns


def _marker_style(marker: str) -> str | None:
    """The style of a marker that a style sheet gives; None where it says nothing that is known here."""
    return marker if marker.startswith('"') else STYLES.get(marker)


def _integer(node: LexborNode, name: str, default: int) -> int:
    """An attribute that is a whole number, else the default."""
    value = node.attributes.get(name) or ""
    return int(value) if _INTEGER.fullmatch(value) else default


def _list(node: LexborNode, group: int, delimiters: str) -> ListMarkers:
    if node.tag != "ol":
        return ListMarkers(group, "bullet")
    attributes = node.attributes
    is_reversed = "reversed" in attributes
    return ListMarkers(
        group,
        style=attributes.get("type") or "1",
        number=_integer(node, "start", sum(item.tag == "li" for item in node.iter()) if is_reversed else 1),
        step=-1 if is_reversed else 1,
        delimiter=attributes.get(delimiters) or ".",
    )
