"""Rows of the database as values that can be shown: cards, origins, passages cut into parts. It decides nothing.

Whoever calls this has checked that the person may read the document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final
from uuid import UUID

from django.db.models import Q

from evidence.anchoring import Parser, TextState
from evidence.content import Note, PassageKind, SpanKind
from evidence.index.questions import How, Way
from evidence.models import Document, Page, Passage, Representation, Status


@dataclass(frozen=True, slots=True)
class Card:
    """What stands about a document beside its text. `version` and `dated` are those of the revision shown.

    status, expired, upcoming, valid_from, valid_until: of the document as it is now. An earlier state has none of them: what
    held of it then is not kept, and what holds now would read as if that state held.
    """

    id: UUID
    external_id: str
    title: str
    version: str
    dated: date | None
    status: str
    expired: bool
    upcoming: bool
    valid_from: date | None
    valid_until: date | None
    language: str
    kind: str
    owner: str
    sensitivity: str
    source: str
    source_title: str
    contact: str

    @property
    def in_force(self) -> bool:
        """Whether it holds today, as its source says."""
        return self.status == Status.VALID and not self.expired and not self.upcoming

    @property
    def whom(self) -> str:
        """Whom to ask: the owner, else the source; empty where the contact begins with that name itself."""
        name = self.owner or self.source_title
        return "" if re.match(rf"{re.escape(name)}(?!\w)", self.contact) else name


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page begins, in code points of the text. name: the label that is printed on it, else its number."""

    number: int
    name: str
    start: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text shown in one way. tag: "", "mark" (a found word; `target` says how, "" for one that stands there as it was
    asked for), "strong", "em", "code", "link" (`target` shown), or "page": no text, here begins the page with the number
    `target` and this `name`.

    trait: "", "unseen", "garbled" or "running", as of SpanKind.
    """

    text: str
    tag: str = ""
    target: str = ""
    trait: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a passage: a table cell or not, cited or not."""

    pieces: tuple[Piece, ...]
    cell: bool = False
    cited: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage ready to be shown. `text` is what the parts hold together; start and end are code points of the passage.

    plain: the parts are one run of text without any marking (`text` can be written as it is). garbled: some of it is letter soup.
    """

    number: int
    kind: PassageKind
    level: int
    start: int
    end: int
    text: str
    parts: tuple[Part, ...]
    plain: bool
    header: bool = False
    garbled: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Passages that follow one another and are shown together. kind: "table", "list" or "" for a single passage.

    columns: cells in the longest row of a table, else 0.
    """

    kind: str
    passages: tuple[Shown, ...]
    columns: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """What gives a passage its meaning: the headings above it, outermost first, and the column headings of a table row."""

    headings: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """What a text is made of: the panel "what this is". locked: the original opens only with a password.

    origin_state: what its source calls this state (a commit), empty where it has no name for it.
    """

    state: TextState
    media_type: str
    size: int
    length: int
    passages: int
    dated: date | None
    imported_at: datetime
    extracted_at: datetime
    rights_confirmed_at: datetime | None
    notes: tuple[Note, ...] = ()
    locked: bool = False
    origin_state: str = ""


def current(document: Document) -> Representation:
    """The current state of a document that has one."""
    assert document.current is not None  # `readable` gives no others
    return document.current


def card(document: Document, representation: Representation) -> Card:
    """The card of a document in this state; the caller has checked that it may be read."""
    is_current = representation.pk == document.current_id
    return Card(
        id=document.public_id,
        external_id=document.external_id,
        title=document.title,
        version=representation.revision.label,
        dated=representation.revision.dated,
        status=document.status if is_current else "",
        expired=is_current and document.is_expired(),
        upcoming=is_current and document.is_upcoming(),
        valid_from=document.valid_from if is_current else None,
        valid_until=document.valid_until if is_current else None,
        language=document.language,
        kind=document.kind,
        owner=document.owner,
        sensitivity=document.sensitivity,
        source=document.source.name,
        source_title=document.source.title or document.source.name,
        contact=document.source.contact,
    )


