"""Paragraphs: where one begins among lines that follow one another.

One ends where the distance to the next line, the print or the margin changes, where the next line's first word would have had
its place on the line, and before the marker of a list item. It goes on over the end of a column or of a page where neither its
last line nor the next one looks like an end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Flags
from evidence.formats.pdf.ink import Numbers
from evidence.formats.pdf.lines import Lines
from evidence.formats.pdf.pieces import Points

OTHER_SIZE: Final = 0.08
"""Difference of two font sizes that a reader sees, as a share of the larger one."""
_UNSTEADY: Final = 0.3
"""Difference of font sizes within one sentence of a scan, where each word has a size of its own."""
_LEADING: Final = 1.6
"""Font sizes from one line to the next that are a gap, where nothing is known of this print."""
_GAP: Final = 1.15
"""Times the usual distance of two lines in this print."""
_STRETCH: Final = 1.45
"""The same inside a sentence that goes on: a tall formula moves lines apart."""
_STEADY: Final = 0.05
"""Difference of two distances that are meant to be equal, as a share."""
_DOUBLE: Final = 1.9
"""Font sizes from one line to the next that are not the usual distance, whatever most lines do: a form's fields stand so."""
_SENTENCE: Final = 20
"""Code points of a line in a column of text, at least; labels are shorter."""
_WIDEST: Final = 3.0
"""Font sizes from one line to the next that end a column of lines in any case."""
_SPACE: Final = 0.25
"""Width of a blank in font sizes."""
_SLACK: Final = 0.3
"""Font sizes that a line may end before the margin although the next word would just have fitted."""
_FULL: Final = 2.0
"""Font sizes that the longest lines of a column end before the margin, at most."""
_LIST: Final = 8
_SELDOM: Final = 0.34
"""Lines of a column, and the share of them without room for the next word, that tell a list (an index) from text."""
_LONG: Final = 25.0
"""Font sizes that a line of text measures, at least, so that an entry of a list is hardly ever as long."""
_INDENT: Final = 0.9
"""Font sizes that a line is set in or out."""
_ASIDE: Final = 2.5
"""Font sizes that lines of another column are set in or out."""
_STEPS, _MOST_STEPS = 4, 100_000
"""Distances are counted in quarters of a point, up to what no page has room for."""
_FEW: Final = 5
"""Pairs of lines from which a usual distance can be told."""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """For each line but the first: how it stands to the line before.

    em: the size of the larger print. pitch: from one line's lower edge to the other's, in points. below: beneath it, in the same
    column. jumps: at the head of another column or page. size: how much the sizes differ, as a share of the larger one. bold:
    whether only one of them is bold. indent: how much farther right it begins, in font sizes. centred: both are set in the
    middle. filled: the line before has no room for this one's first word; full: for hardly anything. alone: the line before is
    the only one of its column. wordy: it is as long as one in a column of text.
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
    full: Flags
    alone: Flags
    wordy: Flags


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
    new |= _is_set_in(lines, pairs, runs_on)
    new |= _is_set_out(lines, pairs, runs_on, np.append(True, new[:-1]))
    goes_on = pairs.jumps & pairs.wordy & ~ended & ~lines.marked[1:] & (pairs.size <= OTHER_SIZE) & ~pairs.bold
    goes_on &= lower | (pairs.full & ~pairs.alone)
    new = np.where(pairs.below, new | lines.led[:-1], ~goes_on) & ~parted
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
    room = (margin - lines.right[:-1]) / em
    runs = lines.lower[1:] | (lines.right - lines.left >= _LONG * lines.size)[:-1]
    filled = _is_filled(room, lines.word[1:] / em, runs, heads)
    return _Pairs(
        em=em,
        pitch=pitch,
        below=below,
        jumps=~fresh & ((np.diff(lines.page) > 0) | (pitch < 0)),
        size=size,
        bold=lines.bold[1:] != lines.bold[:-1],
        indent=indent,
        centred=centred,
        filled=filled,
        full=filled & (room < _FULL),
        alone=np.repeat(counts, counts)[:-1] == 1,
        wordy=lines.end[:-1] - lines.start[:-1] >= _SENTENCE,
    )


def _is_filled(room: Points, word: Points, runs: Flags, heads: Numbers) -> Flags:
    """Whether lines have no room for the word that follows. In a list hardly any has none, and most of those by chance.

    runs: whether the line may go on even in a list. heads: of columns.
    """
    filled = room < word + _SPACE + _SLACK
    starts = heads[heads < len(filled)]
    counts = np.diff(starts, append=len(filled))
    shares = np.add.reduceat(filled, starts, dtype=np.int64) / np.maximum(counts, 1)
    listed = (counts >= _LIST) & (shares < _SELDOM)
    return np.asarray(filled & (np.repeat(~listed, counts) | (runs & (room < _FULL))))


def _looks_new(lines: Lines, pairs: _Pairs, runs_on: Flags) -> Flags:
    """Another print, a gap, or a line that was not filled."""
    alike = pairs.below & (pairs.size <= OTHER_SIZE)
    usual = _usual_pitch(pairs, alike & pairs.filled & (pairs.pitch <= _DOUBLE * pairs.em))
    like_others = _same_as(pairs.pitch, alike, 1) | _same_as(pairs.pitch, alike, -1)
    steady = pairs.filled & pairs.wordy & (pairs.pitch <= 2 * usual) & like_others
    sentence = runs_on & (pairs.pitch <= _STRETCH * usual)
    size = (pairs.size > OTHER_SIZE) & ~(sentence & (pairs.size <= _UNSTEADY) & ~pairs.bold)
    bold = pairs.bold & ~(sentence & (pairs.size <= OTHER_SIZE) & ~pairs.alone)
    gap = (pairs.pitch > _GAP * usual) & ~steady & ~sentence
    return size | bold | gap | (~pairs.filled & ~pairs.centred)


def _is_set_in(lines: Lines, pairs: _Pairs, runs_on: Flags) -> Flags:
    """Whether a line is set in after an end, or stands aside; but lines of a list item are set in where its marker is not."""
    set_in = (pairs.indent > _INDENT) & lines.ended[:-1]
    aside = (np.abs(pairs.indent) > _ASIDE) & ~runs_on
    return pairs.below & ~pairs.centred & ~lines.marked[:-1] & (set_in | aside)


def _is_set_out(lines: Lines, pairs: _Pairs, runs_on: Flags, first: Flags) -> Flags:
    """Whether a line is set out. first: whether the line before begins a paragraph, which may be why that was set in."""
    set_out = (pairs.indent < -_INDENT) & ~runs_on & (~first | lines.marked[:-1])
    return pairs.below & ~pairs.centred & set_out


def _usual_pitch(pairs: _Pairs, inside: Flags) -> Points:
    """For each pair the most frequent distance of lines inside paragraphs in this print."""
    prints = np.round(pairs.em * 2).astype(np.int64)
    steps = np.clip(np.round(pairs.pitch * _STEPS), 0, _MOST_STEPS - 1).astype(np.int64)
    found, counts = np.unique(prints[inside] * _MOST_STEPS + steps[inside], return_counts=True)
    if not len(found):
        return _LEADING / _GAP * pairs.em
    owners = found // _MOST_STEPS
    first = np.flatnonzero(np.diff(owners, prepend=-1))
    order = np.lexsort((-found, counts, owners))
    most = found[order[np.append(first[1:], len(found)) - 1]] % _MOST_STEPS / _STEPS
    at = np.minimum(np.searchsorted(owners[first], prints), len(first) - 1)
    known = (owners[first][at] == prints) & (np.add.reduceat(counts, first)[at] >= _FEW)
    return np.where(known, most[at], _LEADING / _GAP * pairs.em)


def _same_as(pitch: Points, alike: Flags, shift: int) -> Flags:
    """Whether the distance is that of the pair before or after, of lines in the same print."""
    other = np.roll(pitch, shift)
    return np.asarray(np.roll(alike, shift) & (np.abs(pitch - other) <= _STEADY * pitch))


def _is_item(lines: Lines, pairs: _Pairs) -> Flags:
    """Whether a marker begins a list item: not where a date or a number merely came to stand at a line's start."""
    after = lines.ended[:-1] | lines.listed[:-1] | ~pairs.filled | lines.marked[:-1]
    return lines.marked[1:] & after
