"""Alarms: what somebody must know who is not looking. Raised once, cleared once, told by mail and webhook until that succeeds.

Conditions are worked out anew each time from what the database says. What is told are codes, numbers of sources and times.
"""

from __future__ import annotations

import fcntl
import logging
import smtplib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Count, Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evidence import heartbeat, jobs, monitor, outbound, readiness, receipts, vitals
from evidence.errors import EvidenceError
from evidence.identity import Openness
from evidence.models import Alarm, Provider
from evidence.monitor import SourceState
from evidence.vitals import Vitals

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

JOB: Final = "alarms"
EVERY: Final = timedelta(minutes=1)
"""How often conditions are looked at."""
LASTS: Final = timedelta(minutes=15)
"""For so long an alarm is raised at least: what comes and goes each minute is told four times an hour, not sixty."""
MOST_OF_SLA: Final = 0.8
"""Share of the revocation SLA after which somebody must act: with a day, five hours are left."""
FAILED_RUNS: Final = 3
"""Runs in a row: one failure mends itself."""
LEAST_DISK: Final = 2_000_000_000
"""Bytes: a database is written anew after removals, and takes its size once more for that."""
TOLD_WITHIN: Final = timedelta(days=1)
"""What is over for longer is not told any more: a way that is set up today is no way to read about last year."""
LONGEST_WAIT: Final = timedelta(hours=1)
"""Between two attempts at a way that fails; the first ones come after a minute, two, four."""
TELLING_SECONDS: Final = 10.0
"""For one message."""

logger = logging.getLogger(__name__)


class Code(StrEnum):
    """What is the matter."""

    TOO_OLD = "too_old"
    AHEAD = "ahead"
    RESTORED = "restored"
    SLA_USED = "sla_used"
    FAILING = "failing"
    CUT_SHORT = "cut_short"
    SAMPLE = "sample"
    DROPPED = "dropped"
    LAGGING = "lagging"
    GIVEN_UP = "given_up"
    REMOVAL_OVERDUE = "removal_overdue"
    INDEX = "index"
    WORKER_MISSED = "worker_missed"
    PROVIDER_SILENT = "provider_silent"
    DISK_FULL = "disk_full"


WORDS: Final[Mapping[Code, StrPromise]] = {
    Code.TOO_OLD: gettext_lazy("Its rights are older than its revocation SLA allows. It is closed."),
    Code.AHEAD: gettext_lazy("Its rights were confirmed in the future: a clock is wrong. It is closed."),
    Code.RESTORED: gettext_lazy("It was restored from a backup and is closed until its rights are confirmed."),
    Code.SLA_USED: gettext_lazy("Most of its revocation SLA is used up. Without a complete run it closes soon."),
    Code.FAILING: gettext_lazy("Several runs in a row were not complete."),
    Code.CUT_SHORT: gettext_lazy("Its listing was cut short. Nothing was withdrawn, and no rights were confirmed."),
    Code.SAMPLE: gettext_lazy("What a sample of the last run read back differs from what was written."),
    Code.DROPPED: gettext_lazy("The index gave hits that the database did not confirm."),
    Code.LAGGING: gettext_lazy("Changes have been waiting for the index for too long."),
    Code.GIVEN_UP: gettext_lazy("A job was tried too often and given up."),
    Code.REMOVAL_OVERDUE: gettext_lazy("A removal is not finished after a day, or something of the document is still there."),
    Code.INDEX: gettext_lazy("The search index can’t be asked."),
    Code.WORKER_MISSED: gettext_lazy("No worker (manage.py work) has been seen lately."),
    Code.PROVIDER_SILENT: gettext_lazy(
        "The identity provider pushes nothing any more. Soon the groups that it pushed count no more."
    ),
    Code.DISK_FULL: gettext_lazy("The disk with the data folder is nearly full."),
}
"""What a code means: of a source, or of the whole installation."""
CUT_SHORT: Final = frozenset({"listing_incomplete", "too_many_missing"})
"""How runs end whose listing was cut short."""

Raised = tuple[int | None, str]
"""Number of the source, None for the whole installation; and the code."""


