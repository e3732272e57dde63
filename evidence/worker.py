"""The worker: does what is due. Several at once are safe, on one machine: the index is a file of it.

It has lanes of its own for what takes long, so that a run over a large source delays neither the index nor a removal. What a lane
does belongs to it by a claim that it renews; a claim that is not renewed ends, and another worker takes the job over.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.db import close_old_connections, connections
from django.utils import timezone

from evidence import alarms, canary, heartbeat, ingest, jobs, projection, removal, retention, runs, syncing, uploads, watching
from evidence.errors import EvidenceError, IndexFault
from evidence.models import Job

logger = logging.getLogger(__name__)

HANDLERS: Final[Mapping[str, Callable[[int], None]]] = {
    removal.PURGE: removal.purge,
    removal.WIPE: removal.wipe,
    uploads.JOB: uploads.expire,
}
"""Kind of job -> what does it, given its key. These are done one after the other."""
RUNS: Final[Mapping[str, Callable[[int, Callable[[], bool]], None]]] = {syncing.JOB: syncing.work_off}
"""Kinds that take long and ask whether they are to stop: done beside the others."""
PERIODIC: Final[Mapping[str, tuple[timedelta, Callable[[], object]]]] = {
    "runs.killed": (timedelta(minutes=1), runs.mark_killed),
    "drills.killed": (timedelta(minutes=1), canary.sweep),
    "classes.unused": (timedelta(days=1), ingest.forget_unused_classes),
    "index.checked": (timedelta(hours=6), projection.check),
    alarms.JOB: (alarms.EVERY, alarms.check),
    "retention": (timedelta(days=1), retention.apply),
    "removals.again": (timedelta(days=1), removal.look_again),
}
"""Name (at most 20 characters) -> how often, and what. One worker at a time does it; what it raises is tried again next time."""
RUNS_AT_ONCE: Final = 2
"""Runs of one worker: a first run that takes hours leaves room for the others."""
PAUSE: Final = 1.0
"""Seconds between two looks at an empty queue."""
PAUSE_AFTER_FAULT: Final = 5.0
"""Seconds until the database is asked again after it could not be."""
GRACE: Final = 10.0
"""Seconds for what is in hand when the worker is told to stop; what takes longer is cut off, as if it had been killed."""

_NO_KEY: Final = 0


def work(stop: threading.Event) -> None:
    """Do what is due until `stop` is set; what is in hand then is finished first: a job, or one document of a run."""
    claims = Claims()
    lanes = [
        threading.Thread(target=_lane, args=(stop, lambda: _round(claims, stop)), name="jobs", daemon=True),
        *(
            threading.Thread(target=_lane, args=(stop, lambda: _runs(claims, stop)), name=f"runs-{number}", daemon=True)
            for number in range(RUNS_AT_ONCE)
        ),
        threading.Thread(target=_lane, args=(stop, claims.keep, jobs.KEPT_EVERY.total_seconds()), name="claims", daemon=True),
        threading.Thread(target=watching.keep_watching, args=(stop,), name="watching", daemon=True),
    ]
    for lane in lanes:
        lane.start()
    stop.wait()
    until = time.monotonic() + GRACE
    for lane in lanes:
        lane.join(max(until - time.monotonic(), 0))


def run_due(stop: threading.Event | None = None) -> int:
    """Bring the index in line and do every job that is due, one after the other; gives how many pieces were done."""
    stop = stop or threading.Event()
    count = _settle(stop)
    claims = Claims()
    while not stop.is_set() and (_jobs(claims) or _runs(claims, stop)):
        count += 1
    return count


class Claims:
    """The jobs that a process is at."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}

    @contextmanager
    def on(self, job: Job) -> Iterator[None]:
        """While this goes on, the claim on the job is renewed."""
        self._jobs[job.pk] = job
        try:
            yield
        finally:
            del self._jobs[job.pk]

    def do(self, job: Job, what: Callable[[], object]) -> None:
        """Do this job, and free it or take it off the queue."""
        try:
            with self.on(job):
                what()
        except jobs.Later as later:
            jobs.put_off(job, wait=later.wait)
        except Exception as fault:  # one bad job must not stop the loop; it is tried again, later and later
            jobs.retry(job, error=_told(job, fault))
        else:
            jobs.finish(job)

    def keep(self) -> bool:
        """Renew their claims, and be seen; gives that nothing waits to be done at once."""
        heartbeat.beat()
        held = list(self._jobs.values())
        if held:
            jobs.keep([job.pk for job in held])
            runs.keep([job.key for job in held if job.kind in RUNS])
        return False


def run_periodic(claims: Claims | None = None, stop: threading.Event | None = None) -> int:
    """Do what is done every now and then, where its time has come and no other worker is at it; gives how many of them."""
    claims = claims or Claims()
    count = 0
    for name, (every, do) in PERIODIC.items():
        if not (stop and stop.is_set()) and (job := jobs.claim_only(name, _NO_KEY)):
            error = ""
            try:
                with claims.on(job):
                    do()
            except Exception as fault:  # the others must not wait for this one to be mended
                error = _told(job, fault)
            jobs.put_off(job, wait=every, error=error)
            count += 1
    return count


def _lane(stop: threading.Event, round_of_work: Callable[[], bool], pause: float = PAUSE) -> None:
    """Go round until `stop` is set, with a pause where a round gives that nothing was due."""
    try:
        while not stop.is_set():
            close_old_connections()
            try:
                if not round_of_work():
                    stop.wait(pause)
            except Exception as fault:  # the database can't be asked now
                logger.exception("worker: %s", type(fault).__name__)
                stop.wait(PAUSE_AFTER_FAULT)
    finally:
        connections.close_all()


def _round(claims: Claims, stop: threading.Event) -> bool:
    """Whatever is short: the index, due jobs one by one, what is done every now and then. Gives whether there was any."""
    syncing.enqueue_due(timezone.now())
    return bool(_settle(stop)) | _jobs(claims) | bool(run_periodic(claims, stop))


def _jobs(claims: Claims) -> bool:
    """One job that is due."""
    job = jobs.claim(HANDLERS)
    if job is not None:
        claims.do(job, lambda: HANDLERS[job.kind](job.key))
    return job is not None


def _runs(claims: Claims, stop: threading.Event) -> bool:
    """One run that is due."""
    job = jobs.claim(RUNS)
    if job is not None:
        claims.do(job, lambda: RUNS[job.kind](job.key, stop.is_set))
    return job is not None


def _settle(stop: threading.Event) -> int:
    """Apply pending changes; an index that is busy now is left for the next look."""
    try:
        projection.ensure()
        return projection.settle(wait=False, stop=stop.is_set)
    except IndexFault as fault:
        logger.warning("index: %s", fault.code)
        return 0


def _told(job: Job, fault: Exception) -> str:
    """Log what a job raised; gives its code."""
    if isinstance(fault, EvidenceError):
        logger.warning("job %s %s failed: %s", job.kind, job.pk, fault.code)
        return fault.code
    logger.exception("job %s %s failed: %s", job.kind, job.pk, type(fault).__name__)
    return type(fault).__name__
