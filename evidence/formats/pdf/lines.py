"""Lines: what stands beside one another, read as one; and where a new paragraph begins among lines that follow one another.

A paragraph ends where the distance to the next line, the print or the margin changes, where the next line's first word would
have had its place on the line, and before the marker of a list item. It goes on over the end of a column or of a page where
neither its last line nor the next one looks like an end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.order import Line
from evidence.formats.pdf.pieces import Numbers, Pieces, Points

OTHER_SIZE: Final = 0.08
"""Difference of two font sizes that a reader sees, as a share of the larger one."""
_UNSTEADY: Final = 0.3
"""Difference of font sizes within one sentence of a scan, where each word has a size of its own."""
_LEADING: Final = 1.6
"""Font sizes from one line to the next that are a gap, where nothing is known of this print."""
_GAP: Final = 1.2
"""Times the usual distance of two lines in this print."""
_STEADY: Final = 0.05
"""Difference of two distances that are meant to be equal, as a share."""
_WIDEST: Final = 3.0
"""Font sizes from one line to the next that end a column of lines in any case."""
_BLANK: Final = 0.25
"""Width of a blank in font sizes."""
_SLACK: Final = 0.3
"""Font sizes that a line may end before the margin although the next word would just have fitted."""
_INDENT: Final = 0.9
"""Font sizes that a line is set in or out."""
_ASIDE: Final = 2.5
"""Font sizes that lines of another column are set in or out."""
_FEW: Final = 5
"""Pairs of lines from which a usual distance can be told."""

HYPHENS: Final = (0x2D, 0x2010, 0xAD)
_ENDS: Final = tuple(map(ord, ".!?:;…"))
_CLOSING: Final = tuple(map(ord, "\"'“”’»«)]"))
_COMMA: Final = ord(",")
_LETTERS: Final = 0x2000
"""Code points whose case is looked up; later ones have hardly any."""
_LOWER: Final = np.array([chr(code).islower() for code in range(_LETTERS)])
_BULLETS: Final = "•▪◦‣∙●○■□➢➤✓"
_MARKER: Final = re.compile(
    rf"(?:[{_BULLETS}–—*-]|\((?:[0-9]{{1,3}}[a-z]?|[a-z]{{1,2}}|[ivx]{{1,5}})\)|[0-9]{{1,3}}[.)]|(?:[a-z]{{1,2}}|[ivx]{{1,5}})\))"
    r"(?: (?=\S)|\Z)"
)
"""What a list item begins with."""
_NOTE: Final = re.compile(r"\(?[0-9]{1,3}[).]? ?(?=[^\W\d_]|[„“\"(])|[*†‡]+ ?(?=\S)")
"""What a footnote begins with."""
_JOINING_WORD: Final = re.compile(r"(?:und|oder|and|or)\Z")
_LONGEST_WORD: Final = 4


@dataclass(frozen=True, slots=True)
class Lines:
    """One entry for each line, in reading order. start, end: of its text, as in Pieces. word: width of its first word.

    marked: begins as a list item does. noted: begins as a footnote does. lower: begins with a small letter. ended: ends as a
    sentence does. listed: ends as a list item may do before the next one. hyphen: ends with a hyphen.
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
    noted: Flags
    lower: Flags
    ended: Flags
    listed: Flags
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
    openings = list(zip(start.tolist(), pieces.end[first].tolist(), (first != last).tolist(), strict=True))
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
        marked=np.array([_is_marked(text, *opening) for opening in openings], dtype=bool),
        noted=np.array([_NOTE.match(text, at, until) is not None for at, until, _ in openings], dtype=bool),
        lower=is_lower(pieces.codes[start]),
        ended=np.isin(closing, _ENDS) | (np.isin(closing, _CLOSING) & np.isin(before, _ENDS)),
        listed=(closing == _COMMA) | np.array([_joins(text, until) for until in end.tolist()], dtype=bool),
        hyphen=np.isin(closing, HYPHENS) & (before != 0x20),
    )


def _is_marked(text: str, start: int, end: int, has_more: bool) -> bool:
    """has_more: whether other pieces follow on the line."""
    found = _MARKER.match(text, start, end)
    return found is not None and (has_more or found.end() < end)


def _joins(text: str, end: int) -> bool:
    return _JOINING_WORD.search(text, end - _LONGEST_WORD, end) is not None


def marker(text: str, start: int, end: int) -> str:
    """What a marked line begins with."""
    found = _MARKER.match(text, start, end)
    return found[0].strip() if found else ""


def is_lower(codes: npt.NDArray[np.uint32]) -> Flags:
    """Whether each is a small letter."""
    return np.asarray((codes < _LETTERS) & _LOWER[np.minimum(codes, _LETTERS - 1)])


@dataclass(frozen=True, slots=True)
class _Pairs:
    """For each line but the first: how it stands to the line before.

    em: the size of the larger print. pitch: from one line's lower edge to the other's, in points. below: beneath it, in the same
    column. jumps: at the head of another column or page. size: how much the sizes differ, as a share of the larger one. bold:
    whether only one of them is bold. indent: how much farther right it begins, in font sizes. centred: both are set in the
    middle. filled: the line before has no room for this one's first word. alone: the line before is the only one of its column.
    """

    em: Points
    pitch: Points
    below: Flags
    jumps: Flags
    size: Points
    bold: Flags
    indent: Points
    centred: Flags
    filled: Flags
    alone: Flags


