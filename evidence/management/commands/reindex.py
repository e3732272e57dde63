"""manage.py reindex: build the search index anew from the database while searches go on."""

from __future__ import annotations

from django.db.models import Sum

from evidence import projection
from evidence.management import progress
from evidence.management.command import EvidenceCommand
from evidence.models import Representation


class Command(EvidenceCommand):
    """The old index answers until the new one is complete."""

    help = "Rebuild the search index from the database; searches go on meanwhile."

    def handle(self, **options: object) -> None:
        """Run the rebuild."""
        kept = Representation.objects.filter(revision__document__withdrawn_at=None, revision__document__current__isnull=False)
        passages = kept.aggregate(total=Sum("passage_count"))["total"] or 0
        with progress.bar("index", unit="passage", quiet=options["verbosity"] == 0, total=passages) as bar:
            documents = projection.rebuild(bar.update)
        self.stdout.write(f"{documents} documents")
        differences = list(projection.differences())
        for line in differences:
            self.stderr.write(line)
        self.stdout.write("Index and database differ (see above)." if differences else "Index and database agree.")
