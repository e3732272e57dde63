"""The picture of a page, as a reader sees it: annotations and form fields drawn, no script run, nothing loaded."""

from __future__ import annotations

import io
import math
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2
from PIL import Image

from evidence.errors import Refused, gettext_noop
from evidence.formats.pdf.opening import opened

MAX_PIXELS: Final = 16_000_000
"""Of one picture, 64 MB while it is drawn: an A4 page at 400 dpi. What would be larger is drawn at a smaller scale."""
_FAST: Final = 1
"""zlib's level: a page of text is a tenth larger than at the usual level, and written in a third of the time."""

Image.preinit()  # else the first picture loads modules, which a confined process can't


def render(data: bytes, page_number: int, scale: float, password: str = "") -> bytes:
    """PNG of a page (counted from 1) with `scale` pixels for each point, grey where it has no colours.

    Raises Refused: `pdf_no_such_page`, `pdf_damaged`, or what opening says.
    """
    document = opened(data, password)
    try:
        if not 1 <= page_number <= len(document):
            message = gettext_noop("This PDF has no page %(number)d; it has %(count)d.")
            raise Refused("pdf_no_such_page", message, number=page_number, count=len(document))
        try:
            bitmap = _drawn(document[page_number - 1], scale)
        except (pypdfium2.PdfiumError, ValueError) as error:  # the page can't be loaded, or has no size
            message = gettext_noop("Page %(number)d of this PDF is damaged: no picture can be made of it.")
            raise Refused("pdf_page_damaged", message, number=page_number) from error
        return _png(bitmap.to_numpy())
    finally:
        document.close()


def _drawn(page: pypdfium2.PdfPage, scale: float) -> pypdfium2.PdfBitmap:
    """Red, green, blue and a byte that says nothing for each pixel; they are there as long as the bitmap is."""
    width, height = page.get_size()
    fitting = math.sqrt(MAX_PIXELS / max(width * height, 1))
    return page.render(scale=min(scale, fitting), rev_byteorder=True, prefer_bgrx=True)


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """pixels: shape (height, width, 4)."""
    red, green, blue = (pixels[:, :, channel] for channel in range(3))
    grey = np.array_equal(red, green) and np.array_equal(green, blue)
    image = Image.fromarray(np.ascontiguousarray(red)) if grey else Image.fromarray(pixels[:, :, :3])
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_FAST)
    return file.getvalue()
