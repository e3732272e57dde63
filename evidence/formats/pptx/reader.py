"""The reader: goes through the slides of a presentation, and on each from its title to what stands at its lower right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from evidence.content import REPEATED, Content, Note, Page, PassageKind, SpanKind
from evidence.formats import drawing, omml
from evidence.formats.drawing import CHART, DIAGRAM, A
from evidence.formats.flow import Flow
from evidence.formats.omml import M
from evidence.formats.opc import RELATION, Office, Relationship
from evidence.formats.pptx.bullets import Bullets
from evidence.formats.pptx.layouts import Place, Sheet, Sheets, is_title, list_styles, place_of
from evidence.formats.pptx.names import P, placeholder, properties
from evidence.formats.sight import PLAIN, Look, is_unseen
from evidence.formats.xml import Element, integer

BAND: Final = 0.05
"""Share of a slide's height within which shapes stand side by side."""
NOTES: Final = {"de": "Notizen", "": "Notizen"}
"""What the speaker's notes are called, by the language that they are in; "" where that is not said."""
OTHER_NOTES: Final = "Notes"

_SIZE: Final = (9_144_000, 6_858_000)
_RUNNING: Final = ("dt", "ftr", "hdr", "sldNum")
_NUMBERS: Final = re.compile(r"[0-9]+")
_ALTERNATE: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_OFF: Final = ("0", "false")
_ON: Final = ("1", "true")
_MARKS: Final = (SpanKind.UNSEEN, SpanKind.STRONG, SpanKind.EMPHASIS)


