"""manage.py diagnose: keep the words of a tenant's questions for a while."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from evidence import traces
from evidence.errors import Refused
from evidence.management import people
from evidence.management.command import EvidenceCommand
from evidence.sources.rules import checked_duration


class Command(EvidenceCommand):
    """Everybody in the tenant is told at the head of each page; it ends by itself."""

    help = "Keep the words of a tenant's questions for a while, at most a day, to look into a problem."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose questions, how long."""
        parser.add_argument("--tenant", required=True, help="short name of the tenant")
        parser.add_argument("--for", dest="lasting", default="30m", metavar="TIME", help="as in 30m or 4h")
        parser.add_argument("--end", action="store_true", help="end it now")

    def handle(self, *, tenant: str, lasting: str, end: bool, **options: object) -> None:
        """Begin or end it."""
        row = people.find_tenant(tenant)
        if end:
            traces.end_diagnosis(row, actor=None)
            self.stdout.write(f"{row.slug}: words of questions are not kept any more")
            return
        try:
            until = traces.begin_diagnosis(row, checked_duration(lasting, "--for"), actor=None)
        except Refused as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{row.slug}: words of questions are kept until {timezone.localtime(until):%Y-%m-%d %H:%M}")
