"""Styles: what a style's name stands for, through everything that it is based on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evidence.formats.docx.looks import look, shading
from evidence.formats.docx.names import W, value
from evidence.formats.sight import PLAIN, Look
from evidence.formats.xml import Element, integer

BODY_LEVEL: Final = 9
"""The outline level of what is no heading; 0 to 8 are headings."""

# Word writes the English names whatever its language; a document without definitions has only ids, and those are translated.
_HEADING: Final = re.compile(r"(?:heading|überschrift|berschrift)\s?([1-9])")
_DEPTH: Final = re.compile(r"list (?:number|bullet) ([2-5])")
_QUOTES: Final = ("quote", "intense quote")


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph, character or table style with everything that it inherits.

    heading: 0 to 8, BODY_LEVEL for none; None where nothing is said of it. numbering: id of its list; numbered_by: the style
    that says so; level: in that list. depth: from 1, of the items of Word's own list styles. fill: behind its paragraphs.
    shaded: whether any part of a table has a colour behind it; has_first_row: whether its first row looks different.
    """

    heading: int | None = None
    is_title: bool = False
    is_quote: bool = False
    numbering: str | None = None
    numbered_by: str = ""
    level: int | None = None
    depth: int = 1
    look: Look = PLAIN
    fill: str | None = None
    shaded: bool = False
    has_first_row: bool = False


_NONE: Final = Style()


class Styles:
    """The styles of a document by their ids. A style that is based on itself is based on nothing."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._known: dict[str, Style] = {}
        self._default = ""
        self.base = PLAIN
        if root is not None:
            self._take(root)

    def paragraph(self, name: str | None) -> Style:
        """A paragraph's style: the one of this id, else the default."""
        return self.get(name or self._default)

    def get(self, name: str | None) -> Style:
        """The style of this id; one that the document does not define has at most the meaning of its name."""
        if not name:
            return _NONE
        if name not in self._known:
            self._resolve(name)
        return self._known[name]

    def numberings(self) -> Mapping[str, str]:
        """The list that each numbering style stands for."""
        return {
            name: value(element.find(f"{W}pPr/{W}numPr"), "numId") or ""
            for name, element in self._elements.items()
            if element.get(f"{W}type") == "numbering"
        }

    def _take(self, root: Element) -> None:
        self.base = look(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
        for element in root.iterchildren(f"{W}style"):
            name = element.get(f"{W}styleId", "")
            self._elements.setdefault(name, element)
            if element.get(f"{W}type") == "paragraph" and element.get(f"{W}default") in ("1", "true", "on"):
                self._default = self._default or name

    def _resolve(self, name: str) -> None:
        chain: dict[str, Element | None] = {}
        following: str | None = name
        while following and following not in self._known and following not in chain:
            chain[following] = self._elements.get(following)
            following = value(chain[following], "basedOn")
        base = _NONE if following is None else self._known.get(following, _NONE)
        for link, element in reversed(chain.items()):
            base = self._known[link] = _undefined(link) if element is None else _style(link, element, base)


def _undefined(name: str) -> Style:
    return Style(heading=_named_heading(name.lower()), is_title=name.lower() == "title")


def _style(name: str, element: Element, base: Style) -> Style:
    named = (value(element, "name") or name).lower()
    paragraph = element.find(f"{W}pPr")
    numbers = None if paragraph is None else paragraph.find(f"{W}numPr")
    numbering, level = value(numbers, "numId"), value(numbers, "ilvl")
    depth = _DEPTH.fullmatch(named)
    fill = shading(None if paragraph is None else paragraph.find(f"{W}shd"))
    return Style(
        heading=_first(_outline(paragraph), _named_heading(named), base.heading),
        is_title=named == "title" or base.is_title,
        is_quote=named in _QUOTES or base.is_quote,
        numbering=base.numbering if numbering is None else numbering,
        numbered_by=base.numbered_by if numbers is None else name,
        level=base.level if level is None else integer(level),
        depth=int(depth[1]) if depth else base.depth,
        look=look(element.find(f"{W}rPr")).over(base.look),
        fill=base.fill if fill is None else fill,
        shaded=base.shaded or any(map(shading, element.iter(f"{W}shd"))),
        has_first_row=base.has_first_row or _has_first_row(element),
    )


def _first(*levels: int | None) -> int | None:
    return next((level for level in levels if level is not None), None)


def _outline(paragraph: Element | None) -> int | None:
    said = value(paragraph, "outlineLvl")
    return None if said is None else integer(said, BODY_LEVEL)


def _named_heading(name: str) -> int | None:
    found = _HEADING.fullmatch(name)
    return int(found[1]) - 1 if found else None


def _has_first_row(element: Element) -> bool:
    return any(part.get(f"{W}type") == "firstRow" for part in element.iterchildren(f"{W}tblStylePr"))
