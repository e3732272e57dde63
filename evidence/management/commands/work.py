"""manage.py work: the worker process."""

from __future__ import annotations

import signal
import threading

from django.core.management.base import BaseCommand

from evidence import worker


class Command(BaseCommand):
    """Runs until SIGTERM or Ctrl-C; what is being done then is finished first."""

    help = "Do what waits: index changes, removals. Several workers at once are safe."

    def handle(self, **options: object) -> None:
        """Work."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        self.stdout.write("worker started")
        worker.work(stop)
        self.stdout.write("worker stopped")
