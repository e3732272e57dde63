"""Which words the index holds, and by which keys each is looked up. Kept in step with the postings, within their transactions.

A word is here from its first place to its last, in whichever document; its keys are made of the word alone. Whether somebody may
know of it is for the readers to find out: they look at its places.

`size` says how many passages hold the word at most: four to that power. It is raised when the word spreads, and not lowered
while the word is here. By it the frequent words of a key are looked at first, so that the most frequent readable ones are known
without a look at the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

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


SIZES: Final = (range(7, 64), *(range(size, size + 1) for size in reversed(range(7))))
"""All of them, in pieces that are looked at one after the other."""
MARK: Final = "§"
"""How the marks of sections begin (`evidence.language.mark`), and no word."""
_OF_ROLE: Final = {Role.HEAD: Kind.HEAD, Role.MODIFIER: Kind.MODIFIER}

_DELETE_FORM: Final = "DELETE FROM form WHERE key = ? AND size = ? AND word = ? RETURNING sum"


def exponent(passages: int) -> int:
    """The smallest power of four that is not less, as its exponent. Steps are wide: each moves a word under all its keys."""
    return (max(passages - 1, 0).bit_length() + 1) // 2


def most(size: int) -> int:
    """How many passages a word of this size may stand in."""
    return 1 << 2 * size


def spread(connection: apsw.Connection, words: Collection[str], *, open_segment: int) -> None:
    """Take in words that are new or stand in more passages than before, which are written already.

    open_segment: the one whose rows can grow. Nothing is told of that until a row grows past a power of four.
    """
    changed = []
    for word in sorted(words):
        size = _size(connection, word, open_segment)
        old, keys = _known(connection, word) or (None, None)
        if old is None or old < size:
            changed.append((word, old, size, keys if keys is not None else _joined(_keys(word))))
    _take_out(connection, [(word, old, keys) for word, old, _, keys in changed if old is not None])
    made = sorted((key, size, word) for word, _, size, keys in changed for key in _parted(keys))
    kept = [sums.of_form(*one) for one in made]
    connection.executemany("INSERT INTO form VALUES (?, ?, ?, ?)", ((*one, sum_) for one, sum_ in zip(made, kept, strict=True)))
    connection.executemany("REPLACE INTO word VALUES (?, ?, ?)", ((word, size, keys) for word, _, size, keys in changed))
    add_to_meta(connection, "forms", sum(kept))


def leave(connection: apsw.Connection, words: Iterable[str]) -> None:
    """Take out those of these words that have no place any more."""
    gone = [word for word in sorted(words) if not _has_place(connection, word)]
    known = [(word, known) for word in gone if (known := _known(connection, word))]
    _take_out(connection, [(word, size, keys) for word, (size, keys) in known])
    connection.executemany("DELETE FROM word WHERE word = ?", [(word,) for word in gone])


def candidates(connection: apsw.Connection, wanted: Iterable[tuple[Kind, str]], *, sizes: range) -> Mapping[str, Kind]:
    """The words of these keys that have one of these sizes, and what they are: heads rather than modifiers."""
    found: dict[str, Kind] = {}
    statement = "SELECT size, word, sum FROM form WHERE key = ? AND size BETWEEN ? AND ?"
    for kind, name in sorted(wanted):
        key = f"{kind}{name}"
        for size, word, kept in connection.execute(statement, (key, sizes[0], sizes[-1])):
            sums.expect(sums.of_form(key, size, word), kept)
            found.setdefault(word, kind)
    return found


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


def _take_out(connection: apsw.Connection, words: Iterable[tuple[str, int, str]]) -> None:
    total = 0
    for word, size, keys in words:
        for key in _parted(keys):
            found = rows(connection, _DELETE_FORM, (key, size, word))
            if len(found) != 1:
                raise sums.Damaged
            total += found[0][0]
    add_to_meta(connection, "forms", -total)


def _joined(keys: Iterable[str]) -> str:
    return "\n".join(sorted(keys))


def _parted(keys: str) -> list[str]:
    return keys.split("\n") if keys else []


def _size(connection: apsw.Connection, word: str, open_segment: int) -> int:
    found = rows(connection, "SELECT segment, length(slots) FROM posting WHERE word = ?", (word,))
    passages = 0
    for segment, length in found:
        number = length // postings.SHORT.itemsize
        passages += number if segment < open_segment else most(exponent(number))
    return exponent(passages)


def _known(connection: apsw.Connection, word: str) -> tuple[int, str] | None:
    """Its size and keys."""
    for size, keys in rows(connection, "SELECT size, keys FROM word WHERE word = ?", (word,)):
        return size, keys
    return None


def _has_place(connection: apsw.Connection, word: str) -> bool:
    statement = "SELECT 1 FROM posting WHERE word = ?1 UNION ALL SELECT 1 FROM title WHERE word = ?1 LIMIT 1"
    return bool(rows(connection, statement, (word,)))
