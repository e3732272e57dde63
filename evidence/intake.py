"""Intake: one document as its source states it -> its row, rights, revisions and texts, each document in one transaction.

Three ways in, in the order in which a run goes them: `narrow` takes rights away and reads nothing, `keep` brings documents in
line whose bytes are known to be here, `begin` and `write` read the others. Wider rights come only with content that they were
stated for: an older text must not be opened by a right that its successor has.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction
from django.utils import timezone

from evidence import audit, blobs, grants, parsing, projection, representations
from evidence.anchoring import Parser
from evidence.confinement import NoProcess
from evidence.content import Content, Note
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import FORMATS, Format
from evidence.grants import Grant, Principals
from evidence.models import (
    AccessClass,
    AccessRule,
    AuditEvent,
    Document,
    Effect,
    Representation,
    Retired,
    Revision,
    Source,
)
from evidence.sources import Item, Refusal, Rights

MANY: Final = 500
"""Documents that one transaction brings in line where nothing is read: a fraction of a second."""
MAX_FAILURES: Final = 5
"""Files in a row that could not be read though nothing is wrong with them: then the origin has gone, and each would take long."""
STOPPED: Final = "stopped"
RIGHTS_CHANGED: Final = "rights_changed_meanwhile"
_METADATA: Final = ("owner", "origin", "language", "kind", "status", "valid_from", "valid_until", "sensitivity")

_NOTHING_GIVEN: Final[Mapping[Rights, Grant]] = MappingProxyType({})

States = tuple[str, Sequence[Item]]
"""A document's id inside its source and its states, the current one last."""


