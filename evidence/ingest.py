"""Taking in: item -> revision -> representation -> index, with metadata and rights.

One document is one transaction: whoever is killed leaves whole documents behind, and running again ends in the same state.
"""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings as django_settings
from django.db import transaction
from django.utils import timezone

from evidence import audit, blobs, parsing, projection, removal, representations
from evidence.anchoring import Parser
from evidence.confinement import NoProcess
from evidence.content import Content, Note
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import FORMATS, Format
from evidence.grants import Grant, Principals
from evidence.models import (
    AccessClass,
    AccessRule,
    Document,
    Effect,
    Group,
    Representation,
    Revision,
    Run,
    Source,
    Tenant,
)
from evidence.sources import Item, Listing, Refusal, Settings

SETTLE_AFTER: Final = 20_000
"""Passages written before the index is brought in line: one batch of its own."""
SETTLE_EVERY: Final = 5.0
"""Seconds after which a changed document is found again at the latest while a run goes on."""
PUBLISHING_WAITS: Final = 20.0
"""Seconds that a person waits for a run of the same source: most last a moment, and a browser waits longer."""
DOCUMENTS_AHEAD: Final = 2
"""That are taken apart while one is written: their bytes and texts are in memory."""
MAX_KEPT_PROBLEMS: Final = 1_000
_METADATA: Final = ("owner", "origin", "language", "kind", "status", "valid_from", "valid_until", "sensitivity")
MAX_REMOVED_SHARE: Final = 0.5
"""A run that misses more than this share of what was known is taken for a fault of the source, not for a removal."""


@dataclass(slots=True)
class Report:
    """What a run did. counts: new, changed, updated, unchanged, withdrawn, refused, unnamed, passages, no_text (states
    in which nothing can be read).

    unreadable: document id and reason for each document that nobody may read. noted: path and what a reader is told, for each
    state that was read now.
    """

    counts: Counter[str]
    refusals: list[Refusal]
    unread: dict[str, int]
    unnamed: Sequence[str]
    complete: bool
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    noted: list[tuple[str, Note]] = field(default_factory=list)


def source(tenant: Tenant, name: str, *, location: str, settings: Settings) -> Source:
    """The source of this name in this tenant, made if it is new, with what its rules file says of it.

    Raises Refused when it is announced to a group that does not exist, or when people upload documents to it.
    """
    stated = {
        "title": settings.title,
        "contact": settings.contact,
        "kind": settings.kind,
        "revocation_sla": settings.revocation_sla,
        "location": location,
    }
    given = {key: value for key, value in stated.items() if value is not None}
    with transaction.atomic():
        if _holds_uploads(tenant, name):
            message = gettext_noop(
                "People upload documents to the source %(name)s, and an import would take them away. Choose another name."
            )
            raise Refused("source_of_uploads", message, name=name)
        row, _ = Source.objects.update_or_create(tenant=tenant, name=name, defaults=given)
        if settings.announced_to is not None:
            row.announced_to.set(_groups(tenant, settings.announced_to))
    return row


def take_in(
    source: Source,
    listing: Listing,
    *,
    started: datetime,
    allow_removals: bool = False,
    progress: Callable[[int], object] = lambda items: None,
) -> Report:
    """Bring the database in line with what a source lists, document by document, and confirm its rights as of `started`.

    A listing that is cut short, or misses more than MAX_REMOVED_SHARE of what was known without `allow_removals`, withdraws
    nothing and confirms nothing. progress is called with the number of items done. Raises Refused, having done nothing, when
    another run of this source goes on, or one that started later has been here: its rights are the newer ones.
    """
    with _alone(source):
        if source.runs.filter(started_at__gt=started).exists():
            raise Refused("import_overtaken", gettext_noop("A newer import of this source has taken place. Run it again."))
        return _take_in(source, listing, started, allow_removals, progress)


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
    report = Report(Counter(), [], {}, (), complete=True)
    with _alone(source, wait=PUBLISHING_WAITS):
        projection.ensure()
        with transaction.atomic():
            still()
            _Intake(source, report, only=item.external_id, actor=actor).take(item.external_id, [item])
            for refusal in report.refusals:
                raise refusal.error
            made = source.documents.get(external_id=item.external_id)
            also(made)
    projection.settle_quickly()
    return made


def public_id(source: Source, external_id: str) -> UUID:
    """The document's id for everybody: the same in every database, and no hint of how many others exist."""
    return uuid5(NAMESPACE_URL, "\0".join((source.tenant.slug, source.name, external_id)))


