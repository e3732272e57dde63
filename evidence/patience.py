"""Patience: calls that may hang, each in a thread of its own, bounded in number, and waited for no longer than is right.

A thread can't be ended from outside, so a call that hangs keeps its place until it returns. Places are therefore counted for
each thing that is called as well as altogether: what hangs takes nobody else's.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
Awaited = Callable[[], T]
"""Waits for what a call gives. Raises Late, and whatever the call raises."""


class Late(Exception):
    """There was no answer in time, or nobody free to wait for one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """One call. until: when nobody waits for it any more."""

    key: Hashable
    call: Callable[[], Any]
    until: float
    future: Future[Any]


class Patience:
    """At most `each` calls at once for one key, and `altogether` in this process."""

    def __init__(self, *, each: int, altogether: int) -> None:
        self._each = each
        self._altogether = altogether
        self._lock = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._running: defaultdict[Hashable, set[_Call]] = defaultdict(set)

    def begin(self, key: Hashable, call: Callable[[], T], *, until: float) -> Awaited[T]:
        """Call it in a thread as soon as there is a place; gives a way to wait for it. until: in time.monotonic().

        It is late at once when every place of its key is held by a call that is itself too late: such a thing hangs.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._hangs(key):
                future.cancel()
            else:
                self._waiting.append(_Call(key, call, until, future))
                self._start()
        return lambda: self._result(future, until)

    def _result(self, future: Future[T], until: float) -> T:
        try:
            if not future.cancelled():
                return future.result(max(until - time.monotonic(), 0))
        except TimeoutError:
            future.cancel()
        raise Late

    def _hangs(self, key: Hashable) -> bool:
        running = self._running.get(key, ())
        return len(running) >= self._each and all(one.until < time.monotonic() for one in running)

    def _start(self) -> None:
        """Begin what there are places for, in the order in which it came. The lock is held."""
        for _ in range(len(self._waiting)):
            one = self._waiting.popleft()
            if one.future.cancelled():
                continue
            if len(self._running[one.key]) < self._each and sum(map(len, self._running.values())) < self._altogether:
                self._running[one.key].add(one)
                threading.Thread(target=self._run, args=(one,), daemon=True, name="patience").start()
            else:
                self._waiting.append(one)

    def _run(self, one: _Call) -> None:
        try:
            if one.future.set_running_or_notify_cancel():
                one.future.set_result(one.call())
        except BaseException as error:  # it belongs to whoever waits
            one.future.set_exception(error)
        finally:
            with self._lock:
                self._running[one.key].discard(one)
                if not self._running[one.key]:
                    del self._running[one.key]
                self._start()
