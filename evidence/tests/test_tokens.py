"""Words of documents and queries."""

import pytest

from evidence.index.tokens import MAX_FOUND, MAX_WORD_LENGTH, TOKENISER, Vocabulary, find, tokenise, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Prüfung", ["die", "prüfung"]),
        ("§ 12a BGB, Abs. 3", ["12a", "bgb", "abs", "3"]),
        ("z.B. 3,14 und 1.000", ["z.b", "3,14", "und", "1.000"]),
        ("Straßen-Bahn", ["straßen", "bahn"]),
        ("don't don’t", ["don't", "don’t"]),
        ("STRASSE Straße", ["strasse", "straße"]),
        ("snake_case", ["snake_case"]),
        ("你好", ["你", "好"]),
        ("İI", ["i̇i"]),
        ("ΟΔΟΣ", ["οδος"]),
        ("()*^: \n\t–", []),
        ("", []),
    ],
)
def test_words_are_those_of_unicode_lowered(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_ranges_are_code_points() -> None:
    text = "😀 Ä\u0301b ß"
    assert [(text[start:end], word) for start, end, word in tokenise(text)] == [("Ä\u0301b", "ä\u0301b"), ("ß", "ß")]


def test_words_and_ranges_agree() -> None:
    text = "Σίσυφος' 1.5 „Recht“ a\u00adb c\u200bd"
    assert [word for _, _, word in tokenise(text)] == words(text)


def test_tokeniser_names_both_unicode_databases() -> None:
    assert TOKENISER.count("unicode=") == 2


def test_phrase_is_found_where_its_words_stand_together() -> None:
    text = "Die fristlose Kündigung, fristlose oder Kündigung"
    assert [text[start:end] for start, end in find([("fristlose", "kündigung")], text)] == ["fristlose Kündigung"]


def test_ranges_that_overlap_become_one() -> None:
    assert find([("a", "a")], "a a a b") == [(0, 5)]


def test_words_side_by_side_stay_apart() -> None:
    assert find([("b",), ("a",), ("a",)], "A B") == [(0, 1), (2, 3)]


def test_empty_phrase_is_nowhere() -> None:
    assert find([()], "a") == []


def test_vocabulary_gives_one_number_to_all_spellings() -> None:
    vocabulary = Vocabulary()
    assert vocabulary.numbers("Recht RECHT und recht") == [0, 0, 1, 0]
    assert vocabulary.words == ["recht", "und"]


def test_vocabulary_has_no_number_for_words_that_cannot_be_asked_for() -> None:
    vocabulary = Vocabulary()
    assert vocabulary.numbers(f"{'a' * MAX_WORD_LENGTH} {'a' * (MAX_WORD_LENGTH + 1)}") == [0, -1]


def test_only_the_first_thousand_places_of_a_word_are_marked() -> None:
    assert len(find([("a",)], "a " * (MAX_FOUND + 5))) == MAX_FOUND
