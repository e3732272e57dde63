"""Kill -9 of worker, web server, run and removal at random moments, while people search; then everything is as it should be."""

from __future__ import annotations

import random
import signal
import sys
import time
from pathlib import Path
from typing import Final

from drill.outcome import Outcome
from drill.site import DOCUMENTS, RECOVERS_WITHIN, SOURCE, Site, site

ROUNDS: Final = 50
LATEST: Final = 2.5
"""Seconds after which a process is killed at the latest: a run of this source takes about two."""
VICTIMS: Final = ("worker", "web", "sync", "purge")


def run(folder: Path) -> Outcome:
    """Fifty kills."""
    chance = random.Random(23)
    with site(folder, "--watch") as place:
        place.serve()
        with place.asking():
            kills = [_round(place, VICTIMS[number % len(VICTIMS)], chance) for number in range(ROUNDS)]
            place.work()
            place.sync(check=False)
            took = place.recovers()
        _no_job_left(place)
    hit = {victim: sum(killed for name, killed in kills if name == victim) for victim in VICTIMS}
    return Outcome(
        place.wrong,
        f"{len(kills)} kills ({', '.join(f'{name} {number}' for name, number in hit.items())} in the middle of their work), "
        f"{sum(place.answers.values())} answers {dict(sorted(place.answers.items()))}, right again after {took:.1f} s",
    )


def _round(place: Site, victim: str, chance: random.Random) -> tuple[str, bool]:
    """Change the origin and kill; gives the victim, and whether it was still at it."""
    for _ in range(chance.randrange(1, 5)):
        place.origin.change()
    if victim in {"worker", "web"}:
        place.work()
    elif victim == "sync":
        place.start(victim, sys.executable, "manage.py", "sync", SOURCE, "--tenant", "lindenau", "-v0")
    else:
        _purge(place, chance)
    time.sleep(chance.uniform(0.1, LATEST))
    killed = place.is_running(victim)
    place.end(victim)
    place.end("worker", chance.choice([signal.SIGKILL, signal.SIGTERM]))
    if victim == "web":
        place.serve()
    return victim, killed


def _purge(place: Site, chance: random.Random) -> None:
    """Remove a document for good. Its file goes first, or the next run would bring it back, which is right too."""
    number = chance.choice(sorted(place.origin.states))
    if len(place.origin.states) > DOCUMENTS // 2:
        place.origin.remove(number)
    words = ("purge", str(number), "--source", SOURCE, "--tenant", "lindenau")
    place.start("purge", sys.executable, "manage.py", *words)


def _no_job_left(place: Site) -> None:
    """No piece of work is left behind for ever, and every removal has its receipt. A dead worker's claims end after minutes."""
    until = time.monotonic() + RECOVERS_WITHIN
    while (left := _left(place)) and time.monotonic() < until:
        time.sleep(1)
    place.wrong += left


def _left(place: Site) -> list[str]:
    failed = "SELECT kind, error FROM evidence_job WHERE kind IN ('index', 'purge', 'wipe') AND attempts > 0"
    open_ones = "SELECT traces FROM evidence_receipt WHERE finished_at IS NULL AND purged_at IS NOT NULL"
    jobs, receipts = place.place.rows(failed), place.place.rows(open_ones)
    return [f"job left: {one}" for one in jobs] + [f"receipt without an end: {one}" for one in receipts]
