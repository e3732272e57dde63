"""manage.py confirm: state that a source's rights, as they are kept here, are complete as of now."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from evidence.management.people import find_tenant
from evidence.models import RESTORED, AuditEvent, Closed, Source


class Command(BaseCommand):
    """Opens a source again that closed because its rights were too old, or because it was restored from a backup."""

    help = "Confirm that the rights of a source are complete as of now, and with them who is in which group."

    def add_arguments(self, parser: CommandParser) -> None:
        """Source and tenant."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("source", nargs="?", help="short name of the source")
        which.add_argument("--all", action="store_true", help="all sources of the tenant that were restored from a backup")
        parser.add_argument("--tenant", required=True, help="short name of the tenant")

    def handle(self, *, source: str | None, all: bool, tenant: str, **options: object) -> None:
        """Confirm."""
        rows = Source.objects.filter(tenant=find_tenant(tenant)).select_related("tenant")
        chosen = list(rows.filter(closed_because__in=RESTORED) if all else rows.filter(name=source))
        if source is not None and not chosen:
            raise CommandError(f"There is no source {source!r} in tenant {tenant!r}.")
        for row in chosen:
            self._confirm(row)

    def _confirm(self, row: Source) -> None:
        now = timezone.now()
        mine = Source.objects.filter(pk=row.pk)
        with transaction.atomic():
            mine.update(rights_confirmed_at=now)
            if row.closed_because in RESTORED:
                mine.filter(closed_because=row.closed_because).update(**row.once_believed())
            AuditEvent.objects.create(tenant=row.tenant, code="rights.confirmed", ids={"source": row.pk})
        self.stdout.write(f"{row}: rights confirmed as of {timezone.localtime(now):%Y-%m-%d %H:%M:%S}")
        if mine.filter(closed_because=Closed.ADMINISTRATOR).exists():
            self.stdout.write(f"{row} stays closed: an administrator closed it, and opens it again on its page.")
