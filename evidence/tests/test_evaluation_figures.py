"""The figures of evaluations against a plain computation of their definitions, and cases worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.evaluation import figures
from evidence.evaluation.figures import Given, Outcome
from evidence.evaluation.questions import State

RANKS = st.one_of(st.none(), st.integers(1, 60))
OUTCOMES = st.builds(
    Outcome,
    id=st.uuids().map(str),
    expected=st.sampled_from(State),
    given=st.sampled_from(Given),
    rank=RANKS,
    gain=st.floats(0, 1),
    quoted=st.booleans(),
    passage=RANKS,
    passage_gain=st.floats(0, 1),
    forbidden=st.lists(st.uuids().map(str), max_size=2).map(tuple),
    group=st.sampled_from(["", "de"]),
)


def outcome(
    id: str = "q", *, expected: State = State.ANSWERABLE, given: Given = Given.ANSWERABLE, rank: int | None = None, **more: object
) -> Outcome:
    return Outcome(id, expected, given, rank, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("grades", "expected", "value"),
    [
        ([1], [1], 1.0),
        ([0, 1], [1], 1 / math.log2(3)),
        ([0, 0, 0], [1], 0.0),
        ([], [1], 0.0),
        ([1, 1], [1, 1], 1.0),
        ([1, 0, 1], [1, 1], (1 + 0.5) / (1 + 1 / math.log2(3))),
        ([1, 2], [2, 1], (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        ([2, 0], [2, 1, 1], 2 / (2 + 1 / math.log2(3) + 0.5)),
        ([0] * 10 + [1], [1], 0.0),
        ([1] * 10, [1] * 12, 1.0),
        ([2], [1, 1], 1.0),
    ],
)
def test_ndcg_is_what_it_is_by_hand(grades: list[int], expected: list[int], value: float) -> None:
    assert figures.ndcg(grades, expected) == pytest.approx(value)


def test_the_first_right_one_is_the_rank() -> None:
    assert [figures.first(found) for found in ([True], [False, True, True], [False], [])] == [1, 2, None, None]


def test_success_and_mrr_count_answerable_questions_only() -> None:
    asked = [outcome("a", rank=1), outcome("b", rank=4), outcome("c", rank=11), outcome("d")]
    found = figures.summary([*asked, outcome("e", expected=State.UNANSWERABLE, given=Given.NEAR)])
    assert [found[f"success@{k}"] for k in (1, 5, 10)] == [0.25, 0.5, 0.5]
    assert found["mrr"] == pytest.approx((1 + 1 / 4 + 1 / 11) / 4)


def test_more_cutoffs_are_counted_where_they_are_asked_for() -> None:
    found = figures.summary([outcome(rank=15)], cutoffs=(1, 20))
    assert (found["success@1"], found["success@20"]) == (0, 1) and "success@10" not in found


def test_near_and_nothing_recognise_an_unanswerable_question_and_a_refusal_does_not() -> None:
    states = (Given.NEAR, Given.NOTHING, Given.ANSWERABLE, Given.REFUSED)
    found = figures.summary([outcome(str(one), expected=State.UNANSWERABLE, given=one) for one in states])
    assert (found["recognised"], found["states_right"], found["states_wrong"], found["refused"]) == (0.5, 2, 2, 1)
    assert "lost" not in found and "success@1" not in found


def test_an_answerable_question_is_lost_by_anything_but_answerable() -> None:
    found = figures.summary([outcome(str(one), given=one) for one in Given])
    assert (found["lost"], found["states_right"], found["states_wrong"]) == (0.6, 2, 3)


def test_a_conflict_is_right_where_the_search_warns_of_it() -> None:
    found = figures.summary([outcome(str(one), expected=State.CONFLICT, given=one) for one in Given])
    assert (found["conflict"], found["states_right"], found["states_wrong"]) == (5, 1, 4)
    assert "success@10" not in found


def test_a_forbidden_document_makes_the_state_wrong_whatever_is_said() -> None:
    clean = outcome("a", expected=State.FORBIDDEN, given=Given.NOTHING)
    leaks = outcome("b", expected=State.FORBIDDEN, given=Given.NOTHING, forbidden=("x", "y"))
    found = figures.summary([clean, leaks])
    assert (found["states_right"], found["states_wrong"], found["forbidden_hits"]) == (1, 1, 2)


def test_passages_are_counted_where_quotes_are_expected() -> None:
    found = figures.summary([outcome("a", quoted=True, passage=2, passage_gain=0.6), outcome("b", rank=1)])
    assert (found["quoted"], found["passage_success@1"], found["passage_success@5"]) == (1, 0, 1)
    assert (found["passage_mrr"], found["passage_ndcg@10"]) == (0.5, 0.6)


def test_nothing_asked_gives_counts_and_no_shares() -> None:
    found = figures.summary([])
    assert found["questions"] == 0 and not any("@" in name for name in found)


@given(st.lists(OUTCOMES, max_size=30))
def test_figures_agree_with_a_plain_count(asked: list[Outcome]) -> None:
    found = figures.summary(asked)
    answerable = unanswerable = hits = lost = recognised = right = judged = 0
    reciprocal = gain = 0.0
    for one in asked:
        says_none = one.given == "near" or one.given == "nothing"
        if one.expected == "answerable":
            answerable += 1
            gain += one.gain
            if one.rank is not None:
                reciprocal += 1 / one.rank
                hits += one.rank < 11
            lost += one.given not in ("answerable", "conflict")
        if one.expected == "unanswerable":
            unanswerable += 1
            recognised += says_none
        judged += 1
        has_answer = one.given in ("answerable", "conflict")
        wanted = {"answerable": has_answer, "conflict": one.given == "conflict"}.get(one.expected, says_none)
        right += wanted and len(one.forbidden) == 0
    assert (found["states_right"], found["states_wrong"]) == (right, judged - right)
    if answerable:
        expected = [hits / answerable, reciprocal / answerable, gain / answerable, lost / answerable]
        assert [found[name] for name in ("success@10", "mrr", "ndcg@10", "lost")] == pytest.approx(expected)
    if unanswerable:
        assert found["recognised"] == pytest.approx(recognised / unanswerable)


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(1, 3), min_size=1, max_size=30))
def test_ndcg_lies_between_0_and_1_and_best_order_is_best(grades: list[int], expected: list[int]) -> None:
    assert 0 <= figures.ndcg(grades, expected) <= 1
    assert figures.ndcg(sorted(expected, reverse=True), expected) == pytest.approx(1)


def test_the_confusion_of_states_is_counted() -> None:
    asked = [outcome("a"), outcome("b", given=Given.NEAR), outcome("c", expected=State.FORBIDDEN, given=Given.NOTHING)]
    counts = figures.confusion(asked)
    assert list(counts) == [State.ANSWERABLE, State.FORBIDDEN]
    assert counts[State.ANSWERABLE] == {**dict.fromkeys(Given, 0), Given.ANSWERABLE: 1, Given.NEAR: 1}


def test_groups_are_counted_apart_where_there_are_several() -> None:
    asked = [outcome("a", rank=1, group="de"), outcome("b", group="en"), outcome("c", rank=3, group="en")]
    found = figures.by_group(asked)
    assert {name: (one["questions"], one["success@10"]) for name, one in found.items()} == {"de": (1, 1), "en": (2, 0.5)}
    assert figures.by_group(asked[1:]) == {}


def test_two_runs_differ_by_the_questions_that_got_better_or_worse() -> None:
    before = [outcome("up", rank=9), outcome("down", rank=1), outcome("same", rank=3), outcome("gone", rank=1)]
    now = [outcome("up", rank=2), outcome("down"), outcome("same", rank=3), outcome("new", rank=1)]
    found = figures.difference(now, before)
    assert [[change.now.id for change in some] for some in (found.better, found.worse)] == [["up"], ["down"]]
    assert (found.added, found.gone) == (["new"], ["gone"])


def test_what_leaks_now_is_worse_however_well_it_ranks() -> None:
    before = outcome("q", expected=State.FORBIDDEN, given=Given.NEAR)
    now = outcome("q", expected=State.FORBIDDEN, given=Given.NOTHING, forbidden=("x",))
    assert [change.now for change in figures.difference([now], [before]).worse] == [now]


@given(OUTCOMES)
def test_what_is_kept_of_a_question_is_read_back_as_it_was(one: Outcome) -> None:
    kept = Outcome.of_json(one.to_json())
    assert kept.gain == pytest.approx(one.gain, abs=1e-6)
    assert Outcome.of_json(kept.to_json()) == kept
