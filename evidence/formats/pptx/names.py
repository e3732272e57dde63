"""Names of PresentationML: its namespace, and the properties that every kind of shape has."""

from __future__ import annotations

from typing import Final

from evidence.formats.xml import Element

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"

_PROPERTIES: Final = tuple(f"{P}{name}" for name in ("nvSpPr", "nvPicPr", "nvGraphicFramePr", "nvGrpSpPr", "nvCxnSpPr"))


def properties(shape: Element) -> Element | None:
    """The `p:cNvPr` of a shape: its name, its description, whether it is hidden."""
    return next((one.find(f"{P}cNvPr") for one in shape.iterchildren(_PROPERTIES)), None)


def placeholder(shape: Element) -> Element | None:
    """The `p:ph` of a shape that a layout has prepared a place for."""
    return next((one.find(f"{P}nvPr/{P}ph") for one in shape.iterchildren(_PROPERTIES)), None)
