"""Order: a page's pieces as a reader takes them in: lines and tables, one column after the other.

The extractor's own order is kept wherever it can be right: programs write pages as people read them, nearly always.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Places
from evidence.formats.pdf.grid import Grid, build, ruled_columns
from evidence.formats.pdf.pieces import Pieces
from evidence.formats.pdf.rows import Gap, Row, Spot, kind, rows, separators, spots, stretches

Line = tuple[int, ...]
"""Numbers of the pieces of a line, from left to right."""

MOST_SPOTS: Final = 3_000
"""Pieces of a page that are put in order; a page with more is a drawing or a mistake, and is read as it comes."""
_MOST_BLOCKS: Final = 300
"""Blocks of a page whose order is doubted."""
_DEEPEST: Final = 8
"""Columns in columns that are looked for."""
_FAR: Final = 2.5
"""Heights of free space between two blocks."""
_SOME_WORDS: Final = 20
"""Code points of a block whose place above another one counts; labels and parts of formulas stand anywhere."""
_COLUMN: Final = 100
"""Code points of a block whose place left of another one counts; a note in the margin may well come after its paragraph."""
_GUTTER: Final = 8.0
"""Points between columns."""
_TOUCH: Final = 2.0
"""Points that the boxes of two blocks one above the other may overlap."""
_WORDED: Final = 0.6
"""Share of a table's cells with a word or a number in them."""
_WORD: Final = re.compile(r"[^\W\d_]{3}|(?<!\w)\d")
_MARKER: Final = re.compile(
    r"[•▪◦‣·–*○●■□➢✓-]|[0-9]{1,3}(?:\.[0-9]{1,3}){0,4}[.)]?|\(?(?:[0-9]{1,3}|[a-zA-Z]{1,2}|[ivx]{1,5})[.)]{1,2}"
)


def arrange(pieces: Pieces, numbers: Sequence[int], text: str, drawn: Places) -> list[Line | Grid]:
    """The lines and tables of one page. numbers: of its pieces, in the extractor's order."""
    found = spots(pieces, numbers)
    if len(found) > MOST_SPOTS:
        return [(spot.number,) for spot in found]
    page = _Page(pieces, text, drawn)
    page.look(found, depth=0)
    blocks = _blocks(page.items(found))
    if _is_doubtful(blocks):
        blocks = _cut(blocks)
    return [item for block in blocks for item in block.items]


@dataclass(slots=True)
class _Page:
    """What has been found out about a page. parts: piece -> number of its column of text, where there are several.

    mixed: columns of text across which the extractor reads, in the right order.
    """

    pieces: Pieces
    text: str
    drawn: Places
    grids: list[Grid] = field(default_factory=list)
    mixed: list[list[Spot]] = field(default_factory=list)
    parts: dict[int, int] = field(default_factory=dict)

    def look(self, found: Sequence[Spot], *, depth: int) -> None:
        """Find columns, and tables in them. depth: of columns in columns."""
        for group in stretches(rows(found)):
            gaps = {separator: kind(separator, group) for separator in ruled_columns(group, self.drawn) or separators(group)}
            columns = [separator for separator, gap in gaps.items() if gap is not Gap.CELLS]
            if columns and depth < _DEEPEST:
                self._part(group, columns, is_mixed=Gap.MIXED_COLUMNS in gaps.values(), depth=depth)
            elif gaps and not self._is_list(group, list(gaps)):
                grid = build(group, list(gaps), self.drawn)
                if grid and self._has_words(grid):
                    self.grids.append(grid)

    def _part(self, group: Sequence[Row], columns: Sequence[float], *, is_mixed: bool, depth: int) -> None:
        found = sorted((spot for row in group for spot in row.spots), key=lambda spot: spot.number)
        sides = np.searchsorted(columns, [spot.left for spot in found]).tolist()
        halves = [[spot for spot, side in zip(found, sides, strict=True) if side == column] for column in range(len(columns) + 1)]
        first = len(self.parts)
        self.parts.update((spot.number, first + column) for column, half in enumerate(halves) for spot in half)
        if is_mixed:
            self.mixed.append([spot for half in halves for spot in half])
        for half in halves:
            if _has_rows(half):
                self.look(half, depth=depth + 1)

    def _is_list(self, group: Sequence[Row], gaps: Sequence[float]) -> bool:
        """Whether the first of two columns holds nothing but markers."""
        if len(gaps) > 1:
            return False
        starts = [spot.number for row in group for spot in row.spots if spot.left < gaps[0]]
        return all(_MARKER.fullmatch(self.text, self.pieces.start[number], self.pieces.end[number]) for number in starts)

    def _has_words(self, grid: Grid) -> bool:
        """Whether most cells hold words or numbers; those of a formula or a diagram do not."""
        cells = [cell for row in grid.rows for cell in row if cell]
        worded = sum(any(map(self._is_worded, cell)) for cell in cells)
        return worded >= _WORDED * len(cells)

    def _is_worded(self, number: int) -> bool:
        return _WORD.search(self.text[self.pieces.start[number] : self.pieces.end[number]]) is not None

    def items(self, found: Sequence[Spot]) -> Iterator[list[Spot] | Grid]:
        """Lines and tables in the extractor's order; a table, and columns it reads across, where their first piece is."""
        tables = {number: grid for grid in self.grids for row in grid.rows for cell in row for number in cell}
        shown = set[int]()
        line: list[Spot] = []
        for spot in self._sequence(found):
            grid = tables.get(spot.number)
            if grid is None and spot.beside and line and self._goes_on(line[-1].number, spot.number):
                line.append(spot)
                continue
            if line:
                yield line
            line = [] if grid else [spot]
            if grid and grid.first not in shown:
                shown.add(grid.first)
                yield grid
        if line:
            yield line

    def _sequence(self, found: Sequence[Spot]) -> Iterable[Spot]:
        """The extractor's order, but for columns that it reads across."""
        if not self.mixed:
            return found
        sequence, done = list[Spot](), set[int]()
        groups = {spot.number: group for group in self.mixed for spot in group}
        for spot in found:
            if spot.number not in done:
                group = groups.get(spot.number, [spot])
                sequence.extend(group)
                done.update(member.number for member in group)
        return sequence

    def _goes_on(self, before: int, number: int) -> bool:
        return number == before + 1 and self.parts.get(before) == self.parts.get(number)


