"""manage.py creategroup: make a group in a tenant."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from evidence import audit
from evidence.management.people import find_tenant, refusals_told
from evidence.models import Group


class Command(BaseCommand):
    """Run again it says that the group is there."""

    help = 'Create a group. Rules files name it "group:NAME".'

    def add_arguments(self, parser: CommandParser) -> None:
        """Name and tenant."""
        parser.add_argument("name")
        parser.add_argument("--tenant", required=True, help="short name of the tenant (manage.py createtenant)")

    @transaction.atomic
    def handle(self, *, name: str, tenant: str, **options: object) -> None:
        """Create."""
        owner = find_tenant(tenant)
        if owner.groups.filter(name=name).exists():
            self.stdout.write(f"Group {tenant}/{name} exists already.")
            return
        group = Group(tenant=owner, name=name)
        with refusals_told():
            group.full_clean()
        group.save()
        audit.record(group, "created", actor=None)
        self.stdout.write(f"Group {tenant}/{name}")
