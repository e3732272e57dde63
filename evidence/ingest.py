"""Taking in: what a source lists -> documents, texts and index, with metadata and rights; and what is gone.

A run goes in this order. First what is taken away: rights, and documents that are gone; nothing is read for that, so that it
never waits for the content of others. Then what is here already, then what must be read. Last the rights are confirmed, if all of
it was seen. One document is one transaction (see evidence.intake): whoever is killed leaves whole documents behind, and running
again ends in the same state. What a listing that was seen completely no longer names stays withdrawn, however the run ends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from typing import Any, Final, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from evidence import audit, parsing, projection, removal, revocations, runs, sampling
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.grants import Grant, Principals
from evidence.intake import MANY, STOPPED, Begun, EndedEarly, Intake, Report, Stated, States
from evidence.models import AccessClass, AuditEvent, Document, Group, Revocation, Run, Source, SourceKind, Tenant
from evidence.sources import Item, Listing, Refusal, Settings, problems

SETTLE_AFTER: Final = 20_000
"""Passages written before the index is brought in line: one batch of its own."""
SETTLE_EVERY: Final = 5.0
"""Seconds after which a changed document is found again at the latest while a run goes on."""
PUBLISHING_WAITS: Final = 20.0
"""Seconds that a person waits for a run of the same source: most last a moment, and a browser waits longer."""
DOCUMENTS_AHEAD: Final = 2
"""That are taken apart while one is written: their bytes and texts are in memory."""
MAX_KEPT_PROBLEMS: Final = 1_000
T = TypeVar("T")


def source(tenant: Tenant, name: str, *, location: str, settings: Settings, rules: str = "") -> Source:
    """The source of this name in this tenant, made if it is new, with what its rules file says of it.

    Raises Refused when it is announced to a group that does not exist, when people upload documents to it, or when it is one
    that `syncing` brings in line.
    """
    with transaction.atomic():
        row = Source.objects.filter(tenant=tenant, name=name).first()
        if row is not None and _holds_uploads(row):
            message = gettext_noop(
                "People upload documents to the source %(name)s, and an import would take them away. Choose another name."
            )
            raise Refused("source_of_uploads", message, name=name)
        if row is not None and row.kind in {SourceKind.GIT, SourceKind.PUSH}:
            message = gettext_noop("The source %(name)s is somewhere else: a folder can't take its place. Choose another name.")
            raise Refused("source_elsewhere", message, name=name)
        made = row or Source.objects.create(tenant=tenant, name=name)
        changed = _say(
            made, {**_stated(settings), "kind": settings.kind, "location": location, "rules_location": rules}, settings
        )
        if row is None or changed:
            audit.record(made, "created" if row is None else "changed", actor=None)
    return made


def describe(source: Source, settings: Settings) -> None:
    """Note what a source says about itself. Where it is and of what kind is not for it to say.

    Raises Refused, having changed nothing, when it is announced to a group that does not exist.
    """
    with transaction.atomic():
        if _say(source, _stated(settings), settings):
            audit.record(source, "changed", actor=None)


def take_in(
    source: Source,
    listing: Listing,
    *,
    started: datetime,
    allow_removals: bool = False,
    stamp: Callable[[], str] | None = None,
    progress: Callable[[int], object] = lambda items: None,
) -> Report:
    """A run over a source that was listed just now, when no other one goes on. started: when listing it began.

    The rest is as `bring_in` says. Raises Refused, having done nothing, when another run of this source goes on, or one that
    started later has been here: its rights are the newer ones.
    """
    with runs.begun(source, started=started) as run:
        return bring_in(run, listing, allow_removals=allow_removals, stamp=stamp, progress=progress)


def bring_in(
    run: Run,
    listing: Listing,
    *,
    stamp: Callable[[], str] | None,
    allow_removals: bool = False,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int], object] = lambda items: None,
) -> Report:
    """Bring the database in line with what a source lists, and confirm its rights as of the run's start.

    A listing that is not complete withdraws nothing and confirms nothing. One that misses more of what was known than the source
    allows, without `allow_removals`, closes the source too, unless its rights are kept here: the next good run opens it.
    stamp: asks the origin for what states its rights (`sources.Source.stamp`); where that has changed since the listing, nothing
    more of it is written, unless no bytes of it can be newer than its rights (`Listing.snapshot`). stop: asked before each
    document. progress: called with the number of items done.
    """
    report = Report(list(listing.refusals), listing.unread, listing.unnamed, listing.unused)
    if not listing.complete:
        report.fall_short("listing_incomplete")
    told = runs.Progress(run, len(listing.items), progress)
    stated = Stated(listing.stamp, None if listing.snapshot else stamp)
    try:
        with parsing.beside() as parse:
            intake = Intake(run.source, report, parse=parse, stated=stated, stop=stop)
            documents = [
                (external_id, list(items)) for external_id, items in groupby(listing.items, lambda item: item.external_id)
            ]
            _take_away(intake, run.source, listing, documents, report, allow_removals=allow_removals)
            projection.ensure()
            stated.still(time.monotonic())
            _write(intake, documents, report, told, stop)
    except EndedEarly as early:
        report.fall_short(early.code)
    told.write()
    _close(run, listing, report)
    return report


def publish(
    source: Source, item: Item, *, actor: int, still: Callable[[], object], also: Callable[[Document], object]
) -> Document:
    """Take one document in that a person brings, as a run does it. Others stay as they are, and no rights are confirmed.

    still: raises Refused where it may not be taken in any more; nobody can write after it. also: what is written with it.
    Raises Refused, having changed nothing, when its rights would let nobody in, or a run of this source takes too long.
    """
    problem = Principals(source.tenant_id).grant(item.rights).problem
    if problem:
        raise Refused("rights_unusable", gettext_noop("Nobody could read this (%(problem)s)."), problem=problem)
    report = Report()
    with runs.alone(source, wait=PUBLISHING_WAITS):
        projection.ensure()
        with transaction.atomic():
            still()
            Intake(source, report, only=item.external_id, actor=actor).take(item.external_id, [item])
            for refusal in report.refusals:
                raise refusal.error
            made = source.documents.get(external_id=item.external_id)
            also(made)
    projection.settle_quickly()
    return made


def forget_unused_classes() -> None:
    """Remove access classes of no document: they would keep the groups and people that they name. Ids are never given again."""
    for source in Source.objects.filter(access_classes__documents=None, access_classes__isnull=False).distinct():
        with suppress(Refused), runs.alone(source):  # nobody writes documents of this source meanwhile
            _forget_unused_classes(source)


def _take_away(
    intake: Intake,
    source: Source,
    listing: Listing,
    documents: Sequence[States],
    report: Report,
    *,
    allow_removals: bool,
) -> None:
    """Everything that somebody loses, at once: rights, documents that were refused, and those that are gone."""
    missing = _missing(source, listing, report, allow_removals=allow_removals)
    said = {external_id: intake.grant(items[-1].rights) for external_id, items in documents}
    if listing.complete:
        refused = source.documents.filter(external_id__in={refusal.external_id for refusal in listing.refusals})
        nobody = {one: Grant(problem=problems.NOT_KNOWN) for one in refused.values_list("external_id", flat=True)}
        report.unreadable += [(external_id, problems.NOT_KNOWN) for external_id in sorted(nobody)]
        said |= nobody
    taken = _Taken(source)
    for some in _chunks(list(said.items())):
        with transaction.atomic():
            taken.add(intake.narrow(dict(some)), at_origin=_stated_at(source, listing))
    for gone in _chunks(missing):
        with transaction.atomic():
            rows = list(source.documents.filter(pk__in=gone, withdrawn_at=None).select_related("source"))
            removal.withdraw_missing(rows, purge_after=source.purge_after)
            taken.add(len(rows), at_origin=None)
    report.counts["withdrawn"] = len(missing)


class _Taken:
    """The one row of what this run takes away: written with the first document, and kept in step with the others."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._row: Revocation | None = None

    def add(self, documents: int, *, at_origin: datetime | None) -> None:
        """So many more lose something, in the transaction that is open now."""
        if documents and self._row is None:
            self._row = revocations.note(self._source, documents=documents, at_origin=at_origin)
        elif documents and self._row is not None:
            more = F("documents") + documents
            Revocation.objects.filter(pk=self._row.pk).update(documents=more, in_effect_at=timezone.now())


