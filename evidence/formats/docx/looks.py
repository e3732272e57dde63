"""Looks of runs, as Word's properties say them."""

from __future__ import annotations

import re
from typing import Final

from evidence.formats.docx.names import W
from evidence.formats.sight import PLAIN, Look
from evidence.formats.xml import Element, integer

_OFF: Final = ("0", "false", "off", "none")
_COLOUR: Final = re.compile(r"[0-9a-fA-F]{6}", re.ASCII)
_POINTS: Final = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4})?)pt", re.ASCII)
_HIGHLIGHTS: Final = {
    "black": "000000",
    "blue": "0000FF",
    "cyan": "00FFFF",
    "green": "00FF00",
    "magenta": "FF00FF",
    "red": "FF0000",
    "yellow": "FFFF00",
    "white": "FFFFFF",
    "darkBlue": "000080",
    "darkCyan": "008080",
    "darkGreen": "008000",
    "darkMagenta": "800080",
    "darkRed": "800000",
    "darkYellow": "808000",
    "darkGray": "808080",
    "lightGray": "C0C0C0",
}


def look(properties: Element | None) -> Look:
    """What a `w:rPr` says."""
    if properties is None or not len(properties):
        return PLAIN
    said = {child.tag: child for child in properties}
    size = said.get(f"{W}sz")
    colour = said.get(f"{W}color")
    raised = said.get(f"{W}vertAlign")
    fonts = said.get(f"{W}rFonts")
    return Look(
        bold=_on(said.get(f"{W}b")),
        italic=_on(said.get(f"{W}i")),
        hidden=_on(said.get(f"{W}vanish")),
        raised=None if raised is None else raised.get(f"{W}val") == "superscript",
        size=None if size is None else _half_points(size.get(f"{W}val", "")),
        colour=None if colour is None else _colour(colour.get(f"{W}val", "")),
        fill=_highlight(said.get(f"{W}highlight"), shading(said.get(f"{W}shd"))),
        font=None if fonts is None else fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi"),
    )


def is_on(element: Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return bool(_on(element))


def shading(element: Element | None) -> str | None:
    """The colour of a `w:shd`: "" for none, None where it says nothing."""
    if element is None:
        return None
    pattern = element.get(f"{W}val", "clear")
    if pattern == "nil":
        return ""
    return _colour(element.get(f"{W}color" if pattern == "solid" else f"{W}fill", ""))


def _on(element: Element | None) -> bool | None:
    return None if element is None else element.get(f"{W}val", "1") not in _OFF


def _half_points(size: str) -> int | None:
    points = _POINTS.fullmatch(size)
    return round(float(points[1]) * 2) if points else integer(size, -1) if integer(size, -1) >= 0 else None


def _colour(value: str) -> str:
    return value.upper() if _COLOUR.fullmatch(value) else ""


def _highlight(element: Element | None, beneath: str | None) -> str | None:
    return beneath if element is None else _HIGHLIGHTS.get(element.get(f"{W}val", ""), "") or beneath
