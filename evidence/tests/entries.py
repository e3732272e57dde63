"""Builders for tests of the index: documents as an engine takes them, and questions with their defaults."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence

from evidence.index import Engine, Entry, Result, Wider
from evidence.index.query import Query, parse
from evidence.index.questions import Off, Synonym, parse_question

NAMESPACE = uuid.UUID("7ad0bd18-b25f-4b0e-8f57-6f2a2a3c2f7f")


def entry(
    document: int,
    *passages: str,
    access_class: int = 1,
    representation: int = 0,
    titles: Sequence[str] = (),
    sections: Sequence[int] = (),
    headings: Collection[int] = (),
    **attributes: str,
) -> Entry:
    """A document; its public id is a hash of its number, so that their orders differ."""
    public_id = uuid.uuid5(NAMESPACE, str(document))
    return Entry(document, public_id, representation or document, access_class, attributes, passages, titles, sections, headings)


def ask(
    engine: Engine,
    query: str | Query,
    *,
    classes: Collection[int] = (1,),
    excluded: Collection[int] = (),
    filters: Mapping[str, Collection[str]] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> Result:
    """A search with everything that is not named left open."""
    question = parse(query) if isinstance(query, str) else query
    return engine.search(question, classes=classes, excluded=excluded, filters=filters or {}, limit=limit, offset=offset)


def wide(
    engine: Engine,
    query: str,
    *,
    without: Collection[Off] = (),
    synonyms: Sequence[Synonym] = (),
    classes: Collection[int] = (1,),
    excluded: Collection[int] = (),
    filters: Mapping[str, Collection[str]] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> Wider:
    """A question of the wider mode with everything that is not named left open."""
    question = parse_question(query, without=without, synonyms=synonyms)
    return engine.wider(question, classes=classes, excluded=excluded, filters=filters or {}, limit=limit, offset=offset)


def places(result: Result | Wider) -> list[tuple[int, int]]:
    """Document and passage number of each hit."""
    return [(hit.document, hit.passage) for hit in result.hits]