def _stated_at(source: Source, listing: Listing) -> datetime | None:
    """When the rights were changed that this listing states: not known where they are stated as they were."""
    if listing.stated_at is None or listing.stated_at > timezone.now() or listing.stamp == source.rights_stamp != "":
        return None
    return listing.stated_at


def _missing(source: Source, listing: Listing, report: Report, *, allow_removals: bool) -> Sequence[int]:
    """What a complete listing no longer names, unless that is suspiciously much."""
    if not listing.complete:
        return []
    seen = {item.external_id for item in listing.items} | {refusal.external_id for refusal in listing.refusals}
    known = dict(source.documents.filter(withdrawn_at=None).values_list("external_id", "pk"))
    missing = [pk for external_id, pk in known.items() if external_id not in seen]
    if len(missing) <= source.max_missing_share * len(known) or allow_removals:
        return missing
    report.fall_short("too_many_missing")
    message = gettext_noop(
        "%(missing)d of %(known)d known documents are missing. Nothing was withdrawn and no rights were confirmed. "
        "If this is right, run again with --allow-removals."
    )
    if source.kind != SourceKind.LOCAL:
        _unconfirm(source)
        message = gettext_noop(
            "%(missing)d of %(known)d known documents are missing. Nothing was withdrawn, and the source is closed until a run "
            "finds more of them. If this is right, run again with --allow-removals."
        )
    report.refusals.append(Refusal("", Refused("too_many_missing", message, missing=len(missing), known=len(known))))
    return []