def _has_rows(found: Sequence[Spot]) -> bool:
    """Whether there can be pieces side by side, and not only one below the other."""
    return any(after.top < (before.top + before.bottom) / 2 for before, after in pairwise(found))


@dataclass(slots=True)
class _Block:
    """Lines one below the other, or a table. length: in code points."""

    items: list[Line | Grid]
    left: float
    top: float
    right: float
    bottom: float
    length: int


def _blocks(items: Iterable[list[Spot] | Grid]) -> list[_Block]:
    blocks: list[_Block] = []
    last: _Block | None = None
    for item in items:
        if isinstance(item, Grid):
            blocks.append(_Block([item], item.left, item.top, item.right, item.bottom, _COLUMN))
            last = None
            continue
        line = tuple([spot.number for spot in item])
        left, top, right, bottom, length = item[0].left, item[0].top, item[-1].right, item[0].bottom, item[0].length
        for spot in item[1:]:
            top, bottom, length = min(top, spot.top), max(bottom, spot.bottom), length + spot.length
        height = bottom - top
        if last and -height / 2 <= top - last.bottom <= _FAR * height and left < last.right and last.left < right:
            last.items.append(line)
            last.left, last.right = min(last.left, left), max(last.right, right)
            last.bottom = max(last.bottom, bottom)
            last.length += length
        else:
            last = _Block([line], left, top, right, bottom, length)
            blocks.append(last)
    return blocks


def _is_doubtful(blocks: Sequence[_Block]) -> bool:
    """Whether a block stands above or left of one that comes before it."""
    if not 1 < len(blocks) <= _MOST_BLOCKS:
        return False
    left, top, right, bottom, length = np.array(
        [(block.left, block.top, block.right, block.bottom, block.length) for block in blocks]
    ).T
    width, height = right - left, bottom - top
    across = np.minimum.outer(right, right) - np.maximum.outer(left, left) > 0.3 * np.minimum.outer(width, width)
    along = np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top) > 0.5 * np.minimum.outer(height, height)
    shorter = np.minimum.outer(length, length)
    above = across & (bottom[None, :] <= top[:, None] + _TOUCH) & (shorter >= _SOME_WORDS)
    before = along & (right[None, :] <= left[:, None] + _TOUCH) & (shorter >= _COLUMN)
    return bool(np.triu(above | before, 1).any())


def _cut(blocks: list[_Block]) -> list[_Block]:
    """Blocks in reading order by their places alone: columns from left to right, what lies across them between."""
    if len(blocks) < 2:
        return blocks
    columns = _columns(blocks)
    if len(columns) > 1:
        return [block for column in columns for block in _cut(column)]
    groups: list[list[_Block]] = []
    for strip in _strips(blocks):
        if groups and len(_columns(groups[-1] + strip)) > 1:
            groups[-1].extend(strip)
        else:
            groups.append(strip)
    if len(groups) < 2:
        return blocks
    return [block for group in groups for block in _cut(group)]


def _columns(blocks: Sequence[_Block]) -> list[list[_Block]]:
    """Blocks in columns with a gutter between, side by side at least in part; in one if there is no gutter."""
    columns: list[list[_Block]] = []
    reached = 0.0
    for block in sorted(blocks, key=lambda block: block.left):
        if columns and block.left < reached + _GUTTER:
            columns[-1].append(block)
        else:
            columns.append([block])
        reached = max(reached, block.right)
    beside = all(
        min(_bottom(left), _bottom(right)) > max(min(block.top for block in left), min(block.top for block in right))
        for left, right in pairwise(columns)
    )
    return columns if beside else [list(blocks)]


def _strips(blocks: Sequence[_Block]) -> list[list[_Block]]:
    strips: list[list[_Block]] = []
    reached = 0.0
    for block in sorted(blocks, key=lambda block: block.top):
        if strips and block.top < reached - _TOUCH:
            strips[-1].append(block)
        else:
            strips.append([block])
        reached = max(reached, block.bottom)
    return strips


def _bottom(blocks: Iterable[_Block]) -> float:
    return max(block.bottom for block in blocks)
