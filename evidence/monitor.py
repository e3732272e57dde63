"""Monitoring: how open, fresh and sound the sources are, in ids, counts and codes.

Administrators, metrics and alarms read it. It gives no title and no text: those belong to people who may read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.db.models import Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery

from evidence import identity, jobs, projection, removal, syncing
from evidence.identity import Openness
from evidence.models import AuditEvent, Document, Job, Receipt, Representation, Run, Source, SourceKind, id_list

DROPPED_WITHIN: Final = timedelta(hours=24)
"""Dropped hits are counted over this time: a fault of yesterday night is seen in the morning."""
LOST_AFTER: Final = timedelta(minutes=30)
"""A run that has said nothing for so long was killed; the largest file takes minutes."""
EXPIRING_FROM: Final = 0.75
"""Share of the SLA from which on the age of rights is a matter: with a run every night, six hours are left to mend it."""
LAGS_FROM: Final = timedelta(minutes=10)
"""A change that has not reached the index for so long is a matter: the worker brings it there within seconds."""
UNCONFIRMED: Final = "rights.unconfirmed"
"""The audit's code for a source that closed because a listing missed too much."""
_BAD: Final = (Run.Outcome.INCOMPLETE, Run.Outcome.FAILED)


class Concern(StrEnum):
    """What an administrator should look at, the gravest first."""

    RESTORED = "restored"
    CUT_SHORT = "cut_short"
    NEVER_CONFIRMED = "never_confirmed"
    TOO_OLD = "too_old"
    AHEAD = "ahead"
    CLOSED = "closed"
    DROPPED = "dropped"
    GIVEN_UP = "given_up"
    SAMPLE = "sample"
    EXPIRING = "expiring"
    FAILING = "failing"
    LAGGING = "lagging"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class SourceState:
    """How one source is doing.

    rights_age: None where rights were never confirmed, or are kept here and always are. last_good: when the last complete run
    ended. next_try: when the next run is due. failures: runs in a row that were not complete; last_error: code of the last of
    them, else "". documents: that are not withdrawn; withheld: those of them that nobody reads, for a problem of their rights.
    pending, oldest_pending: documents whose last change has not reached the index, and for how long. dropped: hits that no
    longer fitted the database, within DROPPED_WITHIN. jobs_given_up: of this source, that were tried too often.
    lost: its rights had been confirmed, and are not since a listing missed too much.
    """

    source: Source
    openness: Openness
    rights_age: timedelta | None
    last_good: datetime | None
    next_try: datetime | None
    failures: int
    last_error: str
    documents: int
    withheld: int
    withdrawn: int
    pending: int
    oldest_pending: timedelta | None
    dropped: int
    jobs_given_up: int
    running: Run | None
    sample_faults: int = 0
    lost: bool = False

    @property
    def condition(self) -> Openness | Concern:
        """Whether it is open, and if not, why; more exactly than access has to know it."""
        return Concern.CUT_SHORT if self.lost else self.openness


def sources(tenant: int | None, *, now: datetime) -> Sequence[SourceState]:
    """The state of each source of this tenant, or of all tenants for None. The number of queries depends on neither."""
    rows = Source.objects.select_related("tenant")
    return _states(list(rows if tenant is None else rows.filter(tenant=tenant)), now=now)


def one(source: Source, *, now: datetime) -> SourceState:
    """The state of this source."""
    return _states([source], now=now)[0]


def concerns(state: SourceState) -> Sequence[Concern]:
    """What is to be looked at, the gravest first; nothing of a source that is well."""
    age, oldest = state.rights_age, state.oldest_pending
    is_open = state.openness is Openness.OPEN
    holds = {
        Concern.DROPPED: state.dropped > 0,
        Concern.GIVEN_UP: state.jobs_given_up > 0,
        Concern.SAMPLE: state.sample_faults > 0,
        Concern.EXPIRING: is_open and age is not None and age > EXPIRING_FROM * state.source.revocation_sla,
        Concern.FAILING: state.failures > 0,
        Concern.LAGGING: oldest is not None and oldest > LAGS_FROM,
        Concern.WITHHELD: state.withheld > 0,
    }
    closed = [] if is_open else [Concern(state.condition)]
    return closed + [concern for concern, is_one in holds.items() if is_one]


