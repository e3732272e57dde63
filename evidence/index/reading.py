"""What the file says of words: where each stands among what may be read, and nothing of any other place."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from evidence.index import postings, ranking, sums
from evidence.index.postings import Flags, Integers
from evidence.index.ranking import Occurrences
from evidence.index.snapshot import Audience
from evidence.index.storage import rows

_SLOTS: Final = "SELECT segment, slots, counts, sum FROM posting WHERE word = ?"
_SECTIONS: Final = "SELECT segment, slots, counts, sum FROM title WHERE word = ?"
_MANY: Final = "SELECT key, segment, slots, counts, sum FROM json_each(?) CROSS JOIN {} ON word = value"
"""Row by row in the order of the words; one question for each word would take three times as long."""
_WITHIN: Final = (
    "SELECT word, segment, slots, counts, positions, sum, positions_sum FROM json_each(?) CROSS JOIN posting"
    " ON word = value AND segment BETWEEN ? AND ?"
)
APART: Final = 1 << 40
"""More than any passage has words."""


def occurrences(connection: apsw.Connection, phrases: Sequence[tuple[str, ...]], audience: Audience) -> list[Occurrences]:
    """Each phrase's readable occurrences; a phrase that comes twice is read once."""
    found = {
        phrase: _word(connection, phrase[0], audience) if len(phrase) == 1 else _phrase(connection, phrase, audience)
        for phrase in dict.fromkeys(phrases)
    }
    return [found[phrase] for phrase in phrases]


def slots(connection: apsw.Connection, word: str) -> Integers:
    """Every place of a word in passages, whoever may read it."""
    return _postings(connection, _SLOTS, word).slots


def sections(connection: apsw.Connection, word: str) -> Integers:
    """Every section that a word stands above, whoever may read it."""
    return _postings(connection, _SECTIONS, word).slots


def words(connection: apsw.Connection, asked: Sequence[str], readable: Flags) -> list[Occurrences]:
    """Each word's occurrences in passages. Made for many rare words at once."""
    return _words(connection, "posting", asked, readable)


def titles(connection: apsw.Connection, asked: Sequence[str], readable: Flags) -> list[Occurrences]:
    """The sections that each word stands above."""
    return _words(connection, "title", asked, readable)


def _word(connection: apsw.Connection, word: str, audience: Audience) -> Occurrences:
    slots, counts = _postings(connection, _SLOTS, word)
    if len(slots) and slots[-1] >= len(audience.readable):
        raise sums.Damaged
    readable = audience.readable[slots]
    return Occurrences(slots[readable], counts[readable])


def _postings(connection: apsw.Connection, statement: str, word: str) -> postings.Postings:
    return postings.read(_rows(connection, statement, word))


def _rows(connection: apsw.Connection, statement: str, word: str) -> list[tuple[int, bytes, bytes]]:
    return _checked(rows(connection, statement, (word,)), word)


def _checked(found: Iterable[tuple[int, bytes, bytes, int]], word: str) -> list[tuple[int, bytes, bytes]]:
    whole = []
    for segment, slots, counts, kept in found:
        sums.expect(sums.of_posting(word, segment, slots, counts), kept)
        whole.append((segment, slots, counts))
    return whole


def _words(connection: apsw.Connection, table: str, asked: Sequence[str], readable: Flags) -> list[Occurrences]:
    found, sizes = [], [0] * len(asked)
    for place, segment, slots, counts, kept in rows(connection, _MANY.format(table), (json.dumps(asked),)):
        sums.expect(sums.of_posting(asked[place], segment, slots, counts), kept)
        found.append((segment, slots, counts))
        sizes[place] += len(slots)
    slots, counts = postings.read(found)
    if len(slots) and slots.max() >= len(readable):
        raise sums.Damaged
    may_read = np.flatnonzero(readable.take(slots))
    slots, counts = slots.take(may_read), counts.take(may_read)
    ends = np.cumsum(sizes) // postings.SHORT.itemsize
    bounds = [0, *np.searchsorted(may_read, ends).tolist()]
    return [Occurrences(slots[first:end], counts[first:end]) for first, end in zip(bounds, bounds[1:], strict=False)]


def _phrase(connection: apsw.Connection, words: Sequence[str], audience: Audience) -> Occurrences:
    different = list(dict.fromkeys(words))
    together = ranking.common([_postings(connection, _SLOTS, word).slots for word in different])
    together = together[audience.readable[together]]
    if not len(together):  # as of most synonyms: positions, which are the most of a row, need not be read
        return Occurrences(together, np.empty(0, np.int64))
    at = {word: _places(connection, word).at(together) for word in different}
    counts = ranking.phrase_counts([at[word] for word in words], len(together))
    return Occurrences(together[counts > 0], counts[counts > 0])


def positions(connection: apsw.Connection, asked: Collection[str], slots: Integers) -> Mapping[str, Integers]:
    """Where each of these words stands in these slots (ascending): the slot's place among them times APART, and the position."""
    if not len(slots):
        return dict.fromkeys(asked, slots)
    found: dict[str, list[Integers]] = {word: [np.empty(0, np.int64)] for word in asked}
    bounds = [int(slots[end]) >> postings.SEGMENT_BITS for end in (0, -1)]
    for word, segment, *stored, kept, positions_kept in rows(connection, _WITHIN, (json.dumps(sorted(asked)), *bounds)):
        row = postings.Row(*stored)
        sums.expect(sums.of_posting(word, segment, row.slots, row.counts), kept)
        sums.expect(sums.of_positions(word, segment, row.positions), positions_kept)
        own, counts, all_positions = postings.unpack(row)
        own_slots = own.astype(np.int64) + (segment << postings.SEGMENT_BITS)
        wanted = np.isin(own_slots, slots)
        starts = np.searchsorted(slots, own_slots[wanted]) * APART
        found[word].append(np.repeat(starts, counts[wanted]) + all_positions[np.repeat(wanted, counts)].astype(np.int64))
    return {word: np.concatenate(parts) for word, parts in found.items()}


class _Places(NamedTuple):
    """All of a word: slots, how often in each, and the positions in all slots one after the other."""

    slots: Integers
    counts: NDArray[np.unsignedinteger]
    positions: NDArray[np.unsignedinteger]

    def at(self, wanted: Integers) -> tuple[Integers, Integers]:
        """The places in these slots: for each the number of the slot in `wanted`, and the position."""
        kept = np.zeros(len(self.slots), np.bool_)
        kept[np.searchsorted(self.slots, wanted)] = True
        positions = self.positions[np.repeat(kept, self.counts)]
        return np.repeat(np.arange(len(wanted)), self.counts[kept]), positions.astype(np.int64)


def _places(connection: apsw.Connection, word: str) -> _Places:
    slots, counts = _postings(connection, _SLOTS, word)
    statement = "SELECT segment, slots, counts, positions, positions_sum FROM posting WHERE word = ?"
    found = rows(connection, statement, (word,))
    for segment, _, _, positions, kept in found:
        sums.expect(sums.of_positions(word, segment, positions), kept)
    sizes = [postings.size(row[1]) for row in found]
    return _Places(slots, counts, postings.read_positions([row[3] for row in found], counts, sizes))
