"""manage.py sync: bring sources in line with their origins now."""

from __future__ import annotations

import threading

from django.core.management.base import CommandError, CommandParser
from django.db import OperationalError

from evidence import syncing
from evidence.errors import EvidenceError
from evidence.management import progress
from evidence.management.command import EvidenceCommand
from evidence.management.runs import DONE_IN_PART, NOTHING_DONE, find_sources, status, stopped_by_signals, tell
from evidence.models import Source
from evidence.sources.kinds import KINDS


class Command(EvidenceCommand):
    """Exit status: 0 everything is taken in, 1 something was refused, not seen or names nobody, 2 nothing was done.

    SIGTERM or Ctrl-C finishes the document in hand and leaves the rest for the next run.
    """

    help = "Bring one source, or all that can be asked, in line with its origin: documents and rights."

    def add_arguments(self, parser: CommandParser) -> None:
        """Source and tenant."""
        parser.add_argument("source", nargs="?", help="short name of the source (default: all that can be asked)")
        parser.add_argument("--tenant", help="short name of the tenant (default: all)")
        parser.add_argument("--allow-removals", action="store_true", help="withdraw even if most documents are missing")

    def handle(self, *, source: str | None, tenant: str | None, **options: object) -> None:
        """Run them, one after the other."""
        if options["allow_removals"] and source is None:
            raise CommandError("--allow-removals is for one source: name it.", returncode=NOTHING_DONE)
        rows = find_sources(source, tenant)
        chosen = rows if source is not None else [row for row in rows if row.kind in KINDS]
        if not chosen:
            raise CommandError("No source can be asked: these only receive.", returncode=NOTHING_DONE)
        with stopped_by_signals() as stop:
            states = [self._sync(row, stop, options) for row in chosen if not stop.is_set()]
        if all(state == NOTHING_DONE for state in states):
            raise CommandError("Nothing was done (see above).", returncode=NOTHING_DONE)
        if any(states) or stop.is_set():
            message = "Some of it was refused, not seen or is readable by nobody (see above); the rest is taken in."
            raise CommandError(message, returncode=DONE_IN_PART)

    def _sync(self, source: Source, stop: threading.Event, options: dict[str, object]) -> int:
        """One source; gives its exit status."""
        with progress.bar(str(source), unit="file", quiet=options["verbosity"] == 0) as bar:
            try:
                report = syncing.sync(
                    source,
                    allow_removals=bool(options["allow_removals"]),
                    stop=stop.is_set,
                    listed=lambda items: bar.reset(items),
                    progress=bar.update,
                )
            except EvidenceError as error:
                self.stderr.write(f"{source}: {error} [{error.code}]")
                return NOTHING_DONE
            except OperationalError as error:
                self.stderr.write(f"{source}: the database takes no changes now ({error}). Run it again.")
                return NOTHING_DONE
        tell(report, self.stdout)
        return status(report)
