"""Quotations that nothing is cited for: found at one place, at several, nowhere; and nothing is told of what may not be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evidence import search
from evidence.access import Access
from evidence.answers import formats, limits, quotations, standing
from evidence.answers.checking import check
from evidence.answers.findings import Judged, Why
from evidence.answers.values import Draft, Sentence, Support
from evidence.models import Answer
from evidence.tests.builders import access, document, person, publish, rules, run, write
from evidence.tests.calls import program
from evidence.tests.pages import sign_in
from evidence.tests.test_noninterference import masked

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang und endet am achten Tag."
OTHER = "Rechnungen werden binnen 30 Tagen bezahlt."
QUOTED = "Es heißt: „Die Frist beträgt acht Tage.“"


def reader() -> User:
    return User.objects.filter(username="eva").first() or person("eva", ["alle"])


def eva() -> Access:
    return access(reader())


def judged(text: str) -> Judged:
    return check(eva(), Draft([Sentence(text)])).sentences[0]


def browser_of(user: User) -> Client:
    client = Client(headers={"accept-language": "en"})
    sign_in(client, user)
    return client


def told(text: str) -> tuple[Support, Why, int]:
    """State, reason and number of places of the one quotation."""
    found = judged(text)
    (one,) = found.quotations
    assert found.support is one.support
    return one.support, one.why, len(one.places)


def test_a_quotation_that_stands_at_one_place_is_found_there(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": OTHER})
    found = judged(QUOTED)
    (one,) = found.quotations
    (place,) = one.places
    assert (found.support, one.why, list(found.pointers)) == (Support.FOUND, Why.NONE, [])
    assert (place.card.id, TEXT[place.start : place.end], place.passage.number) == (document("a").public_id, one.words, 0)
    assert [QUOTED[start:end] for start, end in found.words] == ["Die Frist beträgt acht Tage"]


@pytest.mark.parametrize("marks", ["„{}“", '„{}"', "“{}”", '"{}"', "»{}«", "«{}»"])
def test_every_kind_of_quotation_marks_counts(tmp_path: Path, marks: str) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    assert told(f"Es heißt {marks.format('beginnt mit dem Zugang')} im Vertrag.") == (Support.FOUND, Why.NONE, 1)


def test_a_quotation_that_stands_at_several_places_names_none_of_them_as_meant(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": TEXT})
    assert told(QUOTED) == (Support.AMBIGUOUS, Why.NONE, 2)
    publish(tmp_path, {"a.txt": "Ja, das ist so. Ja, das ist so.", "b.txt": OTHER})
    assert told("Er sagt „Ja, das ist so.“") == (Support.AMBIGUOUS, Why.NONE, 2)


@pytest.mark.parametrize(
    "words", ["Die Frist beträgt neun Tage", "die Frist beträgt acht Tage", "Die Frist  beträgt acht", "Die Frist beträgt ach"]
)
def test_nearly_equal_words_stand_nowhere(tmp_path: Path, words: str) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    assert told(f"Es heißt: „{words}“.") == (Support.ABSENT, Why.NOWHERE, 0)


def test_letters_written_in_two_ways_are_equal(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    assert told("Es heißt: „Die Frist betra\u0308gt acht Tage“.")[0] is Support.FOUND


def test_a_quotation_over_several_passages_is_found(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": OTHER})
    words = "beträgt acht Tage.\n\nSie beginnt mit"
    assert told(f"Es heißt: „{words}“.") == (Support.FOUND, Why.NONE, 1)


@pytest.mark.parametrize("text", ["Die Frist beträgt acht Tage.", "Die „Frist beträgt“ acht Tage.", "„… – …“"])
def test_without_three_quoted_words_a_sentence_has_no_citation(tmp_path: Path, text: str) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    found = judged(text)
    assert (found.support, list(found.quotations)) == (Support.UNCITED, [])


def test_the_worst_quotation_names_the_sentence(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": OTHER})
    found = judged("Erst „binnen 30 Tagen bezahlt“, dann „beträgt neun ganze Tage“.")
    assert [one.support for one in found.quotations] == [Support.FOUND, Support.ABSENT]
    assert found.support is Support.ABSENT


def test_no_more_quotations_are_looked_up_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.MAX_QUOTATIONS == 50
    publish(tmp_path, {"a.txt": TEXT})
    monkeypatch.setattr(quotations, "MAX_QUOTATIONS", 1)
    found = check(eva(), Draft([Sentence(QUOTED), Sentence("Und „beginnt mit dem Zugang“."), Sentence(QUOTED)]))
    assert found.states == [Support.FOUND, Support.UNCITED, Support.FOUND]
    assert found.sentences[1].quotations[0].why is Why.UNSOUGHT


def test_no_more_places_are_named_than_the_limit(tmp_path: Path) -> None:
    publish(tmp_path, {f"{number}.txt": TEXT for number in range(standing.MOST_PLACES + 1)})
    assert told(QUOTED) == (Support.AMBIGUOUS, Why.NONE, standing.MOST_PLACES)


def test_where_not_every_passage_was_looked_at_nothing_is_the_only_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, {"a.txt": "eins zwei drei\n\nEins zwei drei\n\nEINS zwei drei"})
    assert told("Er sagt „Eins zwei drei“.") == (Support.FOUND, Why.NONE, 1)
    monkeypatch.setattr(search, "MAX_LIMIT", 3)
    assert told("Er sagt „Eins zwei drei“.") == (Support.AMBIGUOUS, Why.MANY, 1)


def test_the_number_of_queries_does_not_grow_with_the_quotations(tmp_path: Path) -> None:
    publish(tmp_path, {f"{n}.txt": f"Die Frist Nummer {n} beträgt acht Tage." for n in range(8)})
    who, counts = eva(), []
    for count in (1, 8):
        with CaptureQueriesContext(connection) as captured:
            found = check(who, Draft([Sentence(f"„Frist Nummer {n} beträgt“.") for n in range(count)]))
        assert found.states == [Support.FOUND] * count
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 8


def hidden(folder: Path, **secret: str) -> None:
    """A document for everybody, and one that eva may not read."""
    write(folder, {"a.txt": TEXT, **{f"{name}.txt": text for name, text in secret.items()}})
    write(folder, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'), ("geheim*", 'allowed = ["group:netz"]'))})
    run(folder)


def test_what_may_not_be_read_changes_no_byte(tmp_path: Path) -> None:
    """Neither where the words stand in it alone nor where they stand in something readable too."""
    hidden(tmp_path)
    user = reader()
    calls, browser = program(user), browser_of(user)
    given = {"format": "text", "text": f"{QUOTED} Und „Das Kennwort lautet Rosinenbrot“."}
    answer = calls.post("answers", given).body["id"]

    def seen() -> tuple[object, object]:
        body = calls.get(f"answers/{answer}").body
        return body, masked(browser.get(f"/answers/{answer}/"))

    without = seen()
    hidden(tmp_path, geheim=f"{TEXT}\n\nDas Kennwort lautet Rosinenbrot.")
    assert seen() == without
    jona = check(access(person("jona", ["alle", "netz"])), formats.read(given, host="x"))
    assert jona.states == [Support.AMBIGUOUS, Support.FOUND]


def test_an_answer_that_quotes_a_document_goes_with_the_right_to_it(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    user = reader()
    answer = program(user).post("answers", {"format": "text", "text": QUOTED}).body
    (quoted,) = answer["sentences"][0]["quotations"]
    assert (answer["counts"], quoted["state"], quoted["why"]) == ({"found": 1}, "found", "")
    assert quoted["places"][0]["url"].endswith("&passage=0#p-0")
    assert [row.public_id for row in Answer.objects.get().documents.all()] == [document("a").public_id]
    publish(tmp_path, {"a.txt": TEXT}, allowed='["group:netz"]')
    page = browser_of(user).get(f"/answers/{answer['id']}/").content.decode()
    assert "acht Tage" not in page and "This sentence is left out" in page


def test_a_pasted_quotation_is_shown_where_it_was_found(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    given = f"{QUOTED} Aber „Das ist nirgends so“."
    page = browser_of(reader()).post("/answers/", {"given": given}, follow=True).content.decode()
    row = document("a")
    assert row.current is not None
    assert 'data-support="found">Found at one place' in page and "at no other." in page
    assert f'href="/documents/{row.public_id}/?representation={row.current.public_id}&amp;passage=0#p-0"' in page
    assert "what it quotes stands nowhere that you may read" in page and "No citation" not in page
