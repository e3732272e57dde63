"""Unseen text: what a program reads on a page and a reader does not see.

Letters are unseen when they are tiny, transparent, off the page, painted in the colour of what is right behind them, or when
something opaque is drawn over them. Invisible letters over a picture, and letters under pictures that cover most of the page,
are a scan's recognised text: what a reader sees as a picture. Where it can't be told (pictures, gradients and half-transparent
things behind the letters), they count as seen. Clipped letters and layers that are switched off are not looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from evidence.formats.pdf import paint
from evidence.formats.pdf.calls import Addresses, Numbers
from evidence.formats.pdf.shapes import Places, Shapes

Flags = npt.NDArray[np.bool_]

_TINY: Final = 1.0
"""Points of a font's size: a third of a millimetre."""
_FAINT: Final = 13
"""Of 255: less opaque than this is as good as transparent."""
_ALIKE: Final = 16
"""Of 255: two colours that differ by no more in red, green and blue can't be told apart on paper."""
_LEFT_OVER: Final = 0.25
"""Share of a letter's height or width that has to be on the page."""
_INVISIBLE: Final = 3
"""Render mode of text that is not painted."""
_SCAN_SHARE: Final = 0.5
"""A page of which pictures cover more is a scan."""
_THIN: Final = 1.0
"""Points: what is narrower is a line, which hides no letters."""
_CORE: Final = 0.2
"""Share of a letter's box, to each side of its centre, that has to lie in what hides it: a line through it does not."""
_PAPER: Final = np.array([255, 255, 255])
_UNKNOWN: Final = -1_000


@dataclass(frozen=True, slots=True)
class Look:
    """How the characters of one page look; one entry for each. box: points, as looked at. object: the text object."""

    box: Places
    object: Addresses
    size: npt.NDArray[np.float64]
    colour: npt.NDArray[np.int64]
    mode: Numbers


def unseen(document: Any, look: Look, shapes: Shapes) -> Flags:
    """Which of a page's characters nobody sees."""
    centre = (look.box[:, :2] + look.box[:, 2:]) / 2
    result = _off(look.box, shapes) | (look.size < _TINY) | (look.colour[:, 3] < _FAINT)
    if ((shapes.box[:, 2:] - shapes.box[:, :2]) > _THIN).all(axis=1).any():
        return np.asarray(result | _hidden(document, look, shapes, centre))
    return np.asarray(result | (look.mode == _INVISIBLE) | _alike(look.colour[:, :3], _PAPER))


def _off(box: Places, shapes: Shapes) -> Flags:
    """Characters of which the page's edge leaves next to nothing."""
    sides = box[:, 2:] - box[:, :2]
    left = np.minimum(box[:, 2:], (shapes.page.width, shapes.page.height)) - np.maximum(box[:, :2], 0)
    return np.asarray((left < _LEFT_OVER * sides).any(axis=1) | (left < 0).any(axis=1))


def _hidden(document: Any, look: Look, shapes: Shapes, centre: npt.NDArray[np.float64]) -> Flags:
    """Which characters something else on the page hides, or nothing shows."""
    order = shapes.order_of(look.object)
    ground = np.tile(_PAPER, (len(order), 1))
    covered, pictured = np.zeros(len(order), dtype=bool), np.zeros(len(order), dtype=bool)
    is_scan = shapes.pictured_area() > _SCAN_SHARE * shapes.page.width * shapes.page.height
    for number, inside in _meetings(shapes, look.box, centre):
        is_path = shapes.kind[number] == pdfium.FPDF_PAGEOBJ_PATH
        painted = paint.path(document, shapes, number) if is_path else paint.picture(shapes, number)
        if painted is None:
            continue
        inside = inside[painted.holds(centre[inside])]
        under = order[inside] < shapes.order[number]
        ground[inside[~under]] = _UNKNOWN if painted.colour is None else painted.colour
        below = inside[under]
        if is_path:
            covered[below] |= painted.colour is not None
        elif shapes.kind[number] == pdfium.FPDF_PAGEOBJ_IMAGE:
            pictured[inside] = True
            if below.size and not is_scan:
                covered[below] |= paint.hides(document, shapes, number, centre[below])
    visible = look.mode != _INVISIBLE
    return np.asarray(covered | np.where(visible, _alike(look.colour[:, :3], ground), ~pictured))


def _alike(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> Flags:
    return np.asarray((np.abs(one - other) <= _ALIKE).all(axis=1))


def _meetings(shapes: Shapes, box: Places, centre: npt.NDArray[np.float64]) -> Iterator[tuple[int, Numbers]]:
    """Shapes over or under characters, in the order in which they are drawn, with the numbers of these characters."""
    core = (box[:, 2:] - box[:, :2]) * _CORE
    low, high = centre - core, centre + core
    by_height = np.argsort(centre[:, 1], kind="stable")
    heights = centre[by_height, 1]
    first, last = np.searchsorted(heights, shapes.box[:, 1]), np.searchsorted(heights, shapes.box[:, 3])
    for number in np.flatnonzero(last > first).tolist():
        near = by_height[first[number] : last[number]]
        inside = (low[near] >= shapes.box[number, :2]) & (high[near] <= shapes.box[number, 2:])
        near = near[inside.all(axis=1)]
        if near.size:
            yield number, near
