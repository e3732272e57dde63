"""The index: passages in, hits out. It knows numbers that others gave it and no row of the database.

`Engine` is what an engine does; sqlite.py is the embedded one. Words are made in tokens.py, questions in query.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from evidence.index.query import Query
from evidence.index.questions import Answerability, Question, Term


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as it goes into the index.

    document, representation, access_class: ids of the caller. public_id orders ties. passages: the quotes in the order of
    their numbers, empty ones included. attributes: values to filter and count by; the names are `ATTRIBUTES`.
    titles: for each section, the words that stand above its passages: the document's title and the headings; the first is the
    title alone. sections: for each passage, the number of its section in `titles`. headings: numbers of passages that are a
    heading and nothing else. Only the wider mode looks at them. Without them, a document is one section without a title.
    """

    document: int
    public_id: UUID
    representation: int
    access_class: int
    attributes: Mapping[str, str]
    passages: Sequence[str]
    titles: Sequence[str] = ()
    sections: Sequence[int] = ()
    headings: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage found: ids as the caller gave them, the passage's number and its score (positive, higher first).

    referred: it is of a section that the question names, and need not hold any of the words itself.
    """

    document: int
    representation: int
    access_class: int
    passage: int
    score: float
    referred: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a question found among the classes asked for.

    total: passages found with the filters. counts: attribute -> value -> passages found, each attribute counted with the
    filters of the other attributes only. frequencies: for each phrase of the query, in its order, the number of passages
    with it among all readable ones (0: it occurs nowhere in what this person may read).
    """

    hits: Sequence[Hit] = ()
    total: int = 0
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    frequencies: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Wider:
    """What a question found in the wider mode. hits, total, counts: as in `Result`; scores compare with no other mode's.

    terms: what was made of the words, in their order. lacking: those of them, as written, that do not stand with the rest of the
    question where most of it does; told where the state is NEAR.
    """

    hits: Sequence[Hit] = ()
    total: int = 0
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    terms: Sequence[Term] = ()
    answerability: Answerability = Answerability.NOTHING
    lacking: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the index holds of one document, for comparison with the database. title: `sums.of_title` of its own title."""

    document: int
    representation: int
    access_class: int
    passages: int
    attributes: Mapping[str, str]
    title: int


ATTRIBUTES = ("source", "kind", "language", "status")
"""What hits can be filtered and counted by."""


class Engine(Protocol):
    """What projection.py and search.py need of an engine. Every change is atomic and may be repeated without effect."""

    def put(self, entries: Iterable[Entry]) -> None:
        """Add these documents, or replace what the index has of them."""

    def remove(self, documents: Collection[int]) -> None:
        """Take these documents out; after `compact` their words are in no file. Unknown ones are ignored."""

    def reclass(self, changes: Mapping[int, tuple[int, Mapping[str, str]]]) -> None:
        """Give documents another access class and other attributes; their words stay as they are."""

    def search(
        self,
        query: Query,
        *,
        classes: Collection[int],
        excluded: Collection[int],
        filters: Mapping[str, Collection[str]],
        limit: int,
        offset: int,
    ) -> Result:
        """Passages of `classes` that hold every phrase. Documents in `excluded` are treated as if they were not there.

        Statistics come from the passages of `classes` without `excluded`; `filters` narrow hits, not statistics.
        """

    def wider(
        self,
        question: Question,
        *,
        classes: Collection[int],
        excluded: Collection[int],
        filters: Mapping[str, Collection[str]],
        limit: int,
        offset: int,
    ) -> Wider:
        """Passages of `classes` that hold any word of the question, in this form or another, best first.

        As with `search`, nothing but the passages of `classes` without `excluded` has a part in it: no statistic, no vocabulary.
        """

    def representations(self, documents: Collection[int]) -> Mapping[int, int]:
        """Which representation the index holds of each of these documents; unknown ones are left out."""

    def checkpoint(self) -> None:
        """Empty the log."""

    def compact(self) -> None:
        """Write everything anew: afterwards what was removed is in no file of the index."""

    def check(self) -> None:
        """Compare all of it with its checksums. Raises IndexFault "index_format" when it is damaged."""

    def known(self, words: Collection[str]) -> set[str]:
        """Those of these words that it holds a place of, whosever it is."""

    def containing(self, text: str) -> set[str]:
        """Some of the words that it holds a place of and that contain this text. Reads every word."""

    def strays(self, words: Collection[str]) -> int:
        """Places of these words that belong to no document."""

    def documents(self, only: Collection[int] | None = None) -> Iterator[Indexed]:
        """What the index holds, in the order of document ids: everything, or of `only` these documents."""
