"""Succession: an editor gives citations that no longer hold a successor in the current text. Nothing is repaired by itself.

A proposal needs the same words, letter for letter, at exactly one place of the current text. Approving makes a new, checked
citation that supersedes the old one; the old record stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from evidence import anchoring, documents, identity
from evidence.access import Access
from evidence.anchoring import Anchor, State
from evidence.citations import Resolution, resolve
from evidence.content import Note, SpanKind
from evidence.errors import Ambiguous, Refused, gettext_noop
from evidence.models import AuditEvent, Citation, Document
from evidence.presentation import Card, card, current, kinds_within, text_of, text_state

MAX_CITATIONS: Final = 500
"""Citations that are looked at in one dry run."""


class Outcome(StrEnum):
    """What a dry run found for one citation."""

    PROPOSED = "proposed"
    AMBIGUOUS = "ambiguous"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One citation that no longer holds, and what could succeed it (None unless proposed)."""

    id: UUID
    card: Card
    state: State
    old: Anchor
    new: Anchor | None
    outcome: Outcome


def propose(access: Access, *, document: UUID | None = None, offset: int = 0) -> Sequence[Proposal]:
    """A dry run over MAX_CITATIONS of the citations in documents that this editor may read, oldest first. Changes nothing.

    Left out: what still resolves, what has a successor, what belongs to documents that may not be read.
    Raises Refused for people who are no editors.
    """
    rows = _open(access, document)[offset : offset + MAX_CITATIONS]
    return [proposal for _, proposal in _proposals(access, list(rows))]


def waiting(access: Access, *, document: UUID | None = None) -> int:
    """How many citations dry runs go through in all. Raises Refused for people who are no editors."""
    return _open(access, document).count()


def approve(access: Access, citations: Collection[UUID]) -> Sequence[UUID]:
    """Make the successors of these citations, all or none; gives the new ids in the order of the old citations' age.

    Everything is worked out anew: raises Refused (`not_proposed`) when one of them is not proposed any more.
    """
    wanted = set(citations)
    with transaction.atomic():
        _hold(access, wanted)
        found = _proposals(access, list(_open(access).filter(public_id__in=wanted)))
        ready = [(row, one) for row, one in found if one.outcome is Outcome.PROPOSED]
        if {one.id for _, one in ready} != wanted:
            message = gettext_noop(
                "One of the chosen citations can't be migrated any more. Nothing was changed; look at them again."
            )
            raise Refused("not_proposed", message)
        return [_succeed(access, row, one) for row, one in ready]


def may_migrate(access: Access) -> bool:
    """Whether this person may give citations successors."""
    return access.role in identity.MAY_MIGRATE


def _hold(access: Access, citations: Collection[UUID]) -> None:
    """Until the transaction ends, nobody else gives these citations successors, and none of their documents is removed."""
    rows = Citation.objects.filter(tenant=access.tenant, public_id__in=citations)
    documents.hold(access, list(rows.exclude(document=None).values_list("document_id", flat=True)))
    list(rows.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def _open(access: Access, document: UUID | None = None) -> QuerySet[Citation]:
    """Citations of states that are not current, without a successor, in readable documents; oldest first."""
    if not may_migrate(access):
        raise Refused("not_an_editor", gettext_noop("Only editors may migrate citations."))
    readable = Document.objects.readable(access)
    rows = Citation.objects.filter(tenant=access.tenant, superseded_by=None, document__in=readable)
    rows = rows.exclude(representation=F("document__current__public_id")).exclude(source_sha256="", exact="")
    rows = rows.select_related("document__source", "document__current__revision").order_by("created_at", "id")
    return rows if document is None else rows.filter(document_public_id=document)


def _proposals(access: Access, rows: Sequence[Citation]) -> Sequence[tuple[Citation, Proposal]]:
    text = cache(text_of)
    found: list[tuple[Citation, Proposal]] = []
    for row, resolution in zip(rows, resolve(access, [row.anchor for row in rows]), strict=True):
        if resolution.state not in {State.RESOLVED, State.UNAVAILABLE} and row.document is not None:
            found.append((row, _proposal(row, row.document, resolution, text(row.document.current_id or 0))))
    return found


def _proposal(row: Citation, document: Document, resolution: Resolution, text: str) -> Proposal:
    outcome, anchor = _successor(row.anchor, document, text)
    return Proposal(
        id=row.public_id,
        card=card(document, current(document)),
        state=resolution.state,
        old=row.anchor,
        new=anchor,
        outcome=outcome,
    )


def _successor(old: Anchor, document: Document, text: str) -> tuple[Outcome, Anchor | None]:
    """The same words in the current text, if they stand there once."""
    places = anchoring.occurrences(text, old.exact, cap=2)
    if not places:
        return Outcome.GONE, None
    if len(places) > 1:
        return Outcome.AMBIGUOUS, None
    start = places[0]
    now = current(document)
    if Note.LETTER_SOUP in now.notes and SpanKind.GARBLED in kinds_within(now, start, start + len(old.exact)):
        return Outcome.GONE, None
    try:
        state = text_state(document, now)
        return Outcome.PROPOSED, anchoring.make(text, start, start + len(old.exact), state=state)
    except Ambiguous:
        return Outcome.AMBIGUOUS, None
    except Refused:  # the words are there, but cut a character in two now: not the same words to a reader
        return Outcome.GONE, None


def _succeed(access: Access, row: Citation, proposal: Proposal) -> UUID:
    assert proposal.new is not None  # only what is proposed comes here
    successor = Citation.of(
        proposal.new, tenant_id=access.tenant, author_id=access.user, document_id=row.document_id, supersedes=row
    )
    successor.save()
    AuditEvent.objects.create(
        tenant_id=access.tenant,
        actor_id=access.user,
        code="citation.migrated",
        document=row.document_public_id,
        ids={"old": str(row.public_id), "new": str(successor.public_id)},
    )
    return successor.public_id