@dataclass(slots=True)
class Report:
    """What a run did. counts: new, changed, updated, unchanged, withdrawn, refused, unnamed, passages, no_text (states
    in which nothing can be read).

    unused: patterns of rules that no path fits. error: code of what kept it from being complete. unreadable: document id and
    reason for each document that nobody may read. noted: path and what a reader is told, for each state that was read now.
    """

    refusals: list[Refusal] = field(default_factory=list)
    unread: Mapping[str, int] = field(default_factory=dict)
    unnamed: Sequence[str] = ()
    unused: Sequence[str] = ()
    counts: Counter[str] = field(default_factory=Counter)
    error: str = ""
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    noted: list[tuple[str, Note]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether everything at the source was seen."""
        return not self.error

    def fall_short(self, code: str) -> None:
        """Not everything was seen, for this reason; the first one is kept."""
        self.error = self.error or code


class EndedEarly(Exception):
    """A run that can't go on: what it did stays, the rest is for the next one."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Stated:
    """Whether the origin still states the rights that were listed: it is asked after each reading, before anything is written.

    Content that was written after a withdrawal would else become visible under the right of before ("new enemy").
    """

    def __init__(self, listed: str, ask: Callable[[], str] | None) -> None:
        """listed: `Listing.stamp`. ask: `sources.Source.stamp`, None where there is no origin that could be asked."""
        self._listed, self._ask = listed, ask
        self._asked_at = 0.0

    def still(self, read_at: float) -> None:
        """Raises EndedEarly unless the rights that were listed hold for what was read at this moment (of `time.monotonic`)."""
        if self._ask is None or read_at <= self._asked_at:
            return
        asked_at = time.monotonic()
        try:
            stamp = self._ask()
        except EvidenceError as error:
            raise EndedEarly(error.code) from error
        except OSError as error:
            raise EndedEarly("origin_unreachable") from error
        if stamp != self._listed:
            raise EndedEarly(RIGHTS_CHANGED)
        self._asked_at = asked_at


@dataclass(frozen=True, slots=True)
class Begun:
    """One state. kept: what was made of its bytes before; else `content` waits for what they hold, or raises Refused.

    data: empty where nothing had to be read. read_at: when its origin was read (of `time.monotonic`), 0 if it was not. retired:
    it was removed for its age, and is left out.
    """

    parser: Parser
    media_type: str
    digest: str
    revision: Revision | None
    kept: Representation | None
    content: parsing.Awaited | None = None
    data: bytes = b""
    read_at: float = 0.0
    retired: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """One state of a document as it is kept now. path: where its file was found so far. new: it was made in this run."""

    representation: Representation
    path: str
    new: bool


class _Gone(Exception):
    """The document was removed since the run began."""


class Intake:
    """A run's state while it writes documents: what is known of the source, and its access classes."""

    def __init__(
        self,
        source: Source,
        report: Report,
        *,
        only: str | None = None,
        actor: int | None = None,
        parse: parsing.Begin = parsing.when_needed,
        stated: Stated | None = None,
        stop: Callable[[], bool] = lambda: False,
        given: Mapping[Rights, Grant] = _NOTHING_GIVEN,
    ) -> None:
        """only: the one document that is taken in. actor: the person who does it. stop: whether to leave the rest.

        given: what some rights are known to give.
        """
        self._source = source
        self._report = report
        self._parse = parse
        self._actor = actor
        self._stated = stated or Stated("", None)
        self._stop = stop
        self._failures = 0
        self._principals = Principals(source.tenant_id)
        mine = AccessClass.objects.filter(source=source)
        self._grants = grants.stored(mine)
        self._classes = dict(mine.values_list("digest", "pk"))
        known = source.documents.all() if only is None else source.documents.filter(external_id=only)
        self._known = dict(known.values_list("external_id", "pk"))
        self._given = dict(given)
        self._rows_seen: dict[str, Document] = {}
        self._kept_seen = _NOTHING_KEPT

    def grant(self, rights: Rights) -> Grant:
        """These rights for the people who exist."""
        if rights not in self._given:
            self._given[rights] = self._principals.grant(rights)
        return self._given[rights]

    def narrow(self, said: Mapping[str, Grant]) -> int:
        """Take away at once what is no longer given; whatever is given anew waits for the content. Gives how many lost something.

        said: id in the source -> what is said now; at most MANY. Belongs into one transaction.
        """
        keys = [self._known[one] for one in said if one in self._known]
        rows = Document.objects.select_for_update().filter(pk__in=keys, withdrawn_at=None)
        taken: defaultdict[tuple[int, str], list[Document]] = defaultdict(list)
        for row in rows.only("external_id", "public_id", "access_class"):
            before = self._grant_of(row)
            if said[row.external_id].takes_from(before):
                grant = said[row.external_id].within(before)
                taken[self._class(grant), grant.problem].append(row)
        for (access_class, problem), some in taken.items():
            mine = Document.objects.filter(pk__in=[row.pk for row in some])
            mine.update(access_class=access_class, rights_problem=problem, updated_at=timezone.now())
            self._note_moves(some, access_class)
        everything = [row.pk for some in taken.values() for row in some]
        projection.record(everything)
        return len(everything)

    def give(self, external_id: str, grant: Grant) -> bool:
        """Let this be the right of a document that is here, whatever it holds; gives whether it was another one.

        Belongs into one transaction.
        """
        rows = self._rows([external_id]).values()
        changed = [row for row in rows if (self._grant_of(row).digest(), row.rights_problem) != (grant.digest(), grant.problem)]
        for row in changed:
            self._give(row, grant)
        projection.record([row.pk for row in changed])
        return bool(changed)

    def keep(self, documents: Sequence[States]) -> Sequence[States]:
        """Bring documents in line all of whose states are here, by their stamps; gives the others, which must be read.

        At most MANY of them; one transaction.
        """
        with transaction.atomic():
            rows = self._rows(external_id for external_id, _ in documents)
            kept = _Kept.of([row.pk for row in rows.values()])
            left: list[States] = []
            for external_id, items in documents:
                row = rows.get(external_id)
                current = None if row is None else kept.current(row.pk, items)
                if row is None or current is None:
                    left.append((external_id, items))
                else:
                    changed = self._facts(row, items[-1], current)
                    self._tell(row, "updated" if changed else "unchanged")
        return left

    def look_up(self, documents: Sequence[States]) -> None:
        """Learn what is here of documents that are about to be read, at most MANY: at once, not one after the other."""
        keys = [self._known[external_id] for external_id, _ in documents if external_id in self._known]
        self._rows_seen = {row.external_id: row for row in Document.objects.filter(pk__in=keys)}
        self._kept_seen = _Kept.of(keys)

    def take(self, external_id: str, items: Sequence[Item]) -> None:
        """Read one document and write it."""
        self.write(external_id, items, self.begin(external_id, items))

    def begin(self, external_id: str, items: Sequence[Item]) -> Sequence[Begun | EvidenceError]:
        """Read the bytes of a document's states, and begin to take apart what is new of them."""
        known = self._known.get(external_id)
        kept = self._kept_seen if external_id in self._rows_seen else _Kept.of([] if known is None else [known])
        return [self._begin(known, item, kept, current=item is items[-1]) for item in items]

    def write(self, external_id: str, items: Sequence[Item], begun: Sequence[Begun | EvidenceError]) -> None:
        """Bring one document in line with its states, oldest first; a state that can't be read leaves the others alone.

        Text, metadata and rights go together: where the current state can't be read, those of before stay as they are.
        Texts are taken apart before the transaction begins: that can take minutes, and nobody else could write meanwhile.
        Raises EndedEarly, having written nothing, when the run can't go on.
        """
        reads = [_awaited(one) for one in begun]
        if self._stop():
            raise EndedEarly(STOPPED)
        if (row := self._rows_seen.get(external_id)) and self._is_so(row, items, reads):
            self._tell(row, "unchanged")
            return
        self._stated.still(max((one.read_at for one in begun if isinstance(one, Begun)), default=0.0))
        try:
            self._write(external_id, items, reads)
        except _Gone:
            del self._known[external_id]
            self._rows_seen.pop(external_id, None)
            self.take(external_id, items)
            return
        for item, read in zip(items, reads, strict=True):
            if isinstance(read, EvidenceError):
                self._refuse(item, read)

    def _write(self, external_id: str, items: Sequence[Item], reads: Sequence[_Read | EvidenceError]) -> None:
        with transaction.atomic():
            known = self._rows([external_id]).get(external_id)
            if known is None and external_id in self._known:
                raise _Gone
            if isinstance(reads[-1], EvidenceError) and known is None:
                return  # no document without text
            row = known or self._create(external_id, items[-1])
            states = [self._state(row, item, read) for item, read in zip(items, reads, strict=True)]
            current = states[-1]
            changed = current is not None and self._facts(row, items[-1], current)
        fresh = any(state is not None and state.new for state in states)
        self._tell(row, "new" if known is None else "changed" if fresh else "updated" if changed else "unchanged")

    def _is_so(self, row: Document, items: Sequence[Item], reads: Sequence[_Read | EvidenceError]) -> bool:
        """Whether nothing has to be written: every state is kept, and everything is as it is said."""
        if any(
            isinstance(read, EvidenceError) or not _is_kept(item, read.begun) for item, read in zip(items, reads, strict=True)
        ):
            return False
        last, item = reads[-1], items[-1]
        if isinstance(last, EvidenceError) or last.begun.revision is None or last.begun.kept is None:
            return False
        given = self._classes.get(self.grant(item.rights).digest())
        said = None if given is None else self._said(item, last.begun.kept, given)
        return said is not None and said == _facts_of(row, said) and last.begun.revision.path == item.path

    def _rows(self, external_ids: Iterable[str]) -> Mapping[str, Document]:
        """Those of these documents that are here, as they are now; nobody else changes them until the transaction ends."""
        keys = [self._known[one] for one in external_ids if one in self._known]
        rows = Document.objects.select_for_update().filter(pk__in=keys)
        found = {row.external_id: row for row in rows}
        for row in found.values():
            row.source = self._source
        return found

    def _tell(self, row: Document, what: str) -> None:
        if row.rights_problem:
            self._report.unreadable.append((row.external_id, row.rights_problem))
        self._count(what)

    def _count(self, what: str, number: int = 1) -> None:
        self._report.counts[what] += number

    def _begin(self, known: int | None, item: Item, kept: _Kept, *, current: bool) -> Begun | EvidenceError:
        try:
            return self._read(known, item, kept, current=current)
        except EvidenceError as error:
            return error
        except OSError as error:
            self._report.fall_short("file_unreadable")
            self._note_failure(error)
            message = gettext_noop("The file can't be read (%(reason)s).")
            return Refused("file_unreadable", message, reason=error.strerror or type(error).__name__)

    def _read(self, known: int | None, item: Item, kept: _Kept, *, current: bool) -> Begun:
        form, ending = _form(item)
        parser = form.parser_with(item.options)
        if known is not None and not current and kept.is_retired(known, item):
            return Begun(parser, form.media_type, "", None, None, retired=True)
        revision = None if known is None else kept.revision(known, item)
        read_at = 0.0
        data = None
        if revision is not None:
            if made := kept.representation(revision, parser):
                return Begun(parser, form.media_type, revision.source_sha256, revision, made)
            data = _stored(revision)
        if data is None:
            data = item.read()
            read_at = time.monotonic()
            self._failures = 0
        digest = hashlib.sha256(data).hexdigest()
        revision = None if known is None else kept.revisions.get((known, item.label, digest))
        if known is not None and revision is None and not current and (known, item.label, digest) in kept.retired:
            return Begun(parser, form.media_type, digest, None, None, read_at=read_at, retired=True)
        made = None if revision is None else kept.representation(revision, parser)
        content = None if made else self._parse_new(ending, data, item)
        return Begun(parser, form.media_type, digest, revision, made, content, data, read_at)

    def _note_failure(self, error: OSError) -> None:
        if isinstance(error, PermissionError | FileNotFoundError | IsADirectoryError):
            return  # this one file is at fault
        self._failures += 1
        if self._failures >= MAX_FAILURES:
            raise EndedEarly("origin_unreachable") from error

    def _parse_new(self, ending: str, data: bytes, item: Item) -> parsing.Awaited:
        known = item.content
        return self._parse(ending, data, item.options) if known is None else lambda: known

    def _refuse(self, item: Item, error: EvidenceError) -> None:
        if isinstance(error, NoProcess):  # of which the file is innocent
            self._report.fall_short(error.code)
        self._report.refusals.append(Refusal(path=item.path, error=error, external_id=item.external_id))

    def _create(self, external_id: str, item: Item) -> Document:
        row = Document.objects.create(
            source=self._source,
            access_class_id=self._class(self.grant(item.rights)),
            external_id=external_id,
            public_id=public_id(self._source, external_id),
        )
        audit.about(row, "document.added", actor=self._actor)
        return row

    def _state(self, row: Document, item: Item, read: _Read | EvidenceError) -> _State | None:
        """The representation of this state, made if it is new; None where it was refused or is retired."""
        if isinstance(read, EvidenceError) or read.begun.retired:
            return None
        begun = read.begun
        revision = begun.revision or self._revision(row, item, begun)
        if begun.revision is not None and item.stamp and revision.stamp != item.stamp:
            state = revision.origin_state or item.state
            Revision.objects.filter(pk=revision.pk).update(stamp=item.stamp, origin_state=state)
        if read.content is None:
            assert begun.kept is not None  # one of the two it has
            return _State(begun.kept, revision.path, new=False)
        self._count("passages", len(read.content.passages))
        self._report.noted += [(item.path, note) for note in read.content.notes]
        if Note.NO_TEXT in read.content.notes:
            self._count("no_text")
        return _State(representations.write(row, revision, begun.parser, read.content), revision.path, new=True)

    def _revision(self, row: Document, item: Item, begun: Begun) -> Revision:
        blobs.put(begun.data)
        Retired.objects.filter(document=row, label=item.label, source_sha256=begun.digest).delete()  # it is current again
        revision = Revision.objects.create(
            document=row,
            label=item.label,
            dated=item.dated,
            source_sha256=begun.digest,
            stamp=item.stamp,
            size=len(begun.data),
            media_type=begun.media_type,
            path=item.path,
            origin_state=item.state,
            password=item.options.password,
        )
        audit.about(row, "revision.added", actor=self._actor, revision=revision.pk)
        return revision

    def _said(self, item: Item, current: Representation, access_class: int) -> dict[str, Any]:
        """Metadata, rights and the current state of a document as they are to be."""
        said = item.metadata
        title = (said.title or current.title or PurePosixPath(item.path).stem)[: representations.MAX_TITLE]
        return {
            "access_class_id": access_class,
            "current_id": current.pk,
            "withdrawn_at": None,
            "rights_problem": self.grant(item.rights).problem,
            "title": title,
            "title_key": Document.title_key_for(title),
            **{name: getattr(said, name) for name in _METADATA},
        }

    def _facts(self, row: Document, item: Item, state: _State) -> bool:
        """Bring metadata, rights and the current state of a document in line, together; gives whether anything changed."""
        facts = self._said(item, state.representation, self._class(self.grant(item.rights)))
        before = _facts_of(row, facts)
        moved = state.path != item.path
        if moved:  # where a file is can change without its bytes; whoever asks its origin about it must name it right
            Revision.objects.filter(pk=state.representation.revision_id).update(path=item.path)
        if facts == before:
            return moved
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

    def _give(self, row: Document, grant: Grant) -> None:
        """Other rights for a document that is left as it is."""
        old, row.access_class_id, row.rights_problem = row.access_class_id, self._class(grant), grant.problem
        row.updated_at = timezone.now()
        row.save(update_fields=["access_class", "rights_problem", "updated_at"])
        audit.about(row, "rights.changed", actor=self._actor, old=old, new=row.access_class_id)

    def _note_moves(self, rows: Sequence[Document], access_class: int) -> None:
        """An audit event for each of these rows, which have this class now."""
        AuditEvent.objects.bulk_create(
            [
                AuditEvent(
                    tenant_id=self._source.tenant_id,
                    actor_id=self._actor,
                    code="rights.changed",
                    document=row.public_id,
                    ids={"old": row.access_class_id, "new": access_class},
                )
                for row in rows
            ],
            batch_size=MANY,
        )

    def _grant_of(self, row: Document) -> Grant:
        """What the document's class gives."""
        pk = row.access_class_id
        return self._grants.get(pk) or grants.stored(AccessClass.objects.filter(pk=pk))[pk]

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


@dataclass(frozen=True, slots=True)
class _Read:
    """A state that could be read. content: None where it is kept from before."""

    begun: Begun
    content: Content | None


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is here of some documents.

    revisions: document and label, with the stamp and with the digest -> revision. made: revision and parser -> what it made under
    this profile.
    retired: document and label, with the digest and with the stamp, of states that were removed for their age.
    """

    revisions: Mapping[tuple[int, str, str], Revision]
    made: Mapping[tuple[int, Parser], Representation]
    retired: Set[tuple[int, str, str]]

    @classmethod
    def of(cls, documents: Collection[int]) -> _Kept:
        """Three queries."""
        gone = Retired.objects.filter(document__in=documents).values_list("document", "label", "stamp", "source_sha256")
        rows = list(Revision.objects.filter(document__in=documents).order_by("pk"))
        made = representations.of([row.pk for row in rows])
        return cls(
            {(row.document_id, row.label, name): row for row in rows for name in (row.stamp, row.source_sha256) if name},
            {
                (row.revision_id, Parser(row.parser_name, row.parser_version, row.parser_configuration)): row
                for row in made.order_by("-pk")
            },
            {(document, label, one) for document, label, *names in gone for one in names if one},
        )

    def revision(self, document: int, item: Item) -> Revision | None:
        """The one that has this state's bytes."""
        return self.revisions.get((document, item.label, item.stamp)) if item.stamp else None

    def is_retired(self, document: int, item: Item) -> bool:
        """Whether this state was removed for its age, as far as its stamp tells."""
        return bool(item.stamp) and (document, item.label, item.stamp) in self.retired

    def representation(self, revision: Revision, parser: Parser) -> Representation | None:
        """What this parser made of it before."""
        return self.made.get((revision.pk, parser))

    def current(self, document: int, items: Sequence[Item]) -> _State | None:
        """The last of a document's states as it is here, if all of them are that are not retired."""
        states = [self._state(document, item) for item in items if item is items[-1] or not self.is_retired(document, item)]
        return None if None in states else states[-1]

    def _state(self, document: int, item: Item) -> _State | None:
        revision = self.revision(document, item)
        if revision is None:
            return None
        try:
            found = self.representation(revision, _form(item)[0].parser_with(item.options))
        except EvidenceError:
            return None
        return None if found is None else _State(found, revision.path, new=False)


_NOTHING_KEPT: Final = _Kept({}, {}, frozenset())


def public_id(source: Source, external_id: str) -> UUID:
    """The document's id for everybody: the same in every database, and no hint of how many others exist."""
    return uuid5(NAMESPACE_URL, "\0".join((source.tenant.slug, source.name, external_id)))


def _form(item: Item) -> tuple[Format, str]:
    ending = PurePosixPath(item.path).suffix.lower()
    return FORMATS[ending], ending


def _stored(revision: Revision) -> bytes | None:
    """Its bytes as they are kept here; None where they are missing or damaged, so that the origin is read."""
    try:
        return blobs.read(revision.source_sha256)
    except EvidenceError:
        return None


def _is_kept(item: Item, begun: Begun) -> bool:
    """Whether a state is here as it is, with the stamp by which it is known."""
    if begun.revision is None or begun.kept is None:
        return begun.retired
    return not item.stamp or begun.revision.stamp == item.stamp


def _facts_of(row: Document, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _awaited(begun: Begun | EvidenceError) -> _Read | EvidenceError:
    """What a state holds, once it has been taken apart."""
    if isinstance(begun, EvidenceError):
        return begun
    try:
        return _Read(begun, None if begun.content is None else begun.content())
    except EvidenceError as error:
        return error


def _rules(row: AccessClass, grant: Grant) -> Iterable[AccessRule]:
    yield from (AccessRule(access_class=row, effect=Effect.ALLOW, group_id=group) for group in grant.allow_groups)
    yield from (AccessRule(access_class=row, effect=Effect.ALLOW, user_id=user) for user in grant.allow_users)
    yield from (AccessRule(access_class=row, effect=Effect.DENY, group_id=group) for group in grant.deny_groups)
    yield from (AccessRule(access_class=row, effect=Effect.DENY, user_id=user) for user in grant.deny_users)
