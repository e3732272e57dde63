"""Charts, worked out on the server: values become whole coordinates and labels, which templates draw as SVG. No database."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Final

from django.utils import timezone
from django.utils.formats import date_format, number_format

from evidence.inspection import Confirmation
from evidence.models import Revocation, Run

WIDTH: Final = 360
"""Units of the drawing: about pixels on a phone, so that its letters can be read there."""
HEIGHT: Final = 160
LEFT: Final = 50
RIGHT: Final = 12
TOP: Final = 12
BOTTOM: Final = 24
_PLOT: Final = WIDTH - LEFT - RIGHT
_FLOOR: Final = HEIGHT - BOTTOM
_MOST_SLAS: Final = 3
"""An age beyond so many SLAs leaves the chart at its top: the SLA would be a line on the floor."""
_SHORTEST_LINE: Final = 3
"""Units; what is confirmed as of long ago stands at the right edge at first, as wide as nothing."""
_BAR_SHARE: Final = 0.7
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_SCALE: Final = (0.01, 0.1, 1, 10, 60, 600, 3_600, 36_000, 86_400, 864_000)
"""Seconds that a logarithmic axis names."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis, and its name."""

    at: int
    label: str


@dataclass(frozen=True, slots=True)
class Tooth:
    """The age of rights between two confirmations, in a table. greatest: just before the next one."""

    at: datetime
    as_of: datetime
    greatest: timedelta


