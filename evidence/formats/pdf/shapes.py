"""Shapes: the paths and pictures that are drawn on a page, and when each of them and each text is drawn."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from evidence.formats.pdf import calls
from evidence.formats.pdf.calls import Addresses, Numbers
from evidence.formats.pdf.pages import Page

Places = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
"""Shape (3, 2): points are multiplied by its first two rows and moved by its third."""

MAX_DEPTH: Final = 8
"""Forms inside forms; what lies deeper is not looked at."""
LAST: Final = np.iinfo(np.int64).max
_WITHOUT: Final = np.zeros(0, dtype=np.uint64)
_NO_NUMBERS: Final = np.zeros(0, dtype=np.int64)
_NO_BOXES: Final = np.zeros((0, 4))


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A form that objects are drawn in. matrix: from what is drawn in it to the page."""

    object: int
    matrix: Matrix
    inside: Form | None


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of a page in the order in which they are drawn; one entry for each. box: points, as looked at.

    kind: FPDF_PAGEOBJ_*. order: counted over everything on the page. forms: what each is drawn in. texts, text_order: the text
    objects' addresses, ascending, and when they are drawn.
    """

    page: Page
    box: Places
    kind: Numbers
    order: Numbers
    object: Addresses
    forms: Sequence[Form | None]
    texts: Addresses
    text_order: Numbers

    def __len__(self) -> int:
        return len(self.kind)

    def order_of(self, texts: Addresses) -> Numbers:
        """When these text objects are drawn; LAST for those that are not known."""
        if not len(self.texts):
            return np.full(len(texts), LAST)
        place = np.minimum(np.searchsorted(self.texts, texts), len(self.texts) - 1)
        return np.where(self.texts[place] == texts, self.text_order[place], LAST)

    def pictured_area(self) -> float:
        """Square points that pictures cover, those on top of each other counted twice."""
        box = np.clip(self.box[self.kind == pdfium.FPDF_PAGEOBJ_IMAGE], 0, (self.page.width, self.page.height) * 2)
        return float(((box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])).sum())


def of(pages: Sequence[Page]) -> Sequence[Shapes]:
    """The shapes of each page."""
    counts = [page.objects for page in pages]
    objects = calls.page_objects([page.page for page in pages], counts)
    kinds = calls.object_types(objects)
    ends = np.cumsum(counts)
    others = np.cumsum(kinds != pdfium.FPDF_PAGEOBJ_TEXT)
    found, start, before = [], 0, 0
    for page, end in zip(pages, ends.tolist(), strict=True):
        after = int(others[end - 1]) if end else 0
        found.append(_of(page, objects[start:end], kinds[start:end]) if after > before else _nothing(page))
        start, before = end, after
    return found


def _nothing(page: Page) -> Shapes:
    return Shapes(page, _NO_BOXES, _NO_NUMBERS, _NO_NUMBERS, _WITHOUT, (), _WITHOUT, _NO_NUMBERS)


def _of(page: Page, objects: Addresses, kinds: Numbers) -> Shapes:
    forms: list[Form | None] = [None] * len(objects)
    if (kinds == pdfium.FPDF_PAGEOBJ_FORM).any():
        objects, kinds, forms = _unfolded(objects, kinds, None, MAX_DEPTH)
    is_text = kinds == pdfium.FPDF_PAGEOBJ_TEXT
    drawn, written = np.flatnonzero(~is_text), np.flatnonzero(is_text)
    written = written[np.argsort(objects[written])]
    own = [forms[number] for number in drawn.tolist()]
    box = np.asarray(page.seen(_bounds(objects[drawn], own)), dtype=np.float64)
    return Shapes(page, box, kinds[drawn], drawn, objects[drawn], own, objects[written], written)


def matrix_of(handle: Any) -> Matrix:
    """The matrix of an object of pdfium's."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(handle, matrix)
    return np.array([[matrix.a, matrix.b], [matrix.c, matrix.d], [matrix.e, matrix.f]])


def moved(points: npt.NDArray[np.float64], matrix: Matrix) -> npt.NDArray[np.float64]:
    """Points (any number, 2) after a matrix."""
    return np.asarray(points @ matrix[:2] + matrix[2])


def object_at(address: int) -> Any:
    """pdfium's handle for the object at this address."""
    return ctypes.cast(address, pdfium.FPDF_PAGEOBJECT)


def _unfolded(
    objects: Addresses, kinds: Numbers, inside: Form | None, depth: int
) -> tuple[Addresses, Numbers, list[Form | None]]:
    """The objects with those in forms in place of the forms."""
    addresses, types, forms, start = [_WITHOUT], [kinds[:0]], list[Form | None](), 0
    for place in [*np.flatnonzero(kinds == pdfium.FPDF_PAGEOBJ_FORM).tolist(), len(objects)]:
        addresses.append(objects[start:place])
        types.append(kinds[start:place])
        forms += [inside] * (place - start)
        start = place + 1
        if place < len(objects) and depth:
            inner = _within(int(objects[place]), inside, depth)
            addresses.append(inner[0])
            types.append(inner[1])
            forms += inner[2]
    return np.concatenate(addresses), np.concatenate(types), forms


def _within(address: int, inside: Form | None, depth: int) -> tuple[Addresses, Numbers, list[Form | None]]:
    handle = object_at(address)
    matrix = matrix_of(handle)
    if inside is not None:
        matrix = np.concatenate((matrix[:2] @ inside.matrix[:2], moved(matrix[2:], inside.matrix)))
    objects = calls.form_objects(ctypes.c_void_p(address), max(pdfium.FPDFFormObj_CountObjects(handle), 0))
    return _unfolded(objects, calls.object_types(objects), Form(address, matrix, inside), depth - 1)


def _bounds(objects: Addresses, forms: Sequence[Form | None]) -> Places:
    """Left, top, right, bottom on the page (upwards)."""
    places = calls.bounds(objects)[:, (0, 3, 2, 1)].astype(np.float64)
    start = 0
    for form, group in groupby(forms):
        end = start + len(list(group))
        if form is not None:
            corners = np.stack([moved(places[start:end][:, corner], form.matrix) for corner in ([0, 1], [0, 3], [2, 1], [2, 3])])
            low, high = corners.min(axis=0), corners.max(axis=0)
            places[start:end] = np.stack((low[:, 0], high[:, 1], high[:, 0], low[:, 1]), axis=1)
        start = end
    return places
