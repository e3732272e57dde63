"""Composed letters, and letters that share a shape: as many code points as the profile has, each with a box of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import unicodedata2

from evidence import profile
from evidence.formats.pdf.calls import Numbers

Codes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.floating[Any]]

_LEAST: Final = 0.35
"""Share of its width that a box keeps; letters that lie more on top of each other than that stay there."""
_UPRIGHT: Final = 45
_EVEN: Final = 1.5
"""How much higher than the lowest box of a run all of them together may be; signs that are put together of pieces are higher."""
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
    made, boxes, origins, done = list[Codes](), list[Places](), list[Numbers](), 0
    for start, end, letters in _changes(codes):
        made += [codes[done:start], np.array([ord(letter) for letter in letters], dtype=np.uint32)]
        boxes += [places[done:start], np.repeat(_union(places[start:end]), len(letters), axis=0)]
        origins += [np.arange(done, start), np.full(len(letters), start)]
        done = end
    return (
        np.concatenate((*made, codes[done:])),
        np.concatenate((*boxes, places[done:])),
        np.concatenate((*origins, np.arange(done, len(codes)))),
    )


def unsettled(codes: Codes) -> Numbers:
    """The places of the code points that the profile would put together with what stands before them."""
    places = [place for start, end, _ in _changes(codes) for place in range(min(start + 1, end - 1), end)]
    return np.array(places, dtype=np.int64)


def part(codes: Codes, places: Places, angles: npt.NDArray[np.int16]) -> None:
    """Part the boxes that several code points in a row have in common (a ligature's) evenly among them, in place.

    angles: of the writing, clockwise. Letters of right-to-left scripts take their shares from the right.
    """
    near = np.flatnonzero(places[1:, 0] == places[:-1, 0])
    one, next_ = places[near], places[near + 1]
    near = near[(one == next_).all(axis=1) & (one[:, 0] != one[:, 2]) & (one[:, 1] != one[:, 3])]
    if not near.size:
        return
    begin = near[np.diff(near, prepend=-2) != 1]
    size = np.diff(np.append(np.flatnonzero(np.diff(near, prepend=-2) != 1), len(near))) + 1
    shared = np.repeat(begin, size) + (position := _counted(size))
    _share(places, shared, position, np.repeat(size, size), codes[shared], angles[shared])


def level(places: Places, angles: npt.NDArray[np.int16], drawn: Numbers, run: Numbers) -> None:
    """Make the boxes of each run of writing across the page equally high, in place; run: of those characters that are drawn.

    A font is as high as its highest letters; boxes that differ with each letter look torn.
    """
    if not drawn.size:
        return
    change = np.diff(run, prepend=-2) != 0
    first = np.flatnonzero(change)
    top, bottom = places[drawn, 1], places[drawn, 3]
    if (change[1:] | ((top[1:] == top[:-1]) & (bottom[1:] == bottom[:-1]))).all():
        return
    highest, lowest = np.minimum.reduceat(top, first), np.maximum.reduceat(bottom, first)
    even = (lowest - highest) <= _EVEN * np.minimum.reduceat(bottom - top, first)
    even &= angles[drawn[first]] == 0
    counts = np.diff(np.append(first, len(drawn)))
    chosen = np.repeat(even, counts)
    places[drawn[chosen], 1], places[drawn[chosen], 3] = (np.repeat(edge, counts)[chosen] for edge in (highest, lowest))


def trim(places: Places, angles: npt.NDArray[np.int16], starts: Numbers) -> None:
    """Let each box of writing across the page end where its neighbour on its line begins, in place; starts: where pages begin.

    Letters reach over their neighbours where a font is slanted, or missing and replaced by another one.
    """
    left, top, right, bottom = places.T
    over = np.flatnonzero(right[:-1] > left[1:])
    over = over[(right[over + 1] > left[over]) & (left[over] != left[over + 1])]
    over = over[(np.minimum(bottom[over], bottom[over + 1]) - np.maximum(top[over], top[over + 1])) > 0]
    over = over[~np.isin(over + 1, starts) & (np.abs(angles[over] % 180 - 90) > _UPRIGHT)]
    forward = left[over] < left[over + 1]
    first, second = np.where(forward, over, over + 1), np.where(forward, over + 1, over)
    enough = left[second] - left[first] > _LEAST * (right[first] - left[first])
    places[first[enough], 2] = places[second[enough], 0]


def _counted(sizes: Numbers) -> Numbers:
    """0, 1, 2 and so on for each of these sizes."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _share(
    places: Places, shared: Numbers, position: Numbers, size: Numbers, codes: Codes, angles: npt.NDArray[np.int16]
) -> None:
    position = np.where(_backwards(codes, angles), size - 1 - position, position)
    low = np.round(angles / 90).astype(np.int64) % 2  # upright writing parts its boxes from top to bottom
    start = places[shared, low]
    step = (places[shared, low + 2] - start) / size
    places[shared, low], places[shared, low + 2] = start + step * position, start + step * (position + 1)


def _backwards(codes: Codes, angles: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
    right_to_left = ((codes >= 0x590) & (codes < 0x900)) | ((codes >= 0xFB1D) & (codes < 0xFF00))
    turned = np.isin(np.round(angles / 90).astype(np.int64) % 4, (2, 3))
    return np.asarray(right_to_left ^ turned)


def _text(codes: Codes) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le")


def _changes(codes: Codes) -> Iterator[tuple[int, int, str]]:
    """Ranges that the profile changes, and what it makes of them."""
    text = _text(codes)
    odd = np.flatnonzero((codes >= _SAFE_BELOW) & ((codes < _PUNCTUATION[0]) | (codes >= _PUNCTUATION[1]))).tolist()
    end = 0
    for place in odd:
        if place < end:
            continue
        start = place
        end = place + 1
        if place and not _starts(text[place - 1], text[place]):
            start = place - 1
        while end < len(text) and not _starts(text[start:end], text[end]):
            end += 1
        if (letters := profile.normalise(text[start:end])) != text[start:end]:
            yield start, end, letters


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
