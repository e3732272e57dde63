"""Removal: first invisible, then gone from rows, index, originals, pictures and the files themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from evidence import audit, blobs, derived, jobs, projection
from evidence.errors import EvidenceError, gettext_noop
from evidence.models import Citation, Document, Revision, Upload

PURGE: Final = "purge"
WIPE: Final = "wipe"
WIPED_WITHIN: Final = timedelta(days=1)
"""What people discard, which they do often, is wiped at the latest then: writing a large database anew takes minutes."""
NO_DOCUMENT: Final = 0
"""Key of a wiping that no document waits for."""
MAX_WIPED: Final = 10_000
"""Removed documents that are wiped away at once; it costs the same for one as for many."""


def withdraw(document: Document, *, code: str = "document.withdrawn", actor: int | None = None) -> None:
    """Make a document invisible at once. Its text stays until `purge`. actor: the person who did it, if one did."""
    with transaction.atomic():
        projection.settle_after_commit()
        Document.objects.filter(pk=document.pk).update(withdrawn_at=timezone.now(), updated_at=timezone.now())
        audit.about(document, code, actor=actor)
        projection.record([document.pk])


def request_purge(document: Document) -> None:
    """Make a document invisible at once and leave its removal to a job, which is tried again until it is done."""
    with transaction.atomic():
        withdraw(document, code="document.purge_requested")
        jobs.enqueue(PURGE, [document.pk])


def purge(document: int) -> None:
    """Remove a withdrawn document and everything derived from it; a job then wipes what the files still hold of it.

    An audit event with ids stays. One that has come back since then is left alone: the transaction keeps imports out.
    """
    projection.settle()
    with transaction.atomic():
        row = Document.objects.filter(pk=document).exclude(withdrawn_at=None).select_related("source").first()
        if row is not None:
            audit.about(row, "document.purged", revisions=row.revisions.count())
            Citation.objects.filter(document=row).update(exact="", prefix="", suffix="")
            row.delete()
        jobs.enqueue(WIPE, [document])


def wipe_soon() -> None:
    """Have files wiped within WIPED_WITHIN of what was removed from rows in this transaction."""
    jobs.enqueue(WIPE, [NO_DOCUMENT], not_before=timezone.now() + WIPED_WITHIN)


def wipe(document: int) -> None:
    """Leave nothing of what was removed in any file: index, originals, pictures, database, log. Serves all that wait for it."""
    asked = jobs.waiting(WIPE, limit=MAX_WIPED)
    projection.purge_traces()
    with transaction.atomic():  # nobody can write originals meanwhile
        kept = set(Revision.objects.values_list("source_sha256", flat=True))
        blobs.keep_only(kept | Upload.objects.waiting().digests())
        derived.keep_only(kept)
    _compact()
    jobs.done(asked)


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
