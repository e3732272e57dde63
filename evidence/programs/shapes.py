"""The shapes of answers that programs get, by the REST API as by MCP: one class each, made of what the core gave."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from evidence import anchoring, citations, documents, history, search
from evidence.access import Withheld as WithheldSource
from evidence.anchoring import UNIT, TextState
from evidence.documents import Placed
from evidence.index import questions
from evidence.index.questions import Answerability, How, Off
from evidence.knowledge import contents, disputes
from evidence.knowledge.entries import Read
from evidence.presentation import Card
from evidence.presentation import Context as PassageContext
from evidence.programs.links import Links

OriginState = Annotated[str, Field(description="What the source calls this state: a commit. Empty where it has no name for it.")]


class Shape(BaseModel):
    """Base of all: complete, and not changed once it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Error(Shape):
    """What went wrong. `code` is stable; `message` is for people, in the language that was asked for."""

    code: str
    message: str


class Gone(Shape):
    """All that is said about what is unknown, forbidden or deleted."""

    state: Literal["unavailable"] = "unavailable"


class Document(Shape):
    """What stands about a document beside its text; `version` is that of the revision it is about. `status` is the editorial one,
    as the source states it: one that is `valid` holds today only within `valid_from` and `valid_until`, both included. The three
    are said of the current state only: empty and null in an earlier one.
    """

    id: UUID
    external_id: str
    title: str
    version: str
    status: str
    valid_from: date | None
    valid_until: date | None
    language: str
    kind: str
    owner: str
    sensitivity: str
    source: str

    @classmethod
    def of(cls, card: Card) -> Document:
        """From the card."""
        return cls(**{name: getattr(card, name) for name in cls.model_fields})


class Context(Shape):
    """Headings above a passage, outermost first, and the column headings of a table row."""

    headings: Sequence[str]
    columns: Sequence[str]


class Passage(Shape):
    """A passage's place in the text: code points, half-open. `page`: what is printed on the page on which it begins, else that
    page's number; null for texts without pages.
    """

    number: int
    kind: str
    page: str | None
    start: int
    end: int
    context: Context

    @classmethod
    def at(cls, number: int, kind: str, start: int, end: int, context: PassageContext, page: str | None) -> Passage:
        """From its parts."""
        around = Context(headings=context.headings, columns=context.columns)
        return cls(number=number, kind=kind, page=page, start=start, end=end, context=around)

    @classmethod
    def of(cls, placed: Placed) -> Passage:
        """From a place in a whole text."""
        return cls.at(placed.number, placed.kind, placed.start, placed.end, placed.context, placed.page)


class Parser(Shape):
    """Which parser made a text."""

    name: str
    version: str
    configuration: str

    @classmethod
    def of(cls, state: TextState) -> Parser:
        """From a text state."""
        return cls(name=state.parser.name, version=state.parser.version, configuration=state.parser.configuration)


class Anchor(Shape):
    """One exact place in one text state; keep all of it, and send all of it to `resolve`."""

    document: str
    revision: str
    representation: str
    source_sha256: str
    parser: Parser
    profile: str
    text_sha256: str
    unit: str
    start: int
    end: int
    exact: str
    prefix: str
    suffix: str

    @classmethod
    def of(cls, anchor: anchoring.Anchor) -> Anchor:
        """From the anchor."""
        return cls.model_validate(anchor.to_dict())


class Alternative(Shape):
    """A word, or several that stand together, that answers a word of the question. `passages`: with it, of what may be read.
    `off`: whether it was switched off. `without`: what to send so that it is; null for the word itself. `documents`: those that
    say that it is a synonym.
    """

    words: Sequence[str]
    how: How
    passages: int
    off: bool
    without: str | None
    documents: Sequence[UUID]


class Term(Shape):
    """What was made of one word of the question, or of several that belong together. `start`, `end`: code points of the NFC text.
    `ignored`: it says nothing of what is asked.
    """

    written: str
    start: int
    end: int
    ignored: bool
    alternatives: Sequence[Alternative]

    @classmethod
    def all(cls, results: search.Results) -> Sequence[Term]:
        """Of an answer; none in the exact mode."""
        return [
            cls(
                written=term.written,
                start=term.start,
                end=term.end,
                ignored=term.ignored,
                alternatives=[_alternative(term, one, results) for one in term.alternatives],
            )
            for term in results.terms
        ]


