"""The queue: work that must still happen, kept in the database. It knows no job's meaning.

A job is written in the same transaction as the change that it follows from. `waiting` and `done` serve work that is done in
bulk and may be repeated; `claim`, `keep`, `finish` and `retry` serve work that one worker at a time must own.

Django's own tasks (from 6.0 on, and their backport) are an interface without a worker, retries or claims that end with a dead
worker, so that they would not take this queue's place.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evidence.models import Job

MAX_ATTEMPTS = 8
"""With doubling waits from FIRST_WAIT: given up after two to four hours, then shown to the administrator."""
FIRST_WAIT = timedelta(minutes=1)
JITTER = 0.5
"""Each wait is shortened by up to this share, so that what failed together is not tried again together."""
CLAIM_LASTS = timedelta(minutes=2)
"""A claim older than this belonged to a worker that died: living ones renew theirs every KEPT_EVERY."""
KEPT_EVERY = timedelta(seconds=15)


class Later(Exception):
    """Raised by what does a job when it is not to be done now and nothing has failed."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__()
        self.wait = wait


def enqueue(kind: str, keys: Iterable[int], *, not_before: datetime | None = None) -> None:
    """One job of this kind for each key, due now or at the time that is given."""
    due = not_before or timezone.now()
    Job.objects.bulk_create([Job(kind=kind, key=key, not_before=due) for key in keys], batch_size=500)


def hurry(kind: str, key: int, *, wait: timedelta = timedelta()) -> bool:
    """See to it that one job of this kind and key is due after `wait`; gives whether none was waiting.

    One that waits longer is due then too; one that somebody is at does not count, and one that was given up is begun anew.
    Callers that may be several at once hold a lock on what the key names.
    """
    due = timezone.now() + wait
    with transaction.atomic():
        forget_given_up(kind, key)
        mine = Job.objects.filter(kind=kind, key=key, claimed_at=None)
        if mine.exists():
            mine.filter(not_before__gt=due).update(not_before=due)
            return False
        enqueue(kind, [key], not_before=due)
    return True


def forget_given_up(kind: str, key: int) -> None:
    """Take off the queue what was tried too often: somebody has done it, or begins anew."""
    Job.objects.filter(kind=kind, key=key, attempts__gte=MAX_ATTEMPTS).delete()


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
    """The oldest job that is due and that nobody owns; it belongs to the caller then.

    Of two that take the same one, the second waits until the first has it, and its update then finds it taken.
    """
    now = timezone.now()
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - CLAIM_LASTS)
    due = Job.objects.filter(free, kind__in=kinds, not_before__lte=now, attempts__lt=MAX_ATTEMPTS)
    for job in due.order_by("id")[:10]:
        if Job.objects.filter(free, pk=job.pk).update(claimed_at=now):
            return job
    return None


def claim_only(kind: str, key: int) -> Job | None:
    """The one job of this kind and key, made if there is none; given if it is due and nobody owns it.

    Two workers may have made one each: the older one counts, the other goes.
    """
    if not Job.objects.filter(kind=kind, key=key).exists():
        enqueue(kind, [key])
    job = claim([kind])
    if job is not None and Job.objects.filter(kind=kind, key=key, pk__lt=job.pk).exists():
        finish(job)
        return None
    return job


def keep(claimed: Collection[int]) -> None:
    """Renew the claims on these jobs, by their ids: somebody is still at them."""
    Job.objects.filter(pk__in=claimed).exclude(claimed_at=None).update(claimed_at=timezone.now())


def finish(job: Job) -> None:
    """The job is done."""
    job.delete()


def retry(job: Job, *, error: str) -> None:
    """The job failed with this code: free it again, to be tried after a wait that doubles each time."""
    wait = FIRST_WAIT * 2**job.attempts * random.uniform(1 - JITTER, 1)
    Job.objects.filter(pk=job.pk).update(
        attempts=job.attempts + 1, claimed_at=None, not_before=timezone.now() + wait, error=error[:200]
    )


def put_off(job: Job, *, wait: timedelta, error: str = "") -> None:
    """Free the job again, to be done after `wait`. It has not failed; error: a code to show meanwhile."""
    due = timezone.now() + wait
    Job.objects.filter(pk=job.pk).update(claimed_at=None, not_before=due, error=error[:200])
