"""Sentences: cut where one ends, not where a full stop shortens a word; joined again they are the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.answers.sentences import cut
from evidence.answers.values import MAX_SENTENCE


@pytest.mark.parametrize(
    "text",
    [
        "Das gilt z. B. für Rechnungen nach § 5 Abs. 2 Nr. 3 der Satzung.",
        "Es gilt gem. Art. 5 DSGVO, vgl. S. 12 ff. des Handbuchs.",
        "Die Frist endet am 3. Mai 2024 um 18 Uhr.",
        "Im 2. Quartal sind es ca. 30 Prozent mehr.",
        "Herr Dr. Meier u. a. kamen, d. h. fast alle.",
        "See e.g. Fig. 3 and Sec. 4 of the report by J. Doe et al. from Jan. 2020.",
        "It costs 3.5 percent, i.e. more than before.",
        "1. Der erste Punkt",
        "Es heißt dort ... und so weiter.",
        "Das Wort „Halt!“ steht dort.",
        "Eine Zeile,\ndie weitergeht.",
        "Version 2.0.1 ist neu.",
        "Es heißt: „Das gilt immer. Und für alle.“",
        "It says “This is so. It stays so.” (https://x.example/a)",
        'Es heißt ("Das gilt. Immer."), sagt er.',
        "Es heißt »Gilt das? Ja! Immer.« im Text.",
    ],
)
def test_one_sentence_stays_one(text: str) -> None:
    assert list(cut(text)) == [text]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Es regnet. Es schneit.", ["Es regnet. ", "Es schneit."]),
        ("Gilt das? Ja! Immer.", ["Gilt das? ", "Ja! ", "Immer."]),
        ("Er sagt: „Das gilt.“ Sie nickt.", ["Er sagt: „Das gilt.“ ", "Sie nickt."]),
        ("Das steht in Nr. 3. Die Frist ist kurz.", ["Das steht in Nr. 3. ", "Die Frist ist kurz."]),
        ("Es war 2024. Danach kam nichts.", ["Es war 2024. ", "Danach kam nichts."]),
        ("Grass is green.[1] The sky is blue.[2, 3]", ["Grass is green.[1] ", "The sky is blue.[2, 3]"]),
        ("So in dieser Art. Das war es.", ["So in dieser Art. ", "Das war es."]),
        ("No. The answer is short.", ["No. ", "The answer is short."]),
        ("Eine Überschrift\n\nEin Satz.", ["Eine Überschrift\n\n", "Ein Satz."]),
        ("Punkte:\n- Der eine\n- der andere", ["Punkte:\n", "- Der eine\n", "- der andere"]),
        ("1. Der erste.\n2. Der zweite.", ["1. Der erste.\n", "2. Der zweite."]),
        ("Es sind 30 Tage. \U0001f600 Danach nicht.", ["Es sind 30 Tage. ", "\U0001f600 Danach nicht."]),
        ("„Eins gilt. Zwei.“ Danach. „Drei gilt. Vier.“", ["„Eins gilt. Zwei.“ ", "Danach. ", "„Drei gilt. Vier.“"]),
        ("Das „steht offen. Und bleibt so.", ["Das „steht offen. ", "Und bleibt so."]),
        ("„Ein Absatz.\n\nNoch einer.“", ["„Ein Absatz.\n\n", "Noch einer.“"]),
        ('Ein Rohr von 5". Eins von 6". Ende.', ['Ein Rohr von 5". ', 'Eins von 6". ', "Ende."]),
        ("\n\n  Am Anfang. Am Ende.\n ", ["\n\n  Am Anfang. ", "Am Ende.\n "]),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_text_is_cut_between_its_sentences(text: str, found: list[str]) -> None:
    assert list(cut(text)) == found


@given(st.text(alphabet='aZ 1.!?…\n„“")[]Ä', max_size=80))
def test_joined_they_are_the_text_and_none_is_blank(text: str) -> None:
    found = cut(text)
    assert "".join(found) == (text if text.strip() else "")
    assert all(one.strip() for one in found)


def test_what_is_too_long_to_be_kept_is_cut_between_words() -> None:
    text = "wort " * 1_000
    found = cut(text)
    assert "".join(found) == text
    assert len(found) == 3 and all(len(one) <= MAX_SENTENCE and one.endswith(" ") for one in found)
    assert [len(one) for one in cut("x" * 4_500)] == [2_000, 2_000, 500]
