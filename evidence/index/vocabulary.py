"""Which words the index holds, and by which keys each is looked up. Kept in step with the postings, within their transactions.

A word is here from its first place to its last, in whichever document; its keys are made of the word alone. Whether somebody may
know of it is for the readers to find out: they look at its places.

`size` says how many passages hold the word at most: two to that power. It is raised when the word spreads, and not lowered while
the word is here. By it the frequent words of a key come first, so that the most frequent readable ones are known without a look
at the rest.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple

import apsw

from evidence import language
from evidence.index import postings, sums
from evidence.index.storage import add_to_meta, meta, rows
from evidence.language import Role


class Kind(StrEnum):
    """What a key tells of its words. The letter stands before the key in the file."""

    FORM = "f"
    HEAD = "h"
    MODIFIER = "m"
    SPELLING = "s"
    ABBREVIATION = "a"


MARK: Final = "§"
"""How the marks of sections begin (`evidence.language.mark`), and no word."""
_OF_ROLE: Final = {Role.HEAD: Kind.HEAD, Role.MODIFIER: Kind.MODIFIER}

_DELETE_FORM: Final = "DELETE FROM form WHERE key = ? AND size = ? AND word = ? RETURNING sum"


def exponent(passages: int) -> int:
    """The smallest power of two that is not less, as its exponent."""
    return max(passages - 1, 0).bit_length()


def spread(connection: apsw.Connection, words: Collection[str]) -> None:
    """Take in words that are new or stand in more passages than before, which are written already."""
    changed = []
    for word in sorted(words):
        size = _size(connection, word)
        old = _known(connection, word)
        if old is None or old < size:
            changed.append((word, old, size))
    _take_out(connection, [(word, old) for word, old, _ in changed if old is not None])
    made = sorted((key, size, word) for word, _, size in changed for key in _keys(word))
    kept = [sums.of_form(*one) for one in made]
    connection.executemany("INSERT INTO form VALUES (?, ?, ?, ?)", ((*one, sum_) for one, sum_ in zip(made, kept, strict=True)))
    connection.executemany("REPLACE INTO word VALUES (?, ?)", ((word, size) for word, _, size in changed))
    add_to_meta(connection, "forms", sum(kept))


def leave(connection: apsw.Connection, words: Iterable[str]) -> None:
    """Take out those of these words that have no place any more."""
    gone = [word for word in sorted(words) if not _has_place(connection, word)]
    known = [(word, _known(connection, word)) for word in gone]
    _take_out(connection, [(word, size) for word, size in known if size is not None])
    connection.executemany("DELETE FROM word WHERE word = ?", [(word,) for word in gone])


class Candidate(NamedTuple):
    """A word under a key of this kind, and the exponent of its size."""

    size: int
    word: str
    kind: Kind


def candidates(connection: apsw.Connection, wanted: Iterable[tuple[Kind, str]]) -> Iterator[Candidate]:
    """The words of these keys, the greatest sizes first, then by the alphabet; each word once, as a head if it is one."""
    each = [_of_key(connection, kind, key) for kind, key in wanted]
    merged = each[0] if len(each) == 1 else heapq.merge(*each, key=lambda one: (-one.size, one.word, one.kind))
    return (next(same) for _, same in groupby(merged, key=lambda one: one.word))


def _of_key(connection: apsw.Connection, kind: Kind, key: str) -> Iterator[Candidate]:
    statement = "SELECT size, word, sum FROM form WHERE key = ? ORDER BY size DESC, word"
    for size, word, kept in connection.execute(statement, (f"{kind}{key}",)):
        sums.expect(sums.of_form(f"{kind}{key}", size, word), kept)
        yield Candidate(size, word, kind)


def _keys(word: str) -> set[str]:
    """All keys of a word, with their kinds. Marks of sections are no words: they are asked for as they are."""
    if word.startswith(MARK):
        return set()
    made = language.keys(word)
    return {
        *(f"{Kind.FORM}{key}" for key in made.forms),
        *(f"{_OF_ROLE[role]}{key}" for key, role in made.parts.items()),
        *(f"{Kind.SPELLING}{key}" for key in made.spellings),
        *([f"{Kind.ABBREVIATION}{made.abbreviation}"] if made.abbreviation else []),
    }


def knows(connection: apsw.Connection, word: str) -> bool:
    """Whether it holds a place of this word."""
    return _known(connection, word) is not None or _has_place(connection, word)


def containing(connection: apsw.Connection, text: str, *, limit: int) -> Iterator[str]:
    """Some of the words that contain this text, or whose keys do. Reads all of them."""
    for table, column in (("posting", "word"), ("title", "word"), ("word", "word"), ("form", "key")):
        statement = f"SELECT word FROM {table} WHERE instr({column}, ?) LIMIT ?"
        yield from (word for (word,) in rows(connection, statement, (text, limit)))


def check(connection: apsw.Connection) -> None:
    """See that every word with a place can be looked up, and no other. Raises Damaged."""
    total = 0
    for key, size, word, kept in connection.execute("SELECT key, size, word, sum FROM form"):
        sums.expect(sums.of_form(key, size, word), kept)
        total += kept
    sums.expect(total, meta(connection, "forms"))
    placed = "SELECT word FROM posting UNION SELECT word FROM title"
    if rows(connection, f"SELECT word FROM word EXCEPT {placed.replace('UNION', 'EXCEPT')} LIMIT 1") or rows(
        connection, f"SELECT * FROM ({placed}) EXCEPT SELECT word FROM word LIMIT 1"
    ):
        raise sums.Damaged


def _take_out(connection: apsw.Connection, words: Iterable[tuple[str, int]]) -> None:
    total = 0
    for word, size in words:
        for key in _keys(word):
            found = rows(connection, _DELETE_FORM, (key, size, word))
            if len(found) != 1:
                raise sums.Damaged
            total += found[0][0]
    add_to_meta(connection, "forms", -total)


def _size(connection: apsw.Connection, word: str) -> int:
    """Rows are told of only when they grow past a power of two, so that each counts as if it had grown up to the next."""
    found = rows(connection, "SELECT length(slots) FROM posting WHERE word = ?", (word,))
    return exponent(sum(1 << exponent(length // postings.SHORT.itemsize) for (length,) in found))


def _known(connection: apsw.Connection, word: str) -> int | None:
    for (size,) in rows(connection, "SELECT size FROM word WHERE word = ?", (word,)):
        return int(size)
    return None


def _has_place(connection: apsw.Connection, word: str) -> bool:
    statement = "SELECT 1 FROM posting WHERE word = ?1 UNION ALL SELECT 1 FROM title WHERE word = ?1 LIMIT 1"
    return bool(rows(connection, statement, (word,)))
