"""What was made of a question's words, as the page shows it: rows, kinds, and addresses that switch parts off and on."""

from __future__ import annotations

from collections.abc import Collection
from uuid import uuid4

import pytest

from evidence.content import searched
from evidence.errors import Refused
from evidence.index.query import Query
from evidence.index.questions import Alternative, How, Off, Term, Way, locate
from evidence.search import Mode, Results, Saying
from evidence.viewer import Asked
from evidence.web.interpretation import NAMED, SHOWN, carried, named, rows

FORMS = tuple(Alternative((f"frist{n}",), How.FORM, 10 - n) for n in range(SHOWN + 2))
EXACT = Alternative(("frist",), How.EXACT, 12)
TERMS = [
    Term("wie", 0, 3, ignored=True),
    Term("frist", 4, 9, alternatives=(EXACT, *FORMS, Alternative(("lange", "zeit"), How.SYNONYM, 3))),
    Term("frist", 10, 15, alternatives=(EXACT, *FORMS)),
]


def answer(*terms: Term) -> Results:
    return Results(Query("Wie Frist FRIST", ()), Mode.WIDER, terms=terms or TERMS)


def switched(off: Collection[Off]) -> str:
    return " ".join(sorted(map(str, off)))


def test_each_different_word_has_a_row_as_it_was_typed() -> None:
    found = rows(answer(), (), switched)
    assert [(row.written, row.ignored, row.passages, row.used, row.off) for row in found] == [
        ("Wie", True, 0, 0, 0),
        ("Frist", False, 12, SHOWN + 3, 0),
    ]


def test_each_kind_folds_what_is_more_than_a_few_words() -> None:
    form, synonym = rows(answer(), (), switched)[1].kinds
    assert (form.how, len(form.words), len(form.more), form.unfolded) == (How.FORM, SHOWN, 2, False)
    assert (synonym.how, [word.text for word in synonym.words], synonym.more) == (How.SYNONYM, ["lange zeit"], [])


def test_a_kind_and_a_word_are_switched_off_and_others_stay_as_they_are() -> None:
    other = Off("frist", How.SYNONYM)
    form, synonym = rows(answer(), {other}, switched)[1].kinds
    assert form.url == "frist:form frist:synonym"
    assert form.words[0].url == "frist:form:frist0 frist:synonym"
    assert (synonym.off, synonym.url, synonym.words[0].url) == (True, "", "")


def test_what_is_off_is_switched_on_again_alone() -> None:
    off = Off("frist", How.FORM, f"frist{SHOWN}")
    terms = [
        Term("frist", 4, 9, alternatives=tuple(Alternative(one.words, one.how, 1, one.words == (off.word,)) for one in FORMS))
    ]
    (row,) = rows(answer(*terms), {off}, switched)
    (form,) = row.kinds
    assert (row.used, row.off, form.off, form.unfolded) == (SHOWN + 1, 1, False, True)
    assert (form.more[0].off, form.more[0].url) == (True, "")
    assert form.url == "frist:form"


def test_what_belongs_to_another_question_is_forgotten() -> None:
    form, _ = rows(answer(), {Off("zugang", How.FORM)}, switched)[1].kinds
    assert form.words[0].url == "frist:form:frist0"


def test_a_synonym_names_the_documents_that_say_so() -> None:
    said = [Saying(uuid4(), "Synonyme im Haus")]
    results = Results(Query("Wie Frist FRIST", ()), Mode.WIDER, terms=TERMS, said={("frist", ("lange", "zeit")): said})
    assert rows(results, (), switched)[1].kinds[1].words[0].said == said


def test_found_words_are_named_by_kind_the_closest_first_and_once() -> None:
    quote = "Fristen Frist FRISTEN Ablauffrist"
    places = ((0, 7, How.FORM), (8, 13, How.EXACT), (14, 21, How.FORM), (22, 33, How.PART))
    ways = [Way(start, end, how, "frist") for start, end, how in places]
    found = [(one.how, list(one.words), one.more) for one in named(quote, ways, {})]
    assert found == [
        (How.EXACT, [("Frist", "frist")], 0),
        (How.FORM, [("FRISTEN", "frist")], 0),
        (How.PART, [("Ablauffrist", "frist")], 0),
    ]


def test_more_found_words_than_fit_are_counted() -> None:
    quote = " ".join(f"w{n}" for n in range(10))
    ways = [Way(3 * n, 3 * n + 2, How.FORM, "w") for n in range(10)]
    (one,) = named(quote, ways, {})
    assert (len(one.words), one.more) == (NAMED, 10 - NAMED)


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        (Asked("a"), ""),
        (Asked("a", Mode.WIDER), "&mode=wider"),
        (Asked("a", Mode.WIDER, frozenset({Off("ä&b", How.FORM, "c")})), "&mode=wider&without=%C3%A4%26b%3Aform%3Ac"),
    ],
)
def test_what_is_carried_to_the_next_page_is_an_address(asked: Asked, query: str) -> None:
    assert carried(asked) == query


@pytest.mark.parametrize(
    "off", [Off("frist", How.FORM), Off("k:a", How.PART, "a:b"), Off("fristlose kündigung", How.SYNONYM, "eine entlassung")]
)
def test_what_is_off_can_be_written_into_an_address_and_read_again(off: Off) -> None:
    assert Off.of(str(off)) == off


def test_of_expressions_that_begin_alike_the_one_that_stands_there_is_marked() -> None:
    text = "Der ohne Form. Ohne Fehl, ohne Frist"
    named = [Alternative(("ohne", *words.split()), How.SYNONYM, 1) for words in ("frist und form", "frist", "form")]
    ways = locate([Term("fristlos", 0, 8, alternatives=tuple(named))], searched(text, (), 0))
    assert [text[way.start : way.end] for way in ways] == ["ohne Form", "ohne Frist"]


def test_megabytes_are_no_expansion_and_nobody_waits_for_that() -> None:
    """To match them all would take hours: the limit is looked at first."""
    with pytest.raises(Refused) as refusal:
        Off.of(f"{':form' * 800_000}\n")
    assert refusal.value.code == "query_without"


@pytest.mark.parametrize("text", ["", "frist", "frist:", "frist:exact", "frist:forms", ":form", "frist:form:"])
def test_what_cannot_be_switched_off_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        Off.of(text)
    assert refusal.value.code == "query_without"
