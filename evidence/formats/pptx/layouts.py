"""Layouts: what a slide's shapes take over from its layout and its master: their places and their bullets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.formats.drawing import A
from evidence.formats.opc import Office
from evidence.formats.pptx.names import P, placeholder
from evidence.formats.xml import Element, integer

_TITLES: Final = ("title", "ctrTitle")
_ALIKE: Final = {"ctrTitle": "title", "subTitle": "body", "obj": "body"}
"""What a master has prepared for kinds of places that only layouts have."""


@dataclass(frozen=True, slots=True)
class Place:
    """Left, top, width and height in EMU (914,400 to the inch)."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A layout or a master: the shapes that it has itself, and its root."""

    part: str
    root: Element

    @property
    def shapes(self) -> Element | None:
        """The tree of its shapes."""
        return self.root.find(f"{P}cSld/{P}spTree")

    def prepared(self, place: Element) -> Element | None:
        """The shape that has prepared a place (`p:ph`): by its number in a layout, by its kind in a master."""
        kind, number = place.get("type", "obj"), place.get("idx")
        is_master = self.root.tag == f"{P}sldMaster"
        for shape in () if self.shapes is None else self.shapes.iter(f"{P}sp"):
            own = placeholder(shape)
            if own is None:
                continue
            if not is_master and number is not None and own.get("idx") == number:
                return shape
            if (is_master or number is None) and _alike(own.get("type", "obj")) == _alike(kind):
                return shape
        return None


class Sheets:
    """The layouts and masters of a presentation, each read once."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._known: dict[str, Sheet | None] = {}

    def above(self, part: str) -> Sequence[Sheet]:
        """The layout of a slide and its master, as far as there are any."""
        layout = self._first(part, "slideLayout")
        master = self._first(layout.part, "slideMaster") if layout is not None else None
        return [one for one in (layout, master) if one is not None]

    def _first(self, part: str, kind: str) -> Sheet | None:
        target = next(iter(self._office.related(part, kind)), "")
        if target not in self._known:
            root = self._office.tree(target) if target else None
            self._known[target] = None if root is None else Sheet(target, root)
        return self._known[target]


def is_title(place: Element | None) -> bool:
    """Whether a place is that of a slide's title."""
    return place is not None and place.get("type") in _TITLES


def place_of(shape: Element, sheets: Sequence[Sheet]) -> Place | None:
    """Where a shape stands; None where neither it nor what it was prepared by says so."""
    for one in (shape, *_prepared(shape, sheets)):
        for path in (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm"):
            frame = one.find(path)
            offset, extent = (None, None) if frame is None else (frame.find(f"{A}off"), frame.find(f"{A}ext"))
            if offset is not None and extent is not None:
                values = (offset.get("x"), offset.get("y"), extent.get("cx"), extent.get("cy"))
                return Place(*(integer(value) for value in values))
    return None


def list_styles(shape: Element, sheets: Sequence[Sheet]) -> Sequence[Element]:
    """The list styles that say how a shape's paragraphs look, its own first."""
    found = [one.find(f"{P}txBody/{A}lstStyle") for one in (shape, *_prepared(shape, sheets))]
    place = placeholder(shape)
    family = "otherStyle" if place is None else "titleStyle" if is_title(place) else "bodyStyle"
    found += [sheet.root.find(f"{P}txStyles/{P}{family}") for sheet in sheets]
    return [one for one in found if one is not None]


def _prepared(shape: Element, sheets: Sequence[Sheet]) -> Iterator[Element]:
    place = placeholder(shape)
    for sheet in sheets if place is not None else ():
        found = sheet.prepared(place) if place is not None else None
        if found is not None:
            place = placeholder(found)
            yield found


def _alike(kind: str) -> str:
    return _ALIKE.get(kind, kind)
