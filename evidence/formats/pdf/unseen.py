"""Unseen text: what a program reads on a page and a reader does not see.

Letters are unseen when they are tiny, transparent, off the page, painted in the colour of what is right behind them, or when
something opaque is drawn over them. Invisible letters over a picture, and letters under pictures that cover most of the page,
are a scan's recognised text: what a reader sees as a picture. Where it can't be told (pictures, gradients and half-transparent
things behind the letters), they count as seen. Clipped letters and layers that are switched off are not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from evidence.formats.pdf import calls, paint
from evidence.formats.pdf.calls import Numbers
from evidence.formats.pdf.pages import Page
from evidence.formats.pdf.runs import Runs
from evidence.formats.pdf.shapes import Shapes

Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.floating[Any]]
Colours = npt.NDArray[np.int64]

_TINY: Final = 1.0
"""Points of a font's size: a third of a millimetre."""
_FAINT: Final = 13
"""Of 255: less opaque than this is as good as transparent."""
_ALIKE: Final = 16
"""Of 255: two colours that differ by no more in red, green and blue can't be told apart on paper."""
_LEFT_OVER: Final = 0.25
"""Share of a letter's height and width that has to be on the page."""
_INVISIBLE: Final = 3
"""Render mode of text that is not painted."""
_SCAN_SHARE: Final = 0.5
"""A page of which pictures cover more is a scan."""
_THIN: Final = 1.0
"""Points: what is narrower is a line, which hides no letters."""
_CORE: Final = 0.2
"""Share of a letter's box, to each side of its centre, that has to lie in what hides it: a line through it does not."""
_PAIRS: Final = 1_000_000
"""Of runs and shapes that are compared in one go: some megabytes."""
_PAPER: Final = np.array([255, 255, 255])
_UNKNOWN: Final = -1_000


def blank(look: Runs) -> Flags:
    """Runs that no page shows: tiny or transparent."""
    return np.asarray((look.size < _TINY) | (look.colour[:, 3] < _FAINT))


def blank_on_paper(look: Runs) -> Flags:
    """Runs that a page shows only where something is drawn: white, or not painted."""
    return np.asarray((look.mode == _INVISIBLE) | _alike(look.colour[:, :3], _PAPER))


def off(pages: Sequence[Page], page: Numbers, box: Places) -> Flags:
    """Characters of which their page's edge leaves next to nothing. page: the place of each one's page among the pages."""
    result = np.zeros(len(box), dtype=bool)
    least = min(one.width for one in pages), min(one.height for one in pages)
    if not len(box) or (box[:, :2].min() >= 0 and box[:, 2].max() <= least[0] and box[:, 3].max() <= least[1]):
        return result
    for low, side in ((0, [one.width for one in pages]), (1, [one.height for one in pages])):
        start, end = box[:, low], box[:, low + 2]
        left = np.minimum(end, np.array(side)[page]) - np.maximum(start, 0)
        result |= left < np.minimum(_LEFT_OVER * (end - start), _TINY)
    return result


@dataclass(frozen=True, slots=True)
class Letters:
    """The characters of one page, without those that are generated: where each one is, and the run that says how it looks.

    exposed: for each run, whether it is blank on paper.
    """

    box: Places
    run: Numbers
    look: Runs
    exposed: Flags


def could_hide(shapes: Shapes) -> bool:
    """Whether anything is drawn that is more than a line."""
    return bool(len(shapes) and _wide(shapes).size)


def _wide(shapes: Shapes) -> Numbers:
    box = shapes.box
    return np.flatnonzero((box[:, 2] - box[:, 0] > _THIN) & (box[:, 3] - box[:, 1] > _THIN))


