"""From a text of which ranges cite something to sentences that do. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from evidence.answers import limits, wording
from evidence.answers.sentences import cut
from evidence.answers.values import MAX_CITED, Pointer, Sentence
from evidence.citations import MAX_QUOTE


@dataclass(frozen=True, slots=True)
class Cited:
    """A range of the text (code points) and what it cites. An empty one belongs to what stands before it.

    otherwise: words that the place is said to hold, for a pointer without words and a sentence without quotation marks.
    """

    start: int
    end: int
    pointer: Pointer
    otherwise: str = ""


def sentences(text: str, cited: Sequence[Cited]) -> Sequence[Sentence]:
    """The sentences of the text, each with what the ranges that touch it cite. Raises Refused for more than an answer has."""
    limits.refuse_size(text, citations=len(cited))
    cited = [_settled(text, one) for one in cited]
    pieces = _pieces(text, cited)
    limits.refuse_number(len(pieces))
    ends = list(accumulate(len(piece) for piece in pieces))
    found: list[Sentence] = []
    for piece, end in zip(pieces, ends, strict=True):
        start = end - len(piece)
        own = dict.fromkeys((one.pointer, one.otherwise) for one in cited if _touches(text, one, start, end))
        found.append(
            Sentence(piece, _different(pointer for one, words in own for pointer in worded(piece, one, otherwise=words)))
        )
    return found


def worded(sentence: str, pointer: Pointer, *, otherwise: str = "") -> Sequence[Pointer]:
    """A pointer with words. One that names a place alone gets those in the sentence's quotation marks, one each; else these."""
    if pointer.exact or pointer.citation is not None or pointer.anchor is not None:
        return [pointer]
    quoted = wording.quotations(sentence)
    if quoted:
        return [replace(pointer, exact=one) for one in quoted]
    return [replace(pointer, exact=otherwise) if 0 < len(otherwise) <= MAX_QUOTE else pointer]


def _settled(text: str, one: Cited) -> Cited:
    """The range; of an empty one, the last sign before it that is no blank."""
    if one.start < one.end:
        return one
    end = len(text[: one.start].rstrip())
    return replace(one, start=max(end - 1, 0), end=end)


def _different(pointers: Iterable[Pointer]) -> Sequence[Pointer]:
    """Each once; of more than a sentence can have, so many that this is seen."""
    found: dict[Pointer, None] = {}
    for one in pointers:
        found[one] = None
        if len(found) > MAX_CITED:
            break
    return list(found)


def _touches(text: str, one: Cited, start: int, end: int) -> bool:
    """Whether a range cites for the sentence from `start` to `end`: it shares a sign with it that is no blank."""
    return bool(text[max(start, one.start) : min(end, one.end)].strip())


def _pieces(text: str, cited: Sequence[Cited]) -> Sequence[str]:
    """The sentences. Marks of citations count as blanks, so that they belong to the sentence before them."""
    bare = list(text)
    for one in cited:
        if _is_mark(text[one.start : one.end]):
            bare[one.start : one.end] = " " * (one.end - one.start)
    ends, end = [0], 0
    for piece in cut("".join(bare)):
        end += len(piece)
        if len(ends) > 1 and not any(one.isalnum() for one in piece):
            ends[-1] = end  # the full stop after an address
        else:
            ends.append(end)
    return [text[start:end] for start, end in pairwise(ends)] or ([text] if text.strip() else [])


def _is_mark(words: str) -> bool:
    """Whether a range is no words of the answer, but an address or what stands for a source."""
    return "://" in words or "【" in words
