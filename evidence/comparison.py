"""Comparing two texts, passage by passage and word by word. Pure; for people to look at, never to move a citation.

Passages that are equal are matched first. What was removed here and added there word for word has moved. What is left between
two matches is put side by side in order where enough words agree (`ALIKE`), else it was removed and added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import Final, NamedTuple

from evidence.index.tokens import tokenise

ALIKE: Final = 0.5
"""Share of equal words from which two passages are shown as one that changed. Only a matter of display."""
MOVED_WORDS: Final = 4
"""Shorter passages ("(weggefallen)") are equal by chance, so they are not said to have moved."""

MOST_STEPS: Final = 10_000_000
"""Pairs of equal passages or words, one on each side, that are looked at for one comparison: about two seconds. Texts of one line
that is repeated thousands of times have more; what is beyond is shown as removed and added.
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows. whole: too much differs to put it side by side: between what is equal at both ends, all is removed, and added."""

    rows: list[Row]
    whole: bool


def compare(old: Sequence[str], new: Sequence[str]) -> Comparison:
    """The comparison of two texts, given by their passages in the order of their numbers."""
    steps = _Steps()
    try:
        codes = _codes(old, new, steps)
    except _TooMuch:
        return Comparison(list(_whole(old, new)), whole=True)
    away, here = _moves(old, new, codes)
    rows: list[Row] = []
    for code, first, last, start, end in codes:
        if code == "equal":
            rows += [_same(number, start + number - first, old[number]) for number in range(first, last)]
        else:
            rows += _between(old, new, range(first, last), range(start, end), away, here, steps)
    return Comparison(rows, whole=False)


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


class _Code(NamedTuple):
    """A stretch of both sides: `equal`, or how they differ."""

    what: str
    first: int
    last: int
    start: int
    end: int


class _TooMuch(Exception):
    """The steps of this comparison do not suffice."""


class _Steps:
    """The steps that are left for a comparison."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def take(self, count: int) -> None:
        """Raises _TooMuch, and takes none, when so many are not left."""
        if count > self._left:
            raise _TooMuch
        self._left -= count


class _Matcher(SequenceMatcher[str]):
    """Counts what it is going to look at before it does: how much that is depends on how often it has to look."""

    def __init__(self, old: Sequence[str], new: Sequence[str], steps: _Steps) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._steps = steps
        counts = Counter(new)
        self._pairs = [1 + counts[one] for one in old]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """As there."""
        self._steps.take(sum(self._pairs[alo:ahi]))
        return super().find_longest_match(alo, ahi, blo, bhi)


def _codes(old: Sequence[str], new: Sequence[str], steps: _Steps) -> list[_Code]:
    """What is equal and what is not, in order. Raises _TooMuch."""
    before, after = _ends(old, new)
    middle = _Matcher(old[before : len(old) - after], new[before : len(new) - after], steps).get_opcodes()
    codes = [_Code(code, *(before + place for place in places)) for code, *places in middle]
    if before:
        codes.insert(0, _Code("equal", 0, before, 0, before))
    if after:
        codes.append(_Code("equal", len(old) - after, len(old), len(new) - after, len(new)))
    return codes


def _ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many are equal at the beginning and, of the others, at the end."""
    most = min(len(old), len(new))
    before = next((n for n in range(most) if old[n] != new[n]), most)
    after = next((n for n in range(most - before) if old[-1 - n] != new[-1 - n]), most - before)
    return before, after


def _whole(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    before, after = _ends(old, new)
    yield from (_same(number, number, old[number]) for number in range(before))
    yield from (_removed(number, old[number]) for number in range(before, len(old) - after))
    yield from (_added(number, new[number]) for number in range(before, len(new) - after))
    yield from (_same(len(old) - left, len(new) - left, old[-left]) for left in range(after, 0, -1))


def _moves(old: Sequence[str], new: Sequence[str], codes: Iterable[_Code]) -> tuple[dict[int, int], dict[int, int]]:
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
    old: Sequence[str],
    new: Sequence[str],
    gone: Iterable[int],
    come: Iterable[int],
    away: dict[int, int],
    here: dict[int, int],
    steps: _Steps,
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
            yield from _pair(before, old[before], after, new[after], steps)
    yield from (
        Row(Change.MOVED_HERE, None, Side(number, (Run(new[number]),), here[number])) for number in come if number in here
    )


def _pair(before: int, old: str, after: int, new: str, steps: _Steps) -> Iterator[Row]:
    """One passage that changed, or two that have little in common or take too many steps to tell."""
    left, right = _words(old), _words(new)
    try:
        codes = _codes(left, right, steps)
    except _TooMuch:
        codes = []
    equal = sum(code.last - code.first for code in codes if code.what == "equal")
    if 2 * equal < ALIKE * (len(left) + len(right)):
        yield _removed(before, old)
        yield _added(after, new)
        return
    yield Row(
        Change.CHANGED,
        Side(before, tuple(Run("".join(left[first:last]), code != "equal") for code, first, last, _, _ in codes if last > first)),
        Side(after, tuple(Run("".join(right[start:end]), code != "equal") for code, _, _, start, end in codes if end > start)),
    )


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
