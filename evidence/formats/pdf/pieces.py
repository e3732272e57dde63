"""Pieces: glyphs put together as far as they stand side by side on one line, without surplus blanks.

Everything is done for many pages at once on whole arrays: a long document has millions of glyphs, and only some ten thousand
pieces, which the steps after this one look at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence import profile
from evidence.formats.pdf import rules
from evidence.formats.pdf.glyphs import Codes, Flags, Glyphs, Places

BLANK: Final = 0x20
NO_BREAK: Final = 0xA0
_LINE_END: Final = 0x0A
_TOUCH: Final = 0.5
"""Points that a glyph may reach into a rule beside it."""
_FIRST_MARK: Final = 0x300
"""Nothing before it ever joins the code point in front."""
_BATCH: Final = 200_000
"""Glyphs that are worked on at once: enough to make the cost of a single array operation vanish, in a few megabytes."""
_SAME_LINE: Final = 0.4
"""Share of the smaller height that two glyphs on one line have in common; a raised number has about half of its own."""
_WIDE: Final = 1.0
"""Font sizes between two glyphs that may stand in two columns; a justified line's blanks are nearly always narrower."""
_WORD: Final = 0.15
"""Font sizes between two glyphs of two words, where the extractor put a line end between them."""
_LEVEL: Final = 3
"""Degrees that a line may slope, as on a scan that lay a little crooked."""
_DOWNWARDS, _UPSIDE_DOWN, _UPWARDS = 90, 180, 270
_DIRECTIONS: Final = (0, _DOWNWARDS, _UPSIDE_DOWN, _UPWARDS)
_UNEVEN: Final = 0.2
"""Points between the lower edges of two glyphs that stand at one height, and between two sizes that are one."""
_MOSTLY: Final = 0.7
"""Share of bold glyphs in what looks bold; formulas in a bold heading are not."""

Numbers = npt.NDArray[np.int64]
Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pieces:
    """`codes` and `origins` (numbers of the glyphs, counted over all pages) for each code point; all else for each piece.

    start, end: the piece's range in codes. left, right: in points, of all its glyphs; top, bottom, size: of most of them. word:
    width of its first word. bold: whether most of it is; unseen: whether all of it is. turned: written in another direction than
    most of the page. beside: whether it stands on the line of the piece before, with a wide gap between.
    """

    codes: Codes
    origins: Numbers
    start: Numbers
    end: Numbers
    page: Numbers
    left: Points
    top: Points
    right: Points
    bottom: Points
    size: Points
    word: Points
    bold: Flags
    unseen: Flags
    turned: Flags
    beside: Flags


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is left of a page when its glyphs have become pieces. drawn: as in Glyphs.

    A page on which most is written downwards, upwards or upside down is turned until it can be read; all places are meant so.
    """

    width: float
    height: float
    drawn: Places


def read(pages: Iterable[Glyphs]) -> tuple[Pieces, Sequence[Sheet]]:
    """The pieces of all pages, in the extractor's order."""
    sheets: list[Sheet] = []
    found = [_pieces(batch, sheets, counted) for batch, counted in _batches(pages)]
    return _joined(found), sheets


def _batches(pages: Iterable[Glyphs]) -> Iterator[tuple[Sequence[Glyphs], int]]:
    """Some pages, and the number of glyphs before them; at least one batch."""
    batch, held, counted = list[Glyphs](), 0, 0
    for page in pages:
        batch.append(page)
        held += len(page.codes)
        if held >= _BATCH:
            yield batch, counted
            batch, held, counted = [], 0, counted + held
    yield batch, counted


def _joined(found: Sequence[Pieces]) -> Pieces:
    values: dict[str, Any] = {
        field.name: np.concatenate([getattr(pieces, field.name) for pieces in found]) for field in fields(Pieces)
    }
    shifts = np.cumsum([0, *(len(pieces.codes) for pieces in found[:-1])])
    shift = np.repeat(shifts, [len(pieces.start) for pieces in found])
    values["start"] += shift
    values["end"] += shift
    return Pieces(**values)


Measures = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Ink:
    """Every glyph that is no blank: `at` is its number in the batch, `pages` where each page's glyphs begin among them.

    Places are meant as the glyph is read, from left to right, whatever direction it is written in; only what is written aslant
    keeps the places that it has on the page. angle: None where everything is written from left to right.
    """

    at: Numbers
    left: Measures
    top: Measures
    right: Measures
    bottom: Measures
    size: Measures
    pages: Numbers
    angle: Numbers | None


@dataclass(frozen=True, slots=True)
class _Pairs:
    """For each inked glyph but the first: what lies between it and the one before.

    cut: a piece ends. beside: a piece ends, and the next one stands on the same line. blank: a blank is kept.
    """

    cut: Flags
    beside: Flags
    blank: Flags


