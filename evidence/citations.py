"""Citations: make them, open them, say what they are worth now.

Resolving compares values and searches one text; it follows nothing to another place. Who may not read the document gets
`unavailable`, whatever else is true, and so does everybody else for an id that never was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final
from uuid import UUID

from django.db import transaction

from evidence import anchoring, documents
from evidence.access import Access
from evidence.anchoring import Anchor, State, TextState
from evidence.documents import Card
from evidence.errors import Ambiguous, EvidenceError, Outdated, Refused, Unavailable, gettext_noop
from evidence.models import AuditEvent, Citation, Document, Passage, Representation

MAX_QUOTE: Final = 10_000
"""Code points of one citation: several pages. More is a copy, not a citation."""
MAX_BATCH: Final = 500
"""Anchors that are resolved in one call."""

_ARCHIVED: Final = frozenset({State.SOURCE_CHANGED, State.PARSER_CHANGED, State.PROFILE_CHANGED, State.TEXT_CHANGED})


@dataclass(frozen=True, slots=True)
class Historical:
    """A kept state in which the anchor holds, though it is not the current one."""

    revision: str
    representation: UUID
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What checking an anchor gave: one state, and a range only when it is proven.

    Without access only `state` is set. now: what the current text is made of, to be compared with the anchor's own.
    """

    state: State
    card: Card | None = None
    now: TextState | None = None
    representation: UUID | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    historical: Historical | None = None


UNAVAILABLE: Final = Resolution(State.UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Cited:
    """A stored citation that may be read, and what it is worth now. supersedes, superseded_by: ids of other citations."""

    id: UUID
    anchor: Anchor
    author: str
    created_at: datetime
    resolution: Resolution
    supersedes: UUID | None
    superseded_by: UUID | None


def cite(access: Access, document: UUID, *, representation: UUID, start: int, end: int) -> UUID:
    """Store a citation of `[start, end)` of the current text; gives its id.

    Raises Unavailable; Outdated when the representation is not the current one; Ambiguous; Refused for the range.
    """
    row = documents.get(access, document)
    state = documents.current(row)
    if state.public_id != representation:
        raise Outdated(
            "not_current",
            gettext_noop("This state of the document is no longer the current one. Open the current one and choose there."),
        )
    _refuse_length(end - start)
    anchor = anchoring.make(_text(state.pk), start, end, state=documents.text_state(row, state))
    return _store(access, row, anchor)


def cite_words(access: Access, document: UUID, *, exact: str, prefix: str = "", suffix: str = "") -> UUID:
    """Store a citation of words that stand exactly once in the current text, with this before and after them.

    Raises Unavailable, Ambiguous, and Refused when the words are not there.
    """
    row = documents.get(access, document)
    state = documents.current(row)
    _refuse_length(len(exact))
    text = _text(state.pk)
    found = anchoring.occurrences(text, prefix + exact + suffix, cap=2)
    if not found:
        raise Refused("quote_not_found", gettext_noop("These words do not stand in the current text of the document."))
    if len(found) > 1:
        message = gettext_noop("These words stand in this text more than once. Give more of what stands before and after them.")
        raise Ambiguous("anchor_ambiguous", message)
    start = found[0] + len(prefix)
    return _store(access, row, anchoring.make(text, start, start + len(exact), state=documents.text_state(row, state)))


def get(access: Access, citation: UUID) -> Cited:
    """A stored citation, checked now. Raises Unavailable for unknown, foreign, forbidden and deleted alike."""
    row = _rows(access).filter(public_id=citation).first()
    found = [] if row is None else _cited(access, [row])
    if not found:
        raise Unavailable
    return found[0]


def own(access: Access, *, limit: int, offset: int = 0) -> tuple[Sequence[Cited | UUID], int]:
    """The person's own citations, newest first, checked now, and how many there are.

    One whose document may not be read any more is only its id.
    """
    rows = _rows(access).filter(author=access.user)
    page = list(rows[offset : offset + limit])
    found: dict[UUID, Cited] = {one.id: one for one in _cited(access, page)}
    return [found.get(row.public_id, row.public_id) for row in page], rows.count()


def resolve(access: Access, anchors: Sequence[object]) -> Sequence[Resolution]:
    """What each of these anchors is worth now: Anchor, or what JSON gave for one. The documents are asked for once.

    Raises Refused for more than MAX_BATCH.
    """
    if len(anchors) > MAX_BATCH:
        message = gettext_noop("At most %(limit)d anchors are resolved at once; these are %(count)d.")
        raise Refused("too_many_anchors", message, limit=MAX_BATCH, count=len(anchors))
    named = [_named(anchor) for anchor in anchors]
    rows = _readable(access, {document for document in named if document})
    text = cache(_text)
    return [
        _resolved(rows[document], anchor, text) if document in rows else UNAVAILABLE
        for document, anchor in zip(named, anchors, strict=True)
    ]


def _rows(access: Access) -> documents.QuerySet[Citation]:
    return Citation.objects.filter(tenant=access.tenant).select_related("author", "supersedes").order_by("-created_at", "-id")


def _named(anchor: object) -> UUID | None:
    """The document that an anchor names; None when it names none."""
    value = anchor.state.document if isinstance(anchor, Anchor) else anchor.get("document") if isinstance(anchor, Mapping) else None
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _readable(access: Access, wanted: Collection[UUID]) -> Mapping[UUID | None, Document]:
    rows = Document.objects.readable(access).filter(public_id__in=wanted).select_related("source", "current__revision")
    return {row.public_id: row for row in rows}


def _text(representation: int) -> str:
    """The whole text of a representation."""
    rows = Passage.objects.filter(representation=representation).order_by("number")
    return "".join(rows.values_list("text", flat=True))


def _resolved(row: Document, value: object, text: Callable[[int], str]) -> Resolution:
    """Steps 2 to 7 of resolving, for a document that may be read."""
    state = documents.current(row)
    now = documents.text_state(row, state)
    shown = Resolution(State.INVALID_ANCHOR, documents.card(row, state), now, state.public_id)
    try:
        anchor = value if isinstance(value, Anchor) else Anchor.from_dict(value)  # type: ignore[arg-type]
    except Refused:
        return shown
    found = anchoring.differs(anchor, current=now) or anchoring.check(anchor, text(state.pk), current=now)
    ...
    return shown
