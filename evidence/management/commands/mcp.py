"""manage.py mcp: let an assistant on this machine call the tools over standard input and output, in a person's name."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evidence import identity
from evidence.errors import EvidenceError
from evidence.mcp import installed
from evidence.mcp.calls import Caller
from evidence.programs import tokens
from evidence.programs.links import Links
from evidence.programs.refusals import TooMany


class Command(BaseCommand):
    """Takes a token, never the name of a person: only a token ends, can be revoked, and is limited in what it may do."""

    help = "Answer an assistant over standard input and output, with the rights of the token in FUNDSTELLE_MCP_TOKEN."
    requires_system_checks: list[str] = []  # what they write would be in the assistant's way; `manage.py check` is for them

    def add_arguments(self, parser: CommandParser) -> None:
        """Where people read what is found."""
        parser.add_argument("--address", default="", help="of the pages for people, as in https://fundstelle.example")

    def handle(self, *, address: str, **options: object) -> None:
        """Answer until the assistant goes."""
        if _bearer() is None:
            raise CommandError("FUNDSTELLE_MCP_TOKEN must hold a valid token: manage.py createtoken, or the page Tokens.")
        links = Links((address or _address()).rstrip("/"))
        try:
            installed.protocol().converse(Caller(_counted, links))
        except EvidenceError as error:
            raise CommandError(str(error)) from None


def _bearer() -> identity.Bearer | None:
    return identity.for_token(settings.MCP_TOKEN) if settings.MCP_TOKEN else None


def _counted() -> identity.Bearer | None:
    """Whom the token stands for now. Raises TooMany."""
    bearer = _bearer()
    if bearer is not None and not tokens.counted(bearer.token):
        raise TooMany
    return bearer


def _address() -> str:
    host = next((name for name in settings.ALLOWED_HOSTS if not name.startswith(".")), "")
    if not settings.PRODUCTION:
        return "http://localhost:8000"
    if not host:
        raise CommandError("Say with --address where people read: https://...")
    return f"https://{host}"
