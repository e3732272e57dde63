"""manage.py confirm: state that a source's rights, as they are kept here, are complete as of now."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from evidence import closing, identity
from evidence.errors import Refused
from evidence.management.command import EvidenceCommand
from evidence.management.people import find_tenant
from evidence.models import RESTORED, Source, SourceKind


class Command(EvidenceCommand):
    """Opens a source again that closed because its rights were too old, or because it was restored from a backup."""

    help = (
        "Confirm that the rights of a source are complete as of now, and with them who is in which group. After a restore its "
        "origin must have been seen first: run manage.py sync, or have everything pushed again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Source and tenant."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("source", nargs="?", help="short name of the source")
        which.add_argument("--all", action="store_true", help="all sources of the tenant that were restored from a backup")
        parser.add_argument("--tenant", required=True, help="short name of the tenant")

    def handle(self, *, source: str | None, all: bool, tenant: str, **options: object) -> None:
        """Confirm all that can be; ends with 1 when one could not."""
        rows = Source.objects.filter(tenant=find_tenant(tenant)).select_related("tenant")
        chosen = list(rows.filter(closed_because__in=RESTORED) if all else rows.filter(name=source))
        if source is not None and not chosen:
            raise CommandError(f"There is no source {source!r} in tenant {tenant!r}.")
        if not chosen:
            self.stdout.write("No source is closed because it was restored from a backup.")
        refused = [said for row in chosen if (said := self._confirm(row))]
        if refused:
            raise CommandError("\n".join(refused))

    def _confirm(self, row: Source) -> str:
        """Confirm one; gives why not, or ""."""
        try:
            closing.confirm_by_command(row)
        except Refused as error:
            return f"{row} was not confirmed: {error} [{error.code}] {_next(row)}"
        row.refresh_from_db()
        now = timezone.now()
        self.stdout.write(f"{row}: confirmed at {timezone.localtime(now):%Y-%m-%d %H:%M:%S}")
        if row.closed_at is not None:
            self.stdout.write(f"{row} stays closed: an administrator closed it, and opens it again on its page.")
        elif not identity.rights_are_fresh(row, now=now):
            self.stdout.write(f"{row} stays closed: its rights are older than its SLA allows. {_next(row)}")
        return ""


def _next(row: Source) -> str:
    if row.kind == SourceKind.PUSH:
        return "Let the other system confirm it."
    return f"Run: manage.py sync {row.name} --tenant {row.tenant.slug}"
