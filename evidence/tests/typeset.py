"""Pages of glyphs set by hand, as pdfium would give them: a letter is half as wide as its size, a line feed ends each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evidence.content import PassageKind
from evidence.formats.pdf import layout
from evidence.formats.pdf.glyphs import Glyphs
from evidence.formats.pdf.layout import Layout

WIDTH, HEIGHT = 600.0, 800.0

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Run:
    """Text whose first letter has its lower left corner at x, y. angle: 0, or 270 for text that runs upwards."""

    text: str
    x: float
    y: float
    size: float = 10.0
    bold: bool = False
    unseen: bool = False
    angle: int = 0


def column(
    *lines: str, x: float = 50.0, y: float = 100.0, pitch: float = 12.0, size: float = 10.0, bold: bool = False
) -> list[Run]:
    """Lines one below the other, the first one at y."""
    return [Run(line, x, y + number * pitch, size, bold) for number, line in enumerate(lines)]


def grid(*rows: Sequence[str], x: float = 50.0, y: float = 100.0, width: float = 150.0, pitch: float = 12.0) -> list[Run]:
    """Rows of cells, drawn cell by cell; a line feed in a cell begins a line in it, and the row takes as many as it needs."""
    runs = list[Run]()
    for row in rows:
        cells = [cell.split("\n") for cell in row]
        for number, lines in enumerate(cells):
            runs.extend(run for run in column(*lines, x=x + number * width, y=y) if run.text)
        y += 12.0 * (max(map(len, cells)) - 1) + pitch
    return runs


def page(*runs: Run, drawn: Sequence[Box] = ()) -> Glyphs:
    """One page. drawn: boxes of rules."""
    codes, boxes, owners = list[int](), list[Box](), list[Run]()
    for number, run in enumerate(runs):
        if number:
            codes.append(10)
            boxes.append((0.0, 0.0, 0.0, 0.0))
            owners.append(run)
        codes.extend(map(ord, run.text))
        boxes.extend(_box(run, place * run.size / 2) for place in range(len(run.text)))
        owners.extend([run] * len(run.text))
    return _glyphs(codes, boxes, owners, drawn)


def _box(run: Run, along: float) -> Box:
    if run.angle == 270:
        return run.x - run.size, run.y - along - run.size / 2, run.x, run.y - along
    return run.x + along, run.y - run.size, run.x + along + run.size / 2, run.y


def _glyphs(codes: Sequence[int], boxes: Sequence[Box], runs: Sequence[Run], drawn: Sequence[Box]) -> Glyphs:
    count = len(codes)
    values = np.array(codes, dtype=np.uint32)
    return Glyphs(
        label="1",
        width=WIDTH,
        height=HEIGHT,
        codes=values,
        boxes=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        shares=np.zeros((count, 4), dtype=np.uint16),
        size=np.array([run.size for run in runs], dtype=np.float32),
        bold=np.array([run.bold for run in runs], dtype=bool),
        font=np.zeros(count, dtype=np.int16),
        angle=np.array([run.angle for run in runs], dtype=np.int16),
        generated=values == 10,
        hyphen=np.zeros(count, dtype=bool),
        unseen=np.array([run.unseen for run in runs], dtype=bool),
        garbled=np.zeros(count, dtype=bool),
        drawn=np.array(drawn, dtype=np.float64).reshape(-1, 4),
    )


def text(laid: Layout) -> str:
    """Of the whole document."""
    return "".join(map(chr, laid.codes.tolist()))


def passages(*pages: Glyphs) -> list[tuple[PassageKind, str]]:
    """What these pages are read as."""
    laid = layout.blocks(pages)
    words = text(laid)
    return [(passage.kind, words[passage.start : passage.end]) for passage in laid.passages]


def texts(*pages: Glyphs) -> list[str]:
    """The same without the kinds."""
    return [words for _, words in passages(*pages)]
