"""Search traces: what each search asked and showed, in ids, where a tenant wants them; words only while a diagnosis goes on.

A diagnosis ends by the clock: no job has to come for it. A trace never makes a search fail or wait for long, and what a person
gets does not depend on it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from django.db import DatabaseError, connection
from django.utils import timezone

from evidence.access import Access
from evidence.errors import Refused, gettext_noop
from evidence.models import AuditEvent, SearchTrace, Tenant

LONGEST_DIAGNOSIS: Final = timedelta(hours=24)
"""A problem that a person reports is looked into the same day; who needs longer begins again, and everybody is told again."""
WAITS_MILLISECONDS: Final = 100
"""Where one may write at a time (SQLite): a document of an import is written within that, mostly. After it there is no trace."""

logger = logging.getLogger(__name__)


def note(
    access: Access,
    tenant: Tenant | None,
    query: str,
    passages: Sequence[tuple[int, int]],
    *,
    total: int,
    took: timedelta,
) -> None:
    """Keep what a search asked and showed, if its tenant wants that. passages: representation and number of each, in order."""
    if tenant is None or not (tenant.trace_searches or is_diagnosed(tenant)):
        return
    try:
        with _no_long_wait():
            SearchTrace.objects.create(
                tenant=tenant,
                user_id=access.user,
                classes=sorted(access.classes),
                passages=passages,
                total=total,
                milliseconds=round(took.total_seconds() * 1_000),
                query=query if is_diagnosed(tenant) else "",
            )
    except DatabaseError as error:  # the search has its answer
        logger.warning("trace: not written: %s", type(error).__name__)


def is_diagnosed(tenant: Tenant, *, now: datetime | None = None) -> bool:
    """Whether words of questions are kept now."""
    until = tenant.diagnosis_until
    now = now or timezone.now()
    return until is not None and now < until <= now + LONGEST_DIAGNOSIS


def begin_diagnosis(tenant: Tenant, lasting: timedelta, *, actor: int | None) -> datetime:
    """Keep words of questions from now on, for this time; gives when it ends. Raises Refused for a time out of bounds."""
    if not timedelta() < lasting <= LONGEST_DIAGNOSIS:
        message = gettext_noop("A diagnosis lasts at least a minute and at most %(limit)d hours.")
        raise Refused("diagnosis_time", message, limit=LONGEST_DIAGNOSIS // timedelta(hours=1))
    tenant.diagnosis_until = timezone.now() + lasting
    tenant.save(update_fields=["diagnosis_until"])
    _audit(tenant, "diagnosis.begun", actor, minutes=lasting // timedelta(minutes=1))
    return tenant.diagnosis_until


def end_diagnosis(tenant: Tenant, *, actor: int | None) -> None:
    """Keep no more words. Those that were kept stay until their time is over (see evidence.retention)."""
    if is_diagnosed(tenant):
        _audit(tenant, "diagnosis.ended", actor)
    tenant.diagnosis_until = None
    tenant.save(update_fields=["diagnosis_until"])


def switch(tenant: Tenant, *, on: bool, actor: int | None) -> None:
    """Keep traces of this tenant's searches from now on, or keep none."""
    tenant.trace_searches = on
    tenant.save(update_fields=["trace_searches"])
    _audit(tenant, "traces.on" if on else "traces.off", actor)


def latest(tenant: Tenant, *, number: int) -> Sequence[SearchTrace]:
    """The latest traces of this tenant, the newest first."""
    return list(SearchTrace.objects.filter(tenant=tenant)[:number])


def with_words(tenant: Tenant, *, number: int) -> Sequence[SearchTrace]:
    """The latest questions whose words were kept, the newest first."""
    return list(SearchTrace.objects.filter(tenant=tenant).exclude(query="")[:number])


def _audit(tenant: Tenant, code: str, actor: int | None, **ids: int) -> None:
    AuditEvent.objects.create(tenant=tenant, actor_id=actor, code=code, ids={"tenant": tenant.pk} | ids)


@contextmanager
def _no_long_wait() -> Iterator[None]:
    """On SQLite, wait for whoever writes no longer than WAITS_MILLISECONDS."""
    if connection.vendor != "sqlite":
        yield
        return
    usual = int(connection.settings_dict["OPTIONS"]["timeout"] * 1_000)
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {WAITS_MILLISECONDS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
