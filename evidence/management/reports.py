"""What commands about removals print: receipts in ids, times and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

from evidence.models import Receipt


def receipt(row: Receipt) -> Sequence[str]:
    """Its lines."""
    times = (
        ("requested", row.requested_at),
        ("invisible", row.invisible_at),
        ("removed", row.purged_at),
        ("finished", row.finished_at),
    )
    return [
        f"{row.public_id}  document {row.document}  source {row.source_id or '–'}",
        "  " + ", ".join(f"{name} {_time(at)}" for name, at in times),
        "  removed: " + (", ".join(f"{count} {kind}" for kind, count in sorted(row.counts.items()) if count) or "–"),
        "  found afterwards: " + (", ".join(f"{place} {_number(n)}" for place, n in sorted(row.traces.items())) or "–"),
    ]


def _time(at: datetime | None) -> str:
    return "–" if at is None else f"{timezone.localtime(at):%Y-%m-%d %H:%M:%S}"


def _number(number: int | None) -> str:
    return "not searched" if number is None else str(number)
