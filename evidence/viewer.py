"""Reading: a whole document in one kept state, with one place in it marked so that the browser can check it again, and the
pages of its original that show the place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID

from evidence import anchoring, documents, presentation, search, sheets, synonyms
from evidence.access import Access
from evidence.anchoring import Anchor
from evidence.content import PassageKind, SpanKind
from evidence.errors import Ambiguous, Refused, Unavailable, gettext_noop
from evidence.index.query import parse
from evidence.index.questions import Off
from evidence.index.tokens import find
from evidence.models import Document, Passage, Representation
from evidence.presentation import Block, Card, Context, Origin, PageStart, blocks, show
from evidence.projection import Versions
from evidence.search import Mode
from evidence.sheets import Mark, Panel
from evidence.synonyms import Vocabulary


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of the outline."""

    number: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The place that is marked: a passage, its range in code points of the text, and what the browser compares.

    anchor: the anchor of this place, or None where its words can't be told apart from others, or are letter soup (`garbled`).
    unseen: nobody sees some of it in the original.
    """

    passage: int
    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    text_sha256: str
    context: Context
    anchor: Anchor | None
    unseen: bool
    garbled: bool

    def to_check(self) -> dict[str, object]:
        """What the adapter gets: positions, words and hash."""
        kept = ("passage", "start", "end", "exact", "prefix", "suffix", "text_sha256")
        return {name: value for name, value in asdict(self).items() if name in kept}


@dataclass(frozen=True, slots=True)
class Reading:
    """A document in one state. is_current: whether this state is the current one (`current` is that one's id).

    panel: the pages of the original beside the text; None where there are no pictures of them. paged: whether the text says
    where pages begin. synonyms: what this state says of them; None for a document of another kind.
    """

    card: Card
    origin: Origin
    representation: UUID
    current: UUID
    is_current: bool
    blocks: Sequence[Block]
    outline: Sequence[Heading]
    marked: Marked | None
    panel: Panel | None
    paged: bool
    synonyms: Vocabulary | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that led to a place, so that its words are marked there as they were in the result."""

    text: str = ""
    mode: Mode = Mode.EXACT
    without: frozenset[Off] = frozenset()


NOTHING_ASKED: Final = Asked()


@dataclass(frozen=True, slots=True)
class Turned:
    """A page that was turned to, and the number of the passage in which its text begins, None for a page without text."""

    card: Card
    representation: UUID
    panel: Panel
    passage: int | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a range, and the number of the passage that it begins in."""

    card: Card
    words: str
    passage: int


def read(
    access: Access,
    document: UUID,
    *,
    representation: UUID | None = None,
    passage: int | None = None,
    asked: Asked = NOTHING_ASKED,
) -> Reading:
    """The document with the passage of this number marked, and the question's words in it.

    representation: a kept state, else the current one. Raises Unavailable, and Refused for a passage that this state does not
    have, or that is named without the state that its number belongs to.
    """
    row = documents.get(access, document)
    if passage is not None and representation is None:
        raise Refused(
            "passage_without_state",
            gettext_noop("A passage number counts only together with the state of the document that it belongs to."),
        )
    state = documents.state_of(access, row, representation=representation)
    rows = _passages(state)
    marked = None if passage is None else _marked(rows, passage, presentation.text_state(row, state))
    found = _found(access, rows[marked.passage], asked, is_current=state.pk == row.current_id) if marked else ()
    return _reading(row, state, rows, marked, found=found, vocabulary=synonyms.of(access, row, state))


def read_cited(access: Access, document: UUID, anchor: Anchor, *, representation: UUID) -> Reading:
    """The document in a kept state in which this anchor was proven to hold, with its whole range marked.

    Raises Unavailable.
    """
    row = documents.get(access, document)
    state = documents.state_of(access, row, representation=representation)
    rows = _passages(state)
    return _reading(row, state, rows, _marked_range(rows, anchor, anchor))


def turn(
    access: Access, document: UUID, *, representation: UUID, page: int, start: int | None = None, end: int | None = None
) -> Turned:
    """A page of the original, with the rectangles over what stands of a range on it. Raises Unavailable."""
    row = documents.get(access, document)
    state = documents.state_of(access, row, representation=representation)
    pages = sheets.of(state)
    mark = None
    if start is not None and end is not None and 0 <= start < end <= state.length:
        mark = Mark(start, end, sheets.words(state, start, end))
    panel = sheets.panel(state, pages, number=page, mark=mark)
    if panel is None:
        raise Unavailable
    begins = [one.start for one in pages if one.number == page and one.start < one.end]
    first = Passage.objects.filter(representation=state, end__gt=begins[0]).order_by("number").first() if begins else None
    return Turned(presentation.card(row, state), state.public_id, panel, first.number if first else None)


def excerpt(access: Access, document: UUID, *, representation: UUID, start: int, end: int) -> Excerpt:
    """The words of a range in a kept state, as far as the text goes, and the passage in which they begin. Raises Unavailable."""
    row = documents.get(access, document)
    state = documents.state_of(access, row, representation=representation)
    rows = _passages(state)
    begins = [one.number for one in rows if one.start <= start]
    return Excerpt(
        card=presentation.card(row, state),
        words="".join(one.text for one in rows)[max(start, 0) : max(end, 0)],
        passage=begins[-1] if begins else 0,
    )


def _passages(state: Representation) -> list[Passage]:
    return list(Passage.objects.filter(representation=state).order_by("number"))


def _reading(
    row: Document,
    state: Representation,
    rows: Sequence[Passage],
    marked: Marked | None,
    found: Sequence[tuple[int, int, str]] = (),
    vocabulary: Vocabulary | None = None,
) -> Reading:
    """Everything that the page shows. found: words within the marked passage's quote, and how each was found."""
    pages = sheets.of(state)
    begin = _beginning_in(rows, presentation.page_starts(pages))
    shown = [
        show(one, whole=True, found=found, cited=(marked.start, marked.end), pages=begin[one.number])
        if marked and _touches(one, marked.start, marked.end)
        else show(one, whole=True, pages=begin[one.number])
        for one in rows
    ]
    mark = Mark(marked.start, marked.end, marked.exact) if marked else None
    return Reading(
        card=presentation.card(row, state),
        origin=presentation.origin(row, state),
        representation=state.public_id,
        current=presentation.current(row).public_id,
        is_current=state.pk == row.current_id,
        blocks=tuple(blocks(shown)),
        outline=[Heading(one.number, one.level, one.quote) for one in rows if one.kind == PassageKind.HEADING],
        marked=marked,
        panel=sheets.panel(state, pages, mark=mark, text="".join(one.text for one in rows) if mark and pages else ""),
        paged=any(begin.values()),
        synonyms=vocabulary,
    )


def _beginning_in(rows: Sequence[Passage], pages: Sequence[PageStart]) -> Mapping[int, Sequence[PageStart]]:
    """The pages that begin in each passage or in the separator after it, by the passage's number."""
    found: defaultdict[int, list[PageStart]] = defaultdict(list)
    passages = iter(rows)
    row = next(passages, None)
    for page in pages:
        while row is not None and row.start + len(row.text) <= page.start:
            row = next(passages, None)
        if row is not None:
            found[row.number].append(page)
    return found


def _touches(row: Passage, start: int, end: int) -> bool:
    """Whether the range holds anything of this passage or of the separator after it."""
    return row.start < end and start < row.start + len(row.text)


def _marked(rows: Sequence[Passage], number: int, state: anchoring.TextState) -> Marked:
    if not 0 <= number < len(rows) or rows[number].start == rows[number].end:
        raise Refused(
            "passage_unknown",
            gettext_noop("This state of the document has no passage number %(number)d with words."),
            number=number,
        )
    row = rows[number]
    text = "".join(one.text for one in rows)
    try:
        anchor = None if _is_garbled(row) else anchoring.make(text, row.start, row.end, state=state)
    except (Ambiguous, Refused):
        anchor = None
    around = (text[max(row.start - anchoring.MAX_CONTEXT, 0) : row.start], text[row.end : row.end + anchoring.MAX_CONTEXT])
    place = anchor or Anchor(state, row.start, row.end, row.quote, *around)
    return _marked_range(rows, place, anchor)


def _marked_range(rows: Sequence[Passage], place: Anchor, anchor: Anchor | None) -> Marked:
    """The mark over a place. rows: all passages. anchor: the same place, if it can be told from all others."""
    marked = [one for one in rows if _touches(one, place.start, place.end)]
    first = marked[0]
    kinds = presentation.touched([one.spans for one in marked], place.start, place.end)
    return Marked(
        passage=first.number,
        start=place.start,
        end=place.end,
        exact=place.exact,
        prefix=place.prefix,
        suffix=place.suffix,
        text_sha256=place.state.text_sha256,
        context=presentation.contexts([first])[first.pk],
        anchor=anchor,
        unseen=SpanKind.UNSEEN in kinds,
        garbled=SpanKind.GARBLED in kinds,
    )


def _is_garbled(row: Passage) -> bool:
    return SpanKind.GARBLED in presentation.touched([row.spans], row.start, row.end)


def _found(access: Access, row: Passage, asked: Asked, *, is_current: bool) -> Sequence[tuple[int, int, str]]:
    """Where the question's words stand in the passage, and how each was found; none for a question that can't be asked."""
    if asked.mode is Mode.WIDER:
        versions = Versions.CURRENT if is_current else Versions.EARLIER_TOO
        return presentation.marks(search.ways(access, asked.text, row.searched, without=asked.without, versions=versions))
    try:
        return [(start, end, "") for start, end in find(parse(asked.text).phrases, row.searched)]
    except Refused:
        return ()
