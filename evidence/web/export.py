"""Citations as files: CSV for spreadsheets, JSON for programs, both with checksums. Pure but for the words of states."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from evidence.anchoring import State
from evidence.citations import Cited

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings that a spreadsheet takes for a formula (OWASP, "CSV injection"), full-width ones included."""
_COLUMNS: Final = (
    "id", "state", "checked_at", "document", "title", "version", "source", "quote", "start", "end", "cited_at", "cited_by",
    "representation", "source_sha256", "text_sha256", "parser", "profile", "historical_version", "supersedes", "superseded_by",
)  # fmt: skip


def as_json(citations: Iterable[Cited | UUID], *, at: datetime) -> bytes:
    """Every citation with its whole anchor and what it is worth at this time. content_sha256: of `citations` as written here,
    with keys in order, no blanks and UTF-8."""
    entries = [_entry(one) for one in citations]
    whole = {"checked_at": at.isoformat(), "content_sha256": _sha256(_canonical(entries)), "citations": entries}
    return json.dumps(whole, ensure_ascii=False, indent=2).encode()


def as_csv(citations: Iterable[Cited | UUID], *, at: datetime) -> bytes:
    """One line a citation, with a byte order mark, since spreadsheets take UTF-8 for something else without.

    What would begin a formula gets an apostrophe before it; the JSON has the words untouched.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(_COLUMNS)
    writer.writerows([_harmless(one) for one in _line(citation, at)] for citation in citations)
    return file.getvalue().encode("utf-8-sig")


def as_zip(citations: Sequence[Cited | UUID], *, at: datetime) -> bytes:
    """Both, and SHA256SUMS as `sha256sum --check` reads it."""
    files = {f"citations.{kind}": write(citations, at=at) for kind, write in (("csv", as_csv), ("json", as_json))}
    sums = "".join(f"{_sha256(content)}  {name}\n" for name, content in files.items())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, "SHA256SUMS": sums.encode()}.items():
            archive.writestr(zipfile.ZipInfo(name, at.timetuple()[:6]), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


KINDS: Final[Mapping[str, tuple[str, Callable[..., bytes]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
    "zip": ("application/zip", as_zip),
}


def _entry(one: Cited | UUID) -> Mapping[str, object]:
    """What JSON says of a citation; of one that may not be read its id alone."""
    if isinstance(one, UUID):
        return {"id": str(one), "state": State.UNAVAILABLE}
    found = one.resolution
    kept = found.historical
    return {
        "id": str(one.id),
        "state": found.state,
        "title": found.card.title if found.card else "",
        "source": found.card.source if found.card else "",
        "cited_at": one.created_at.isoformat(),
        "cited_by": one.author,
        "anchor": one.anchor.to_dict(),
        "historical": {"version": kept.revision, "representation": str(kept.representation)} if kept else None,
        "supersedes": _id(one.supersedes) or None,
        "superseded_by": _id(one.superseded_by) or None,
    }


def _line(one: Cited | UUID, at: datetime) -> Sequence[object]:
    if isinstance(one, UUID):
        return [one, State.UNAVAILABLE, at.isoformat(), *[""] * (len(_COLUMNS) - 3)]
    found, anchor = one.resolution, one.anchor
    parser = anchor.state.parser
    return [
        one.id,
        found.state,
        at.isoformat(),
        anchor.state.document,
        found.card.title if found.card else "",
        anchor.state.revision,
        found.card.source if found.card else "",
        anchor.exact,
        anchor.start,
        anchor.end,
        one.created_at.isoformat(),
        one.author,
        anchor.state.representation,
        anchor.state.source_sha256,
        anchor.state.text_sha256,
        " ".join(filter(None, (parser.name, parser.version, parser.configuration))),
        anchor.state.profile,
        found.historical.revision if found.historical else "",
        _id(one.supersedes),
        _id(one.superseded_by),
    ]


def _harmless(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _id(value: UUID | None) -> str:
    return "" if value is None else str(value)


def _canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
