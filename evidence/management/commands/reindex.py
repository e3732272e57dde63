"""manage.py reindex: build the search index anew from the database while searches go on."""

from __future__ import annotations

from django.core.management.base import BaseCommand
from django.db.models import Sum
from tqdm import tqdm

from evidence import projection
from evidence.models import Document


class Command(BaseCommand):
    """The old index answers until the new one is complete."""

    help = "Rebuild the search index from the database; searches go on meanwhile."

    def handle(self, **options: object) -> None:
        """Run the rebuild."""
        readable = Document.objects.filter(withdrawn_at=None, current__isnull=False)
        passages = readable.aggregate(total=Sum("current__passage_count"))["total"] or 0
        with tqdm(total=passages, desc="index", unit="passage", disable=options["verbosity"] == 0) as bar:
            documents = projection.rebuild(bar.update)
        self.stdout.write(f"{documents} documents, {passages} passages")
        for line in projection.differences():
            self.stderr.write(line)