@dataclass(frozen=True, slots=True)
class AgeChart:
    """The age of rights against the SLA. line: points of a polyline. dots: where it is too short to be seen. closed: left and
    width of the times of more than the SLA.

    teeth: the newest first.
    """

    line: str
    dots: Sequence[tuple[int, int]]
    closed: Sequence[tuple[int, int]]
    sla: int
    rows: Sequence[Tick]
    columns: Sequence[Tick]
    since: datetime
    now: datetime
    greatest: timedelta
    limit: timedelta
    teeth: Sequence[Tooth]


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a column: of which outcome, its top and its height."""

    outcome: str
    top: int
    height: int


@dataclass(frozen=True, slots=True)
class Day:
    """The runs that ended on a day."""

    day: date
    left: int
    complete: int
    incomplete: int
    failed: int
    bars: Sequence[Bar]


@dataclass(frozen=True, slots=True)
class RunChart:
    """Runs by day and outcome, oldest first. width: of a column."""

    days: Sequence[Day]
    width: int
    rows: Sequence[Tick]
    columns: Sequence[Tick]
    total: int
    bad: int


@dataclass(frozen=True, slots=True)
class Dot:
    """How long one revocation took."""

    x: int
    y: int
    drill: bool


@dataclass(frozen=True, slots=True)
class RevocationChart:
    """How long revocations took, oldest first, on a logarithmic axis. sla: None where it is above everything."""

    dots: Sequence[Dot]
    rows: Sequence[Tick]
    sla: int | None
    shortest: timedelta
    longest: timedelta


@dataclass(frozen=True, slots=True)
class Series:
    """One figure over runs. lines: points of polylines, which end where a run has no such figure. dots: each value's place.

    last: the latest value.
    """

    name: str
    lines: Sequence[str]
    dots: Sequence[tuple[int, int]]
    last: float


@dataclass(frozen=True, slots=True)
class LineChart:
    """Shares from 0 to 1 over runs, oldest first, at equal distances."""

    series: Sequence[Series]
    rows: Sequence[Tick]
    columns: Sequence[Tick]
    runs: int


def ages(confirmations: Sequence[Confirmation], *, sla: timedelta, since: datetime, now: datetime) -> AgeChart | None:
    """The saw of the age of rights since then; None where they were never confirmed."""
    teeth = list(_teeth(confirmations, since=since, now=now))
    if not teeth:
        return None
    greatest = max(age for _, _, _, age in teeth)
    top = min(max(greatest, sla), sla * _MOST_SLAS) * 1.1

    def x(at: datetime) -> int:
        return LEFT + round((at - since) / (now - since) * _PLOT)

    def y(age: timedelta) -> int:
        return _FLOOR - round(min(max(age, timedelta()), top) / top * (_FLOOR - TOP))

    points = [point for at, until, age, last in teeth for point in ((x(at), y(age)), (x(until), y(last)))]
    late = [(max(at, until - (last - sla)), until) for at, until, _, last in teeth if last > sla]
    return AgeChart(
        line=" ".join(f"{left},{level}" for left, level in _thinned(points)),
        dots=[(x(until), y(last)) for at, until, _, last in teeth if x(until) - x(at) < _SHORTEST_LINE],
        closed=[(x(begin), max(x(end) - x(begin), 1)) for begin, end in late],
        sla=y(sla),
        rows=[Tick(y(part * sla), symbol(part * sla)) for part in (0, 1, 2) if part * sla <= top],
        columns=[Tick(x(at), label) for at, label in _times(since, now)],
        since=since,
        now=now,
        greatest=greatest,
        limit=sla,
        teeth=[Tooth(at, until - last, last) for at, until, _, last in reversed(teeth)],
    )


def runs(endings: Iterable[tuple[datetime, str]], *, days: int, today: date) -> RunChart | None:
    """Runs of the last days; None where there were none."""
    counts: Counter[tuple[date, str]] = Counter((timezone.localdate(at), outcome) for at, outcome in endings)
    if not counts:
        return None
    shown = [today - timedelta(days=days - 1 - number) for number in range(days)]
    most = max(sum(counts[day, outcome] for outcome in _STACK) for day in shown)
    if not most:
        return None
    step = _PLOT / days
    columns = [_day(day, LEFT + round((number + (1 - _BAR_SHARE) / 2) * step), counts, most) for number, day in enumerate(shown)]
    width = max(round(step * _BAR_SHARE), 1)
    named = [columns[0], columns[days // 2], columns[-1]]
    return RunChart(
        days=columns,
        width=width,
        rows=[Tick(_FLOOR - round(part / most * (_FLOOR - TOP)), number_format(part)) for part in sorted({0, most})],
        columns=[Tick(one.left + width // 2, date_format(one.day, "j M")) for one in named],
        total=sum(counts.values()),
        bad=sum(count for (_, outcome), count in counts.items() if outcome != Run.Outcome.COMPLETE),
    )


def revocations(rows: Sequence[Revocation], *, sla: timedelta) -> RevocationChart | None:
    """The revocations of which the origin says when they happened, given the newest first; None where there are none."""
    known = [(row, took) for row in reversed(rows) if (took := lasted(row)) is not None]
    if not known:
        return None
    seconds = [took.total_seconds() for _, took in known]
    low = max((one for one in _SCALE if one <= max(min(seconds), _SCALE[0])), default=_SCALE[0])
    high = min((one for one in _SCALE if one > max(*seconds, low)), default=max(*seconds, low) * 1.1)

    def y(value: float) -> int:
        return _FLOOR - round(math.log(max(value, low) / low) / math.log(high / low) * (_FLOOR - TOP))

    step = _PLOT / len(known)
    dots = [
        Dot(LEFT + round((place + 0.5) * step), y(took.total_seconds()), row.drill) for place, (row, took) in enumerate(known)
    ]
    return RevocationChart(
        dots=dots,
        rows=[Tick(y(one), symbol(timedelta(seconds=one))) for one in _SCALE if low <= one <= high],
        sla=y(sla.total_seconds()) if low <= sla.total_seconds() <= high else None,
        shortest=min(took for _, took in known),
        longest=max(took for _, took in known),
    )


def lines(times: Sequence[datetime], values: Mapping[str, Sequence[float | None]]) -> LineChart | None:
    """Figures between 0 and 1, one value a time; None where there is none. Times are given oldest first."""
    step = _PLOT / max(len(times), 1)
    places = [LEFT + round((number + 0.5) * step) for number in range(len(times))]

    def y(value: float) -> int:
        return _FLOOR - round(min(max(value, 0.0), 1.0) * (_FLOOR - TOP))

    series = []
    for name, some in values.items():
        points = [None if value is None else (x, y(value)) for x, value in zip(places, some, strict=True)]
        known = [value for value in some if value is not None]
        if known:
            dots = [point for point in points if point]
            series.append(Series(name, list(_pieces(points)), dots, known[-1]))
    if not series:
        return None
    named = dict.fromkeys((0, len(times) - 1))
    return LineChart(
        series=series,
        rows=[Tick(y(part), number_format(part, decimal_pos=1)) for part in (0, 0.5, 1)],
        columns=[Tick(places[number], date_format(timezone.localtime(times[number]), "j M")) for number in named],
        runs=len(times),
    )


def lasted(row: Revocation) -> timedelta | None:
    """From the origin to its effect here, where the origin says when it was."""
    return None if row.at_origin is None else max(row.in_effect_at - row.at_origin, timedelta())


def symbol(span: timedelta) -> str:
    """A time with the symbol of its unit, as an axis names it: 90 min, 24 h, 2 d."""
    seconds = span.total_seconds()
    if not seconds:
        return "0"
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size and seconds % size == 0), (1, "s"))
    if size == 86_400 and seconds < 2 * size:
        size, unit = 3_600, "h"
    if seconds < 1:
        return f"{number_format(seconds)} s"
    return f"{number_format(round(seconds / size))} {unit}"


_STACK: Final = (Run.Outcome.COMPLETE, Run.Outcome.INCOMPLETE, Run.Outcome.FAILED)
"""From the bottom to the top of a column."""


def _teeth(
    confirmations: Sequence[Confirmation], *, since: datetime, now: datetime
) -> Iterable[tuple[datetime, datetime, timedelta, timedelta]]:
    """Begin, end, and the ages then, of each stretch in which one confirmation counted. What begins before `since` is cut."""
    ends = [*(one.at for one in confirmations[1:]), now]
    for one, end in zip(confirmations, ends, strict=False):
        begin = max(one.at, since)
        if end > begin:
            yield begin, end, begin - one.as_of, end - one.as_of


def _pieces(points: Sequence[tuple[int, int] | None]) -> Iterable[str]:
    """Polylines through neighbouring points."""
    for is_known, some in groupby(points, key=lambda point: point is not None):
        if is_known:
            yield " ".join(f"{point[0]},{point[1]}" for point in some if point)


def _thinned(points: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Of points above one another, the first, the highest, the lowest and the last."""
    for left, some in groupby(points, key=lambda point: point[0]):
        levels = [level for _, level in some]
        kept = dict.fromkeys((levels[0], min(levels), max(levels), levels[-1])) if len(levels) > 2 else levels
        yield from ((left, level) for level in kept)


def _times(since: datetime, now: datetime) -> Iterable[tuple[datetime, str]]:
    """A few moments between the two, at whole hours or days of the local time, with what a reader calls them."""
    first, last = timezone.localtime(since), timezone.localtime(now)
    whole = last - first
    if whole <= timedelta(days=2):
        step, form = timedelta(hours=6), "H:i"
    elif whole <= timedelta(days=8):
        step, form = timedelta(days=1), "D"
    else:
        step, form = timedelta(days=math.ceil(whole.days / 5)), "j M"
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    while at <= last:
        if at >= first:
            yield at, date_format(at, form)
        at += step


def _day(day: date, left: int, counts: Counter[tuple[date, str]], most: int) -> Day:
    bars = []
    below = 0
    for outcome in _STACK:
        count = counts[day, outcome]
        if count:
            top, floor = (_FLOOR - round(sum_ / most * (_FLOOR - TOP)) for sum_ in (below + count, below))
            bars.append(Bar(outcome, top, max(floor - top, 1)))
        below += count
    complete, incomplete, failed = (counts[day, outcome] for outcome in _STACK)
    return Day(day, left, complete, incomplete, failed, bars)
