"""manage.py revocationdrill: withdraw the right of a canary in a source, and measure until nobody sees it."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser

from evidence import canary
from evidence.canary import Step
from evidence.errors import EvidenceError
from evidence.management.command import EvidenceCommand
from evidence.management.runs import find_sources

STEPS = {
    Step.MADE: "a canary, a group and a person of its own are made",
    Step.SEEN: "the person finds, reads and cites it",
    Step.WITHDRAWN: "its right is withdrawn",
    Step.GONE: "the person sees nothing of it any more",
    Step.REMOVED: "document, person and group are removed",
}


class Command(EvidenceCommand):
    """What is measured is kept as a revocation of the source, and shown on its page. Nobody else notices anything."""

    help = "Withdraw the right of a canary in a source, and measure until search, reading, page, citation and API give nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Source and tenant."""
        parser.add_argument("source", help="short name of the source")
        parser.add_argument("--tenant", help="short name of the tenant (needed where several have a source of this name)")

    def handle(self, *, source: str, tenant: str | None, **options: object) -> None:
        """Drill."""
        for row in find_sources(source, tenant):
            try:
                found = canary.drill(row, told=lambda step: self.stdout.write(STEPS[step]))
            except EvidenceError as error:
                raise CommandError(f"{row}: {error} [{error.code}]") from None
            for surface, took in found.surfaces.items():
                self.stdout.write(f"  {surface}: {took.total_seconds():.3f} s")
            self.stdout.write(f"{row}: gone everywhere {found.took.total_seconds():.3f} s after the right was withdrawn")
            self.stdout.write(f"receipt of its removal: {found.receipt}")
