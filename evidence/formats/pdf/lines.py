"""Lines: what stands beside one another, read as one, and how its text begins and ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf import letters
from evidence.formats.pdf.glyphs import Codes, Flags
from evidence.formats.pdf.ink import BLANK, Numbers
from evidence.formats.pdf.letters import BULLETS
from evidence.formats.pdf.order import Line
from evidence.formats.pdf.pieces import Pieces, Points

_MARKER: Final = re.compile(
    rf"[{BULLETS}]|\((?:[0-9]{{1,3}}[a-z]?|[a-z]{{1,2}}|[ivx]{{1,5}})\)|[0-9]{{1,3}}[.)]|(?:[a-z]{{1,2}}|[ivx]{{1,5}})\)"
)
"""What a list item begins with."""
_JOINING_WORDS: Final = (" und", " oder", " and", " or")
_JOINING_LETTERS: Final = (ord("d"), ord("r"))
_LEADERS: Final = (". . .", "....")
_PAGE_NUMBER: Final = re.compile(r"[0-9]{1,4}|[ivxlc]{1,6}")


@dataclass(frozen=True, slots=True)
class Lines:
    """One entry for each line, in reading order. start, end: of its text, as in Pieces. word: width of its first word.

    marked: begins as a list item does. lower: begins with a small letter. ended: ends as a sentence does. listed: ends as a list
    item may do before the next one. led: leads to a page number, as in a table of contents. hyphen: ends with a hyphen.
    """

    lines: Sequence[Line]
    page: Numbers
    start: Numbers
    end: Numbers
    left: Points
    top: Points
    right: Points
    bottom: Points
    size: Points
    word: Points
    bold: Flags
    marked: Flags
    lower: Flags
    ended: Flags
    listed: Flags
    led: Flags
    hyphen: Flags

    def chosen(self, wanted: Flags) -> Lines:
        """These lines only."""
        arrays = {field.name: getattr(self, field.name)[wanted] for field in fields(self) if field.name != "lines"}
        return replace(self, lines=[self.lines[number] for number in np.flatnonzero(wanted).tolist()], **arrays)


def read(pieces: Pieces, lines: Sequence[Line], text: str) -> Lines:
    """The lines that these pieces make. text: of all pieces."""
    offsets = np.cumsum([0, *map(len, lines)])[:-1]
    flat = np.fromiter((number for line in lines for number in line), dtype=np.int64)
    first = flat[offsets]
    last = flat[np.append(offsets[1:], len(flat)) - 1] if len(flat) else first

    def over(operation: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(operation.reduceat(values[flat], offsets)) if len(offsets) else values[:0]

    start, end = pieces.start[first], pieces.end[last]
    closing, before = pieces.codes[end - 1], pieces.codes[np.maximum(end - 2, 0)]
    return Lines(
        lines=lines,
        page=pieces.page[first],
        start=start,
        end=end,
        left=over(np.minimum, pieces.left),
        top=over(np.minimum, pieces.top),
        right=over(np.maximum, pieces.right),
        bottom=over(np.maximum, pieces.bottom),
        size=over(np.maximum, pieces.size),
        word=pieces.word[first],
        bold=over(np.logical_and, pieces.bold),
        marked=_marked(pieces, first, last, text),
        lower=letters.SMALL.of(pieces.codes[start]),
        ended=letters.END.of(closing) | (letters.CLOSING.of(closing) & letters.END.of(before)),
        listed=_listed(closing, start, end, text),
        led=_led(pieces, first, last, text),
        hyphen=letters.HYPHEN.of(closing) & (before != BLANK),
    )


def _listed(closing: Codes, start: Numbers, end: Numbers, text: str) -> Flags:
    """Lines that end with a comma or a word that joins. closing: the last code point of each."""
    joining = np.isin(closing, _JOINING_LETTERS)
    joins = _checked(joining, start, end, lambda at, until: text.endswith(_JOINING_WORDS, at, until))
    return np.asarray((closing == ord(",")) | joins)


def _checked(candidates: Flags, start: Numbers, end: Numbers, check: Callable[[int, int], bool]) -> Flags:
    """The candidates whose range passes the check."""
    found = candidates.copy()
    for number in np.flatnonzero(candidates).tolist():
        found[number] = check(int(start[number]), int(end[number]))
    return found


def _marked(pieces: Pieces, first: Numbers, last: Numbers, text: str) -> Flags:
    """Lines that begin with a marker and hold more than that."""
    start, end = pieces.start[first], pieces.end[first]
    codes = pieces.codes
    last_code = max(len(codes) - 1, 0)
    candidates = letters.MARKING.of(codes[start])
    for length in (1, 2, 3):
        candidates |= codes[np.minimum(start + length, last_code)] == ord(")")
    alone = dict(zip(start.tolist(), (first == last).tolist(), strict=True))

    def is_marked(at: int, until: int) -> bool:
        found = _MARKER.match(text, at, until)
        if found is None or found.end() == until:
            return found is not None and not alone[at]
        return text[found.end()] == " "

    return _checked(candidates, start, end, is_marked)


def _led(pieces: Pieces, first: Numbers, last: Numbers, text: str) -> Flags:
    """Lines that end with a page number behind leaders or at some distance."""
    start, end = pieces.start[first], pieces.end[last]
    numbered = letters.DIGIT.of(pieces.codes[end - 1])
    led = _checked(numbered, start, end, lambda at, until: any(text.find(leader, at, until) >= 0 for leader in _LEADERS))
    apart = _checked(
        numbered & (first != last),
        pieces.start[last],
        end,
        lambda at, until: _PAGE_NUMBER.fullmatch(text, at, until) is not None,
    )
    return led | (apart & (pieces.end[first] - start > 1))


def marker(text: str, start: int, end: int) -> str:
    """What a marked line begins with."""
    found = _MARKER.match(text, start, end)
    return found[0] if found else ""
