"""Checking: an answer in, what stands of it in documents out. It compares words and says where they stand, never what is true.

A quote is looked for where it is said to stand; then in the rest of that document; then in everything else that the person may
read; then in pieces where it was said to stand. What may not be read is as if it were not there, in every one of these steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Final
from uuid import UUID

from evidence import anchoring, citations, search
from evidence.access import Access
from evidence.anchoring import Anchor
from evidence.answers import limits, wording
from evidence.answers.values import Draft, Pointer, Sentence, Support
from evidence.answers.wording import Range
from evidence.citations import NOTHING, Cited, Resolution
from evidence.content import SpanKind
from evidence.errors import Refused
from evidence.index.tokens import tokenise
from evidence.models import Document, Passage, Representation, id_list
from evidence.presentation import Card, Context, Shown, card, contexts, current, page_names, show, touched

MOST_TEXTS: Final = 5
"""Documents that are read as a whole for one quote which runs over several passages and was not where it was said to be."""
MOST_SHOWN: Final = 500
"""Passages whose pages are looked up at once: SQLite takes a thousand conditions."""
_WORST_FIRST: Final = (Support.ABSENT, Support.STITCHED, Support.MISATTRIBUTED, Support.SUPPORTED)


class Why(StrEnum):
    """Why nothing was verified. NO_WORDS: a place was cited, and no words that could be compared. UNAVAILABLE: nothing that
    this person may read was cited, and the words stand nowhere else. NOT_THERE: they do not stand in it, nor anywhere else.
    """

    NONE = ""
    NO_WORDS = "no_words"
    UNAVAILABLE = "unavailable"
    NOT_THERE = "not_there"


@dataclass(frozen=True, slots=True)
class Verified:
    """A place where words stand: code points of the text of this state. quote: the words, as the document has them.

    card: of this state; is_current: whether it is the document's current one. passage: in which the words begin, with the place
    marked. page: on which that passage begins. unseen: nobody sees some of them in the original.
    """

    card: Card
    representation: UUID
    is_current: bool
    start: int
    end: int
    quote: str
    passage: Shown
    context: Context
    page: str | None
    unseen: bool


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one citation of a sentence is worth. places: where its words stand; several for a stitched quote.

    words: the words that were looked for. cited: the document that was cited, if it may be read. resolution: what a stored
    citation or an anchor is worth now, for those.
    """

    pointer: Pointer
    support: Support
    why: Why = Why.NONE
    words: str = ""
    places: Sequence[Verified] = ()
    cited: Card | None = None
    resolution: Resolution | None = None

    @property
    def is_outdated(self) -> bool:
        """Whether the words stand in a state that is no longer the current one."""
        return any(not place.is_current for place in self.places)


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence, and what its citations are worth. words: its ranges (code points) that stand word for word in verified quotes.

    withheld: its text is left out, for it may hold words of a document that is not available to this person now.
    """

    text: str
    support: Support
    pointers: Sequence[Weighed] = ()
    words: Sequence[Range] = ()
    withheld: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether any of its verified words stand in a state that is no longer the current one."""
        return any(one.is_outdated for one in self.pointers)


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer that was checked just now."""

    sentences: Sequence[Judged]
    question: str = ""
    model: str = ""

    @property
    def states(self) -> Sequence[Support]:
        """Of each sentence."""
        return [one.support for one in self.sentences]

    @property
    def tally(self) -> Mapping[Support, int]:
        """How many sentences have each state."""
        counts = Counter(self.states)
        return {state: counts[state] for state in Support if counts[state]}

    @property
    def documents(self) -> frozenset[UUID]:
        """The documents in which words of it stand."""
        return frozenset(document for one in self.sentences for document in documents_of(one))


def documents_of(sentence: Judged) -> frozenset[UUID]:
    """The documents in which words of a sentence stand, or that it cites and that may be read."""
    places = {place.card.id for one in sentence.pointers for place in one.places}
    return frozenset(places | {one.cited.id for one in sentence.pointers if one.cited is not None})


def check(access: Access, draft: Draft) -> Checked:
    """What each sentence of an answer is worth now, for this person.

    Raises Refused for an answer outside the limits, and IndexFault when the index can't be asked.
    """
    limits.refuse(draft)
    claims = _claims(access, draft)
    texts = _Texts.of(access, claims)
    outcomes = texts.outcomes(claims)
    outcomes = _sought(access, claims, outcomes)
    places = _Places.of(outcomes)
    weighed = iter([_weighed(claim, outcome, texts, places) for claim, outcome in zip(claims, outcomes, strict=True)])
    sentences = [_judged(one, [next(weighed) for _ in one.pointers]) for one in draft.sentences]
    return Checked(sentences, draft.question, draft.model)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What one citation says: these words stand there.

    representation: None for the current state. passage, within: in what part of it, if in a part. exactly: the place is that
    range and no other.
    """

    pointer: Pointer
    words: str = ""
    prefix: str = ""
    suffix: str = ""
    document: UUID = NOTHING
    representation: UUID | None = None
    passage: int | None = None
    within: Range | None = None
    exactly: bool = False
    resolution: Resolution | None = None


