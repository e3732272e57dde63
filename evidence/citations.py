"""Citations: make them, open them, say what they are worth now.

Resolving compares values and searches one text; it follows nothing to another place. Who may not read the document gets
`unavailable`, whatever else is true, and so does everybody else for an id that never was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby, islice
from operator import itemgetter
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from evidence import anchoring, annotation, documents
from evidence.access import Access
from evidence.anchoring import Anchor, State, TextState, check, differs, holds
from evidence.content import Note, SpanKind
from evidence.errors import Ambiguous, Outdated, Refused, Unavailable, gettext_noop
from evidence.models import AuditEvent, Citation, Document, Passage, Representation
from evidence.presentation import Card, card, current, kinds_within, text_of, text_state, touched

MAX_QUOTE: Final = 10_000
"""Code points of one citation: several pages. More is a copy, not a citation."""
MAX_BATCH: Final = 500
"""Anchors that are resolved in one call."""

NOTHING: Final = UUID(int=0)
"""An id that no document and no citation has. Nonsense is looked up as it, so that it costs what every unknown id costs."""

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


@dataclass(frozen=True, slots=True)
class Place:
    """A range of a document's text in one state, in code points."""

    document: UUID
    representation: UUID
    start: int
    end: int


def cite(access: Access, document: UUID, *, representation: UUID, start: int, end: int, seen: str | None = None) -> UUID:
    """Store a citation of `[start, end)` of the current text; gives its id. seen: the words that the person saw there.

    Raises Unavailable; Outdated when the representation is not the current one; Ambiguous; Refused for the range, for letter
    soup, and when other words stand there than were seen.
    """
    row = documents.get(access, document)
    state = current(row)
    if state.public_id != representation:
        raise Outdated(
            "not_current",
            gettext_noop("This state of the document is no longer the current one. Open the current one and choose there."),
        )
    _refuse_length(end - start)
    text = text_of(state.pk)
    if seen is not None and text[start:end] != seen:
        message = gettext_noop("The text in your browser differs from the stored one, so nothing was cited. Load the page again.")
        raise Refused("text_differs", message)
    anchor = anchoring.make(text, start, end, state=text_state(row, state))
    _refuse_garbled(state, anchor)
    return _store(access, row, anchor)


def cite_words(access: Access, document: UUID, *, exact: str, prefix: str = "", suffix: str = "") -> UUID:
    """Store a citation of words that stand exactly once in the current text, with this before and after them.

    Raises Unavailable, Ambiguous, and Refused when the words are not there or are letter soup.
    """
    row = documents.get(access, document)
    state = current(row)
    _refuse_length(len(exact))
    text = text_of(state.pk)
    found = anchoring.occurrences(text, prefix + exact + suffix, cap=2)
    if not found:
        raise Refused("quote_not_found", gettext_noop("These words do not stand in the current text of the document."))
    if len(found) > 1:
        message = gettext_noop("These words stand in this text more than once. Give more of what stands before and after them.")
        raise Ambiguous("anchor_ambiguous", message)
    start = found[0] + len(prefix)
    anchor = anchoring.make(text, start, start + len(exact), state=text_state(row, state))
    _refuse_garbled(state, anchor)
    return _store(access, row, anchor)


def get(access: Access, citation: UUID) -> Cited:
    """A stored citation, checked now. Raises Unavailable for unknown, foreign, forbidden and deleted alike.

    All of them are told apart from what may be read by one and the same query.
    """
    row = _rows(access).filter(public_id=citation, document__in=Document.objects.readable(access)).first()
    found = [] if row is None else _cited(access, [row])
    if not found:
        raise Unavailable
    return found[0]


def several(access: Access, wanted: Sequence[UUID]) -> Sequence[Cited | UUID]:
    """Stored citations, checked now, in this order; one that may not be read or never was is only its id.

    Raises Refused for more than MAX_BATCH.
    """
    _refuse_batch(len(wanted))
    rows = _rows(access).filter(public_id__in=wanted, document__in=Document.objects.readable(access))  # no others cost a query
    return _or_ids(_cited(access, list(rows)), wanted)


def own(access: Access, *, limit: int, offset: int = 0, document: UUID | None = None) -> tuple[Sequence[Cited | UUID], int]:
    """The person's own citations, newest first, checked now, and how many there are; all, or those of a readable document.

    One whose document may not be read any more is only its id.
    """
    rows = _own(access, document)
    page = list(rows[offset : offset + limit])
    return _or_ids(_cited(access, page), [row.public_id for row in page]), rows.count()


def every_own(access: Access, *, document: UUID | None = None) -> Iterator[Cited | UUID]:
    """The same, all of them: checked in batches, as they are asked for."""
    rows = iter(list(_own(access, document)))
    while batch := list(islice(rows, MAX_BATCH)):
        yield from _or_ids(_cited(access, batch), [row.public_id for row in batch])


