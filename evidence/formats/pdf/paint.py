"""Paint: what a shape covers and with what colour, as far as that is told by its outline, its clipping and its opacity."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from evidence.formats.pdf.shapes import Form, Matrix, Shapes, matrix_of, moved, object_at

Flags = npt.NDArray[np.bool_]
Points = npt.NDArray[np.floating[Any]]
"""Shape (any number, 2): points from the top left of the page, as looked at."""
Colour = tuple[int, int, int]

_MAX_SEGMENTS: Final = 2_000
"""Of one outline; one with more is a drawing, and taken not to cover anything."""
_MAX_CLIPS: Final = 20
_MAX_PIXELS: Final = 16_000_000
"""Of one picture that is looked at for what shows through; a larger one is taken not to cover anything."""
_THICK: Final = 3.0
"""Points: a straight line of this width covers letters as a bar does."""
_LINE: Final = 2
"""Segments of a straight line: where it begins, and where it ends."""
_OPAQUE: Final = 250
"""Of 255: what is less opaque lets things show through."""


@dataclass(frozen=True, slots=True)
class Paint:
    """What a shape puts on the page: one opaque colour, or None for something that has none or that things show through."""

    colour: Colour | None
    holds: Callable[[Points], Flags]
    """Which of these points it covers."""


def path(document: Any, shapes: Shapes, number: int) -> Paint | None:
    """What a path puts on the page; None for an outline or next to nothing."""
    handle = object_at(int(shapes.object[number]))
    rule, stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(handle, rule, stroked)
    if rule.value != pdfium.FPDF_FILLMODE_NONE:
        return _filled(document, shapes, number, rule.value == pdfium.FPDF_FILLMODE_WINDING)
    bar = _bar(shapes, number) if stroked.value else None
    if bar is None:
        return None
    low, high = bar
    colour = _colour(shapes, number, pdfium.FPDFPageObj_GetStrokeColor)
    return Paint(colour, lambda points: ((points >= low) & (points <= high)).all(axis=1) & _unclipped(shapes, number, points))


def _filled(document: Any, shapes: Shapes, number: int, winding: bool) -> Paint | None:
    handle, form = object_at(int(shapes.object[number])), shapes.forms[number]
    outline = _outline(_path_segments(handle))
    if outline is None:
        return None
    colour = _colour(shapes, number, pdfium.FPDFPageObj_GetFillColor)
    if colour is not None and _has_pattern(document, handle):
        colour = None
    edges = _seen(shapes, outline, matrix_of(handle), form)
    return Paint(colour, lambda points: _inside(edges, points, winding) & _unclipped(shapes, number, points))


def picture(shapes: Shapes, number: int) -> Paint:
    """What a picture or a gradient puts on the page."""
    return Paint(None, lambda points: _unclipped(shapes, number, points))


def hides(document: Any, shapes: Shapes, number: int, points: Points) -> Flags:
    """Which of these points, that a picture covers, do not show through it. Costs the decoding of the picture."""
    nothing = np.zeros(len(points), dtype=bool)
    handle, width, height = object_at(int(shapes.object[number])), ctypes.c_uint(), ctypes.c_uint()
    pdfium.FPDFImageObj_GetImagePixelSize(handle, width, height)
    form = shapes.forms[number]
    if not 0 < width.value * height.value <= _MAX_PIXELS or any(map(pdfium.FPDFPageObj_HasTransparency, (handle, *_outer(form)))):
        return nothing
    alpha = _alpha(document, shapes, handle)
    if alpha is None:
        return ~nothing
    left, top, right, bottom = shapes.box[number]
    x = (points[:, 0] - left) / (right - left) * alpha.shape[1]
    y = (points[:, 1] - top) / (bottom - top) * alpha.shape[0]
    column, row = (np.clip(part.astype(np.int64), 0, size - 1) for part, size in ((x, alpha.shape[1]), (y, alpha.shape[0])))
    return np.asarray(alpha[row, column] >= _OPAQUE)


def _alpha(document: Any, shapes: Shapes, handle: Any) -> npt.NDArray[np.uint8] | None:
    """How opaque a picture is, as the page is looked at; None for all of it."""
    bitmap = pdfium.FPDFImageObj_GetRenderedBitmap(document, shapes.page.raw, handle)
    if not bitmap:
        return np.zeros((1, 1), dtype=np.uint8)
    try:
        if pdfium.FPDFBitmap_GetFormat(bitmap) != pdfium.FPDFBitmap_BGRA:
            return None
        size = pdfium.FPDFBitmap_GetHeight(bitmap), pdfium.FPDFBitmap_GetStride(bitmap)
        memory = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), size[0] * size[1])
        alpha = np.frombuffer(memory, dtype=np.uint8).reshape(size)[:, 3 : 4 * pdfium.FPDFBitmap_GetWidth(bitmap) : 4]
        return np.rot90(alpha, -shapes.page.turns)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def _colour(shapes: Shapes, number: int, get: Any) -> Colour | None:
    """Red, green and blue of 255, if things do not show through."""
    handle = object_at(int(shapes.object[number]))
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not get(handle, red, green, blue, alpha) or alpha.value < _OPAQUE:
        return None
    if any(map(pdfium.FPDFPageObj_HasTransparency, (handle, *_outer(shapes.forms[number])))):
        return None
    return red.value, green.value, blue.value


def _has_pattern(document: Any, handle: Any) -> bool:
    """Whether a path is filled with a pattern; pdfium names a colour for it all the same."""
    picture = pdfium.FPDFPageObj_GetRenderedFillPattern(document, handle)
    pdfium.FPDFBitmap_Destroy(picture)
    return bool(picture)


def _bar(shapes: Shapes, number: int) -> tuple[Points, Points] | None:
    """Top left and bottom right of an outline that is one straight, thick line, across or down."""
    handle, width, form = object_at(int(shapes.object[number])), ctypes.c_float(), shapes.forms[number]
    pdfium.FPDFPageObj_GetStrokeWidth(handle, width)
    matrix = matrix_of(handle)
    scale = matrix[:2] if form is None else matrix[:2] @ form.matrix[:2]
    half = width.value * float(np.sqrt(abs(np.linalg.det(scale)))) / 2
    if half < _THICK / 2 or pdfium.FPDFPath_CountSegments(handle) != _LINE:
        return None
    ends = _seen(shapes, _ends(_path_segments(handle)), matrix, form)[0]
    low, high = ends.min(axis=0), ends.max(axis=0)
    across = high - low
    if across.min() > half / 2:
        return None
    thick = np.where(across == across.min(), half, 0.0)
    return low - thick, high + thick


def _ends(segments: Sequence[Any]) -> npt.NDArray[np.float64]:
    x, y = ctypes.c_float(), ctypes.c_float()
    points = []
    for segment in segments:
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        points.append((x.value, y.value))
    return np.array([points])


def _outer(form: Form | None) -> Iterator[Any]:
    while form is not None:
        yield object_at(form.object)
        form = form.inside


def _path_segments(handle: Any) -> Sequence[Any]:
    count = pdfium.FPDFPath_CountSegments(handle)
    if count > _MAX_SEGMENTS:
        return ()
    return [pdfium.FPDFPath_GetPathSegment(handle, number) for number in range(count)]


def _unclipped(shapes: Shapes, number: int, points: Points) -> Flags:
    """Which of these points are inside whatever a shape and the forms around it are clipped to."""
    result = np.ones(len(points), dtype=bool)
    form: Form | None = shapes.forms[number]
    around = [(int(shapes.object[number]), form)]
    while form is not None:
        around.append((form.object, form.inside))
        form = form.inside
    for address, outer in around:
        clip = pdfium.FPDFPageObj_GetClipPath(object_at(address))
        count = pdfium.FPDFClipPath_CountPaths(clip) if clip else 0
        if count > _MAX_CLIPS:
            return np.zeros(len(points), dtype=bool)
        for part in range(count):
            result &= _inside_clip(shapes, clip, part, outer, points)
    return result


def _inside_clip(shapes: Shapes, clip: Any, part: int, form: Form | None, points: Points) -> Flags:
    count = pdfium.FPDFClipPath_CountPathSegments(clip, part)
    if not 0 < count <= _MAX_SEGMENTS:
        return np.zeros(len(points), dtype=bool)
    outline = _outline([pdfium.FPDFClipPath_GetPathSegment(clip, part, number) for number in range(count)])
    if outline is None:
        return np.zeros(len(points), dtype=bool)
    return _inside(_seen(shapes, outline, None, form), points, winding=True)


def _outline(segments: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """Edges (any number, 2 points, x and y) of an outline, each of its parts closed; curves are straight lines here."""
    edges, first, last = list[tuple[tuple[float, float], tuple[float, float]]](), (0.0, 0.0), (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for segment in segments:
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = x.value, y.value
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO:
            edges.append((last, first))
            first = point
        else:
            edges.append((last, point))
        last = point
    edges.append((last, first))
    return np.array(edges) if len(edges) > 2 else None


def _seen(shapes: Shapes, edges: npt.NDArray[np.float64], matrix: Matrix | None, form: Form | None) -> npt.NDArray[np.float64]:
    """Edges as the page is looked at."""
    points = edges.reshape(-1, 2)
    points = points if matrix is None else moved(points, matrix)
    points = points if form is None else moved(points, form.matrix)
    seen = shapes.page.seen(np.concatenate((points, points), axis=1))
    return np.asarray(seen[:, :2].reshape(-1, 2, 2), dtype=np.float64)


def _inside(edges: npt.NDArray[np.float64], points: Points, winding: bool) -> Flags:
    """Which points lie inside an outline: by the direction in which its edges go around them, or by their number."""
    (x1, y1), (x2, y2) = edges[:, 0].T, edges[:, 1].T
    x, y = points[:, :1], points[:, 1:]
    crossed = (y1 <= y) != (y2 <= y)
    slope = (x2 - x1) / np.where(y1 == y2, 1.0, y2 - y1)
    right = crossed & (x < x1 + (y - y1) * slope)
    if winding:
        return np.asarray((right * np.sign(y2 - y1)).sum(axis=1) != 0)
    return np.asarray(right.sum(axis=1) % 2 == 1)
