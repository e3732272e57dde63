"""Pages of checked answers: one's own, the form, sentences beside passages; and for everybody else as if they were not there."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evidence.answers import keeping
from evidence.answers.values import Draft, Pointer, Sentence
from evidence.models import Answer
from evidence.tests.builders import access, document, person, publish
from evidence.tests.pages import sign_in
from evidence.tests.test_noninterference import masked
from evidence.web import answers

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang und endet am achten Tag."


def browser(name: str = "eva") -> Client:
    client = Client(headers={"accept-language": "en"})
    sign_in(client, User.objects.filter(username=name).first() or person(name, ["alle"]))
    return client


def kept(folder: Path, *sentences: tuple[str, str], origin: str = Answer.Origin.SUBMITTED, question: str = "Wie lange?") -> UUID:
    """eva's answer: texts, each with a quote of a."""
    publish(folder, {"a.txt": TEXT, "b.txt": "Rechnungen werden binnen 30 Tagen bezahlt."})
    browser()
    eva = access(User.objects.get(username="eva"))
    named = document("a").public_id
    drafted = [Sentence(text, [Pointer(document=named, exact=quote)] if quote else []) for text, quote in sentences]
    return keeping.keep(eva, Draft(drafted, question, "m-1"), origin=origin)


def shown(answer: UUID, who: str = "eva") -> str:
    response = browser(who).get(f"/answers/{answer}/")
    assert response.status_code == 200
    return response.content.decode()


def test_a_sentence_stands_beside_the_passage_with_a_link_into_the_document(tmp_path: Path) -> None:
    page = shown(kept(tmp_path, ("Die Frist beträgt acht Tage, sicher.", "Frist beträgt acht Tage")))
    row = document("a")
    assert row.current is not None
    assert 'data-support="supported">Quotes verified' in page
    assert '<span class="from-writer">Die </span><mark class="from-document">Frist beträgt acht Tage</mark>' in page
    assert 'Die <mark class="from-document">Frist beträgt acht Tage</mark>.</blockquote>' in page
    assert f'href="/documents/{row.public_id}/?representation={row.current.public_id}&amp;passage=0#p-0"' in page


@pytest.mark.parametrize(
    ("quote", "state", "words"),
    [
        ("binnen 30 Tagen", "misattributed", "not where they are said to stand"),
        ("Die Frist beträgt … endet am achten Tag", "stitched", "Where its parts stand"),
        ("beträgt neun Tage", "absent", "nor in anything else that you may read"),
        ("", "uncited", "The sentence cites nothing"),
    ],
)
def test_every_state_has_its_words(tmp_path: Path, quote: str, state: str, words: str) -> None:
    page = shown(kept(tmp_path, ("So ist es.", quote)))
    assert f'data-support="{state}"' in page and words in page


def test_nothing_is_called_true_and_nothing_is_a_percentage(tmp_path: Path) -> None:
    page = shown(kept(tmp_path, ("So ist es.", "Frist beträgt")))
    assert "Nothing here says whether a sentence is true." in page and "%" not in page


def test_words_of_answers_are_escaped(tmp_path: Path) -> None:
    page = shown(kept(tmp_path, ("<script>alert(1)</script> {{ x }}", "<b>Frist</b> & so"), question="<i>?</i>"))
    assert "<script>alert" not in page and "<b>Frist" not in page and "<i>?" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ x }}" in page


def test_a_model_s_sentences_are_struck_out_unless_they_are_supported(tmp_path: Path) -> None:
    sentences = ("Es sind acht Tage.", "beträgt acht Tage"), ("Es sind neun Tage.", "beträgt neun Tage"), ("Das ist alles.", "")
    page = shown(kept(tmp_path, *sentences, origin=Answer.Origin.GENERATED))
    assert page.count("answer-struck") == 2
    assert "written by the model" in page


def test_a_submitted_sentence_is_not_struck_out(tmp_path: Path) -> None:
    assert "answer-struck" not in shown(kept(tmp_path, ("Das ist alles.", "")))


def test_another_state_than_before_is_named(tmp_path: Path) -> None:
    answer = kept(tmp_path, ("Es sind acht Tage.", "beträgt acht Tage"))
    publish(tmp_path, {"a.txt": TEXT.replace("acht", "neun")})
    page = shown(answer)
    assert "was: Quotes verified" in page and 'data-support="absent"' in page
    checked = browser().post(f"/answers/{answer}/check/", follow=True)
    assert "Sentences with another state than before: 1." in checked.content.decode()
    assert "was:" not in shown(answer)


