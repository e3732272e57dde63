"""Charts: values at the places where they belong, whatever they are."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.inspection import Confirmation
from evidence.models import Revocation
from evidence.web import charts

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def ages(*hours_ago: float, sla: timedelta = DAY, window: timedelta = 7 * DAY) -> charts.AgeChart:
    confirmations = [Confirmation(NOW - hours * HOUR, NOW - hours * HOUR) for hours in sorted(hours_ago, reverse=True)]
    found = charts.ages(confirmations, sla=sla, since=NOW - window, now=NOW)
    assert found is not None
    return found


def points(chart: charts.AgeChart) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in (pair.split(",") for pair in chart.line.split())]


def test_the_age_rises_until_it_is_confirmed_and_falls_then() -> None:
    chart = ages(48, 24)
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points(chart)
    assert x0 < x1 == x2 < x3 and y1 < y0 == y2 and y3 == y1 == chart.sla
    assert chart.closed == [] and chart.greatest == 24 * HOUR


def test_times_above_the_sla_are_marked() -> None:
    chart = ages(60)
    ((left, width),) = chart.closed
    assert chart.greatest == 60 * HOUR
    assert left + width == charts.WIDTH - charts.RIGHT
    assert width == pytest.approx(36 / (7 * 24) * (charts.WIDTH - charts.LEFT - charts.RIGHT), abs=1)


def test_a_confirmation_from_before_is_cut_at_the_left_edge() -> None:
    chart = ages(8 * 24, sla=30 * DAY)
    assert points(chart)[0][0] == charts.LEFT
    assert chart.teeth[0].greatest == 8 * DAY


def test_what_was_confirmed_just_now_as_of_long_ago_is_seen_as_a_dot() -> None:
    minute = timedelta(minutes=1)
    chart = charts.ages([Confirmation(NOW - minute, NOW - 3 * DAY)], sla=DAY, since=NOW - 7 * DAY, now=NOW)
    assert chart is not None and len(chart.dots) == 1
    assert chart.dots[0][0] == charts.WIDTH - charts.RIGHT and chart.dots[0][1] < chart.sla
    assert ages(48, 24).dots == []


def test_nothing_confirmed_draws_nothing() -> None:
    assert charts.ages([], sla=DAY, since=NOW - DAY, now=NOW) is None
    assert charts.runs([], days=14, today=NOW.date()) is None
    assert charts.revocations([], sla=DAY) is None


@given(
    hours=st.lists(st.floats(0.01, 3_000), min_size=1, max_size=200),
    sla=st.timedeltas(timedelta(seconds=1), timedelta(days=10_000)),
    window=st.timedeltas(timedelta(hours=1), timedelta(days=90)),
)
def test_every_point_stays_inside_the_drawing(hours: list[float], sla: timedelta, window: timedelta) -> None:
    chart = ages(*hours, sla=sla, window=window)
    assert all(charts.LEFT <= x <= charts.WIDTH - charts.RIGHT for x, _ in points(chart))
    assert all(charts.TOP <= y <= charts.HEIGHT - charts.BOTTOM for _, y in points(chart))
    assert all(left >= charts.LEFT and width > 0 for left, width in chart.closed)
    assert len(points(chart)) <= 4 * charts.WIDTH


def test_runs_stand_above_one_another_on_their_day() -> None:
    endings = [(NOW, "complete"), (NOW, "failed"), (NOW - DAY, "complete"), (NOW - 30 * DAY, "complete")]
    chart = charts.runs(endings, days=14, today=date(2026, 11, 30))
    assert chart is not None
    today, yesterday = chart.days[-1], chart.days[-2]
    assert (today.complete, today.failed, yesterday.complete) == (1, 1, 1)
    assert [bar.outcome for bar in today.bars] == ["complete", "failed"]
    assert today.bars[0].top == today.bars[1].top + today.bars[1].height
    assert sum(bar.height for bar in today.bars) == charts.HEIGHT - charts.BOTTOM - charts.TOP


def revocation(seconds: float | None, *, drill: bool = False) -> Revocation:
    at_origin = None if seconds is None else NOW - timedelta(seconds=seconds)
    return Revocation(at_origin=at_origin, in_effect_at=NOW, documents=1, drill=drill)


def test_revocations_are_drawn_the_oldest_first_and_the_longest_highest() -> None:
    chart = charts.revocations([revocation(3_600), revocation(None), revocation(2, drill=True)], sla=DAY)
    assert chart is not None
    assert [dot.drill for dot in chart.dots] == [True, False]
    assert chart.dots[0].x < chart.dots[1].x and chart.dots[0].y > chart.dots[1].y
    assert (chart.shortest, chart.longest) == (timedelta(seconds=2), HOUR)


@given(st.lists(st.floats(0, 10**9), min_size=1, max_size=20))
def test_every_dot_stays_inside_the_drawing(seconds: list[float]) -> None:
    chart = charts.revocations([revocation(one) for one in seconds], sla=DAY)
    assert chart is not None
    assert all(charts.LEFT < dot.x < charts.WIDTH - charts.RIGHT for dot in chart.dots)
    assert all(charts.TOP <= dot.y <= charts.HEIGHT - charts.BOTTOM for dot in chart.dots)


@pytest.mark.parametrize(
    ("span", "name"),
    [
        (timedelta(), "0"),
        (timedelta(seconds=0.1), "0.1 s"),
        (timedelta(seconds=90), "90 s"),
        (timedelta(minutes=90), "90 min"),
        (timedelta(hours=24), "24 h"),
        (timedelta(days=7), "7 d"),
    ],
)
def test_an_axis_names_a_time_with_its_symbol(span: timedelta, name: str) -> None:
    assert charts.symbol(span) == name
