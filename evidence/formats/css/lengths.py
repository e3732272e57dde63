"""Lengths: CSS lengths in pixels, as far as a page tells them without being laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

MEDIUM: Final = 16.0
"""Pixels: a browser's usual size of letters."""
WINDOW: Final = (1280.0, 720.0)
"""Pixels that a page is taken to be shown on: a desktop's window."""

_PIXELS: Final = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "q": 2.4 / 2.54,
    "rem": MEDIUM,
}
_OF_THE_LETTERS: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5}
_OF_THE_WINDOW: Final = {"vw": WINDOW[0], "vh": WINDOW[1], "vmin": min(WINDOW), "vmax": max(WINDOW)}
_SIZES: Final = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": MEDIUM,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
}
_RELATIVE_SIZES: Final = {"smaller": 1 / 1.2, "larger": 1.2}

Node = Any  # of tinycss2, which has no types


def pixels(token: Node, *, letters: float, whole: float | None = None) -> float | None:
    """A length; None for what is none or can't be told.

    letters: size of the letters it may be relative to. whole: what a percentage is of; without it a percentage can't be told.
    """
    if token.type == "number":
        return 0.0 if token.value == 0 else None
    if token.type == "percentage":
        return None if whole is None else float(token.value) / 100 * whole
    if token.type != "dimension":
        return None
    unit = token.lower_unit
    if unit in _OF_THE_LETTERS:
        return float(token.value) * _OF_THE_LETTERS[unit] * letters
    if unit in _OF_THE_WINDOW:
        return float(token.value) / 100 * _OF_THE_WINDOW[unit]
    return float(token.value) * _PIXELS[unit] if unit in _PIXELS else None


def of_letters(value: Sequence[Node], parent: float) -> float | None:
    """The size of letters that `font-size`, or `font` with other things before and after it, gives."""
    for token in value:
        if token.type == "ident" and token.lower_value in _SIZES:
            return _SIZES[token.lower_value]
        if token.type == "ident" and token.lower_value in _RELATIVE_SIZES:
            return _RELATIVE_SIZES[token.lower_value] * parent
        if token.type in ("dimension", "percentage") or (token.type == "number" and token.value == 0):
            return pixels(token, letters=parent, whole=parent)
    return None
