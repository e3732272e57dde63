"""Forms of words: what is one word, and what only looks like it."""

from __future__ import annotations

import pytest

from evidence.language import keys


def _share(one: str, other: str) -> bool:
    return not keys(one).forms.isdisjoint(keys(other).forms)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kündigung", "kündigungen"),
        ("kündigung", "gekündigt"),
        ("häuser", "haus"),
        ("vertrag", "verträgen"),
        ("fährt", "fahren"),
        ("ging", "gehen"),
        ("aufgerundet", "aufzurunden"),
        ("arbeitnehmern", "arbeitnehmer"),
        ("arbeitsverträge", "arbeitsvertrag"),
        ("kinder", "kindes"),
        ("jahre", "jahr"),
        ("öffentliche", "öffentlichen"),
        ("children", "child"),
        ("ran", "running"),
        ("cities", "city"),
        ("expired", "expires"),
        ("better", "good"),
        ("panthers", "panther"),
        ("ladner's", "ladner"),
        ("ladner’s", "ladner's"),
    ],
)
def test_forms_of_a_word_share_a_key(one: str, other: str) -> None:
    assert _share(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fordern", "fördern"),
        ("zahlen", "zählen"),
        ("schon", "schön"),
        ("organ", "organisation"),
        ("universe", "university"),
        ("police", "policy"),
        ("general", "generate"),
        ("news", "new"),
        ("arbeit", "abarbeiten"),
        ("schuld", "schule"),
        ("gift", "geben"),
    ],
)
def test_words_that_look_alike_share_none(one: str, other: str) -> None:
    assert not _share(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gefährdung", "gefaehrdung"),
        ("gefährdungsbeurteilung", "gefaehrdungsbeurteilungen"),
        ("straße", "strasse"),
        ("straßen", "strassen"),
        ("bußgeld", "bussgelder"),
        ("übung", "uebung"),
        ("müller", "mueller"),
        ("müßig", "muessig"),
    ],
)
def test_umlauts_and_sharp_s_may_be_spelled_out(one: str, other: str) -> None:
    assert _share(one, other)


def test_vowels_that_only_look_spelled_out_stay() -> None:
    assert not _share("neue", "neü")
    assert _share("steuer", "steuern")
    assert _share("israel", "israels")


@pytest.mark.parametrize(
    ("one", "other"),
    [("1000", "1.000"), ("1,000", "1.000"), ("1'000'000", "1000000"), ("0,15", "0.15"), ("14", "vierzehn"), ("zehn", "ten")],
)
def test_numbers_of_one_value_share_a_key(one: str, other: str) -> None:
    assert _share(one, other)


@pytest.mark.parametrize(("one", "other"), [("14", "140"), ("1.5", "15"), ("2014", "14"), ("ein", "1"), ("1a", "1")])
def test_numbers_of_different_values_share_none(one: str, other: str) -> None:
    assert not _share(one, other)


@pytest.mark.parametrize(
    "word", ["", "a", "ß", "ae", "é", "日本", "x" * 40, "ü" * 40, "ss" * 20, "1.2.3.4", "don't", "e", "\u0301a", "ﬁ"]
)
def test_any_word_has_keys(word: str) -> None:
    assert keys(word) == keys(word)