def _take_in(
    source: Source, listing: Listing, started: datetime, allow_removals: bool, progress: Callable[[int], object]
) -> Report:
    report = Report(Counter(), list(listing.refusals), dict(listing.unread), listing.unnamed, listing.complete)
    run = Run.objects.create(source=source, started_at=started)
    projection.ensure()
    with parsing.beside() as parse:
        intake = _Intake(source, report, parse=parse)
        settled = _Settled()
        for external_id, items, begun in _ahead(intake, listing.items):
            intake.write(external_id, items, begun)
            progress(len(items))
            settled.now_and_then(report.counts["passages"])
    if report.complete:
        seen = {item.external_id for item in listing.items} | {refusal.external_id for refusal in report.refusals}
        _withdraw_missing(source, seen, report, allow_removals=allow_removals)
    if report.complete:
        intake.close({refusal.external_id for refusal in listing.refusals})
    projection.settle()
    _close(run, source, report)
    return report


@contextmanager
def _alone(source: Source, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of this source's one run. It ends with the process, however that ends. wait: seconds, at most."""
    folder = Path(django_settings.DATA_DIR) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    until = time.monotonic() + wait
    with (folder / f"source-{source.pk}").open("w") as handle:
        while not _locked(handle.fileno()):
            if time.monotonic() >= until:
                raise Refused("import_running", gettext_noop("Another import of this source is running."))
            time.sleep(0.05)
        yield


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Begun:
    """The bytes of one state. kept: what was made of them before; else `content` waits for what they hold, or raises Refused."""

    form: Format
    parser: Parser
    data: bytes
    digest: str
    revision: Revision | None
    kept: Representation | None
    content: parsing.Awaited | None


@dataclass(frozen=True, slots=True)
class _Read:
    """A state that could be read. content: None where it is kept from before."""

    begun: _Begun
    content: Content | None


@dataclass(frozen=True, slots=True)
class _State:
    """One state of a document as it is kept now. new: it was made in this run."""

    representation: Representation
    new: bool


class _Settled:
    """When a run last brought the index in line: often enough for readers, seldom enough for speed."""

    def __init__(self) -> None:
        self._passages = 0
        self._at = time.monotonic()

    def now_and_then(self, passages: int) -> None:
        """Settle when much was written, or some was written a while ago."""
        if passages - self._passages >= SETTLE_AFTER or time.monotonic() - self._at >= SETTLE_EVERY:
            projection.settle()
            self._passages, self._at = passages, time.monotonic()


class _Intake:
    """One run's state while it writes documents: what is known of the source, and its access classes."""

    def __init__(
        self,
        source: Source,
        report: Report,
        *,
        only: str | None = None,
        actor: int | None = None,
        parse: parsing.Begin = parsing.when_needed,
    ) -> None:
        """only: the one document that is taken in. actor: the person who does it."""
        self._source = source
        self._report = report
        self._parse = parse
        self._actor = actor
        self._principals = Principals(source.tenant_id)
        self._classes = dict(AccessClass.objects.filter(source=source).values_list("digest", "pk"))
        known = source.documents.all() if only is None else source.documents.filter(external_id=only)
        self._known = {row.external_id: row for row in known}

    def take(self, external_id: str, items: Sequence[Item]) -> None:
        """Read one document and write it."""
        self.write(external_id, items, self.begin(external_id, items))

    def begin(self, external_id: str, items: Sequence[Item]) -> Sequence[_Begun | EvidenceError]:
        """Read the bytes of a document's states, and begin to take apart what is new of them."""
        known = self._known.get(external_id)
        return [self._begin(known, item) for item in items]

    def write(self, external_id: str, items: Sequence[Item], begun: Sequence[_Begun | EvidenceError]) -> None:
        """Bring one document in line with its states, oldest first; a state that can't be read leaves the others alone.

        Texts are taken apart before the transaction begins: that can take minutes, and nobody else could write meanwhile.
        """
        known = self._known.get(external_id)
        reads = [self._read(item, one) for item, one in zip(items, begun, strict=True)]
        with transaction.atomic():
            row = known or self._create(external_id, items[-1])
            pairs = zip(items, reads, strict=True)
            states = [None if read is None else self._state(row, item, read) for item, read in pairs]
            changed = self._facts(row, items[-1], states[-1])
            if row.current_id is None:
                transaction.set_rollback(True)  # its current state was refused: no document without text stays behind
                return
        if row.rights_problem:
            self._report.unreadable.append((external_id, row.rights_problem))
        fresh = any(state is not None and state.new for state in states)
        self._count("new" if known is None else "changed" if fresh else "updated" if changed else "unchanged")

    def close(self, refused: set[str]) -> None:
        """Documents that the listing refused are read by nobody: what it now says of their rights is not known."""
        problem = "refused: its rights are not known"
        nobody = Grant(problem=problem)
        for row in self._source.documents.filter(external_id__in=refused, withdrawn_at=None).exclude(rights_problem=problem):
            with transaction.atomic():
                audit.about(row, "rights.changed", old=row.access_class_id, new=self._class(nobody))
                row.access_class_id, row.rights_problem = self._class(nobody), problem
                row.updated_at = timezone.now()
                row.save()
                projection.record([row.pk])
        self._report.unreadable += [(external_id, problem) for external_id in sorted(refused & self._known.keys())]

    def _count(self, what: str, number: int = 1) -> None:
        self._report.counts[what] += number

    def _begin(self, known: Document | None, item: Item) -> _Begun | EvidenceError:
        try:
            data = item.read()
            ending = PurePosixPath(item.path).suffix.lower()
            form = FORMATS[ending]
            digest = hashlib.sha256(data).hexdigest()
            revision = None if known is None else known.revisions.filter(label=item.label, source_sha256=digest).first()
            parser = form.parser_with(item.options)
            kept = None if revision is None else representations.kept(revision, parser)
            content = None if kept else self._parse_new(ending, data, item)
            return _Begun(form, parser, data, digest, revision, kept, content)
        except EvidenceError as error:
            return error
        except OSError as error:
            self._report.complete = False
            message = gettext_noop("The file can't be read (%(reason)s).")
            return Refused("file_unreadable", message, reason=error.strerror or type(error).__name__)

    def _parse_new(self, ending: str, data: bytes, item: Item) -> parsing.Awaited:
        known = item.content
        return self._parse(ending, data, item.options) if known is None else lambda: known

    def _read(self, item: Item, begun: _Begun | EvidenceError) -> _Read | None:
        """What a state holds, once it has been taken apart."""
        if isinstance(begun, _Begun):
            try:
                return _Read(begun, None if begun.content is None else begun.content())
            except EvidenceError as error:
                self._report.complete &= not isinstance(error, NoProcess)  # of which the file is innocent
                begun = error
        self._refuse(item, begun)
        return None

    def _refuse(self, item: Item, error: EvidenceError) -> None:
        self._report.refusals.append(Refusal(path=item.path, error=error, external_id=item.external_id))

    def _create(self, external_id: str, item: Item) -> Document:
        row = Document.objects.create(
            source=self._source,
            access_class_id=self._class(self._principals.grant(item.rights)),
            external_id=external_id,
            public_id=public_id(self._source, external_id),
        )
        audit.about(row, "document.added", actor=self._actor)
        return row

    def _state(self, row: Document, item: Item, read: _Read) -> _State:
        """The representation of this state, made if it is new."""
        begun = read.begun
        if read.content is None:
            assert begun.kept is not None  # one of the two it has
            return _State(begun.kept, new=False)
        revision = begun.revision
        if revision is None:
            blobs.put(begun.data)
            revision = Revision.objects.create(
                document=row,
                label=item.label,
                dated=item.dated,
                source_sha256=begun.digest,
                size=len(begun.data),
                media_type=begun.form.media_type,
                path=item.path,
                password=item.options.password,
            )
            audit.about(row, "revision.added", actor=self._actor, revision=revision.pk)
        self._count("passages", len(read.content.passages))
        self._report.noted += [(item.path, note) for note in read.content.notes]
        if Note.NO_TEXT in read.content.notes:
            self._count("no_text")
        return _State(representations.write(row, revision, begun.parser, read.content), new=True)

    def _facts(self, row: Document, item: Item, state: _State | None) -> bool:
        """Metadata, rights and the current state of a document, in place; gives whether anything changed."""
        grant = self._principals.grant(item.rights)
        said = item.metadata
        own_title = row.title if state is None else state.representation.title
        title = (said.title or own_title or PurePosixPath(item.path).stem)[: representations.MAX_TITLE]
        facts = {
            "access_class_id": self._class(grant),
            "current_id": row.current_id if state is None else state.representation.pk,
            "withdrawn_at": None,
            "rights_problem": grant.problem,
            "title": title,
            "title_key": Document.title_key_for(title),
            **{name: getattr(said, name) for name in _METADATA},
        }
        before = {name: getattr(row, name) for name in facts}
        if facts == before:
            return False
        for name, value in facts.items():
            setattr(row, name, value)
        row.updated_at = timezone.now()
        row.save()
        if before["access_class_id"] != facts["access_class_id"]:
            audit.about(row, "rights.changed", actor=self._actor, old=before["access_class_id"], new=facts["access_class_id"])
        if before["withdrawn_at"] is not None:
            audit.about(row, "document.restored", actor=self._actor)
        projection.record([row.pk])
        return True

    def _class(self, grant: Grant) -> int:
        """The access class of these rights in this source, made if it is new.

        It is remembered once it is committed: the id of one that went with its document is given to other rights next.
        """
        digest = grant.digest()
        if digest in self._classes:
            return self._classes[digest]
        row, made = AccessClass.objects.get_or_create(source=self._source, digest=digest)
        if made:
            AccessRule.objects.bulk_create(_rules(row, grant))
        transaction.on_commit(lambda: self._classes.update({digest: row.pk}))
        return row.pk


def _holds_uploads(tenant: Tenant, name: str) -> bool:
    """Whether documents were brought to this source one by one: it has no place that a run could list."""
    return Document.objects.filter(source__tenant=tenant, source__name=name, source__location="", uploads__isnull=False).exists()


def _ahead(intake: _Intake, items: Sequence[Item]) -> Iterator[tuple[str, Sequence[Item], Sequence[_Begun | EvidenceError]]]:
    """Each document with its states, which have been begun; while one is written, the next ones are being taken apart."""
    begun: deque[tuple[str, Sequence[Item], Sequence[_Begun | EvidenceError]]] = deque()
    for external_id, states in groupby(items, key=lambda item: item.external_id):
        some = list(states)
        begun.append((external_id, some, intake.begin(external_id, some)))
        if len(begun) > DOCUMENTS_AHEAD:
            yield begun.popleft()
    while begun:  # each is let go of when it is written
        yield begun.popleft()


def _groups(tenant: Tenant, names: Sequence[str]) -> Sequence[Group]:
    found = {group.name: group for group in tenant.groups.filter(name__in=names)}
    if unknown := [name for name in names if name not in found]:
        message = gettext_noop("The source is announced to a group that does not exist: %(name)s.")
        raise Refused("unknown_group", message, name=unknown[0])
    return list(found.values())


def _rules(row: AccessClass, grant: Grant) -> Iterable[AccessRule]:
    yield from (AccessRule(access_class=row, effect=Effect.ALLOW, group_id=group) for group in grant.allow_groups)
    yield from (AccessRule(access_class=row, effect=Effect.ALLOW, user_id=user) for user in grant.allow_users)
    yield from (AccessRule(access_class=row, effect=Effect.DENY, group_id=group) for group in grant.deny_groups)
    yield from (AccessRule(access_class=row, effect=Effect.DENY, user_id=user) for user in grant.deny_users)


def _withdraw_missing(source: Source, seen: set[str], report: Report, *, allow_removals: bool) -> None:
    """Withdraw what a complete listing no longer names, unless that is suspiciously much."""
    known = list(source.documents.filter(withdrawn_at=None))
    missing = [row for row in known if row.external_id not in seen]
    if len(missing) > MAX_REMOVED_SHARE * len(known) and not allow_removals:
        report.complete = False
        message = gettext_noop(
            "%(missing)d of %(known)d known documents are missing. Nothing was withdrawn and no rights were confirmed. "
            "If this is right, run again with --allow-removals."
        )
        report.refusals.append(Refusal("", Refused("too_many_missing", message, missing=len(missing), known=len(known))))
        return
    with transaction.atomic():
        for row in missing:
            removal.withdraw(row)
    report.counts["withdrawn"] = len(missing)


def _close(run: Run, source: Source, report: Report) -> None:
    """Confirm the rights if everything was seen, and keep what the run did."""
    report.counts["refused"] = len(report.refusals)
    report.counts["unnamed"] = len(report.unnamed)
    if report.complete:
        Source.objects.filter(pk=source.pk).update(rights_confirmed_at=run.started_at)
    Run.objects.filter(pk=run.pk).update(
        finished_at=timezone.now(),
        outcome=Run.Outcome.COMPLETE if report.complete else Run.Outcome.INCOMPLETE,
        counts=dict(report.counts),
        problems=[[refusal.path, refusal.error.code] for refusal in report.refusals[:MAX_KEPT_PROBLEMS]],
    )
