"""Origins: from the row of a source, or from a place that is to become one, to what can be asked of it."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from evidence.formats import FORMATS
from evidence.models import Source, SourceKind
from evidence.sources import Origin
from evidence.sources import Source as Asked
from evidence.sources.kinds import KINDS


def of(source: Source) -> Asked | None:
    """What can be asked; None for a source that only receives. Raises EvidenceError for a place that is none.

    One that has no row yet can be asked too; then either `adopt` or `forget` what was fetched.
    """
    make = KINDS.get(source.kind)
    return None if make is None else make(_origin(str(source), source.location, source.rules_location, cache=_name(source)))


def folder(name: str, location: str, *, rules: str = "") -> Asked:
    """What a folder can be asked that has no row yet, for a source of this name ("tenant/source"). Raises EvidenceError."""
    return KINDS[SourceKind.FOLDER](_origin(name, location, rules, cache="new"))


def forget(source: Source) -> None:
    """Remove what is kept of an origin beside the database; it is fetched anew. The caller holds the lock of its runs."""
    with suppress(FileNotFoundError):
        shutil.rmtree(_cache(_name(source)))


def adopt(source: Source) -> None:
    """What was fetched for this source before it had a row belongs to the row from now on."""
    fresh = _cache(_name_of_new(source))
    if fresh.exists():
        forget(source)
        fresh.rename(_cache(_name(source)))


def _name(source: Source) -> str:
    return str(source.pk) if source.pk else _name_of_new(source)


def _name_of_new(source: Source) -> str:
    return f"new-{source.tenant.slug}-{source.name}"


def _cache(name: str) -> Path:
    return Path(settings.DATA_DIR) / "origins" / name


def _origin(name: str, location: str, rules: str, *, cache: str) -> Origin:
    return Origin(
        location=location,
        rules=rules,
        endings=frozenset(FORMATS),
        options=settings.CREDENTIALS.get(name, {}),
        cache=_cache(cache),
    )
