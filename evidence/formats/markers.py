"""List markers: what a browser writes before an item, and a copied text would lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BULLET: Final = "•"

_ROMAN: Final = {
    "m": 1000,
    "cm": 900,
    "d": 500,
    "cd": 400,
    "c": 100,
    "xc": 90,
    "l": 50,
    "xl": 40,
    "x": 10,
    "ix": 9,
    "v": 5,
    "iv": 4,
    "i": 1,
}


STYLES: Final = {
    **dict.fromkeys(("circle", "disc", "square"), "bullet"),
    **dict.fromkeys(("lower-alpha", "lower-latin"), "a"),
    **dict.fromkeys(("upper-alpha", "upper-latin"), "A"),
    "decimal": "1",
    "decimal-leading-zero": "01",
    "lower-roman": "i",
    "none": "none",
    "upper-roman": "I",
}
"""`list-style-type` of CSS -> style of a list."""


@dataclass(slots=True)
class ListMarkers:
    """The markers of one list. style: "none", "bullet", or a `type` of HTML (1 01 a A i I); group tells lists apart."""

    group: int
    style: str
    number: int = 1
    step: int = 1
    delimiter: str = "."

    def next(self, style: str | None = None) -> str:
        """The next item's marker; empty where a reader sees none. style: of this item, or a quotation mark and a text."""
        number, style = self.number, style or self.style
        self.number += self.step
        if style == "none":
            return ""
        if style == "bullet":
            return BULLET
        return style[1:].strip() if style.startswith('"') else numeral(number, style) + self.delimiter


def numeral(number: int, style: str) -> str:
    """A number as a list writes it: in letters or Roman numerals where those are defined, else in digits."""
    written = str(number)
    if style == "01" and 0 <= number < 10:
        return f"0{number}"
    if style in ("a", "A") and number > 0:
        written = _letters(number)
    elif style in ("i", "I") and 0 < number < 4000:
        written = _roman(number)
    return written.upper() if style in ("A", "I") else written


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def _roman(number: int) -> str:
    written = ""
    for letters, value in _ROMAN.items():
        times, number = divmod(number, value)
        written += letters * times
    return written
