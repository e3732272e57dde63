"""Words of one text in another: whole, in pieces, in runs, and never nearly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.answers import wording
from evidence.index.tokens import tokenise

TEXT = "Die Frist beträgt 13 Tage ab Zugang. Sie endet am dritten Werktag um 18 Uhr und nicht vorher."


@pytest.mark.parametrize("words", ["13 Tage", "Die Frist beträgt", "vorher.", "Werktag um 18 Uhr"])
def test_words_are_found_where_they_stand(words: str) -> None:
    found = wording.find(TEXT, words)
    assert found is not None and TEXT[slice(*found)] == words


@pytest.mark.parametrize("words", ["3 Tage", "die Frist", "Die Frist beträg", "Frist  beträgt", "vorherige", ""])
def test_words_that_are_only_part_of_others_or_spelt_otherwise_are_not_found(words: str) -> None:
    assert wording.find(TEXT, words) is None


def test_a_number_is_not_found_in_a_longer_one() -> None:
    assert wording.find("Es sind 2,5 Prozent und 5 Prozent.", "5 Prozent") == (24, 33)


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert wording.find(TEXT, wording.normal("betra\u0308gt 13")) == (10, 20)


def cut(quote: str, text: str = TEXT) -> list[str] | None:
    found = wording.pieces(quote, text)
    return None if found is None else [text[slice(*one)] for one in found]


@pytest.mark.parametrize("dots", [" … ", "...", " [...] ", " […] ", " (…) "])
def test_a_quote_is_cut_where_dots_leave_something_out(dots: str) -> None:
    assert cut(f"Die Frist beträgt{dots}dritten Werktag um 18 Uhr") == ["Die Frist beträgt", "dritten Werktag um 18 Uhr"]


def test_a_quote_is_cut_between_words_as_rarely_as_possible() -> None:
    assert cut("Die Frist beträgt am dritten Werktag") == ["Die Frist beträgt", "am dritten Werktag"]


def test_the_last_piece_has_three_words_too() -> None:
    assert cut("Die Frist beträgt 13 Tage ab Sie endet", f"{TEXT} ab Sie endet") == ["Die Frist beträgt 13 Tage", "ab Sie endet"]


@pytest.mark.parametrize("quote", ["Die Frist am dritten Werktag", "Die Frist beträgt nie", "Die Frist beträgt … Uhr"])
def test_pieces_of_fewer_than_three_words_prove_nothing(quote: str) -> None:
    assert cut(quote) is None


def test_a_quote_of_more_than_eight_pieces_is_none() -> None:
    text = " ".join(f"a{n} b{n} c{n} x{n}" for n in range(9))
    assert cut(" … ".join(f"a{n} b{n} c{n}" for n in range(9)), text) is None
    assert len(cut(" … ".join(f"a{n} b{n} c{n}" for n in range(8)), text) or ()) == 8


def test_dots_at_the_ends_of_a_quote_are_not_part_of_it() -> None:
    assert wording.without_ellipses("… die Frist […]") == "die Frist"
    assert wording.without_ellipses("a … b") == "a … b"


def test_runs_of_a_sentence_are_the_longest_that_stand_in_a_quote() -> None:
    sentence = "Laut Handbuch endet sie am dritten Werktag um 18 Uhr, nicht um 20 Uhr."
    found = wording.runs(sentence, [TEXT])
    assert [sentence[slice(*one)] for one in found] == ["am dritten Werktag um 18 Uhr"]


@given(st.text(alphabet="ab .,ü\n", max_size=60), st.text(alphabet="ab .,ü\n", max_size=60))
def test_every_run_stands_in_the_quote_and_they_do_not_overlap(sentence: str, quote: str) -> None:
    found = wording.runs(sentence, [quote])
    assert all(sentence[start:end] in quote for start, end in found)
    assert all(left[1] <= right[0] for left, right in zip(found, found[1:], strict=False))


@given(st.text(alphabet="ab .,ü", max_size=60), st.text(alphabet="ab .,ü", max_size=120))
def test_every_piece_stands_in_the_text_with_at_least_three_words(quote: str, text: str) -> None:
    found = cut(quote, text) or []
    assert all(one in quote and len(wording.asked(one)) >= 3 for one in found)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Es heißt „die Frist beträgt acht Tage“ dort.", ["die Frist beträgt acht Tage"]),
        ('It says "the term is eight days" there.', ["the term is eight days"]),
        ("It says “the term is eight days” there.", ["the term is eight days"]),
        ("Dort steht »die Frist beträgt acht« und «ein drittes Mal».", ["die Frist beträgt acht", "ein drittes Mal"]),
        ("Das „kurze Wort“ zählt nicht.", []),
    ],
)
def test_what_stands_in_quotation_marks_counts_from_three_words(sentence: str, found: list[str]) -> None:
    assert list(wording.quotations(sentence)) == found


def test_what_is_searched_for_fits_one_passage_and_the_exact_mode() -> None:
    line = " ".join(f"wort{n}" for n in range(20))
    assert list(wording.asked(f"kurz\n\n{line}")) == [f"wort{n}" for n in range(12)]
    assert list(wording.asked(f"a b {'x' * 41} c d e")) == ["c", "d", "e"]


def test_no_two_letters_beside_each_other_are_taken_for_one_word_that_are_two() -> None:
    letters = [one for code in range(0x530) if wording._LETTER.match(one := chr(code))]
    assert len(letters) > 600
    assert all(len(list(tokenise(one + other))) == 1 for one in letters for other in "0zÄЖω")


def test_a_short_word_that_is_a_part_of_very_many_is_found_where_it_stands_alone() -> None:
    text = "Regelungen gelten. " * 50_000  # looking at each of them took seconds, and an answer may cite two hundred
    assert wording.find(text, "e") is None
    assert wording.find(f"{text}Lit. e gilt.", "e") == (len(text) + 5, len(text) + 6)
    assert wording.find("ab a-ab カa a", "a", 1, 4) == (3, 4)


def test_a_quote_of_very_many_pieces_is_given_up_after_the_eighth() -> None:
    asked: list[str] = []
    words = " ".join(["so ist es"] * 500)

    def stands(part: str) -> wording.Range | None:
        asked.append(part)
        return (0, len(part)) if part == "so ist es" else None

    assert wording._cut(words, stands, most=wording.MAX_PIECES) is None
    assert len(asked) < 200
