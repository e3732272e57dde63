"""Comparing two texts, passage by passage and word by word. Pure; for people to look at, never to move a citation.

Passages that are equal are matched first. What was removed here and added there word for word has moved. What is left between
two matches is put side by side in order where enough words agree (`ALIKE`), else it was removed and added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from evidence.index.tokens import tokenise

ALIKE: Final = 0.5
"""Share of equal words from which two passages are shown as one that changed. Only a matter of display."""
MOVED_WORDS: Final = 4
"""Shorter passages ("(weggefallen)") are equal by chance, so they are not said to have moved."""

MOST_PAIRS: Final = 20_000_000
"""Pairs of equal words, one on each side, up to which two passages are compared word by word: some seconds. Passages of several
thousand words have more, or of few words that are repeated over and over: these are shown as removed and added.
"""


class Change(StrEnum):
    """What happened to a passage."""

    SAME = "same"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"
    MOVED_AWAY = "moved_away"
    MOVED_HERE = "moved_here"


@dataclass(frozen=True, slots=True)
class Run:
    """Words in a row that are equal on both sides, or not."""

    text: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """A passage on one side. moved: the number that it has on the other side."""

    number: int
    runs: tuple[Run, ...]
    moved: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the comparison: what stood there, what stands there."""

    change: Change
    old: Side | None
    new: Side | None


@dataclass(frozen=True, slots=True)
class Gap:
    """Equal passages that are left out. old and new: numbers of the first of them."""

    count: int
    old: int
    new: int


def compare(old: Sequence[str], new: Sequence[str]) -> list[Row]:
    """All rows of the comparison of two texts, given by their passages in the order of their numbers."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    codes = matcher.get_opcodes()
    away, here = _moves(old, new, codes)
    rows: list[Row] = []
    for code, first, last, start, end in codes:
        if code == "equal":
            rows += [_same(number, start + number - first, old[number]) for number in range(first, last)]
        else:
            rows += _between(old, new, range(first, last), range(start, end), away, here)
    return rows


def folded(rows: Sequence[Row], *, around: int = 2, keep: int | None = None) -> Iterator[Row | Gap]:
    """The rows with `around` equal ones before and after each change; runs of more are a Gap. keep: an old number to show."""
    wanted = {place for place, row in enumerate(rows) if row.change is not Change.SAME or (row.old and row.old.number == keep)}
    shown = {near for place in wanted for near in range(place - around, place + around + 1)}
    hidden: list[Row] = []
    for place, row in enumerate(rows):
        if place in shown:
            yield from _gap(hidden)
            hidden = []
            yield row
        else:
            hidden.append(row)
    yield from _gap(hidden)


def _gap(rows: Sequence[Row]) -> Iterator[Row | Gap]:
    if len(rows) == 1:
        yield rows[0]
    elif rows:
        first = rows[0]
        yield Gap(len(rows), first.old.number if first.old else 0, first.new.number if first.new else 0)


def _moves(
    old: Sequence[str], new: Sequence[str], codes: Iterable[tuple[str, int, int, int, int]]
) -> tuple[dict[int, int], dict[int, int]]:
    """Passages that left one place and stand word for word in another: old number -> new number, and the other way round."""
    gone = [number for code, first, last, _, _ in codes if code != "equal" for number in range(first, last)]
    come = [number for code, _, _, start, end in codes if code != "equal" for number in range(start, end)]
    once = {text for text, count in Counter(old[number] for number in gone).items() if count == 1}
    once &= {text for text, count in Counter(new[number] for number in come).items() if count == 1}
    targets = {new[number]: number for number in come if new[number] in once}
    away = {number: targets[old[number]] for number in gone if old[number] in targets and _is_long(old[number])}
    return away, {target: number for number, target in away.items()}


def _is_long(text: str) -> bool:
    return len(list(tokenise(text))) >= MOVED_WORDS


def _between(
    old: Sequence[str], new: Sequence[str], gone: Iterable[int], come: Iterable[int], away: dict[int, int], here: dict[int, int]
) -> Iterator[Row]:
    """The rows of a stretch in which the texts differ."""
    left = [number for number in gone if number not in away]
    right = [number for number in come if number not in here]
    yield from (
        Row(Change.MOVED_AWAY, Side(number, (Run(old[number]),), away[number]), None) for number in gone if number in away
    )
    for before, after in zip_longest(left, right):
        if before is None:
            yield _added(after, new[after])
        elif after is None:
            yield _removed(before, old[before])
        else:
            yield from _pair(before, old[before], after, new[after])
    yield from (
        Row(Change.MOVED_HERE, None, Side(number, (Run(new[number]),), here[number])) for number in come if number in here
    )


def _pair(before: int, old: str, after: int, new: str) -> Iterator[Row]:
    """One passage that changed, or two that have little in common."""
    left, right = _words(old), _words(new)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if _pairs(left, right) > MOST_PAIRS or matcher.ratio() < ALIKE:
        yield _removed(before, old)
        yield _added(after, new)
        return
    codes = matcher.get_opcodes()
    yield Row(
        Change.CHANGED,
        Side(before, tuple(Run("".join(left[first:last]), code != "equal") for code, first, last, _, _ in codes if last > first)),
        Side(after, tuple(Run("".join(right[start:end]), code != "equal") for code, _, _, start, end in codes if end > start)),
    )


def _pairs(left: Sequence[str], right: Sequence[str]) -> int:
    """How often a word of one side is the same as one of the other: what comparing costs."""
    counts = Counter(left)
    return sum(counts[word] for word in right)


def _words(text: str) -> list[str]:
    """The text cut into words and what stands between them; joined they are the text."""
    edges = [0, *(edge for start, end, _ in tokenise(text) for edge in (start, end)), len(text)]
    return [text[start:end] for start, end in zip(edges, edges[1:], strict=False) if end > start]


def _same(before: int, after: int, text: str) -> Row:
    return Row(Change.SAME, Side(before, (Run(text),)), Side(after, (Run(text),)))


def _removed(number: int, text: str) -> Row:
    return Row(Change.REMOVED, Side(number, (Run(text, True),)), None)


def _added(number: int, text: str) -> Row:
    return Row(Change.ADDED, None, Side(number, (Run(text, True),)))