@dataclass(frozen=True, slots=True)
class _Spot:
    """A range of a state's text, with the key of the passage in which it begins."""

    state: Representation
    is_current: bool
    start: int
    end: int
    quote: str
    passage: int


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What was found for a claim."""

    support: Support = Support.ABSENT
    spots: Sequence[_Spot] = ()


_NOTHING_FOUND: Final = _Outcome()


def _claims(access: Access, draft: Draft) -> Sequence[_Claim]:
    """Every citation, in the order of the sentences; stored ones and anchors with what they are worth."""
    pointers = [pointer for sentence in draft.sentences for pointer in sentence.pointers]
    ids = list(dict.fromkeys(one.citation for one in pointers if one.citation is not None))
    stored = {one.id: one for one in (citations.several(access, ids) if ids else ()) if isinstance(one, Cited)}
    anchors = [one.anchor for one in pointers if one.citation is None and one.anchor is not None]
    resolutions = iter(citations.resolve(access, anchors) if anchors else ())
    return [_claim(one, stored, resolutions) for one in pointers]


def _claim(pointer: Pointer, stored: Mapping[UUID, Cited], resolutions: Iterator[Resolution]) -> _Claim:
    if pointer.citation is not None:
        cited = stored.get(pointer.citation)
        if cited is None:
            return _Claim(pointer, words=_words(pointer.exact))
        return _of_anchor(pointer, cited.anchor, cited.resolution)
    if pointer.anchor is not None:
        resolution = next(resolutions)
        try:
            return _of_anchor(pointer, Anchor.from_dict(pointer.anchor), resolution)
        except Refused:
            return _Claim(pointer, words=_words(pointer.exact), resolution=resolution)
    return _Claim(
        pointer=pointer,
        words=_words(pointer.exact) if not (pointer.prefix or pointer.suffix) else wording.normal(pointer.exact),
        prefix=wording.normal(pointer.prefix),
        suffix=wording.normal(pointer.suffix),
        document=pointer.document or NOTHING,
        representation=pointer.representation,
        passage=pointer.passage,
    )


def _of_anchor(pointer: Pointer, anchor: Anchor, resolution: Resolution) -> _Claim:
    """The words are the anchor's, or those of them that the pointer says."""
    own = _words(pointer.exact)
    return _Claim(
        pointer=pointer,
        words=own or anchor.exact,
        document=_uuid(anchor.state.document),
        representation=_uuid(anchor.state.representation),
        within=(anchor.start, anchor.end),
        exactly=not own,
        resolution=resolution,
    )


def _words(text: str) -> str:
    """As documents have them, without blanks around: models copy those with a quote. Signs alone are no words."""
    words = wording.normal(text).strip()
    return words if any(tokenise(words)) else ""


class _Texts:
    """The readable documents that are cited, in the states that are cited."""

    def __init__(self, rows: Mapping[UUID, Document], kept: Mapping[UUID, Representation]) -> None:
        self._rows = rows
        self._kept = kept

    @classmethod
    def of(cls, access: Access, claims: Sequence[_Claim]) -> _Texts:
        """Two queries, however many there are."""
        wanted = {claim.document for claim in claims}
        readable = Document.objects.readable(access).filter(public_id__in=wanted)
        rows = {row.public_id: row for row in readable.select_related("source", "current__revision")}
        now = {current(row).public_id for row in rows.values()}
        named = {one for claim in claims if (one := claim.representation) is not None} - now
        states = Representation.objects.filter(public_id__in=named, revision__document__in=[row.pk for row in rows.values()])
        return cls(rows, {one.public_id: one for one in states.select_related("revision")} if named and rows else {})

    def cited(self, claim: _Claim) -> Card | None:
        """The document that it cites, in the state that it cites if that is kept; None if it may not be read."""
        row, state = self._rows.get(claim.document), self.state(claim)
        return None if row is None else card(row, state or current(row))

    def card(self, state: Representation) -> Card:
        """Of the document whose state this is."""
        row = next((one for one in self._rows.values() if one.pk == state.revision.document_id), None)
        return card(row or state.revision.document, state)

    def state(self, claim: _Claim) -> Representation | None:
        """The state that it cites; None if it is not kept, or is of another document."""
        row = self._rows.get(claim.document)
        if row is None:
            return None
        now = current(row)
        if claim.representation in (None, now.public_id):
            return now
        found = self._kept.get(claim.representation or NOTHING)
        return found if found is not None and found.revision.document_id == row.pk else None

    def outcomes(self, claims: Sequence[_Claim]) -> Sequence[_Outcome]:
        """What stands in the documents that are cited."""
        by_state: dict[int, list[int]] = {}
        states: dict[Representation, bool] = {}
        for number, claim in enumerate(claims):
            row = self._rows.get(claim.document)
            if row is not None and claim.words:
                state = self.state(claim) or current(row)
                states[state] = state.pk == row.current_id
                by_state.setdefault(state.pk, []).append(number)
        found = dict.fromkeys(range(len(claims)), _NOTHING_FOUND)
        for text in _whole_texts(states):
            for number in by_state[text.state.pk]:
                claim = claims[number]
                found[number] = _look(claim, text, knows_place=self.state(claim) is not None)
        return list(found.values())