def gravest_first(states: Iterable[SourceState]) -> Sequence[SourceState]:
    """Those that need attention before the others, which follow by name."""
    order = list(Concern)

    def place(state: SourceState) -> tuple[int, str]:
        return (min((order.index(one) for one in concerns(state)), default=len(order)), state.source.name)

    return sorted(states, key=place)


def _states(rows: Sequence[Source], *, now: datetime) -> Sequence[SourceState]:
    keys = {row.pk for row in rows}
    runs = _Runs.of(keys)
    lost = _lost(row.pk for row in rows if identity.openness(row, now=now) is Openness.NEVER_CONFIRMED)
    documents = _documents(keys)
    places = _Places.read(now)
    states = [_state(row, runs, documents.get(row.pk, _NONE), places, now=now) for row in rows]
    return [replace(state, lost=True) if state.source.pk in lost else state for state in states]


def _lost(unconfirmed: Iterable[int]) -> Collection[int]:
    """Those of these sources, which nothing confirms, that were confirmed before."""
    asked = list(unconfirmed)
    if not asked:
        return ()
    events = AuditEvent.objects.filter(code=UNCONFIRMED, ids__source__in=asked).order_by()
    return {int(source) for source in events.values_list("ids__source", flat=True)}


@dataclass(frozen=True, slots=True)
class _Counts:
    """Documents of one source."""

    documents: int = 0
    withheld: int = 0
    withdrawn: int = 0


_NONE: Final = _Counts()


@dataclass(frozen=True, slots=True)
class _Runs:
    """What is known of runs, by source. good: when the last complete one ended. failures: bad ones that began after it."""

    last: Mapping[int, Run]
    running: Mapping[int, Run]
    good: Mapping[int, datetime]
    failures: Mapping[int, int]

    @classmethod
    def of(cls, sources: Collection[int]) -> _Runs:
        """Four queries."""
        of_these = Run.objects.filter(source__in=id_list(sources, using="default"))
        complete = of_these.filter(outcome=Run.Outcome.COMPLETE).order_by()
        last_good = Run.objects.filter(source=OuterRef("source"), outcome=Run.Outcome.COMPLETE).order_by("-started_at")
        bad = of_these.filter(outcome__in=_BAD).annotate(good=Subquery(last_good.values("started_at")[:1]))
        since = bad.filter(Q(good=None) | Q(started_at__gt=F("good"))).order_by()
        return cls(
            last=_latest(sources, Q(outcome__in=(*_BAD, Run.Outcome.COMPLETE))),
            running=_latest(sources, Q(outcome=Run.Outcome.RUNNING)),
            good=dict(complete.values_list("source").annotate(Max("finished_at"))),
            failures=dict(since.values_list("source").annotate(Count("pk"))),
        )


def _latest(sources: Collection[int], which: Q) -> Mapping[int, Run]:
    """The latest of these runs of each source."""
    latest = Run.objects.filter(which, source=OuterRef("pk")).order_by("-started_at", "-pk").values("pk")[:1]
    rows = Source.objects.filter(pk__in=id_list(sources, using="default")).values(run=Subquery(latest))
    return {run.source_id: run for run in Run.objects.filter(pk__in=rows)}


def _documents(sources: Collection[int]) -> Mapping[int, _Counts]:
    rows = Document.objects.filter(source__in=id_list(sources, using="default"))
    kept = Q(withdrawn_at=None)
    counted = rows.values_list("source").annotate(
        documents=Count("pk", filter=kept),
        withheld=Count("pk", filter=kept & ~Q(rights_problem="")),
        withdrawn=Count("pk", filter=~kept),
    )
    return {source: _Counts(documents, withheld, withdrawn) for source, documents, withheld, withdrawn in counted}