def _unconfirm(source: Source) -> None:
    """Close the source until its rights are confirmed again."""
    with transaction.atomic():
        if Source.objects.filter(pk=source.pk).exclude(rights_confirmed_at=None).update(rights_confirmed_at=None):
            AuditEvent.objects.create(tenant=source.tenant, code="rights.unconfirmed", ids={"source": source.pk})


def _write(intake: Intake, documents: Sequence[States], report: Report, told: runs.Progress, stop: Callable[[], bool]) -> None:
    """Documents whose bytes are here, then those that must be read. Raises EndedEarly."""
    settled = _Settled()
    left: list[States] = []
    for some in _chunks(documents):
        if stop():
            raise EndedEarly(STOPPED)
        rest = intake.keep(some)
        left += rest
        told.advance(_items(some) - _items(rest))
    settled.now(0)
    for some in _chunks(left):
        intake.look_up(some)
        for external_id, items, begun in _ahead(intake, some):
            intake.write(external_id, items, begun)
            told.advance(len(items))
            settled.now_and_then(report.counts["passages"])


def _items(documents: Sequence[States]) -> int:
    return sum(len(items) for _, items in documents)


def _close(run: Run, listing: Listing, report: Report) -> None:
    """Confirm the rights if everything was seen, read some of it back, and keep what the run did."""
    if report.error != STOPPED:  # whoever stops it does not wait; the worker brings the index in line, or the next search
        projection.settle()
    report.counts["refused"] = len(report.refusals)
    report.counts["unnamed"] = len(report.unnamed)
    if report.complete:
        _confirm(run, listing)
        _forget_unused_classes(run.source)
    sample = {} if report.error == STOPPED else sampling.after_run(run.source)
    runs.finish(
        run,
        Run.Outcome.COMPLETE if report.complete else Run.Outcome.INCOMPLETE,
        error=report.error,
        counts=dict(report.counts),
        problems=[[refusal.path, refusal.error.code] for refusal in report.refusals[:MAX_KEPT_PROBLEMS]],
        sample=sample,
    )


