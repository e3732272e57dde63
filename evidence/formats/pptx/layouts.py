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


class Sheet:
    """A layout or a master: the shapes that it has itself, and the places that it has prepared."""

    def __init__(self, part: str, root: Element) -> None:
        self.part = part
        self.root = root
        self.shapes = root.find(f"{P}cSld/{P}spTree")
        self._by_number: dict[str, Element] = {}
        self._by_kind: dict[str, Element] = {}
        for shape in () if self.shapes is None else self.shapes.iter(f"{P}sp"):
            place = placeholder(shape)
            if place is not None:
                self._by_number.setdefault(place.get("idx", ""), shape)
                self._by_kind.setdefault(_kind(place), shape)

    def prepared(self, place: Element) -> Element | None:
        """The shape that has prepared a place (`p:ph`): by its number in a layout, by its kind in a master."""
        number = place.get("idx")
        if number is None or self.root.tag == f"{P}sldMaster":
            return self._by_kind.get(_kind(place))
        return self._by_number.get(number)


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


def _kind(place: Element) -> str:
    kind = place.get("type", "obj")
    return _ALIKE.get(kind, kind)
