"""Documents as a person may see them: one, a kept state of it, its original, what stands around a passage, the list by title.

Every public function takes the Access first. What may not be read is Unavailable, whatever the reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from evidence import blobs, filenames, paging, sheets
from evidence.access import Access
from evidence.anchoring import TextState
from evidence.content import Note, PassageKind, SpanKind
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.models import Document, Passage, Representation
from evidence.presentation import (
    Card,
    Context,
    Shown,
    card,
    contexts,
    contexts_within,
    current,
    page_name_at,
    page_starts,
    show,
    text_state,
)

MAX_TITLE_WORDS: Final = 200
"""Code points of a title that is searched for."""
PAGE: Final = 50
"""Documents on one page of the list, at most."""
MAX_OFFSET: Final = 10_000_000
_MEDIA_TYPE: Final = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]*")


@dataclass(frozen=True, slots=True)
class Titles:
    """One page of documents in the order of their titles. total: how many there are on all pages."""

    cards: Sequence[Card]
    total: int
    offset: int


@dataclass(frozen=True, slots=True)
class About:
    """A document in one kept state, without its text. is_current: whether this state is the current one (`current`)."""

    card: Card
    state: TextState
    representation: UUID
    current: UUID
    is_current: bool
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a passage stands in the text, and what gives it its meaning. page: name of the one on which it begins."""

    number: int
    kind: PassageKind
    start: int
    end: int
    context: Context
    page: str | None


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole text of a state, and the passages that it consists of. unseen: ranges that nobody sees in the original."""

    text: str
    passages: Sequence[Placed]
    unseen: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Passages of a state that follow one another. texts: of each, with the line feeds after it. total: passages of the whole.

    next: number of the first one after them, None at the end. cut: the last text ends before its passage does.
    """

    passages: Sequence[Placed]
    texts: Sequence[str]
    unseen: Sequence[tuple[int, int]]
    total: int
    next: int | None
    cut: bool


@dataclass(frozen=True, slots=True)
class Original:
    """The exact bytes that a state was read from. name: of a file to keep them in."""

    data: bytes
    media_type: str
    name: str


def by_title(access: Access, title: str = "", *, limit: object = PAGE, offset: object = 0) -> Titles:
    """Readable documents whose title holds these words as they stand, in any case; all for an empty title.

    limit: 1 to 50. Raises Refused.
    """
    count = paging.limit(limit, most=PAGE)
    skip = paging.offset(offset, most=MAX_OFFSET)
    if len(title) > MAX_TITLE_WORDS:
        raise Refused(
            "title_too_long",
            gettext_noop("A title can be searched with at most %(limit)d characters; these are %(length)d."),
            limit=MAX_TITLE_WORDS,
            length=len(title),
        )
    found = Document.objects.readable(access)
    if key := Document.title_key_for(title.replace("\0", "")).strip():
        found = found.filter(title_key__contains=key)
    rows = found.select_related("source", "current__revision").order_by("title_key", "public_id")[skip : skip + count]
    return Titles(cards=[card(row, current(row)) for row in rows], total=found.count(), offset=skip)


def get(access: Access, document: UUID) -> Document:
    """The row of a readable document with its source and current state. Raises Unavailable for anything else."""
    rows = Document.objects.readable(access).select_related("source", "current__revision")
    found = rows.filter(public_id=document).first()
    if found is None:
        raise Unavailable
    return found


def hold(access: Access, documents: Collection[int]) -> Collection[int]:
    """Those of these documents (keys) that may be read. They stay here until the transaction ends that is open now.

    A quote that is kept while its document is being removed would be left behind.
    """
    readable = Document.objects.readable(access).filter(pk__in=documents)
    return set(readable.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))


def may_read(access: Access, document: Document) -> bool:
    """Whether this Access reads a document that is at hand."""
    return document.access_class_id in access.classes


