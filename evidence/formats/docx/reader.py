"""The reader: walks a Word document in the order of its text and tells the writer what someone sees who has it on paper.

Tracked changes are taken as accepted. A text box follows the paragraph that it hangs on, a note the passage that refers to it:
there it stands under the heading that it belongs to. What lies inside a table's cell is lines of that cell.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from evidence.content import Content, Note, PassageKind, SpanKind
from evidence.formats import drawing
from evidence.formats.docx.fields import Fields
from evidence.formats.docx.looks import is_on, shading
from evidence.formats.docx.names import VAL, W, value
from evidence.formats.docx.notes import Notes
from evidence.formats.docx.numbering import Numbering
from evidence.formats.docx.runs import THROUGH, Hanging, Runs, Story
from evidence.formats.docx.sections import running, sections
from evidence.formats.docx.styles import BODY_LEVEL, Style, Styles
from evidence.formats.drawn import ALTERNATE, Drawn, alternative
from evidence.formats.flow import Flow
from evidence.formats.opc import Office
from evidence.formats.sight import PAPER, Look
from evidence.formats.xml import Element, integer

MAX_HEADING: Final = 6

_PARAGRAPH: Final = f"{W}p"
_CELL: Final = f"{W}tc"
_ROW: Final = f"{W}tr"
_OFF: Final = ("0", "false", "off")
_BITS: Final = re.compile(r"[0-9a-fA-F]{1,4}", re.ASCII)
_FIRST_ROW: Final = 0x20
_LIST: Final = "list"
"""One group for all: Word parts its lists no more than their items, and those of one list can have many definitions."""
_SET_TOGETHER: Final = ("drop", "margin")
"""Kinds of a large initial: the word that it begins is in the next paragraph."""


class Reader:
    """Reads the main part of a document, and from there whatever it shows."""

    def __init__(self, office: Office, part: str, root: Element) -> None:
        self._flow = Flow()
        self._office = office
        self._root = root
        self._parts = {one.kind: one.target for one in office.relationships(part).values() if not one.external}
        self._settings = self._related("settings")
        self._styles = Styles(self._related("styles"))
        self._numbering = Numbering(self._related("numbering"), self._styles.numberings())
        bodies = {kind: self._related(f"{kind}s") for kind in ("footnote", "endnote")}
        self._notes = {
            "footnote": Notes("footnote", bodies["footnote"], self._settings, "decimal"),
            "endnote": Notes("endnote", bodies["endnote"], self._settings, "lowerRoman"),
        }
        self._stories = {kind: self._story(self._parts.get(f"{kind}s", ""), body) for kind, body in bodies.items()}
        self._current = self._story(part, root)
        self._runs = Runs(self._flow, self._styles, self._notes)
        self._found: dict[Note, None] = {}
        self._sections = deque(sections(root))
        self._ground: str | None = PAPER if root.find(f"{W}background") is None else None
        self._joined: list[Element] = []
        self._pending: deque[tuple[str, str, str]] = deque()
        self._in_note = False
        self._prefix = ""
        self._drawn: set[str] = set()

    @property
    def found(self) -> Sequence[Note]:
        """What is to be said of how the document was read."""
        return [*self._found, *self._runs.found]

    def content(self, title: str) -> Content:
        """What was read."""
        return self._flow.writer.content(title)

    def read(self) -> None:
        """Running headers, the body with its notes, running footers."""
        shown = list(self._sections)
        self._running(running(shown, "header", self._settings))
        body = self._root.find(f"{W}body")
        if body is not None:
            self._begin_section()
            self._blocks(body)
            self._end()
        self._flow.writer.end_outline()
        self._running(running(shown, "footer", self._settings))

    def _related(self, kind: str) -> Element | None:
        return self._office.tree(self._parts[kind]) if kind in self._parts else None

    def _story(self, part: str, root: Element | None) -> Story:
        return Story(self._office.relationships(part) if part else {}, Fields(root))

    def _running(self, names: Sequence[str]) -> None:
        """Headers or footers; those of several sections that say the same are one."""
        targets, said = self._current.targets, set[str]()
        for name in names:
            root = self._office.tree(targets[name].target) if name in targets else None
            words = "" if root is None else "".join(map(str, root.itertext()))
            if root is not None and words not in said:
                said.add(words)
                self._flow.writer.begin_mark(SpanKind.RUNNING)
                self._within(self._story(targets[name].target, root), root)
                self._flow.writer.end_mark(SpanKind.RUNNING)

    def _within(self, story: Story, blocks: Element) -> None:
        """Blocks that belong to another story, or lie apart from those around them."""
        before, self._current = self._current, story
        self._blocks(blocks)
        self._end()
        self._current = before

    def _blocks(self, parent: Element) -> None:
        for child in parent:
            step = _BLOCKS.get(child.tag)
            if step is not None:
                step(self, child)

    def _alternative(self, element: Element) -> None:
        self._blocks(alternative(element))

    def _embedded(self, element: Element) -> None:
        self._found[Note.ATTACHMENTS] = None

    def _paragraph(self, element: Element) -> None:
        self._joined.append(element)
        if not self._goes_on(element.find(f"{W}pPr")):
            self._end()

    def _goes_on(self, properties: Element | None) -> bool:
        """Whether the next paragraph stands on the same line, because nothing is left of this one's end."""
        if properties is None:
            return False
        frame = properties.find(f"{W}framePr")
        if frame is not None and frame.get(f"{W}dropCap") in _SET_TOGETHER:
            return True
        mark = properties.find(f"{W}rPr")
        if mark is not None and (mark.find(f"{W}del") is not None or mark.find(f"{W}moveFrom") is not None):
            return True
        hidden = None if mark is None else mark.find(f"{W}vanish")
        if hidden is None:
            return bool(self._styles.paragraph(value(properties, "pStyle")).look.hidden)
        return is_on(hidden) and not is_on(None if mark is None else mark.find(f"{W}specVanish"))

    def _end(self) -> None:
        """Write the paragraphs that have become one; they look like the last of them."""
        paragraphs, self._joined = self._joined, []
        if not paragraphs:
            return
        properties = paragraphs[-1].find(f"{W}pPr")
        style = self._styles.paragraph(value(properties, "pStyle"))
        self._begin(properties, style, is_whole=not self._goes_on(properties))
        own = shading(None if properties is None else properties.find(f"{W}shd"))
        ground = own or (style.fill if own is None else None) or self._ground
        hanging = self._runs.write(((one, self._look(one)) for one in paragraphs), self._current, ground)
        self._flow.end()
        if properties is not None and properties.find(f"{W}sectPr") is not None:
            self._begin_section()
        self._after(hanging)

    def _look(self, paragraph: Element) -> Look:
        return self._styles.paragraph(value(paragraph.find(f"{W}pPr"), "pStyle")).look.over(self._styles.base)

    def _begin(self, properties: Element | None, style: Style, *, is_whole: bool) -> None:
        """Begin the passage, or line of a cell, that a paragraph is. One whose end is gone counts in no list."""
        number, level = self._list(properties, style) if is_whole else ("", 0)
        marker = self._numbering.next(number, level)
        markers, self._prefix = (self._prefix, marker), ""
        heading = self._heading(properties, style)
        if heading is not None:
            self._flow.begin(PassageKind.HEADING, level=heading, markers=markers)
        elif marker:
            depth = max(level + 1, style.depth)
            self._flow.begin(PassageKind.LIST_ITEM, level=depth, group=_LIST, markers=markers)
        else:
            self._flow.begin(PassageKind.QUOTE if style.is_quote else PassageKind.PARAGRAPH, markers=markers)

    def _list(self, properties: Element | None, style: Style) -> tuple[str, int]:
        """Id of the list that a paragraph belongs to, empty for none, and the level in it."""
        own = None if properties is None else properties.find(f"{W}numPr")
        number, level = value(own, "numId"), value(own, "ilvl")
        if number is not None:
            return ("" if number == "0" else number), integer(level)
        inherited = style.numbering or ""
        if inherited in ("", "0"):
            return "", 0
        if level is not None:
            return inherited, integer(level)
        linked = self._numbering.level_of(inherited, style.numbered_by)
        return inherited, (style.level or 0) if linked is None else linked

    def _heading(self, properties: Element | None, style: Style) -> int | None:
        own = value(properties, "outlineLvl")
        level = style.heading if own is None else integer(own, BODY_LEVEL)
        if level is not None and 0 <= level < BODY_LEVEL:
            return min(level + 1, MAX_HEADING)
        return 1 if style.is_title else None

    def _begin_section(self) -> None:
        if self._sections:
            section = self._sections.popleft()
            for notes in self._notes.values():
                notes.begin_section(section)

    def _after(self, hanging: Hanging) -> None:
        """What hangs on a paragraph: first what is drawn beside it, then its notes, unless it is part of a table."""
        self._draw(hanging.drawn)
        self._pending.extend(hanging.notes)
        if not self._flow.in_cell and not self._in_note:
            self._write_notes()

    def _draw(self, drawn: Drawn) -> None:
        ground, self._ground = self._ground, None
        for box in drawn.boxes:
            self._within(self._current, box)
        self._ground = ground
        for line in (
            *drawn.lines,
            *self._graphics(drawn.diagrams, drawing.diagram),
            *self._graphics(drawn.charts, drawing.chart),
        ):
            self._flow.writer.write(line)
            self._flow.end()

    def _graphics(self, names: Sequence[str], lines: Callable[[Element], Sequence[str]]) -> Iterator[str]:
        """The words of diagrams or charts, each part once."""
        for name in names:
            target = self._current.targets.get(name)
            if target is None or target.external or target.target in self._drawn:
                continue
            self._drawn.add(target.target)
            root = self._office.tree(target.target)
            if root is not None:
                yield from lines(root)

    def _write_notes(self) -> None:
        self._in_note = True
        while self._pending:
            kind, name, self._prefix = self._pending.popleft()
            body = self._notes[kind].take(name)
            if body is not None:
                self._within(self._stories[kind], body)
        self._prefix, self._in_note = "", False

    def _table(self, element: Element) -> None:
        self._end()
        rows = [row for row in _inside(element, _ROW) if not _is_gone(row)]
        properties = element.find(f"{W}tblPr")
        style = self._styles.get(value(properties, "tblStyle"))
        own = shading(None if properties is None else properties.find(f"{W}shd"))
        ground, self._ground = self._ground, own or (None if style.shaded else self._ground)
        if self._flow.in_cell or (len(rows) == 1 and len(list(_inside(rows[0], _CELL))) == 1):
            self._frame(rows)
        else:
            self._rows(rows, names_columns=style.has_first_row and _looks_at_first_row(properties))
        self._ground = ground
        if not self._flow.in_cell and not self._in_note:
            self._write_notes()

    def _frame(self, rows: Sequence[Element]) -> None:
        """A table inside a cell is lines of it; one that is a single cell is only a frame around what it holds."""
        for row in rows:
            for cell in _inside(row, _CELL):
                self._fill_cell(cell)

    def _rows(self, rows: Sequence[Element], *, names_columns: bool) -> None:
        self._flow.begin_table()
        for row in rows:
            properties = row.find(f"{W}trPr")
            repeats = properties is not None and is_on(properties.find(f"{W}tblHeader"))
            self._flow.begin_row(names_columns=repeats or (names_columns and row is rows[0]))
            self._flow.skip(integer(value(properties, "gridBefore")))
            for cell in _inside(row, _CELL):
                self._cell(cell)
            self._flow.end_row()
        self._flow.end_table()

    def _cell(self, cell: Element) -> None:
        """A cell that goes on from the row above is an empty one here."""
        properties = cell.find(f"{W}tcPr")
        merge = None if properties is None else properties.find(f"{W}vMerge")
        self._flow.begin_cell()
        if merge is None or merge.get(VAL) == "restart":
            self._fill_cell(cell)
        self._flow.end_cell(columns=integer(value(properties, "gridSpan"), 1))

    def _fill_cell(self, cell: Element) -> None:
        properties = cell.find(f"{W}tcPr")
        if properties is not None and properties.find(f"{W}cellDel") is not None:
            return
        own = shading(None if properties is None else properties.find(f"{W}shd"))
        ground, self._ground = self._ground, own or self._ground
        self._blocks(cell)
        self._end()
        self._ground = ground


_Step = Callable[[Reader, Element], None]
_BLOCKS: Final[dict[str, _Step]] = {
    _PARAGRAPH: Reader._paragraph,
    f"{W}tbl": Reader._table,
    f"{W}altChunk": Reader._embedded,
    ALTERNATE: Reader._alternative,
    **dict.fromkeys(THROUGH, Reader._blocks),
}


def _inside(parent: Element, name: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, through whatever is around them."""
    for child in parent:
        if child.tag == name:
            yield child
        elif child.tag in THROUGH:
            yield from _inside(child, name)


def _is_gone(row: Element) -> bool:
    """Whether a row is deleted or hidden."""
    properties = row.find(f"{W}trPr")
    return properties is not None and (properties.find(f"{W}del") is not None or is_on(properties.find(f"{W}hidden")))


def _looks_at_first_row(properties: Element | None) -> bool:
    """Whether a table shows the first row as its style says; older files have bits for it."""
    looks = None if properties is None else properties.find(f"{W}tblLook")
    if looks is None:
        return False
    said = looks.get(f"{W}firstRow")
    bits = looks.get(VAL, "")
    return said not in _OFF if said is not None else bool(_BITS.fullmatch(bits)) and bool(int(bits, 16) & _FIRST_ROW)
