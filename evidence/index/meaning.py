"""What the words of a question came to among what may be read: the words of documents that answer them, and where those stand.

Candidates come from the vocabulary by their keys. Only those count that stand in a passage which may be read, and the most
frequent ones there are taken: what may not be read changes neither which they are nor what is told of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

import apsw

from evidence.index import reading, vocabulary
from evidence.index.keys import Role, fold, keys
from evidence.index.postings import Flags
from evidence.index.questions import Alternative, How, Off, Question, Term
from evidence.index.ranking import Occurrences
from evidence.index.snapshot import Audience
from evidence.index.vocabulary import Kind

MOST: Final = 100
"""Alternatives of one word and one kind."""
CHUNK: Final = 128
"""Candidates that are looked up at once at first; each time twice as many."""
WHOLE: Final = 100
"""Weights are hundredths: their sums are exact, in whatever order."""
FORM: Final = 90
IN_PART: Final = {Role.HEAD: 50, Role.MODIFIER: 30}
PART_CONCEPT: Final = 50
SHARED_PART: Final = 30

_PART_KINDS: Final = {Role.HEAD: Kind.HEAD, Role.MODIFIER: Kind.MODIFIER}


@dataclass(frozen=True, slots=True)
class Answering:
    """A word, or several in a row, with its weight in a concept, and where it stands: in passages, and above which sections."""

    weight: int
    passages: Occurrences
    sections: Occurrences


@dataclass(frozen=True, slots=True)
class Concept:
    """What is asked for, as one: its share in the score, in hundredths, and all that answers it."""

    weight: int
    answering: Sequence[Answering]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a question came to."""

    terms: Sequence[Term] = ()
    concepts: Sequence[Concept] = ()


@dataclass(frozen=True, slots=True)
class _Choice:
    """A word among those that answer."""

    word: str
    how: How
    weight: int


def understand(connection: apsw.Connection, question: Question, audience: Audience, sections: Flags) -> Meaning:
    """The terms of a question, in order, and its concepts. sections: which may be read."""
    reader = _Reader(connection, audience, sections)
    terms, concepts = [], []
    seen: dict[str, Term] = {}
    for start, end, word in question.words:
        if word not in seen:
            term, made = _one(reader, word, question.without)
            seen[word] = term
            concepts += made
        terms.append(Term(word, start, end, alternatives=seen[word].alternatives))
    return Meaning(terms, concepts)


class _Reader:
    """Looks words up, each of them once in a question."""

    def __init__(self, connection: apsw.Connection, audience: Audience, sections: Flags) -> None:
        self._connection = connection
        self._audience = audience
        self._sections = sections
        self._passages: dict[str, Occurrences] = {}
        self._above: dict[str, Occurrences] = {}

    def passages(self, words: Sequence[str]) -> Sequence[Occurrences]:
        """Where each of these words stands in passages."""
        if new := [word for word in dict.fromkeys(words) if word not in self._passages]:
            self._passages.update(zip(new, reading.words(self._connection, new, self._audience.readable), strict=True))
        return [self._passages[word] for word in words]

    def above(self, words: Sequence[str]) -> Sequence[Occurrences]:
        """Which sections each of these words stands above."""
        if new := [word for word in dict.fromkeys(words) if word not in self._above]:
            self._above.update(zip(new, reading.titles(self._connection, new, self._sections), strict=True))
        return [self._above[word] for word in words]

    def frequency(self, word: str) -> int:
        """In how many passages it stands."""
        return len(self.passages([word])[0].slots)

    def most_frequent(self, wanted: Collection[tuple[Kind, str]], *, but: Collection[str]) -> list[str]:
        """The MOST most frequent words of these keys, then by the alphabet; only such as stand in a passage.

        They come in the order of how frequent they are at most, hidden passages included: once MOST are found that are more
        frequent than the next one can be, the rest need not be looked at. What is found is the same as if all had been.
        """
        best: list[tuple[int, str]] = []
        for chunk in _chunks(vocabulary.candidates(self._connection, wanted)):
            if len(best) == MOST and 1 << chunk[0][0] < -best[-1][0]:
                break
            words = [word for _, word in chunk if word not in but]
            sizes = [len(found.slots) for found in self.passages(words)]
            best = heapq.nsmallest(MOST, [*best, *((-size, word) for size, word in zip(sizes, words, strict=True) if size)])
        return [word for _, word in best]


def _one(reader: _Reader, word: str, without: Collection[Off]) -> tuple[Term, list[Concept]]:
    """What one written word came to, and its concepts: its own first, then those of its parts."""
    own = _own(reader, word)
    lists = [own, *_parts(reader, word)]
    terms = _told(reader, word, [choice for some in lists for choice in some], without)
    weights = [WHOLE] + [PART_CONCEPT] * (len(lists) - 1)
    concepts = [
        _concept(reader, weight, [one for one in some if not _is_off(word, one, without)])
        for weight, some in zip(weights, lists, strict=True)
    ]
    return Term(word, 0, 0, alternatives=terms), concepts


def _own(reader: _Reader, word: str) -> list[_Choice]:
    """The word, its forms, and what it is a part of."""
    forms = keys(word).forms
    found = [_Choice(word, How.EXACT, WHOLE)]
    for one in reader.most_frequent([(Kind.FORM, key) for key in forms], but={word}):
        found.append(_Choice(one, How.SPELLING if fold(one) == fold(word) else How.FORM, FORM))
    taken = {one.word for one in found}
    inside = [(kind, key) for kind in _PART_KINDS.values() for key in forms]
    for one in reader.most_frequent(inside, but=taken):
        found.append(_Choice(one, How.PART, max(IN_PART[role] for key, role in keys(one).parts.items() if key in forms)))
    return found


def _parts(reader: _Reader, word: str) -> Iterator[list[_Choice]]:
    """For each part of a compound, the words that are this part, and those that have it too."""
    for key in sorted(keys(word).parts):
        alone = reader.most_frequent([(Kind.FORM, key)], but=())
        shared = reader.most_frequent([(kind, key) for kind in _PART_KINDS.values()], but={word, *alone})
        found = [_Choice(one, How.PART, WHOLE) for one in alone]
        yield [*found, *(_Choice(one, How.PART, SHARED_PART) for one in shared)]


def _told(reader: _Reader, written: str, choices: Sequence[_Choice], without: Collection[Off]) -> tuple[Alternative, ...]:
    """Each word once, by how it answers best of what is not switched off; those that are switched off too."""
    order = {how: place for place, how in enumerate(How)}
    told = []
    for word, group in groupby(sorted(choices, key=lambda one: (one.word, order[one.how])), key=lambda one: one.word):
        for how in dict.fromkeys(one.how for one in group):
            off = _is_off(written, _Choice(word, how, 0), without)
            told.append(Alternative((word,), how, reader.frequency(word), off))
            if not off:
                break
    return tuple(sorted(told, key=lambda one: (one.how is not How.EXACT, -one.passages, one.words, order[one.how])))


def _is_off(written: str, choice: _Choice, without: Collection[Off]) -> bool:
    return Off(written, choice.how) in without or Off(written, choice.how, choice.word) in without


def _concept(reader: _Reader, weight: int, choices: Sequence[_Choice]) -> Concept:
    words = [one.word for one in choices]
    found = zip(choices, reader.passages(words), reader.above(words), strict=True)
    return Concept(weight, [Answering(one.weight, passages, above) for one, passages, above in found])


def _chunks(candidates: Iterator[tuple[int, str]]) -> Iterator[Sequence[tuple[int, str]]]:
    size = CHUNK
    while chunk := list(islice(candidates, size)):
        yield chunk
        size *= 2
