"""The oracle of the exact search: SQLite's FTS5 with our tokeniser, in memory, filled with what may be read and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import apsw
import apsw.fts5

from evidence.index import Entry
from evidence.index.query import Query
from evidence.index.tokens import tokenise


def _tokenizer(connection: apsw.Connection, arguments: list[str]) -> object:
    def tokens(text: str, flags: int, locale: str | None) -> Iterator[tuple[int, int, str]]:
        return tokenise(text)

    return tokens


# apsw's annotations name the decorated and the undecorated kind of tokenizer the wrong way round
TOKENIZER = cast("apsw.FTS5TokenizerFactory", apsw.fts5.StringTokenizer(cast("Any", _tokenizer)))


def ranked(entries: Iterable[Entry], query: Query) -> list[tuple[int, int, float]]:
    """Document, passage number and score of every passage found, by score, public document id and number."""
    if not query.phrases:
        return []
    passages = [(entry, number, text) for entry in entries for number, text in enumerate(entry.passages)]
    connection = apsw.Connection(":memory:")
    connection.register_fts5_tokenizer("ours", TOKENIZER)
    connection.execute("CREATE VIRTUAL TABLE passage USING fts5(text, tokenize = 'ours')")
    connection.executemany("INSERT INTO passage (text) VALUES (?)", [(text,) for _, _, text in passages])
    rows = connection.execute("SELECT rowid, -bm25(passage) FROM passage WHERE passage MATCH ?", (_match(query.phrases),))
    found = [(*passages[rowid - 1][:2], score) for rowid, score in rows]
    ordered = sorted(found, key=lambda hit: (-hit[2], hit[0].public_id.bytes, hit[1]))
    return [(entry.document, number, score) for entry, number, score in ordered]


def _match(phrases: Sequence[Sequence[str]]) -> str:
    return " AND ".join('"{}"'.format(" ".join(phrase).replace('"', '""')) for phrase in phrases)
