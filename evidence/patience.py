"""Patience: calls that may hang, each in a thread of its own, bounded in number, and waited for no longer than is right.

A thread can't be ended from outside, so a call that hangs keeps its place until it returns. Places are therefore counted for
each thing that is called as well as altogether: what hangs takes nobody else's.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Late(Exception):
    """There was no answer in time, or nobody free to wait for one."""


@dataclass(frozen=True, eq=False)
class Pending(Generic[T]):
    """What a call will give. until: when nobody waits for it any more."""

    future: Future[T]
    until: float

    def result(self) -> T:
        """Wait for it. Raises Late, and whatever the call raises."""
        try:
            if not self.future.cancelled():
                return self.future.result(max(self.until - time.monotonic(), 0))
        except TimeoutError:
            if self.future.done():  # the call's own
                raise
            self.future.cancel()
        raise Late


def at_once(value: T) -> Pending[T]:
    """What needs no call."""
    future: Future[T] = Future()
    future.set_result(value)
    return Pending(future, time.monotonic())


def as_they_come(pending: Mapping[K, Pending[Any]], *, until: float) -> Iterator[K]:
    """Each key when its call is done, the first one first; then, when the time is over, all others."""
    keys = {one.future: key for key, one in pending.items()}
    left = dict.fromkeys(pending)
    try:
        for future in as_completed(keys, max(until - time.monotonic(), 0)):
            del left[keys[future]]
            yield keys[future]
    except TimeoutError:
        yield from left


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """One call that was begun."""

    key: Hashable
    call: Callable[[], Any]
    pending: Pending[Any]


class Patience:
    """At most `each` calls at once for one key, and `altogether` in this process."""

    def __init__(self, *, each: int, altogether: int) -> None:
        self._each = each
        self._altogether = altogether
        self._lock = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._running: defaultdict[Hashable, set[_Call]] = defaultdict(set)

    def begin(self, key: Hashable, call: Callable[[], T], *, until: float) -> Pending[T]:
        """Call it in a thread as soon as there is a place. until: in time.monotonic().

        It is late at once when every place of its key is held by a call that is itself too late: such a thing hangs.
        """
        pending: Pending[T] = Pending(Future(), until)
        with self._lock:
            if self._hangs(key):
                pending.future.cancel()
                pending.future.set_running_or_notify_cancel()
            else:
                self._waiting.append(_Call(key, call, pending))
                self._start()
        return pending

    def _hangs(self, key: Hashable) -> bool:
        running = self._running.get(key, ())
        return len(running) >= self._each and all(one.pending.until < time.monotonic() for one in running)

    def _start(self) -> None:
        """Begin what there are places for, in the order in which it came. The lock is held."""
        for _ in range(len(self._waiting)):
            one = self._waiting.popleft()
            if one.pending.future.cancelled():
                continue
            if len(self._running[one.key]) < self._each and sum(map(len, self._running.values())) < self._altogether:
                self._running[one.key].add(one)
                threading.Thread(target=self._run, args=(one,), daemon=True, name="patience").start()
            else:
                self._waiting.append(one)

    def _run(self, one: _Call) -> None:
        try:
            if one.pending.future.set_running_or_notify_cancel():
                one.pending.future.set_result(one.call())
        except BaseException as error:  # it belongs to whoever waits
            one.pending.future.set_exception(error)
        finally:
            with self._lock:
                self._running[one.key].discard(one)
                if not self._running[one.key]:
                    del self._running[one.key]
                self._start()
