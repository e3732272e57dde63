"""Syncing: a run over a source that can be asked: list it, bring the database in line, and leave a row that says how it went.

Runs are asked for by people (`request`), by the clock (`enqueue_due`) and by whoever watches a folder (`changed`); the worker
does them. What a run does is for evidence.ingest to say.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from evidence import ingest, jobs, origins, runs
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.intake import RIGHTS_CHANGED, STOPPED, Report
from evidence.models import AuditEvent, Source
from evidence.sources import Listing
from evidence.sources import Source as Asked
from evidence.sources.kinds import KINDS

JOB: Final = "sync"
SOON: Final = timedelta(seconds=10)
"""After rights changed in the middle of a run: whoever edits them may not be done yet."""
BUSY_WAIT: Final = timedelta(seconds=20)
"""While another run of the source goes on that no job began."""


def request(source: Source, *, actor: int | None = None) -> bool:
    """Ask for a run as soon as possible; gives whether none was waiting. actor: the person who asks, if one does.

    Raises Refused for a source that only receives.
    """
    _refuse_receiving(source)
    with transaction.atomic():
        AuditEvent.objects.create(tenant=source.tenant, actor_id=actor, code="source.sync_requested", ids={"source": source.pk})
        return changed(source.pk)


def changed(source: int, *, wait: timedelta = timedelta()) -> bool:
    """See to it that a run begins which sees what is there now; gives whether none was waiting."""
    with transaction.atomic():
        if Source.objects.select_for_update().filter(pk=source, kind__in=KINDS).first() is None:
            return False
        return jobs.hurry(JOB, source, wait=wait)


def enqueue_due(now: datetime) -> None:
    """Ask for the runs whose time has come. When the next one is due is written first: no worker asks for the same one twice.

    A run that failed and waits for its next try is begun now: the origin is asked no more often than it would be anyway.
    """
    due = Source.objects.filter(Q(next_sync_at=None) | Q(next_sync_at__lte=now), sync_every__gt=timedelta(), kind__in=KINDS)
    for source in due:
        with transaction.atomic():
            mine = Source.objects.filter(pk=source.pk, next_sync_at=source.next_sync_at)
            if source.sync_every and mine.update(next_sync_at=now + source.sync_every):
                changed(source.pk)


def work_off(source: int, stop: Callable[[], bool]) -> None:
    """Do the run that a job asked for. Raises what ended it, or EvidenceError when it was not complete, so that it is retried.

    Raises jobs.Later when it was stopped, or while another one goes on.
    """
    row = Source.objects.filter(pk=source).select_related("tenant").first()
    if row is None or row.kind not in KINDS:
        return
    try:
        report = sync(row, stop=stop)
    except Refused as error:
        if error.code == runs.RUNNING:
            raise jobs.Later(BUSY_WAIT) from error
        raise
    if report.error == STOPPED:
        raise jobs.Later(timedelta())
    if report.error and report.error != RIGHTS_CHANGED:
        raise EvidenceError(report.error, gettext_noop("The source was not seen completely."))


def sync(
    source: Source,
    *,
    allow_removals: bool = False,
    stop: Callable[[], bool] = lambda: False,
    listed: Callable[[int], object] = lambda items: None,
    progress: Callable[[int], object] = lambda items: None,
) -> Report:
    """A run of this source now. listed: called with the number of items, once that is known; the rest as `ingest.bring_in` says.

    A run that rights were changed under is asked for again, SOON. Raises Refused, having done nothing, for a source that only
    receives, or while another run goes on. Raises EvidenceError for an origin that can't be listed, after the run was kept as
    failed; it confirmed nothing then.
    """
    source.refresh_from_db()
    _refuse_receiving(source)
    with runs.begun(source) as run:
        asked, listing = _listed(source)
        ingest.describe(source, listing.settings)
        listed(len(listing.items))
        report = ingest.bring_in(run, listing, stamp=asked.stamp, allow_removals=allow_removals, stop=stop, progress=progress)
    if report.error == RIGHTS_CHANGED:
        changed(source.pk, wait=SOON)
    if report.complete:
        jobs.forget_given_up(JOB, source.pk)
    return report


def _listed(source: Source) -> tuple[Asked, Listing]:
    """What can be asked, and what it lists. The rights in it are those of a moment after the run's start."""
    try:
        asked = origins.of(source)
        if asked is None:
            raise _receiving(source)
        return asked, asked.list()
    except EvidenceError:
        raise
    except OSError as error:
        message = gettext_noop("The origin can't be reached (%(reason)s).")
        raise Refused("origin_unreachable", message, reason=_reason(error)) from error


def _reason(error: OSError) -> str:
    """What the system says of it; the message of a library may hold an address."""
    return os.strerror(error.errno) if error.errno and error.errno in errno.errorcode else type(error).__name__


def _refuse_receiving(source: Source) -> None:
    if source.kind not in KINDS:
        raise _receiving(source)


def _receiving(source: Source) -> Refused:
    message = gettext_noop("The source %(name)s only receives documents: there is no place that a run could list.")
    return Refused("source_only_receives", message, name=source.name)