def _alternative(term: questions.Term, one: questions.Alternative, results: search.Results) -> Alternative:
    off = None if one.how is How.EXACT else str(Off(term.written, one.how, " ".join(one.words)))
    said = results.said.get((term.written, one.words), ())
    return Alternative(
        words=one.words, how=one.how, passages=one.passages, off=one.off, without=off, documents=[doc.id for doc in said]
    )


class Question(Shape):
    """The question as it was read. `terms`, of the exact mode: its words and, of quoted ones, its phrases. `interpretation`, of
    the wider mode: what was made of each word.
    """

    text: str
    terms: Sequence[str]
    mode: search.Mode
    interpretation: Sequence[Term]

    @classmethod
    def of(cls, text: str, results: search.Results) -> Question:
        """From the text and what was made of it."""
        terms = [" ".join(words) for words in results.query.phrases]
        return cls(text=text, terms=terms, mode=results.mode, interpretation=Term.all(results))


class Opposed(Shape):
    """One side of a dispute. `citation`, `quote`: of the passage; null and empty for the document as a whole. `claim`, `says`:
    the claim that stands on the passage, and its words, where claims contradict each other. `url`: where it can be checked.
    """

    document: Document
    citation: UUID | None
    quote: str
    claim: UUID | None
    says: str
    valid_from: date | None
    valid_until: date | None
    url: str

    @classmethod
    def of(cls, side: disputes.Side, links: Links) -> Opposed:
        """From the side."""
        same = {name: getattr(side, name) for name in ("citation", "quote", "claim", "says", "valid_from", "valid_until")}
        url = links.citation(side.citation) if side.citation else links.document(side.card.id)
        return cls(**same, document=Document.of(side.card), url=url)


class Disputed(Shape):
    """Something that contradicts this passage or document. `kind`: `marked` by a person (`conflict` is its id), or `claims` that
    give different values. `here` is this side; neither is preferred. `earlier`: the passage here is of another state of the
    document than the current one. `url`: both sides beside each other.
    """

    kind: disputes.Kind
    matter: str
    conflict: UUID | None
    earlier: bool
    here: Opposed
    there: Opposed
    url: str

    @classmethod
    def of(cls, dispute: disputes.Dispute, links: Links) -> Disputed:
        """From the dispute."""
        if dispute.conflict is not None:
            url = links.conflict(dispute.conflict)
        else:
            assert dispute.here.claim is not None and dispute.there.claim is not None
            url = links.claims(dispute.here.claim, dispute.there.claim)
        return cls(
            kind=dispute.kind,
            matter=dispute.matter,
            conflict=dispute.conflict,
            earlier=dispute.earlier,
            here=Opposed.of(dispute.here, links),
            there=Opposed.of(dispute.there, links),
            url=url,
        )

    @classmethod
    def all(cls, found: Sequence[disputes.Dispute], links: Links) -> Sequence[Disputed]:
        """Of one place or document."""
        return [cls.of(one, links) for one in found]


class Hit(Shape):
    """One passage, word for word. `matches`: code points inside the quote. `unseen`: some of the found words are not visible in
    the original. `anchor`: null where the words can't be told apart, or are letter soup. `ways`, of the wider mode: each match
    again, with how it answers (exact, form, part, spelling, synonym) and which word of the question. `disputed`: what contradicts
    it, of what may be read.
    """

    document: Document
    representation: UUID
    passage: Passage
    quote: str
    unseen: bool
    matches: Sequence[tuple[int, int]]
    ways: Sequence[tuple[int, int, How, str]]
    score: float
    anchor: Anchor | None
    disputed: Sequence[Disputed]
    url: str

    @classmethod
    def of(cls, found: search.Found, anchor: anchoring.Anchor | None, links: Links, disputed: Sequence[disputes.Dispute]) -> Hit:
        """From the hit, its anchor where one could be made, and what contradicts it."""
        shown = found.passage
        return cls(
            document=Document.of(found.document),
            representation=found.representation,
            passage=Passage.at(shown.number, shown.kind, shown.start, shown.end, found.context, found.page),
            quote=shown.text,
            unseen=found.unseen,
            matches=found.matches,
            ways=[(way.start, way.end, way.how, way.written) for way in found.ways],
            score=found.score,
            anchor=Anchor.of(anchor) if anchor else None,
            disputed=Disputed.all(disputed, links),
            url=links.document(found.document.id, representation=found.representation, passage=shown.number),
        )


