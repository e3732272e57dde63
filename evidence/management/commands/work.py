"""manage.py work: the worker process."""

from __future__ import annotations

from evidence import worker
from evidence.management.command import EvidenceCommand
from evidence.management.runs import stopped_by_signals


class Command(EvidenceCommand):
    """Runs until SIGTERM or Ctrl-C; the job or document in hand is finished first, and a second signal cuts that off."""

    help = "Do what waits: runs of sources, index changes, removals; and watch folders. Several workers at once are safe."

    def handle(self, **options: object) -> None:
        """Work."""
        with stopped_by_signals() as stop:
            self.stdout.write("worker started")
            self.stdout.flush()  # whoever started it may be waiting for this
            worker.work(stop)
        self.stdout.write("worker stopped")
