"""Writing: pieces in their final order to one text, with its passages, spans and page starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from evidence.content import REPEATED, Passage, PassageKind, Span, SpanKind
from evidence.formats.pdf.glyphs import Codes
from evidence.formats.pdf.ink import Numbers
from evidence.formats.pdf.joints import NOTHING
from evidence.formats.pdf.pieces import Pieces

_TAB, _LINE, _PARAGRAPH = 2, 3, 4
_WIDTHS: Final = np.array([0, 1, 1, 1, 2])
_CODES: Final = np.array([0, 0x20, 0x09, 0x0A, 0x0A], dtype=np.uint32)
"""What stands before a piece, how often and what: nothing, a blank, a tab, one line feed, two of them."""
_TOGETHER: Final = (PassageKind.LIST_ITEM, PassageKind.TABLE_ROW)


class Writer:
    """Begin a page, begin passages on it, add pieces to them. Positions count pieces until `finish` counts code points."""

    def __init__(self, pieces: Pieces, codes: Codes, hyphens: Numbers) -> None:
        """codes: of all pieces, as they are to be written. hyphens: pieces whose last code point is cut out for searching."""
        self._pieces, self._codes, self._hyphens = pieces, codes, hyphens
        self._numbers: list[int] = []
        self._gaps: list[int] = []
        self._starts: list[int] = []
        self._passages: list[tuple[PassageKind, int, int, tuple[int, ...], int | None]] = []
        self._spans: list[tuple[SpanKind, int, int, str]] = []
        self._outline: list[tuple[int, int]] = []
        self._headings: tuple[int, ...] = ()
        self._gap: int = NOTHING

    @property
    def number(self) -> int:
        """The number of the next passage."""
        return len(self._passages)

    def begin_page(self) -> None:
        """What is added from now on stands on the next page."""
        self._starts.append(len(self._numbers))

    def begin(self, kind: PassageKind, *, level: int = 0, columns: int | None = None, apart: bool = False) -> None:
        """A passage. Items and rows stand close together; not those that are apart from the ones before."""
        if self._passages:
            together = kind in _TOGETHER and kind is self._passages[-1][0] and not apart
            self._gap = _LINE if together else _PARAGRAPH
        if kind is not PassageKind.HEADING:
            self._passages.append((kind, len(self._numbers), level, self._headings, columns))
            return
        outline = [(above, number) for above, number in self._outline if above < level]
        self._passages.append((kind, len(self._numbers), level, tuple(number for _, number in outline), columns))
        self._outline = [*outline, (level, self.number - 1)]
        self._headings = tuple(number for _, number in self._outline)

    def add(self, numbers: Sequence[int], gaps: Sequence[int]) -> None:
        """Pieces of the passage that was begun; before the first one stands what parts the passage from the last."""
        first = len(self._gaps)
        self._numbers.extend(numbers)
        self._gaps.extend(gaps)
        if numbers and self._passages[-1][1] == first:
            self._gaps[first] = self._gap

    def add_row(self, cells: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None:
        """Cells, each pieces and what stands before them; all of the passage that was begun."""
        nothing = len(self._pieces.start)
        for column, (numbers, gaps) in enumerate(cells):
            first = len(self._numbers)
            self.add(numbers or [nothing], gaps or [NOTHING])
            if column:
                self._gaps[first] = _TAB
            self._spans.append((SpanKind.CELL, first, len(self._numbers), ""))

    def mark_running(self, *, repeated: bool) -> None:
        """The passage that was begun last, with all that was added to it, is a running header or footer."""
        self._spans.append((SpanKind.RUNNING, self._passages[-1][1], len(self._numbers), REPEATED if repeated else ""))

    def finish(self) -> tuple[Codes, Numbers, tuple[Passage, ...], tuple[Span, ...], tuple[int, ...]]:
        """Code points and their origins (-1 for what was put between), passages, spans and page starts in code points."""
        numbers, gaps = np.array(self._numbers, dtype=np.int64), np.array(self._gaps, dtype=np.int64)
        begin = np.append(self._pieces.start, 0)[numbers]
        lengths = np.append(self._pieces.end, 0)[numbers] - begin
        widths = _WIDTHS[gaps]
        ends = np.cumsum(lengths + widths)
        starts = ends - lengths
        total = int(ends[-1]) if len(ends) else 0
        sources = np.repeat(begin - starts, lengths + widths) + np.arange(total)
        codes, origins = self._codes.take(sources, mode="wrap"), self._pieces.origins.take(sources, mode="wrap")
        for width in (1, 2):
            wide = widths >= width
            places = starts[wide] - width
            codes[places], origins[places] = _CODES[gaps[wide]], -1
        self._find_hyphens(numbers)
        firsts = [passage[1] for passage in self._passages]
        places = np.append(starts, total)
        passages = tuple(
            Passage(kind, start, end, level, headings, columns)
            for (kind, _, level, headings, columns), start, end in zip(
                self._passages,
                places[firsts].tolist(),
                ends[np.append(firsts[1:], len(numbers)).astype(np.int64) - 1].tolist() if firsts else [],
                strict=True,
            )
        )
        return codes, origins, passages, tuple(self._placed(starts, ends)), tuple(places[self._starts].tolist())

    def _find_hyphens(self, numbers: Numbers) -> None:
        for place in np.flatnonzero(np.isin(numbers, self._hyphens)).tolist():
            self._spans.append((SpanKind.HYPHENATION, place, place + 1, ""))

    def _placed(self, starts: Numbers, ends: Numbers) -> Iterator[Span]:
        spans = []
        for kind, first, last, value in self._spans:
            end = int(ends[last - 1])
            spans.append(Span(kind, end - 1 if kind is SpanKind.HYPHENATION else int(starts[first]), end, value))
        return iter(sorted(spans, key=lambda span: (span.start, -span.end)))
