"""manage.py retain: remove what is older than it is to be kept; the worker does it once a day."""

from __future__ import annotations

from django.core.management.base import CommandParser

from evidence import retention
from evidence.management.command import EvidenceCommand


class Command(EvidenceCommand):
    """How long things are kept is set by FUNDSTELLE_KEEP_... in days."""

    help = "Remove what is older than it is to be kept."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether to do it."""
        parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")

    def handle(self, *, dry_run: bool, **options: object) -> None:
        """Remove, or say what would be."""
        if dry_run:
            for name, count in retention.planned().items():
                self.stdout.write(f"{name}: {'kept for ever' if count is None else f'{count} would be removed'}")
            return
        removed = retention.apply()
        for name, count in removed.items():
            self.stdout.write(f"{name}: {count} removed")
        if not removed:
            self.stdout.write("nothing is too old")
