"""manage.py confirm: state that a source's rights, as they are kept here, are complete as of now."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evidence.models import AuditEvent, Source


class Command(BaseCommand):
    """Opens a source again that closed because its rights were not confirmed within its revocation SLA."""

    help = "Confirm that the rights of a source are complete as of now."

    def add_arguments(self, parser: CommandParser) -> None:
        """Source and tenant."""
        parser.add_argument("source", help="short name of the source")
        parser.add_argument("--tenant", required=True, help="short name of the tenant")

    def handle(self, *, source: str, tenant: str, **options: object) -> None:
        """Confirm."""
        row = Source.objects.filter(name=source, tenant__slug=tenant).select_related("tenant").first()
        if row is None:
            raise CommandError(f"There is no source {source!r} in tenant {tenant!r}.")
        now = timezone.now()
        Source.objects.filter(pk=row.pk).update(rights_confirmed_at=now)
        AuditEvent.objects.create(tenant=row.tenant, code="rights.confirmed", ids={"source": row.pk})
        self.stdout.write(f"{row}: rights confirmed as of {timezone.localtime(now):%Y-%m-%d %H:%M:%S}")
