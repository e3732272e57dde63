"""manage.py createadministrator: make the person who looks after tenants, groups and people."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.db import transaction

from evidence import audit
from evidence.management import people
from evidence.management.command import EvidenceCommand
from evidence.models import Membership, Role


class Command(EvidenceCommand):
    """Staff and superuser: sees every tenant in /admin/, but reads only what the own groups may read.

    Run again it gives an existing person these rights; groups and password stay.
    """

    help = "Create an administrator: may use /admin/ for all tenants and has the role administrator in this one."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name, tenant, password."""
        people.add_person_arguments(parser)

    @transaction.atomic
    def handle(self, *, username: str, tenant: str, password_stdin: bool, **options: object) -> None:
        """Create or promote."""
        owner = people.find_tenant(tenant)
        user, is_new = people.find_or_create_user(username, password_from_stdin=password_stdin)
        user.is_staff = user.is_superuser = True
        user.save()
        audit.record(user, "changed", actor=None)
        membership = Membership.objects.filter(user=user, tenant=owner).first()
        groups = list(membership.groups.filter(issuer="")) if membership else []
        people.join(user, owner, role=Role.ADMINISTRATOR, groups=groups)
        self.stdout.write(f"{'New administrator' if is_new else 'Administrator'} {username} in {tenant}")
