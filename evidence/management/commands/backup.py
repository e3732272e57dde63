"""manage.py backup: everything that can't be made again, in one file."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from evidence import backups
from evidence.errors import EvidenceError
from evidence.management import progress
from evidence.management.command import EvidenceCommand

SHOWN = 20
"""Missing originals that are named; the rest is counted."""


class Command(EvidenceCommand):
    """Others go on working meanwhile. Exit status 1 where an original is missing: the backup is made, and the fault is older."""

    help = "Write database and originals to one file, which holds every document: keep it where nobody else reads it."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file."""
        parser.add_argument("file", type=Path, help="the file to write; it must not exist")

    def handle(self, *, file: Path, **options: object) -> None:
        """Make the backup."""
        try:
            with progress.bar("backup", unit="B", unit_scale=True, quiet=options["verbosity"] == 0) as bar:
                made = backups.write(file, bar.update)
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]") from None
        except OSError as error:
            raise CommandError(f"The backup can't be written: {error.strerror}.") from None
        self.stdout.write(f"{file}: {made.size:,} bytes, {made.originals:,} originals, read back and found whole")
        if made.missing:
            named = "".join(f"\n  {digest}" for digest in made.missing[:SHOWN])
            raise CommandError(f"{len(made.missing):,} originals are missing or damaged here, so the backup lacks them:{named}")
