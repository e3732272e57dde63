"""Pushing: another system brings documents and rights of one source, takes them back, and confirms that its rights are complete.

What it sends is taken in as a run does it; one call at a time for each source. Rights and content take effect together, but for
rights that are taken away: those go first, at once, and stay taken when the file can't be read.

Late arrivals. A system that sends things side by side says with each when it read the rights (`rights_as_of`). Then:
- what is older than the rights that are kept, or than the removal of the document, is refused as a whole, content too: it belongs
  to rights that no longer hold, and under newer ones it might be seen by people whom it was never for;
- other rights of the same time are refused: nobody knows which were read later;
- content without rights is taken for rights of just that time, or not at all;
- a document whose rights once had a time takes nothing without one.
A system that never says a time is taken at its word, in the order in which it speaks. What it says while a file is being read was
said after that file: other rights or a removal refuse the file.

What is sent after a removal is a new document: what was removed goes first, so that none of it comes back as an earlier version.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Final
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from evidence import grants, parsing, projection, removal, representations, revocations, runs
from evidence.confinement import NoProcess
from evidence.errors import Busy, Outdated, Refused, Unavailable, gettext_noop
from evidence.formats import FORMATS
from evidence.formats.options import Options
from evidence.grants import Grant, Principals
from evidence.intake import Intake, Report, public_id
from evidence.models import RESTORED, AccessClass, AuditEvent, Document, Receipt, Revision, Source
from evidence.sources import Item, Rights
from evidence.sources.push import Confirmation, Described, Stated

WAITS: Final = 20.0
"""Seconds that a call waits for another one of the same source: longer than nearly all take, shorter than clients wait."""
MAX_HELD: Final = 1_000
"""Documents on one page of what is held."""
KEPT: Final = Rights(problem="kept as they are")
"""Stands for the rights that a document has."""
_JUST_BEFORE: Final = timedelta(microseconds=1)
_STATES: Final = ("new", "changed", "updated", "unchanged")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Taken:
    """A document that was sent, as it is here now. state: new, changed (content), updated (anything else) or unchanged."""

    document: Document
    state: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a confirmation did. unknown: ids of the list that are not here."""

    as_of: datetime
    withdrawn: int
    unknown: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was here of a document. rights: digest of them, empty where there was none. receipt: key of its latest, or 0."""

    rights: str
    receipt: int


@dataclass(frozen=True, slots=True)
class Call:
    """Who pushes where: a token, by its key, and its source."""

    source: Source
    token: int


def put(call: Call, external_id: str, said: Described, *, name: str, data: bytes) -> Taken:
    """Take in what a document holds now, with what is said of it. name: of the file, with an ending that says how it is read.

    Raises Outdated for what comes too late, Refused for a file that can't be read, Busy.
    """
    if not data:
        raise Refused("file_empty", gettext_noop("This file is empty."))
    seen = _narrow(call, external_id, said)
    with _or_busy(call):
        item = _item(call, external_id, said, name, data)
    with _alone(call):
        _refuse_overtaken(call, external_id, said, seen)
        row = _without_removed(call, external_id)
        grant = _in_order(call, row, external_id, said.rights, said.rights_as_of)
        report = Report()
        intake = Intake(call.source, report, only=external_id, parse=_read_at_once, given={KEPT: grant})
        projection.ensure()
        begun = intake.begin(external_id, [item])
        with transaction.atomic():
            intake.write(external_id, [item], begun)
            for refusal in report.refusals:
                raise refusal.error
            made = _known(call, external_id)
            assert made is not None  # it was written just now
            state = next(one for one in _STATES if report.counts[one])
            _date(made, said.rights_as_of)
            if state != "unchanged":
                _note(call, "document.pushed", made)
    projection.settle_quickly()
    return Taken(made, state)


def give(call: Call, external_id: str, stated: Stated) -> Taken:
    """Let these rights be those of a document, whatever it holds. Raises Unavailable, Outdated, Busy."""
    with _alone(call):
        row = _known(call, external_id)
        if row is None or row.withdrawn_at is not None or row.current is None:
            raise Unavailable
        grant = _in_order(call, row, external_id, stated.rights, stated.as_of)
        before = _grant_of(row)
        intake = Intake(call.source, Report(), only=external_id)
        with transaction.atomic():
            changed = intake.give(external_id, grant)
            if grant.takes_from(before):
                revocations.note(call.source, documents=1, at_origin=stated.as_of)
            _date(row, stated.as_of)
            if changed:
                _note(call, "rights.pushed", row)
    projection.settle_quickly()
    made = _known(call, external_id)
    assert made is not None  # the lock was held
    return Taken(made, "updated" if changed else "unchanged")


def remove(call: Call, external_id: str) -> Receipt:
    """Make a document invisible at once and have it removed; asking again gives the receipt again. Raises Unavailable, Busy."""
    with _alone(call):
        row = _known(call, external_id)
        receipt = Receipt.objects.filter(source=call.source, document=public_id(call.source, external_id)).first()
        if row is None:
            if receipt is None:
                raise Unavailable
            return receipt
        if receipt is not None and receipt.invisible_at == row.withdrawn_at and receipt.due_at <= timezone.now():
            return receipt
        with transaction.atomic():
            if row.withdrawn_at is None:
                revocations.note(call.source, documents=1)
            receipt = removal.request_purge(row)
            _note(call, "removal.pushed", row)
    return receipt


def receipt(call: Call, of: UUID) -> Receipt:
    """A receipt of this source. Raises Unavailable."""
    found = Receipt.objects.filter(source=call.source, public_id=of).first()
    if found is None:
        raise Unavailable
    return found


def confirm(call: Call, said: Confirmation) -> Confirmed:
    """Rights are complete as of then. With a list of all documents, those that it leaves out are withdrawn.

    Raises Outdated for a time before the one that was confirmed last, and for a list that misses more than the source allows,
    which also closes the source until the next confirmation; and while a restored backup waits for everything to be sent again.
    Who is in which group the other system does not know: a restored source opens when an administrator confirms it after that.
    Raises Busy.
    """
    with _alone(call):
        source = Source.objects.select_related("tenant").get(pk=call.source.pk)
        if source.rights_confirmed_at is not None and said.as_of < source.rights_confirmed_at <= timezone.now():
            message = gettext_noop("Rights were confirmed as of a later time already.")
            raise Outdated("confirmation_older", message)
        if source.closed_because in RESTORED and source.rights_confirmed_at is None and not said.restated:
            message = gettext_noop(
                "This source was restored from a backup. Send all documents with their rights again, "
                "then confirm with “restated”: true."
            )
            raise Outdated("source_restored", message)
        missing, unknown = _compared(source, said)
        with transaction.atomic():
            if missing:
                removal.withdraw_missing(missing, purge_after=source.purge_after)
                revocations.note(source, documents=len(missing))
            Source.objects.filter(pk=source.pk).update(rights_confirmed_at=said.as_of)
            AuditEvent.objects.create(
                tenant=source.tenant,
                code="rights.confirmed",
                ids={
                    "source": source.pk,
                    "token": call.token,
                    "withdrawn": len(missing),
                    "as_of": said.as_of.isoformat(timespec="seconds"),
                },
            )
    return Confirmed(said.as_of, len(missing), unknown)


def held(call: Call, *, after: str = "", limit: int = MAX_HELD) -> Sequence[Document]:
    """Documents of this source that are not withdrawn, by id, those after this one."""
    rows = call.source.documents.filter(withdrawn_at=None, current__isnull=False, external_id__gt=after)
    return list(rows.select_related("current__revision").order_by("external_id")[:limit])


@contextmanager
def _alone(call: Call) -> Iterator[None]:
    """Hold the source's lock. Raises Busy when it is not to be had in time."""
    with _or_busy(call), runs.alone(call.source, wait=WAITS):
        yield


