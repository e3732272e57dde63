"""Composed letters, and letters that share a shape: as many code points as the profile has, each with a box of its own."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import unicodedata2

from evidence import profile
from evidence.formats.pdf.calls import Numbers

Codes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.float64]

_SAFE_BELOW: Final = 0x300
"""The first combining mark: below, a text is composed already (Latin letters of Western Europe)."""
_PUNCTUATION: Final = (0x2002, 0x2070)
"""Dashes, quotation marks, bullets: they are not changed either."""


def is_composed(codes: Codes) -> bool:
    """Whether these code points (without surrogates) are as the profile has them."""
    odd = codes[codes >= _SAFE_BELOW]
    if not odd.size or ((odd >= _PUNCTUATION[0]) & (odd < _PUNCTUATION[1])).all():
        return True
    text = _text(codes)
    return profile.normalise(text) == text


def composed(codes: Codes, places: Places) -> tuple[Codes, Places, Numbers]:
    """Code points after the profile, their boxes, and the number of the code point that each comes from.

    A letter and its accents become one code point, whose box holds all of theirs.
    """
    text = _text(codes)
    made, boxes, origins = list[str](), [places[:0]], list[int]()
    for start, end in _clusters(text):
        letters = profile.normalise(text[start:end])
        same = len(letters) == end - start
        made.append(letters)
        boxes.append(places[start:end] if same else np.repeat(_union(places[start:end]), len(letters), axis=0))
        origins.extend(range(start, end) if same else [start] * len(letters))
    numbers = np.array(origins, dtype=np.int64)
    return np.array([ord(letter) for letter in "".join(made)], dtype=np.uint32), np.concatenate(boxes), numbers


def unsettled(codes: Codes) -> Numbers:
    """The places of the code points that the profile would put together with what stands before them."""
    text = _text(codes)
    return np.array([place for start, end in _clusters(text) for place in _changed(text[start:end], start)], dtype=np.int64)


def parted(codes: Codes, places: Places, angles: npt.NDArray[np.int16]) -> Places:
    """The boxes, with those that several code points in a row have in common (a ligature's) parted evenly among them.

    angles: of the writing, clockwise. Letters of right-to-left scripts take their shares from the right.
    """
    same = (places[1:] == places[:-1]).all(axis=1) & (places[1:, 0] != places[1:, 2]) & (places[1:, 1] != places[1:, 3])
    if not same.any():
        return places
    inside = np.concatenate(([False], same))
    begin = np.flatnonzero(~inside)
    sizes = np.diff(np.append(begin, len(codes)))
    position, size = np.arange(len(codes)) - np.repeat(begin, sizes), np.repeat(sizes, sizes)
    shared = np.flatnonzero(size > 1)
    return _with_shares(places, shared, position[shared], size[shared], _backwards(codes[shared], angles[shared]), angles[shared])


def _with_shares(
    places: Places,
    shared: Numbers,
    position: Numbers,
    size: Numbers,
    backwards: npt.NDArray[np.bool_],
    angles: npt.NDArray[np.int16],
) -> Places:
    position = np.where(backwards, size - 1 - position, position)
    low = (np.round(angles / 90).astype(np.int64) % 2 == 1).astype(np.int64)  # upright writing parts its boxes from top to bottom
    start = places[shared, low]
    step = (places[shared, low + 2] - start) / size
    result = places.copy()
    result[shared, low] = start + step * position
    result[shared, low + 2] = start + step * (position + 1)
    return result


def _backwards(codes: Codes, angles: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
    right_to_left = ((codes >= 0x590) & (codes < 0x900)) | ((codes >= 0xFB1D) & (codes < 0xFF00))
    turned = np.isin(np.round(angles / 90).astype(np.int64) % 4, (2, 3))
    return np.asarray(right_to_left ^ turned)


def _text(codes: Codes) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le")


def _clusters(text: str) -> list[tuple[int, int]]:
    """Half-open ranges of the text whose composed forms, one after the other, are the composed text."""
    found, start = [], 0
    for end in range(1, len(text)):
        if text[end] < "\u0300" or _starts(text[start:end], text[end]):
            found.append((start, end))
            start = end
    if text:
        found.append((start, len(text)))
    return found


def _changed(cluster: str, start: int) -> range:
    return range(start + 1, start + len(cluster)) if profile.normalise(cluster) != cluster else range(0)


def _starts(before: str, letter: str) -> bool:
    """Whether a letter stays as it is after what stands before it."""
    if unicodedata2.combining(letter):
        return False
    return bool(profile.normalise(before + letter) == profile.normalise(before) + profile.normalise(letter))


def _union(places: Places) -> Places:
    placed = places[places.any(axis=1)]
    if not len(placed):
        return places[:1]
    return np.concatenate((placed[:, :2].min(axis=0), placed[:, 2:].max(axis=0)))[np.newaxis]
