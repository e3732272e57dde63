"""manage.py restore: a backup into an empty data folder and database."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evidence import purged, restoring
from evidence.errors import EvidenceError
from evidence.management import progress
from evidence.restoring import Restored


class Command(BaseCommand):
    """Run again after it was killed it goes on."""

    help = "Restore a backup into an empty data folder and database. Nobody reads before somebody has confirmed the rights."
    requires_system_checks = []  # one of them waits for this to be finished

    def add_arguments(self, parser: CommandParser) -> None:
        """The file, and the journal."""
        parser.add_argument("file", type=Path, help="what manage.py backup wrote")
        parser.add_argument(
            "--purged",
            type=Path,
            help="journal of what was removed, from the data folder that is to be replaced (default: the one in the data folder)",
        )

    def handle(self, *, file: Path, purged: Path | None, **options: object) -> None:
        """Restore it."""
        silent = options["verbosity"] == 0
        try:
            with (
                progress.bar("backup", unit="B", unit_scale=True, quiet=silent) as read,
                progress.bar("index", unit="passage", quiet=silent) as indexed,
            ):
                done = restoring.restore(file, journal=purged, progress=read.update, indexed=indexed.update)
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]") from None
        except OSError as error:
            raise CommandError(f"Not finished: {error.strerror}. Mend that and run it again.") from None
        self._tell(done)

    def _tell(self, done: Restored) -> None:
        made = timezone.localtime(datetime.fromisoformat(done.created_at))
        documents = f"{done.documents:,} documents that were not withdrawn"
        self.stdout.write(f"Restored as of {made:%Y-%m-%d %H:%M}: {documents}, {done.originals:,} originals.")
        if done.missing:
            self.stdout.write(f"{len(done.missing):,} originals were missing before the backup was made.")
        if done.removed:
            self.stdout.write(f"{done.removed:,} documents and uploads that had been removed were removed again.")
        if not done.journal:
            self.stdout.write(
                f"There was no journal of removed documents ({purged.NAME}, --purged FILE): what was removed since then is back."
            )
        if done.left:
            self.stdout.write("Their traces in files are still to be wiped: manage.py work does it.")
        self.stdout.write(
            f"{done.sources:,} sources are closed: people, groups and rights are as they were then. Take out of groups whoever "
            "has left since. Run manage.py sync, and have pushing systems send everything again (docs/sources.md). Then open "
            "each with manage.py confirm SOURCE --tenant TENANT; a run alone opens none. Tokens are revoked; everybody "
            "signs in again."
        )
