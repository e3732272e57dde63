"""manage.py createtoken: make a token for a person's programs, or for a system that pushes; print its secret once."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from evidence import identity, tokens
from evidence.access import Access
from evidence.errors import EvidenceError, Unavailable
from evidence.management import people
from evidence.management.command import EvidenceCommand
from evidence.models import Scope
from evidence.tokens import DEFAULT_DAYS


class Command(EvidenceCommand):
    """Only the secret goes to standard output, so that it can be handed on; the rest is told on standard error."""

    help = (
        "Make a token with which a program acts for a person in one tenant; with --source, one with which another system pushes "
        "to this source and does nothing else. Its secret is printed once and kept nowhere."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Person, tenant, what it is for, what it may do, how long."""
        parser.add_argument("username", help="the person; with --source, the administrator who answers for the token")
        parser.add_argument("--tenant", required=True, help="short name of the tenant")
        parser.add_argument("--name", required=True, help="what the token is for")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--scopes", default=Scope.READ.value, help="read, cite or both, with a comma between them")
        what.add_argument("--source", default="", help="short name of the source that another system pushes to")
        parser.add_argument("--days", type=int, default=DEFAULT_DAYS, help="how long it is valid")

    def handle(self, *, username: str, tenant: str, name: str, scopes: str, source: str, days: int, **options: object) -> None:
        """Make it."""
        access = _access(username, tenant)
        try:
            if source:
                made = tokens.make_for_source(access, source, name=name, days=days)
            else:
                made = tokens.make(access, name=name, scopes=[one.strip() for one in scopes.split(",")], days=days)
        except Unavailable:
            message = f"{tenant!r} has no source {source!r} that is pushed, or {username!r} is no administrator there."
            raise CommandError(message) from None
        except EvidenceError as error:
            raise CommandError(str(error)) from None
        self.stderr.write(f"Token {made.token} for {username} in {tenant}, valid until {made.token.expires_at:%Y-%m-%d}:")
        self.stdout.write(made.secret)


def _access(username: str, slug: str) -> Access:
    tenant = people.find_tenant(slug)
    user = User.objects.filter(username=username).first()
    access = identity.NOBODY if user is None else identity.for_user(user, tenant=slug)
    if access.tenant != tenant.pk:
        raise CommandError(f"There is no active person {username!r} in tenant {slug!r}.")
    return access
