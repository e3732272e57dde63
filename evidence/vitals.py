"""Vitals: numbers of the whole installation, which no source has for itself: counts, kinds and times for metrics and alarms."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery

from evidence import heartbeat
from evidence.jobs import MAX_ATTEMPTS
from evidence.models import Alarm, Job, Receipt, Revocation

OVERDUE_AFTER: Final = timedelta(days=1)
"""A removal that is not finished by then needs somebody: trying it again has not helped."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Jobs of one kind. waiting: that are due. oldest: since when the first of them is."""

    waiting: int
    oldest: datetime | None
    given_up: int


@dataclass(frozen=True, slots=True)
class Receipts:
    """Removals by how far they are. later: of documents that may still come back. open: due, and not finished. overdue: of those,
    that were due OVERDUE_AFTER ago. unclean: of those, of which something was found.
    """

    later: int
    open: int
    overdue: int
    unclean: int


@dataclass(frozen=True, slots=True)
class Vitals:
    """All of it. revocations: source and whether it was a drill -> how long the last one took whose beginning is known."""

    queues: Mapping[str, Queue]
    receipts: Receipts
    revocations: Mapping[tuple[int, bool], timedelta]
    alarms: Mapping[str, int]
    worker_seen: datetime | None
    disk_free: int
    disk_total: int


def read(*, now: datetime) -> Vitals:
    """Four queries."""
    disk = shutil.disk_usage(settings.DATA_DIR)
    return Vitals(
        queues=_queues(now),
        receipts=_receipts(now),
        revocations=_revocations(),
        alarms=dict(Alarm.objects.filter(cleared_at=None).order_by().values_list("code").annotate(Count("pk"))),
        worker_seen=heartbeat.last(),
        disk_free=disk.free,
        disk_total=disk.total,
    )


def _queues(now: datetime) -> Mapping[str, Queue]:
    alive = Q(attempts__lt=MAX_ATTEMPTS, not_before__lte=now)
    rows = Job.objects.order_by().values_list("kind")
    counted = rows.annotate(
        waiting=Count("pk", filter=alive),
        oldest=Min("not_before", filter=alive),
        given_up=Count("pk", filter=Q(attempts__gte=MAX_ATTEMPTS)),
    )
    return {kind: Queue(waiting, oldest, given_up) for kind, waiting, oldest, given_up in counted}


def _receipts(now: datetime) -> Receipts:
    is_open = Q(finished_at=None, due_at__lte=now)
    is_overdue = Q(finished_at=None, due_at__lt=now - OVERDUE_AFTER)
    counted = Receipt.objects.filter(finished_at=None).aggregate(
        later=Count("pk", filter=Q(due_at__gt=now)),
        open=Count("pk", filter=is_open),
        overdue=Count("pk", filter=is_overdue),
        unclean=Count("pk", filter=is_open & ~Q(purged_at=None) & ~Q(traces={})),
    )
    return Receipts(**counted)


def _revocations() -> Mapping[tuple[int, bool], timedelta]:
    known = Revocation.objects.filter(at_origin__isnull=False)
    same = known.filter(source=OuterRef("source"), drill=OuterRef("drill")).order_by().values("source", "drill")
    last = known.filter(in_effect_at=Subquery(same.annotate(last=Max("in_effect_at")).values("last")))
    rows = last.order_by("pk").values_list("source", "drill", "at_origin", "in_effect_at")
    return {(source, drill): effect - origin for source, drill, origin, effect in rows if origin is not None}
