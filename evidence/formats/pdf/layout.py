"""Layout: a PDF's glyphs put into reading order, and the passages that they make.

Each page stays in one piece: its headers, its text, its notes, what is unseen or turned, its footers. Where a paragraph goes on
over the page's end, all that stands between its two parts moves out of the way: before it on one page, behind it on the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from evidence.content import Passage, PassageKind, Span
from evidence.formats.pdf import book, joints, notes, order, pieces, running, streams, tabled
from evidence.formats.pdf import lines as reading
from evidence.formats.pdf.book import Contents
from evidence.formats.pdf.glyphs import Codes, Flags, Glyphs
from evidence.formats.pdf.grid import Grid
from evidence.formats.pdf.ink import Numbers, Sheet
from evidence.formats.pdf.order import Line
from evidence.formats.pdf.pieces import Pieces
from evidence.formats.pdf.running import Running
from evidence.formats.pdf.streams import Stream
from evidence.formats.pdf.writing import Writer

_COLUMN_OF_TEXT: Final = 25
"""Code points of a line on average, at least, in columns of text that are read as they come; a table has shorter ones."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A document's text and its structure.

    codes: the text, separators between passages included. origins: for each of them the glyph that it is, counted over all
    pages, or -1 for what layout has put in. passages, spans: as in Content; the spans are for HYPHENATION, RUNNING and CELL,
    those for UNSEEN and GARBLED are made from the glyphs afterwards. starts: where each page starts in the text.
    """

    codes: Codes
    origins: npt.NDArray[np.int64]
    passages: tuple[Passage, ...]
    spans: tuple[Span, ...]
    starts: tuple[int, ...]
    title: str = ""


def blocks(pages: Iterable[Glyphs]) -> Layout:
    """The text of these pages."""
    found, sheets = pieces.read(pages)
    text = found.codes.astype("<u4").tobytes().decode("utf-32-le")
    body = _body_size(found)
    edges = running.find(found, sheets, text, body)
    flow, asides = _parted(found, edges, len(sheets))
    arranged = _arranged(found, sheets, flow, text)
    lines = reading.read(found, arranged.lines, text)
    noted = notes.find(lines, text, body)
    main = streams.make(found, lines.chosen(~noted), arranged.fresh(noted), text, body)
    small = lines.chosen(noted)
    others = [streams.make(found, small, notes.begins(small, text), text)]
    others += [_aside(found, aside, text) for aside in asides]
    tables = tabled.make(arranged.grids, found, text)
    hyphens = np.concatenate([tables.hyphens, main.hyphens, *(other.hyphens for other in others)])
    writer = Writer(found, joints.written(found, hyphens), hyphens)
    book.write(writer, Contents(len(sheets), main, others, edges, tables.tables, arranged.places(noted)))
    return _laid(writer)


def _laid(writer: Writer) -> Layout:
    codes, origins, passages, spans, starts = writer.finish()
    title = next((passage for passage in passages if passage.kind is PassageKind.HEADING and passage.level == 1), None)
    words = codes[title.start : title.end] if title else codes[:0]
    return Layout(codes, origins, passages, spans, starts, "".join(map(chr, words.tolist())))


def _body_size(found: Pieces) -> float:
    """The size of most of the text, in which nothing is turned or unseen as long as anything is not."""
    letters = found.end - found.start
    plain = ~(found.turned | found.unseen)
    sizes = np.round(found.size * 10).astype(np.int64)
    weights = np.where(plain, letters, 0) if plain.any() else letters
    return float(np.bincount(sizes, weights).argmax()) / 10 if len(sizes) else 0.0


def _parted(found: Pieces, edges: Sequence[Running], count: int) -> tuple[Numbers, Sequence[Numbers]]:
    """The pieces of each page's text; and those that are unseen, and those that are turned. What nobody sees is a page's text
    where there is no other."""
    free = running.mask(edges, len(found.page)) == 0
    plain = free & ~found.turned & ~found.unseen
    has_text = np.zeros(count, dtype=bool)
    has_text[found.page[plain]] = True
    flow = plain | (free & ~found.turned & ~has_text[found.page])
    turned = free & found.turned
    return np.flatnonzero(flow), (np.flatnonzero(free & ~flow & ~turned), np.flatnonzero(turned))


@dataclass(frozen=True, slots=True)
class _Arranged:
    """Lines in reading order, and the tables between them. at: for each table the line before which it stands."""

    lines: Sequence[Line]
    grids: Sequence[Grid]
    at: Sequence[int]

    def places(self, noted: Flags) -> Sequence[int]:
        """The same as `at`, without the lines that are noted."""
        before = np.concatenate(([0], np.cumsum(~noted)))
        return [int(place) for place in before[list(self.at)]]

    def fresh(self, noted: Flags) -> Flags:
        """The lines, without those that are noted, that stand behind a table."""
        fresh = np.zeros(int((~noted).sum()) + 1, dtype=bool)
        fresh[self.places(noted)] = True
        return fresh[:-1]


def _arranged(found: Pieces, sheets: Sequence[Sheet], flow: Numbers, text: str) -> _Arranged:
    """Each page's lines and tables. A page whose pieces stand one below the other as they come is not looked at any further."""
    lines, grids, at = list[Line](), list[Grid](), list[int]()
    borders = np.searchsorted(found.page[flow], np.arange(len(sheets) + 1)).tolist()
    doubtful = _doubtful(found, flow)
    numbers = flow.tolist()
    beside = found.beside.tolist()
    for page, (first, last) in enumerate(pairwise(borders)):
        if page not in doubtful:
            lines.extend(_joined(numbers[first:last], beside))
            continue
        for item in order.arrange(found, numbers[first:last], text, sheets[page].drawn):
            if isinstance(item, Grid):
                grids.append(item)
                at.append(len(lines))
            else:
                lines.append(item)
    return _Arranged(lines, grids, at)


