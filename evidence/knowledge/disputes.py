"""Disputes: what contradicts what, worked out for the person who asks.

By rule, claims of one space about the same property of the same subject that give different values for the same time; and what
a person marked (`conflicts`). A dispute is there only for those who may read both sides, so that no side tells of the other.
Nothing picks a side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from uuid import UUID

from django.db.models import Exists, F, Model, OuterRef, QuerySet

from evidence.access import Access
from evidence.citations import Place
from evidence.errors import Unavailable
from evidence.knowledge import conflicts, contents, entries
from evidence.knowledge.contents import Claim
from evidence.knowledge.entries import Read
from evidence.models import Citation, Conflict, Document, Entry, EntryRevision
from evidence.presentation import Card, card, current
from evidence.search import Found


class Kind(StrEnum):
    """Why it is disputed: a person marked it, or claims give different values."""

    MARKED = "marked"
    CLAIMS = "claims"


@dataclass(frozen=True, slots=True)
class Side:
    """One side. citation, quote: of the passage, None and "" for the document as a whole. claim, says: a claim and its words.

    valid_from, valid_until: of the claim; the document's stand in its card.
    """

    card: Card
    citation: UUID | None = None
    quote: str = ""
    claim: UUID | None = None
    says: str = ""
    valid_from: date | None = None
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two sides that contradict each other. here: the one that was asked about. conflict: id, where a person marked it.

    earlier: the passage here is of another state of the document than the current one.
    """

    kind: Kind
    matter: str
    here: Side
    there: Side
    conflict: UUID | None = None
    earlier: bool = False