@dataclass(frozen=True, slots=True)
class _Text:
    """A whole text, and its passages: key, number, start, end. is_current: whether it is the document's current one."""

    state: Representation
    is_current: bool
    text: str
    passages: Sequence[tuple[int, int, int, int]]

    def spot(self, place: Range) -> _Spot:
        """The place with its words and the passage in which it begins."""
        start, end = place
        first = bisect_right(self.passages, start, key=lambda passage: passage[2]) - 1
        return _Spot(self.state, self.is_current, start, end, self.text[start:end], self.passages[first][0])

    def bounds(self, claim: _Claim) -> Range | None:
        """The part of the text that a claim is about; None when this state has no such part."""
        if claim.within is not None:
            start, end = claim.within
            return claim.within if 0 <= start < end <= len(self.text) else None
        if claim.passage is None:
            return 0, len(self.text)
        return next(((start, end) for _, number, start, end in self.passages if number == claim.passage), None)


def _whole_texts(states: Mapping[Representation, bool]) -> Iterator[_Text]:
    """The texts of these states, each with whether it is current. One query; one text at a time is held."""
    by_key = {state.pk: (state, is_current) for state, is_current in states.items()}
    if not by_key:
        return
    rows = Passage.objects.filter(representation__in=id_list(by_key, using="default")).order_by("representation", "number")
    values = rows.values_list("representation", "pk", "number", "start", "end", "text")
    for key, run in groupby(values.iterator(), key=lambda row: row[0]):
        own = list(run)
        text = "".join(row[5] for row in own)
        yield _Text(*by_key[key], text, [(pk, number, start, end) for _, pk, number, start, end, _ in own])


def _look(claim: _Claim, text: _Text, *, knows_place: bool) -> _Outcome:
    """What stands of a claim in the document that it cites. knows_place: whether this is the state that it cites."""
    bounds = text.bounds(claim) if knows_place else None
    place = None if bounds is None else _stands(claim, text.text, bounds)
    if place is not None:
        return _Outcome(Support.SUPPORTED, [text.spot(place)])
    place = _anywhere(claim.words, text.text)
    if place is not None:
        return _Outcome(Support.MISATTRIBUTED, [text.spot(place)])
    start, end = bounds or (0, 0)
    found = wording.pieces(claim.words, text.text[start:end]) or ()
    spots = [text.spot((start + left, start + right)) for left, right in found]
    return _Outcome(Support.STITCHED, spots) if spots else _NOTHING_FOUND


def _stands(claim: _Claim, text: str, bounds: Range) -> Range | None:
    """Where the words stand in the part of a text that was cited."""
    start, end = bounds
    if claim.exactly:
        return bounds if text[start:end] == claim.words else None
    if claim.prefix or claim.suffix:
        around = anchoring.occurrences(text[start:end], claim.prefix + claim.words + claim.suffix, cap=1)
        first = start + around[0] + len(claim.prefix) if around else 0
        return (first, first + len(claim.words)) if around else None
    return _anywhere(claim.words, text, start, end)


def _anywhere(words: str, text: str, start: int = 0, end: int | None = None) -> Range | None:
    bare = wording.without_ellipses(words)
    return wording.find(text, words, start, end) or (wording.find(text, bare, start, end) if bare != words else None)