def state_of(access: Access, document: Document, *, representation: UUID | None) -> Representation:
    """A kept state of a readable document: the current one, or the one with this id. Raises Unavailable if it has none such."""
    if not may_read(access, document):
        raise Unavailable
    if representation is None:
        return current(document)
    rows = Representation.objects.filter(revision__document=document, public_id=representation)
    found = rows.select_related("revision").first()
    if found is None:
        raise Unavailable
    return found


def about(access: Access, document: UUID, *, representation: UUID | None = None) -> About:
    """What a readable document is in a kept state, the current one unless told. Raises Unavailable."""
    row = get(access, document)
    found = state_of(access, row, representation=representation)
    return About(
        card=card(row, found),
        state=text_state(row, found),
        representation=found.public_id,
        current=current(row).public_id,
        is_current=found.pk == row.current_id,
        notes=tuple(Note(note) for note in found.notes),
    )


def whole(access: Access, document: UUID, *, representation: UUID) -> Whole:
    """The text of a readable document in this kept state; it never changes. Raises Unavailable."""
    found = state_of(access, get(access, document), representation=representation)
    rows = list(Passage.objects.filter(representation=found).order_by("number"))
    around, pages = contexts_within(rows), page_starts(sheets.of(found))
    return Whole(
        text="".join(row.text for row in rows),
        passages=[
            Placed(row.number, PassageKind(row.kind), row.start, row.end, around[row.pk], page_name_at(pages, row.start))
            for row in rows
        ],
        unseen=[(start, end) for row in rows for kind, start, end, _ in row.spans if kind == SpanKind.UNSEEN],
    )


def stretch(access: Access, document: UUID, *, representation: UUID, first: int, count: int, most: int) -> Stretch:
    """Up to `count` passages of a readable document in this kept state, from the one with the number `first`.

    Together they have at most `most` code points; of a longer passage that is the only one, the beginning. Raises Unavailable
    for a number that this state does not have.
    """
    found = state_of(access, get(access, document), representation=representation)
    own = Passage.objects.filter(representation=found)
    begin = own.filter(number=first).values_list("start", flat=True).first()
    if begin is None:
        raise Unavailable
    near = own.filter(number__gte=first, number__lt=first + count, start__lt=begin + most).order_by("number")
    rows = [row for row in near if row.number == first or row.start + len(row.text) <= begin + most]
    around, pages = contexts(rows), page_starts(sheets.of(found))
    after = rows[-1].number + 1
    return Stretch(
        passages=[
            Placed(row.number, PassageKind(row.kind), row.start, row.end, around[row.pk], page_name_at(pages, row.start))
            for row in rows
        ],
        texts=[row.text[:most] for row in rows],
        unseen=[(start, end) for row in rows for kind, start, end, _ in row.spans if kind == SpanKind.UNSEEN],
        total=found.passage_count,
        next=after if after < found.passage_count else None,
        cut=len(rows[-1].text) > most,
    )


def original(access: Access, document: UUID, *, representation: UUID | None = None) -> Original:
    """The original of a readable document in a kept state, the current one unless told, compared with its digest.

    Raises Unavailable, and EvidenceError when the stored bytes are missing or damaged.
    """
    row = get(access, document)
    revision = state_of(access, row, representation=representation).revision
    return Original(
        data=blobs.read(revision.source_sha256),
        media_type=revision.media_type if _MEDIA_TYPE.fullmatch(revision.media_type) else "application/octet-stream",
        name=filenames.safe(row.title, revision.path),
    )


def neighbours(access: Access, document: UUID, representation: UUID, number: int, *, reach: int = 2) -> Sequence[Shown]:
    """The passages up to `reach` before and after this one, itself left out; empty ones are not shown.

    Raises Unavailable for a number that this state does not have.
    """
    found = state_of(access, get(access, document), representation=representation)
    if not 0 <= number < found.passage_count:
        raise Unavailable
    rows = Passage.objects.filter(representation=found, number__range=(max(number - reach, 0), number + reach))
    return [show(row) for row in rows.exclude(number=number).order_by("number") if row.quote]
