"""The shapes of what programs read of the curated layer, by the REST API as by MCP: concepts, claims, decisions, conflicts.

Reading only: nothing is proposed, approved or marked by a program. What is disputed comes with both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from evidence import paging
from evidence.access import Access
from evidence.citations import Cited
from evidence.errors import Unavailable
from evidence.knowledge import conflicts, contents, disputes, entries
from evidence.knowledge.entries import Read
from evidence.models import Entry as EntryRow
from evidence.programs import answers
from evidence.programs.links import Links
from evidence.programs.shapes import Anchor, Document, Gone, Resolution, Shape

DISPUTED: Final = "disputed"
State = Annotated[str, Field(description="accepted; disputed: another accepted claim says something else; deprecated.")]
Standing = Annotated[bool, Field(description="Whether at least one of its citations holds now, or it needs none and has none.")]


class Cites(Shape):
    """A citation that an entry stands on, and what it is worth now. `resolution.disputed`: what people marked as contrary."""

    id: UUID
    document: Document
    anchor: Anchor
    resolution: Resolution
    url: str


class Entry(Shape):
    """What all entries have. `revision` counts from 1; `proposed_by`, `approved_by`: who wrote it and who let it in; empty for
    people who are gone. `url`: its page.
    """

    id: UUID
    state: State
    space: str
    standing: Standing
    revision: int
    proposed_by: str
    approved_by: str
    approved_at: datetime
    why: str
    citations: Sequence[Cites]
    url: str


class Concept(Entry):
    """What something is. `terms`: what people search for it by."""

    slug: str
    title: str
    text: str
    terms: Sequence[str]


class Side(Entry):
    """A claim as one side of a dispute, or by itself. `concept`: short name of what it is about. `subject`, `property`, `value`:
    what it is compared by; empty where it says none.
    """

    concept: str
    text: str
    subject: str
    property: str
    value: str
    valid_from: date | None
    valid_until: date | None


class Claim(Side):
    """One sentence that holds of a concept. `disputed_by`: the claims that give another value for the same time, of those that
    may be read. None of them is preferred.
    """

    disputed_by: Sequence[Side]


class Decision(Entry):
    """What was decided and why. `status`: as those say who decided: proposed, accepted, superseded, rejected. `supersedes`: short
    name of the one that it takes the place of.
    """

    slug: str
    title: str
    context: str
    decision: str
    rationale: str
    status: str
    decided_on: date | None
    valid_from: date | None
    valid_until: date | None
    supersedes: str


class WholeDecision(Decision):
    """The same, and `superseded_by`: short names of those that say that they take its place."""

    superseded_by: Sequence[str]


class Concepts(Shape):
    """A page of concepts by title. `total`: on all pages."""

    total: int
    concepts: Sequence[Concept]


class Claims(Shape):
    """A page of claims in the order in which they were let in. `total`: on all pages."""

    total: int
    claims: Sequence[Claim]


class Decisions(Shape):
    """A page of decisions by title. `total`: on all pages."""

    total: int
    decisions: Sequence[Decision]


class Contradicting(Shape):
    """One of two that contradict each other. `citation`, `quote`: of the passage; null and empty for the document as a whole.
    `resolution`: what the citation is worth now; null in a list.
    """

    document: Document
    citation: UUID | None
    quote: str
    resolution: Resolution | None
    url: str

    @classmethod
    def of(cls, side: conflicts.Side, links: Links) -> Contradicting:
        """From the side of a conflict."""
        return cls(
            document=Document.of(side.card),
            citation=side.citation,
            quote=side.quote,
            resolution=Resolution.of(side.cited.resolution, links) if side.cited else None,
            url=links.citation(side.citation) if side.citation else links.document(side.card.id),
        )


class Conflict(Shape):
    """Two documents, or passages of them, that a person marked as contradicting each other. `matter`: what about. `settlement`:
    how that ended. Neither side is preferred.
    """

    id: UUID
    matter: str
    note: str
    left: Contradicting
    right: Contradicting
    marked_by: str
    marked_at: datetime
    settled_at: datetime | None
    settlement: str
    url: str

    @classmethod
    def of(cls, marked: conflicts.Marked, links: Links) -> Conflict:
        """From the conflict."""
        same = {
            name: getattr(marked, name) for name in ("id", "matter", "note", "marked_by", "marked_at", "settled_at", "settlement")
        }
        left, right = Contradicting.of(marked.left, links), Contradicting.of(marked.right, links)
        return cls(**same, left=left, right=right, url=links.conflict(marked.id))


class Conflicts(Shape):
    """A page of conflicts, the latest first. `total`: on all pages."""

    total: int
    conflicts: Sequence[Conflict]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of which list. space, q: all where they are left out. limit, offset: as sent, for the core to refuse."""

    space: str | None
    q: str
    limit: object
    offset: object


def concepts(access: Access, links: Links, asked: Asked) -> Concepts:
    """Concepts that this person may read. Raises Refused."""
    page = entries.concepts(access, space=_named(asked.space), q=asked.q, limit=asked.limit, offset=asked.offset)
    fields = _Fields(access, links, page.rows)
    return Concepts(total=page.total, concepts=[Concept(**fields.concept(one)) for one in page.rows])


def concept(access: Access, links: Links, entry: UUID) -> Concept:
    """One of them. Raises Unavailable, also for an entry of another kind."""
    read = _one(access, entry, EntryRow.Kind.CONCEPT)
    return Concept(**_Fields(access, links, [read]).concept(read))


