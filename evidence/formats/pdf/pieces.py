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

from evidence.formats.pdf import cuts
from evidence.formats.pdf import ink as inking
from evidence.formats.pdf.glyphs import Codes, Flags, Glyphs
from evidence.formats.pdf.ink import BLANK, NO_BREAK, Ink, Measures, Numbers, Sheet, column

_LINE_END: Final = 0x0A
_BATCH: Final = 200_000
"""Glyphs that are worked on at once: enough to make the cost of a single array operation vanish, in a few megabytes."""
_UNEVEN: Final = 0.2
"""Points between the lower edges of two glyphs that stand at one height, and between two sizes that are one."""
_MOSTLY: Final = 0.7
"""Share of bold glyphs in what looks bold; formulas in a bold heading are not."""

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


def _pieces(pages: Sequence[Glyphs], sheets: list[Sheet], counted: int) -> Pieces:
    """The pieces of these pages; adds the sheet of each. counted: glyphs on the pages before."""
    codes = column(pages, "codes", np.uint32)
    ink = inking.read(pages, codes)
    main_angles = inking.main_angles(ink, len(pages))
    first_page = len(sheets)
    sheets.extend(inking.sheet(page, angle) for page, angle in zip(pages, main_angles.tolist(), strict=True))
    pairs = cuts.find(ink, column(pages, "generated", np.bool_) & (codes == _LINE_END), codes, sheets[first_page:])
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
        bold=_added(column(pages, "bold", np.bool_)[ink.at], begins) >= _MOSTLY * counts,
        unseen=_added(column(pages, "unseen", np.bool_)[ink.at], begins) == counts,
        turned=np.zeros(len(begins), dtype=bool) if ink.angle is None else ink.angle[begins] != main_angles[page],
        beside=np.concatenate((np.zeros(min(len(begins), 1), dtype=bool), pairs.beside[begins[1:] - 1])),
    )


def _main_glyphs(ink: Ink, begins: Numbers) -> Numbers:
    """For each piece a glyph of its longest run in one size at one height; raised numbers and formulas have others."""
    new = np.ones(len(ink.at), dtype=bool)
    new[1:] = (np.abs(np.diff(ink.size)) > _UNEVEN) | (np.abs(np.diff(ink.bottom)) > _UNEVEN)
    new[begins] = True
    runs = np.flatnonzero(new)
    owners = np.searchsorted(begins, runs, side="right")
    order = np.lexsort((np.diff(runs, append=len(ink.at)), owners))
    return np.asarray(runs[order[np.flatnonzero(np.diff(owners[order], append=-1))]])


def _first_words(ink: Ink, blank: Flags, begins: Numbers, right: Measures) -> Measures:
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
