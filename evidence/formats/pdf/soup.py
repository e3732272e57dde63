"""Letter soup: fonts whose characters are numbers of shapes, without a map to tell which letters these are.

pdfium then takes the number for the letter. It is right by chance where a font keeps to the usual order of letters, so a font
without any map is judged by what comes out: control characters, or letters that are of no language.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf.calls import Numbers

Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.uint32]

_TABLE: Final = 0x2500
"""Code points below this are looked up in a table; the others of a font are looked up one by one."""
_UNKNOWN, _MAPPED, _UNMAPPED = range(3)
_PRIVATE: Final = (0xE000, 0xF8FF)
_FREQUENCIES: Final = {
    letter: share
    for letters, share in {
        "e": 15,
        "n": 9,
        "ist": 7.5,
        "ar": 7,
        "do": 5,
        "hul": 4.5,
        "cgm": 3,
        "bfpw": 2,
        "kvyz": 1,
        "jqx": 0.2,
    }.items()
    for letter in letters
}
"""Per cent of the letters in a text, roughly: German, English, French and Italian taken together."""
_LETTERS: Final = np.array([chr(code).isalpha() for code in range(128)])
_LIKELIHOOD: Final = np.array([math.log2(_FREQUENCIES.get(chr(code).lower(), 100) / 100) for code in range(128)])
_CONTROLS: Final = np.array([code < 32 or 127 <= code < 160 for code in range(256)])

_MAPPED_SHARE: Final = 0.5
"""A font of which more has a map is no soup; what it has no map for is taken to be signs of its own."""
_CONTROL_SHARE: Final = 0.02
"""More control characters than this come out of no font that keeps to the order of letters (ligatures of old TeX: 1 %)."""
_UNLIKELY: Final = -5.0
"""Bits a letter, on average. Texts of these languages have -4.1; moved by 29, as they come out of subset fonts, -5.6."""
_ENOUGH: Final = 20
_SYMBOLS: Final = 12
"""So many different private code points in one font are letters; a font of bullets has fewer."""


@dataclass(slots=True)
class _Count:
    """What was read in one font so far."""

    total: int = 0
    unmapped: int = 0
    controls: int = 0
    letters: int = 0
    likelihood: float = 0.0
    private: int = 0
    symbols: set[int] = field(default_factory=set)

    @property
    def is_unmapped(self) -> bool:
        return self.unmapped > (1 - _MAPPED_SHARE) * self.total

    @property
    def is_soup(self) -> bool:
        """Whether its unmapped letters are no text."""
        if not self.is_unmapped:
            return False
        of_a_language = self.letters >= _ENOUGH and self.likelihood >= _UNLIKELY * self.letters
        if self.letters >= max(_ENOUGH, self.unmapped / 2):
            return not of_a_language
        return self.controls > _CONTROL_SHARE * self.unmapped and not of_a_language

    @property
    def is_private(self) -> bool:
        """Whether its letters are mapped to code points that mean nothing to others."""
        return self.private > self.total / 2 and len(self.symbols) >= _SYMBOLS


class Soup:
    """What is known of a document's fonts, which are numbers from 0 on, or -1 for one that is not known."""

    def __init__(self) -> None:
        self._states: npt.NDArray[np.uint8] = np.zeros((0, _TABLE), dtype=np.uint8)
        self._rare: dict[int, bool] = {}
        self._counts: dict[int, _Count] = defaultdict(_Count)

    def judged(self, fonts: Numbers, codes: Codes, unmapped: Callable[[Numbers], Flags]) -> tuple[Flags, Flags]:
        """Which of these characters are letter soup, and which of them have no map.

        unmapped: asks pdfium about some of them, by their numbers.
        """
        if not len(codes):
            return np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
        fonts = fonts + 1
        errors = self._errors(fonts, codes, unmapped)
        private = (codes >= _PRIVATE[0]) & (codes <= _PRIVATE[1])
        self._count(fonts, codes, errors, private)
        if not errors.any() and not private.any():
            return errors, errors
        return self._verdict(fonts, codes, errors, private), errors

    def _verdict(self, fonts: Numbers, codes: Codes, errors: Flags, private: Flags) -> Flags:
        most = int(fonts.max()) + 1
        counts = [self._counts[font] for font in range(most)]
        some_soup = any(count.is_soup for count in counts)
        soup = np.array([count.is_soup or (some_soup and count.is_unmapped and count.letters < _ENOUGH) for count in counts])
        whole = np.array([count.is_unmapped for count in counts])
        hidden = np.array([count.is_private for count in counts])
        low = np.minimum(codes, 255)
        control = _CONTROLS[low]
        sign = np.array([chr(code).isalnum() for code in range(256)])[low]  # a sign of its own that looks like a letter
        return np.asarray((errors & (soup[fonts] | control | (sign & ~whole[fonts]))) | (private & hidden[fonts]))

    def _errors(self, fonts: Numbers, codes: Codes, unmapped: Callable[[Numbers], Flags]) -> Flags:
        """Which of them have no map. Each character of a font is asked for once."""
        if (missing := int(fonts.max()) + 1 - len(self._states)) > 0:
            self._states = np.concatenate((self._states, np.zeros((missing, _TABLE), dtype=np.uint8)))
        column = np.minimum(codes, _TABLE - 1)
        errors = np.asarray(self._states[fonts, column])
        frequent = column < _TABLE - 1
        if (fresh := np.flatnonzero((errors == _UNKNOWN) & frequent)).size:
            _, first = np.unique(fonts[fresh] * _TABLE + column[fresh], return_index=True)
            asked = fresh[first]
            self._states[fonts[asked], codes[asked]] = np.where(unmapped(asked), _UNMAPPED, _MAPPED)
            errors = np.asarray(self._states[fonts, column])
        result = np.asarray(errors == _UNMAPPED)
        if (rare := np.flatnonzero(~frequent)).size:
            result[rare] = self._rare_errors(fonts[rare], codes[rare], rare, unmapped)
        return result

    def _rare_errors(self, fonts: Numbers, codes: Codes, numbers: Numbers, unmapped: Callable[[Numbers], Flags]) -> Flags:
        keys, first, which = np.unique(fonts << 32 | codes, return_index=True, return_inverse=True)
        fresh = [number for number, key in enumerate(keys.tolist()) if key not in self._rare]
        self._rare.update(zip(keys[fresh].tolist(), unmapped(numbers[first[fresh]]).tolist(), strict=True))
        return np.array([self._rare[key] for key in keys.tolist()], dtype=bool)[which]

    def _count(self, fonts: Numbers, codes: Codes, errors: Flags, private: Flags) -> None:
        for font, total in enumerate(np.bincount(fonts).tolist()):
            self._counts[font].total += total
        if errors.any():
            self._count_errors(fonts[errors], codes[errors])
        if private.any():
            for font, code in zip(fonts[private].tolist(), codes[private].tolist(), strict=True):
                self._counts[font].private += 1
                self._counts[font].symbols.add(code)

    def _count_errors(self, fonts: Numbers, codes: Codes) -> None:
        ascii_ = np.minimum(codes, 127)
        for font in np.unique(fonts).tolist():
            own, count = fonts == font, self._counts[font]
            count.unmapped += int(own.sum())
            count.controls += int(_CONTROLS[np.minimum(codes[own], 255)].sum())
            count.letters += int(_LETTERS[ascii_[own]].sum())
            count.likelihood += float(_LIKELIHOOD[ascii_[own]].sum())
