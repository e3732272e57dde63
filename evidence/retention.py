"""Retention: what is older than the operator wants it kept goes, a batch at a time, with its files.

Rows go here; what files still hold of them is wiped within a day, as after any removal (see evidence.removal). What is current,
cited or still open is never old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from evidence import audit, projection, removal
from evidence.models import (
    Alarm,
    Answer,
    AuditEvent,
    Citation,
    Conflict,
    Document,
    EntryRevision,
    Proposal,
    Receipt,
    Representation,
    Retired,
    Revision,
    Revocation,
    Run,
    SearchReport,
    SearchTrace,
    Tenant,
)

BATCH: Final = 200
"""Rows that one transaction removes: others can write between two of them."""
MOST_BATCHES: Final = 500
"""Of one kind, at a time; the rest goes the next day, or sooner when `manage.py retain` is called."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of what gets old. setting: key of settings.KEEP. rows: those that are older than this moment.

    remove: takes keys of such rows away, in a transaction, and gives how many there were.
    """

    setting: str
    rows: Callable[[datetime], QuerySet[Any]]
    remove: Callable[[Collection[int]], int]


def apply(*, now: datetime | None = None) -> Mapping[str, int]:
    """Remove what is too old; gives how many of each kind."""
    now = now or timezone.now()
    counts = Counter({name: _apply(rule, before) for name, rule in RULES.items() if (before := _before(rule, now)) is not None})
    removed = {name: count for name, count in counts.items() if count}
    if removed:
        with transaction.atomic():
            AuditEvent.objects.create(code="retention.applied", ids=removed)
            removal.wipe_soon()
    return removed


def planned(*, now: datetime | None = None) -> Mapping[str, int | None]:
    """How many of each kind `apply` would remove now; None for what is kept for ever."""
    now = now or timezone.now()
    return {name: None if (before := _before(rule, now)) is None else rule.rows(before).count() for name, rule in RULES.items()}


def forget_words(tenant: Tenant, *, actor: int | None) -> int:
    """Remove the words of questions that a diagnosis kept, whatever their age; gives how many questions had any."""
    with transaction.atomic():
        count = SearchTrace.objects.filter(tenant=tenant).exclude(query="").update(query="")
        AuditEvent.objects.create(tenant=tenant, actor_id=actor, code="diagnosis.forgotten", ids={"questions": count})
        removal.wipe_soon()
    return count


def _before(rule: Rule, now: datetime) -> datetime | None:
    keep = settings.KEEP[rule.setting]
    return None if keep is None else now - keep


def _apply(rule: Rule, before: datetime) -> int:
    total = 0
    for _ in range(MOST_BATCHES):
        keys = list(rule.rows(before).order_by("pk").values_list("pk", flat=True)[:BATCH])
        if not keys:
            break
        total += rule.remove(keys)
    return total


def _deleting(model: Any) -> Callable[[Collection[int]], int]:
    """Rows that nothing depends on."""

    def remove(keys: Collection[int]) -> int:
        model.objects.filter(pk__in=keys).delete()
        return len(keys)

    return remove


def _old_states(before: datetime) -> QuerySet[Representation]:
    """Texts that another one took the place of before this moment, and that nobody cites."""
    later = Representation.objects.filter(revision__document=OuterRef("revision__document"), pk__gt=OuterRef("pk")).order_by("pk")
    replaced = Coalesce(Subquery(later.values("created_at")[:1]), F("revision__document__updated_at"))
    cited = Citation.objects.filter(representation=OuterRef("public_id"), document__isnull=False)
    current = Document.objects.filter(current=OuterRef("pk"))
    return Representation.objects.annotate(replaced=replaced).filter(~Exists(current), ~Exists(cited), replaced__lt=before)


def _remove_states(keys: Collection[int]) -> int:
    """First out of the index, whose hits would be faults without their rows; then the rows, unless one became current again."""
    projection.forget_earlier(keys)
    with transaction.atomic():
        documents = Document.objects.select_for_update().filter(revisions__representations__in=keys).values_list("pk", "current")
        in_use = {current for _, current in documents}
        rows = Representation.objects.filter(pk__in=set(keys) - in_use)
        revisions = set(rows.values_list("revision", flat=True))
        count = rows.count()
        rows.delete()
        _retire(Revision.objects.filter(pk__in=revisions, representations=None).select_related("document__source"))
    return count


def _retire(revisions: QuerySet[Revision]) -> None:
    """Remove revisions of which no text is kept, and remember them: their source may go on listing them."""
    rows = list(revisions)
    Retired.objects.bulk_create(
        [Retired(document_id=row.document_id, label=row.label, stamp=row.stamp, source_sha256=row.source_sha256) for row in rows],
        ignore_conflicts=True,
    )
    for row in rows:
        audit.about(row.document, "revision.retired", revision=row.pk)
    Revision.objects.filter(pk__in=[row.pk for row in rows]).delete()


def _old_citations(before: datetime) -> QuerySet[Citation]:
    """All but those that knowledge or a marked conflict stands on: without them nobody could tell who may read it."""
    of_entries = EntryRevision.citations.through.objects.filter(citation=OuterRef("pk"))
    of_proposals = Proposal.citations.through.objects.filter(citation=OuterRef("pk"))
    of_conflicts = Conflict.objects.filter(Q(left=OuterRef("pk")) | Q(right=OuterRef("pk")))
    rows = Citation.objects.filter(created_at__lt=before)
    return rows.filter(~Exists(of_entries), ~Exists(of_proposals), ~Exists(of_conflicts))


def _remove_citations(keys: Collection[int]) -> int:
    with transaction.atomic():
        Citation.objects.filter(supersedes__in=keys).update(supersedes=None)
        Citation.objects.filter(pk__in=keys).delete()
    return len(keys)


def _old_words(before: datetime) -> QuerySet[SearchTrace]:
    return SearchTrace.objects.filter(at__lt=before).exclude(query="")


def _blank_words(keys: Collection[int]) -> int:
    return SearchTrace.objects.filter(pk__in=keys).update(query="")


def _old_reports(before: datetime) -> QuerySet[SearchReport]:
    return SearchReport.objects.filter(at__lt=before, words_gone_at=None)


def _blank_reports(keys: Collection[int]) -> int:
    """Their words go; what was the matter with how many searches stays."""
    return SearchReport.objects.filter(pk__in=keys).update(query="", wish="", answer="", words_gone_at=timezone.now())


def _old_answers(before: datetime) -> QuerySet[Answer]:
    """Those whose time is over, by what they were told or by a shorter time since."""
    kept = settings.KEEP["answers"] or timedelta()
    return Answer.objects.filter(Q(expires_at__lte=before + kept) | Q(at__lt=before))


def _old_runs(before: datetime) -> QuerySet[Run]:
    """All but each source's latest run and its latest complete one."""
    later = Run.objects.filter(source=OuterRef("source"), started_at__gt=OuterRef("started_at"))
    ended = Run.objects.filter(finished_at__lt=before).filter(Exists(later))
    return ended.filter(~Q(outcome=Run.Outcome.COMPLETE) | Exists(later.filter(outcome=Run.Outcome.COMPLETE)))


RULES: Final[Mapping[str, Rule]] = {
    "states": Rule("revisions", _old_states, _remove_states),
    "citations": Rule("citations", _old_citations, _remove_citations),
    "events": Rule("events", lambda before: AuditEvent.objects.filter(at__lt=before), _deleting(AuditEvent)),
    "receipts": Rule("receipts", lambda before: Receipt.objects.filter(finished_at__lt=before), _deleting(Receipt)),
    "traces": Rule("traces", lambda before: SearchTrace.objects.filter(at__lt=before), _deleting(SearchTrace)),
    "words": Rule("diagnosis", _old_words, _blank_words),
    "reports": Rule("reports", _old_reports, _blank_reports),
    "answers": Rule("answers", _old_answers, _deleting(Answer)),
    "runs": Rule("runs", _old_runs, _deleting(Run)),
    "revocations": Rule("runs", lambda before: Revocation.objects.filter(in_effect_at__lt=before), _deleting(Revocation)),
    "alarms": Rule("runs", lambda before: Alarm.objects.filter(cleared_at__lt=before), _deleting(Alarm)),
}