def _forget_unused_classes(source: Source) -> None:
    """The caller holds the source's lock. What somebody else gives a document at this moment is left for the next time."""
    with suppress(IntegrityError), transaction.atomic():  # ProtectedError is one
        AccessClass.objects.filter(source=source, documents=None).delete()


def _confirm(run: Run, listing: Listing) -> None:
    """As of the run's start, unless somebody has confirmed them since; a time that has not come yet is a clock's fault."""
    mine = Source.objects.filter(pk=run.source_id)
    older = Q(rights_confirmed_at=None) | Q(rights_confirmed_at__lt=run.started_at) | Q(rights_confirmed_at__gt=timezone.now())
    with transaction.atomic():
        mine.update(rights_stamp=listing.stamp)
        mine.filter(older).update(rights_confirmed_at=run.started_at)


class _Settled:
    """When a run last brought the index in line: often enough for readers, seldom enough for speed."""

    def __init__(self) -> None:
        self._passages = 0
        self._at = time.monotonic()

    def now(self, passages: int) -> None:
        """Settle."""
        projection.settle()
        self._passages, self._at = passages, time.monotonic()

    def now_and_then(self, passages: int) -> None:
        """Settle when much was written, or some was written a while ago."""
        if passages - self._passages >= SETTLE_AFTER or time.monotonic() - self._at >= SETTLE_EVERY:
            self.now(passages)


def _ahead(intake: Intake, documents: Sequence[States]) -> Iterator[tuple[str, Sequence[Item], Sequence[Begun | EvidenceError]]]:
    """Each document with its states, which have been begun; while one is written, the next ones are being taken apart."""
    begun: deque[tuple[str, Sequence[Item], Sequence[Begun | EvidenceError]]] = deque()
    for external_id, items in documents:
        begun.append((external_id, items, intake.begin(external_id, items)))
        if len(begun) > DOCUMENTS_AHEAD:
            yield begun.popleft()
    while begun:  # each is let go of when it is written
        yield begun.popleft()


def _chunks(everything: Sequence[T]) -> Iterator[Sequence[T]]:
    """MANY at a time."""
    for first in range(0, len(everything), MANY):
        yield everything[first : first + MANY]


def _stated(settings: Settings) -> Mapping[str, Any]:
    return {"title": settings.title, "contact": settings.contact, "revocation_sla": settings.revocation_sla}


def _say(row: Source, stated: Mapping[str, Any], settings: Settings) -> bool:
    """Write what is stated, where it is not None, and to whom the source is announced; gives whether anything changed."""
    groups = None if settings.announced_to is None else _groups(row.tenant, settings.announced_to)
    given = {name: value for name, value in stated.items() if value is not None and value != getattr(row, name)}
    for name, value in given.items():
        setattr(row, name, value)
    row.save(update_fields=list(given))
    if groups is None or set(groups) == set(row.announced_to.all()):
        return bool(given)
    row.announced_to.set(groups)
    return True


def _holds_uploads(source: Source) -> bool:
    """Whether documents were brought to this source one by one: it has no place that a run could list."""
    return source.location == "" and source.documents.filter(uploads__isnull=False).exists()


def _groups(tenant: Tenant, names: Sequence[str]) -> Sequence[Group]:
    found = {group.name: group for group in tenant.groups.filter(name__in=names)}
    if unknown := [name for name in names if name not in found]:
        message = gettext_noop("The source is announced to a group that does not exist: %(name)s.")
        raise Refused("unknown_group", message, name=unknown[0])
    return list(found.values())
