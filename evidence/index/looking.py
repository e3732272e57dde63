"""Looking words up in the vocabulary of what may be read. Each is read once in a question."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import apsw
import numpy as np

from evidence.index import reading, vocabulary
from evidence.index.postings import Flags, Integers
from evidence.index.ranking import Occurrences
from evidence.index.snapshot import Audience
from evidence.index.vocabulary import SIZES, Kind

MOST: Final = 25
"""Words of one kind that answer a word. Twice as many change no figure by more than 0.003 and take a third longer."""
CHUNK: Final = 100
"""Words that are looked up at once."""

_NOWHERE: Final = Occurrences(np.empty(0, np.int64), np.empty(0, np.uint8))


class Reader:
    """For one question of one person: `audience` may be read, and `sections` of all sections."""

    def __init__(self, connection: apsw.Connection, audience: Audience, sections: Flags) -> None:
        self._connection = connection
        self._audience = audience
        self._sections = sections
        self._passages: dict[str, Occurrences] = {}
        self._above: dict[str, Occurrences] = {}
        self._phrases: dict[tuple[str, ...], Occurrences] = {}

    def places(self, phrases: Sequence[tuple[str, ...]]) -> list[tuple[Occurrences, Occurrences]]:
        """Where each stands in passages, and which sections it stands above; several words in a row stand above none."""
        self._read([words[0] for words in phrases if len(words) == 1], titles=True)
        return [
            (self._passages[words[0]], self._above[words[0]]) if len(words) == 1 else (self._phrase(words), _NOWHERE)
            for words in phrases
        ]

    def frequency(self, words: tuple[str, ...]) -> int:
        """In how many passages they stand."""
        if len(words) > 1:
            return len(self._phrase(words).slots)
        self._read(words)
        return len(self._passages[words[0]].slots)

    def is_there(self, words: tuple[str, ...]) -> bool:
        """Whether they stand in a passage or above one."""
        return self.frequency(words) > 0 or (len(words) == 1 and len(self.sections(words)) > 0)

    def slots(self, words: Collection[str]) -> Integers:
        """The passages with any of these words."""
        self._read(words)
        return np.unique(np.concatenate([_NOWHERE.slots, *(self._passages[word].slots for word in words)]))

    def sections(self, words: Collection[str]) -> Integers:
        """The sections that any of these words stands above."""
        self._read(words, titles=True)
        return np.unique(np.concatenate([_NOWHERE.slots, *(self._above[word].slots for word in words)]))

    def within(self, groups: Sequence[Sequence[tuple[str, ...]]], slots: Integers) -> list[Integers]:
        """For each group of words, or of several in a row, where any of them stands in these slots (both ascending): numbers
        that differ by as much as two places of one slot do, and by more than any slot is long between two slots.
        """
        at = reading.positions(self._connection, {word for group in groups for words in group for word in words}, slots)
        return [
            np.unique(np.concatenate([_NOWHERE.slots, *(_in_a_row([at[word] for word in words]) for words in group)]))
            for group in groups
        ]

    def under(self, wanted: Collection[tuple[Kind, str]]) -> set[str]:
        """All words of these keys, be they readable or not: what is taken of them must be asked for."""
        return {word for sizes in SIZES for word in vocabulary.candidates(self._connection, wanted, sizes=sizes)}

    def above(self, wanted: Collection[tuple[Kind, str]]) -> set[str]:
        """The words of these keys that stand above a section."""
        words = self.under(wanted)
        self._read(words, titles=True, passages=False)
        return {word for word in words if len(self._above[word].slots)}

    def most_frequent(
        self, wanted: Collection[tuple[Kind, str]], *, but: Collection[str], most: int | None = None
    ) -> Mapping[str, Kind]:
        """The words of these keys that stand in the most passages, then by the alphabet; those above passages are the last.

        most: of them, else MOST. Those are looked at first that may be frequent, hidden passages included: once there are enough
        that come before whatever the next ones can be, the rest need not be looked at. What is found is what all would give.
        """
        limit = MOST if most is None else most
        best: list[tuple[int, str, Kind]] = []
        for bound, found in self._chunks(wanted, but):
            if len(best) == limit and (-bound, min(found)) > best[-1][:2]:
                break
            self._read(found)
            there = [(-len(self._passages[word].slots), word, kind) for word, kind in found.items()]
            self._read([word for size, word, _ in there if not size], titles=True)
            best = heapq.nsmallest(limit, [*best, *(one for one in there if one[0] or len(self._above[one[1]].slots))])
        return {word: kind for _, word, kind in best}

    def there(self, words: Collection[str]) -> Sequence[str]:
        """Those of these words that are there, in the same order; MOST of them."""
        self._read(words)
        self._read([word for word in words if not len(self._passages[word].slots)], titles=True)
        return heapq.nsmallest(
            MOST, (word for word in words if self.is_there((word,))), key=lambda word: (-len(self._passages[word].slots), word)
        )

    def _chunks(self, wanted: Collection[tuple[Kind, str]], but: Collection[str]) -> Iterator[tuple[int, Mapping[str, Kind]]]:
        """The candidates but for some, and in how many passages they may stand at most: falling, then by the alphabet."""
        for sizes in SIZES:
            found = vocabulary.candidates(self._connection, wanted, sizes=sizes)
            words = sorted(found.keys() - but)
            for start in range(0, len(words), CHUNK):
                yield vocabulary.most(sizes[-1]), {word: found[word] for word in words[start : start + CHUNK]}

    def _read(self, words: Collection[str], *, passages: bool = True, titles: bool = False) -> None:
        if passages and (new := [word for word in dict.fromkeys(words) if word not in self._passages]):
            self._passages.update(zip(new, reading.words(self._connection, new, self._audience.readable), strict=True))
        if titles and (new := [word for word in dict.fromkeys(words) if word not in self._above]):
            self._above.update(zip(new, reading.titles(self._connection, new, self._sections), strict=True))

    def _phrase(self, words: tuple[str, ...]) -> Occurrences:
        if words not in self._phrases:
            (self._phrases[words],) = reading.occurrences(self._connection, [words], self._audience)
        return self._phrases[words]


def _in_a_row(places: Sequence[Integers]) -> Integers:
    """Those of the first word after which the others follow."""
    first, *others = places
    for distance, other in enumerate(others, start=1):
        first = first[np.isin(first + distance, other)]
    return first
