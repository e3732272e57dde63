"""Runs: one at a time for each source; what each one did, how far it is, and what became of those that were killed."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.models import Run, Source

TOLD_EVERY: Final = 1.0
"""Seconds between two writings of how far a run is: often enough to watch, too seldom to be in anybody's way."""
KILLED: Final = "killed"
RUNNING: Final = "import_running"
MAX_CODE: Final = 100


@contextmanager
def alone(source: Source, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of this source's one run. It ends with the process, however that ends. wait: seconds, at most.

    Raises Refused while somebody else holds it.
    """
    folder = Path(settings.DATA_DIR) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    until = time.monotonic() + wait
    with (folder / f"source-{source.pk}").open("w") as handle:
        while not _locked(handle.fileno()):
            if time.monotonic() >= until:
                raise Refused(RUNNING, gettext_noop("Another import of this source is running."))
            time.sleep(0.05)
        yield


@contextmanager
def begun(source: Source, *, started: datetime | None = None) -> Iterator[Run]:
    """A run of this source, as a row. Whatever is raised in it ends it as failed; else `finish` says how it ended.

    started: when the source was looked at, if that was before now. Raises Refused, having done nothing, when another run of the
    source goes on, or one that started later has been here: its rights are the newer ones.
    """
    with alone(source):
        _fail_killed(source)
        now = timezone.now()
        if started is not None and source.runs.filter(started_at__gt=started, started_at__lte=now).exists():
            raise Refused("import_overtaken", gettext_noop("A newer import of this source has taken place. Run it again."))
        run = Run.objects.create(source=source, started_at=started or now, seen_at=now)
        try:
            yield run
        except BaseException as error:
            with suppress(DatabaseError):  # else it is marked as killed, by the next one
                _fail(run, error.code if isinstance(error, EvidenceError) else type(error).__name__)
            raise


def finish(run: Run, outcome: Run.Outcome, *, error: str = "", **kept: object) -> None:
    """Write down how a run ended; kept: values of other fields."""
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(finished_at=now, seen_at=now, outcome=outcome, error=error[:MAX_CODE], **kept)


def mark_killed() -> None:
    """Mark runs as failed whose process is gone: their source's lock is free."""
    for source in Source.objects.filter(runs__outcome=Run.Outcome.RUNNING).distinct():
        with suppress(Refused), alone(source):
            _fail_killed(source)


def keep(sources: Collection[int]) -> None:
    """Say of the runs of these sources, by their keys, that they still go on, however long one of their steps takes."""
    Run.objects.filter(source__in=sources, outcome=Run.Outcome.RUNNING).update(seen_at=timezone.now())


class Progress:
    """How far a run is: told to whoever watches it, and written down every now and then."""

    def __init__(self, run: Run, total: int, told: Callable[[int], object]) -> None:
        """told: called with the number of items done each time. Begin it outside of any document's transaction."""
        self._run, self._told = run, told
        self._done = 0
        self._written = time.monotonic()
        Run.objects.filter(pk=run.pk).update(total=total, done=0, seen_at=timezone.now())

    def advance(self, items: int) -> None:
        """So many more are done. Call it outside of any document's transaction."""
        self._done += items
        self._told(items)
        if time.monotonic() - self._written >= TOLD_EVERY:
            self.write()

    def write(self) -> None:
        """Write down how far it is now."""
        Run.objects.filter(pk=self._run.pk).update(done=self._done, seen_at=timezone.now())
        self._written = time.monotonic()


def _fail(run: Run, code: str) -> None:
    finish(run, Run.Outcome.FAILED, error=code)


def _fail_killed(source: Source) -> None:
    """The caller holds the lock: nobody else is running one."""
    for run in source.runs.filter(outcome=Run.Outcome.RUNNING):
        _fail(run, KILLED)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
