"""Posting rows: where one word stands in one segment, as bytes. Pure: made, joined, cut and read here, stored elsewhere.

Every passage has a slot, a number that is never used again; a segment is 65,536 slots. A row holds, little-endian:
slots: the lower 16 bits of each passage's slot, ascending.
counts: how often the word stands in each of them; empty when always once, else one byte each, or four where one is not enough.
positions: the word's places in each passage, one passage after the other; two bytes each, or four where two are not enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

SEGMENT_BITS: Final = 16
"""What two bytes hold. A word of a million passages is read in 17 rows; a new document rewrites the rows of its words."""
SEGMENT_SLOTS: Final = 1 << SEGMENT_BITS

BYTE: Final = np.dtype("u1")
SHORT: Final = np.dtype("<u2")
LONG: Final = np.dtype("<u4")

_ONCE: Final = b"\x01" * SEGMENT_SLOTS

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Row(NamedTuple):
    """One word in one segment, as stored."""

    slots: bytes
    counts: bytes
    positions: bytes


class Postings(NamedTuple):
    """One word in all segments: whole slots, and for each the number of times."""

    slots: Integers
    counts: NDArray[np.unsignedinteger]


def size(slots: bytes) -> int:
    """How many slots a row has."""
    return len(slots) // SHORT.itemsize


def row_slots(slots: bytes) -> NDArray[np.uint16]:
    """The lower 16 bits of each slot."""
    return np.frombuffer(slots, SHORT)


def row_counts(counts: bytes, size: int) -> NDArray[np.unsignedinteger]:
    """For each of `size` slots, how often."""
    if not counts:
        return np.ones(size, BYTE)
    return np.frombuffer(counts, BYTE if len(counts) == size else LONG)


def row_positions(positions: bytes, total: int) -> NDArray[np.unsignedinteger]:
    """All `total` positions of a row."""
    return np.frombuffer(positions, SHORT if len(positions) == 2 * total else LONG)


def read(rows: Sequence[tuple[int, bytes, bytes]]) -> Postings:
    """Segment, slots and counts of each row of one word, or of several one after the other -> the whole."""
    sizes = [len(slots) // SHORT.itemsize for _, slots, _ in rows]
    slots = np.frombuffer(b"".join([slots for _, slots, _ in rows]), SHORT).astype(np.int64)
    slots += np.repeat(np.array([segment << SEGMENT_BITS for segment, _, _ in rows], np.int64), sizes)
    counts = b"".join([counts or _ONCE[:size] for (_, _, counts), size in zip(rows, sizes, strict=True)])
    if len(counts) == len(slots):
        return Postings(slots, np.frombuffer(counts, BYTE))
    return Postings(slots, np.concatenate([row_counts(counts, size) for (_, _, counts), size in zip(rows, sizes, strict=True)]))


def read_positions(
    rows: Sequence[bytes], counts: NDArray[np.unsignedinteger], sizes: Sequence[int]
) -> NDArray[np.unsignedinteger]:
    """The positions of each row of one word -> the whole, in the order of `counts`; `sizes`: slots in each row."""
    ends = np.cumsum(sizes)
    totals = [int(counts[end - size : end].sum(dtype=np.int64)) for end, size in zip(ends, sizes, strict=True)]
    parts = [row_positions(row, total) for row, total in zip(rows, totals, strict=True)]
    return np.concatenate(parts) if parts else np.empty(0, SHORT)


def pack(slots: NDArray[np.integer], counts: NDArray[np.integer], positions: NDArray[np.integer]) -> Row:
    """Arrays -> a row, as narrow as they allow. `slots` not empty."""
    most = int(counts.max())
    width = BYTE if most <= np.iinfo(BYTE).max else LONG
    return Row(
        slots.astype(SHORT).tobytes(),
        b"" if most == 1 else counts.astype(width).tobytes(),
        positions.astype(SHORT if int(positions.max()) <= np.iinfo(SHORT).max else LONG).tobytes(),
    )


def unpack(row: Row) -> tuple[NDArray[np.uint16], NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
    """A row -> slots, counts, positions."""
    slots = row_slots(row.slots)
    counts = row_counts(row.counts, len(slots))
    return slots, counts, row_positions(row.positions, int(counts.sum(dtype=np.int64)))


def joined(old: Row, new: Row) -> Row:
    """Both rows as one; every slot of `new` comes after those of `old`."""
    pairs = zip(unpack(old), unpack(new), strict=True)
    slots, counts, positions = (np.concatenate([first, second]) for first, second in pairs)
    return pack(slots, counts, positions)


def without(row: Row, gone: Flags) -> Row | None:
    """The row without the slots that `gone` marks (one flag for each slot of the segment), or None if nothing is left."""
    slots, counts, positions = unpack(row)
    kept = ~gone[slots]
    if not kept.any():
        return None
    return row if kept.all() else pack(slots[kept], counts[kept], positions[np.repeat(kept, counts)])


def build(numbers: NDArray[np.int32], lengths: Sequence[int], first_slot: int) -> Iterator[tuple[int, int, Row]]:
    """The rows of passages that follow one another: word, segment, row, in the order of words and segments.

    numbers: the words of all the passages as numbers, negative ones without a row. lengths: words in each passage.
    """
    per_passage = np.array(lengths, np.int64)
    token = np.flatnonzero(numbers >= 0)
    if not len(token):
        return
    # one sort of word and place, packed into one integer, is several times faster than a stable argsort
    key = np.sort(numbers[token].astype(np.int64) << 32 | token)
    word, token = key >> 32, key & 0xFFFFFFFF
    passage = np.repeat(np.arange(len(lengths)), per_passage)[token]
    position = token - (np.cumsum(per_passage) - per_passage)[passage]
    slot = passage + first_slot

    entry = _starts((word[1:] != word[:-1]) | (slot[1:] != slot[:-1]))
    counts = np.diff(entry, append=len(token))
    word, slot = word[entry], slot[entry]
    segment = slot >> SEGMENT_BITS
    row = _starts((word[1:] != word[:-1]) | (segment[1:] != segment[:-1]))
    yield from zip(word[row].tolist(), segment[row].tolist(), _rows(row, entry, slot, counts, position), strict=True)


def _starts(changes: Flags) -> Integers:
    return np.flatnonzero(np.concatenate([[True], changes]))


def _rows(row: Integers, entry: Integers, slot: Integers, counts: Integers, position: Integers) -> Iterator[Row]:
    """Cut all the rows out of three byte strings; the few that need wider numbers are packed one by one."""
    slots_bytes = slot.astype(SHORT).tobytes()
    counts_bytes = counts.astype(BYTE).tobytes()
    positions_bytes = position.astype(SHORT).tobytes()
    most = np.maximum.reduceat(counts, row)
    wide = (most > np.iinfo(BYTE).max) | (np.maximum.reduceat(position, entry[row]) > np.iinfo(SHORT).max)
    ends = np.append(row[1:], len(entry))
    places = np.append(entry, len(position))
    for first, end, start, stop, once, is_wide in zip(
        row.tolist(), ends.tolist(), places[row].tolist(), places[ends].tolist(), (most == 1).tolist(), wide.tolist(), strict=True
    ):
        if is_wide:
            yield pack(slot[first:end], counts[first:end], position[start:stop])
        else:
            yield Row(
                slots_bytes[2 * first : 2 * end],
                b"" if once else counts_bytes[first:end],
                positions_bytes[2 * start : 2 * stop],
            )
