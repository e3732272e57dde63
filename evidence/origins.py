"""Origins: from the row of a source to what can be asked of it."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from evidence.formats import FORMATS
from evidence.models import Source
from evidence.sources import Origin
from evidence.sources import Source as Asked
from evidence.sources.kinds import KINDS


def of(source: Source) -> Asked | None:
    """What can be asked; None for a source that only receives. Raises EvidenceError for a place that is none."""
    make = KINDS.get(source.kind)
    return None if make is None else make(_origin(source))


def _origin(source: Source) -> Origin:
    return Origin(
        location=source.location,
        rules=source.rules_location,
        endings=frozenset(FORMATS),
        options=settings.CREDENTIALS.get(str(source), {}),
        cache=Path(settings.DATA_DIR) / "origins" / str(source.pk),
    )
