"""Words of documents and queries."""

import pytest

from evidence.content import Searched, searched
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
    assert [text[start:end] for start, end in find([("fristlose", "kündigung")], Searched(text))] == ["fristlose Kündigung"]


def test_ranges_that_overlap_become_one() -> None:
    assert find([("a", "a")], Searched("a a a b")) == [(0, 5)]


def test_words_side_by_side_stay_apart() -> None:
    assert find([("b",), ("a",), ("a",)], Searched("A B")) == [(0, 1), (2, 3)]


def test_empty_phrase_is_nowhere() -> None:
    assert find([()], Searched("a")) == []


def test_vocabulary_gives_one_number_to_all_spellings() -> None:
    vocabulary = Vocabulary()
    assert vocabulary.numbers("Recht RECHT und recht") == [0, 0, 1, 0]
    assert vocabulary.words == ["recht", "und"]


def test_vocabulary_has_no_number_for_words_that_cannot_be_asked_for() -> None:
    vocabulary = Vocabulary()
    assert vocabulary.numbers(f"{'a' * MAX_WORD_LENGTH} {'a' * (MAX_WORD_LENGTH + 1)}") == [0, -1]


def test_only_the_first_thousand_places_of_a_word_are_marked() -> None:
    assert len(find([("a",)], Searched("a " * (MAX_FOUND + 5)))) == MAX_FOUND


def test_a_soft_hyphen_inside_a_word_is_not_there_for_searching() -> None:
    assert words("Donau\u00addampf\u00adschiff") == ["donaudampfschiff"]


def test_a_word_parted_by_a_line_end_is_found_whole_and_marked_over_both_parts() -> None:
    quote = "der Miet\u2010sache wegen"
    seen = searched(quote, [["hyphenation", 108, 109, ""]], 100)
    assert seen.text == "der Mietsache wegen"
    assert [quote[start:end] for start, end in find([("mietsache",), ("wegen",)], seen)] == ["Miet\u2010sache", "wegen"]


def test_letter_soup_and_repeated_running_headers_are_not_searched() -> None:
    spans = [["garbled", 0, 4, ""], ["running", 5, 9, "repeated"], ["running", 10, 14, ""]]
    assert searched("soup Kopf Fuss", spans, 0).text.split() == ["Fuss"]


def test_the_number_of_a_note_is_no_part_of_the_word_before_it() -> None:
    seen = searched("Feiertagen2 gilt", [["reference", 10, 11, ""]], 0)
    assert [word for _, _, word in tokenise(seen.text)] == ["feiertagen", "gilt"]
    assert find([("feiertagen",)], seen) == [(0, 10)]