@contextmanager
def _or_busy(call: Call) -> Iterator[None]:
    """Raises Busy for what another try may not meet: the lock is held, no process reads, or the database does not write."""
    try:
        yield
    except NoProcess as error:
        raise Busy from error
    except OperationalError as error:
        logger.exception("push: the database did not write: source %s", call.source.pk)
        raise Busy from error
    except Refused as error:
        if error.code == runs.RUNNING:
            raise Busy from error
        raise


def _narrow(call: Call, external_id: str, said: Described) -> _Seen:
    """Take away at once what the rights that were sent no longer give; nobody waits for the file to be read.

    Gives what is here then.
    """
    with _alone(call):
        row = _known(call, external_id)
        if row is None or said.rights is None:
            return _seen(call, external_id)
        grant = _in_order(call, row, external_id, said.rights, said.rights_as_of)
        intake = Intake(call.source, Report(), only=external_id)
        with transaction.atomic():
            if intake.narrow({external_id: grant}):
                revocations.note(call.source, documents=1, at_origin=said.rights_as_of)
                _note(call, "rights.pushed", row)
                # so that the same statement may come again, and an older one may not
                _date(row, said.rights_as_of and said.rights_as_of - _JUST_BEFORE)
        return _seen(call, external_id)


def _seen(call: Call, external_id: str) -> _Seen:
    row = _known(call, external_id)
    receipts = Receipt.objects.filter(source=call.source, document=public_id(call.source, external_id))
    return _Seen("" if row is None else _grant_of(row).digest(), receipts.aggregate(last=Max("pk"))["last"] or 0)


