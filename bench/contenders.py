"""What is compared: this engine, FTS5's own rank without rights, tantivy with a filter, and a rebuild for each call.

All of them get the same words: FTS5 has our tokeniser, tantivy gets our words with blanks between them. All give ten hits.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import apsw
import apsw.fts5
import tantivy

from bench.corpus import Corpus, spread
from bench.measure import Times, megabytes, memory, timed
from evidence.index import Entry
from evidence.index.query import Query
from evidence.index.questions import Question
from evidence.index.sqlite import SqliteEngine
from evidence.index.tokens import tokenise, words
from evidence.language import lexicon

HITS: Final = 10
BATCH_PASSAGES: Final = 50_000
CLASSES: Final = (200, 20_000)

Found = list[tuple[int, int, float]]
"""Document, passage number and score of each hit."""


@dataclass(frozen=True, slots=True)
class Built:
    """seconds: to make the index. processor: seconds of it that the processor worked for it, which other work on the machine
    changes less. megabytes: of its files. memory: megabytes that the process grew by, files not counted."""

    passages: int
    seconds: float
    processor: float
    megabytes: float
    memory: int


@dataclass(frozen=True, slots=True)
class Asked:
    """times: of the questions. memory: megabytes of the process that asked, files not counted."""

    times: Times
    memory: int


def readable(classes: int) -> frozenset[int]:
    """Half of the classes; a new set each time, as each request has its own."""
    return frozenset(range(0, classes, 2))


def public_id(document: int) -> uuid.UUID:
    """As good as random, and the same in every run."""
    return uuid.uuid5(uuid.NAMESPACE_OID, str(document))


# this engine


def build_engine(corpus: Corpus, folder: Path) -> Built:
    """All documents with their sections, in batches, with the smaller number of classes."""
    documents = list(corpus.headed())
    classes = spread(len(documents), CLASSES[0])
    lexicon.prepare()
    before, most = memory(), 0
    engine = SqliteEngine(folder / "index.sqlite3")
    start, worked = time.perf_counter(), time.process_time()
    for batch in _batches(documents, classes):
        engine.put(batch)
        most = max(most, memory())
    seconds, processor = time.perf_counter() - start, time.process_time() - worked
    engine.checkpoint()
    return Built(sum(map(len, documents)), seconds, processor, megabytes(folder), most - before)


def move_engine(folder: Path, documents: int, classes: int) -> float:
    """Give all documents other classes; seconds."""
    engine = SqliteEngine(folder / "index.sqlite3")
    start = time.perf_counter()
    engine.reclass({document: (access_class, {}) for document, access_class in enumerate(spread(documents, classes))})
    return time.perf_counter() - start


def ask_engine(folder: Path, queries: Sequence[Query], classes: int) -> Asked:
    """Hits with scores and frequencies; the total and the counts of the filters are made as well."""
    engine = SqliteEngine(folder / "index.sqlite3")
    times = timed(lambda query: partial(_search, engine, query, readable(classes)), queries)
    return Asked(times, memory())


def engine_hits(folder: Path, queries: Sequence[Query], classes: int) -> list[Found]:
    """What the engine finds, to compare."""
    engine = SqliteEngine(folder / "index.sqlite3")
    return [_search(engine, query, readable(classes)) for query in queries]


def _search(engine: SqliteEngine, query: Query, classes: Collection[int]) -> Found:
    result = engine.search(query, classes=classes, excluded=(), filters={}, limit=HITS, offset=0)
    return [(hit.document, hit.passage, hit.score) for hit in result.hits]


def ask_widely(folder: Path, questions: Sequence[Question], classes: int) -> Asked:
    """Hits with scores, what was made of each word, the total, the counts of the filters and whether it is answered."""
    lexicon.prepare()
    engine = SqliteEngine(folder / "index.sqlite3")
    times = timed(lambda question: partial(_search_widely, engine, question, readable(classes)), questions)
    return Asked(times, memory())


def _search_widely(engine: SqliteEngine, question: Question, classes: Collection[int]) -> object:
    return engine.wider(question, classes=classes, excluded=(), filters={}, limit=HITS, offset=0)


def _batches(documents: Sequence[list[tuple[str, str]]], classes: Sequence[int]) -> Iterator[list[Entry]]:
    batch, passages = [], 0
    for number, (document, access_class) in enumerate(zip(documents, classes, strict=True)):
        attributes = {"source": "laws", "kind": "law", "language": "de", "status": ("valid", "expired")[number % 2]}
        texts = [text for _, text in document]
        titles = {title: place for place, title in enumerate(dict.fromkeys(title for title, _ in document))}
        sections = [titles[title] for title, _ in document]
        batch.append(Entry(number, public_id(number), number, access_class, attributes, texts, list(titles), sections))
        passages += len(texts)
        if passages >= BATCH_PASSAGES:
            yield batch
            batch, passages = [], 0
    yield batch


# FTS5


def build_fts5(corpus: Corpus, folder: Path) -> Built:
    """One table of all passages, without the texts (contentless), merged to one piece."""
    passages = [text for document in corpus.documents() for text in document]
    before = memory()
    start, worked = time.perf_counter(), time.process_time()
    connection = _fts5(str(folder / "fts5.sqlite3"), passages)
    connection.execute("INSERT INTO passage (passage) VALUES ('optimize')")
    seconds, processor = time.perf_counter() - start, time.process_time() - worked
    most = memory()
    connection.close()
    return Built(len(passages), seconds, processor, megabytes(folder), most - before)


def ask_fts5(folder: Path, queries: Sequence[Query]) -> Asked:
    """ORDER BY rank over everything: no rights at all."""
    connection = _open_fts5(str(folder / "fts5.sqlite3"))
    statement = "SELECT rowid, rank FROM passage WHERE passage MATCH ? ORDER BY rank LIMIT ?"
    return Asked(timed(lambda query: lambda: connection.execute(statement, (_match(query), HITS)).fetchall(), queries), memory())


def rebuild(corpus: Corpus, queries: Sequence[Query], classes: int) -> tuple[Times, list[Found]]:
    """For each call a fresh table in memory, filled with what may be read: the definition of a right answer."""
    documents = list(corpus.documents())
    may_read = readable(classes)
    of_document = spread(len(documents), classes)
    places = [
        (document, number)
        for document, texts in enumerate(documents)
        if of_document[document] in may_read
        for number in range(len(texts))
    ]
    times, found = [], []
    for query in queries:
        start = time.perf_counter()
        connection = _fts5(":memory:", [documents[document][number] for document, number in places])
        statement = "SELECT rowid, -bm25(passage) FROM passage WHERE passage MATCH ?"
        rows: list[Any] = connection.execute(statement, (_match(query),)).fetchall()
        hits = [(*places[rowid - 1], score) for rowid, score in rows]
        found.append(sorted(hits, key=lambda hit: (-hit[2], public_id(hit[0]).bytes, hit[1]))[:HITS])
        times.append((time.perf_counter() - start) * 1000)
    return Times(times), found


def _tokenizer(connection: apsw.Connection, arguments: list[str]) -> object:
    def tokens(text: str, flags: int, locale: str | None) -> Iterator[tuple[int, int, str]]:
        return tokenise(text)

    return tokens


def _open_fts5(path: str) -> apsw.Connection:
    connection = apsw.Connection(path)
    tokenizer = cast("apsw.FTS5TokenizerFactory", apsw.fts5.StringTokenizer(cast("Any", _tokenizer)))
    connection.register_fts5_tokenizer("ours", tokenizer)
    connection.execute("PRAGMA mmap_size = 1099511627776")
    return connection


def _fts5(path: str, passages: Sequence[str]) -> apsw.Connection:
    connection = _open_fts5(path)
    connection.execute("CREATE VIRTUAL TABLE passage USING fts5(text, content = '', tokenize = 'ours')")
    with connection:
        connection.executemany(
            "INSERT INTO passage (rowid, text) VALUES (?, ?)", ((number + 1, text) for number, text in enumerate(passages))
        )
    return connection


def _match(query: Query) -> str:
    return " AND ".join(f'"{" ".join(phrase)}"' for phrase in query.phrases)


# tantivy


def build_tantivy(corpus: Corpus, folder: Path) -> Built:
    """One merged segment; the class as an indexed number, once for each number of classes."""
    documents = list(corpus.documents())
    spreads = {f"class{classes}": spread(len(documents), classes) for classes in CLASSES}
    before = memory()
    start, worked = time.perf_counter(), time.process_time()
    writer = tantivy.Index(_schema(), path=str(folder)).writer(heap_size=1_000_000_000, num_threads=1)
    for document, texts in enumerate(documents):
        for text in texts:
            passage = tantivy.Document(text=" ".join(words(text)))
            for name, values in spreads.items():
                passage.add_unsigned(name, values[document])
            writer.add_document(passage)
    writer.commit()
    most = memory()
    writer.wait_merging_threads()
    seconds, processor = time.perf_counter() - start, time.process_time() - worked
    return Built(sum(map(len, documents)), seconds, processor, megabytes(folder), most - before)


def ask_tantivy(folder: Path, queries: Sequence[Query], classes: int) -> Asked:
    """All words and the filter must match; the filter is made beforehand, and hits are not counted."""
    searcher = tantivy.Index(_schema(), path=str(folder)).searcher()
    schema, must = _schema(), tantivy.Occur.Must
    may_read = _may_read(classes)

    def ask(query: Query) -> object:
        terms = [(must, tantivy.Query.term_query(schema, "text", word)) for (word,) in query.phrases]
        return searcher.search(tantivy.Query.boolean_query([*terms, (must, may_read)]), HITS, count=False).hits

    return Asked(timed(lambda query: partial(ask, query), queries), memory())


def ask_tantivy_any(folder: Path, questions: Sequence[Question], classes: int) -> Asked:
    """Any word and the filter must match; the filter is made beforehand, and hits are not counted."""
    searcher = tantivy.Index(_schema(), path=str(folder)).searcher()
    schema, must, should = _schema(), tantivy.Occur.Must, tantivy.Occur.Should
    may_read = _may_read(classes)

    def ask(question: Question) -> object:
        different = dict.fromkeys(word for _, _, word in question.words)
        any_word = tantivy.Query.boolean_query([(should, tantivy.Query.term_query(schema, "text", word)) for word in different])
        return searcher.search(tantivy.Query.boolean_query([(must, any_word), (must, may_read)]), HITS, count=False).hits

    return Asked(timed(lambda question: partial(ask, question), questions), memory())


def _may_read(classes: int) -> Any:
    terms = tantivy.Query.term_set_query(_schema(), f"class{classes}", sorted(readable(classes)))
    return tantivy.Query.const_score_query(terms, 0.0)


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    for classes in CLASSES:
        builder.add_unsigned_field(f"class{classes}", indexed=True, fast=True)
    return builder.build()
