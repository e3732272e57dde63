"""Checking: an answer in, what stands of it in documents out. It compares words and says where they stand, never what is true.

A quote is looked for where it is said to stand; then in the rest of that document; then in everything else that the person may
read; then in pieces where it was said to stand. What stands in quotation marks is a quote as well: of the documents that its
sentence cites or, in a sentence that cites nothing, of all that the person may read. What may not be read is as if it were not
there, in every one of these steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final
from uuid import UUID

from evidence import anchoring, citations
from evidence.access import Access
from evidence.anchoring import Anchor
from evidence.answers import limits, quotations, wording
from evidence.answers.findings import Checked, Judged, Weighed, Why
from evidence.answers.limits import MAX_QUOTATIONS
from evidence.answers.quotations import Quotation
from evidence.answers.standing import Places, Spot, Text, elsewhere, whole_texts
from evidence.answers.values import Draft, Pointer, Sentence, Support
from evidence.answers.wording import Range
from evidence.citations import NOTHING, Cited, Resolution
from evidence.errors import Refused
from evidence.models import Document, Representation
from evidence.presentation import Card, card, current

_WORST_FIRST: Final = (
    Support.ABSENT, Support.STITCHED, Support.MISATTRIBUTED, Support.AMBIGUOUS, Support.UNCITED, Support.FOUND, Support.SUPPORTED,
)  # fmt: skip


def check(access: Access, draft: Draft) -> Checked:
    """What each sentence of an answer is worth now, for this person.

    Raises Refused for an answer outside the limits, and IndexFault when the index can't be asked.
    """
    limits.refuse(draft)
    cited = _claims(access, draft)
    texts = _Texts.of(access, cited)
    beside = _beside(draft.sentences, cited, texts)
    claims = [*cited, *(claim for own in beside for one in own for claim in one.claims)]
    outcomes = _sought(access, claims, texts.outcomes(claims))
    quoted = quotations.look_up(access, draft.sentences)
    places = Places.of([*_spots(outcomes), *_spots(one for own in quoted for one in own)])
    weighed = [_weighed(claim, outcome, texts, places) for claim, outcome in zip(claims, outcomes, strict=True)]
    of_pointers, of_quotations = iter(weighed[: len(cited)]), iter(weighed[len(cited) :])
    sentences = [
        _judged(
            sentence,
            [next(of_pointers) for _ in sentence.pointers],
            [*(_best(one, of_quotations) for one in own), *(_quoted(one, places) for one in found)],
        )
        for sentence, own, found in zip(draft.sentences, beside, quoted, strict=True)
    ]
    return Checked(sentences, draft.question, draft.model)


def _spots(found: Iterable[_Outcome | Quotation]) -> Iterator[Spot]:
    return (spot for one in found for spot in one.spots)


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
class _Beside:
    """Words in quotation marks in a sentence that cites something, though no quote of its citations holds them: one claim for
    each state that it cites. None: they are not looked for.
    """

    words: str
    claims: Sequence[_Claim] = ()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What was found for a claim."""

    support: Support = Support.ABSENT
    spots: Sequence[Spot] = ()


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
            return _Claim(pointer, words=wording.spoken(pointer.exact))
        return _of_anchor(pointer, cited.anchor, cited.resolution)
    if pointer.anchor is not None:
        resolution = next(resolutions)
        try:
            return _of_anchor(pointer, Anchor.from_dict(pointer.anchor), resolution)
        except Refused:
            return _Claim(pointer, words=wording.spoken(pointer.exact), resolution=resolution)
    return _Claim(
        pointer=pointer,
        words=wording.spoken(pointer.exact) if not (pointer.prefix or pointer.suffix) else wording.normal(pointer.exact),
        prefix=wording.normal(pointer.prefix),
        suffix=wording.normal(pointer.suffix),
        document=pointer.document or NOTHING,
        representation=pointer.representation,
        passage=pointer.passage,
    )


def _of_anchor(pointer: Pointer, anchor: Anchor, resolution: Resolution) -> _Claim:
    """The words are the anchor's, or those of them that the pointer says."""
    own = wording.spoken(pointer.exact)
    return _Claim(
        pointer=pointer,
        words=own or anchor.exact,
        document=_uuid(anchor.state.document),
        representation=_uuid(anchor.state.representation),
        within=(anchor.start, anchor.end),
        exactly=not own,
        resolution=resolution,
    )