class Reader:
    """Reads the slides in their order, each with its speaker's notes."""

    def __init__(self, office: Office, part: str, root: Element) -> None:
        self.notes: dict[Note, None] = {}
        self._office = office
        self._targets = office.relationships(part)
        self._root = root
        size = root.find(f"{P}sldSz")
        self._width, self._height = _SIZE if size is None else (integer(size.get("cx")), integer(size.get("cy")))
        self._sheets = Sheets(office)
        self._flow = Flow()
        self._slides: list[tuple[str, int]] = []
        self._slide: Sequence[Sheet] = ()
        self._links: dict[str, Relationship] = {}
        self._said: set[str] = set()
        self._drawn: set[str] = set()  # parts that have been read: a file that shows one of them twice could grow without end
        self._texts = 0

    def read(self) -> None:
        """All slides, also those that are not shown."""
        first = integer(self._root.get("firstSlideNum"), 1)
        for number, name in enumerate(self._root.iterfind(f"{P}sldIdLst/{P}sldId"), start=first):
            target = self._targets.get(name.get(f"{RELATION}id", ""))
            root = None if target is None or target.external else self._office.tree(target.target)
            self._flow.writer.end_outline()
            self._slides.append((str(number), self._flow.writer.number))
            if target is not None and root is not None and target.target not in self._drawn:
                self._drawn.add(target.target)
                self._read_slide(target.target, root)

    def content(self, title: str) -> Content:
        """What was read, with a page for each slide."""
        content = self._flow.writer.content(title)
        starts = [content.passages[at].start if at < len(content.passages) else len(content.text) for _, at in self._slides]
        ends = [*starts[1:], len(content.text)]
        labels = (label for label, _ in self._slides)
        return replace(content, pages=tuple(map(Page, labels, starts, ends)))

    def _read_slide(self, part: str, root: Element) -> None:
        self._links = dict(self._office.relationships(part))
        self._slide = self._sheets.above(part)
        is_hidden = root.get("show") in _OFF
        if is_hidden:
            self._flow.writer.begin_mark(SpanKind.UNSEEN)
        self._shapes(root.find(f"{P}cSld/{P}spTree"))
        if root.get("showMasterSp") not in _OFF:
            self._backgrounds()
        self._notes(part, root)
        if is_hidden:
            self._flow.writer.end_mark(SpanKind.UNSEEN)

    def _shapes(self, tree: Element | None, *, in_group: bool = False) -> None:
        """Shapes in the order in which they are read: the title, then band by band from left to right.

        Inside a group places are counted in units of its own.
        """
        found = [] if tree is None else list(_shapes(tree))
        placed = [(shape, place_of(shape, self._slide)) for shape in found]
        for shape, place in sorted(placed, key=self._order(placed)):
            outside = not in_group and place is not None and self._is_outside(place)
            if outside:
                self._flow.writer.begin_mark(SpanKind.UNSEEN)
            self._shape(shape)
            if outside:
                self._flow.writer.end_mark(SpanKind.UNSEEN)

    def _order(self, placed: Iterable[tuple[Element, Place | None]]) -> Callable[[tuple[Element, Place | None]], tuple[int, ...]]:
        tops = sorted(place.top for _, place in placed if place is not None)
        bands: dict[int, int] = {}
        start = None
        for top in tops:
            start = top if start is None or top > start + BAND * self._height else start
            bands[top] = start

        def key(one: tuple[Element, Place | None]) -> tuple[int, ...]:
            shape, place = one
            own = placeholder(shape)
            kind = 0 if is_title(own) else 2 if own is not None and own.get("type") in _RUNNING else 1
            return (kind, 0, 0) if place is None else (kind, bands[place.top], place.left)

        return key

    def _is_outside(self, place: Place) -> bool:
        beside = place.left + place.width <= 0 or place.left >= self._width
        return beside or place.top + place.height <= 0 or place.top >= self._height

    def _shape(self, shape: Element) -> None:
        own = properties(shape)
        if own is not None and own.get("hidden") in _ON:
            return
        place = placeholder(shape)
        if shape.tag == f"{P}grpSp":
            self._shapes(shape, in_group=True)
        elif place is not None and place.get("type") in _RUNNING:
            self._running(shape)
        else:
            self._text(shape, is_heading=is_title(place))
        description = "" if own is None else drawing.description(own.get("descr", ""))
        if description:
            self._flow.line(description)
        if shape.tag == f"{P}graphicFrame":
            self._graphic(shape)

    def _running(self, shape: Element) -> None:
        """What stands on every slide; the same words are looked for only once, numbers apart."""
        words = _NUMBERS.sub("", "".join(map(str, shape.itertext())))
        self._flow.writer.begin_mark(SpanKind.RUNNING, REPEATED if words in self._said else "")
        self._said.add(words)
        self._text(shape, is_heading=False)
        self._flow.writer.end_mark(SpanKind.RUNNING)

    def _backgrounds(self) -> None:
        """Words that the layout and the master put on their slides, with the first of these."""
        links, slide = self._links, self._slide
        for at, sheet in enumerate(slide):
            if sheet.part in self._drawn or sheet.shapes is None:
                continue
            self._drawn.add(sheet.part)
            self._links, self._slide = dict(self._office.relationships(sheet.part)), slide[at + 1 :]
            self._flow.writer.begin_mark(SpanKind.RUNNING)
            for shape in _shapes(sheet.shapes):
                if placeholder(shape) is None:
                    self._shape(shape)
            self._flow.writer.end_mark(SpanKind.RUNNING)
        self._links, self._slide = links, slide

    def _notes(self, part: str, slide: Element) -> None:
        for name in self._office.related(part, "notesSlide"):
            root = self._office.tree(name)
            tree = None if root is None else root.find(f"{P}cSld/{P}spTree")
            bodies = [] if tree is None else [shape for shape in _shapes(tree) if _is_kind(shape, "body")]
            if not any("".join(map(str, body.itertext())).strip() for body in bodies):
                continue
            self._links, self._slide = dict(self._office.relationships(name)), ()
            self._flow.begin(PassageKind.HEADING, level=2)
            self._flow.writer.write(_notes_name((*bodies, slide)))
            self._flow.end()
            for body in bodies:
                self._text(body, is_heading=False)

    def _text(self, shape: Element, *, is_heading: bool) -> None:
        body = shape.find(f"{P}txBody")
        if body is None:
            return
        paragraphs = [one for one in body.iterchildren(f"{A}p") if drawing.line(one).strip()]
        if is_heading and paragraphs:
            self._flow.begin(PassageKind.HEADING, level=1)
            for paragraph in paragraphs:
                self._runs(paragraph)
                self._flow.writer.next_line()
            self._flow.end()
        elif paragraphs:
            self._paragraphs(paragraphs, Bullets(list_styles(shape, self._slide)))

    def _paragraphs(self, paragraphs: Iterable[Element], bullets: Bullets) -> None:
        self._texts += 1
        for paragraph in paragraphs:
            marker, level = bullets.next(paragraph.find(f"{A}pPr"))
            if marker:
                self._flow.begin(PassageKind.LIST_ITEM, level=level + 1, group=f"text {self._texts}", markers=(marker,))
            else:
                self._flow.begin(PassageKind.PARAGRAPH)
            self._runs(paragraph)
            self._flow.end()

    def _runs(self, parent: Element) -> None:
        for child in parent:
            if child.tag in (f"{A}r", f"{A}fld"):
                self._run(child)
            elif child.tag == f"{A}br":
                self._flow.writer.next_line()
            elif child.tag == _ALTERNATE and len(child):
                self._runs(child[0])
            elif child.tag.startswith(M) or child.tag.endswith("}m"):
                self._flow.writer.write(f" {omml.text(child)} ")
        self._flow.mark(())

    def _run(self, run: Element) -> None:
        own = run.find(f"{A}rPr")
        look = _look(own)
        wanted = zip(_MARKS, (is_unseen(look, None), look.bold, look.italic), strict=True)
        self._flow.mark([kind for kind, is_wanted in wanted if is_wanted])
        link = None if own is None else own.find(f"{A}hlinkClick")
        target = None if link is None else self._links.get(link.get(f"{RELATION}id", ""))
        address = target.target if target is not None and target.external else ""
        if address:
            self._flow.writer.begin_mark(SpanKind.LINK, address)
        self._flow.text(run.findtext(f"{A}t") or "", look)
        if address:
            self._flow.writer.end_mark(SpanKind.LINK)

    def _graphic(self, frame: Element) -> None:
        for element in frame.iterfind(f"{A}graphic/{A}graphicData/*"):
            if element.tag == f"{A}tbl":
                self._table(element)
            elif element.tag == f"{CHART}chart":
                self.notes[Note.NOT_SHOWN] = None
                self._lines(element.get(f"{RELATION}id", ""), drawing.chart)
            elif element.tag == f"{DIAGRAM}relIds":
                self._lines(element.get(f"{RELATION}dm", ""), drawing.diagram)
            elif element.tag in (f"{P}oleObj", _ALTERNATE):
                self.notes[Note.ATTACHMENTS] = None

    def _lines(self, name: str, lines: Callable[[Element], Sequence[str]]) -> None:
        """The words of a diagram or chart, each part once."""
        target = self._links.get(name)
        if target is None or target.external or target.target in self._drawn:
            return
        self._drawn.add(target.target)
        root = self._office.tree(target.target)
        for line in () if root is None else lines(root):
            self._flow.line(line)

    def _table(self, table: Element) -> None:
        own = table.find(f"{A}tblPr")
        names_columns = own is not None and own.get("firstRow") in _ON
        self._flow.begin_table()
        for at, row in enumerate(table.iterchildren(f"{A}tr")):
            self._flow.begin_row(names_columns=names_columns and at == 0)
            for cell in row.iterchildren(f"{A}tc"):
                self._cell(cell)
            self._flow.end_row()
        self._flow.end_table()

    def _cell(self, cell: Element) -> None:
        """A cell that goes on from the left or from above is an empty one here."""
        self._flow.begin_cell()
        if cell.get("hMerge") not in _ON and cell.get("vMerge") not in _ON:
            paragraphs = (one for one in cell.iterfind(f"{A}txBody/{A}p") if drawing.line(one).strip())
            self._paragraphs(paragraphs, Bullets(cell.findall(f"{A}txBody/{A}lstStyle")))
        self._flow.end_cell()


