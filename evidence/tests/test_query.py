"""What may be asked, and what it means."""

import unicodedata

import pytest

from evidence.errors import Refused
from evidence.index.query import parse


def phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return parse(text).phrases


def code(text: str) -> str:
    with pytest.raises(Refused) as caught:
        parse(text)
    return caught.value.code


@pytest.mark.parametrize("text", ["", "   ", '""', '"', "()*:^", "– … !"])
def test_query_without_words_has_no_phrases(text: str) -> None:
    assert phrases(text) == ()


def test_words_stand_alone_and_duplicates_stay() -> None:
    assert phrases("Miete miete Haus") == (("miete",), ("miete",), ("haus",))


@pytest.mark.parametrize("quoted", ['"fristlose Kündigung"', "„fristlose Kündigung“", "“fristlose Kündigung”"])
def test_quoted_words_are_one_phrase(quoted: str) -> None:
    assert phrases(f"die {quoted} heute") == (("die",), ("fristlose", "kündigung"), ("heute",))


@pytest.mark.parametrize("text", ['eins "zwei', '"eins zwei', 'eins zwei"', 'eins " zwei'])
def test_lone_quotation_mark_is_ignored(text: str) -> None:
    assert phrases(text) == (("eins",), ("zwei",))


def test_third_quotation_mark_is_ignored() -> None:
    assert phrases('"a b" c" d') == (("a", "b"), ("c",), ("d",))


def test_quotation_mark_inside_a_hebrew_word_is_part_of_it() -> None:
    assert phrases('"א צה"ל"') == (("א", 'צה"ל'),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a OR b", "a or b"),
        ("NOT a", "not a"),
        ("NEAR(a b, 2)", "near a b 2"),
        ("a* ^b", "a b"),
        ("title: a", "title a"),
        ("{a} [b] + c", "a b c"),
        ("Straßen-Bahn", "straßen bahn"),
    ],
)
def test_syntax_of_fts_is_literal(text: str, expected: str) -> None:
    assert phrases(text) == tuple((word,) for word in expected.split())


def test_composed_and_decomposed_are_one_query() -> None:
    assert phrases(unicodedata.normalize("NFD", "Prüfung")) == phrases("Prüfung") == (("prüfung",),)


def test_text_stays_as_typed() -> None:
    assert parse("  Miete ").text == "  Miete "


def test_length_counts_characters_as_typed() -> None:
    assert parse("a " * 100).phrases
    assert code("a " * 100 + "a") == "query_too_long"


@pytest.mark.parametrize("character", ["\0", "\t", "\n", "\r", "\x1b", "\x7f", "\x85", "\ud800"])
def test_control_characters_are_refused(character: str) -> None:
    assert code(f"a{character}b") == "query_control_character"


def test_twelve_different_words_are_possible_and_thirteen_are_not() -> None:
    twelve = " ".join(f"w{number}" for number in range(12))
    assert len(phrases(f"{twelve} w1 w2")) == 14
    assert code(f"{twelve} w12") == "query_too_many_words"


def test_words_in_quotation_marks_count_too() -> None:
    assert code('"' + " ".join(f"w{number}" for number in range(13)) + '"') == "query_too_many_words"


def test_forty_letters_are_possible_and_forty_one_are_not() -> None:
    assert phrases("ä" * 40) == (("ä" * 40,),)
    assert code("ä" * 41) == "query_word_too_long"
    assert phrases(unicodedata.normalize("NFD", "ä" * 40)) == (("ä" * 40,),)


def test_refusals_name_their_limits_and_not_the_query() -> None:
    with pytest.raises(Refused) as caught:
        parse("geheim " * 50)
    assert str(caught.value) == "The query has 350 characters; at most 200 are possible."
