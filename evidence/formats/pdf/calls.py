"""Calls: pdfium's functions by the ten thousand.

A call through ctypes with converted arguments costs 0.4 µs; one that keeps Python's lock, takes ready-made arguments and is
driven by `map` costs 0.15 µs. Asking pdfium for one box per character is most of what reading a PDF costs.
Results of functions that write into memory land in slots that are made once, and are copied from there.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice, repeat
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

Function: TypeAlias = Callable[..., Any]
Handle: TypeAlias = Any
"""A ready-made argument that points to something of pdfium's."""
Numbers: TypeAlias = npt.NDArray[np.int64]
Addresses: TypeAlias = npt.NDArray[np.uint64]

FAR: Final = 1e6
"""Points; the largest page has 14,400."""
_SLOTS: Final = 16_384
_NUMBERS: Final = list(range(_SLOTS))
"""Made once: fresh ints for all characters cost a tenth of what the calls cost."""
_SURROGATES: Final = (0xD800, 0xE000)


class _Slots:
    """Memory for the results of many calls: rows of numbers, and for each row and column a ready-made pointer argument."""

    def __init__(self, kind: Any, columns: int, pointers: int) -> None:
        """pointers: how many pointers a call takes; one points to a whole row, several point to single numbers."""
        self.rows: npt.NDArray[Any] = np.zeros((_SLOTS, columns), dtype=kind)
        memory = (ctypes.c_char * self.rows.nbytes).from_address(self.rows.ctypes.data)
        row, cell = self.rows.strides
        self.pointers = [
            [ctypes.byref(memory, number * row + column * cell) for number in range(_SLOTS)] for column in range(pointers)
        ]


_RECTANGLES: Final = _Slots(np.float32, 4, 1)
_MATRICES: Final = _Slots(np.float32, 6, 1)
_COLOURS: Final = _Slots(np.uint32, 4, 4)
_BOUNDS: Final = _Slots(np.float32, 4, 4)


def plain(name: str, result: Any = ctypes.c_int) -> Function:
    """A function of pdfium's without conversion of its arguments: ints are C ints, anything else is a ctypes value."""
    return ctypes.PYFUNCTYPE(result)(address(getattr(pdfium, name)))


def address(handle: Any) -> int:
    """Where a handle or a function of pdfium's points to; 0 for nowhere."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def pointed(handle: Any) -> Handle:
    """The argument for a handle of pdfium's that will be used very often."""
    return pointed_at(address(handle))


def pointed_at(place: int) -> Handle:
    """The argument for what is at this address."""
    return ctypes.byref(ctypes.c_char.from_address(place))


_loose_box = plain("FPDFText_GetLooseCharBox", None)
_matrix = plain("FPDFText_GetMatrix", None)
_fill_colour = plain("FPDFText_GetFillColor", None)
_inner_colour = plain("FPDFPageObj_GetFillColor", None)
_bounds = plain("FPDFPageObj_GetBounds", None)
_text_object = plain("FPDFText_GetTextObject", ctypes.c_size_t)
_page_object = plain("FPDFPage_GetObject", ctypes.c_size_t)
_form_object = plain("FPDFFormObj_GetObject", ctypes.c_size_t)
_object_type = plain("FPDFPageObj_GetType")
_font_of = plain("FPDFTextObj_GetFont", ctypes.c_size_t)
_mode_of = plain("FPDFTextObj_GetTextRenderMode")
_font_size = plain("FPDFText_GetFontSize", ctypes.c_double)
_get_text = plain("FPDFText_GetText")
_unicode = plain("FPDFText_GetUnicode", ctypes.c_uint)
_map_error = plain("FPDFText_HasUnicodeMapError")
_is_hyphen = plain("FPDFText_IsHyphen")


def character_boxes(texts: Sequence[Handle], counts: Sequence[int]) -> npt.NDArray[np.float32]:
    """Left, top, right, bottom on the page (upwards) of all characters of these texts, as high as their font."""
    of = chain.from_iterable(map(repeat, texts, counts))
    numbers = chain.from_iterable(islice(_NUMBERS, count) if count <= _SLOTS else range(count) for count in counts)
    return _sane(_filled(_loose_box, (of, numbers), sum(counts), _RECTANGLES))


