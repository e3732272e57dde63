"""Revocations: how long it took until rights that were taken away at the origin held here. Times and numbers only."""

from __future__ import annotations

from datetime import datetime

from evidence.models import Revocation, Source


def note(source: Source, *, documents: int, at_origin: datetime | None = None, drill: bool = False) -> Revocation:
    """Write down that rights were taken away from that many documents, in effect now: with what is committed here.

    One row for each run, push or drill that did it. at_origin: when it happened there, where the origin says so.
    """
    return Revocation.objects.create(source=source, documents=documents, at_origin=at_origin, drill=drill)