def _refuse_overtaken(call: Call, external_id: str, said: Described, seen: _Seen) -> None:
    """Where no times say what came first: raises Outdated for a file that was sent before what is here now."""
    now = _seen(call, external_id)
    if said.rights_as_of is None and now.receipt > seen.receipt:
        message = gettext_noop("This document was removed while its file was read. Nothing was taken in.")
        raise Outdated("document_removed", message)
    row = _known(call, external_id)
    if row is None or row.rights_as_of is not None or now.rights == seen.rights:
        return
    if said.rights is None or Principals(call.source.tenant_id).grant(said.rights).digest() != now.rights:
        message = gettext_noop(
            "The rights of this document were changed while its file was read. Send both again, as they are now."
        )
        raise Outdated("rights_changed_meanwhile", message)


def _without_removed(call: Call, external_id: str) -> Document | None:
    """The document as it is here; one that was asked to be removed goes now, with all that it held."""
    row = _known(call, external_id)
    if row is None or row.withdrawn_at is None:
        return row
    asked = Receipt.objects.filter(document=row.public_id, invisible_at=row.withdrawn_at, purged_at=None)
    due = asked.filter(due_at__lte=timezone.now()).first()
    if due is not None:
        removal.purge(due.pk)
    return _known(call, external_id)


def _item(call: Call, external_id: str, said: Described, name: str, data: bytes) -> Item:
    """What was sent, as an item. What is new of it has been read: while it is written, others wait."""
    ending = PurePosixPath(name).suffix.lower()
    digest = hashlib.sha256(data).hexdigest()
    revision = Revision.objects.filter(
        document__source=call.source, document__external_id=external_id, label=said.label, source_sha256=digest
    ).first()
    here = revision is not None and representations.kept(revision, FORMATS[ending].parser_with(said.options)) is not None
    return Item(
        external_id=external_id,
        label=said.label,
        dated=said.dated,
        path=name,
        metadata=said.metadata,
        rights=KEPT if said.rights is None else said.rights,
        read=lambda: data,
        options=said.options,
        content=None if here else parsing.extract(ending, data, said.options),
    )


def _read_at_once(ending: str, data: bytes, options: Options) -> parsing.Awaited:
    """Read what was known to be here and is not any more: before the transaction begins."""
    content = parsing.extract(ending, data, options)
    return lambda: content


