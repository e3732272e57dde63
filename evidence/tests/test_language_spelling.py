"""Typing errors: which words may have been meant."""

from __future__ import annotations

import pytest

from evidence.language import keys
from evidence.language.spelling import asked_buckets, near, unfolded

VOCABULARY = [
    "benennung",
    "benennen",
    "kündigung",
    "kündigungen",
    "gefährdungsbeurteilung",
    "urlaub",
    "laub",
    "vertrag",
    "vertrags",
    "haus",
    "maus",
    "employment",
    "whistleblower",
]


def _meant(written: str) -> list[str]:
    candidates = [word for word in VOCABULARY if not keys(word).spellings.isdisjoint(asked_buckets(written))]
    return [word for word, _ in near(written, candidates)]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("benennug", ["benennung"]),
        ("kündgung", ["kündigung"]),
        ("kündiugng", ["kündigung"]),
        ("ründigung", ["kündigung"]),
        ("gefahrdungsbeurteilung", ["gefährdungsbeurteilung"]),
        ("gefährdungsbeurtielugn", ["gefährdungsbeurteilung"]),
        ("urlaib", ["urlaub"]),
        ("vetrag", ["vertrag"]),
        ("emplyment", ["employment"]),
        ("wistleblower", ["whistleblower"]),
    ],
)
def test_the_closest_word_is_meant(written: str, meant: list[str]) -> None:
    assert _meant(written) == meant


@pytest.mark.parametrize("written", ["haus", "hauz", "mau", "xyzxyz", "2014", "urlaube1", "benemnumg2", ""])
def test_short_far_and_mixed_words_are_not_guessed(written: str) -> None:
    assert _meant(written) == []


def test_only_the_closest_are_meant() -> None:
    assert near("kündigungem", ["kündigungen", "kündigung", "kündigunge"]) == [("kündigunge", 1), ("kündigungen", 1)]


def test_what_may_have_been_spelled_out_is_tried_the_written_way_first() -> None:
    assert list(unfolded("strasse")) == ["strasse", "straße"]
    assert list(unfolded("haus")) == ["haus"]
    assert "größe" in unfolded("groesse")
    assert len(list(unfolded("ae" * 20))) == 16