def _sought(access: Access, claims: Sequence[_Claim], outcomes: Sequence[_Outcome]) -> Sequence[_Outcome]:
    """What was not found where it was cited, looked for in everything else that may be read."""
    done = {Support.SUPPORTED, Support.MISATTRIBUTED}
    open_ones = [
        n for n, (claim, one) in enumerate(zip(claims, outcomes, strict=True)) if claim.words and one.support not in done
    ]
    quotes = list(dict.fromkeys(claims[n].words for n in open_ones))
    places = dict(zip(quotes, _elsewhere(access, quotes), strict=True))
    found = list(outcomes)
    for n in open_ones:
        spot = places[claims[n].words]
        found[n] = outcomes[n] if spot is None else _Outcome(Support.MISATTRIBUTED, [spot])
    return found


def _elsewhere(access: Access, quotes: Sequence[str]) -> Sequence[_Spot | None]:
    """For each quote, the first place where it stands as a whole."""
    bare = [wording.without_ellipses(quote) for quote in quotes]
    candidates = search.standing(access, [wording.asked(quote) for quote in bare])
    found: list[_Spot | None] = []
    longer: dict[int, dict[int, Representation]] = {}
    for number, (quote, rows) in enumerate(zip(bare, candidates, strict=True)):
        found.append(next((spot for row in rows if (spot := _in_passage(quote, row)) is not None), None))
        if found[-1] is None and "\n" in quote:  # what runs over several passages has a line feed in it
            states = {row.representation_id: row.representation for row in rows}
            longer[number] = dict(list(states.items())[:MOST_TEXTS])
    for text in _whole_texts({state: True for states in longer.values() for state in states.values()}):
        for number, states in longer.items():
            place = wording.find(text.text, bare[number]) if found[number] is None and text.state.pk in states else None
            found[number] = text.spot(place) if place is not None else found[number]
    return found


def _in_passage(quote: str, row: Passage) -> _Spot | None:
    place = wording.find(row.quote, quote)
    if place is None:
        return None
    return _Spot(row.representation, True, row.start + place[0], row.start + place[1], quote, row.pk)


@dataclass(frozen=True, slots=True)
class _Places:
    """The passages of all places, with what gives them their meaning."""

    rows: Mapping[int, Passage] = field(default_factory=dict)
    contexts: Mapping[int, Context] = field(default_factory=dict)
    pages: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, outcomes: Sequence[_Outcome]) -> _Places:
        """A fixed number of queries up to MOST_SHOWN passages."""
        keys = {spot.passage for outcome in outcomes for spot in outcome.spots}
        if not keys:
            return cls()
        rows = list(Passage.objects.filter(pk__in=id_list(keys, using="default")))
        pages: dict[int, str] = {}
        for first in range(0, len(rows), MOST_SHOWN):
            pages |= page_names(rows[first : first + MOST_SHOWN])
        return cls({row.pk: row for row in rows}, contexts(rows), pages)

    def verified(self, spot: _Spot, texts: _Texts) -> Verified:
        """The place, ready to be shown."""
        row = self.rows[spot.passage]
        return Verified(
            card=texts.card(spot.state),
            representation=spot.state.public_id,
            is_current=spot.is_current,
            start=spot.start,
            end=spot.end,
            quote=spot.quote,
            passage=show(row, cited=(spot.start, spot.end)),
            context=self.contexts[row.pk],
            page=self.pages.get(row.pk),
            unseen=SpanKind.UNSEEN in touched([row.spans], spot.start, spot.end),
        )


def _weighed(claim: _Claim, outcome: _Outcome, texts: _Texts, places: _Places) -> Weighed:
    cited = texts.cited(claim)
    why = Why.NONE
    if outcome.support is Support.ABSENT:
        says_no_words = not claim.words and (cited is not None or claim.pointer.citation is None)  # an id stands for words
        why = Why.NO_WORDS if says_no_words else Why.UNAVAILABLE if cited is None else Why.NOT_THERE
    return Weighed(
        pointer=claim.pointer,
        support=outcome.support,
        why=why,
        words=claim.words,
        places=[places.verified(spot, texts) for spot in outcome.spots],
        cited=cited,
        resolution=claim.resolution,
    )


def _judged(sentence: Sentence, weighed: Sequence[Weighed]) -> Judged:
    """The worst of its quotes names a sentence. A quote that is cited several times is worth what the best of them is: formats
    that tell no words give each place all quotations of the sentence.
    """
    best: dict[str, Support] = {}
    for one in weighed:
        best[one.words] = max(best.get(one.words, Support.ABSENT), one.support, key=_WORST_FIRST.index)
    found = set(best.values())
    support = next((one for one in _WORST_FIRST if one in found), Support.UNCITED)
    quotes = list(dict.fromkeys(place.quote for one in weighed for place in one.places))
    return Judged(sentence.text, support, weighed, wording.runs(sentence.text, quotes))


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return NOTHING