def _pieces(pages: Sequence[Glyphs], sheets: list[Sheet], counted: int) -> Pieces:
    """The pieces of these pages; adds the sheet of each. counted: glyphs on the pages before."""
    codes = _column(pages, "codes", np.uint32)
    ink = _ink(pages, codes)
    main_angles = _main_angles(ink, len(pages))
    first_page = len(sheets)
    sheets.extend(_sheet(page, angle) for page, angle in zip(pages, main_angles.tolist(), strict=True))
    pairs = _pairs(ink, _column(pages, "generated", np.bool_) & (codes == _LINE_END), codes, sheets[first_page:])
    begins = np.flatnonzero(np.concatenate((np.ones(min(len(ink.at), 1), dtype=bool), pairs.cut)))
    kept = np.zeros(len(codes), dtype=bool)
    kept[ink.at] = True
    blanks = ink.at[:-1][pairs.blank] + 1
    kept[blanks] = True
    codes[blanks] = np.where(codes[blanks] == NO_BREAK, NO_BREAK, BLANK)
    start = (np.cumsum(kept) - 1)[ink.at[begins]]
    main = _main_glyphs(ink, begins)
    counts = np.diff(begins, append=len(ink.at))
    left, right = _reduced(np.minimum, ink.left, begins), _reduced(np.maximum, ink.right, begins)
    page = np.searchsorted(ink.pages, begins, side="right") - 1
    return Pieces(
        codes=codes[kept],
        origins=counted + np.flatnonzero(kept),
        start=start,
        end=np.append(start[1:], np.count_nonzero(kept)) if len(start) else start,
        page=page + first_page,
        left=left.astype(np.float64),
        top=ink.top[main].astype(np.float64),
        right=right.astype(np.float64),
        bottom=ink.bottom[main].astype(np.float64),
        size=ink.size[main].astype(np.float64).round(2),
        word=(_first_words(ink, pairs.blank, begins, right) - left).astype(np.float64),
        bold=_added(_column(pages, "bold", np.bool_)[ink.at], begins) >= _MOSTLY * counts,
        unseen=_added(_column(pages, "unseen", np.bool_)[ink.at], begins) == counts,
        turned=np.zeros(len(begins), dtype=bool) if ink.angle is None else ink.angle[begins] != main_angles[page],
        beside=np.concatenate((np.zeros(min(len(begins), 1), dtype=bool), pairs.beside[begins[1:] - 1])),
    )


def _column(pages: Sequence[Glyphs], name: str, kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *[getattr(page, name) for page in pages]])


def _ink(pages: Sequence[Glyphs], codes: Codes) -> _Ink:
    at = np.flatnonzero((codes > BLANK) & (codes != NO_BREAK))
    boxes = np.concatenate([np.zeros((0, 4)), *[page.boxes for page in pages]], dtype=np.float32, casting="same_kind")[at]
    ends = np.cumsum([len(page.codes) for page in pages], dtype=np.int64)
    begins = np.searchsorted(at, np.concatenate(([0], ends[:-1]))) if len(ends) else ends
    angles = _column(pages, "angle", np.int16)
    angle = _straight(angles[at].astype(np.int64) % 360) if angles.any() else None
    if angle is not None:
        numbers = np.searchsorted(begins, np.arange(len(at)), side="right") - 1
        for direction in _DIRECTIONS[1:]:
            turned = np.flatnonzero(angle == direction)
            sizes = np.array([(page.width, page.height) for page in pages], dtype=np.float32)[numbers[turned]]
            boxes[turned] = _turned(boxes[turned], direction, sizes[:, 0], sizes[:, 1])
    left, top, right, bottom = np.ascontiguousarray(boxes.T)
    return _Ink(at, left, top, right, bottom, _column(pages, "size", np.float32)[at], begins, angle)


def _straight(angle: Numbers) -> Numbers:
    """Angles, with those that are nearly one of the four directions made so."""
    nearest = np.round(angle / 90).astype(np.int64) * 90
    return np.where(np.abs(angle - nearest) <= _LEVEL, nearest % 360, angle)


def _turned(boxes: npt.NDArray[Any], direction: int, width: Any, height: Any) -> npt.NDArray[Any]:
    """Boxes as they are seen when the page is turned so that what is written in this direction runs from left to right."""
    left, top, right, bottom = boxes.T
    if direction == _DOWNWARDS:
        turned = (top, width - right, bottom, width - left)
    elif direction == _UPWARDS:
        turned = (height - bottom, left, height - top, right)
    else:
        turned = (width - right, height - bottom, width - left, height - top)
    return np.stack(turned, axis=1)


def _main_angles(ink: _Ink, count: int) -> Numbers:
    """For each page the direction in which most of it is written; the usual one where it is none of the four."""
    main = np.zeros(count, dtype=np.int64)
    if ink.angle is not None:
        for number, own in enumerate(np.split(ink.angle, ink.pages[1:])):
            if own.any():
                angles, counts = np.unique(own, return_counts=True)
                main[number] = angles[counts.argmax()]
        main[~np.isin(main, _DIRECTIONS)] = 0
    return main


def _sheet(page: Glyphs, angle: int) -> Sheet:
    if not angle:
        return Sheet(page.width, page.height, page.drawn)
    drawn = _turned(page.drawn, angle, page.width, page.height)
    width, height = (page.width, page.height) if angle == _UPSIDE_DOWN else (page.height, page.width)
    return Sheet(width, height, drawn)