def namesakes(cards: Iterable[Card]) -> frozenset[str]:
    """Titles that several different documents among these have."""
    titles = Counter(title for title, _ in {(card.title, card.id) for card in cards})
    return frozenset(title for title, count in titles.items() if count > 1)


def text_state(document: Document, representation: Representation) -> TextState:
    """What fixes the text of this state."""
    return TextState(
        document=str(document.public_id),
        revision=representation.revision.label,
        representation=str(representation.public_id),
        source_sha256=representation.revision.source_sha256,
        parser=Parser(representation.parser_name, representation.parser_version, representation.parser_configuration),
        profile=representation.profile,
        text_sha256=representation.text_sha256,
    )


def origin(document: Document, representation: Representation) -> Origin:
    """Origin, hashes and times of this state."""
    revision = representation.revision
    return Origin(
        state=text_state(document, representation),
        media_type=revision.media_type,
        size=revision.size,
        length=representation.length,
        passages=representation.passage_count,
        dated=revision.dated,
        imported_at=revision.imported_at,
        extracted_at=representation.created_at,
        rights_confirmed_at=document.source.rights_confirmed_at,
        notes=tuple(Note(note) for note in representation.notes),
        locked=bool(revision.password),
        origin_state=revision.origin_state,
    )


def text_of(representation: int) -> str:
    """The whole text of a representation, in one query."""
    rows = Passage.objects.filter(representation=representation).order_by("number")
    return "".join(rows.values_list("text", flat=True))


def contexts(passages: Sequence[Passage]) -> Mapping[int, Context]:
    """The context of each of these rows, by the row's pk, in one query."""
    wanted: dict[int, set[int]] = {}
    for row in passages:
        named = wanted.setdefault(row.representation_id, set())
        named.update(row.headings)
        named.update(() if row.columns is None else (row.columns,))
    rows = Passage.objects.none()
    for representation, numbers in wanted.items():
        if numbers:
            rows = rows | Passage.objects.filter(representation=representation, number__in=numbers)
    named_rows = {(row.representation_id, row.number): row for row in rows}
    return {row.pk: _context(row, named_rows) for row in passages}


def contexts_within(passages: Sequence[Passage]) -> Mapping[int, Context]:
    """The same for all passages of one representation, without a query."""
    named = {(row.representation_id, row.number): row for row in passages}
    return {row.pk: _context(row, named) for row in passages}


def _context(row: Passage, named: Mapping[tuple[int, int], Passage]) -> Context:
    headings = (named.get((row.representation_id, number)) for number in row.headings)
    header = named.get((row.representation_id, row.columns)) if row.columns is not None else None
    return Context(
        headings=tuple(heading.quote for heading in headings if heading is not None),
        columns=() if header is None else tuple(cell_texts(header)),
    )


def page_starts(pages: Iterable[Page]) -> Sequence[PageStart]:
    """Where each of these pages begins; those without text are left out."""
    return [PageStart(page.number, page.label or str(page.number), page.start) for page in pages if page.start < page.end]


def page_names(passages: Sequence[Passage]) -> Mapping[int, str]:
    """The name of the page on which each of these rows begins, by the row's pk, in one query; rows without pages are left out."""
    places = Q(pk__in=[])
    for row in passages:
        places |= Q(representation=row.representation_id, start__lte=row.start, end__gt=row.start)
    found = Page.objects.filter(places).values_list("representation", "number", "label", "start", "end")
    pages = list(found) if passages else []
    return {
        row.pk: label or str(number)
        for row in passages
        for representation, number, label, start, end in pages
        if representation == row.representation_id and start <= row.start < end
    }


def page_name_at(starts: Sequence[PageStart], position: int) -> str | None:
    """The name of the page that a code point of the text stands on."""
    found = bisect_right(starts, position, key=lambda page: page.start)
    return starts[found - 1].name if found else None


