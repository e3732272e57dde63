"""Words in quotation marks in a sentence that cites something: they must stand in what it cites, whatever its citations quote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evidence import citations
from evidence.answers import checking, formats
from evidence.answers.checking import check
from evidence.answers.findings import Judged, Why
from evidence.answers.values import Draft, Pointer, Sentence, Support
from evidence.models import Answer, Document
from evidence.tests.builders import access, document, person, publish, rules, run, write
from evidence.tests.calls import program
from evidence.tests.pages import sign_in
from evidence.tests.test_answers_quotations import OTHER, TEXT, eva, reader
from evidence.tests.test_noninterference import masked

pytestmark = pytest.mark.django_db(transaction=True)

MADE_UP = "Trinkgelder werden immer voll erstattet"


def published(folder: Path) -> UUID:
    """Documents a (TEXT) and b (OTHER); gives the id of a."""
    publish(folder, {"a.txt": TEXT, "b.txt": OTHER})
    return document("a").public_id


def cited() -> UUID:
    """A citation of words of a."""
    return citations.cite_words(eva(), document("a").public_id, exact="Die Frist beträgt acht Tage")


def by_citation() -> Pointer:
    return Pointer(citation=cited())


def by_anchor() -> Pointer:
    return Pointer(anchor=citations.get(eva(), cited()).anchor.to_dict())


def by_words() -> Pointer:
    return Pointer(document=document("a").public_id, exact="Die Frist beträgt acht Tage")


def judged(words: str, *pointers: Pointer) -> Judged:
    return check(eva(), Draft([Sentence(f"Es gilt: „{words}“.", pointers)])).sentences[0]


def told(words: str, *pointers: Pointer) -> tuple[Support, Why, list[UUID]]:
    """State, reason and documents of the one quotation, which names the sentence."""
    found = judged(words, *pointers)
    (one,) = found.quotations
    assert [each.support for each in found.pointers] == [Support.SUPPORTED] * len(pointers)
    assert found.support is one.support
    return one.support, one.why, [place.card.id for place in one.places]


@pytest.mark.parametrize("pointer", [by_citation, by_anchor, by_words])
def test_a_made_up_quotation_is_not_supported_by_a_true_citation(tmp_path: Path, pointer: Callable[[], Pointer]) -> None:
    published(tmp_path)
    assert told(MADE_UP, pointer()) == (Support.ABSENT, Why.NOT_THERE, [])


@pytest.mark.parametrize("words", ["Die Frist beträgt acht Tage", "Frist beträgt acht", "… beträgt acht Tage …"])
@pytest.mark.parametrize("pointer", [by_citation, by_anchor, by_words])
def test_a_quotation_in_a_cited_quote_counts_as_that_quote(tmp_path: Path, pointer: Callable[[], Pointer], words: str) -> None:
    published(tmp_path)
    found = judged(words, pointer())
    assert (found.support, list(found.quotations)) == (Support.SUPPORTED, [])


def test_a_quotation_elsewhere_in_the_cited_document_is_shown_as_a_place_of_its_own(tmp_path: Path) -> None:
    published(tmp_path)
    found = judged("beginnt mit dem Zugang", by_citation())
    (one,) = found.quotations
    (place,) = one.places
    assert (found.support, one.support, one.why) == (Support.SUPPORTED, Support.SUPPORTED, Why.OUTSIDE)
    assert (TEXT[place.start : place.end], place.passage.number) == ("beginnt mit dem Zugang", 1)


def test_a_quotation_of_another_document_is_misattributed(tmp_path: Path) -> None:
    published(tmp_path)
    assert told("binnen 30 Tagen bezahlt", by_citation()) == (Support.MISATTRIBUTED, Why.NONE, [document("b").public_id])


def test_of_several_cited_documents_one_is_enough(tmp_path: Path) -> None:
    published(tmp_path)
    other = Pointer(document=document("b").public_id, exact="Rechnungen werden binnen")
    assert told("30 Tagen bezahlt", by_citation(), other) == (Support.SUPPORTED, Why.OUTSIDE, [document("b").public_id])


def test_a_quotation_put_together_from_parts_is_stitched(tmp_path: Path) -> None:
    named = published(tmp_path)
    assert told("Die Frist beträgt […] am achten Tag", by_words()) == (Support.STITCHED, Why.NONE, [named, named])


def test_a_made_up_quotation_inside_a_made_up_quote_stays_absent(tmp_path: Path) -> None:
    named = published(tmp_path)
    assert judged(MADE_UP, Pointer(document=named, exact=f"{MADE_UP}, sofort")).support is Support.ABSENT


def test_a_quotation_in_a_citation_that_names_another_place_is_no_better_for_it(tmp_path: Path) -> None:
    named = published(tmp_path)
    state = document("a").current
    assert state is not None
    wrong = Pointer(document=named, representation=state.public_id, passage=0, exact="beginnt mit dem Zugang")
    assert judged("beginnt mit dem Zugang", wrong).support is Support.MISATTRIBUTED


def test_the_cited_state_counts_and_not_the_current_one(tmp_path: Path) -> None:
    published(tmp_path)
    pointer = by_citation()
    publish(tmp_path, {"a.txt": "Die Frist beträgt acht Tage.\n\nSie beginnt nie und nimmer.", "b.txt": OTHER})
    found = judged("beginnt mit dem Zugang", pointer)
    assert (found.support, found.quotations[0].why, found.is_outdated) == (Support.SUPPORTED, Why.OUTSIDE, True)
    assert judged("beginnt nie und nimmer", pointer).support is Support.MISATTRIBUTED


def test_where_nothing_cited_may_be_read_the_reason_says_so(tmp_path: Path) -> None:
    published(tmp_path)
    found = judged(MADE_UP, Pointer(citation=UUID(int=7)))
    assert [(one.support, one.why) for one in found.quotations] == [(Support.ABSENT, Why.UNAVAILABLE)]


def test_the_title_of_a_cited_document_is_its_name_and_no_quotation(tmp_path: Path) -> None:
    published(tmp_path)
    Document.objects.filter(external_id="a").update(title="Regeln für alle Fristen")
    Document.objects.filter(external_id="b").update(title="Regeln für alle Rechnungen")
    assert list(judged("Regeln für alle Fristen", by_citation()).quotations) == []
    assert told("Regeln für alle Rechnungen", by_citation())[0] is Support.ABSENT


def test_less_than_three_words_are_no_quotation(tmp_path: Path) -> None:
    published(tmp_path)
    assert judged("nie bezahlt", by_citation()).support is Support.SUPPORTED


def test_what_is_not_looked_for_is_not_supported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published(tmp_path)
    monkeypatch.setattr(checking, "MAX_QUOTATIONS", 1)
    text = "Erst „beginnt mit dem Zugang“, dann „endet am achten Tag“."
    found = check(eva(), Draft([Sentence(text, [by_words()]), Sentence(text, [by_words()])])).sentences
    assert [[one.why for one in sentence.quotations] for sentence in found] == [[Why.OUTSIDE, Why.UNSOUGHT], [Why.UNSOUGHT] * 2]
    assert [sentence.support for sentence in found] == [Support.ABSENT] * 2


def test_the_number_of_queries_does_not_grow_with_the_quotations(tmp_path: Path) -> None:
    published(tmp_path)
    who, pointer, counts = eva(), by_words(), []
    for count in (1, 8):
        with CaptureQueriesContext(connection) as captured:
            check(who, Draft([Sentence(f"„Das gilt {number}-mal“ und „mit dem Zugang“.", [pointer]) for number in range(count)]))
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 8


def hidden(folder: Path, **secret: str) -> None:
    """A document for everybody, and one that eva may not read."""
    write(folder, {"a.txt": TEXT, **{f"{name}.txt": text for name, text in secret.items()}})
    write(folder, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'), ("geheim*", 'allowed = ["group:netz"]'))})
    run(folder)


def browser() -> Client:
    client = Client(headers={"accept-language": "en"})
    sign_in(client, reader())
    return client


def test_what_may_not_be_read_changes_no_byte(tmp_path: Path) -> None:
    """Neither where it holds the made up words, nor where they are its title, nor where it is what is cited."""
    hidden(tmp_path)
    calls, page = program(reader()), browser()
    unknown = {"document": "3c6e3c2a-0000-5000-8000-000000000000", "exact": "das dort steht"}
    citing = [{"citation": str(cited())}, {"citation": str(cited())}, unknown]
    sentences = [{"text": f"Es gilt: „{MADE_UP}“.", "citations": [one]} for one in citing]
    answer = calls.post("answers", {"sentences": sentences}).body["id"]

    def seen() -> tuple[object, object]:
        return calls.get(f"answers/{answer}").body, masked(page.get(f"/answers/{answer}/"))

    without = seen()
    hidden(tmp_path, geheim=f"{TEXT}\n\n{MADE_UP}. Und wie das dort steht.")
    row = Document.objects.get(external_id="geheim")
    Document.objects.filter(pk=row.pk).update(title=MADE_UP)
    stored = Answer.objects.get()
    stored.sentences[2]["pointers"][0]["document"] = str(row.public_id)
    stored.save()
    body, shown = seen()
    assert (str(body).replace(str(row.public_id), unknown["document"]), shown) == (str(without[0]), without[1])
    jona = access(person("jona", ["alle", "netz"]))
    assert check(jona, Draft([Sentence(f"„{MADE_UP}“", [by_words()])])).states == [Support.MISATTRIBUTED]


def test_a_pasted_sentence_with_a_true_citation_and_a_made_up_quotation_says_so(tmp_path: Path) -> None:
    published(tmp_path)
    given = f"Laut Reisekosten gilt: „{MADE_UP}“ (http://testserver/citations/{cited()}/)."
    page = browser().post("/answers/", {"given": given}, follow=True).content.decode()
    assert 'data-support="absent">Quote not found' in page and "neither in what is cited nor in anything else" in page
    assert f">{MADE_UP}</blockquote>" in page and "Every quote stands" not in page


def test_a_made_up_quotation_of_two_sentences_is_no_better(tmp_path: Path) -> None:
    published(tmp_path)
    given = f"Laut Reisekosten gilt: „Trinkgelder werden erstattet. Immer und voll.“ (http://testserver/citations/{cited()}/)."
    (found,) = check(eva(), formats.read({"format": "text", "text": given}, host="testserver")).sentences
    assert (found.support, [one.why for one in found.quotations]) == (Support.ABSENT, [Why.NOT_THERE])


def test_a_pasted_quotation_beside_the_cited_words_shows_where_it_stands(tmp_path: Path) -> None:
    published(tmp_path)
    given = f"Sie „beginnt mit dem Zugang“ (http://testserver/citations/{cited()}/)."
    page = browser().post("/answers/", {"given": given}, follow=True).content.decode()
    assert 'data-support="supported"' in page and "in no quote that is cited from it" in page
    assert 'Sie <mark class="from-document">beginnt mit dem Zugang</mark> und endet' in page


def test_programs_are_told_of_the_quotation_and_lose_it_with_the_right(tmp_path: Path) -> None:
    published(tmp_path)
    sentence = {"text": "Es heißt „binnen 30 Tagen bezahlt“.", "citations": [{"citation": str(cited())}]}
    calls = program(reader())
    answer = calls.post("answers", {"sentences": [sentence]}).body
    (quoted,) = answer["sentences"][0]["quotations"]
    assert (answer["counts"], quoted["state"], quoted["quote"]) == (
        {"misattributed": 1},
        "misattributed",
        "binnen 30 Tagen bezahlt",
    )
    assert quoted["places"][0]["document"]["id"] == str(document("b").public_id)
    other = document("b").public_id
    write(tmp_path, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'), ("b*", 'allowed = ["group:netz"]'))})
    run(tmp_path)
    (sentence,) = calls.get(f"answers/{answer['id']}").body["sentences"]
    assert (sentence["withheld"], sentence["text"], sentence["quotations"]) == (True, "", [])
    assert other in {row.public_id for row in Answer.objects.get().documents.all()}
