"""Fonts: numbers for a document's fonts, and which of them are bold, from what the file says of them."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from evidence.formats.pdf.calls import Addresses, Numbers

_BOLD: Final = re.compile(r"bold|black|heavy|demi|medi\b|medi(?=ital)|cmbx|cmssbx|sfbx|sfsx|xbtt|-bd", re.IGNORECASE)
_FORCE_BOLD: Final = 1 << 18
"""Bit of a font descriptor's flags (PDF 1.7, table 123)."""
_BOLD_WEIGHT: Final = 700
_MOST: Final = np.iinfo(np.int16).max


class Fonts:
    """A document's fonts, known by name and flags: pdfium keeps no font longer than the pages that use it."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}
        self._bold: list[bool] = []

    def known(self, addresses: Addresses) -> tuple[Numbers, npt.NDArray[np.bool_]]:
        """The number of each font, -1 for none, and whether it is bold. The addresses are of pages in memory."""
        distinct, first, which = np.unique(addresses, return_index=True, return_inverse=True)
        numbers = np.zeros(len(distinct), dtype=np.int64)
        for place in np.argsort(first).tolist():  # the order of addresses differs from one reading to the next
            numbers[place] = self._number(int(distinct[place]))
        bold = np.array([number >= 0 and self._bold[number] for number in numbers.tolist()], dtype=bool)
        return numbers[which], bold[which]

    def _number(self, address: int) -> int:
        if not address:
            return -1
        handle = ctypes.cast(address, pdfium.FPDF_FONT)
        name, flags = _name(handle), pdfium.FPDFFont_GetFlags(handle)
        if (name, flags) not in self._numbers and len(self._bold) < _MOST:
            self._numbers[name, flags] = len(self._bold)
            is_bold = flags > 0 and flags & _FORCE_BOLD or pdfium.FPDFFont_GetWeight(handle) >= _BOLD_WEIGHT
            self._bold.append(bool(is_bold or _BOLD.search(name)))
        return self._numbers.get((name, flags), -1)


def _name(handle: Any) -> str:
    name = ctypes.create_string_buffer(256)
    pdfium.FPDFFont_GetBaseFontName(handle, name, len(name))
    return name.value.decode(errors="replace")
