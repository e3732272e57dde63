"""POST answers, GET and DELETE answers/{id}, POST answers/{id}/check: checked, kept for one person, the same for all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from evidence import citations
from evidence.answers import keeping
from evidence.models import Answer, Document
from evidence.tests.builders import access, document, person, publish, rules, run, write
from evidence.tests.calls import Program, program

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang."


@pytest.fixture
def row(tmp_path: Path) -> Document:
    publish(tmp_path, {"a.txt": TEXT})
    return document("a")


@pytest.fixture
def calls(row: Document) -> Program:
    return program(person("eva", ["alle"]))


def sent(row: Document, exact: str = "Frist beträgt acht Tage") -> dict[str, Any]:
    cited = {"document": str(row.public_id), "exact": exact}
    return {
        "question": "Wie lange?",
        "model": "m-1",
        "sentences": [{"text": "Die Frist beträgt acht Tage, sicher.", "citations": [cited]}, {"text": "Mehr nicht."}],
    }


def test_an_answer_is_checked_and_kept(calls: Program, row: Document) -> None:
    answer = calls.post("answers", sent(row))
    assert answer.status == 201
    body = answer.body
    assert body["url"].endswith(f"/answers/{body['id']}/")
    assert (body["origin"], body["question"], body["model"], body["changed"]) == ("submitted", "Wie lange?", "m-1", False)
    assert body["counts"] == {"supported": 1, "uncited": 1}
    first, second = body["sentences"]
    assert (first["state"], first["before"], first["words"], first["outdated"]) == ("supported", "supported", [[4, 27]], False)
    (cited,) = first["citations"]
    (place,) = cited["places"]
    assert (cited["state"], cited["why"], cited["quote"]) == ("supported", "", "Frist beträgt acht Tage")
    assert (place["start"], place["end"], place["current"], place["passage"]["number"]) == (4, 27, True, 0)
    assert place["url"].endswith(f"?representation={place['representation']}&passage=0#p-0")
    assert (second["state"], second["citations"]) == ("uncited", [])


def test_it_is_opened_checked_again_and_deleted(calls: Program, row: Document) -> None:
    made = calls.post("answers", sent(row)).body
    opened = calls.get(f"answers/{made['id']}")
    assert (opened.status, opened.body) == (200, made)
    assert calls.post(f"answers/{made['id']}/check", {}).status == 200
    gone = calls.delete(f"answers/{made['id']}")
    assert (gone.status, gone.response.content) == (204, b"")
    assert not Answer.objects.exists()
    assert calls.get(f"answers/{made['id']}").status == calls.delete(f"answers/{made['id']}").status == 404


def test_what_changed_is_told_until_it_is_checked_on_purpose(calls: Program, row: Document, tmp_path: Path) -> None:
    made = calls.post("answers", sent(row)).body
    publish(tmp_path, {"a.txt": TEXT.replace("acht", "neun")})
    for call in (calls.get(f"answers/{made['id']}"), calls.post(f"answers/{made['id']}/check", {})):
        first = call.body["sentences"][0]
        assert (first["before"], first["state"], call.body["changed"]) == ("supported", "absent", True)
    again = calls.get(f"answers/{made['id']}").body
    assert (again["sentences"][0]["before"], again["changed"]) == ("absent", False)


def test_a_stored_citation_comes_with_what_it_is_worth(calls: Program, row: Document, tmp_path: Path) -> None:
    made = citations.cite_words(access(User.objects.get(username="eva")), row.public_id, exact="acht Tage")
    publish(tmp_path, {"a.txt": TEXT + "\n\nNeu."})
    body = calls.post("answers", {"sentences": [{"text": "So.", "citations": [{"citation": str(made)}]}]}).body
    (cited,) = body["sentences"][0]["citations"]
    assert (cited["state"], cited["outdated"], cited["resolution"]["state"]) == ("supported", True, "source_changed")
    assert cited["resolution"]["historical"]["quote"] == cited["places"][0]["quote"] == "acht Tage"


def test_a_link_that_a_search_gave_is_a_place(calls: Program, row: Document) -> None:
    hit = calls.get("search", {"q": "Zugang"}).body["hits"][0]
    response = {
        "content": [
            {
                "type": "text",
                "text": "Sie beginnt sofort.",
                "citations": [{"type": "search_result_location", "source": hit["url"], "cited_text": "mit dem Zugang."}],
            }
        ]
    }
    (sentence,) = calls.post("answers", {"format": "anthropic", "response": response}).body["sentences"]
    assert sentence["state"] == "supported"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "answer_empty"),
        ({"format": "x"}, "answer_format"),
        ({"sentences": [{"text": ""}]}, "answer_sentence_empty"),
        ({"sentences": [{"text": "a", "citations": [{}]}]}, "answer_field"),
        ([], "invalid_request"),
    ],
)
def test_nonsense_is_refused_and_nothing_is_kept(calls: Program, body: object, code: str) -> None:
    answer = calls.post("answers", body)
    assert (answer.status, answer.code) == (400, code)
    assert not Answer.objects.exists()


def test_a_refusal_names_sentence_and_citation(calls: Program) -> None:
    body = {"sentences": [{"text": "a"}, {"text": "b", "citations": [{"url": 1}]}]}
    assert "sentences[1].citations[0].url" in calls.post("answers", body, accept_language="en").body["message"]


def test_reading_is_enough_and_other_tokens_are_not(row: Document) -> None:
    eva = person("eva", ["alle"])
    assert program(eva, "read").post("answers", sent(row)).status == 201
    assert program(eva, "cite").post("answers", sent(row)).status == 403
    assert Program("").post("answers", sent(row)).status == 401


def test_foreign_unknown_and_nonsense_are_one_answer(calls: Program, row: Document) -> None:
    foreign = program(person("jona", ["alle"])).post("answers", sent(row)).body["id"]
    for call in (calls.get, calls.delete, lambda path: calls.post(f"{path}/check", {})):
        answers = [call(f"answers/{one}").whole for one in (foreign, uuid4(), "nonsense", "%00")]
        assert len({repr(one) for one in answers}) == 1
        assert answers[0][0] == 404
    assert Answer.objects.count() == 1


def test_what_may_not_be_read_changes_no_byte(tmp_path: Path) -> None:
    secret = "Das Kennwort des Tresors lautet Rosinenbrot."
    write(tmp_path, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'), ("geheim*", 'allowed = ["group:netz"]'))})
    found = []
    for texts in ({"a.txt": TEXT}, {"geheim.txt": secret}):
        write(tmp_path, texts)
        run(tmp_path)
        calls = program(User.objects.filter(username="eva").first() or person("eva", ["alle"]))
        row = Document.objects.filter(external_id="geheim").first()
        named = str(row.public_id) if row else str(uuid4())
        places = [{"document": named, "exact": secret}, {"document": named}, {"document": named, "exact": "acht Tage"}]
        body = {"sentences": [{"text": "Das Kennwort des Tresors.", "citations": [one]} for one in places]}
        answer = calls.post("answers", body)
        masked = answer.response.content.decode().replace(named, "ID")
        told = answer.body
        for name in ("id", "at", "checked_at", "expires_at"):
            masked = masked.replace(told[name], name.upper())
        found.append((masked, answer.queries))
    assert found[0] == found[1]
    assert "Rosinenbrot" in found[0][0]  # in the quote as it was sent, and nowhere else
    assert found[0][0].count("Rosinenbrot") == 1


def test_the_number_of_queries_does_not_grow_with_the_sentences(calls: Program, row: Document) -> None:
    one, many = sent(row), sent(row)
    many["sentences"] *= 20
    assert calls.post("answers", one).queries == calls.post("answers", many).queries


def test_opening_and_checking_too_often_is_told_when_to_go_on(
    calls: Program, row: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = calls.post("answers", sent(row)).body["id"]
    monkeypatch.setattr("evidence.pace.time.time", lambda: 1_000_000.0)
    monkeypatch.setattr(keeping, "CHECKS_PER_MINUTE", 2)
    assert [calls.get(f"answers/{made}").status, calls.post(f"answers/{made}/check", {}).status] == [200, 200]
    for answer in (calls.get(f"answers/{made}"), calls.post(f"answers/{made}/check", {})):
        assert (answer.status, answer.code, answer.response["Retry-After"]) == (429, "too_many_checks", "21")
    assert program(person("jona", ["alle"])).get(f"answers/{made}").status == 404
