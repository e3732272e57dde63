"""Conflicts in sources: two passages, or two documents, that a person marked as contradicting each other.

Marking adds a warning and takes nothing away: neither side is preferred, and nothing settles a conflict by itself. It is there
for those who may read both documents; to everybody else it is Unavailable, as one that never was.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evidence import audit, citations, documents, identity
from evidence.access import Access
from evidence.citations import Cited
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.index.query import REFUSED_CATEGORIES
from evidence.knowledge.entries import name_of
from evidence.models import Citation, Conflict, Document
from evidence.presentation import Card, card, current

MAX_MATTER: Final = 200
"""Characters that say what two documents contradict each other about."""
MAX_NOTE: Final = 1_000
"""Characters of a note, and of what ended a conflict."""
PAGE: Final = 25
MAX_OFFSET: Final = 10_000_000

_SIDES: Final = (
    "left_document__source",
    "left_document__current__revision",
    "right_document__source",
    "right_document__current__revision",
)


@dataclass(frozen=True, slots=True)
class Named:
    """What is said to contradict: a stored citation, or a document as a whole."""

    citation: UUID | None = None
    document: UUID | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of two that contradict each other. citation, quote: of the passage; None and "" for the document as a whole.

    cited: the citation, checked now; only where one conflict is looked at.
    """

    card: Card
    citation: UUID | None = None
    quote: str = ""
    cited: Cited | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """A conflict that may be read. settled_at: None as long as it is open."""

    id: UUID
    matter: str
    note: str
    left: Side
    right: Side
    marked_by: str
    marked_at: datetime
    settled_by: str
    settled_at: datetime | None
    settlement: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A part of a list. total: of the whole list."""

    rows: Sequence[Marked]
    total: int


def mark(access: Access, left: Named, right: Named, *, matter: str, note: str = "") -> UUID:
    """Mark these two as contradicting each other; gives the conflict's id.

    Raises Unavailable for who may not, and for what may not be read, and Refused for what can't contradict and for the words.
    """
    tenant = _refuse_others(access)
    matter = _words(
        " ".join(matter.split()),
        MAX_MATTER,
        gettext_noop("What they contradict each other about has at most %(limit)d characters."),
    )
    note = _words(note, MAX_NOTE, gettext_noop("The note has at most %(limit)d characters."))
    if not matter:
        raise Refused("conflict_matter", gettext_noop("Say in a few words what they contradict each other about."))
    sides = [_named(access, one) for one in (left, right)]
    (one, one_cited), (other, other_cited) = sides
    if _is_same(*sides):
        raise Refused("conflict_same", gettext_noop("That is the same twice. Choose two passages, or two documents."))
    with transaction.atomic():
        if len(documents.hold(access, {one.pk, other.pk})) < len({one.pk, other.pk}):
            raise Unavailable
        _refuse_known(access, sides)
        row = Conflict.objects.create(
            tenant_id=tenant,
            left_document=one,
            right_document=other,
            left=one_cited,
            right=other_cited,
            matter=matter,
            note=note,
            marked_by_id=access.user,
        )
        audit.by(access, "conflict.marked", conflict=row.public_id)
    return row.public_id


def listed(access: Access, *, settled: bool = False, offset: int = 0) -> Listed:
    """Conflicts of which this person may read both sides: open ones, or settled ones; the latest first."""
    rows = readable(access).filter(settled_at__isnull=not settled).select_related(*_SIDES, "left", "right")
    rows = rows.select_related("marked_by", "settled_by").order_by("-settled_at" if settled else "-marked_at", "-id")
    return Listed([_marked(row) for row in rows[offset : offset + PAGE]], rows.count())


def counts(access: Access) -> tuple[int, int]:
    """How many are open and how many are settled, of those whose both sides this person may read."""
    rows = readable(access)
    return rows.filter(settled_at=None).count(), rows.exclude(settled_at=None).count()


def get(access: Access, conflict: UUID) -> Marked:
    """One conflict, its citations checked now. Raises Unavailable."""
    rows = readable(access).select_related(*_SIDES, "left", "right", "marked_by", "settled_by")
    row = rows.filter(public_id=conflict).first()
    if row is None:
        raise Unavailable
    wanted = [one.public_id for one in (row.left, row.right) if one is not None]
    checked = {one.id: one for one in citations.several(access, wanted) if isinstance(one, Cited)}
    return _marked(row, checked)


def about(access: Access, one: Named) -> Side:
    """What is to be one side of a conflict, before it is marked. Raises Unavailable."""
    row, cited = _named(access, one)
    return _side(row, cited)


def settle(access: Access, conflict: UUID, *, words: str) -> None:
    """Say how it ended; whoever looks it up sees it. Raises Unavailable, and Refused, also where somebody else was first."""
    _refuse_others(access)
    words = _words(words, MAX_NOTE, gettext_noop("How it was settled has at most %(limit)d characters."))
    if not words:
        raise Refused("conflict_settlement", gettext_noop("Say how it was settled: which of them counts, or what was changed."))
    rows = readable(access).filter(public_id=conflict)
    with transaction.atomic():
        count = Conflict.objects.filter(pk__in=rows.values("pk"), settled_at=None).update(
            settled_at=timezone.now(), settled_by=access.user, settlement=words
        )
        _decided(access, "conflict.settled", rows, count)


def reopen(access: Access, conflict: UUID) -> None:
    """Take back that it was settled; what was said then stays, to be changed. Raises Unavailable and Refused."""
    _refuse_others(access)
    rows = readable(access).filter(public_id=conflict)
    with transaction.atomic():
        count = Conflict.objects.filter(pk__in=rows.values("pk"), settled_at__isnull=False).update(
            settled_at=None, settled_by=None
        )
        _decided(access, "conflict.reopened", rows, count)


def readable(access: Access) -> QuerySet[Conflict]:
    """Those of the tenant of which this person may read both documents.

    Each document is looked up by its key: a list of all that may be read would be made anew for every search.
    """
    mine = Document.objects.readable(access)
    both = [Exists(mine.filter(pk=OuterRef(side))) for side in ("left_document", "right_document")]
    return Conflict.objects.filter(*both, tenant=access.tenant)


def _marked(row: Conflict, checked: dict[UUID, Cited] | None = None) -> Marked:
    return Marked(
        id=row.public_id,
        matter=row.matter,
        note=row.note,
        left=_side(row.left_document, row.left, checked),
        right=_side(row.right_document, row.right, checked),
        marked_by=name_of(row.marked_by),
        marked_at=row.marked_at,
        settled_by=name_of(row.settled_by),
        settled_at=row.settled_at,
        settlement=row.settlement,
    )


def _side(row: Document, cited: Citation | None, checked: dict[UUID, Cited] | None = None) -> Side:
    if cited is None:
        return Side(card(row, current(row)))
    return Side(card(row, current(row)), cited.public_id, cited.exact, (checked or {}).get(cited.public_id))


def _named(access: Access, one: Named) -> tuple[Document, Citation | None]:
    """The readable document, and the citation where one is named. Raises Unavailable."""
    if one.citation is None:
        return documents.get(access, one.document or citations.NOTHING), None
    mine = Document.objects.readable(access)
    row = Citation.objects.filter(tenant=access.tenant, public_id=one.citation, document__in=mine).first()
    if row is None:
        raise Unavailable
    return documents.get(access, row.document_public_id), row


def _is_same(one: tuple[Document, Citation | None], other: tuple[Document, Citation | None]) -> bool:
    """Whether both are one passage, or one document, or a document and a passage of it."""
    (document, cited), (other_document, other_cited) = one, other
    if document.pk != other_document.pk:
        return False
    return cited is None or other_cited is None or _place(cited) == _place(other_cited)


def _place(cited: Citation) -> tuple[UUID, int, int]:
    return cited.representation, cited.start, cited.end


def _refuse_known(access: Access, sides: Sequence[tuple[Document, Citation | None]]) -> None:
    """The same two are not marked twice while they are open."""
    (one, one_cited), (other, other_cited) = sides
    straight = Q(left_document=one, right_document=other, left=one_cited, right=other_cited)
    crossed = Q(left_document=other, right_document=one, left=other_cited, right=one_cited)
    if readable(access).filter(straight | crossed, settled_at=None).exists():
        raise Refused("conflict_known", gettext_noop("These two are marked as contradicting each other already."))


def _refuse_others(access: Access) -> int:
    """The tenant, for people who may mark there."""
    if not identity.may_propose(access) or access.user is None or access.tenant is None:
        raise Unavailable
    return access.tenant


def _decided(access: Access, code: str, rows: QuerySet[Conflict], count: int) -> None:
    """Audit what was changed, or say why nothing could be."""
    row = rows.first()
    if row is None:
        raise Unavailable
    if not count:
        raise Refused("conflict_changed", gettext_noop("This contradiction has changed meanwhile. Look at it again."))
    audit.by(access, code, conflict=row.public_id)


def _words(text: str, limit: int, message: str) -> str:
    """What was typed, with the line feeds of a text and without blanks at its ends."""
    text = text.replace("\r\n", "\n").strip()
    if len(text) > limit:
        raise Refused("conflict_words_long", message, limit=limit)
    if any(unicodedata.category(one) in REFUSED_CATEGORIES for one in text if one not in "\n\t"):
        raise Refused("conflict_control_character", gettext_noop("The text holds a control character. Please remove it."))
    return text
