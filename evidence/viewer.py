"""Reading: a whole document in one kept state, with one place in it marked so that the browser can check it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from evidence import anchoring, documents, presentation
from evidence.access import Access
from evidence.anchoring import Anchor
from evidence.content import PassageKind
from evidence.errors import Ambiguous, Refused, gettext_noop
from evidence.index.query import parse
from evidence.index.tokens import find
from evidence.models import Document, Passage, Representation
from evidence.presentation import Block, Card, Context, Origin, blocks, show


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of the outline."""

    number: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The place that is marked: a passage, its range in code points of the text, and what the browser compares.

    anchor: the anchor of this place, or None where its words can't be told apart from others (`ambiguous`).
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

    def to_check(self) -> dict[str, object]:
        """What the adapter gets: positions, words and hash."""
        kept = ("passage", "start", "end", "exact", "prefix", "suffix", "text_sha256")
        return {name: value for name, value in asdict(self).items() if name in kept}


@dataclass(frozen=True, slots=True)
class Reading:
    """A document in one state. is_current: whether this state is the current one (`current` is that one's id)."""

    card: Card
    origin: Origin
    representation: UUID
    current: UUID
    is_current: bool
    blocks: Sequence[Block]
    outline: Sequence[Heading]
    marked: Marked | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a range, and the number of the passage that it begins in."""

    card: Card
    words: str
    passage: int


def read(
    access: Access, document: UUID, *, representation: UUID | None = None, passage: int | None = None, question: str = ""
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
    return _reading(row, state, rows, marked, found=_found(rows[marked.passage], question) if marked else ())


def read_cited(access: Access, document: UUID, anchor: Anchor, *, representation: UUID) -> Reading:
    """The document in a kept state in which this anchor was proven to hold, with its whole range marked.

    Raises Unavailable.
    """
    row = documents.get(access, document)
    state = documents.state_of(access, row, representation=representation)
    rows = _passages(state)
    first = next(one for one in rows if _touches(one, anchor.start, anchor.end))
    return _reading(row, state, rows, _marked_range(first, anchor, anchor, text_sha256=state.text_sha256))


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
    found: Sequence[tuple[int, int]] = (),
) -> Reading:
    """Everything that the page shows. found: words within the marked passage's quote."""
    shown = [
        show(one, whole=True, found=found, cited=(marked.start, marked.end))
        if marked and _touches(one, marked.start, marked.end)
        else show(one, whole=True)
        for one in rows
    ]
    return Reading(
        card=presentation.card(row, state),
        origin=presentation.origin(row, state),
        representation=state.public_id,
        current=presentation.current(row).public_id,
        is_current=state.pk == row.current_id,
        blocks=tuple(blocks(shown)),
        outline=[Heading(one.number, one.level, one.quote) for one in rows if one.kind == PassageKind.HEADING],
        marked=marked,
    )


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
        anchor = anchoring.make(text, row.start, row.end, state=state)
    except (Ambiguous, Refused):
        anchor = None
    around = (text[max(row.start - anchoring.MAX_CONTEXT, 0) : row.start], text[row.end : row.end + anchoring.MAX_CONTEXT])
    place = anchor or Anchor(state, row.start, row.end, row.quote, *around)
    return _marked_range(row, place, anchor, text_sha256=state.text_sha256)


def _marked_range(first: Passage, place: Anchor, anchor: Anchor | None, *, text_sha256: str) -> Marked:
    """The mark over a place that begins in this passage. anchor: the same, if it tells the place from all others."""
    return Marked(
        passage=first.number,
        start=place.start,
        end=place.end,
        exact=place.exact,
        prefix=place.prefix,
        suffix=place.suffix,
        text_sha256=text_sha256,
        context=presentation.contexts([first])[first.pk],
        anchor=anchor,
    )


def _found(row: Passage, question: str) -> Sequence[tuple[int, int]]:
    """Where the question's words stand in the passage; none for a question that can't be asked."""
    try:
        return find(parse(question).phrases, row.searched)
    except Refused:
        return ()