def check(*, now: datetime | None = None) -> None:
    """Look at all conditions, raise and clear what follows, and tell it."""
    now = now or timezone.now()
    update(conditions(now=now), now=now)
    tell(now=now)


def check_without_worker() -> None:
    """The same, where no worker does it; whoever is at it already is left to it. It must not fail: others wait for an answer."""
    job = jobs.claim_only(JOB, 0)
    if job is not None:
        try:
            check()
        finally:
            jobs.put_off(job, wait=EVERY)


def conditions(*, now: datetime) -> set[Raised]:
    """What is the matter now."""
    states = monitor.sources(None, now=now)
    found = vitals.read(now=now)
    overdue = receipts.overdue(since=now - vitals.OVERDUE_AFTER).order_by().values_list("source").annotate(Count("pk"))
    raised: set[Raised] = {(state.source.pk, code) for state in states for code in _of_source(state)}
    raised |= {(source, Code.REMOVAL_OVERDUE) for source, _count in overdue}
    return raised | {(None, code) for code in _of_all(states, found, now=now)}


def update(raised: set[Raised], *, now: datetime) -> None:
    """Write down what is raised now and was not, and clear what was and is not any more."""
    Alarm.objects.bulk_create(
        [Alarm(source_id=source, code=code, raised_at=now) for source, code in sorted(raised, key=str)], ignore_conflicts=True
    )
    for alarm in Alarm.objects.filter(cleared_at=None, raised_at__lte=now - LASTS):
        if (alarm.source_id, alarm.code) not in raised:
            Alarm.objects.filter(pk=alarm.pk, cleared_at=None).update(cleared_at=now)


def tell(*, now: datetime) -> None:
    """Tell by every way that is set up what has not been told by it; a way that fails is tried again, later and later."""
    with _alone() as mine:
        if mine:
            for name, way in _ways().items():
                _tell(name, way, now)


def current() -> Sequence[Alarm]:
    """Alarms that are raised, the latest first."""
    return list(Alarm.objects.filter(cleared_at=None).select_related("source__tenant"))


def _of_source(state: SourceState) -> Iterator[Code]:
    holds = {
        Code.TOO_OLD: state.openness is Openness.TOO_OLD,
        Code.AHEAD: state.openness is Openness.AHEAD,
        Code.RESTORED: state.openness is Openness.RESTORED,
        Code.SLA_USED: state.openness is Openness.OPEN
        and state.rights_age is not None
        and state.rights_age > MOST_OF_SLA * state.source.revocation_sla,
        Code.FAILING: state.failures >= FAILED_RUNS,
        Code.CUT_SHORT: state.failures > 0 and state.last_error in CUT_SHORT,
        Code.SAMPLE: state.sample_faults > 0,
        Code.DROPPED: state.dropped > 0,
        Code.LAGGING: state.oldest_pending is not None and state.oldest_pending > monitor.LAGS_FROM,
        Code.GIVEN_UP: state.jobs_given_up > 0,
    }
    yield from (code for code, one in holds.items() if one)


def _of_all(states: Sequence[SourceState], found: Vitals, *, now: datetime) -> Iterator[Code]:
    of_sources = sum(state.jobs_given_up for state in states)
    holds = {
        Code.GIVEN_UP: sum(queue.given_up for queue in found.queues.values()) > of_sources,
        Code.INDEX: "index" in readiness.faults(),
        Code.WORKER_MISSED: heartbeat.is_missed(now=now),
        Code.PROVIDER_SILENT: _is_silent(now=now),
        Code.DISK_FULL: found.disk_free < LEAST_DISK,
    }
    yield from (code for code, one in holds.items() if one)


def _is_silent(*, now: datetime) -> bool:
    """Whether the provider that pushes people and groups was last heard long ago. One that never was is being set up."""
    since = now - MOST_OF_SLA * settings.OIDC_GROUPS_SLA
    return bool(settings.SCIM_TOKEN) and Provider.objects.filter(issuer=settings.OIDC_ISSUER, heard_at__lt=since).exists()


