"""Removal: first invisible, then gone from rows, index, originals, pictures and the files themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from evidence import audit, blobs, derived, jobs, projection, receipts
from evidence.errors import EvidenceError, gettext_noop
from evidence.models import Citation, Document, Receipt, Revision, Upload, id_list

PURGE: Final = "purge"
WIPE: Final = "wipe"
WIPED_WITHIN: Final = timedelta(days=1)
"""What people discard, which they do often, is wiped at the latest then: writing a large database anew takes minutes."""
NO_RECEIPT: Final = 0
"""Key of a wiping that no receipt waits for."""
MANY: Final = 500
"""Documents that leave together are withdrawn in statements for so many."""
MAX_WIPED: Final = 10_000
"""Removed documents that are wiped away at once; it costs the same for one as for many."""


def withdraw(document: Document, *, code: str = "document.withdrawn", actor: int | None = None) -> None:
    """Make a document invisible at once. Its text stays until `purge`. actor: the person who did it, if one did."""
    with transaction.atomic():
        projection.settle_after_commit()
        _hide([document], now=timezone.now())
        audit.about(document, code, actor=actor)
        projection.record([document.pk])


def withdraw_missing(documents: Sequence[Document], *, purge_after: timedelta) -> None:
    """Make documents invisible at once that left their source, and have them removed after this time.

    One that has come back by then is left alone; when it leaves again, it waits its full time anew.
    """
    now = timezone.now()
    with transaction.atomic():
        projection.settle_after_commit()
        for first in range(0, len(documents), MANY):
            some = _hide(documents[first : first + MANY], now=now)
            audit.about_all(some, "document.withdrawn")
            projection.record([row.pk for row in some])
            opened = receipts.open_all(some, invisible_at=now, due_at=now + purge_after)
            jobs.enqueue(PURGE, [receipt.pk for receipt in opened], not_before=now + purge_after)


def request_purge(document: Document, *, actor: int | None = None) -> Receipt:
    """Make a document invisible at once and leave its removal to a job, which is tried again until it is done.

    The receipt says how far that is. Asking twice gives the same one. actor: the person who asks, if one does.
    """
    with transaction.atomic():
        withdraw(document, code="document.purge_requested", actor=actor)
        invisible_at = Document.objects.filter(pk=document.pk).values_list("withdrawn_at", flat=True).first()
        now = timezone.now()
        receipt = receipts.open_for(document, invisible_at=invisible_at or now, due_at=now)
        jobs.enqueue(PURGE, [receipt.pk])
    return receipt


def purge(receipt: int) -> None:
    """Remove a withdrawn document and everything derived from it; a job then wipes what the files still hold of it.

    An audit event with ids stays. A document that has come back since it was withdrawn is left alone, and the receipt is void.
    """
    found = Receipt.objects.filter(pk=receipt, purged_at=None).first()
    if found is None:
        return
    projection.settle()
    with transaction.atomic():
        rows = Document.objects.select_for_update(of=("self",)).filter(public_id=found.document)
        row = rows.select_related("source").first()
        if row is not None and row.withdrawn_at != found.invisible_at:
            found.delete()
            return
        if row is not None:
            audit.about(row, "document.purged", revisions=row.revisions.count())
            Citation.objects.filter(document=row).update(exact="", prefix="", suffix="")
            row.delete()
        Receipt.objects.filter(pk=receipt).update(purged_at=timezone.now())
        jobs.enqueue(WIPE, [receipt])


def wipe_soon() -> None:
    """Have files wiped within WIPED_WITHIN of what was removed from rows in this transaction."""
    jobs.enqueue(WIPE, [NO_RECEIPT], not_before=timezone.now() + WIPED_WITHIN)


def wipe(receipt: int) -> None:
    """Leave nothing of what was removed in any file: index, originals, pictures, database, log. Serves all that wait for it."""
    asked = jobs.waiting(WIPE, limit=MAX_WIPED)
    served = [row.pk for row in receipts.unfinished()[:MAX_WIPED]]
    projection.purge_traces()
    with transaction.atomic():  # nobody can write originals meanwhile
        kept = set(Revision.objects.values_list("source_sha256", flat=True))
        blobs.keep_only(kept | Upload.objects.waiting().digests())
        derived.keep_only(kept)
    _compact()
    Receipt.objects.filter(pk__in=id_list(served, using="default")).update(finished_at=timezone.now())
    jobs.done(asked)


def _hide(documents: Sequence[Document], *, now: datetime) -> Sequence[Document]:
    """Withdraw those that are not withdrawn yet; gives them."""
    ids = [row.pk for row in documents]
    Document.objects.filter(pk__in=ids, withdrawn_at=None).update(withdrawn_at=now, updated_at=now)
    mine = set(Document.objects.filter(pk__in=ids, withdrawn_at=now).values_list("pk", flat=True))
    return [row for row in documents if row.pk in mine]


def _compact() -> None:
    """Write SQLite's file anew and empty its log: both hold copies of rows, also of those that were overwritten when deleted."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (busy, _, _) = cursor.fetchone()
    if busy:
        raise EvidenceError("log_busy", gettext_noop("The database's log can't be emptied while others read."))
