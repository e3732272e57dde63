"""Inspection: all that an administrator is shown of one source, beside its state: runs and their failures, documents that are
withheld or out of date, receipts, revocations, the last sample, confirmations of its rights. Ids, counts and codes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from evidence import closing, monitor, projection, receipts
from evidence.access import Access
from evidence.models import AuditEvent, Document, Job, Receipt, Revocation, Run, Source, SourceKind, Token
from evidence.monitor import SourceState

SHOWN: Final = 20
"""Rows of each list; how many there are is said beside it."""
SHOWN_PATHS: Final = 10
"""Paths that are shown of one kind of problem."""
DAYS: Final = 14
"""Days whose runs are counted."""
TEETH: Final = 7
"""Revocation SLAs over which the age of rights is shown: a week of nights for the usual one."""
SHORTEST: Final = timedelta(days=1)
LONGEST: Final = timedelta(days=90)
MAX_RUNS: Final = 20_000
"""Runs that are read for the charts: two weeks of one a minute."""


@dataclass(frozen=True, slots=True)
class Named:
    """A document by its ids. why: a text of ids and codes, where there is something to say."""

    id: UUID
    external_id: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """Some documents, and how many there are."""

    rows: Sequence[Named] = ()
    total: int = 0

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.total - len(self.rows)


@dataclass(frozen=True, slots=True)
class Problem:
    """What a run could not take in for one reason. paths: some of them, "" left out."""

    code: str
    count: int
    paths: Sequence[str]


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Rights were confirmed at a moment, as of another one: a run confirms as of its start."""

    at: datetime
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Inspection:
    """One source. runs: the latest, the newest first, and how many there are. problems: of the last one that ended.

    stale: documents that are shown in an older state than the source has, because the newer one was refused. ages_since: since
    when `confirmations` are complete, with the one before it, oldest first. endings: when runs ended, and how, within DAYS.
    """

    state: SourceState
    groups: Sequence[str]
    runs: Sequence[Run]
    runs_total: int
    problems: Sequence[Problem]
    withheld: Listed
    stale: Listed
    waiting: Listed
    receipts: Sequence[Receipt]
    receipts_total: int
    revocations: Sequence[Revocation]
    revocations_total: int
    sampled: Run | None
    confirmations: Sequence[Confirmation]
    ages_since: datetime
    endings: Sequence[tuple[datetime, str]]
    tokens: Sequence[Token] = field(default=())

    @property
    def last(self) -> Run | None:
        """The last run that ended."""
        return next((run for run in self.runs if run.outcome != Run.Outcome.RUNNING), None)


def inspect(access: Access, source: int, *, now: datetime) -> Inspection:
    """All of a source of the administrator's tenant, in a bounded number of queries. Raises Unavailable for any other."""
    row = closing.mine(access, source)
    state = monitor.one(row, now=now)
    runs = list(row.runs.order_by("-started_at", "-pk")[:SHOWN])
    last = next((run for run in runs if run.outcome != Run.Outcome.RUNNING), None)
    kept = Document.objects.filter(source=row, withdrawn_at=None)
    since = now - _window(row)
    ended = _ended(row, since=min(since, now - timedelta(days=DAYS)))
    unsettled = Job.objects.filter(kind=projection.JOB).values("key")
    shown = receipts.begun(now=now).filter(source=row).order_by("-requested_at", "-pk")
    revocations = row.revocations.order_by("-in_effect_at", "-pk")
    return Inspection(
        state=state,
        groups=list(row.announced_to.order_by("name").values_list("name", flat=True)),
        runs=runs,
        runs_total=row.runs.count(),
        problems=[] if last is None else problems(last),
        withheld=_listed(kept.exclude(rights_problem=""), why="rights_problem"),
        stale=_listed(_stale(kept, last)),
        waiting=_listed(kept.filter(pk__in=unsettled)),
        receipts=list(shown[:SHOWN]),
        receipts_total=shown.count(),
        revocations=list(revocations[:SHOWN]),
        revocations_total=revocations.count(),
        sampled=row.runs.exclude(sample={}).order_by("-started_at").first(),
        confirmations=_confirmations(row, ended, since=since),
        ages_since=since,
        endings=[(at, outcome) for _, at, outcome in ended if at >= now - timedelta(days=DAYS)],
        tokens=list(row.tokens.select_related("user")) if row.kind == SourceKind.PUSH else (),
    )


def problems(run: Run) -> Sequence[Problem]:
    """What a run could not take in, by reason, the most frequent first."""
    counts = Counter(code for _path, code, *_more in run.problems)
    paths: dict[str, list[str]] = {}
    for path, code, *_more in run.problems:
        paths.setdefault(code, []).append(path)
    return [
        Problem(code, count, [path for path in paths[code] if path][:SHOWN_PATHS])
        for code, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def _window(row: Source) -> timedelta:
    """The time over which the age of rights is shown."""
    return max(SHORTEST, min(row.revocation_sla, LONGEST / TEETH) * TEETH)


def _ended(row: Source, *, since: datetime) -> Sequence[tuple[datetime, datetime, str]]:
    """Start, end and outcome of the runs that ended since then, oldest first."""
    runs = row.runs.filter(finished_at__gte=since).order_by("-finished_at").values_list("started_at", "finished_at", "outcome")
    return [(started, at, outcome) for started, at, outcome in list(runs[:MAX_RUNS])[::-1] if at is not None]


def _confirmations(row: Source, ended: Sequence[tuple[datetime, datetime, str]], *, since: datetime) -> Sequence[Confirmation]:
    """By runs, hands and pushing systems, with what confirmed the rights at `since`, and whatever confirms them now."""
    if row.kind == SourceKind.LOCAL:
        return []
    complete = Run.Outcome.COMPLETE
    before = row.runs.filter(outcome=complete, finished_at__lt=since).order_by("-finished_at").first()
    others = AuditEvent.objects.filter(
        Q(at__gte=since), tenant=row.tenant_id, code=closing.CONFIRMED, ids__source=row.pk
    ).order_by("at")
    found = [Confirmation(at, started) for started, at, outcome in ended if outcome == complete and at >= since]
    found += [Confirmation(at, _as_of(ids) or at) for at, ids in others.values_list("at", "ids")]
    if before is not None and before.finished_at is not None:
        found.append(Confirmation(before.finished_at, before.started_at))
    counts = row.rights_confirmed_at
    if counts is not None and not any(abs(one.as_of - counts) < timedelta(seconds=1) for one in found):
        found.append(Confirmation(counts, counts))
    return sorted(found, key=lambda one: one.at)


def _as_of(ids: Mapping[str, object]) -> datetime | None:
    """What a pushing system confirmed its rights as of."""
    stated = ids.get("as_of")
    return datetime.fromisoformat(stated) if isinstance(stated, str) else None


def _stale(kept: QuerySet[Document], last: Run | None) -> QuerySet[Document]:
    """Documents that the last run found a newer state of, which it could not take in. They are found by path or by id."""
    paths = {path for path, *_more in (last.problems if last else ()) if path}
    if not paths:
        return kept.none()
    refused = Q(current__revision__path__in=paths) | Q(external_id__in=paths)
    return kept.filter(refused, rights_problem="", current__isnull=False)


def _listed(rows: QuerySet[Document], *, why: str = "") -> Listed:
    fields = ["public_id", "external_id", *([why] if why else [])]
    return Listed([Named(*values) for values in rows.order_by("external_id").values_list(*fields)[:SHOWN]], rows.count())