def _pairs(ink: _Ink, is_line_end: Flags, codes: Codes, sheets: Sequence[Sheet]) -> _Pairs:
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
        slanted = ~np.isin(ink.angle[1:], _DIRECTIONS)
        turns = np.diff(ink.angle) != 0
        together = np.where(slanted, ~ended, together) & ~turns
        wide &= ~slanted & ~turns
    _part_at_rules(ink, together, wide, sheets)
    inner = ink.pages[(ink.pages > 0) & (ink.pages < len(ink.at))] - 1
    together[inner] = wide[inner] = False
    blank = together & ((between > ends_between) | (ended & (distance > _WORD * em)))
    for number in np.flatnonzero(together & ended & ~blank & (codes[ink.at[1:]] >= _FIRST_MARK)):
        blank[number] = _composes(codes, ink.at, int(number))
    return _Pairs(~together, wide & ~together, blank)


def _on_line(ink: _Ink) -> Flags:
    """Whether each glyph and the next stand on one line."""
    level = ink.bottom[1:] == ink.bottom[:-1]
    other = np.flatnonzero(~level)
    level[other] = _common(ink.top, ink.bottom, other) >= _SAME_LINE
    return np.asarray(level)


def _join_below(ink: _Ink, together: Flags, ended: Flags, em: Measures) -> None:
    """Put together what stands straight below the glyph before, as in vertical writing, unless a line ends there."""
    apart = np.flatnonzero(~together & ~ended)
    near = np.abs(ink.top[apart + 1] - ink.bottom[apart]) <= em[apart]
    together[apart[near & (_common(ink.left, ink.right, apart) >= _SAME_LINE)]] = True


def _part_at_rules(ink: _Ink, together: Flags, wide: Flags, sheets: Sequence[Sheet]) -> None:
    """Part what a rule between two cells parts, however near they are to one another."""
    for number, sheet in enumerate(sheets):
        found = rules.upright(sheet.drawn) if len(sheet.drawn) else sheet.drawn
        if not len(found):
            continue
        end = ink.pages[number + 1] if number + 1 < len(sheets) else len(ink.at)
        own = np.arange(ink.pages[number], max(end - 1, ink.pages[number]))
        own = own[together[own] & (ink.left[own + 1] - ink.right[own] > _WORD * ink.size[own])]
        low, high = ink.right[own, None] - _TOUCH, ink.left[own + 1, None] + _TOUCH
        middle = (ink.top[own, None] + ink.bottom[own, None]) / 2
        place = (found[:, 0] + found[:, 2]) / 2
        parted = own[((low <= place) & (place <= high) & (found[:, 1] <= middle) & (middle <= found[:, 3])).any(axis=1)]
        together[parted], wide[parted] = False, True


def _common(low: Measures, high: Measures, numbers: Numbers) -> Measures:
    """How much of the smaller extent each of these glyphs and the next have in common."""
    first, second, extent = numbers, numbers + 1, high - low
    common = np.minimum(high[first], high[second]) - np.maximum(low[first], low[second])
    return np.asarray(common / np.maximum(np.minimum(extent[first], extent[second]), np.float32(0.01)))


def _composes(codes: Codes, at: Numbers, number: int) -> bool:
    """Whether the profile would change what comes of putting these two glyphs next to each other."""
    nearby = "".join(map(chr, codes[at[max(number - 3, 0) : number + 4]]))
    return profile.normalise(nearby) != nearby


def _main_glyphs(ink: _Ink, begins: Numbers) -> Numbers:
    """For each piece a glyph of its longest run in one size at one height; raised numbers and formulas have others."""
    new = np.ones(len(ink.at), dtype=bool)
    new[1:] = (np.abs(np.diff(ink.size)) > _UNEVEN) | (np.abs(np.diff(ink.bottom)) > _UNEVEN)
    new[begins] = True
    runs = np.flatnonzero(new)
    owners = np.searchsorted(begins, runs, side="right")
    order = np.lexsort((np.diff(runs, append=len(ink.at)), owners))
    return np.asarray(runs[order[np.flatnonzero(np.diff(owners[order], append=-1))]])


def _first_words(ink: _Ink, blank: Flags, begins: Numbers, right: Measures) -> Measures:
    """For each piece where its first word ends."""
    if not len(begins):
        return right
    last = np.append(np.flatnonzero(blank), len(ink.at) - 1)
    found = last[np.searchsorted(last[:-1], begins)]
    inside = found < np.append(begins[1:], len(ink.at)) - 1
    return np.where(inside, ink.right[found], right)


def _reduced(operation: np.ufunc, values: Measures, begins: Numbers) -> Measures:
    return np.asarray(operation.reduceat(values, begins)) if len(begins) else values[:0]


def _added(flags: Flags, begins: Numbers) -> Numbers:
    """How many of each piece's flags are set."""
    if not len(begins):
        return np.zeros(0, dtype=np.int64)
    if not flags.any():
        return np.zeros(len(begins), dtype=np.int64)
    return np.asarray(np.add.reduceat(flags, begins, dtype=np.int64))
