"""Styles of OpenDocument: what a style's name stands for, through everything that it is based on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evidence.formats.odt.names import FO, LIBREOFFICE, OFFICE, STYLE, TEXT
from evidence.formats.sight import PLAIN, Look
from evidence.formats.xml import Element

_POINTS: Final = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,6})?)pt", re.ASCII)
_COLOUR: Final = re.compile(r"#([0-9a-fA-F]{6})", re.ASCII)
_HEAVY: Final = ("bold", "600", "700", "800", "900")
_SLANTED: Final = ("italic", "oblique")
_TITLE: Final = "Title"
_QUOTE: Final = "Quotations"


@dataclass(frozen=True, slots=True)
class Style:
    """A style with everything that it inherits. fill: behind it, RRGGBB or "" for none; lists: its list style, "" for none."""

    look: Look = PLAIN
    fill: str | None = None
    lists: str | None = None
    is_title: bool = False
    is_quote: bool = False


_NONE: Final = Style()


class Styles:
    """Styles by family and name, from containers of which the first to name one counts."""

    def __init__(self, containers: Iterable[Element | None]) -> None:
        self._elements: dict[tuple[str, str], Element] = {}
        self._known: dict[tuple[str, str], Style] = {}
        self._lists: dict[str, Element] = {}
        for container in containers:
            for element in () if container is None else container:
                name = element.get(f"{STYLE}name", "")
                if element.tag == f"{STYLE}style":
                    self._elements.setdefault((element.get(f"{STYLE}family", ""), name), element)
                elif element.tag == f"{TEXT}list-style":
                    self._lists.setdefault(name, element)

    def get(self, family: str, name: str | None) -> Style:
        """The style of this name; one that is based on itself is based on nothing."""
        if not name:
            return _NONE
        if (family, name) not in self._known:
            self._resolve(family, name)
        return self._known[family, name]

    def list_style(self, name: str) -> Element | None:
        """The list style of this name."""
        return self._lists.get(name)

    def _resolve(self, family: str, name: str) -> None:
        chain: dict[str, Element | None] = {}
        following: str | None = name
        while following and (family, following) not in self._known and following not in chain:
            element = chain[following] = self._elements.get((family, following))
            following = None if element is None else element.get(f"{STYLE}parent-style-name")
        base = self._known.get((family, following or ""), _NONE)
        for link, element in reversed(chain.items()):
            base = self._known[family, link] = _style(link, element, base)


def look(properties: Element | None) -> Look:
    """What a `style:text-properties` says."""
    if properties is None:
        return PLAIN
    weight, slant = properties.get(f"{FO}font-weight"), properties.get(f"{FO}font-style")
    shown, position = properties.get(f"{TEXT}display"), properties.get(f"{STYLE}text-position")
    points = _POINTS.fullmatch(properties.get(f"{FO}font-size", ""))
    return Look(
        bold=None if weight is None else weight in _HEAVY,
        italic=None if slant is None else slant in _SLANTED,
        hidden=None if shown is None else shown == "none",
        raised=None if position is None else position.startswith("super"),
        size=round(float(points[1]) * 2) if points else None,
        colour=_text_colour(properties),
        fill=colour(properties.get(f"{FO}background-color")),
        font=properties.get(f"{STYLE}font-name") or properties.get(f"{FO}font-family"),
    )


def colour(value: str | None) -> str | None:
    """RRGGBB; "" for what is no plain colour, None for nothing."""
    found = _COLOUR.fullmatch(value) if value else None
    return found[1].upper() if found else None if value is None else ""


def is_coloured(root: Element) -> bool:
    """Whether any page has a background of its own."""
    layouts = root.iter(f"{STYLE}page-layout-properties")
    return any(colour(one.get(f"{FO}background-color")) or len(one.findall(f"{STYLE}background-image")) for one in layouts)


def automatic(root: Element | None) -> Element | None:
    """The container of the styles that one part has for itself."""
    return None if root is None else root.find(f"{OFFICE}automatic-styles")


def _text_colour(properties: Element) -> str | None:
    if properties.get(f"{STYLE}use-window-font-color") == "true":
        return ""
    opacity = properties.get(f"{LIBREOFFICE}opacity", "100%")
    return "" if opacity != "100%" else colour(properties.get(f"{FO}color"))


def _style(name: str, element: Element | None, base: Style) -> Style:
    if element is None:
        return Style(is_title=name == _TITLE, is_quote=name == _QUOTE)
    fills = (colour(child.get(f"{FO}background-color")) for child in element if not child.tag.endswith("}text-properties"))
    lists = element.get(f"{STYLE}list-style-name")
    return Style(
        look=look(element.find(f"{STYLE}text-properties")).over(base.look),
        fill=next((fill for fill in fills if fill is not None), base.fill),
        lists=base.lists if lists is None else lists,
        is_title=base.is_title or name == _TITLE,
        is_quote=base.is_quote or name == _QUOTE,
    )
