"""Findings: what checking an answer gives, as values, and which documents its words stand in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from evidence.answers.values import Pointer, Support
from evidence.answers.wording import Range
from evidence.citations import Resolution
from evidence.presentation import Card, Context, Shown


class Why(StrEnum):
    """Why nothing was verified. NO_WORDS: a place was cited, and no words that could be compared. UNAVAILABLE: nothing that
    this person may read was cited, and the words stand nowhere else. NOT_THERE: they do not stand in it, nor anywhere else.

    Of words in quotation marks: OUTSIDE, they stand in a document that the sentence cites, and in no quote of its citations.
    UNSOUGHT: the answer has more quotations than are looked up. Where nothing is cited: NOWHERE, they stand in nothing that this
    person may read. MANY: they stand there, and the first of them in more passages than are looked at.
    """

    NONE = ""
    NO_WORDS = "no_words"
    UNAVAILABLE = "unavailable"
    NOT_THERE = "not_there"
    NOWHERE = "nowhere"
    MANY = "many"
    UNSOUGHT = "unsought"
    OUTSIDE = "outside"


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

    quotations: what stands in quotation marks, and in no quote of its citations, with where it was found; its pointers are no
    citations, and name words alone.
    withheld: its text is left out, for it may hold words of a document that is not available to this person now.
    """

    text: str
    support: Support
    pointers: Sequence[Weighed] = ()
    quotations: Sequence[Weighed] = ()
    words: Sequence[Range] = ()
    withheld: bool = False

    @property
    def places(self) -> Sequence[Verified]:
        """Where any of its words stand."""
        return [place for one in (*self.pointers, *self.quotations) for place in one.places]

    @property
    def is_outdated(self) -> bool:
        """Whether any of its verified words stand in a state that is no longer the current one."""
        return any(one.is_outdated for one in (*self.pointers, *self.quotations))


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
    return frozenset(
        {place.card.id for place in sentence.places} | {one.cited.id for one in sentence.pointers if one.cited is not None}
    )
