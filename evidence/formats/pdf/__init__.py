"""PDF: pages of characters with their places, put into reading order.

What a page shows is text, values of form fields and words of annotations included; what nobody sees on it is marked. Files in a
PDF are counted and not read. Needs no script, no network, no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import pypdfium2

from evidence.anchoring import Parser
from evidence.boxes import Boxes, packed
from evidence.content import Content, Note, Page
from evidence.errors import Refused, gettext_noop
from evidence.formats.options import Options
from evidence.formats.pdf import layout, marks, references, titles
from evidence.formats.pdf.glyphs import Codes, Flags, Glyphs, Reader
from evidence.formats.pdf.opening import is_repaired, opened

PARSER: Final = Parser(
    "pdf",
    f"1 pypdfium2={pypdfium2.PYPDFIUM_INFO} pdfium={pypdfium2.PDFIUM_INFO.tag}",
    "annotations=drawn forms=drawn boxes=loose ligatures=parted layout=1 unseen=1 soup=1 references=1",
)
MAX_BYTES: Final = 100_000_000
"""A scanned file of 1,000 pages; the file is in memory while it is read."""
MAX_PAGES: Final = 10_000
"""Of one document: five times the longest German law with notes."""


def extract(data: bytes, options: Options) -> Content:
    """The content of a PDF. Raises Refused: what opening says, `pdf_too_many_pages`, `pdf_page_too_full`."""
    document = opened(data, options.password)
    try:
        if len(document) > MAX_PAGES:
            message = gettext_noop("This PDF has %(count)d pages; one document may have %(limit)d. Split it into several.")
            raise Refused("pdf_too_many_pages", message, count=len(document), limit=MAX_PAGES)
        return _content(document)
    finally:
        document.close()


def _content(document: pypdfium2.PdfDocument) -> Content:
    reader, kept = Reader(document), _Kept()
    laid = layout.blocks(kept.passing(reader.pages()))
    codes, shares, flags = marks.settled(laid.codes), kept.shares(laid.origins), kept.flags(laid.origins)
    return Content(
        text=codes.astype("<u4").tobytes().decode("utf-32-le"),
        passages=laid.passages,
        spans=marks.spans(laid.passages, laid.spans, flags),
        pages=tuple(kept.pages(laid.starts, shares)),
        title=titles.own(document) or ("" if marks.has_bad_heading(laid.passages, flags) else laid.title),
        notes=tuple(_notes(document, reader, codes, flags)),
    )


def _notes(document: pypdfium2.PdfDocument, reader: Reader, codes: Codes, flags: marks.Bits) -> Iterator[Note]:
    if marks.is_soup(codes, flags):
        yield Note.LETTER_SOUP
    if marks.has_unseen(codes, flags):
        yield Note.UNSEEN_TEXT
    if document.count_attachments():
        yield Note.ATTACHMENTS
    if reader.lacks_values:
        yield Note.FORM_VALUES
    if reader.lost or is_repaired(document):
        yield Note.REPAIRED


class _Kept:
    """What is kept of pages after layout has read them: a few bytes for each code point."""

    def __init__(self) -> None:
        self._labels: list[str] = []
        self._sizes: list[tuple[float, float]] = []
        self._shares: list[Boxes] = []
        self._flags: list[tuple[Flags, Flags, Flags, Flags]] = []

    def passing(self, pages: Iterable[Glyphs]) -> Iterator[Glyphs]:
        """The pages as they come, looked at on their way."""
        for page in pages:
            self._labels.append(page.label)
            self._sizes.append((page.width, page.height))
            self._shares.append(page.shares)
            self._flags.append((page.unseen, page.garbled, page.generated, references.find(page)))
            yield page

    def shares(self, origins: marks.Origins) -> Boxes:
        """The boxes of these glyphs (counted over all pages), zeros for -1."""
        return np.concatenate((*self._shares, np.zeros((1, 4), dtype=np.uint16)))[origins]

    def flags(self, origins: marks.Origins) -> marks.Bits:
        """What is known of these glyphs, GENERATED for -1."""
        bits = np.array([marks.GENERATED], dtype=np.uint8)
        if self._flags:
            bits = np.append(marks.bits(*map(np.concatenate, zip(*self._flags, strict=True))), bits)
        return bits[origins]

    def pages(self, starts: Iterable[int], shares: Boxes) -> Iterator[Page]:
        """Pages that start there in the text, each with the boxes of its code points."""
        bounds = [*starts, len(shares)]
        boxes = packed(shares, bounds)
        for label, size, start, end, some in zip(self._labels, self._sizes, bounds[:-1], bounds[1:], boxes, strict=True):
            yield Page(label, start, end, *size, some)
