"""The queue: work that must still happen, kept in the database. It knows no job's meaning.

A job is written in the same transaction as the change that it follows from. `waiting` and `done` serve work that is done in
bulk and may be repeated; `claim`, `finish` and `retry` serve work that one worker at a time must own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from evidence.models import Job

MAX_ATTEMPTS = 8
"""With doubling waits from FIRST_WAIT: given up after about four hours, then shown to the administrator."""
FIRST_WAIT = timedelta(minutes=1)
CLAIM_LASTS = timedelta(minutes=30)
"""A claim older than this belonged to a worker that died."""


def enqueue(kind: str, keys: Iterable[int], *, not_before: datetime | None = None) -> None:
    """One job of this kind for each key, due now or at the time that is given."""
    due = not_before or timezone.now()
    Job.objects.bulk_create([Job(kind=kind, key=key, not_before=due) for key in keys], batch_size=500)


def waiting(kind: str, *, limit: int) -> Sequence[Job]:
    """The oldest jobs of this kind, at most `limit`."""
    return list(Job.objects.filter(kind=kind).order_by("id")[:limit])


def waiting_keys(kind: str) -> set[int]:
    """What jobs of this kind wait for."""
    return set(Job.objects.filter(kind=kind).values_list("key", flat=True))


def done(jobs: Collection[Job]) -> None:
    """Take these jobs off the queue; one that was added for the same key meanwhile stays."""
    ids = [job.pk for job in jobs]
    for first in range(0, len(ids), 500):
        Job.objects.filter(pk__in=ids[first : first + 500]).delete()


def claim(kinds: Collection[str]) -> Job | None:
    """The oldest job that is due and that nobody owns; it belongs to the caller then."""
    now = timezone.now()
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - CLAIM_LASTS)
    due = Job.objects.filter(free, kind__in=kinds, not_before__lte=now, attempts__lt=MAX_ATTEMPTS)
    for job in due.order_by("id")[:10]:
        if Job.objects.filter(free, pk=job.pk).update(claimed_at=now):
            return job
    return None


def finish(job: Job) -> None:
    """The job is done."""
    job.delete()


def retry(job: Job, *, error: str) -> None:
    """The job failed with this code: free it again, to be tried after a wait that doubles each time."""
    wait = FIRST_WAIT * 2**job.attempts
    Job.objects.filter(pk=job.pk).update(
        attempts=job.attempts + 1, claimed_at=None, not_before=timezone.now() + wait, error=error[:200]
    )
