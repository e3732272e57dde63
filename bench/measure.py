"""How things are measured: in a process of its own, with a warm-up, by percentiles."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

ROUNDS = 5
"""Each question is asked once to warm up and then in this many rounds; its time is the median."""

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def in_own_process(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call it in a fresh process, so that memory and caches are its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args, kwargs)


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of many calls."""

    milliseconds: Sequence[float]

    def percentile(self, percent: float) -> float:
        """The value that this share of the calls does not exceed."""
        ordered = sorted(self.milliseconds)
        return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]

    def row(self) -> str:
        """p50, p95, p99 and the worst, in columns of ten."""
        figures = [self.percentile(50), self.percentile(95), self.percentile(99), max(self.milliseconds)]
        return "".join(f"{figure:>10.2f}" for figure in figures)


def timed(prepare: Callable[[T], Callable[[], object]], queries: Sequence[T]) -> Times:
    """The time of each question. `prepare` makes what is then called and timed."""
    for query in queries:
        prepare(query)()
    results = [[_milliseconds(prepare(query)) for query in queries] for _ in range(ROUNDS)]
    return Times([statistics.median(column) for column in zip(*results, strict=True)])


def memory() -> int:
    """Megabytes of memory of this process that are not pages of a file."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")) // 1024


def megabytes(folder: Path) -> float:
    """Size of all files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000