@dataclass(frozen=True, slots=True)
class _Places:
    """What waits, was dropped or was given up, by source. due: when a run that was asked for begins."""

    pending: Mapping[int, int]
    oldest: Mapping[int, datetime]
    dropped: Mapping[int, int]
    given_up: Mapping[int, int]
    due: Mapping[int, datetime]

    @classmethod
    def read(cls, now: datetime) -> _Places:
        """Seven queries: jobs know documents by their ids only."""
        waiting = dict(_of_kind(projection.JOB).values_list("key").annotate(Min("created_at")))
        dropped = _dropped_hits(since=now - DROPPED_WITHIN)
        over = list(Job.objects.filter(attempts__gte=jobs.MAX_ATTEMPTS).values_list("kind", "key"))
        removing = id_list({key for kind, key in over if kind in {removal.PURGE, removal.WIPE}}, using="default")
        source_of = _sources_of({*waiting, *dropped})
        removals = Receipt.objects.filter(pk__in=removing).values_list("source", flat=True)
        pending: Counter[int] = Counter()
        oldest: dict[int, datetime] = {}
        for document, since in waiting.items():
            if (source := source_of.get(document)) is not None:
                pending[source] += 1
                oldest[source] = min(since, oldest.get(source, since))
        return cls(
            pending=pending,
            oldest=oldest,
            dropped=_by_source(dropped, source_of),
            given_up=Counter(one for one in removals if one is not None)
            + Counter(key for kind, key in over if kind == syncing.JOB),
            due=dict(_of_kind(syncing.JOB).filter(attempts__lt=jobs.MAX_ATTEMPTS).values_list("key").annotate(Min("not_before"))),
        )


def _of_kind(kind: str) -> QuerySet[Job]:
    return Job.objects.filter(kind=kind).order_by()


def _dropped_hits(*, since: datetime) -> Counter[int]:
    """Hits that were dropped, by the id under which the index has the document's state."""
    events = AuditEvent.objects.filter(code="index.hit_dropped", at__gte=since).order_by()
    return Counter(dict(events.values_list("ids__document").annotate(Count("pk"))))


def _sources_of(indexed: Collection[int]) -> Mapping[int, int]:
    """The source of each of these ids in the index; of documents that are gone there is none. Two queries."""
    current = {one for one in indexed if one < projection.ARCHIVED}
    earlier = {one - projection.ARCHIVED for one in indexed if one >= projection.ARCHIVED}
    documents = Document.objects.filter(pk__in=id_list(current, using="default")).values_list("pk", "source")
    states = Representation.objects.filter(pk__in=id_list(earlier, using="default"))
    archived = states.values_list("pk", "revision__document__source")
    return {**dict(documents), **{pk + projection.ARCHIVED: source for pk, source in archived}}


def _by_source(counts: Mapping[int, int], source_of: Mapping[int, int]) -> Counter[int]:
    found: Counter[int] = Counter()
    for one, count in counts.items():
        if one in source_of:
            found[source_of[one]] += count
    return found


def _state(row: Source, runs: _Runs, counts: _Counts, places: _Places, *, now: datetime) -> SourceState:
    last, running = runs.last.get(row.pk), runs.running.get(row.pk)
    always = row.kind == SourceKind.LOCAL or row.rights_confirmed_at is None
    oldest = places.oldest.get(row.pk)
    return SourceState(
        source=row,
        openness=identity.openness(row, now=now),
        rights_age=None if always or row.rights_confirmed_at is None else now - row.rights_confirmed_at,
        last_good=runs.good.get(row.pk),
        next_try=_earliest(places.due.get(row.pk), row.next_sync_at),
        failures=runs.failures.get(row.pk, 0),
        last_error=_error(last),
        documents=counts.documents,
        withheld=counts.withheld,
        withdrawn=counts.withdrawn,
        pending=places.pending.get(row.pk, 0),
        oldest_pending=None if oldest is None else max(now - oldest, timedelta()),
        dropped=places.dropped.get(row.pk, 0),
        jobs_given_up=places.given_up.get(row.pk, 0),
        running=running if running is not None and is_alive(running, now=now) else None,
        sample_faults=0 if last is None else len(last.sample.get("faults", ())),
    )


def is_alive(run: Run, *, now: datetime) -> bool:
    """Whether a run goes on, and was not killed."""
    return run.outcome == Run.Outcome.RUNNING and now - run.seen_at < LOST_AFTER


def _error(run: Run | None) -> str:
    """The code of what made a run fail; of an incomplete one, of the first thing that it could not take in."""
    if run is None or run.outcome == Run.Outcome.COMPLETE:
        return ""
    return run.error or next((code for _path, code in run.problems), "")


def _earliest(*times: datetime | None) -> datetime | None:
    return min((one for one in times if one is not None), default=None)
