"""Layout: a PDF's glyphs put into reading order, and the passages that they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evidence.content import Passage, PassageKind, Span
from evidence.formats.pdf.glyphs import Codes, Glyphs


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
    """One paragraph for each page, in the extractor's order."""
    codes, origins, passages, starts = list[Codes](), list[npt.NDArray[np.int64]](), list[Passage](), list[int]()
    length = read = 0
    for page in pages:
        if length:
            codes.append(np.array([10, 10], dtype=np.uint32))
            origins.append(np.array([-1, -1], dtype=np.int64))
            length += 2
        count = len(page.codes)
        starts.append(length)
        passages.append(Passage(PassageKind.PARAGRAPH, length, length + count))
        codes.append(page.codes)
        origins.append(np.arange(read, read + count))
        length, read = length + count, read + count
    if not codes:
        return Layout(np.zeros(0, np.uint32), np.zeros(0, np.int64), (), (), ())
    return Layout(np.concatenate(codes), np.concatenate(origins), tuple(passages), (), tuple(starts))
