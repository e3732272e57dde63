"""The history of a document: its kept states, what happened to it, and how two of its texts differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

from evidence import documents
from evidence.access import Access
from evidence.anchoring import TextState
from evidence.comparison import Gap, Row, compare, folded
from evidence.models import AuditEvent, Document, Passage, Representation, Run
from evidence.presentation import Card, Origin, card, current, origin, text_state

MAX_EVENTS: Final = 200
"""The latest events that are shown; all of them are kept."""


@dataclass(frozen=True, slots=True)
class KeptState:
    """One text of one revision that is still kept."""

    representation: UUID
    state: TextState
    extracted_at: datetime
    passages: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class KeptRevision:
    """One revision with the texts that were extracted from it, the newest first. origin_state: what its source calls it."""

    label: str
    dated: date | None
    origin_state: str
    imported_at: datetime
    source_sha256: str
    size: int
    media_type: str
    states: Sequence[KeptState]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to the document: a code and ids, never a text. label: of the revision it is about, if kept."""

    at: datetime
    code: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Revisions, the newest first, and events, the latest first."""

    card: Card
    revisions: Sequence[KeptRevision]
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a document comes from and what its current text is made of. run: start of the source's last complete run."""

    card: Card
    origin: Origin
    representation: UUID
    source_kind: str
    contact: str
    location: str
    path: str
    run: datetime | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Compared:
    """Two kept states of one document. rows: with long equal stretches folded. whole: as of comparison.Comparison."""

    card: Card
    old: KeptState
    new: KeptState
    rows: Sequence[Row | Gap]
    changes: int
    whole: bool


def history(access: Access, document: UUID) -> History:
    """Revisions and events of a readable document. Raises Unavailable."""
    row = documents.get(access, document)
    revisions = row.revisions.prefetch_related("representations").order_by("-dated", "-id")
    events = AuditEvent.objects.filter(document=row.public_id, tenant=access.tenant)
    for about_others in ("citation.", "sample."):  # what people cite, and what is for administrators to mend
        events = events.exclude(code__startswith=about_others)
    labels = {revision.pk: revision.label for revision in revisions}
    return History(
        card=card(row, current(row)),
        revisions=[
            KeptRevision(
                label=revision.label,
                dated=revision.dated,
                origin_state=revision.origin_state,
                imported_at=revision.imported_at,
                source_sha256=revision.source_sha256,
                size=revision.size,
                media_type=revision.media_type,
                states=[_kept(row, one) for one in sorted(revision.representations.all(), key=lambda one: -one.pk)],
            )
            for revision in revisions
        ],
        events=[
            Event(at=event.at, code=event.code, label=labels.get(event.ids.get("revision"), "")) for event in events[:MAX_EVENTS]
        ],
    )


def provenance(access: Access, document: UUID) -> Provenance:
    """Origin of a readable document. Raises Unavailable."""
    row = documents.get(access, document)
    state = current(row)
    run = Run.objects.filter(source=row.source, outcome=Run.Outcome.COMPLETE).order_by("-started_at").first()
    return Provenance(
        card=card(row, state),
        origin=origin(row, state),
        representation=state.public_id,
        source_kind=row.source.kind,
        contact=row.source.contact,
        location=row.origin,
        path=state.revision.path,
        run=run.started_at if run else None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def compared(
    access: Access, document: UUID, *, old: UUID, new: UUID | None = None, passage: int | None = None, folding: bool = True
) -> Compared:
    """How two kept states differ; new: None for the current one. passage: a number of the old text that is shown anyway.

    Raises Unavailable when the document may not be read or has no such state.
    """
    row = documents.get(access, document)
    before = documents.state_of(access, row, representation=old)
    after = documents.state_of(access, row, representation=new)
    found = compare(_quotes(before), _quotes(after))
    return Compared(
        card=card(row, current(row)),
        old=_kept(row, before),
        new=_kept(row, after),
        rows=list(folded(found.rows, keep=passage)) if folding else found.rows,
        changes=sum(one.change != "same" for one in found.rows),
        whole=found.whole,
    )


def _kept(row: Document, state: Representation) -> KeptState:
    return KeptState(
        representation=state.public_id,
        state=text_state(row, state),
        extracted_at=state.created_at,
        passages=state.passage_count,
        is_current=state.pk == row.current_id,
    )


def _quotes(state: Representation) -> Sequence[str]:
    rows = Passage.objects.filter(representation=state).order_by("number").values_list("start", "end", "text")
    return [text[: end - start] for start, end, text in rows]
