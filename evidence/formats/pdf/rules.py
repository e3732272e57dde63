"""Rules: thin lines that are drawn on a page, alone or as the edges of cells."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf.glyphs import Places

_THIN: Final = 2.0
"""Points: what is drawn thinner is a rule."""
_SHORT: Final = 4.0
"""Points that a rule is long, at least; what is shorter is a dot or a dash."""
_TOGETHER: Final = 3.0
"""Points between two rules that are one, such as the edges of two cells side by side."""
_MOSTLY: Final = 0.5
"""Share of a table's height or width that the rules at one place cover, at least, when they part its columns or rows."""
MOST: Final = 2_000
"""Of a page; what has more is a drawing."""


def upright(drawn: Places) -> Places:
    """Those that stand upright."""
    width, height = drawn[:, 2] - drawn[:, 0], drawn[:, 3] - drawn[:, 1]
    found = drawn[(width <= _THIN) & (height >= _SHORT)]
    return found if len(found) <= MOST else found[:0]


def level(drawn: Places) -> Places:
    """Those that lie, with their axes swapped: left and right are above and below."""
    return upright(drawn[:, [1, 0, 3, 2]])


def lines(found: Places, low: float, high: float) -> npt.NDArray[np.float64]:
    """Where upright rules run from low to high, or most of the way, in pieces or at one stretch; from left to right."""
    clipped = np.clip(found[:, [1, 3]], low, high)
    places = (found[:, 0] + found[:, 2]) / 2
    crossing = clipped[:, 1] > clipped[:, 0]
    places, clipped = places[crossing], clipped[crossing]
    order = np.argsort(places)
    groups = np.split(order, np.flatnonzero(np.diff(places[order]) > _TOGETHER) + 1) if len(order) else []
    covered = [(float(places[group].mean()), _length(clipped[group])) for group in groups]
    return np.array([place for place, length in covered if length >= _MOSTLY * (high - low)])


def _length(parts: npt.NDArray[Any]) -> float:
    """How much these ranges cover together."""
    ordered = parts[np.argsort(parts[:, 0])]
    reached = np.maximum.accumulate(np.append(ordered[0, 0], ordered[:-1, 1]))
    return float(np.maximum(ordered[:, 1] - np.maximum(ordered[:, 0], reached), 0).sum())
