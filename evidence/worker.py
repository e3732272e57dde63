"""The worker: maps kinds of jobs to functions and does what is due. Several workers at once are safe."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final

from django.db import close_old_connections, connections
from django.utils import timezone

from evidence import canary, ingest, jobs, projection, removal, runs, syncing, uploads, watching
from evidence.errors import EvidenceError, IndexFault

logger = logging.getLogger(__name__)

HANDLERS: Final[Mapping[str, Callable[[int], None]]] = {
    removal.PURGE: removal.purge,
    removal.WIPE: removal.wipe,
    uploads.JOB: uploads.expire,
}
PAUSE: Final = 1.0
"""Seconds between two looks at an empty queue."""


def work(stop: threading.Event) -> None:
    """Do what is due until `stop` is set; the piece that is being done is finished first."""
    while not stop.is_set():
        if not run_due(stop):
"""Kind of job -> what does it, given its key. These are done one after the other."""
RUNS: Final[Mapping[str, Callable[[int, Callable[[], bool]], None]]] = {syncing.JOB: syncing.work_off}
"""Kinds that take long and ask whether they are to stop: done beside the others."""
PERIODIC: Final[Mapping[str, tuple[timedelta, Callable[[], object]]]] = {
    "runs.killed": (timedelta(minutes=1), runs.mark_killed),
    "drills.killed": (timedelta(minutes=1), canary.sweep),
    "classes.unused": (timedelta(days=1), ingest.forget_unused_classes),
}
"""Name (at most 20 characters) -> how often, and what. One worker at a time does it; what it raises is tried again next time."""
RUNS_AT_ONCE: Final = 2
"""Runs of one worker: a first run that takes hours leaves room for the others."""
            stop.wait(PAUSE)


def run_due(stop: threading.Event | None = None) -> int:
    """Bring the index in line and do every job that is due; gives how many pieces were done."""
    count = _settle()
    while not (stop and stop.is_set()) and (job := jobs.claim(HANDLERS)):
        try:
            HANDLERS[job.kind](job.key)
        except Exception as error:  # one bad job must not stop the loop; it is tried again, later and later
            code = error.code if isinstance(error, EvidenceError) else type(error).__name__
            logger.exception("job %s %s failed: %s", job.kind, job.pk, code)
            jobs.retry(job, error=code)
        else:
            jobs.finish(job)
        count += 1
    return count


def _settle() -> int:
    """Apply pending changes; an index that is busy now is left for the next look."""
    try:
        projection.ensure()
        return projection.settle()
    except IndexFault as fault:
        logger.warning("index: %s", fault.code)
        return 0
