"""Cuts: between which glyphs a piece of a line ends.

That is where a line ends, where a gap is so wide that columns may begin, and where less of a gap does it: at a rule, and below
and above wider ones that leave the same edge free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evidence import profile
from evidence.formats.pdf import rules
from evidence.formats.pdf.glyphs import Codes, Flags, Places
from evidence.formats.pdf.ink import DIRECTIONS, Ink, Measures, Numbers, Sheet

_SAME_LINE: Final = 0.4
"""Share of the smaller height that two glyphs on one line have in common; a raised number has about half of its own."""
_WIDE: Final = 1.0
"""Font sizes between two glyphs that may stand in two columns; a justified line's blanks are nearly always narrower."""
_NARROW: Final = 0.35
"""Font sizes of a gap that may part columns where wider gaps in other lines do; a plain blank is narrower."""
_HALF: Final = 0.7
"""Font sizes of such a gap in a line without any wider one."""
_THREAD: Final = 0.3
"""Font sizes that such gaps leave free together, and that the edge of their column may be off."""
_SUPPORT: Final = 2
"""Other lines in which the column is parted by wider gaps."""
_WORD: Final = 0.15
"""Font sizes between two glyphs of two words, where the extractor put a line end between them."""
_TOUCH: Final = 0.5
"""Points that a glyph may reach into a rule beside it."""
_MOST_COMPARED: Final = 4_000_000
"""Gaps of a page times the rules or gaps that they are compared with; a page with more is a drawing."""
_FIRST_MARK: Final = 0x300
"""Nothing before it ever joins the code point in front."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """For each inked glyph but the first: what lies between it and the one before.

    cut: a piece ends. beside: a piece ends, and the next one stands on the same line. blank: a blank is kept.
    """

    cut: Flags
    beside: Flags
    blank: Flags


def find(ink: Ink, is_line_end: Flags, codes: Codes, sheets: Sequence[Sheet]) -> Cuts:
    """is_line_end, codes: for each glyph. sheets: of the pages."""
    between = np.diff(ink.at) - 1
    ends_between = np.zeros(len(between), dtype=np.int64)
    behind = np.searchsorted(ink.at, np.flatnonzero(is_line_end))
    np.add.at(ends_between, behind[(behind > 0) & (behind < len(ink.at))] - 1, 1)
    ended = ends_between > 0
    em = np.maximum(np.maximum(ink.size[:-1], ink.size[1:]), np.float32(0.1))
    ahead = ink.left[1:] - ink.right[:-1]
    distance = np.maximum(ahead, ink.left[:-1] - ink.right[1:])
    on_line = _on_line(ink)
    together = on_line & (distance <= _WIDE * em)
    _join_below(ink, together, ended, em)
    wide = on_line & ((ahead > _WIDE * em) | (~ended & (ink.bottom[1:] == ink.bottom[:-1])))
    if ink.angle is not None:
        slanted = ~np.isin(ink.angle[1:], DIRECTIONS)
        turns = np.diff(ink.angle) != 0
        together = np.where(slanted, ~ended, together) & ~turns
        wide &= ~slanted & ~turns
    _part_cells(ink, together, wide, ahead, em, sheets)
    inner = ink.pages[(ink.pages > 0) & (ink.pages < len(ink.at))] - 1
    together[inner] = wide[inner] = False
    blank = together & ((between > ends_between) | (ended & (distance > _WORD * em)))
    for number in np.flatnonzero(together & ended & ~blank & (codes[ink.at[1:]] >= _FIRST_MARK)):
        blank[number] = _composes(codes, ink.at, int(number))
    return Cuts(~together, wide & ~together, blank)


def _on_line(ink: Ink) -> Flags:
    """Whether each glyph and the next stand on one line."""
    level = ink.bottom[1:] == ink.bottom[:-1]
    other = np.flatnonzero(~level)
    level[other] = _common(ink.top, ink.bottom, other) >= _SAME_LINE
    return np.asarray(level)


def _join_below(ink: Ink, together: Flags, ended: Flags, em: Measures) -> None:
    """Put together what stands straight below the glyph before, as in vertical writing, unless a line ends there."""
    apart = np.flatnonzero(~together & ~ended)
    near = np.abs(ink.top[apart + 1] - ink.bottom[apart]) <= em[apart]
    together[apart[near & (_common(ink.left, ink.right, apart) >= _SAME_LINE)]] = True


def _part_cells(ink: Ink, together: Flags, wide: Flags, ahead: Measures, em: Measures, sheets: Sequence[Sheet]) -> None:
    """Part what a rule between two cells parts, and gaps in line with wider ones, however near the cells are to one another."""
    owners = np.searchsorted(ink.pages, np.flatnonzero(wide & ~together), side="right") - 1
    counts = np.bincount(owners, minlength=len(sheets)).tolist()
    bounds = [*ink.pages.tolist(), len(ink.at)]
    for number, sheet in enumerate(sheets):
        first, last = bounds[number], bounds[number + 1] - 1
        if last <= first or not (counts[number] >= _SUPPORT or len(sheet.drawn)):
            continue
        own = slice(first, last)
        found = rules.upright(sheet.drawn)
        gaps = first + np.flatnonzero(together[own] & (ahead[own] > _WORD * em[own]))
        _part(gaps[_crossed(ink, gaps, found)], together, wide)
        columns = first + np.flatnonzero(wide[own] & ~together[own])
        gaps = first + np.flatnonzero(together[own] & (ahead[own] > _NARROW * em[own]))
        _part(gaps[_in_column(ink, gaps, columns, em)], together, wide)


def _part(numbers: Numbers, together: Flags, wide: Flags) -> None:
    together[numbers], wide[numbers] = False, True


def _crossed(ink: Ink, gaps: Numbers, found: Places) -> Flags:
    """Whether a rule stands in each of these gaps."""
    if not 0 < len(gaps) * len(found) <= _MOST_COMPARED:
        return np.zeros(len(gaps), dtype=bool)
    low, high = ink.right[gaps, None] - _TOUCH, ink.left[gaps + 1, None] + _TOUCH
    middle = (ink.top[gaps, None] + ink.bottom[gaps, None]) / 2
    place = (found[:, 0] + found[:, 2]) / 2
    return np.asarray(((low <= place) & (place <= high) & (found[:, 1] <= middle) & (middle <= found[:, 3])).any(axis=1))


def _in_column(ink: Ink, gaps: Numbers, columns: Numbers, em: Measures) -> Flags:
    """Whether each of these gaps has an edge in common with gaps of other lines that part columns."""
    if len(columns) < _SUPPORT or len(gaps) * len(columns) > _MOST_COMPARED:
        return np.zeros(len(gaps), dtype=bool)
    slack = _THREAD * em[gaps, None]
    low, high = ink.right[gaps, None], ink.left[gaps + 1, None]
    column_low, column_high = ink.right[columns], ink.left[columns + 1]
    free = np.minimum(high, column_high) - np.maximum(low, column_low) >= slack
    in_line = (np.abs(high - column_high) <= slack) | (np.abs(low - column_low) <= slack)
    other = np.abs(ink.bottom[gaps, None] - ink.bottom[columns]) > em[gaps, None] / 2
    in_row = ~other.all(axis=1) | (high[:, 0] - low[:, 0] >= _HALF * em[gaps])
    return np.asarray(in_row & ((free & in_line & other).sum(axis=1) >= _SUPPORT))


def _common(low: Measures, high: Measures, numbers: Numbers) -> Measures:
    """How much of the smaller extent each of these glyphs and the next have in common."""
    first, second, extent = numbers, numbers + 1, high - low
    common = np.minimum(high[first], high[second]) - np.maximum(low[first], low[second])
    return np.asarray(common / np.maximum(np.minimum(extent[first], extent[second]), np.float32(0.01)))


def _composes(codes: Codes, at: Numbers, number: int) -> bool:
    """Whether the profile would change what comes of putting these two glyphs next to each other."""
    nearby = "".join(map(chr, codes[at[max(number - 3, 0) : number + 4]]))
    return profile.normalise(nearby) != nearby
