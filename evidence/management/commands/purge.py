"""manage.py purge: remove one document and everything derived from it, physically."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser

from evidence import receipts, removal, worker
from evidence.management import reports
from evidence.management.command import EvidenceCommand
from evidence.models import Document


class Command(EvidenceCommand):
    """The document is invisible at once; what could not be removed now is left to the worker."""

    help = "Remove a document with all its states, passages, index entries and originals."

    def add_arguments(self, parser: CommandParser) -> None:
        """Document, source, tenant."""
        parser.add_argument("document", help="the document's id in its source")
        parser.add_argument("--source", required=True, help="short name of the source")
        parser.add_argument("--tenant", required=True, help="short name of the tenant")

    def handle(self, *, document: str, source: str, tenant: str, **options: object) -> None:
        """Purge."""
        rows = Document.objects.filter(external_id=document, source__name=source, source__tenant__slug=tenant)
        row = rows.select_related("source").first()
        if row is None:
            raise CommandError(f"There is no document {document!r} in source {source!r} of tenant {tenant!r}.")
        made = removal.request_purge(row)
        worker.run_due()
        receipt = receipts.state(made.public_id)
        if receipt is None:
            raise CommandError("An import took the document in again meanwhile. Take it out of its source first.")
        if receipt.finished_at is None:
            raise CommandError(
                f"The document is invisible, but not removed yet; receipt {receipt}. manage.py work goes on trying."
            )
        self.stdout.write(f"{row.public_id} is removed; receipt {receipt}.")
        self.stdout.write("\n".join(reports.receipt(receipt)))
        self.stdout.write("If its file is still at the source, the next import brings it back.")