def begins(lines: Lines, fresh: Flags) -> Flags:
    """For each line whether a paragraph begins with it. fresh: lines that have nothing to do with the line before."""
    if len(fresh) < 2:
        return np.ones(len(fresh), dtype=bool)
    pairs = _pairs(lines, fresh[1:])
    ended, lower = lines.ended[:-1], lines.lower[1:]
    open_sentence = lower & ~ended & ~lines.marked[1:]
    runs_on = pairs.below & pairs.filled & open_sentence
    parted = lines.hyphen[:-1] & lower & (pairs.below | pairs.jumps) & (pairs.size <= _UNSTEADY)
    new = _looks_new(lines, pairs, runs_on) | (pairs.below & _is_item(lines, pairs))
    new |= pairs.below & (pairs.indent > _INDENT) & ~pairs.centred & ~lines.marked[:-1] & ended
    first = np.append(True, new[:-1])
    new |= pairs.below & (pairs.indent < -_INDENT) & ~pairs.centred & ~runs_on & ~(first & ~lines.marked[:-1])
    goes_on = pairs.jumps & ~ended & ~lines.marked[1:] & (pairs.size <= OTHER_SIZE) & ~pairs.bold
    goes_on &= lower | (pairs.filled & ~pairs.alone)
    new = np.where(pairs.below, new, ~goes_on) & ~parted
    return np.append(True, new | fresh[1:])


def _pairs(lines: Lines, fresh: Flags) -> _Pairs:
    em = np.maximum(np.maximum(lines.size[1:], lines.size[:-1]), 0.1)
    pitch = np.diff(lines.bottom)
    same_page = (np.diff(lines.page) == 0) & ~fresh
    overlap = (lines.left[1:] < lines.right[:-1]) & (lines.left[:-1] < lines.right[1:])
    below = same_page & overlap & (pitch > 0) & (pitch <= _WIDEST * em)
    size = np.abs(np.diff(lines.size)) / em
    indent = np.diff(lines.left) / em
    middles = np.abs(np.diff(lines.left + lines.right)) / 2 / em
    centred = (middles < 0.5) & (np.abs(indent) > _INDENT)
    parts = np.append(True, ~below | (size > OTHER_SIZE) | ((np.abs(indent) > _ASIDE) & ~centred))
    heads = np.flatnonzero(parts)
    counts = np.diff(heads, append=len(parts))
    margin = np.repeat(np.maximum.reduceat(lines.right, heads), counts)[:-1]
    room = margin - lines.right[:-1]
    return _Pairs(
        em=em,
        pitch=pitch,
        below=below,
        jumps=~fresh & ((np.diff(lines.page) > 0) | (pitch < 0)),
        size=size,
        bold=lines.bold[1:] != lines.bold[:-1],
        indent=indent,
        centred=centred,
        filled=room < lines.word[1:] + (_BLANK + _SLACK) * em,
        alone=np.repeat(counts, counts)[:-1] == 1,
    )


def _looks_new(lines: Lines, pairs: _Pairs, runs_on: Flags) -> Flags:
    """Another print, a gap, or a line that was not filled."""
    alike = pairs.below & (pairs.size <= OTHER_SIZE)
    usual = _usual_pitch(pairs, alike & pairs.filled)
    steady = pairs.filled & (pairs.pitch <= 2 * usual) & (_same_as(pairs.pitch, alike, 1) | _same_as(pairs.pitch, alike, -1))
    gap = (pairs.pitch > _GAP * usual) & ~steady
    sentence = runs_on & (pairs.size <= _UNSTEADY) & (pairs.pitch <= _GAP * _GAP * usual)
    other = (pairs.size > OTHER_SIZE) | pairs.bold | gap
    return (other & ~sentence) | (~pairs.filled & ~pairs.centred)


def _usual_pitch(pairs: _Pairs, inside: Flags) -> Points:
    """For each pair the most frequent distance of lines inside paragraphs in this print."""
    usual = _LEADING / _GAP * pairs.em
    prints = np.round(pairs.em * 2)
    for size in np.unique(prints[inside]):
        values, counts = np.unique(np.round(pairs.pitch[inside & (prints == size)] * 4) / 4, return_counts=True)
        if counts.sum() >= _FEW:
            usual[prints == size] = values[counts.argmax()]
    return usual


def _same_as(pitch: Points, alike: Flags, shift: int) -> Flags:
    """Whether the distance is that of the pair before or after, of lines in the same print."""
    other = np.roll(pitch, shift)
    return np.asarray(np.roll(alike, shift) & (np.abs(pitch - other) <= _STEADY * pitch))


def _is_item(lines: Lines, pairs: _Pairs) -> Flags:
    """Whether a marker begins a list item: not where a date or a number merely came to stand at a line's start."""
    after = lines.ended[:-1] | lines.listed[:-1] | ~pairs.filled | lines.marked[:-1]
    return lines.marked[1:] & after