def _shapes(parent: Element) -> Iterator[Element]:
    """The shapes of a tree or group; of several ways to show one, the first."""
    for child in parent:
        if child.tag == _ALTERNATE:
            yield from _shapes(child[0] if len(child) else child)
        elif child.tag.startswith(P) and properties(child) is not None:
            yield child


def _is_kind(shape: Element, kind: str) -> bool:
    place = placeholder(shape)
    return place is not None and place.get("type") == kind


def _notes_name(texts: Iterable[Element]) -> str:
    said = (one.get("lang", "") for text in texts for one in text.iter(f"{A}rPr", f"{A}endParaRPr"))
    language = next(filter(None, said), "").partition("-")[0].lower()
    return NOTES.get(language, OTHER_NOTES)


def _look(properties: Element | None) -> Look:
    if properties is None:
        return PLAIN
    bold, italic, size = properties.get("b"), properties.get("i"), properties.get("sz")
    font = properties.find(f"{A}sym") if properties.find(f"{A}sym") is not None else properties.find(f"{A}latin")
    return Look(
        bold=None if bold is None else bold in _ON,
        italic=None if italic is None else italic in _ON,
        raised=integer(properties.get("baseline")) > 0,
        size=None if size is None else integer(size, 5_000) // 50,
        font=None if font is None else font.get("typeface"),
    )