def test_words_of_an_earlier_version_say_so(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    state = document("a").current
    assert state is not None
    publish(tmp_path, {"a.txt": TEXT.replace("acht", "neun")})
    browser()
    pointer = Pointer(document=document("a").public_id, representation=state.public_id, exact="beträgt acht Tage")
    page = shown(keeping.keep(access(User.objects.get(username="eva")), Draft([Sentence("Acht.", [pointer])])))
    assert "Earlier version" in page and "The document has a later one." in page


def test_only_the_person_who_had_it_checked_gets_it(tmp_path: Path) -> None:
    answer = kept(tmp_path, ("So ist es.", "Frist beträgt"))
    other = browser("jona")
    for method, end in (("get", ""), ("post", "check/"), ("post", "delete/")):
        found = [masked(getattr(other, method)(f"/answers/{one}/{end}")) for one in (answer, uuid4())]
        assert found[0] == found[1]
    assert Answer.objects.count() == 1
    assert str(answer) not in other.get("/answers/").content.decode()


def test_what_may_not_be_read_changes_no_byte_of_the_page(tmp_path: Path) -> None:
    answer = kept(tmp_path, ("Das Kennwort lautet Rosinenbrot.", "Das Kennwort lautet Rosinenbrot"), ("Mehr.", "Die Frist"))
    client = browser()
    before = masked(client.get(f"/answers/{answer}/"))
    publish(tmp_path / "g", {"g.txt": "Das Kennwort lautet Rosinenbrot."}, source="geheim", allowed='["group:netz"]')
    assert masked(client.get(f"/answers/{answer}/")) == before
    publish(tmp_path / "g", {"g.txt": "Das Kennwort lautet Rosinenbrot."}, source="geheim")
    assert b"misattributed" in masked(client.get(f"/answers/{answer}/"))[1]


def test_a_sentence_that_may_hold_what_is_forbidden_now_is_left_out(tmp_path: Path) -> None:
    answer = kept(tmp_path, ("Es sind acht Tage.", "beträgt acht Tage"), ("Das ist alles.", ""))
    publish(tmp_path, {"a.txt": TEXT}, allowed='["group:netz"]')
    page = shown(answer)
    assert "acht Tage" not in page and "This sentence is left out" in page and "Das ist alles." in page


def test_deleting_takes_it_away(tmp_path: Path) -> None:
    answer = kept(tmp_path, ("So ist es.", ""))
    response = browser().post(f"/answers/{answer}/delete/", follow=True)
    assert "The answer is deleted." in response.content.decode()
    assert browser().get(f"/answers/{answer}/").status_code == 404


def test_one_s_own_are_listed_with_states_and_when_they_go(tmp_path: Path) -> None:
    answer = kept(tmp_path, ("So ist es.", "Frist beträgt"), ("Mehr nicht.", ""))
    page = browser().get("/answers/").content.decode()
    assert f'href="/answers/{answer}/"' in page and "Wie lange?" in page and "m-1" in page
    assert "kept until" in page and "So ist es." not in page


def test_an_expired_one_is_not_listed(tmp_path: Path) -> None:
    kept(tmp_path, ("So ist es.", ""))
    Answer.objects.update(expires_at=timezone.now())
    assert "You have had no answer checked" in browser().get("/answers/").content.decode()


def test_a_pasted_text_is_checked(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    text = f"Es gilt: „Die Frist beträgt acht Tage“ (http://testserver/documents/{document('a').public_id}/)."
    response = browser().post("/answers/", {"given": text, "question": "Wie lange?"}, follow=True)
    page = response.content.decode()
    assert response.redirect_chain and 'data-support="supported"' in page and "Wie lange?" in page


def test_pasted_json_is_checked(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    sent = {"sentences": [{"text": "So.", "citations": [{"document": str(document("a").public_id), "exact": "Die Frist"}]}]}
    response = browser().post("/answers/", {"given": json.dumps(sent)}, follow=True)
    assert 'data-support="supported"' in response.content.decode()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "The answer has no sentence."),
        ("{", "This begins like JSON, but is none."),
        ("{" * 100_000, "This begins like JSON, but is none."),
        ('{"sentences": [{"text": 1}]}', "sentences[0].text"),
        ('{"sentences": [{"text": "\\ud800"}]}', "a character that no text has"),
        ('{"format": "anthropic", "response": {"content": []}}', "The answer has no sentence."),
    ],
)
def test_what_can_t_be_read_comes_back_with_the_reason(tmp_path: Path, given: str, words: str) -> None:
    response = browser().post("/answers/", {"given": given, "question": "Wie?"})
    page = response.content.decode()
    assert response.status_code == 400 and words in page.replace("&quot;", '"') and 'value="Wie?"' in page
    assert not Answer.objects.exists()


def test_the_number_of_queries_does_not_grow_with_the_sentences(tmp_path: Path) -> None:
    few, many = (kept(tmp_path, *[("So ist es.", "Frist beträgt")] * count) for count in (1, 30))
    client = browser()
    client.get("/answers/")
    counts = []
    for answer in (few, many):
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/answers/{answer}/")
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_of_a_long_passage_only_the_part_around_the_words_is_shown(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "vorher " * 1_000 + "Die Frist beträgt acht Tage " + "nachher " * 1_000})
    browser()
    pointer = Pointer(document=document("a").public_id, exact="Die Frist beträgt acht Tage")
    answer = keeping.keep(access(User.objects.get(username="eva")), Draft([Sentence("So.", [pointer])]))
    page = shown(answer)
    assert page.count("vorher") < 70 and page.count("[…]") == 2 and answers.AROUND == 400


def test_opening_and_checking_too_often_has_to_wait_for_the_next_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = kept(tmp_path, ("So ist es.", "Frist beträgt"))
    now = [1_000_000.0]
    monkeypatch.setattr("evidence.pace.time.time", lambda: now[0])
    monkeypatch.setattr(keeping, "CHECKS_PER_MINUTE", 2)
    client = browser()
    assert [client.get(f"/answers/{answer}/").status_code for _ in range(2)] == [200, 200]
    for response in (client.get(f"/answers/{answer}/"), client.post(f"/answers/{answer}/check/")):
        assert (response.status_code, response.headers["Retry-After"]) == (429, "21")
        assert "You have had 2 answers checked within a minute." in response.content.decode()
    assert client.get(f"/answers/{uuid4()}/").status_code == 404
    now[0] += 20
    assert client.get(f"/answers/{answer}/").status_code == 200