def _beside(sentences: Sequence[Sentence], cited: Sequence[_Claim], texts: _Texts) -> Sequence[Sequence[_Beside]]:
    """What each sentence has in quotation marks beside the quotes of its citations; the first MAX_QUOTATIONS with claims."""
    claims = iter(cited)
    left = MAX_QUOTATIONS
    found: list[Sequence[_Beside]] = []
    for sentence in sentences:
        own = list(islice(claims, len(sentence.pointers)))
        new = [words for words in quotations.quoted(sentence.text) if not _is_said(words, own, texts)] if own else []
        found.append([_Beside(words, _of_quotation(words, own) if number < left else ()) for number, words in enumerate(new)])
        left = max(left - len(new), 0)
    return found


def _is_said(words: str, own: Sequence[_Claim], texts: _Texts) -> bool:
    """Whether a citation of the sentence quotes these words, so that they count as it does; or they name the cited document."""
    titles = (wording.normal(card.title).strip() for claim in own if (card := texts.cited(claim)) is not None)
    return any(_anywhere(words, claim.words) for claim in own) or words in titles


def _of_quotation(words: str, own: Sequence[_Claim]) -> Sequence[_Claim]:
    """That these words stand in what the sentence cites."""
    states = dict.fromkeys((claim.document, claim.representation) for claim in own)
    return [_Claim(Pointer(exact=words), words, document=document, representation=state) for document, state in states]


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
        for text in whole_texts(states):
            for number in by_state[text.state.pk]:
                claim = claims[number]
                found[number] = _look(claim, text, knows_place=self.state(claim) is not None)
        return list(found.values())


def _look(claim: _Claim, text: Text, *, knows_place: bool) -> _Outcome:
    """What stands of a claim in the document that it cites. knows_place: whether this is the state that it cites."""
    bounds = text.part(within=claim.within, passage=claim.passage) if knows_place else None
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
    places = dict(zip(quotes, elsewhere(access, quotes), strict=True))
    found = list(outcomes)
    for n in open_ones:
        spot = places[claims[n].words]
        found[n] = outcomes[n] if spot is None else _Outcome(Support.MISATTRIBUTED, [spot])
    return found


def _weighed(claim: _Claim, outcome: _Outcome, texts: _Texts, places: Places) -> Weighed:
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
        places=[places.verified(spot, texts.card(spot.state)) for spot in outcome.spots],
        cited=cited,
        resolution=claim.resolution,
    )


def _best(one: _Beside, weighed: Iterator[Weighed]) -> Weighed:
    """What words in quotation marks are worth: what they are worth in the best of the states that the sentence cites."""
    own = [next(weighed) for _ in one.claims]
    if not own:
        return Weighed(Pointer(exact=one.words), Support.ABSENT, Why.UNSOUGHT, one.words)
    best = max(own, key=lambda each: (_WORST_FIRST.index(each.support), each.cited is not None))
    return replace(best, why=Why.OUTSIDE) if best.support is Support.SUPPORTED else best


def _quoted(one: Quotation, places: Places) -> Weighed:
    found = [places.verified(spot, card(spot.state.revision.document, spot.state)) for spot in one.spots]
    return Weighed(Pointer(exact=one.words), one.support, one.why, one.words, found)


def _judged(sentence: Sentence, weighed: Sequence[Weighed], quoted: Sequence[Weighed]) -> Judged:
    """The worst of its quotes names a sentence. A quote that is cited several times is worth what the best of them is: formats
    that tell no words give each place all quotations of the sentence.
    """
    best: dict[str, Support] = {}
    for one in (*weighed, *quoted):
        best[one.words] = max(best.get(one.words, Support.ABSENT), one.support, key=_WORST_FIRST.index)
    found = set(best.values())
    support = next((one for one in _WORST_FIRST if one in found), Support.UNCITED)
    quotes = list(dict.fromkeys(place.quote for one in (*weighed, *quoted) for place in one.places))
    return Judged(sentence.text, support, weighed, quoted, wording.runs(sentence.text, quotes))


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return NOTHING
