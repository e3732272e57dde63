"""Streams: lines that follow one another as a reader takes them in, the blocks that they make, and what stands between."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evidence.content import PassageKind
from evidence.formats.pdf import blocks as making
from evidence.formats.pdf import joints, paragraphs
from evidence.formats.pdf.blocks import Block
from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.ink import Numbers
from evidence.formats.pdf.lines import Lines
from evidence.formats.pdf.pieces import Pieces


@dataclass(frozen=True, slots=True)
class Stream:
    """line_pages: of each line. numbers: the pieces of all lines; gaps: what stands before each. offsets: where each line begins
    among them.

    hyphens: pieces whose last code point parts a word.
    """

    line_pages: Sequence[int]
    blocks: Sequence[Block]
    numbers: Sequence[int]
    gaps: Sequence[int]
    offsets: Sequence[int]
    hyphens: Numbers

    def pages(self, block: Block) -> tuple[int, int]:
        """Where the block begins and where it ends."""
        return self.line_pages[block.first], self.line_pages[block.last - 1]

    def pieces(self, first: int, last: int) -> tuple[Sequence[int], Sequence[int]]:
        """The pieces of these lines and what stands before each."""
        start, end = self.offsets[first], self.offsets[last]
        return self.numbers[start:end], self.gaps[start:end]

    def first_line(self, page: int, start: int) -> int:
        """The first line from start on that stands on this page or on a later one."""
        return bisect_left(self.line_pages, page, start)

    def cut(self, pages: Iterable[int]) -> Stream:
        """The same, with no block that goes on over both ends of one of these pages."""
        crowded = set(pages)
        blocks = [part for block in self.blocks for part in self._cut(block, crowded)]
        return replace(self, blocks=blocks)

    def _cut(self, block: Block, crowded: set[int]) -> Iterable[Block]:
        first, last = self.pages(block)
        if last - first > 1:
            for page in sorted(crowded.intersection(range(first + 1, last))):
                at = self.first_line(page + 1, block.first)
                yield replace(block, last=at)
                block = Block(PassageKind.PARAGRAPH, at, block.last)
        yield block


def make(pieces: Pieces, lines: Lines, fresh: Flags, text: str, body: float | None = None) -> Stream:
    """fresh: lines that have nothing to do with the line before. text: of all pieces.

    body: the size of most of it; without one, nothing but paragraphs is made.
    """
    begins = paragraphs.begins(lines, fresh)
    lengths = np.fromiter(map(len, lines.lines), dtype=np.int64, count=len(begins))
    numbers = np.fromiter((number for line in lines.lines for number in line), dtype=np.int64, count=int(lengths.sum()))
    ends = np.cumsum(lengths)
    offsets = ends - lengths
    gaps = np.full(len(numbers), joints.BLANK)
    inside = np.flatnonzero(~begins)
    before, after = numbers[ends[inside - 1] - 1], numbers[offsets[inside]]
    gaps[offsets[inside]], joined = joints.between(pieces, before, after, text)
    return Stream(
        line_pages=lines.page.tolist(),
        blocks=making.paragraphs(begins) if body is None else making.find(lines, begins, text, body),
        numbers=numbers.tolist(),
        gaps=gaps.tolist(),
        offsets=[*offsets.tolist(), len(numbers)],
        hyphens=before[joined],
    )
