"""Calls that may hang: they are waited for so long and no longer, and take nobody else's place."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from evidence.patience import Late, Patience, as_they_come


def soon(seconds: float = 0.1) -> float:
    return time.monotonic() + seconds


def waits_for(event: threading.Event) -> Callable[[], bool]:
    return lambda: event.wait(10)


def test_a_call_gives_what_it_gives_or_raises_what_it_raises() -> None:
    patience = Patience(each=1, altogether=1)
    assert patience.begin("a", lambda: 7, until=soon(5)).result() == 7
    with pytest.raises(ZeroDivisionError):
        patience.begin("a", lambda: 1 // 0, until=soon(5)).result()


def test_several_calls_go_on_side_by_side() -> None:
    patience, met = Patience(each=1, altogether=2), threading.Barrier(2)
    both = [patience.begin(key, lambda: met.wait(5), until=soon(5)) for key in "ab"]
    assert sorted(one.result() for one in both) == [0, 1]


def test_what_hangs_is_late_and_takes_no_other_place() -> None:
    patience, end = Patience(each=1, altogether=2), threading.Event()
    hanging = patience.begin("a", waits_for(end), until=soon())
    assert patience.begin("b", lambda: 7, until=soon(5)).result() == 7
    with pytest.raises(Late):
        hanging.result()
    end.set()


def test_where_all_hang_nobody_waits_any_more() -> None:
    patience, end = Patience(each=2, altogether=4), threading.Event()
    for _ in range(2):
        with pytest.raises(Late):
            patience.begin("a", waits_for(end), until=soon(0.05)).result()
    begun = time.monotonic()
    with pytest.raises(Late):
        patience.begin("a", lambda: 7, until=soon(5)).result()
    assert time.monotonic() - begun < 0.5
    end.set()


def test_threads_do_not_pile_up() -> None:
    patience, end = Patience(each=2, altogether=3), threading.Event()
    begun: list[int] = []

    def hang() -> None:
        begun.append(1)
        end.wait(10)

    calls = [patience.begin(key, hang, until=soon(0.3)) for key in "abcd" for _ in range(5)]
    for one in calls:
        with pytest.raises(Late):
            one.result()
    assert len(begun) == 3
    end.set()


def test_a_call_waits_for_a_place_and_gets_it() -> None:
    patience, end = Patience(each=1, altogether=1), threading.Event()
    first = patience.begin("a", waits_for(end), until=soon(5))
    second = patience.begin("b", lambda: 7, until=soon(5))
    end.set()
    assert (first.result(), second.result()) == (True, 7)


def test_a_call_that_nobody_waits_for_any_more_never_begins() -> None:
    patience, end, called = Patience(each=1, altogether=1), threading.Event(), threading.Event()
    first = patience.begin("a", waits_for(end), until=soon(5))
    with pytest.raises(Late):
        patience.begin("a", called.set, until=soon(0.05)).result()
    end.set()
    first.result()
    assert patience.begin("a", lambda: 7, until=soon(5)).result() == 7
    assert not called.is_set()


def test_a_place_is_free_again_when_what_hung_returns() -> None:
    patience, end = Patience(each=1, altogether=1), threading.Event()
    with pytest.raises(Late):
        patience.begin("a", waits_for(end), until=soon(0.05)).result()
    end.set()
    until = soon(5)
    while time.monotonic() < until:
        try:
            assert patience.begin("a", lambda: 7, until=soon(5)).result() == 7
            return
        except Late:
            time.sleep(0.01)
    raise AssertionError


def test_answers_come_in_the_order_in_which_they_are_there() -> None:
    patience, end = Patience(each=1, altogether=3), threading.Event()
    slow, until = waits_for(end), soon(0.3)
    pending = {key: patience.begin(key, call, until=until) for key, call in (("a", slow), ("b", int), ("c", int))}
    begun = time.monotonic()
    came = as_they_come(pending, until=until)
    assert {next(came), next(came)} == {"b", "c"}
    assert time.monotonic() - begun < 0.2
    assert list(came) == ["a"]
    end.set()


def test_a_time_that_is_over_in_the_call_itself_is_its_own_matter() -> None:
    def slow() -> None:
        raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        Patience(each=1, altogether=1).begin("a", slow, until=soon(5)).result()
