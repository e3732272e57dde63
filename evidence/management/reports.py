"""What commands about removals print: receipts in ids, times and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.utils import timezone

from evidence import remains
from evidence.models import Receipt
from evidence.remains import Unsearched

_UNSEARCHED: Final = {
    Unsearched.NOTHING: "nothing to look for",
    Unsearched.OUT_OF_REACH: "can't be searched from here",
    Unsearched.FORGOTTEN: "not searched",
}


def receipt(row: Receipt) -> Sequence[str]:
    """Its lines."""
    times = (
        ("requested", row.requested_at),
        ("invisible", row.invisible_at),
        ("removed", row.purged_at),
        ("finished", row.finished_at),
    )
    return [
        f"{row.public_id}  document {row.document}  source {_source(row)}",
        "  " + ", ".join(f"{name} {_time(at)}" for name, at in times),
        "  removed: " + (", ".join(f"{count} {kind}" for kind, count in sorted(row.counts.items()) if count) or "–"),
        "  found afterwards: " + (", ".join(_found(row)) or "–"),
    ]


def _source(row: Receipt) -> str:
    return "–" if row.source is None else f"{row.source_id} ({row.source})"


def _time(at: datetime | None) -> str:
    return "–" if at is None else f"{timezone.localtime(at):%Y-%m-%d %H:%M:%S}"


def _found(row: Receipt) -> Sequence[str]:
    unsearched = remains.unsearched(row.traces)
    return [f"{place} {_UNSEARCHED[unsearched[place]] if n is None else n}" for place, n in sorted(row.traces.items())]