class Withheld(Shape):
    """A source that is closed at the moment because its rights are too old or unknown."""

    source: str
    title: str
    contact: str

    @classmethod
    def of(cls, withheld: WithheldSource) -> Withheld:
        """From the source's entry in the Access."""
        return cls(source=withheld.source, title=withheld.title, contact=withheld.contact)


class Results(Shape):
    """What a search gives. `total`: passages on all pages. `state`: `answerable`; `near`: the passages share words with the
    question, none is likely to answer it; `nothing` was found. `lacking`, where it is `near`: the `written` of words that do not
    stand with the rest of the question where most of it does.
    """

    query: Question
    state: Answerability
    lacking: Sequence[str]
    total: int
    hits: Sequence[Hit]
    withheld: Sequence[Withheld]


class Listed(Shape):
    """A document in the list."""

    document: Document
    url: str


class Titles(Shape):
    """A page of the list by title. `total`: documents on all pages."""

    total: int
    documents: Sequence[Listed]


class Head(Shape):
    """A document in one state, without its text. `notes`: codes of what is to be known of how the file was read. `disputed`: what
    contradicts it or a passage of it, of what may be read.
    """

    document: Document
    revision: str
    representation: UUID
    current: UUID
    is_current: bool
    source_sha256: str
    parser: Parser
    profile: str
    text_sha256: str
    notes: Sequence[str]
    disputed: Sequence[Disputed]
    unit: str
    url: str

    @classmethod
    def of(cls, about: documents.About, links: Links, disputed: Sequence[disputes.Dispute]) -> Head:
        """From what the document is in this state, and what contradicts it."""
        return Head(
            document=Document.of(about.card),
            revision=about.state.revision,
            representation=about.representation,
            current=about.current,
            is_current=about.is_current,
            source_sha256=about.state.source_sha256,
            parser=Parser.of(about.state),
            profile=about.state.profile,
            text_sha256=about.state.text_sha256,
            notes=about.notes,
            disputed=Disputed.all(disputed, links),
            unit=UNIT,
            url=links.document(about.card.id, representation=about.representation),
        )


class Reading(Head):
    """A document in one state. The text's code points are what all positions count. `unseen`: ranges of the text that are not
    visible in the original.
    """

    text: str
    passages: Sequence[Passage]
    unseen: Sequence[tuple[int, int]]


class Provenance(Shape):
    """Where a document comes from and what its current text is made of."""

    document: Document
    revision: str
    dated: date | None
    origin_state: OriginState
    representation: UUID
    source_kind: str
    contact: str
    origin: str
    path: str
    media_type: str
    size: int
    source_sha256: str
    parser: Parser
    profile: str
    text_sha256: str
    length: int
    passages: int
    notes: Sequence[str]
    created_at: datetime
    updated_at: datetime
    imported_at: datetime
    extracted_at: datetime
    rights_confirmed_at: datetime | None
    last_complete_run_at: datetime | None

    @classmethod
    def of(cls, found: history.Provenance) -> Provenance:
        """From the provenance."""
        made = found.origin
        return cls(
            document=Document.of(found.card),
            revision=made.state.revision,
            dated=made.dated,
            origin_state=made.origin_state,
            representation=found.representation,
            source_kind=found.source_kind,
            contact=found.contact,
            origin=found.location,
            path=found.path,
            media_type=made.media_type,
            size=made.size,
            source_sha256=made.state.source_sha256,
            parser=Parser.of(made.state),
            profile=made.state.profile,
            text_sha256=made.state.text_sha256,
            length=made.length,
            passages=made.passages,
            notes=made.notes,
            created_at=found.created_at,
            updated_at=found.updated_at,
            imported_at=made.imported_at,
            extracted_at=made.extracted_at,
            rights_confirmed_at=made.rights_confirmed_at,
            last_complete_run_at=found.run,
        )


class KeptText(Shape):
    """A text that was extracted from a revision and is still kept."""

    representation: UUID
    parser: Parser
    profile: str
    text_sha256: str
    passages: int
    extracted_at: datetime
    is_current: bool


