"""Random corpora, rights, changes and questions: the wider mode against its oracle, and against itself without what is hidden."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence.content import Searched
from evidence.index import Engine, Entry, Wider
from evidence.index.questions import How, Off, Question, Synonym, locate, parse_question
from evidence.tests import wider_oracle
from evidence.tests.entries import entry
from evidence.tests.test_index_oracle import CLASSES, DOCUMENTS, Change, Corpus, Move, Removal, fresh

FIXED = settings(max_examples=100, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = (
    *(
        "kündigung",
        "kuendigung",
        "kündigungen",
        "kündigungsfrist",
        "kündigungsfristen",
        "kündigungsschutzklage",
        "klage",
        "klagen",
    ),
    *("frist", "fristen", "schutz", "straße", "strasse", "straßen", "der", "die", "wie", "lange", "tage", "court", "courts"),
    *("kündigunf", "fristne", "entlassung", "fristlose", "x" * 41, "BGB", "622", "§ 622", "§ 622 BGB", "BGB 1", "bundesgesetz"),
    *("nicht", "ohne", "not", "or not", "verboten", "drei", "3", "12th"),
)
GROUPS = st.sampled_from(
    [
        Synonym((("kündigung",), ("entlassung",), ("fristlose", "kündigung"))),
        Synonym((("klagen",), ("schutz", "frist"))),
        Synonym((("quastenflosser",), ("straße",), ("court",))),
    ]
)
TURNED = ("nicht", "verboten", "frist", "fristen", "klage", "drei", "BGB", "622", "§ 622", "§ 622 BGB")
"""Of these alone, questions are often turned round or refer to something, and documents too."""


def joined(words: Sequence[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words), max_size=most).map(" ".join)


@st.composite
def documents(draw: st.DrawFn, words: Sequence[str] = WORDS) -> Entry:
    texts = draw(st.lists(joined(words, 8), max_size=5))
    titles = draw(st.lists(joined(words, 3), min_size=1, max_size=3))
    sections = draw(st.lists(st.integers(0, len(titles) - 1), min_size=len(texts), max_size=len(texts)))
    return entry(
        draw(st.sampled_from(DOCUMENTS)),
        *texts,
        access_class=draw(st.sampled_from(CLASSES)),
        titles=titles,
        sections=sections,
        headings=draw(st.sets(st.integers(0, len(texts) - 1))) if texts else (),
        kind=draw(st.sampled_from(["law", "note"])),
    )


OFFS = st.sets(
    st.builds(
        Off, st.sampled_from(WORDS), st.sampled_from([how for how in How if how is not How.EXACT]), st.sampled_from(["", *WORDS])
    ),
    max_size=4,
)


def questions_of(words: Sequence[str]) -> st.SearchStrategy[Question]:
    return st.builds(
        lambda chosen, without, synonyms: parse_question(" ".join(chosen), without=without, synonyms=synonyms),
        st.lists(st.sampled_from(words), min_size=1, max_size=5),
        OFFS,
        st.lists(GROUPS, max_size=2),
    )


QUESTIONS = questions_of(WORDS)
CHANGES = st.one_of(
    st.lists(documents(), min_size=1, max_size=4),
    st.builds(Move, st.sampled_from(DOCUMENTS), st.sampled_from(CLASSES)),
    st.builds(Removal, st.frozensets(st.sampled_from(DOCUMENTS), max_size=3)),
)
SOME_CLASSES = st.sets(st.sampled_from(CLASSES), min_size=1)
SOME_DOCUMENTS = st.sets(st.sampled_from(DOCUMENTS), max_size=2)
BOUNDS = st.sampled_from([1, 2, 100])


@contextmanager
def at_most(alternatives: int) -> Iterator[None]:
    """So few alternatives that some are left out, and few looked up at once; and only so close is near."""
    with (
        patch("evidence.index.looking.MOST", alternatives),
        patch("evidence.tests.wider_oracle.MOST", alternatives),
        patch("evidence.index.meaning.MOST_SHARED", alternatives),
        patch("evidence.tests.wider_oracle.MOST_SHARED", alternatives),
        patch("evidence.index.looking.CHUNK", 2),
        patch("evidence.language.answering.NEAR", alternatives),
        patch("evidence.tests.wider_oracle.NEAR", alternatives),
    ):
        yield


def ask(
    engine: Engine,
    question: Question,
    classes: Collection[int],
    excluded: Collection[int] = (),
    *,
    filters: Mapping[str, Collection[str]] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> Wider:
    return engine.wider(question, classes=classes, excluded=excluded, filters=filters or {}, limit=limit, offset=offset)


def compare(corpus: Corpus, question: Question, classes: Collection[int], excluded: Collection[int]) -> None:
    found = ask(corpus.engine, question, classes, excluded)
    expected = wider_oracle.Corpus(corpus.readable(classes, excluded)).answer(question)
    assert list(found.terms) == expected.terms
    scores = {(hit.document, hit.passage): hit.score for hit in found.hits}
    assert scores == pytest.approx({hit[:2]: hit[2] for hit in expected.hits}, rel=0, abs=1e-9)
    ids = {number: item.public_id.bytes for number, item in corpus.entries.items()}
    assert list(found.hits) == sorted(found.hits, key=lambda hit: (-hit.score, ids[hit.document], hit.passage))
    texts = [corpus.entries[hit.document].passages[hit.passage] for hit in found.hits]
    assert all(hit.referred or locate(found.terms, Searched(text)) for hit, text in zip(found.hits, texts, strict=True))
    assert (found.answerability, tuple(found.lacking)) == (expected.answerability, expected.lacking)
    assert found.total == len(expected.hits)
    assert sum(found.counts.get("kind", {}).values()) == len(expected.hits)


@FIXED
@given(
    st.lists(CHANGES, min_size=1, max_size=6), st.lists(QUESTIONS, min_size=1, max_size=4), SOME_CLASSES, SOME_DOCUMENTS, BOUNDS
)
def test_terms_hits_order_scores_and_totals_are_those_of_the_formula(
    changes: Sequence[Change], questions: Sequence[Question], classes: Collection[int], excluded: Collection[int], bound: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, at_most(bound):
        corpus = fresh(folder)
        for change in changes:
            corpus.apply(change)
        for question in questions:
            compare(corpus, question, classes, excluded)


@settings(FIXED, max_examples=400)
@given(st.lists(documents(TURNED), min_size=1, max_size=6), st.lists(questions_of(TURNED), min_size=1, max_size=4), BOUNDS)
def test_what_answers_are_worth_is_that_of_the_formula(entries: list[Entry], questions: Sequence[Question], bound: int) -> None:
    with tempfile.TemporaryDirectory() as folder, at_most(bound):
        corpus = fresh(folder, entries=entries)
        for question in questions:
            compare(corpus, question, CLASSES, ())


@FIXED
@given(
    st.lists(CHANGES, min_size=1, max_size=6), st.lists(QUESTIONS, min_size=1, max_size=4), SOME_CLASSES, SOME_DOCUMENTS, BOUNDS
)
def test_answers_are_the_same_to_the_bit_without_what_may_not_be_read(
    changes: Sequence[Change], questions: Sequence[Question], classes: Collection[int], excluded: Collection[int], bound: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, at_most(bound):
        corpus = fresh(folder)
        for change in changes:
            corpus.apply(change)
        alone = fresh(folder, "alone", corpus.readable(classes, excluded))
        for question in questions:
            assert ask(corpus.engine, question, classes, excluded) == ask(alone.engine, question, classes)


@FIXED
@given(st.lists(documents(), min_size=1, max_size=6), QUESTIONS, st.integers(1, 3))
def test_pages_follow_one_another(entries: list[Entry], question: Question, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder, entries=entries)
        whole = ask(corpus.engine, question, CLASSES)
        parts = [ask(corpus.engine, question, CLASSES, limit=size, offset=start) for start in range(0, whole.total + 1, size)]
        assert [hit for part in parts for hit in part.hits] == list(whole.hits)
        assert all((part.total, part.counts, part.terms) == (whole.total, whole.counts, whole.terms) for part in parts)


@FIXED
@given(st.lists(documents(), min_size=1, max_size=6), QUESTIONS, st.sets(st.sampled_from(["law", "note"]), min_size=1))
def test_filters_only_leave_hits_out(entries: list[Entry], question: Question, kinds: Collection[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder, entries=entries)
        whole = ask(corpus.engine, question, CLASSES)
        found = ask(corpus.engine, question, CLASSES, filters={"kind": kinds})
        assert list(found.hits) == [hit for hit in whole.hits if corpus.entries[hit.document].attributes["kind"] in kinds]
        assert (found.counts.get("kind"), found.terms) == (whole.counts.get("kind"), whole.terms)


@FIXED
@given(st.lists(CHANGES, min_size=1, max_size=6))
def test_what_is_looked_up_is_in_step_with_what_is_there(changes: Sequence[Change]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = fresh(folder)
        for change in changes:
            corpus.apply(change)
        corpus.engine.check()