def _joined(numbers: Iterable[int], beside: Sequence[bool]) -> list[Line]:
    """Pieces as they come, each a line of its own unless it stands beside the one before."""
    lines: list[Line] = []
    for number in numbers:
        if beside[number] and lines and lines[-1][-1] == number - 1:
            lines[-1] = (*lines[-1], number)
        else:
            lines.append((number,))
    return lines


def _doubtful(found: Pieces, flow: Numbers) -> set[int]:
    """Pages on which not every piece stands below the one before, unless all it takes is columns of text side by side.

    A single pair of pieces on one line is a wide blank, and no table.
    """
    if not len(flow):
        return set()
    page, left, right, length = found.page[flow], found.left[flow], found.right[flow], found.end[flow] - found.start[flow]
    height = found.bottom[flow] - found.top[flow]
    beside = np.bincount(page, found.beside[flow])
    new_page = np.diff(page, prepend=-1) != 0
    jumps = ~(new_page | (found.beside[flow] & (beside[page] == 1)))
    jumps[1:] &= found.top[flow[1:]] < found.bottom[flow[:-1]] - height[1:] / 2
    begins = np.flatnonzero(new_page | jumps)
    reached = np.maximum.reduceat(right, begins)
    passes_by = np.minimum.reduceat(left, begins)[1:] > reached[:-1]
    wordy = np.add.reduceat(length, begins) >= _COLUMN_OF_TEXT * np.diff(begins, append=len(flow))
    fine = np.append(True, passes_by & wordy[1:] & wordy[:-1] & ~found.beside[flow[begins[1:]]])
    return set(page[begins[jumps[begins] & ~fine]].tolist())


def _aside(found: Pieces, numbers: Numbers, text: str) -> Stream:
    """Pieces that stand outside the text of their page, as they come."""
    lines = _joined(numbers.tolist(), found.beside.tolist())
    made = reading.read(found, lines, text)
    return streams.make(found, made, np.diff(made.page, prepend=-1) != 0, text)