_Chains = Mapping[int, Sequence[Citation]]
"""A citation's key -> it, and those that took its place one after the other."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """A dispute of a document, and where it stands in it: in the whole document where there are no places."""

    dispute: Dispute
    places: Sequence[Place]

    def touches(self, place: Place) -> bool:
        """Whether it is about anything in that range."""
        return not self.places or any(_overlap(one, place) for one in self.places)


def of_entries(access: Access, reads: Iterable[Read]) -> Mapping[UUID, Sequence[Read]]:
    """For each of these claims that is disputed, by its id, the readable claims that contradict it, each as it counts now.

    Two queries where none is disputed; the same number, however many are.
    """
    asked = {read.id for read in reads}
    rows = list(_claims(access).filter(public_id__in=asked)) if asked else []
    rivals = _rivals(access, rows)
    others = {row.pk for own in rivals.values() for row in own}
    said = {read.id: read for read in entries.of_rows(access, entries.readable(access).filter(pk__in=others))} if others else {}
    return {
        row.public_id: [said[one.public_id] for one in rivals[row.pk] if one.public_id in said]
        for row in rows
        if row.pk in rivals
    }


def between(access: Access, one: UUID, other: UUID) -> tuple[Read, Read]:
    """Two claims that contradict each other now. Raises Unavailable for any others."""
    read = entries.get(access, one)
    found = [rival for rival in of_entries(access, [read]).get(one, ()) if rival.id == other]
    if not found:
        raise Unavailable
    return read, found[0]


def of_hits(access: Access, hits: Iterable[Found]) -> Mapping[Place, Sequence[Dispute]]:
    """The disputes of what a search found, by `place_of` each hit."""
    return of_places(access, [place_of(hit) for hit in hits])


def place_of(hit: Found) -> Place:
    """Where a found passage stands."""
    return Place(hit.document.id, hit.representation, hit.passage.start, hit.passage.end)


def of_places(access: Access, places: Collection[Place]) -> Mapping[Place, Sequence[Dispute]]:
    """For each of these places that is disputed, its disputes: of a passage that overlaps it, or of its whole document.

    Two queries where nothing is disputed, and a few more, however many places and disputes, where something is.
    """
    standing = _standing(access, {place.document for place in places})
    found = {place: [one.dispute for one in standing.get(place.document, ()) if one.touches(place)] for place in places}
    return {place: disputes for place, disputes in found.items() if disputes}


def of_documents(access: Access, wanted: Collection[UUID]) -> Mapping[UUID, Sequence[Dispute]]:
    """The same for whole documents, whichever state of them the disputed passage is of."""
    return {document: [one.dispute for one in standing] for document, standing in _standing(access, wanted).items()}


def _standing(access: Access, wanted: Collection[UUID]) -> Mapping[UUID, Sequence[_Standing]]:
    """The disputes of these documents, marked ones first, the latest of them first."""
    if not wanted:
        return {}
    found: dict[UUID, list[_Standing]] = {}
    marked, claims = _marked(access, wanted), _cited_claims(access, wanted)
    chains = _chains(access, [cited for row in marked for cited in (row.left, row.right) if cited] + list(claims.cited))
    for document, one in [*_of_marked(marked, chains), *_of_claims(claims, chains)]:
        if document in wanted:
            found.setdefault(document, []).append(one)
    return found


# What people marked


def _marked(access: Access, wanted: Collection[UUID]) -> Sequence[Conflict]:
    """Open conflicts with one of these documents."""
    rows = conflicts.readable(access).filter(settled_at=None)
    rows = rows.filter(left_document__public_id__in=wanted) | rows.filter(right_document__public_id__in=wanted)
    return list(
        rows.select_related(
            "left_document__source",
            "left_document__current__revision",
            "right_document__source",
            "right_document__current__revision",
            "left",
            "right",
        ).order_by("-marked_at", "-id")
    )


def _of_marked(rows: Iterable[Conflict], chains: _Chains) -> Iterable[tuple[UUID, _Standing]]:
    """Each conflict from both its sides."""
    for row in rows:
        left = _Half(row.left_document, row.left)
        right = _Half(row.right_document, row.right)
        for here, there in ((left, right), (right, left)):
            dispute = Dispute(Kind.MARKED, row.matter, here.side, there.side, conflict=row.public_id)
            yield here.document.public_id, _stands(dispute, here, chains)


@dataclass(frozen=True, slots=True)
class _Half:
    """A document, and the passage of it."""

    document: Document
    cited: Citation | None

    @property
    def side(self) -> Side:
        """As it is shown."""
        shown = card(self.document, current(self.document))
        return Side(shown) if self.cited is None else Side(shown, self.cited.public_id, self.cited.exact)


def _stands(dispute: Dispute, here: _Half, chains: _Chains) -> _Standing:
    if here.cited is None:
        return _Standing(dispute, ())
    places = [_place(one) for one in chains[here.cited.pk]]
    earlier = current(here.document).public_id not in {place.representation for place in places}
    return _Standing(replace(dispute, earlier=earlier), places)


# What claims say


@dataclass(frozen=True, slots=True)
class _Cited:
    """Disputed claims by their keys, what each of them says, and what it cites, in this order.

    pairs: a claim that cites one of the documents, and one that contradicts it.
    """

    pairs: Sequence[tuple[Entry, Entry]] = ()
    said: Mapping[int, Claim] = field(default_factory=dict)
    halves: Mapping[int, Sequence[_Half]] = field(default_factory=dict)

    @property
    def cited(self) -> Iterable[Citation]:
        """Every citation of them."""
        return [half.cited for own in self.halves.values() for half in own if half.cited]


def _cited_claims(access: Access, wanted: Collection[UUID]) -> _Cited:
    """Disputed claims of which one side cites one of these documents. One query where no claim does."""
    citing = EntryRevision.citations.through.objects.filter(citation__document__public_id__in=wanted)
    current = citing.filter(entryrevision__number=F("entryrevision__entry__number"))
    rows = list(_claims(access).filter(pk__in=current.values("entryrevision__entry")).order_by("id"))
    rivals = _rivals(access, rows)
    pairs = [(row, other) for row in rows for other in rivals.get(row.pk, ())]
    if not pairs:
        return _Cited()
    ids = {entry.pk for pair in pairs for entry in pair}
    revisions = {row.entry_id: row for row in EntryRevision.objects.filter(entry__in=ids, number=F("entry__number"))}
    said = {entry: contents.parse(Entry.Kind.CLAIM, row.content) for entry, row in revisions.items()}
    halves = _halves(revisions)
    return _Cited(pairs, {entry: one for entry, one in said.items() if isinstance(one, Claim)}, halves)


def _halves(revisions: Mapping[int, EntryRevision]) -> Mapping[int, Sequence[_Half]]:
    """What each claim cites, in the order in which it does."""
    by_revision = {revision.pk: entry for entry, revision in revisions.items()}
    rows = EntryRevision.citations.through.objects.filter(entryrevision__in=by_revision).select_related(
        "citation__document__source", "citation__document__current__revision"
    )
    found: dict[int, list[_Half]] = {}
    for row in rows.order_by("id"):
        assert row.citation.document is not None  # `_claims` gives none whose documents are not all readable
        found.setdefault(by_revision[row.entryrevision_id], []).append(_Half(row.citation.document, row.citation))
    return found


def _of_claims(claims: _Cited, chains: _Chains) -> Iterable[tuple[UUID, _Standing]]:
    """Each disputed claim, at every passage that it cites, with each that contradicts it."""
    for entry, other in claims.pairs:
        there = _claimed(other, claims, claims.halves[other.pk][0])
        said = claims.said[entry.pk]
        for half in claims.halves[entry.pk]:
            dispute = Dispute(Kind.CLAIMS, f"{said.subject}: {said.property}", _claimed(entry, claims, half), there)
            yield half.document.public_id, _stands(dispute, half, chains)


def _claimed(entry: Entry, claims: _Cited, half: _Half) -> Side:
    side = replace(half.side, claim=entry.public_id, says=claims.said[entry.pk].text)
    return replace(side, valid_from=entry.valid_from, valid_until=entry.valid_until)


def _claims(access: Access) -> QuerySet[Entry]:
    """Readable claims that count, stand on a citation, and give a value to a property of a subject."""
    rows = entries.readable(access).filter(Exists(_citing()), kind=Entry.Kind.CLAIM, state=Entry.State.ACCEPTED)
    return rows.exclude(subject="").exclude(property="").exclude(value="")


def _citing() -> QuerySet[Model]:
    """What the current revision of an entry cites, for a subquery on entries."""
    cites = EntryRevision.citations.through.objects
    return cites.filter(entryrevision__entry=OuterRef("pk"), entryrevision__number=OuterRef("number"))


def _rivals(access: Access, rows: Sequence[Entry]) -> Mapping[int, Sequence[Entry]]:
    """For each of these claims (keys), those that contradict it; only claims that some do. One query."""
    if not rows:
        return {}
    near = _claims(access).filter(
        space__in={row.space_id for row in rows},
        subject__in={row.subject for row in rows},
        property__in={row.property for row in rows},
    )
    same: dict[tuple[int, str, str], list[Entry]] = {}
    for row in near.order_by("id"):
        same.setdefault((row.space_id, row.subject, row.property), []).append(row)
    found = {
        row.pk: [one for one in same.get((row.space_id, row.subject, row.property), ()) if _contradict(row, one)] for row in rows
    }
    return {pk: others for pk, others in found.items() if others}


def _contradict(one: Entry, other: Entry) -> bool:
    """Whether two claims about the same matter give different values for a day that both are valid on."""
    return one.value != other.value and _from(one) <= _until(other) and _from(other) <= _until(one)


def _from(entry: Entry) -> date:
    return entry.valid_from or date.min


def _until(entry: Entry) -> date:
    return entry.valid_until or date.max


# Places


def _chains(access: Access, cited: Collection[Citation]) -> _Chains:
    """The citations with their successors. No query where there are none; one for each further generation."""
    chains = {one.pk: [one] for one in cited}
    last = {pk: pk for pk in chains}
    while last:
        rows = Citation.objects.filter(tenant=access.tenant, supersedes__in=set(last.values()), document__isnull=False)
        following = {row.supersedes_id: row for row in rows}
        last = {first: pk for first, pk in last.items() if pk in following}
        for first, pk in last.items():
            chains[first].append(following[pk])
        last = {first: following[pk].pk for first, pk in last.items()}
    return chains


def _place(cited: Citation) -> Place:
    return Place(cited.document_public_id, cited.representation, cited.start, cited.end)


def _overlap(one: Place, other: Place) -> bool:
    """Whether two ranges of the same text share a code point."""
    same = (one.document, one.representation) == (other.document, other.representation)
    return same and one.start < other.end and other.start < one.end
