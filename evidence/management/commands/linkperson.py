"""manage.py linkperson: let an account that exists be the one that the identity provider knows by this id."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from evidence import audit, claims
from evidence.errors import Refused
from evidence.management.command import EvidenceCommand
from evidence.models import Identity


class Command(EvidenceCommand):
    """The only way in which an account and an identity come together that did not begin so. Run again it changes nothing."""

    help = "Let an existing account be the person whom the identity provider knows by this id. Names are never compared."

    def add_arguments(self, parser: CommandParser) -> None:
        """Account, id at the provider."""
        parser.add_argument("username")
        parser.add_argument("--subject", required=True, help="the provider's id of the person: the claim sub of its tokens")

    @transaction.atomic
    def handle(self, *, username: str, subject: str, **options: object) -> None:
        """Link."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no person {username!r}.")
        if not settings.OIDC_ISSUER:
            raise CommandError("There is no identity provider: set FUNDSTELLE_OIDC_ISSUER.")
        try:
            claims.subject_of(subject)
        except Refused:
            raise CommandError(f"A subject has 1 to {claims.MAX_SUBJECT} printable ASCII characters.") from None
        identity, is_new = Identity.objects.get_or_create(issuer=settings.OIDC_ISSUER, subject=subject, defaults={"user": user})
        if identity.user != user:
            raise CommandError(f"The identity provider's person of this id is {identity.user.username!r} here already.")
        if is_new:
            audit.record(identity, "created", actor=None)
        self.stdout.write(f"{username} signs in at {settings.OIDC_ISSUER}.")
