"""DrawingML: the words in shapes, diagrams and charts, as Word and PowerPoint share them. Pictures are never opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from evidence.formats import omml
from evidence.formats.omml import M
from evidence.formats.xml import Element

A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
CHART: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DIAGRAM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"

_FILE: Final = re.compile(r".*\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)", re.IGNORECASE)


def line(paragraph: Element) -> str:
    """The text of an `a:p`; a break in it is a line feed."""
    return "".join(_words(paragraph))


def description(text: str) -> str:
    """What is said of a picture for those who do not see it; programs put the name of its file there."""
    words = " ".join(text.split())
    return "" if _FILE.fullmatch(words) else words


def diagram(root: Element) -> Sequence[str]:
    """The texts of a SmartArt's points, in the order of its list."""
    return _filled(line(paragraph) for point in root.iter(f"{DIAGRAM}t") for paragraph in point.iter(f"{A}p"))


def chart(root: Element) -> Sequence[str]:
    """A chart's titles; then what its series are called, then its categories, on one line each."""
    titles = [line(paragraph) for title in root.iter(f"{CHART}title") for paragraph in title.iter(f"{A}p")]
    series = [name.text or "" for one in root.iter(f"{CHART}tx") for name in one.iter(f"{CHART}v")]
    categories = [name.text or "" for one in root.iter(f"{CHART}cat") for name in one.iter(f"{CHART}v")]
    return _filled((*titles, *("; ".join(dict.fromkeys(names)) for names in (series, categories))))


def _words(parent: Element) -> Iterable[str]:
    for child in parent:
        if child.tag == f"{A}t":
            yield child.text or ""
        elif child.tag == f"{A}br":
            yield "\n"
        elif child.tag.startswith(M):
            yield omml.text(child)
        elif not child.tag.endswith(("}rPr", "}pPr", "}endParaRPr")):
            yield from _words(child)


def _filled(lines: Iterable[str]) -> Sequence[str]:
    return [one for one in lines if one.strip()]