class Revision(Shape):
    """One state of the document's bytes."""

    label: str
    dated: date | None
    origin_state: OriginState
    imported_at: datetime
    source_sha256: str
    size: int
    media_type: str
    representations: Sequence[KeptText]


class Event(Shape):
    """Something that happened to the document: a code, never a text."""

    at: datetime
    code: str


class History(Shape):
    """Revisions, the newest first, and events, the latest first."""

    document: Document
    revisions: Sequence[Revision]
    events: Sequence[Event]

    @classmethod
    def of(cls, found: history.History) -> History:
        """From the history."""
        return cls(
            document=Document.of(found.card),
            revisions=[_revision(one) for one in found.revisions],
            events=[Event(at=event.at, code=event.code) for event in found.events],
        )


class Historical(Shape):
    """A kept state in which the anchor holds, though it is not the current one."""

    revision: str
    representation: UUID
    start: int
    end: int
    quote: str

    @classmethod
    def of(cls, kept: citations.Historical) -> Historical:
        """From the kept state."""
        return cls(revision=kept.revision, representation=kept.representation, start=kept.start, end=kept.end, quote=kept.quote)


class Resolution(Shape):
    """What an anchor is worth now: one state, and a range only when it is `resolved`. Revision and so on are the current ones.
    `disputed`: what contradicts the proven range, the historical one too, of what may be read.
    """

    state: str
    document: UUID
    revision: str
    representation: UUID
    unit: str
    start: int | None
    end: int | None
    quote: str | None
    historical: Historical | None
    disputed: Sequence[Disputed]
    url: str

    @classmethod
    def of(cls, found: citations.Resolution, links: Links, disputed: Sequence[disputes.Dispute] = ()) -> Resolution:
        """From the resolution of an anchor whose document may be read, and what contradicts the place."""
        assert found.card is not None and found.now is not None and found.representation is not None
        return cls(
            state=found.state,
            document=found.card.id,
            revision=found.now.revision,
            representation=found.representation,
            unit=UNIT,
            start=found.start,
            end=found.end,
            quote=found.quote,
            historical=Historical.of(found.historical) if found.historical else None,
            disputed=Disputed.all(disputed, links),
            url=links.document(found.card.id, representation=found.representation),
        )


class Resolutions(Shape):
    """One resolution for each anchor, in their order."""

    resolutions: Sequence[Resolution | Gone]


class Made(Shape):
    """A citation that has just been stored."""

    id: UUID
    anchor: Anchor
    url: str


class Translation(Shape):
    """The words of a citation in another language: derived from them, approved by a reviewer, and not citable. `standing`:
    whether the citation still holds; if not, it translates an earlier state.
    """

    id: UUID
    language: str
    text: str
    translator: str
    author: str
    reviewer: str
    approved_at: datetime
    standing: bool

    @classmethod
    def of(cls, read: Read) -> Translation:
        """From the entry."""
        said = read.content
        assert isinstance(said, contents.Translation)
        return cls(
            id=read.id,
            language=said.language,
            text=said.text,
            translator=said.translator,
            author=read.author,
            reviewer=read.reviewer,
            approved_at=read.at,
            standing=read.standing,
        )


class Citation(Shape):
    """A stored citation, and what it is worth now. It holds the words of the source; `translations` are derived from them."""

    id: UUID
    anchor: Anchor
    resolution: Resolution
    translations: Sequence[Translation]


class Range(Shape):
    """What to cite, by code points of the document's current text."""

    document: str
    representation: str
    start: StrictInt
    end: StrictInt


class Words(Shape):
    """What to cite, by its words and by what stands before and after them."""

    document: str
    exact: str = Field(min_length=1)
    prefix: str = ""
    suffix: str = ""


def _revision(revision: history.KeptRevision) -> Revision:
    return Revision(
        label=revision.label,
        dated=revision.dated,
        origin_state=revision.origin_state,
        imported_at=revision.imported_at,
        source_sha256=revision.source_sha256,
        size=revision.size,
        media_type=revision.media_type,
        representations=[_kept(one) for one in revision.states],
    )


def _kept(kept: history.KeptState) -> KeptText:
    return KeptText(
        representation=kept.representation,
        parser=Parser.of(kept.state),
        profile=kept.state.profile,
        text_sha256=kept.state.text_sha256,
        passages=kept.passages,
        extracted_at=kept.extracted_at,
        is_current=kept.is_current,
    )