def claims(access: Access, links: Links, asked: Asked, *, concept: str | None = None) -> Claims:
    """Claims that this person may read; those about one concept where its short name is given. Raises Refused."""
    page = entries.claims(
        access, space=_named(asked.space), concept=_named(concept), q=asked.q, limit=asked.limit, offset=asked.offset
    )
    return Claims(total=page.total, claims=_claims(access, links, page.rows))


def claim(access: Access, links: Links, entry: UUID) -> Claim:
    """One of them. Raises Unavailable, also for an entry of another kind."""
    return _claims(access, links, [_one(access, entry, EntryRow.Kind.CLAIM)])[0]


def decisions(access: Access, links: Links, asked: Asked) -> Decisions:
    """Decisions that this person may read. Raises Refused."""
    page = entries.decisions(access, space=_named(asked.space), q=asked.q, limit=asked.limit, offset=asked.offset)
    fields = _Fields(access, links, page.rows)
    return Decisions(total=page.total, decisions=[Decision(**fields.decision(one)) for one in page.rows])


def decision(access: Access, links: Links, entry: UUID) -> WholeDecision:
    """One of them. Raises Unavailable, also for an entry of another kind."""
    read = _one(access, entry, EntryRow.Kind.DECISION)
    after = [one.slug for one in entries.superseding(access, read)]
    return WholeDecision(**_Fields(access, links, [read]).decision(read), superseded_by=after)


def marked(access: Access, links: Links, *, settled: bool, offset: object) -> Conflicts:
    """Conflicts of which this person may read both sides. Raises Refused."""
    found = conflicts.listed(access, settled=settled, offset=paging.offset(offset, most=conflicts.MAX_OFFSET))
    return Conflicts(total=found.total, conflicts=[Conflict.of(one, links) for one in found.rows])


def conflict(access: Access, links: Links, wanted: UUID) -> Conflict:
    """One of them, with its citations checked now. Raises Unavailable."""
    return Conflict.of(conflicts.get(access, wanted), links)


def _named(name: str | None) -> str | None:
    """A short name as a database can be asked for it: PostgreSQL knows no NUL, and nothing has an empty name."""
    return "" if name is not None and "\0" in name else name


def _one(access: Access, entry: UUID, kind: EntryRow.Kind) -> Read:
    read = entries.get(access, entry)
    if read.kind != kind:
        raise Unavailable
    return read


def _claims(access: Access, links: Links, rows: Sequence[Read]) -> Sequence[Claim]:
    against = disputes.of_entries(access, rows)
    fields = _Fields(access, links, [*rows, *(one for several in against.values() for one in several)])
    return [
        Claim(
            **{**fields.claim(one), "state": DISPUTED if one.id in against else one.state},
            disputed_by=[Side(**{**fields.claim(other), "state": DISPUTED}) for other in against.get(one.id, ())],
        )
        for one in rows
    ]


class _Fields:
    """The fields of entries, which stand on citations: these are looked at together, so that many cost as much as one."""

    def __init__(self, access: Access, links: Links, rows: Sequence[Read]) -> None:
        self._links = links
        cited = list({one.id: one for read in rows for one in read.cited}.values())
        worth = answers.resolutions(access, links, [one.resolution for one in cited])
        self._cites = {one.id: _cites(one, found, links) for one, found in zip(cited, worth, strict=True)}

    def concept(self, read: Read) -> dict[str, Any]:
        """Of a concept."""
        said = read.content
        assert isinstance(said, contents.Concept)
        own = {name: getattr(said, name) for name in ("slug", "title", "text", "terms")}
        return {**self._entry(read), **own, "url": self._links.concept(read.space, said.slug)}

    def claim(self, read: Read) -> dict[str, Any]:
        """Of a claim."""
        said = read.content
        assert isinstance(said, contents.Claim)
        names = ("concept", "text", "subject", "property", "value", "valid_from", "valid_until")
        return {**self._entry(read), **{name: getattr(said, name) for name in names}, "url": self._links.entry(read.id)}

    def decision(self, read: Read) -> dict[str, Any]:
        """Of a decision."""
        said = read.content
        assert isinstance(said, contents.Decision)
        names = (
            "slug",
            "title",
            "context",
            "decision",
            "rationale",
            "status",
            "decided_on",
            "valid_from",
            "valid_until",
            "supersedes",
        )
        own = {name: getattr(said, name) for name in names}
        return {**self._entry(read), **own, "url": self._links.decision(read.space, said.slug)}

    def _entry(self, read: Read) -> dict[str, Any]:
        return {
            "id": read.id,
            "state": read.state,
            "space": read.space,
            "standing": read.standing,
            "revision": read.number,
            "proposed_by": read.author,
            "approved_by": read.reviewer,
            "approved_at": read.at,
            "why": read.why,
            "citations": [self._cites[one.id] for one in read.cited],
        }


def _cites(cited: Cited, worth: Resolution | Gone, links: Links) -> Cites:
    assert cited.resolution.card is not None and isinstance(worth, Resolution)  # its document may be read
    people = [one for one in worth.disputed if one.kind is disputes.Kind.MARKED]  # claims say by themselves what contradicts them
    return Cites(
        id=cited.id,
        document=Document.of(cited.resolution.card),
        anchor=Anchor.of(cited.anchor),
        resolution=worth.model_copy(update={"disputed": people}),
        url=links.citation(cited.id),
    )
