"""manage.py verify: read everything that is kept and compare it with what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from django.core.management.base import CommandError, CommandParser

from evidence import projection, sampling
from evidence.errors import IndexFault
from evidence.management import progress
from evidence.management.command import EvidenceCommand
from evidence.management.runs import find_sources
from evidence.models import Document, Source

FAULTS_FOUND = 1


class Command(EvidenceCommand):
    """Exit status: 0 all is as it should be, 1 something is not, 2 nothing was looked at. A line for each fault: code and id."""

    help = "Read originals, texts, rights and index back, and compare them with their hashes and with each other."

    def add_arguments(self, parser: CommandParser) -> None:
        """Source and tenant."""
        parser.add_argument("source", nargs="?", help="short name of one source (default: everything)")
        parser.add_argument("--tenant", help="short name of the tenant (default: all)")

    def handle(self, *, source: str | None, tenant: str | None, **options: object) -> None:
        """Look at it."""
        everything = source is None and tenant is None
        sources = Source.objects.all()
        if not everything:
            sources = sources.filter(pk__in=[row.pk for row in find_sources(source, tenant)])
        documents = Document.objects.filter(source__in=sources).count()
        count = 0
        with progress.bar("verify", unit="document", quiet=options["verbosity"] == 0, total=documents) as bar:
            try:
                projection.engine().check()
                found = sampling.everything(sources, progress=bar.update)
                for line in chain((f"{one.fault} {one.document}" for one in found), _rest() if everything else ()):
                    self.stdout.write(line)
                    count += 1
            except IndexFault as fault:
                raise CommandError(f"{fault} [{fault.code}]", returncode=FAULTS_FOUND) from None
        if count:
            raise CommandError(f"{count} fault{'s' * (count != 1)} (see above).", returncode=FAULTS_FOUND)
        withdrawn = Document.objects.filter(source__in=sources).exclude(withdrawn_at=None).count()
        apart = f" ({withdrawn} of them withdrawn and not removed yet)" if withdrawn else ""
        self.stdout.write(f"{documents} document{'s' * (documents != 1)}{apart}, no fault")


def _rest() -> Iterator[str]:
    """What belongs to no source."""
    yield from (f"{one.fault} {one.document}" for one in sampling.of_uploads())
    yield from (f"index_stray {state}" for state in sorted(projection.strays()))
