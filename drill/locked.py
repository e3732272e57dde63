"""Somebody else holds the database for longer than anybody waits: no wrong answer, nothing lost, and it goes on by itself."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg

from drill.outcome import Outcome
from drill.site import Site, site
from evidence.tests.databases import POSTGRESQL

HELD: Final = 40.0
"""Seconds; SQLite is waited for 30."""


def run(folder: Path) -> Outcome:
    """Changes at the origin while nobody can write."""
    with site(folder, "--watch") as place:
        place.serve()
        place.work()
        with place.asking():
            with _held(place):
                until = time.monotonic() + HELD
                for _ in range(6):
                    place.origin.change()
                done = place.sync(check=False)
                time.sleep(max(until - time.monotonic(), 0))
            if "Traceback" in done.stderr:
                place.wrong.append(f"the run ended without a word for people: {done.stderr[-200:]}")
            took = place.recovers()
        said = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
        return Outcome(place.wrong, f"“{said}”; right again {took:.1f} s after; answers {dict(sorted(place.answers.items()))}")


@contextmanager
def _held(place: Site) -> Iterator[None]:
    """The lock that every writer needs."""
    holder: Any
    if POSTGRESQL:
        holder = psycopg.connect(place.environment["FUNDSTELLE_DATABASE_URL"])
        statement = "LOCK TABLE evidence_document, evidence_job, evidence_run IN EXCLUSIVE MODE"
    else:
        holder = sqlite3.connect(place.place.data / "fundstelle.sqlite3", isolation_level=None, timeout=60)
        statement = "BEGIN IMMEDIATE"
    with closing(holder):
        holder.execute(statement)
        yield
        holder.rollback()
