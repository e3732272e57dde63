"""Checked answers as programs get them, and from a call to one. What a state means, and what it never says: docs/answers.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from evidence import citations
from evidence.access import Access
from evidence.answers import formats, keeping
from evidence.answers.checking import check
from evidence.answers.findings import Judged, Verified, Weighed, Why
from evidence.answers.keeping import Kept
from evidence.answers.values import Support
from evidence.citations import Place
from evidence.knowledge import disputes
from evidence.models import Answer
from evidence.programs.links import Links
from evidence.programs.shapes import Disputed, Document, Gone, Passage, Resolution, Shape

Contradicted = Mapping[Place, Sequence[disputes.Dispute]]


class Stands(Shape):
    """A place where words of a quote stand, word for word. `start`, `end`: code points of the text of `representation`.
    `current`: whether that is the document's current state. `passage`: in which they begin. `unseen`: some of them are not
    visible in the original. `disputed`: what contradicts this place.
    """

    document: Document
    representation: UUID
    current: bool
    passage: Passage
    start: int
    end: int
    quote: str
    unseen: bool
    disputed: Sequence[Disputed]
    url: str

    @classmethod
    def of(cls, place: Verified, links: Links, contradicted: Contradicted) -> Stands:
        """From the place."""
        shown = place.passage
        return cls(
            document=Document.of(place.card),
            representation=place.representation,
            current=place.is_current,
            passage=Passage.at(shown.number, shown.kind, shown.start, shown.end, place.context, place.page),
            start=place.start,
            end=place.end,
            quote=place.quote,
            unseen=place.unseen,
            disputed=Disputed.all(contradicted.get(place_of(place), ()), links),
            url=links.document(place.card.id, representation=place.representation, passage=shown.number),
        )


class Cited(Shape):
    """What one citation of a sentence is worth. `citation`, `document`, `representation`, `passage`: the place as it was given.
    `quote`: the words that were looked for. `places`: where they stand; several for a stitched quote. `why`, of an absent one:
    `no_words`, `unavailable` or `not_there`. `resolution`: of a stored citation or an anchor.
    """

    citation: UUID | None
    document: UUID | None
    representation: UUID | None
    passage: int | None
    quote: str
    state: Support
    why: Why
    outdated: bool
    places: Sequence[Stands]
    resolution: Resolution | Gone | None

    @classmethod
    def of(cls, weighed: Weighed, links: Links, contradicted: Contradicted) -> Cited:
        """From what checking gave."""
        given = weighed.pointer
        return cls(
            citation=given.citation,
            document=given.document,
            representation=given.representation,
            passage=given.passage,
            quote=weighed.words,
            state=weighed.support,
            why=weighed.why,
            outdated=weighed.is_outdated,
            places=[Stands.of(place, links, contradicted) for place in weighed.places],
            resolution=_worth(weighed.resolution, links),
        )


class Quoted(Shape):
    """Words in quotation marks that no citation of the sentence has. `places`: where they stand, not more than five.

    Where the sentence cites something, `state`: `supported`, they stand in a cited document (`why`: `outside`, for no cited quote
    has them); `misattributed`, `stitched` or `absent` (`why`: `not_there`, `unavailable`, or `unsought`), as of a citation. Where
    it cites nothing: `found`, `ambiguous`, `absent`, or `uncited` when they were not looked up. `why`: `nowhere`, `many` or
    `unsought`.
    """

    quote: str
    state: Support
    why: Why
    places: Sequence[Stands]

    @classmethod
    def of(cls, weighed: Weighed, links: Links, contradicted: Contradicted) -> Quoted:
        """From what checking gave."""
        places = [Stands.of(place, links, contradicted) for place in weighed.places]
        return cls(quote=weighed.words, state=weighed.support, why=weighed.why, places=places)


class CheckedSentence(Shape):
    """A sentence, word for word. `state` says what its quotes are worth, never that it is true. `before`: when it was last
    checked on purpose. `words`: ranges of the text (code points) that stand word for word in verified quotes; all others are the
    writer's. `withheld`: its text is left out, for it may hold words of something that is not available now.
    """

    text: str
    state: Support
    before: Support
    outdated: bool
    withheld: bool
    words: Sequence[tuple[int, int]]
    citations: Sequence[Cited]
    quotations: Sequence[Quoted]

    @classmethod
    def of(cls, judged: Judged, before: Support, links: Links, contradicted: Contradicted) -> CheckedSentence:
        """From what checking gave."""
        return cls(
            text=judged.text,
            state=judged.support,
            before=before,
            outdated=judged.is_outdated,
            withheld=judged.withheld,
            words=judged.words,
            citations=[Cited.of(one, links, contradicted) for one in judged.pointers],
            quotations=[Quoted.of(one, links, contradicted) for one in judged.quotations],
        )


class CheckedAnswer(Shape):
    """An answer, checked at this moment with the rights of this person. `changed`: some sentence has another state than `before`.
    `counts`: sentences by state. `origin`: `submitted`, or `generated` by the model that is configured here.
    """

    id: UUID
    url: str
    at: datetime
    checked_at: datetime
    expires_at: datetime
    origin: Answer.Origin
    question: str
    model: str
    changed: bool
    counts: Mapping[Support, int]
    sentences: Sequence[CheckedSentence]

    @classmethod
    def of(cls, access: Access, kept: Kept, links: Links) -> CheckedAnswer:
        """From the kept answer."""
        sentences = kept.checked.sentences
        contradicted = contradictions(access, sentences)
        return cls(
            id=kept.id,
            url=links.answer(kept.id),
            at=kept.at,
            checked_at=kept.checked_at,
            expires_at=kept.expires_at,
            origin=kept.origin,
            question=kept.checked.question,
            model=kept.checked.model,
            changed=kept.changed,
            counts=kept.checked.tally,
            sentences=[
                CheckedSentence.of(one, before, links, contradicted) for one, before in zip(sentences, kept.before, strict=True)
            ],
        )


def keep(access: Access, links: Links, sent: Mapping[str, Any]) -> CheckedAnswer:
    """Read, check and keep an answer. Raises what that raises."""
    keeping.refuse_many(access)
    draft = formats.read(sent, host=links.host)
    answer = keeping.keep(access, draft, checked=(checked := check(access, draft)))
    return CheckedAnswer.of(access, keeping.made(access, answer, checked), links)


def opened(access: Access, links: Links, answer: UUID) -> CheckedAnswer:
    """One's own answer, checked now. Raises Unavailable."""
    return CheckedAnswer.of(access, keeping.get(access, answer), links)


def recheck(access: Access, links: Links, answer: UUID) -> CheckedAnswer:
    """The same, checked on purpose, with the states that it had before."""
    return CheckedAnswer.of(access, keeping.recheck(access, answer), links)


def contradictions(access: Access, sentences: Sequence[Judged]) -> Contradicted:
    """What contradicts the places where words of these sentences stand."""
    places = {place_of(place) for one in sentences for place in one.places}
    return disputes.of_places(access, places) if places else {}


def place_of(verified: Verified) -> Place:
    """Where verified words stand."""
    return Place(verified.card.id, verified.representation, verified.start, verified.end)


def _worth(resolution: citations.Resolution | None, links: Links) -> Resolution | Gone | None:
    if resolution is None or resolution.card is None:
        return None if resolution is None else Gone()
    return Resolution.of(resolution, links)