def kinds_within(representation: Representation, start: int, end: int) -> frozenset[SpanKind]:
    """The kinds of spans that a range of the text touches, in one query."""
    rows = Passage.objects.filter(representation=representation, start__lt=end, end__gt=start)
    return touched(rows.values_list("spans", flat=True), start, end)


def touched(spans: Iterable[Iterable[Sequence[object]]], start: int, end: int) -> frozenset[SpanKind]:
    """The kinds of these passages' spans that share a code point with a range."""
    return frozenset(
        SpanKind(str(kind)) for own in spans for kind, first, last, _ in own if int(str(first)) < end and start < int(str(last))
    )


def cell_texts(row: Passage) -> Iterable[str]:
    """The text of each cell of a table row."""
    return (row.text[start - row.start : end - row.start] for kind, start, end, _ in row.spans if kind == SpanKind.CELL)


_GROUPS: Final = {PassageKind.TABLE_ROW: "table", PassageKind.LIST_ITEM: "list"}
_TAGS: Final = {
    SpanKind.STRONG: "strong",
    SpanKind.EMPHASIS: "em",
    SpanKind.CODE: "code",
    SpanKind.LINK: "link",
    SpanKind.REFERENCE: "sup",
    SpanKind.HYPHENATION: "hyphen",
}
_TRAITS: Final = (SpanKind.UNSEEN, SpanKind.GARBLED, SpanKind.RUNNING)
"""Shown beside everything else; of two on one spot the first counts."""
FOUND: Final = "mark"
PAGE: Final = "page"
_Inline = tuple[str, int, int, str]
"""Tag, start, end, target."""
_start: Final = itemgetter(1)


def show(
    row: Passage,
    *,
    found: Collection[tuple[int, int, str]] = (),
    cited: tuple[int, int] | None = None,
    whole: bool = False,
    pages: Sequence[PageStart] = (),
) -> Shown:
    """A passage cut into parts and pieces at code points.

    found: ranges within the passage's quote, and how each was found (a value of How, or ""). cited: a range of the
    representation that touches this passage. whole: with the separator after it, so that all passages together are the text.
    pages: those that begin in it.
    """
    text = row.text if whole else row.quote
    plain = not row.spans and not found and cited is None and not pages
    return Shown(
        number=row.number,
        kind=PassageKind(row.kind),
        level=row.level,
        start=row.start,
        end=row.end,
        text=text,
        parts=(Part((Piece(text),)),) if plain else tuple(_cut(row, text, found, cited, pages)),
        plain=plain,
        header=row.kind == PassageKind.TABLE_ROW and row.columns is None,
        garbled=any(kind == SpanKind.GARBLED for kind, *_ in row.spans),
    )


def marks(ways: Iterable[Way]) -> list[tuple[int, int, str]]:
    """How found words are marked: what stands there as it was asked for looks alike in both modes."""
    return [(way.start, way.end, "" if way.how is How.EXACT else way.how.value) for way in ways]


def blocks(passages: Sequence[Shown]) -> Iterable[Block]:
    """Rows of one table and items of one list together, everything else by itself."""
    for kind, run in groupby(passages, key=lambda one: _GROUPS.get(one.kind, "")):
        group = tuple(run)
        if not kind:
            yield from (Block("", (one,)) for one in group)
        elif kind == "list":
            yield Block(kind, group)
        else:
            yield from _tables(group)


def _tables(rows: Sequence[Shown]) -> Iterable[Block]:
    """Rows of one table each: a row that names columns begins a new one."""
    table: list[Shown] = []
    for row in rows:
        if row.header and table and not table[-1].header:
            yield _table(table)
            table = []
        table.append(row)
    yield _table(table)


def _table(rows: Sequence[Shown]) -> Block:
    if len(rows) > 1 and all(row.header for row in rows):  # none of them is the head of another
        rows = [replace(row, header=False) for row in rows]
    return Block("table", tuple(rows), columns=max(sum(part.cell for part in row.parts) for row in rows))


