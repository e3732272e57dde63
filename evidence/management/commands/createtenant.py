"""manage.py createtenant: make a tenant, or give one another name or contact."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.db import transaction

from evidence import audit
from evidence.management.command import EvidenceCommand
from evidence.management.people import refusals_told
from evidence.models import Tenant


class Command(EvidenceCommand):
    """Run again with other values it changes them; with none it leaves the tenant as it is."""

    help = "Create a tenant, the outer wall that nothing crosses."

    def add_arguments(self, parser: CommandParser) -> None:
        """Short name, name, contact."""
        parser.add_argument("slug", help="short name: letters, digits, hyphens and underscores")
        parser.add_argument("--name", help="name that people see (default: the short name)")
        parser.add_argument("--contact", help="whom people ask when they find nothing")

    @transaction.atomic
    def handle(self, *, slug: str, name: str | None, contact: str | None, **options: object) -> None:
        """Create or change."""
        tenant = Tenant.objects.filter(slug=slug).first() or Tenant(slug=slug, name=slug)
        change = "changed" if tenant.pk else "created"
        tenant.name = tenant.name if name is None else name
        tenant.contact = tenant.contact if contact is None else contact
        with refusals_told():
            tenant.full_clean()
        tenant.save()
        audit.record(tenant, change, actor=None)
        self.stdout.write(f"Tenant {slug}: {tenant.name}")
