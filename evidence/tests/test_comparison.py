"""Two texts side by side: what is the same, changed, gone, new, moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.comparison import Change, Gap, Row, compare, folded

LONG = "Dieser Absatz ist lang genug, um zu wandern."


def changes(old: list[str], new: list[str]) -> list[tuple[str, int | None, int | None]]:
    return [(row.change.value, row.old and row.old.number, row.new and row.new.number) for row in compare(old, new).rows]  # type: ignore[misc]


def marked(row: Row) -> tuple[str, str]:
    """The changed words of both sides in brackets."""
    left, right = (
        "".join(f"[{run.text}]" if run.changed else run.text for run in side.runs) if side else "" for side in (row.old, row.new)
    )
    return left, right


def test_equal_texts_have_no_changes() -> None:
    assert changes(["a", "b"], ["a", "b"]) == [("same", 0, 0), ("same", 1, 1)]


def test_a_changed_passage_is_marked_by_words() -> None:
    (row,) = compare(["Die Frist beträgt acht Tage."], ["Die Frist beträgt neun Tage."]).rows
    assert row.change is Change.CHANGED
    assert marked(row) == ("Die Frist beträgt [acht] Tage.", "Die Frist beträgt [neun] Tage.")


def test_passages_with_little_in_common_are_removed_and_added() -> None:
    assert changes(["Ganz anderes steht hier geschrieben."], ["Nichts davon bleibt übrig."]) == [
        ("removed", 0, None),
        ("added", None, 0),
    ]


def test_an_added_passage_shifts_the_others() -> None:
    assert changes(["a", "b"], ["a", "neu", "b"]) == [("same", 0, 0), ("added", None, 1), ("same", 1, 2)]


def test_a_passage_that_moved_is_recognised_at_both_places() -> None:
    rows = compare([LONG, "eins", "zwei", "drei"], ["eins", "zwei", "drei", LONG]).rows
    moved = [(row.change, (row.old or row.new).moved) for row in rows if row.change != "same"]  # type: ignore[union-attr]
    assert moved == [(Change.MOVED_AWAY, 3), (Change.MOVED_HERE, 0)]


def test_short_or_repeated_passages_are_not_said_to_have_moved() -> None:
    kinds = {change for change, _, _ in changes(["(weggefallen)", "eins", "zwei"], ["eins", "zwei", "(weggefallen)"])}
    assert kinds == {"removed", "same", "added"}


def test_long_equal_stretches_are_folded_and_counted() -> None:
    old = [str(number) for number in range(20)]
    rows = list(folded(compare(old, [*old[:10], "neu", *old[10:]]).rows))
    assert [row.count for row in rows if isinstance(row, Gap)] == [8, 8]
    assert len([row for row in rows if isinstance(row, Row)]) == 5


def test_the_cited_passage_is_never_folded() -> None:
    old = [str(number) for number in range(20)]
    rows = list(folded(compare(old, old).rows, keep=10))
    assert any(isinstance(row, Row) and row.old and row.old.number == 10 for row in rows)


@pytest.mark.parametrize("size", [5_000])
def test_a_long_law_is_compared_in_reasonable_time(size: int) -> None:
    old = [f"Absatz {number} von vielen." if number % 3 else "(weggefallen)" for number in range(size)]
    new = [*old[:100], "neu", *old[200:]]
    assert sum(row.change != "same" for row in compare(old, new).rows) >= 101


TEXTS = st.lists(
    st.sampled_from(["a", "b", LONG, "Die Frist beträgt acht Tage.", "Die Frist beträgt neun Tage.", ""]), max_size=8
)


@given(old=TEXTS, new=TEXTS)
def test_no_word_is_lost_on_either_side(old: list[str], new: list[str]) -> None:
    rows = compare(old, new).rows
    left = sorted((row.old.number, "".join(run.text for run in row.old.runs)) for row in rows if row.old)
    right = sorted((row.new.number, "".join(run.text for run in row.new.runs)) for row in rows if row.new)
    assert left == list(enumerate(old))
    assert right == list(enumerate(new))


def test_a_passage_of_few_words_repeated_thousands_of_times_is_not_compared_word_by_word() -> None:
    rows = compare(["a b c " * 4_000], ["b a c " * 4_000]).rows  # took a minute
    assert [row.change for row in rows] == [Change.REMOVED, Change.ADDED]


def test_thousands_of_lines_of_a_letter_each_are_shown_whole_and_no_line_is_lost() -> None:
    """Each equals thousands of others; to match them took ten seconds, and a hundred thousand of them minutes."""
    letters = [chr(ord("a") + number * number % 7) for number in range(10_000)]
    old, new = ["eins", *letters, "zwei"], ["eins", *reversed(letters), "neu", "zwei"]
    found = compare(old, new)
    assert found.whole and [(row.change, len(row.old.runs)) for row in found.rows if row.old and row.new] == [("same", 1)] * 2
    assert [row.old.runs[0].text for row in found.rows if row.old] == old
    assert [row.new.runs[0].text for row in found.rows if row.new] == new


def test_what_takes_no_steps_is_compared_however_long_it_is() -> None:
    old = ["x"] * 20_000
    found = compare(old, [*old[:5_000], "y", *old[5_000:]])
    assert not found.whole and [row.change for row in found.rows if row.change != "same"] == ["added"]
    words = "wort " * 20_000
    (row,) = compare([f"{words}alt {words}"], [f"{words}neu {words}"]).rows
    assert (row.change, marked(row)[0].count("["), "[alt]" in marked(row)[0]) == ("changed", 1, True)


def test_lines_that_never_follow_one_another_alike_cost_no_more() -> None:
    """The longest run that is equal is one line, again and again: few pairs, and looked at as often as there are lines."""
    found = compare(["a", "b", "c"] * 1_000, ["x", *["c", "b", "a"] * 1_000])
    assert found.whole
