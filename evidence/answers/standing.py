"""Standing: where words stand in the texts that a person may read, and what is shown of the place. Equality, never similarity."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from evidence import search
from evidence.access import Access
from evidence.answers import wording
from evidence.answers.findings import Verified
from evidence.answers.wording import Range
from evidence.content import SpanKind
from evidence.models import Passage, Representation, id_list
from evidence.presentation import Card, Context, contexts, page_names, show, touched

MOST_TEXTS: Final = 5
"""Documents that are read as a whole for one quote which runs over several passages and was not where it was said to be."""
MOST_PLACES: Final = 5
"""Places that are named of one quotation that stands at several."""
MOST_SHOWN: Final = 500
"""Passages whose pages are looked up at once: SQLite takes a thousand conditions."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A range of a state's text, with the key of the passage in which it begins."""

    state: Representation
    is_current: bool
    start: int
    end: int
    quote: str
    passage: int


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Where a quote stands, at most MOST_PLACES of it. complete: every passage that could hold it was looked at."""

    spots: Sequence[Spot]
    complete: bool


@dataclass(frozen=True, slots=True)
class Text:
    """A whole text, and its passages: key, number, start, end. is_current: whether it is the document's current one."""

    state: Representation
    is_current: bool
    text: str
    passages: Sequence[tuple[int, int, int, int]]

    def spot(self, place: Range) -> Spot:
        """The place with its words and the passage in which it begins."""
        start, end = place
        first = bisect_right(self.passages, start, key=lambda passage: passage[2]) - 1
        return Spot(self.state, self.is_current, start, end, self.text[start:end], self.passages[first][0])

    def part(self, *, within: Range | None, passage: int | None) -> Range | None:
        """This range of it, the passage with this number, or all of it; None when this state has no such part."""
        if within is not None:
            start, end = within
            return within if 0 <= start < end <= len(self.text) else None
        if passage is None:
            return 0, len(self.text)
        return next(((start, end) for _, number, start, end in self.passages if number == passage), None)


def whole_texts(states: Mapping[Representation, bool]) -> Iterator[Text]:
    """The texts of these states, each with whether it is current. One query; one text at a time is held."""
    by_key = {state.pk: (state, is_current) for state, is_current in states.items()}
    if not by_key:
        return
    rows = Passage.objects.filter(representation__in=id_list(by_key, using="default")).order_by("representation", "number")
    values = rows.values_list("representation", "pk", "number", "start", "end", "text")
    for key, run in groupby(values.iterator(), key=lambda row: row[0]):
        own = list(run)
        text = "".join(row[5] for row in own)
        yield Text(*by_key[key], text, [(pk, number, start, end) for _, pk, number, start, end, _ in own])


def elsewhere(access: Access, quotes: Sequence[str]) -> Sequence[Spot | None]:
    """For each quote, the first place where it stands as a whole."""
    bare = [wording.without_ellipses(quote) for quote in quotes]
    candidates = search.standing(access, [wording.asked(quote) for quote in bare])
    found: list[Spot | None] = []
    longer: dict[int, dict[int, Representation]] = {}
    for number, (quote, rows) in enumerate(zip(bare, candidates, strict=True)):
        found.append(next((spot for row in rows if (spot := _in_passage(quote, row)) is not None), None))
        if found[-1] is None and "\n" in quote:  # what runs over several passages has a line feed in it
            states = {row.representation_id: row.representation for row in rows}
            longer[number] = dict(list(states.items())[:MOST_TEXTS])
    for text in whole_texts({state: True for states in longer.values() for state in states.values()}):
        for number, states in longer.items():
            place = wording.find(text.text, bare[number]) if found[number] is None and text.state.pk in states else None
            found[number] = text.spot(place) if place is not None else found[number]
    return found


def everywhere(access: Access, quotes: Sequence[str]) -> Sequence[Everywhere]:
    """For each quote, the places in current texts where it stands as a whole."""
    bare = [wording.without_ellipses(quote) for quote in quotes]
    candidates = search.standing(access, [wording.asked(quote) for quote in bare])
    found: list[list[Spot]] = [[] for _ in bare]
    looked_at = [len(rows) < search.MAX_LIMIT for rows in candidates]
    longer: dict[int, set[int]] = {}
    states: dict[Representation, bool] = {}
    for number, (quote, rows) in enumerate(zip(bare, candidates, strict=True)):
        if "\n" in quote:  # it may run over several passages
            own = list({row.representation_id: row.representation for row in rows}.values())
            looked_at[number] = looked_at[number] and len(own) <= MOST_TEXTS
            longer[number] = {state.pk for state in own[:MOST_TEXTS]}
            states |= dict.fromkeys(own[:MOST_TEXTS], True)
        else:
            found[number] = [spot for row in rows for spot in _all_in_passage(quote, row)]
    for text in whole_texts(states):
        for number, own_states in longer.items():
            if text.state.pk in own_states:
                found[number] += map(text.spot, wording.places(text.text, bare[number], most=MOST_PLACES + 1))
    return [Everywhere(spots[:MOST_PLACES], all_seen) for spots, all_seen in zip(found, looked_at, strict=True)]


@dataclass(frozen=True, slots=True)
class Places:
    """The passages of all places, with what gives them their meaning."""

    rows: Mapping[int, Passage] = field(default_factory=dict)
    contexts: Mapping[int, Context] = field(default_factory=dict)
    pages: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, spots: Iterable[Spot]) -> Places:
        """A fixed number of queries up to MOST_SHOWN passages."""
        keys = {spot.passage for spot in spots}
        if not keys:
            return cls()
        rows = list(Passage.objects.filter(pk__in=id_list(keys, using="default")))
        pages: dict[int, str] = {}
        for first in range(0, len(rows), MOST_SHOWN):
            pages |= page_names(rows[first : first + MOST_SHOWN])
        return cls({row.pk: row for row in rows}, contexts(rows), pages)

    def verified(self, spot: Spot, card: Card) -> Verified:
        """The place, ready to be shown. card: of its state."""
        row = self.rows[spot.passage]
        return Verified(
            card=card,
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


def _all_in_passage(quote: str, row: Passage) -> Sequence[Spot]:
    places = wording.places(row.quote, quote, most=MOST_PLACES)
    return [Spot(row.representation, True, row.start + start, row.start + end, quote, row.pk) for start, end in places]


def _in_passage(quote: str, row: Passage) -> Spot | None:
    place = wording.find(row.quote, quote)
    if place is None:
        return None
    return Spot(row.representation, True, row.start + place[0], row.start + place[1], quote, row.pk)
