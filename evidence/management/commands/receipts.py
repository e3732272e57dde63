"""manage.py receipts: what shows that documents were removed, in ids, times and numbers."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from evidence import receipts, removal
from evidence.management import reports
from evidence.management.command import EvidenceCommand

DEFAULT_NUMBER: Final = 50


class Command(EvidenceCommand):
    """The newest first. One that is not finished says what was found, and how often it is looked for again."""

    help = "List the receipts of removed documents, or close one by hand."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which ones, how many, and what to do with them."""
        parser.add_argument("--tenant", help="short name of the tenant")
        parser.add_argument("--source", help="short name of the source")
        parser.add_argument("--open", action="store_true", help="only those that are not finished")
        parser.add_argument("--number", type=int, default=DEFAULT_NUMBER, help="how many, the newest first")
        parser.add_argument("--again", action="store_true", help="look again now for what is left of those that are not finished")
        parser.add_argument(
            "--close", type=UUID, metavar="RECEIPT", help="finish this one, of which something was found, as it is"
        )

    def handle(self, *, number: int, again: bool, close: UUID | None, **options: object) -> None:
        """List, look again, or close."""
        if close is not None:
            if not removal.close(close):
                raise CommandError(f"There is no receipt {close} of which something was found and that is still open.")
            self.stdout.write(f"{close} is closed. What was found stays on it.")
            return
        if again:
            self.stdout.write(f"{removal.look_again()} are looked for again by the worker (manage.py work).")
            return
        found = receipts.begun(now=timezone.now())
        if options["tenant"]:
            found = found.filter(tenant__slug=options["tenant"])
        if options["source"]:
            found = found.filter(source__name=options["source"])
        if options["open"]:
            found = found.filter(finished_at=None)
        for row in found[:number]:
            self.stdout.write("\n".join(reports.receipt(row)))
