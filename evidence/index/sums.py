"""Checksums of the rows of the index: what is read is what was written, or there is no answer.

SQLite notices damage to its own structure only. A bit that a disk flips inside a list of slots would find other passages.
CRC-32 is for accidents; whoever can write the file can write the sums too.
"""

from __future__ import annotations

from zlib import crc32


class Damaged(Exception):
    """What stands in the file is not what was written."""


def of_posting(word: str, segment: int, slots: bytes, counts: bytes) -> int:
    """Of what a question about one word reads."""
    return crc32(counts, crc32(slots, crc32(f"{word}\0{segment}\0{len(slots)}".encode())))


def of_positions(word: str, segment: int, positions: bytes) -> int:
    """Of what a question about neighbouring words reads beside it."""
    return crc32(positions, crc32(f"{word}\0{segment}".encode()))


def of_document(
    document: int, public: bytes, representation: int, access_class: int, first_slot: int, attributes: str, lengths: bytes
) -> int:
    """Of what is known of a document."""
    numbers = f"{document} {representation} {access_class} {first_slot} {attributes}".encode()
    return crc32(lengths, crc32(public, crc32(numbers)))


def of_outline(document: int, first_section: int, number: int, title: int, sections: bytes) -> int:
    """Of what is known of a document's sections."""
    return crc32(sections, crc32(f"{document} {first_section} {number} {title}".encode()))


def of_form(key: str, size: int, word: str) -> int:
    """Of what leads from a key to a word."""
    return crc32(f"{key}\0{size}\0{word}".encode())


def of_title(title: str) -> int:
    """What tells a title from another one, without being it."""
    return crc32(title.encode())


def expect(made: int, kept: int) -> None:
    """Raises Damaged unless both are the same."""
    if made != kept:
        raise Damaged