def code_points(texts: Sequence[Handle], counts: Sequence[int]) -> npt.NDArray[np.uint32]:
    """The code point of each character of these texts; U+0002 or U+FFFE for a hyphen at a line's end."""
    units = np.empty(sum(counts) + 1, dtype=np.uint16)  # each text ends with a zero, which the next one overwrites
    start, written = 0, []
    for text, count in zip(texts, counts, strict=True):
        written.append(_get_text(text, 0, count, ctypes.c_void_p(units.ctypes.data + start * units.itemsize)))
        start += count
    codes = units[:-1].astype(np.uint32)
    pairs = np.flatnonzero((codes >= _SURROGATES[0]) & (codes < _SURROGATES[1]))
    start = 0
    for text, count, size in zip(texts, counts, written, strict=True):
        # what has no place in a text is left out of it, and what lies beyond U+FFFF is two units: ask for each
        if count and (size != count + 1 or ((pairs >= start) & (pairs < start + count)).any()):
            codes[start : start + count] = np.fromiter(map(_unicode, repeat(text), range(count)), np.uint32, count)
        start += count
    return codes


def text_objects(texts: Iterable[Handle], characters: Numbers) -> Addresses:
    """The text object that each of these characters is drawn by, 0 for none."""
    return np.fromiter(map(_text_object, texts, characters.tolist()), np.uint64, len(characters))


def matrices(texts: Iterable[Handle], characters: Numbers) -> npt.NDArray[np.float32]:
    """a to f of each character's matrix."""
    return _filled(_matrix, (texts, characters.tolist()), len(characters), _MATRICES)


def fill_colours(texts: Iterable[Handle], characters: Numbers) -> npt.NDArray[np.uint32]:
    """Red, green, blue, alpha of each character."""
    return _filled(_fill_colour, (texts, characters.tolist()), len(characters), _COLOURS)


def font_sizes(texts: Iterable[Handle], characters: Numbers) -> npt.NDArray[np.float64]:
    """Font size of each character, before its matrix."""
    return np.fromiter(map(_font_size, texts, characters.tolist()), np.float64, len(characters))


def map_errors(texts: Iterable[Handle], characters: Numbers) -> npt.NDArray[np.bool_]:
    """Whether each character's code was taken for its code point, for want of a character map."""
    return np.fromiter(map(_map_error, texts, characters.tolist()), np.bool_, len(characters))


def hyphens(texts: Iterable[Handle], characters: Numbers) -> npt.NDArray[np.bool_]:
    """Whether each character is a hyphen that parts a word at a line's end."""
    return np.fromiter(map(_is_hyphen, texts, characters.tolist()), np.bool_, len(characters))


def fonts_and_modes(objects: Addresses) -> tuple[Addresses, Numbers]:
    """The font of each text object, and how it is painted: 0 filled, 3 not at all."""
    handles = list(map(ctypes.c_void_p, objects.tolist()))
    fonts = np.fromiter(map(_font_of, handles), np.uint64, len(handles))
    return fonts, np.fromiter(map(_mode_of, handles), np.int64, len(handles))


def page_objects(pages: Sequence[Handle], counts: Sequence[int]) -> Addresses:
    """What is drawn on each of these pages, in this order."""
    of = chain.from_iterable(map(repeat, pages, counts))
    return np.fromiter(map(_page_object, of, chain.from_iterable(map(range, counts))), np.uint64, sum(counts))


def form_objects(form: Handle, count: int) -> Addresses:
    """What is drawn in a form object, in this order."""
    return np.fromiter(map(_form_object, repeat(form), map(ctypes.c_ulong, range(count))), np.uint64, count)


def object_types(objects: Addresses) -> npt.NDArray[np.int64]:
    """FPDF_PAGEOBJ_* of each object."""
    return np.fromiter(map(_object_type, map(ctypes.c_void_p, objects.tolist())), np.int64, len(objects))


def inner_colours(objects: Addresses) -> npt.NDArray[np.int64]:
    """Red, green, blue and alpha that pdfium names for the inside of each path, however it is filled."""
    return _filled(_inner_colour, (map(ctypes.c_void_p, objects.tolist()),), len(objects), _COLOURS).astype(np.int64)


def bounds(objects: Addresses) -> npt.NDArray[np.float32]:
    """Left, bottom, right, top of each object in what it is drawn on (upwards)."""
    return _sane(_filled(_bounds, (map(ctypes.c_void_p, objects.tolist()),), len(objects), _BOUNDS))


def _sane(places: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Places that can be calculated with: hostile files have them beyond all numbers."""
    if not (np.abs(places) < FAR).all():
        places = np.clip(np.nan_to_num(places), -FAR, FAR)
    return places


def _filled(function: Function, arguments: Sequence[Iterable[Any]], count: int, slots: _Slots) -> npt.NDArray[Any]:
    """A row for each call. Where a call fails its row is zeros."""
    given = [iter(argument) for argument in arguments]
    pieces = []
    for start in range(0, count, _SLOTS):
        rows = slots.rows[: count - start]
        rows[:] = 0
        deque(map(function, *(islice(values, len(rows)) for values in given), *slots.pointers), maxlen=0)
        pieces.append(rows.copy())
    return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty((0, slots.rows.shape[1]), slots.rows.dtype), *pieces])
