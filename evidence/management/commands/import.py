"""manage.py import: take a folder of documents in, here or at an address, or bring what was taken in in line with it."""

from __future__ import annotations

from typing import Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from evidence import ingest, origins
from evidence.content import Note
from evidence.errors import EvidenceError, Refused
from evidence.intake import Report
from evidence.models import Tenant
from evidence.sources import Listing
from evidence.sources.trees.places import settled

NOTHING_DONE = 2
DONE_IN_PART = 1
SHOWN = 20
"""Lines of one kind that are printed; the rest is counted."""


NOTES: Final = {
    Note.NO_TEXT: "taken in, but nothing in it can be searched (no text; a scan, perhaps)",
    Note.LETTER_SOUP: "letter soup: no character map, so this is not searched",
    Note.UNSEEN_TEXT: "holds words that nobody sees in the original (labelled)",
    Note.ENCODING_ASSUMED: "does not say its encoding, which was assumed",
    Note.REPAIRED: "damaged; what could be read was taken in",
    Note.NOT_SHOWN: "holds parts that are not in the text",
    Note.ATTACHMENTS: "has attachments, which were not read",
    Note.FORM_VALUES: "has form fields whose values no page shows",
}
"""What is said of files that were read with something to know about them."""


class Command(BaseCommand):
    """Exit status: 0 everything is taken in, 1 something was refused or not seen, 2 nothing was done."""

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
            listing = origins.folder(f"{tenant}/{source}", folder, rules=rules).list()
            row = ingest.source(owner, source, location=settled(folder), settings=listing.settings)
        except Tenant.DoesNotExist:
            raise CommandError(f"There is no tenant {tenant!r}.", returncode=NOTHING_DONE) from None
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]", returncode=NOTHING_DONE) from None
        with tqdm(total=len(listing.items), desc=source, unit="file", disable=options["verbosity"] == 0) as bar:
            try:
                report = ingest.take_in(
                    row, listing, started=started, allow_removals=bool(options["allow_removals"]), progress=bar.update
                )
            except Refused as error:
                raise CommandError(f"{error} [{error.code}]", returncode=NOTHING_DONE) from None
        self._tell(report, listing)
        if report.refusals or not report.complete:
            raise CommandError("Some of it was refused (see above); the rest is taken in.", returncode=DONE_IN_PART)

    def _tell(self, report: Report, listing: Listing) -> None:
        counts = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in report.counts.items() if number)
        self.stdout.write(counts or "nothing to do")
        self._lines(
            "not read (no such format yet)", [f"{number} × {ending or 'no ending'}" for ending, number in report.unread.items()]
        )
        self._lines("rules that no file fits", list(listing.unused))
        for note, title in NOTES.items():
            self._lines(title, [path for path, found in report.noted if found is note])
        self._lines("readable by nobody", [f"{document}: {reason}" for document, reason in report.unreadable])
        self._lines("refused", [f"{one.path or 'source'}: {one.error} [{one.error.code}]" for one in report.refusals])
        if not report.complete:
            self.stdout.write("The source was not seen completely: nothing was withdrawn, and no rights were confirmed.")

    def _lines(self, title: str, lines: list[str]) -> None:
        if lines:
            self.stdout.write(f"{title}:")
            for line in lines[:SHOWN]:
                self.stdout.write(f"  {line}")
            if len(lines) > SHOWN:
                self.stdout.write(f"  … and {len(lines) - SHOWN} more")
