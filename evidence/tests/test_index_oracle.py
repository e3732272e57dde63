"""Random corpora, rights and changes: the engine against FTS5, and against itself without what may not be read."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence.content import Searched
from evidence.index import Engine, Entry, Result
from evidence.index.query import Query
from evidence.index.sqlite import SqliteEngine
from evidence.index.tokens import find, words
from evidence.tests.entries import entry
from evidence.tests.oracle import ranked

FIXED = settings(max_examples=100, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CLASSES = (1, 2, 3)
DOCUMENTS = range(1, 7)

# few words, so that they repeat; two pieces in a row without a blank make longer ones
PIECES = ("a", "b", "c", "Ä", "ä", "ß", "SS", "İ", "1,5", "z.B.", "你", "e\u0301", " ", " ", " ", "\n", "-", '"', "x" * 41)
TEXTS = st.one_of(
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
ENTRIES = st.builds(
    lambda number, passages, access_class, kind: entry(number, *passages, access_class=access_class, kind=kind),
    st.sampled_from(DOCUMENTS),
    st.lists(TEXTS, max_size=5),
    st.sampled_from(CLASSES),
    st.sampled_from(["law", "note"]),
)
WORDS = st.sampled_from(["a", "a", "b", "b", "c", "ä", "ß", "ss", "i̇", "1,5", "z.b", "你", "e\u0301", "zz"])
PHRASES = st.one_of(WORDS.map(lambda word: (word,)), st.lists(WORDS, min_size=2, max_size=3).map(tuple))
QUERIES = st.lists(PHRASES, min_size=1, max_size=4).map(lambda phrases: Query("", tuple(phrases)))
SOME_CLASSES = st.sets(st.sampled_from(CLASSES), min_size=1)
SOME_DOCUMENTS = st.sets(st.sampled_from(DOCUMENTS), max_size=2)


@dataclass(frozen=True)
class Move:
    """A document gets another class."""

    document: int
    access_class: int


@dataclass(frozen=True)
class Removal:
    """Documents go."""

    documents: frozenset[int]


CHANGES = st.one_of(
    st.lists(ENTRIES, min_size=1, max_size=4),
    st.builds(Move, st.sampled_from(DOCUMENTS), st.sampled_from(CLASSES)),
    st.builds(Removal, st.frozensets(st.sampled_from(DOCUMENTS), max_size=3)),
)
Change = list[Entry] | Move | Removal


@dataclass
class Corpus:
    """An engine, and beside it what should be in it."""

    engine: Engine
    entries: dict[int, Entry] = field(default_factory=dict)

    def apply(self, change: Change) -> None:
        match change:
            case Removal(documents):
                self.engine.remove(documents)
                self.entries = {number: item for number, item in self.entries.items() if number not in documents}
            case Move(document, access_class):
                self.engine.reclass({document: (access_class, {"kind": "moved"})})
                if old := self.entries.get(document):
                    self.entries[document] = replace(old, access_class=access_class, attributes={"kind": "moved"})
            case entries:
                self.engine.put(entries)
                self.entries.update((item.document, item) for item in entries)

    def readable(self, classes: Collection[int], excluded: Collection[int]) -> list[Entry]:
        return [e for e in self.entries.values() if e.access_class in classes and e.document not in excluded]


def search(engine: Engine, query: Query, classes: Collection[int], excluded: Collection[int] = ()) -> Result:
    return engine.search(query, classes=classes, excluded=excluded, filters={}, limit=50, offset=0)


def fresh(folder: str, name: str = "index", entries: Sequence[Entry] = ()) -> Corpus:
    corpus = Corpus(SqliteEngine(Path(folder) / f"{name}.sqlite3"))
    corpus.apply(list(entries))
    return corpus


def compare(corpus: Corpus, query: Query, classes: Collection[int], excluded: Collection[int]) -> None:
    found = search(corpus.engine, query, classes, excluded)
    expected = ranked(corpus.readable(classes, excluded), query)
    assert [(hit.document, hit.passage) for hit in found.hits] == [hit[:2] for hit in expected]
    assert [hit.score for hit in found.hits] == pytest.approx([hit[2] for hit in expected], rel=0, abs=1e-9)
    texts = [corpus.entries[hit.document].passages[hit.passage] for hit in found.hits]
    assert all(find([phrase], Searched(text)) for text in texts for phrase in query.phrases)
    assert found.total == len(expected)
    assert sum(found.counts.get("kind", {}).values()) == len(expected)


@FIXED
@given(st.lists(CHANGES, min_size=1, max_size=6), st.lists(QUERIES, min_size=1, max_size=6), SOME_CLASSES, SOME_DOCUMENTS)
def test_hits_order_scores_and_totals_are_those_of_fts5(
    changes: Sequence[Change], queries: Sequence[Query], classes: Collection[int], excluded: Collection[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder)
        for change in changes:
            corpus.apply(change)
        for query in queries:
            compare(corpus, query, classes, excluded)


@FIXED
@given(st.lists(ENTRIES, min_size=1, max_size=6), st.lists(PHRASES, min_size=1, max_size=4))
def test_frequencies_are_those_of_fts5(entries: list[Entry], phrases: Sequence[tuple[str, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder, entries=entries)
        found = search(corpus.engine, Query("", tuple(phrases)), CLASSES)
        alone = [len(ranked(corpus.entries.values(), Query("", (phrase,)))) for phrase in phrases]
        assert list(found.frequencies) == alone


@FIXED
@given(st.lists(CHANGES, min_size=1, max_size=6), st.lists(QUERIES, min_size=1, max_size=4), SOME_CLASSES, SOME_DOCUMENTS)
def test_answers_are_the_same_to_the_bit_without_what_may_not_be_read(
    changes: Sequence[Change], queries: Sequence[Query], classes: Collection[int], excluded: Collection[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder)
        for change in changes:
            corpus.apply(change)
        alone = fresh(folder, "alone", corpus.readable(classes, excluded))
        for query in queries:
            assert search(corpus.engine, query, classes, excluded) == search(alone.engine, query, classes)


@FIXED
@given(st.lists(ENTRIES, min_size=2, max_size=6), st.sets(st.sampled_from(DOCUMENTS), min_size=1))
def test_removed_words_have_no_row(entries: list[Entry], documents: Collection[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder, entries=entries)
        corpus.apply(Removal(frozenset(documents)))
        left = {word for item in corpus.entries.values() for text in item.passages for word in words(text) if len(word) <= 40}
        assert stored_words(corpus.engine) == left


def stored_words(engine: Engine) -> set[str]:
    assert isinstance(engine, SqliteEngine)
    with engine._storage.reading() as connection:
        return {str(word) for (word,) in connection.execute("SELECT word FROM posting")}


@FIXED
@given(
    st.lists(ENTRIES, min_size=1, max_size=6),
    QUERIES,
    st.dictionaries(st.just("kind"), st.sets(st.sampled_from(["law", "note"]))),
)
def test_filters_only_leave_hits_out(entries: list[Entry], query: Query, filters: Mapping[str, Collection[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder, entries=entries)
        whole = search(corpus.engine, query, CLASSES)
        found = corpus.engine.search(query, classes=CLASSES, excluded=(), filters=filters, limit=50, offset=0)
        accepted = filters.get("kind", {"law", "note"})
        assert list(found.hits) == [hit for hit in whole.hits if corpus.entries[hit.document].attributes["kind"] in accepted]
        assert found.counts.get("kind") == whole.counts.get("kind")