def cited_documents(access: Access) -> Sequence[tuple[UUID, str]]:
    """Id and title of the readable documents that this person has cited, by title."""
    own = Citation.objects.filter(tenant=access.tenant, author=access.user)
    found = Document.objects.readable(access).filter(pk__in=own.values("document"))
    return list(found.order_by("title_key", "public_id").values_list("public_id", "title"))


def changed(access: Access) -> int:
    """How many of the person's own citations, without a successor, name another state than the document's current one."""
    rows = _own(access).filter(superseded_by=None, document__in=Document.objects.readable(access))
    return rows.exclude(representation=F("document__current__public_id")).count()


def anchors(access: Access, places: Sequence[Place]) -> Sequence[Anchor | None]:
    """An anchor for each of these places; None where one can't be made: ambiguous, letter soup, not current, not readable.

    Two queries, however many places, and one for the letter soup; each text is read once, and one at a time is held.
    """
    rows = _readable(access, {place.document for place in places})
    states = {current(row).pk: text_state(row, current(row)) for row in rows.values()}
    wanted: dict[str, list[Place]] = {}
    for place in places:
        wanted.setdefault(str(place.representation), []).append(place)
    made: dict[Place, Anchor | None] = {}
    for pk, text in _texts(pk for pk, state in states.items() if state.representation in wanted):
        state = states[pk]
        made |= {place: _made(text, place, state) for place in wanted[state.representation]}
    garbled = _garbled(places, [current(row) for row in rows.values()])
    return [None if place in garbled else made.get(place) for place in places]


def resolve(access: Access, anchors: Sequence[object]) -> Sequence[Resolution]:
    """What each of these anchors is worth now: Anchor, or what JSON gave for one, or for an annotation that holds one.

    The documents are asked for once. Raises Refused for more than MAX_BATCH.
    """
    _refuse_batch(len(anchors))
    sent = [annotation.unwrapped(anchor) for anchor in anchors]
    documents_named = [_named(anchor) for anchor in sent]
    rows = _readable(access, set(documents_named))
    parsed = [_parsed(anchor) for anchor in sent]
    resolver = _Resolver(rows, _kept(rows.values(), parsed))
    return [resolver.resolution(document, anchor) for document, anchor in zip(documents_named, parsed, strict=True)]


def _made(text: str, place: Place, state: TextState) -> Anchor | None:
    try:
        return anchoring.make(text, place.start, place.end, state=state)
    except (Ambiguous, Refused):
        return None


