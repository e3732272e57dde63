"""Drawn: what a drawing in a document or a sheet says, in its boxes, its diagrams and the descriptions of its pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from evidence.formats import drawing
from evidence.formats.docx.names import W
from evidence.formats.drawing import CHART, DIAGRAM, A
from evidence.formats.opc import RELATION
from evidence.formats.xml import Element

ALTERNATE: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
TEXT_BOX: Final = f"{W}txbxContent"

_VML: Final = "{urn:schemas-microsoft-com:vml}"
_EMBEDDED: Final = "{urn:schemas-microsoft-com:office:office}OLEObject"


@dataclass(slots=True)
class Drawn:
    """boxes: the contents of those in Word. descriptions: of pictures, each once. lines: of other text.

    diagrams, charts: ids of their relationships. embeds: there are files inside.
    """

    boxes: list[Element] = field(default_factory=list)
    descriptions: dict[str, None] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    embeds: bool = False

    def take(self, element: Element) -> None:
        """Everything in an element. Of the same thing in several ways only the first is taken."""
        tag = element.tag
        if tag == TEXT_BOX:
            self.boxes.append(element)
            return
        if tag.endswith("}txBody"):
            self.lines.extend(map(drawing.line, element.iterchildren(f"{A}p")))
            return
        self._note(element, tag)
        for child in alternative(element):
            self.take(child)

    def add(self, other: Drawn) -> None:
        """What another drawing says, after this one."""
        self.boxes += other.boxes
        self.lines += other.lines
        self.diagrams += other.diagrams
        self.charts += other.charts

    def _note(self, element: Element, tag: str) -> None:
        if tag == f"{DIAGRAM}relIds":
            self.diagrams.append(element.get(f"{RELATION}dm", ""))
        elif tag == f"{CHART}chart":
            self.charts.append(element.get(f"{RELATION}id", ""))
        elif tag == _EMBEDDED:
            self.embeds = True
        elif tag == f"{_VML}textpath":
            self.lines.append(element.get("string", ""))
        elif tag.endswith(("}docPr", "}cNvPr")):
            self._describe(element.get("descr", ""))
        elif tag.startswith(_VML):
            self._describe(element.get("alt", ""))

    def _describe(self, text: str) -> None:
        description = drawing.description(text)
        if description:
            self.descriptions[description] = None


def alternative(element: Element) -> Element:
    """The first of several ways to show something; the element itself if it is not such a choice."""
    return element[0] if element.tag == ALTERNATE and len(element) else element
