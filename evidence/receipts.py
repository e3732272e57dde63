"""Receipts: what shows that a document was removed. Ids, times and numbers; what they speak of is done in evidence.removal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from evidence.models import Document, Receipt


def open_for(document: Document, *, invisible_at: datetime, due_at: datetime) -> Receipt:
    """The open receipt of a document's withdrawal, made where there is none. One that waits longer is due then too."""
    row = Receipt.objects.filter(document=document.public_id, invisible_at=invisible_at, purged_at=None).first()
    if row is None:
        return Receipt.objects.create(**_facts(document, invisible_at, due_at))
    if row.due_at > due_at:
        row.due_at = due_at
        row.save(update_fields=["due_at"])
    return row


def open_all(documents: Sequence[Document], *, invisible_at: datetime, due_at: datetime) -> list[Receipt]:
    """A receipt for each document that was withdrawn just now."""
    made = [Receipt(**_facts(document, invisible_at, due_at)) for document in documents]
    return Receipt.objects.bulk_create(made, batch_size=500)


def unfinished() -> QuerySet[Receipt]:
    """Receipts of documents whose rows are gone, and of which files may still hold something."""
    return Receipt.objects.exclude(purged_at=None).filter(finished_at=None).order_by("pk")


def overdue(*, since: datetime) -> QuerySet[Receipt]:
    """Receipts that were due before this moment and are not finished."""
    return Receipt.objects.filter(finished_at=None, due_at__lt=since)


def begun(*, now: datetime) -> QuerySet[Receipt]:
    """Receipts to show: those that are due or done. One of a document that may still come back says nothing yet."""
    return Receipt.objects.filter(Q(due_at__lte=now) | ~Q(purged_at=None)).select_related("source__tenant", "tenant")


def state(receipt: UUID) -> Receipt | None:
    """The receipt as it is now; None where its document came back."""
    return Receipt.objects.filter(public_id=receipt).first()


def _facts(document: Document, invisible_at: datetime, due_at: datetime) -> dict[str, Any]:
    return {
        "tenant_id": document.source.tenant_id,
        "source_id": document.source_id,
        "document": document.public_id,
        "invisible_at": invisible_at,
        "due_at": due_at,
    }
