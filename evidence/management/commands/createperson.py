"""manage.py createperson: make a person, or change the groups and the role of one."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.db import transaction

from evidence.management import people
from evidence.management.command import EvidenceCommand
from evidence.models import Role


class Command(EvidenceCommand):
    """Run again it sets groups and role to what is given; the password stays, unless --password-stdin gives another."""

    help = "Create a person who can sign in, with groups and a role in one tenant."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name, tenant, groups, role, password."""
        people.add_person_arguments(parser)
        parser.add_argument("--groups", help="names of the tenant's groups, with commas between them (left out: as they are)")
        parser.add_argument("--role", choices=Role.values, help="left out: as it is, for a new person reader")

    @transaction.atomic
    def handle(
        self, *, username: str, tenant: str, groups: str | None, role: str | None, password_stdin: bool, **options: object
    ) -> None:
        """Create or change."""
        owner = people.find_tenant(tenant)
        user, is_new = people.find_or_create_user(username, password_from_stdin=password_stdin)
        before = user.memberships.filter(tenant=owner).first()
        if groups is not None:
            chosen = people.find_groups(owner, [name.strip() for name in groups.split(",") if name.strip()])
        else:
            chosen = list(before.groups.filter(issuer="")) if before else []
        member = people.join(user, owner, role=Role(role or (before.role if before else Role.READER)), groups=chosen)
        names = ", ".join(group.name for group in chosen) or "none"
        self.stdout.write(f"{'New person' if is_new else 'Person'} {username} in {tenant}: {member.role}, groups: {names}")
