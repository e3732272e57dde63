"""Rules: thin lines that are drawn on a page, alone or as the edges of cells."""

from __future__ import annotations

from typing import Final

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


def lines(found: Places, low: float, high: float) -> list[float]:
    """Where upright rules run from low to high, or most of the way, in pieces or at one stretch; from left to right."""
    groups: list[list[tuple[float, float]]] = []
    places: list[float] = []
    reached = float("-inf")
    for left, top, right, bottom in sorted(found.tolist()):
        if bottom > low and top < high:
            if left > reached + _TOGETHER:
                groups.append([])
                places.append((left + right) / 2)
            groups[-1].append((max(top, low), min(bottom, high)))
            reached = right
    return [place for place, parts in zip(places, groups, strict=True) if _length(parts) >= _MOSTLY * (high - low)]


def _length(parts: list[tuple[float, float]]) -> float:
    """How much these ranges cover together."""
    covered, reached = 0.0, float("-inf")
    for first, last in sorted(parts):
        covered += max(last - max(first, reached), 0.0)
        reached = max(reached, last)
    return covered
