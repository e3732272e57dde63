"""Glyphs: the code points of a PDF's pages in the order in which pdfium gives them, each with its place and its look.

Layout makes blocks of them; nothing here knows of paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evidence.formats.options import Options

Codes = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.float64]
"""Shape (any number, 4): left, top, right, bottom in points from the page's top left, as it is looked at."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The code points of one page in the extractor's order. All arrays but `drawn` have one entry for each.

    label: the printed page number. width, height: points, as the page is looked at (rotation and crop box applied).
    codes: composed (NFC), ligatures as their letters. Line ends that the extractor put in are one LF each.
    boxes: zeros where a code point stands nowhere. A letter of a ligature has its share of the ligature's box.
    size: font size in points as looked at. font: number of the font in the document, -1 for none. angle: degrees as looked at
    (0: left to right, 90: downwards, 270: upwards).
    generated: spaces and line ends that the extractor put in. hyphen: at a line's end where a word goes on; its code is U+2010.
    unseen: nobody who looks at the page sees it. garbled: letter soup.
    drawn: boxes of paths and pictures, in the order in which they are drawn; thin ones are lines.
    """

    label: str
    width: float
    height: float
    codes: Codes
    boxes: Places
    size: npt.NDArray[np.float32]
    bold: Flags
    font: npt.NDArray[np.int16]
    angle: npt.NDArray[np.int16]
    generated: Flags
    hyphen: Flags
    unseen: Flags
    garbled: Flags
    drawn: Places


@dataclass(frozen=True, slots=True)
class Document:
    """What a PDF says about itself, and its pages; each page is read when it is asked for and can be read once."""

    title: str
    attachments: int
    pages: Iterator[Glyphs]


def opened(data: bytes, options: Options) -> Document:
    """The document in these bytes. Raises Refused."""
    raise NotImplementedError
