"""Marks: spans over what is unseen, letter soup or the number of a note, once layout has said where glyphs stand in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from evidence.content import Passage, PassageKind, Span, SpanKind
from evidence.formats.pdf.characters import LOST, Codes, Flags
from evidence.formats.pdf.composed import is_composed, unsettled

Bits = npt.NDArray[np.uint8]
Origins = npt.NDArray[np.int64]

UNSEEN: Final = 1
GARBLED: Final = 2
GENERATED: Final = 4
REFERENCE: Final = 8
_KINDS: Final = ((UNSEEN, SpanKind.UNSEEN), (GARBLED, SpanKind.GARBLED), (REFERENCE, SpanKind.REFERENCE))
_SOUP_SHARE: Final = 0.05
"""Of a document's letters: with fewer that are soup (signs of a formula), it can be read and searched."""
_SPACES: Final = (0x09, 0x0A, 0x20)


def bits(unseen: Flags, garbled: Flags, generated: Flags, reference: Flags) -> Bits:
    """What is known of some glyphs."""
    seen = unseen * np.uint8(UNSEEN) | garbled * np.uint8(GARBLED)
    return seen | generated * np.uint8(GENERATED) | reference * np.uint8(REFERENCE)


def spans(passages: Sequence[Passage], others: Sequence[Span], flags: Bits) -> tuple[Span, ...]:
    """Spans over all marked glyphs of each passage, and the others, in the order of their starts, outer ones first.

    What is generated between two marked glyphs is marked too.
    """
    if not (flags & (UNSEEN | GARBLED | REFERENCE)).any():
        return tuple(others)
    found = [*others]
    for bit, kind in _KINDS:
        found.extend(_spans(passages, flags, bit, kind))
    return tuple(sorted(found, key=lambda span: (span.start, -span.end)))


def settled(codes: Codes) -> Codes:
    """The text's code points, with LOST for an accent that layout has put behind a letter that it does not belong to."""
    if is_composed(codes):
        return codes
    result = codes.copy()
    result[unsettled(codes)] = LOST
    return result


def has_unseen(codes: Codes, flags: Bits) -> bool:
    """Whether anything but white space is unseen."""
    return bool(((flags & UNSEEN) > 0)[~np.isin(codes, _SPACES)].any())


def is_soup(codes: Codes, flags: Bits) -> bool:
    """Whether so much is letter soup that the document is not found by its words."""
    garbled = ((flags & GARBLED) > 0)[~np.isin(codes, _SPACES)]
    return bool(garbled.sum() > _SOUP_SHARE * len(garbled))


def has_bad_heading(passages: Sequence[Passage], flags: Bits) -> bool:
    """Whether anything in the first heading of level 1 is unseen or letter soup."""
    for passage in passages:
        if passage.kind is PassageKind.HEADING and passage.level == 1:
            return bool((flags[passage.start : passage.end] & (UNSEEN | GARBLED)).any())
    return False


def _spans(passages: Sequence[Passage], flags: Bits, bit: int, kind: SpanKind) -> Iterator[Span]:
    marked, generated = (flags & bit) > 0, (flags & GENERATED) > 0
    starts = np.fromiter((passage.start for passage in passages), dtype=np.int64, count=len(passages))
    for number in np.unique(np.searchsorted(starts, np.flatnonzero(marked), "right") - 1).tolist():
        passage = passages[number]
        own = _bridged(marked[passage.start : passage.end], generated[passage.start : passage.end])
        edges = np.flatnonzero(np.diff(own, prepend=False, append=False)) + passage.start
        for start, end in edges.reshape(-1, 2).tolist():
            yield Span(kind, start, end)


def _bridged(marked: npt.NDArray[np.bool_], generated: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Marked, and generated between two that are."""
    place = np.arange(len(marked))
    before = np.maximum.accumulate(np.where(generated, -1, place))
    after = np.minimum.accumulate(np.where(generated, len(marked), place)[::-1])[::-1]
    inside = generated & (before >= 0) & (after < len(marked))
    result = marked & ~generated
    result[inside] = marked[before[inside]] & marked[after[inside]]
    return result