def _known(call: Call, external_id: str) -> Document | None:
    rows = call.source.documents.filter(external_id=external_id)
    return rows.select_related("source__tenant", "current__revision").first()


def _grant_of(row: Document) -> Grant:
    """What is stored for a document."""
    if row.rights_problem:
        return Grant(problem=row.rights_problem)
    return grants.stored(AccessClass.objects.filter(pk=row.access_class_id))[row.access_class_id]


def _in_order(call: Call, row: Document | None, external_id: str, rights: Rights | None, as_of: datetime | None) -> Grant:
    """What is to be given now. Raises Outdated where what was sent does not follow what is here: see the top of this module."""
    grant = Principals(call.source.tenant_id).grant(Rights() if rights is None else rights)
    if as_of is not None:
        _refuse_removed(call, external_id, as_of)
    if row is None:
        return grant
    kept = _grant_of(row)
    if rights is None:
        if as_of != row.rights_as_of:
            message = gettext_noop(
                "The rights that are kept here are of another time than rights_as_of says. Send the rights too."
            )
            raise Outdated("rights_other_time", message)
        return kept
    if row.rights_as_of is None:
        return grant
    if as_of is None:
        message = gettext_noop("The rights of this document came with a time before. Send rights_as_of with these as well.")
        raise Outdated("rights_without_time", message)
    if as_of < row.rights_as_of:
        raise Outdated("rights_older", gettext_noop("Newer rights of this document are here already. Nothing was changed."))
    if as_of == row.rights_as_of and grant.digest() != kept.digest():
        message = gettext_noop("Other rights of the very same time are here. Read them again, and send them with their new time.")
        raise Outdated("rights_same_time", message)
    return grant


def _refuse_removed(call: Call, external_id: str, as_of: datetime) -> None:
    receipts = Receipt.objects.filter(source=call.source, document=public_id(call.source, external_id))
    removed = receipts.aggregate(at=Max("invisible_at"))["at"]
    if removed is not None and as_of < removed:
        message = gettext_noop("This document was removed after that time. Nothing was changed.")
        raise Outdated("document_removed", message)


def _date(row: Document, as_of: datetime | None) -> None:
    if as_of is not None and row.rights_as_of != as_of:
        Document.objects.filter(pk=row.pk).update(rights_as_of=as_of)
        row.rights_as_of = as_of


def _compared(source: Source, said: Confirmation) -> tuple[Sequence[Document], Sequence[str]]:
    """Documents that the list leaves out, and ids of it that are not here. What came after it was made is not judged by it."""
    if said.documents is None:
        return [], []
    known = {row.external_id: row for row in source.documents.filter(withdrawn_at=None).select_related("source__tenant")}
    missing = [row for one, row in known.items() if one not in said.documents and row.updated_at <= said.as_of]
    if len(missing) > source.max_missing_share * len(known) and not said.allow_removals:
        _unconfirm(source)
        message = gettext_noop(
            "%(missing)d of %(known)d documents are not in this list. Nothing was withdrawn, and the source is closed until the "
            "next confirmation. If the list is right, send it with “allow_removals”: true."
        )
        raise Outdated("too_many_missing", message, missing=len(missing), known=len(known))
    return missing, sorted(said.documents - known.keys())


def _unconfirm(source: Source) -> None:
    with transaction.atomic():
        if Source.objects.filter(~Q(rights_confirmed_at=None), pk=source.pk).update(rights_confirmed_at=None):
            AuditEvent.objects.create(tenant=source.tenant, code="rights.unconfirmed", ids={"source": source.pk})


def _note(call: Call, code: str, row: Document) -> None:
    """Write down that a system pushed this. What it changed has events of its own."""
    AuditEvent.objects.create(
        tenant_id=call.source.tenant_id, code=code, document=row.public_id, ids={"source": call.source.pk, "token": call.token}
    )