class Failed(Exception):
    """A message did not get through. The code says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


Way = Callable[[Sequence[Alarm]], None]
"""Tells these alarms. Raises Failed."""


def _ways() -> Mapping[str, Way]:
    """Those that the operator has set up."""
    ways: dict[str, Way] = {}
    if settings.ALARM_MAIL:
        ways["mail"] = _mail
    if settings.ALARM_WEBHOOK:
        ways["webhook"] = _post
    return ways


def _tell(name: str, way: Way, now: datetime) -> None:
    alarms = [alarm for alarm in _untold(name, now) if _is_due(alarm.told.get(name, {}), now)]
    if not alarms:
        return
    try:
        way(alarms)
    except Failed as failed:
        logger.warning("alarms: %s failed: %s", name, failed.code)
        for alarm in alarms:
            failures = alarm.told.get(name, {}).get("failures", 0) + 1
            _write(alarm, name, {"tried": now.isoformat(), "failures": failures})
        return
    for alarm in alarms:
        done = ("raised",) if alarm.cleared_at is None else ("raised", "cleared")
        _write(alarm, name, {"failures": 0, **dict.fromkeys(done, now.isoformat())})


def _untold(name: str, now: datetime) -> Sequence[Alarm]:
    """Alarms of which this way has not told that they were raised or cleared."""
    raised = Q(**{f"told__{name}__raised__isnull": True})
    cleared = Q(**{f"told__{name}__cleared__isnull": True}) & Q(cleared_at__isnull=False)
    lately = Q(cleared_at=None) | Q(cleared_at__gt=now - TOLD_WITHIN)
    return list(Alarm.objects.filter(lately, raised | cleared).order_by("raised_at", "pk"))


def _is_due(told: Mapping[str, Any], now: datetime) -> bool:
    failures: int = told.get("failures", 0)
    if not failures:
        return True
    doubled: int = 2 ** min(failures - 1, 10)
    wait = min(EVERY * doubled, LONGEST_WAIT)
    tried = datetime.fromisoformat(told["tried"])
    return tried + wait <= now


def _write(alarm: Alarm, name: str, values: Mapping[str, object]) -> None:
    alarm.told[name] = alarm.told.get(name, {}) | dict(values)
    Alarm.objects.filter(pk=alarm.pk).update(told=alarm.told)


def _mail(alarms: Sequence[Alarm]) -> None:
    """One mail about all of them, in the operator's language."""
    with translation.override(settings.LANGUAGE_CODE):
        count = len(alarms)
        subject = ngettext("Fundstelle: %(count)d alarm", "Fundstelle: %(count)d alarms", count) % {"count": count}
        body = "\n\n".join(_paragraph(alarm) for alarm in alarms)
    try:
        send_mail(subject, f"{body}\n", None, settings.ALARM_MAIL)
    except (OSError, smtplib.SMTPException) as error:
        raise Failed(type(error).__name__) from None


def _paragraph(alarm: Alarm) -> str:
    where = _("Source %(number)d") % {"number": alarm.source_id} if alarm.source_id else _("The whole installation")
    times = [_("raised %(at)s") % {"at": _shown(alarm.raised_at)}]
    if alarm.cleared_at is not None:
        times.append(_("cleared %(at)s") % {"at": _shown(alarm.cleared_at)})
    return f"{where}: {WORDS[Code(alarm.code)]}\n{alarm.code}, {', '.join(times)}"


def _shown(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M}"


def _post(alarms: Sequence[Alarm]) -> None:
    """One call about all of them."""
    secret = settings.ALARM_WEBHOOK_SECRET
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    try:
        answer = outbound.post(settings.ALARM_WEBHOOK, {"alarms": _values(alarms)}, timeout=TELLING_SECONDS, headers=headers)
    except EvidenceError as error:
        raise Failed(error.code) from None
    if not 200 <= answer.status < 300:
        raise Failed(f"status_{answer.status}")


def _values(alarms: Sequence[Alarm]) -> Sequence[Mapping[str, object]]:
    return [
        {
            "code": alarm.code,
            "source": alarm.source_id,
            "raised_at": alarm.raised_at.isoformat(),
            "cleared_at": alarm.cleared_at.isoformat() if alarm.cleared_at else None,
        }
        for alarm in alarms
    ]


@contextmanager
def _alone() -> Iterator[bool]:
    """One process tells at a time; gives False where another is at it."""
    folder = Path(settings.DATA_DIR) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "alarms").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
