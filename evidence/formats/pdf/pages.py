"""Pages: a PDF's pages in memory, a few at a time, with form fields and annotations made part of them.

What a page shows besides its own content (values of form fields, stamps, bars of annotations) is drawn into it before it is
read, in memory only: so the text and the picture have the same words.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from evidence.errors import Refused, gettext_noop
from evidence.formats.pdf import calls

MAX_CHARACTERS: Final = 200_000
"""On one page: ten times the densest telephone directory."""
MAX_OBJECTS: Final = 500_000
"""Drawn on one page: a detailed map has fewer."""
BATCH: Final = 16_384
"""Characters that are worked on together: small pages share what each step costs, and memory stays flat."""
_BATCH_PAGES: Final = 64
_load_text = calls.plain("FPDFText_LoadPage", ctypes.c_size_t)
_close_text = calls.plain("FPDFText_ClosePage", None)
_bounding_box = calls.plain("FPDF_GetPageBoundingBox")
_rotation = calls.plain("FPDFPage_GetRotation")
_count_characters = calls.plain("FPDFText_CountChars")
_count_objects = calls.plain("FPDFPage_CountObjects")
_UNSHOWN: Final = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)
"""Annotations that draw nothing, or nothing with words."""
_TURNED: Final = {
    0: ((0, 1), (1, -1), (2, 1), (3, -1)),
    1: ((3, 1), (0, 1), (1, 1), (2, 1)),
    2: ((2, -1), (3, 1), (0, -1), (1, 1)),
    3: ((1, -1), (2, -1), (3, -1), (0, -1)),
}
"""Quarter turns clockwise -> which of left, top, right, bottom on the page becomes which as looked at, and its sign."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page in memory; one that can't be loaded has no size and nothing on it.

    raw: pdfium's own handle. page, text: arguments for calls. width, height: points, as looked at. corner: left, top, right,
    bottom of what is looked at, on the page (upwards). turns: quarter turns clockwise. count: of characters. objects: how many
    are drawn, forms counted as one. lacks_values: a form field holds a value and no picture of it.
    """

    number: int
    raw: Any = None
    page: calls.Handle = None
    text: calls.Handle = None
    corner: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    turns: int = 0
    count: int = 0
    objects: int = 0
    lacks_values: bool = False

    @property
    def lost(self) -> bool:
        return not self.text

    @property
    def width(self) -> float:
        left, top, right, bottom = self.corner
        return top - bottom if self.turns % 2 else right - left

    @property
    def height(self) -> float:
        left, top, right, bottom = self.corner
        return right - left if self.turns % 2 else top - bottom

    def seen(self, places: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
        """Left, top, right, bottom on the page (upwards) as points from the top left of the page as it is looked at."""
        left, top, right, bottom = self.corner
        begin = {0: (-left, top), 1: (-bottom, -left), 2: (right, -bottom), 3: (top, right)}[self.turns]
        seen = np.empty_like(places)
        for column, (origin, sign) in enumerate(_TURNED[self.turns]):
            np.multiply(places[:, origin], sign, out=seen[:, column])
            seen[:, column] += begin[column % 2]
        return seen

    def close(self) -> None:
        if self.text:
            _close_text(self.text)
        pdfium.FPDF_ClosePage(self.raw)


@contextmanager
def some(document: pypdfium2.PdfDocument, start: int) -> Iterator[Sequence[Page]]:
    """As many pages from this number (from 0) on as are worked on together; they are closed at the end.

    Raises Refused: `pdf_page_too_full`.
    """
    loaded: list[Page] = []
    characters = 0
    try:
        for number in range(start, min(start + _BATCH_PAGES, len(document))):
            loaded.append(_loaded(document, number))
            characters += loaded[-1].count + loaded[-1].objects
            if characters >= BATCH:
                break
        yield loaded
    finally:
        for page in loaded:
            page.close()


def _loaded(document: pypdfium2.PdfDocument, number: int) -> Page:
    raw = pdfium.FPDF_LoadPage(document, number)
    lacks_values, corner = False, _corner(raw)
    if raw and _shows_annotations(raw):
        lacks_values = _lacks_values(document, raw)
        pdfium.FPDFPage_Flatten(raw, pdfium.FLAT_NORMALDISPLAY)
        pdfium.FPDF_ClosePage(raw)
        raw = pdfium.FPDF_LoadPage(document, number)
    if not raw:
        return Page(number)
    handle = calls.pointed(raw)
    address = _load_text(handle)
    text = calls.pointed_at(address) if address else None
    page = Page(
        number,
        raw=raw,
        page=handle,
        text=text,
        corner=corner,
        turns=_rotation(handle) % 4,
        count=max(_count_characters(text), 0) if text else 0,
        objects=max(_count_objects(handle), 0) if text else 0,
        lacks_values=lacks_values,
    )
    if page.count > MAX_CHARACTERS or page.objects > MAX_OBJECTS:
        page.close()
        message = gettext_noop(
            "Page %(number)d has more on it (%(count)d pieces) than a page may have. Leave it out, or split it."
        )
        raise Refused("pdf_page_too_full", message, number=number + 1, count=max(page.count, page.objects))
    return page


def _corner(raw: Any) -> tuple[float, float, float, float]:
    """What is looked at of a page; drawing annotations into it can change what pdfium says of this."""
    box = pdfium.FS_RECTF()
    if raw:
        _bounding_box(raw, ctypes.byref(box))
    return box.left, box.top, box.right, box.bottom


def _shows_annotations(raw: Any) -> bool:
    return any(pdfium.FPDFAnnot_GetSubtype(annotation) not in _UNSHOWN for annotation in _annotations(raw))


def _lacks_values(document: pypdfium2.PdfDocument, raw: Any) -> bool:
    """Whether a form field holds a value and no picture of it."""
    form = document.formenv
    return form is not None and any(
        pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET
        and pdfium.FPDFAnnot_GetFormFieldType(form, annotation) == pdfium.FPDF_FORMFIELD_TEXTFIELD
        and pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, None, 0) > _EMPTY
        and pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) <= _EMPTY
        for annotation in _annotations(raw)
    )


_EMPTY: Final = ctypes.sizeof(ctypes.c_ushort)
"""Bytes of an empty text of pdfium's."""


def _annotations(raw: Any) -> Iterator[Any]:
    for number in range(pdfium.FPDFPage_GetAnnotCount(raw)):
        annotation = pdfium.FPDFPage_GetAnnot(raw, number)
        if annotation:
            try:
                yield annotation
            finally:
                pdfium.FPDFPage_CloseAnnot(annotation)