def hidden(document: Any, letters: Letters, shapes: Shapes) -> Flags | None:
    """Which characters of a page something on it hides, or nothing on it shows; None where nothing is drawn that matters."""
    relevant = _relevant(letters, shapes)
    if not relevant:
        return None
    found, run = _Ground(letters, shapes), letters.run
    is_scan = shapes.pictured_area() > _SCAN_SHARE * shapes.page.width * shapes.page.height
    for number in relevant:
        inside = found.meeting(number)
        is_path = shapes.kind[number] == pdfium.FPDF_PAGEOBJ_PATH
        painted = (paint.path(document, shapes, number) if is_path else paint.picture(shapes, number)) if inside.size else None
        if painted is None:
            continue
        inside = inside[painted.holds(found.centre[inside])]
        under = found.order[inside] < shapes.order[number]
        found.colour[inside[~under]] = _UNKNOWN if painted.colour is None else painted.colour
        below = inside[under]
        if is_path:
            found.covered[below] |= painted.colour is not None
        elif shapes.kind[number] == pdfium.FPDF_PAGEOBJ_IMAGE:
            found.pictured[inside] = True
            if below.size and not is_scan:
                found.covered[below] |= paint.hides(document, shapes, number, found.centre[below])
    painted_letters = letters.look.mode[run] != _INVISIBLE
    same = _alike(letters.look.colour[run, :3], found.colour)
    return np.asarray(found.covered | np.where(painted_letters, same, ~found.pictured))


class _Ground:
    """What is known of a page's characters while its shapes are gone through: what is behind them, and what is over them."""

    def __init__(self, letters: Letters, shapes: Shapes) -> None:
        count = len(letters.run)
        left, top, right, bottom = letters.box.T
        self.centre = np.stack(((left + right) / 2, (top + bottom) / 2), axis=1)
        self.order = shapes.order_of(letters.look.object)[letters.run]
        self.colour: Colours = np.tile(_PAPER, (count, 1))
        self.covered = np.zeros(count, dtype=bool)
        self.pictured = np.zeros(count, dtype=bool)
        self._down = np.argsort(self.centre[:, 1], kind="stable")
        self._heights = self.centre[self._down, 1]
        self._half = np.stack((right - left, bottom - top), axis=1) * _CORE
        self._shapes = shapes

    def meeting(self, number: int) -> Numbers:
        """The characters whose core lies in the box of a shape."""
        left, top, right, bottom = self._shapes.box[number].tolist()
        near = self._down[np.searchsorted(self._heights, top) : np.searchsorted(self._heights, bottom, side="right")]
        (x, y), (across, down) = self.centre[near].T, self._half[near].T
        return np.asarray(near[(x - across >= left) & (x + across <= right) & (y - down >= top) & (y + down <= bottom)])


def _relevant(letters: Letters, shapes: Shapes) -> Sequence[int]:
    """Shapes that are drawn over letters, or behind letters of their own colour or of such that the paper does not show."""
    wide = _wide(shapes)
    if not len(letters.run):
        return ()
    first = np.flatnonzero(np.diff(letters.run, prepend=-2))
    runs = letters.run[first]
    low, high = np.minimum.reduceat(letters.box[:, :2], first), np.maximum.reduceat(letters.box[:, 2:], first)
    order, colours = shapes.order_of(letters.look.object[runs]), letters.look.colour[runs, :3]
    exposed = letters.exposed[runs]
    found = list[int]()
    for some in np.array_split(wide, 1 + len(wide) * len(runs) // _PAIRS):
        box = shapes.box[some, np.newaxis]
        met = (low[:, 0] < box[:, :, 2]) & (high[:, 0] > box[:, :, 0]) & (low[:, 1] < box[:, :, 3]) & (high[:, 1] > box[:, :, 1])
        needed = np.asarray((met & (exposed | (order < shapes.order[some, np.newaxis]))).any(axis=1))
        others = np.flatnonzero(met.any(axis=1) & ~needed)
        behind = calls.inner_colours(shapes.object[some[others]])[:, :3]
        needed[others] = (met[others] & _alike(colours, behind[:, np.newaxis])).any(axis=1)
        found += some[needed].tolist()
    return found


def _alike(one: Colours, other: Colours) -> Flags:
    return np.asarray((np.abs(one - other) <= _ALIKE).all(axis=-1))
