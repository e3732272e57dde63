"""manage.py alarms: what is the matter now, in codes."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils import timezone

from evidence import alarms
from evidence.management.command import EvidenceCommand


class Command(EvidenceCommand):
    """The worker looks every minute; with --check this looks too, for machines where something else watches the worker."""

    help = "List the alarms that are raised."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether to look first."""
        parser.add_argument("--check", action="store_true", help="look at all conditions now, and tell what follows")

    def handle(self, *, check: bool, **options: object) -> None:
        """Look, and list."""
        if check:
            alarms.check()
        raised = alarms.current()
        for alarm in raised:
            where = "all" if alarm.source is None else f"source {alarm.source_id} ({alarm.source})"
            self.stdout.write(f"{timezone.localtime(alarm.raised_at):%Y-%m-%d %H:%M:%S}  {where}  {alarm.code}")
        if raised:
            minutes = int(alarms.LASTS.total_seconds() // 60)
            self.stdout.write(f"An alarm stays raised for {minutes} minutes at least, also when its cause is gone sooner.")