def _texts(representations: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Each representation and its whole text, in one query."""
    rows = Passage.objects.filter(representation__in=list(representations)).order_by("representation", "number")
    for pk, run in groupby(rows.values_list("representation", "text").iterator(), key=itemgetter(0)):
        yield pk, "".join(text for _, text in run)


def _parsed(value: object) -> Anchor | None:
    """The anchor, or None for what is none."""
    if isinstance(value, Anchor):
        return value
    try:
        return Anchor.from_dict(value) if isinstance(value, Mapping) else None
    except Refused:
        return None


def _rows(access: Access) -> QuerySet[Citation]:
    rows = Citation.objects.filter(tenant=access.tenant).select_related("author", "supersedes")
    return rows.annotate(successor=F("superseded_by__public_id")).order_by("-created_at", "-id")


def _own(access: Access, document: UUID | None = None) -> QuerySet[Citation]:
    rows = _rows(access).filter(author=access.user)
    if document is None:
        return rows
    return rows.filter(document__in=Document.objects.readable(access).filter(public_id=document))


def _or_ids(found: Iterable[Cited], wanted: Iterable[UUID]) -> Sequence[Cited | UUID]:
    by_id = {one.id: one for one in found}
    return [by_id.get(one, one) for one in wanted]


def _cited(access: Access, rows: Sequence[Citation]) -> Sequence[Cited]:
    """Those of these citations whose documents may be read, checked now."""
    found = resolve(access, [row.anchor for row in rows])
    return [
        Cited(
            id=row.public_id,
            anchor=row.anchor,
            author=row.author.get_full_name() or row.author.get_username() if row.author else "",
            created_at=row.created_at,
            resolution=resolution,
            supersedes=row.supersedes.public_id if row.supersedes else None,
            superseded_by=row.successor,  # type: ignore[attr-defined]
        )
        for row, resolution in zip(rows, found, strict=True)
        if resolution is not UNAVAILABLE
    ]


def _store(access: Access, row: Document, anchor: Anchor) -> UUID:
    with transaction.atomic():
        if not documents.hold(access, [row.pk]):
            raise Unavailable
        citation = Citation.of(anchor, tenant_id=access.tenant, author_id=access.user, document=row)
        citation.save()
        AuditEvent.objects.create(
            tenant_id=access.tenant,
            actor_id=access.user,
            code="citation.made",
            document=row.public_id,
            ids={"citation": str(citation.public_id)},
        )
    return citation.public_id


def _refuse_batch(count: int) -> None:
    if count > MAX_BATCH:
        message = gettext_noop("At most %(limit)d anchors are resolved at once; these are %(count)d.")
        raise Refused("too_many_anchors", message, limit=MAX_BATCH, count=count)


def _refuse_garbled(state: Representation, anchor: Anchor) -> None:
    if SpanKind.GARBLED in kinds_within(state, anchor.start, anchor.end):
        message = gettext_noop(
            "This is letter soup: the file does not say which characters its signs are. What it shows can't be cited by its text."
        )
        raise Refused("text_garbled", message)


def _garbled(places: Collection[Place], states: Iterable[Representation]) -> Collection[Place]:
    """Those of these places that touch letter soup. No query when none of the texts holds any."""
    soups = {state.public_id: state.pk for state in states if Note.LETTER_SOUP in state.notes}
    asked = [place for place in places if place.representation in soups]
    if not asked:
        return ()
    spots = Q(pk__in=[])
    for place in asked:
        spots |= Q(representation=soups[place.representation], start__lt=place.end, end__gt=place.start)
    spans: dict[UUID, list[Sequence[Sequence[object]]]] = {}
    for representation, own in Passage.objects.filter(spots).values_list("representation__public_id", "spans"):
        spans.setdefault(representation, []).append(own)
    return {place for place in asked if SpanKind.GARBLED in touched(spans.get(place.representation, []), place.start, place.end)}


def _refuse_length(length: int) -> None:
    if length > MAX_QUOTE:
        message = gettext_noop("A citation can hold at most %(limit)d characters; these are %(length)d.")
        raise Refused("quote_too_long", message, limit=MAX_QUOTE, length=length)


def _named(anchor: object) -> UUID:
    """The document that an anchor names; NOTHING when it names none, which is looked up all the same."""
    if isinstance(anchor, Anchor):
        value: object = anchor.state.document
    else:
        value = anchor.get("document") if isinstance(anchor, Mapping) else None
    return _uuid(value) or NOTHING


def _uuid(value: object) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _readable(access: Access, wanted: Collection[UUID]) -> Mapping[UUID, Document]:
    rows = Document.objects.readable(access).filter(public_id__in=wanted).select_related("source", "current__revision")
    return {row.public_id: row for row in rows}


def _kept(rows: Collection[Document], anchors: Iterable[object]) -> Mapping[UUID, Representation]:
    """The archived states that these anchors name, of documents that may be read. No query when all name current ones."""
    named = {one for anchor in anchors if isinstance(anchor, Anchor) and (one := _uuid(anchor.state.representation))}
    wanted = named - {current(row).public_id for row in rows}
    if not wanted:
        return {}
    kept = Representation.objects.filter(public_id__in=wanted, revision__document__in=rows).select_related("revision")
    return {row.public_id: row for row in kept}


class _Resolver:
    """Resolves anchors in documents that may be read; reads each text once."""

    def __init__(self, rows: Mapping[UUID, Document], kept: Mapping[UUID, Representation]) -> None:
        self._rows = rows
        self._kept = kept
        self._text = cache(text_of)

    def resolution(self, document: UUID, anchor: Anchor | None) -> Resolution:
        """Steps 1 to 7; anchor: None where the value was none."""
        row = self._rows.get(document)
        if row is None:
            return UNAVAILABLE
        state = current(row)
        now = text_state(row, state)
        found = State.INVALID_ANCHOR if anchor is None else differs(anchor, current=now)
        if found is None and anchor is not None:
            found = check(anchor, self._text(state.pk), current=now)
        resolved = anchor if found is State.RESOLVED else None
        return Resolution(
            state=found or State.INVALID_ANCHOR,
            card=card(row, state),
            now=now,
            representation=state.public_id,
            start=resolved.start if resolved else None,
            end=resolved.end if resolved else None,
            quote=resolved.exact if resolved else None,
            historical=self._historical(row, anchor) if anchor and found in _ARCHIVED else None,
        )

    def _historical(self, row: Document, anchor: Anchor) -> Historical | None:
        """The archived state that the anchor names, if it is exactly that state and the words still hold in it."""
        state = self._kept.get(_uuid(anchor.state.representation) or NOTHING)
        if state is None or state.revision.document_id != row.pk:  # a batch can name a state of another of its documents
            return None
        if text_state(row, state) != anchor.state or not holds(anchor, self._text(state.pk)):
            return None
        return Historical(
            revision=state.revision.label,
            representation=state.public_id,
            start=anchor.start,
            end=anchor.end,
            quote=anchor.exact,
        )
