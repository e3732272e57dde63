"""Reading: a whole document in one kept state, with one place in it marked so that the browser can check it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Final
from uuid import UUID

from evidence import anchoring, documents, presentation
from evidence.access import Access
from evidence.anchoring import Anchor
from evidence.content import PassageKind
from evidence.errors import Ambiguous, Refused, gettext_noop
from evidence.index.query import parse
from evidence.index.tokens import find
from evidence.models import Passage
from evidence.presentation import Card, Context, Origin, Shown, show

_GROUPS: Final = {PassageKind.TABLE_ROW: "table", PassageKind.LIST_ITEM: "list"}


@dataclass(frozen=True, slots=True)
class Block:
    """Passages that follow one another and are shown together. kind: "table", "list" or "" for a single passage.

    columns: cells in the longest row of a table, else 0.
    """

    kind: str
    passages: tuple[Shown, ...]
    columns: int = 0


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
    rows = list(Passage.objects.filter(representation=state).order_by("number"))
    marked = None if passage is None else _marked(rows, passage, presentation.text_state(row, state))
    found = _found(rows[marked.passage], question) if marked else ()
    shown = [
        show(one, whole=True, found=found, cited=(marked.start, marked.end))
        if marked and one.number == marked.passage
        else show(one, whole=True)
        for one in rows
    ]
    return Reading(
        card=presentation.card(row, state),
        origin=presentation.origin(row, state),
        representation=state.public_id,
        current=presentation.current(row).public_id,
        is_current=state.pk == row.current_id,
        blocks=tuple(_blocks(shown)),
        outline=[Heading(one.number, one.level, one.quote) for one in rows if one.kind == PassageKind.HEADING],
        marked=marked,
    )


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
    return Marked(
        passage=number,
        start=row.start,
        end=row.end,
        exact=row.quote,
        prefix=anchor.prefix if anchor else text[max(row.start - anchoring.MAX_CONTEXT, 0) : row.start],
        suffix=anchor.suffix if anchor else text[row.end : row.end + anchoring.MAX_CONTEXT],
        text_sha256=state.text_sha256,
        context=presentation.contexts([row])[row.pk],
        anchor=anchor,
    )


def _found(row: Passage, question: str) -> Sequence[tuple[int, int]]:
    """Where the question's words stand in the passage; none for a question that can't be asked."""
    try:
        return find(parse(question).phrases, row.quote)
    except Refused:
        return ()


def _blocks(passages: Sequence[Shown]) -> Iterable[Block]:
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
    return Block("table", tuple(rows), columns=max(sum(part.cell for part in row.parts) for row in rows))
