"""Questions: which words are looked for, what they weigh, and when an answer is likely."""

from __future__ import annotations

import pytest

from evidence.index.tokens import tokenise
from evidence.language import Asked, understand
from evidence.language.answering import Support, answered, support, turned


def _asked(text: str) -> Asked:
    return understand(text, list(tokenise(text)))


def _looked_for(text: str) -> list[str]:
    return [word.written for word in _asked(text).words if not word.ignored]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wie lange muss der Arbeitgeber Belege aufbewahren?", "arbeitgeber belege aufbewahren"),
        ("Wie hoch ist der Beitrag?", "beitrag"),
        ("How long is the rest period?", "rest period"),
        ("Who won the war?", "won war"),
        ("Wer war der Kanzler?", "kanzler"),
        ("What did the man die of?", "man die"),
        ("was ist das", "was ist das"),
        ("Das hohe Gebäude", "hohe gebäude"),
        ("Urlaub Urlaub urlaub", "urlaub"),
        ("???", ""),
    ],
)
def test_little_words_are_not_looked_for(text: str, expected: str) -> None:
    assert _looked_for(text) == expected.split()


def test_beside_a_reference_all_words_may_be_little() -> None:
    assert _looked_for("Was ist § 622 BGB?") == []


def test_what_only_looked_like_a_reference_gives_its_words_back() -> None:
    text = "DIN 276 Kosten"
    asked = understand(text, list(tokenise(text)), without=_asked(text).references)
    assert [word.written for word in asked.words] == ["din", "276", "kosten"]


def test_words_that_questions_are_phrased_with_weigh_less() -> None:
    weights = {
        word.written: word.weight for word in _asked("Welche Bezeichnung verwendet man für Pflegezeit?").words if not word.ignored
    }
    assert weights["bezeichnung"] == weights["verwendet"] < weights["pflegezeit"]


def test_names_and_nouns_inside_a_question_are_emphasised() -> None:
    emphasis = {word.written: word.emphasis for word in _asked("Gelten neue Regeln in Bayern?").words if not word.ignored}
    assert emphasis["bayern"] > emphasis["neue"]
    assert emphasis["gelten"] == emphasis["neue"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Was darf man nicht ohne Antrag tun?", ("nicht", "ohne")),
        ("Why doesn’t it? It can't, and it never will, never!", ("doesn’t", "can't", "never")),
        ("What may be done or not?", ()),
        ("Gilt das oder nicht, und gilt es nicht?", ("nicht",)),
        ("Was gilt nach § 1 BGB?", ()),
    ],
)
def test_words_that_turn_a_question_round_are_told(text: str, expected: tuple[str, ...]) -> None:
    assert _asked(text).turning == expected


def test_numbers_are_needed() -> None:
    words = _asked("Gelten 2024 für zwei Tore B12 und den 3. Weg noch Regeln?").words
    assert [word.written for word in words if word.needed] == ["2024", "zwei", "b12", "3"]


SECTIONS = 1_000
FOUND, PARTLY, MISSING = Support(10, True, 0.0), Support(10, False, 1.0), Support(10, False, 0.0)
COMMON, NOWHERE = Support(900, False, 0.0), Support(0, False, 0.0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([FOUND], True),
        ([PARTLY], True),
        ([FOUND, MISSING], True),
        ([FOUND, MISSING, MISSING], False),
        ([FOUND, COMMON, COMMON, COMMON], True),
        ([FOUND, NOWHERE, MISSING], False),
        ([MISSING], False),
        ([FOUND, Support(10, True, 0.0, needed=True)], True),
        ([FOUND, FOUND, FOUND, Support(900, False, 1.0, needed=True)], False),
        ([], False),
    ],
)
def test_an_answer_says_enough_of_the_question(words: list[Support], expected: bool) -> None:
    assert answered(words, SECTIONS) is expected


def test_rare_words_matter_more_than_common_ones() -> None:
    assert support([FOUND, COMMON], SECTIONS) > support([FOUND, MISSING], SECTIONS)


def test_names_matter_more() -> None:
    assert support([FOUND, Support(10, False, 0.0, 2.0)], SECTIONS) < support([FOUND, MISSING], SECTIONS)


def test_everything_may_stand_everywhere() -> None:
    assert support([Support(SECTIONS, True, 0.0)], SECTIONS) == 1.0
    assert support([Support(0, False, 0.0)], 0) == 0.0


def test_what_is_turned_round_must_stand_near_not() -> None:
    assert [turned(near, 5) for near in (0, 2, 3)] == [False, False, True]
    assert not turned(0, 0)
