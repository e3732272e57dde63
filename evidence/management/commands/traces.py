"""manage.py traces: what searches asked and showed, in ids."""

from __future__ import annotations

from typing import Final

from django.core.management.base import CommandParser
from django.utils import timezone

from evidence import traces
from evidence.management import people
from evidence.management.command import EvidenceCommand
from evidence.models import SearchTrace

DEFAULT_NUMBER: Final = 50


class Command(EvidenceCommand):
    """Words of questions are left out: administrators see those that a diagnosis keeps on its page."""

    help = "List the latest search traces of a tenant, or switch them on or off."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose, how many, or the switch."""
        parser.add_argument("--tenant", required=True, help="short name of the tenant")
        parser.add_argument("--number", type=int, default=DEFAULT_NUMBER, help="how many, the newest first")
        switch = parser.add_mutually_exclusive_group()
        switch.add_argument("--on", action="store_true", help="keep traces from now on")
        switch.add_argument("--off", action="store_true", help="keep no more traces")

    def handle(self, *, tenant: str, number: int, on: bool, off: bool, **options: object) -> None:
        """List or switch."""
        row = people.find_tenant(tenant)
        if on or off:
            traces.switch(row, on=on, actor=None)
            self.stdout.write(f"{row.slug}: search traces are {'kept' if on else 'not kept'} from now on")
            return
        for trace in traces.latest(row, number=number):
            self.stdout.write(_line(trace))


def _line(trace: SearchTrace) -> str:
    passages = " ".join(f"{state}:{number}" for state, number in trace.passages) or "–"
    classes = " ".join(map(str, trace.classes)) or "–"
    return (
        f"{timezone.localtime(trace.at):%Y-%m-%d %H:%M:%S}  person {trace.user_id or '–'}  "
        f"classes {classes}  total {trace.total}  {trace.milliseconds} ms  passages {passages}"
    )
