"""manage.py import: take a folder of documents in, here or at an address, or bring what was taken in in line with it."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from evidence import ingest, origins
from evidence.errors import EvidenceError, Refused
from evidence.management import progress
from evidence.management.command import EvidenceCommand
from evidence.management.runs import DONE_IN_PART, NOTHING_DONE, status, tell
from evidence.models import Tenant
from evidence.sources.trees.places import settled


class Command(EvidenceCommand):
    """Exit status: 0 everything is taken in, 1 something was refused, not seen or names nobody, 2 nothing was done."""

    help = "Import a folder of documents with the rights that its rules file states."

    def add_arguments(self, parser: CommandParser) -> None:
        """Folder, source, tenant, rules."""
        parser.add_argument("folder", help="the folder with the documents: a path, or an address as in s3://bucket/folder")
        parser.add_argument("--source", required=True, help="short name of the source; made if it is new")
        parser.add_argument("--tenant", required=True, help="short name of the tenant (manage.py createtenant)")
        parser.add_argument("--rules", default="", help="rules file or its address (default: fundstelle.toml in the folder)")
        parser.add_argument("--allow-removals", action="store_true", help="withdraw even if most documents are missing")

    def handle(self, *, folder: str, source: str, tenant: str, rules: str, **options: object) -> None:
        """Run the import."""
        started = timezone.now()
        try:
            owner = Tenant.objects.get(slug=tenant)
            asked = origins.folder(f"{tenant}/{source}", folder, rules=rules)
            listing = asked.list()
            place = {"location": settled(folder), "rules": settled(rules) if rules else ""}
            row = ingest.source(owner, source, **place, settings=listing.settings)
        except Tenant.DoesNotExist:
            raise CommandError(f"There is no tenant {tenant!r}.", returncode=NOTHING_DONE) from None
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]", returncode=NOTHING_DONE) from None
        with progress.bar(source, unit="file", quiet=options["verbosity"] == 0, total=len(listing.items)) as bar:
            try:
                report = ingest.take_in(
                    row,
                    listing,
                    started=started,
                    stamp=asked.stamp,
                    allow_removals=bool(options["allow_removals"]),
                    progress=bar.update,
                )
            except Refused as error:
                raise CommandError(f"{error} [{error.code}]", returncode=NOTHING_DONE) from None
        tell(report, self.stdout)
        if status(report):
            message = "Some of it was refused or is readable by nobody (see above); the rest is taken in."
            raise CommandError(message, returncode=DONE_IN_PART)