def _cut(
    row: Passage,
    text: str,
    found: Collection[tuple[int, int, str]],
    cited: tuple[int, int] | None,
    pages: Sequence[PageStart],
) -> Iterable[Part]:
    """The passage in parts, from ranges of the representation and of the quote to ranges of this text."""
    inline = [
        (_TAGS.get(SpanKind(kind), kind), start - row.start, end - row.start, value)
        for kind, start, end, value in row.spans
        if kind in _TAGS or kind in _TRAITS
    ]
    inline += [(FOUND, start, end, how) for start, end, how in found]
    cells = [(start - row.start, end - row.start) for kind, start, end, _ in row.spans if kind == SpanKind.CELL]
    mark = None if cited is None else (max(cited[0] - row.start, 0), min(cited[1] - row.start, len(text)))
    stops = deque((page.start - row.start, Piece("", PAGE, target=str(page.number), name=page.name)) for page in pages)
    return _parts(text, cells, mark, inline, stops)


def _parts(
    text: str,
    cells: Sequence[tuple[int, int]],
    mark: tuple[int, int] | None,
    inline: Sequence[_Inline],
    stops: deque[tuple[int, Piece]],
) -> Iterable[Part]:
    """Parts between the edges of cells and of the mark. An empty cell stays, so that columns keep their places; what stands
    between two cells has no traits.

    One sweep over sorted ranges: a passage can hold a hundred thousand of them.
    """
    edges = sorted({0, len(text), *(edge for cell in cells for edge in cell), *(mark or ())})
    empty = {start for start, end in cells if start == end}
    waiting, touching = deque(sorted(inline, key=_start)), list[_Inline]()
    cell_end = 0
    ends = {start: end for start, end in cells if start < end}
    for start, end in zip(edges, [*edges[1:], None], strict=True):
        if start in empty:
            yield Part((), cell=True)
        if end is None:
            break
        cell_end = ends.get(start, cell_end)
        touching = [one for one in touching if one[2] > start]
        while waiting and waiting[0][1] < end:
            touching.append(waiting.popleft())
        is_cell = end <= cell_end
        over = [one for one in touching if one[0] not in _TRAITS] if cells and not is_cell else touching
        yield Part(
            pieces=tuple(_pieces(text, start, end, over, stops)),
            cell=is_cell,
            cited=mark is not None and mark[0] <= start and end <= mark[1],
        )


def _pieces(text: str, start: int, end: int, touching: Sequence[_Inline], stops: deque[tuple[int, Piece]]) -> Iterable[Piece]:
    """Runs between the edges of inline ranges (in the order of their starts); a found word wins, then the innermost.

    stops: what stands at a place without being text; those of this part are taken off.
    """
    coming, over = deque(touching), list[_Inline]()
    edges = {start, end, *(edge for _, left, right, _ in touching for edge in (left, right) if start < edge < end)}
    edges |= {place for place, _ in stops if start < place < end}
    for left, right in pairwise(sorted(edges)):
        while stops and stops[0][0] <= left:
            yield stops.popleft()[1]
        while coming and coming[0][1] <= left:
            over.append(coming.popleft())
        over = [one for one in over if one[2] > left]
        yield _piece(text[left:right], over)


def _piece(text: str, over: Sequence[_Inline]) -> Piece:
    """A run of text with what lies over all of it."""
    if not over:
        return Piece(text)
    kinds = {kind for kind, *_ in over}
    trait = next((kind.value for kind in _TRAITS if kind in kinds), "")
    looks = [one for one in over if one[0] not in _TRAITS]
    if not looks:
        return Piece(text, trait=trait)
    tag, _, _, target = max(looks, key=lambda one: (one[0] == FOUND, one[1] - one[2]))
    return Piece(text, tag, target, trait)
