"""Why rights can't be used: kept as a text, told in every language."""

from __future__ import annotations

import pytest

from evidence.sources import problems

REASONS = [
    problems.NOTHING_STATED,
    problems.DIFFERENT_RIGHTS,
    problems.NOT_KNOWN,
    problems.NOBODY_LEFT,
    problems.DRILL,
]


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_without_values_is_its_own_template(reason: str) -> None:
    assert problems.told(problems.fill(reason)) == (reason, {})


@pytest.mark.parametrize(
    "odd", ["a", "", "100 %", "%(where)s", "“x”: an empty list", "b\nc", "…: not a list", "unknown principal x"]
)
@pytest.mark.parametrize(
    ("template", "names"),
    [
        (problems.NO_LIST, {"where"}),
        (problems.EMPTY_LIST, {"where"}),
        (problems.NO_PRINCIPAL, {"where", "value"}),
        (problems.UNKNOWN_PRINCIPAL, {"name"}),
    ],
)
def test_what_a_kept_reason_was_made_of_is_seen_from_it(template: str, names: set[str], odd: str) -> None:
    values = dict.fromkeys(names, odd)
    assert problems.told(problems.fill(template, **values)) == (template, values)


def test_a_long_value_never_takes_the_reason_away() -> None:
    kept = problems.fill(problems.NO_PRINCIPAL, where="w" * 500, value="v" * 500)
    assert len(kept) <= problems.MAX_PROBLEM and kept.endswith("is neither group:NAME nor user:NAME")
    told = problems.told(kept)
    assert told is not None and told[0] == problems.NO_PRINCIPAL


def test_a_text_from_elsewhere_is_none_of_the_reasons() -> None:
    assert problems.told("kept as they are") is None
