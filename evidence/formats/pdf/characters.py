"""Characters: what pdfium gives for some pages together, with line ends, hyphens and code points as the profile has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf import calls
from evidence.formats.pdf.calls import Numbers
from evidence.formats.pdf.pages import Page

Codes = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.floating[Any]]
"""Shape (any number, 4): left, top, right, bottom in points from the page's top left, as it is looked at."""

HYPHEN: Final = 0x2010
LOST: Final = 0xFFFD
_SPACE, _TAB, _LINE_FEED, _RETURN, _SOFT_HYPHEN = 0x20, 0x09, 0x0A, 0x0D, 0xAD
_MARKED_HYPHENS: Final = (0x0002, 0xFFFE)
"""What pdfium gives for a hyphen that parts a word at a line's end: asked for alone, and in a text."""


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of some pages; one entry for each in every array.

    page: its page's place among those pages. number: on its page, as pdfium counts. places: a point for what is generated.
    """

    pages: int
    page: Numbers
    number: Numbers
    codes: Codes
    places: Places
    generated: Flags
    hyphen: Flags

    def parts(self) -> Sequence[slice]:
        """Where each page's characters are."""
        bounds = np.searchsorted(self.page, np.arange(self.pages + 1)).tolist()
        return [slice(start, end) for start, end in zip(bounds, bounds[1:], strict=False)]

    def taken(self, codes: Codes, places: Places, kept: Numbers) -> Characters:
        """With other code points and places, each of which comes from one of these characters."""
        return Characters(self.pages, self.page[kept], self.number[kept], codes, places, self.generated[kept], self.hyphen[kept])

    def line_starts(self) -> Flags:
        """For each character that is not generated: whether one stands before it on its line."""
        drawn = ~self.generated
        line = np.cumsum(self.generated & (self.codes == _LINE_FEED))[drawn]
        page = self.page[drawn]
        starts = np.ones(len(line), dtype=bool)
        starts[1:] = (line[1:] != line[:-1]) | (page[1:] != page[:-1])
        return starts


def read(loaded: Sequence[Page]) -> Characters:
    """The characters of these pages; a line end is a line feed."""
    counts, texts = [page.count for page in loaded], [page.text for page in loaded]
    codes = calls.code_points(texts, counts)
    kept = np.ones(len(codes), dtype=bool)
    kept[:-1] = (codes[:-1] != _RETURN) | (codes[1:] != _LINE_FEED)
    page = np.repeat(np.arange(len(loaded)), counts)[kept]
    number = (np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts))[kept]
    codes = codes[kept]
    places = _seen(loaded, page, calls.character_boxes(texts, counts)[kept])
    blank = np.flatnonzero((codes == _SPACE) | (codes == _LINE_FEED) | (codes == _RETURN))
    generated = np.zeros(len(codes), dtype=bool)
    generated[blank] = (places[blank, 0] == places[blank, 2]) & (places[blank, 1] == places[blank, 3])
    hyphen = _marked_hyphens(loaded, page, number, codes)
    some = Characters(len(loaded), page, number, codes, places, generated, hyphen)
    some.hyphen[:] |= _hyphens_at_line_ends(some)
    some.codes[some.hyphen] = HYPHEN
    return _joined(some)


def cleaned(some: Characters, unmapped: Flags) -> Codes:
    """The code points, with LOST for control characters (white space that a map names is a space) and halves of pairs."""
    codes = some.codes
    plain = ((codes >= 0x20) & (codes < 0x7F)) | ((codes >= 0xA0) & (codes < 0xD800)) | ((codes >= 0xE000) & (codes < 0xFFFE))
    odd = ~plain & ~some.generated & ((codes <= 0xFFFF) | (codes > 0x10FFFF))
    if not odd.any():
        return codes
    is_space = (codes == _TAB) | (codes == _LINE_FEED) | (codes == _RETURN)
    return np.where(odd, np.where(is_space & ~unmapped, _SPACE, LOST), codes).astype(np.uint32)


def right_to_left(codes: Codes) -> Flags:
    """Letters of scripts that are written from right to left."""
    return np.asarray(
        (codes >= 0x590) & (codes < 0x900) | (codes >= 0xFB1D) & (codes < 0xFE00) | (codes >= 0xFE70) & (codes < 0xFF00)
    )


def _joined(some: Characters) -> Characters:
    """With one code point in place of the two halves of a pair, which stand on the same spot."""
    codes = some.codes
    high = np.flatnonzero((codes[:-1] >= 0xD800) & (codes[:-1] < 0xDC00) & (codes[1:] >= 0xDC00) & (codes[1:] < 0xE000))
    if not high.size:
        return some
    codes[high] = 0x10000 + ((codes[high] - 0xD800) << 10) + (codes[high + 1] - 0xDC00)
    kept = np.delete(np.arange(len(codes)), high + 1)
    return some.taken(codes[kept], some.places[kept], kept)


def _seen(loaded: Sequence[Page], page: Numbers, boxes: npt.NDArray[np.float32]) -> Places:
    """Boxes as their pages are looked at."""
    if any(one.turns for one in loaded):
        parts = np.split(boxes, np.searchsorted(page, np.arange(1, len(loaded))))
        return np.concatenate([one.seen(part) for one, part in zip(loaded, parts, strict=True)])
    if len({one.corner for one in loaded}) == 1:
        return loaded[0].seen(boxes)
    lefts, tops = np.array([one.corner[:2] for one in loaded], dtype=np.float32).T
    boxes[:, 0::2] -= lefts[page, np.newaxis]
    boxes[:, 1::2] -= tops[page, np.newaxis]
    np.negative(boxes[:, 1::2], out=boxes[:, 1::2])
    return boxes


def _marked_hyphens(loaded: Sequence[Page], page: Numbers, number: Numbers, codes: Codes) -> Flags:
    hyphens = np.zeros(len(codes), dtype=bool)
    asked = np.flatnonzero((codes == _MARKED_HYPHENS[0]) | (codes == _MARKED_HYPHENS[1]))
    if asked.size:
        hyphens[asked] = calls.hyphens([loaded[place].text for place in page[asked].tolist()], number[asked])
    return hyphens


def _hyphens_at_line_ends(some: Characters) -> Flags:
    """Hyphens that are one by their code point and stand at the end of a line or page."""
    hyphens = (some.codes == HYPHEN) | (some.codes == _SOFT_HYPHEN)
    last = np.ones(len(hyphens), dtype=bool)
    last[:-1] = (some.generated[1:] & (some.codes[1:] == _LINE_FEED)) | (some.page[1:] != some.page[:-1])
    return np.asarray(hyphens & last)
