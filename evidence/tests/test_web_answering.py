"""The button beside a wider search, and what becomes of pressing it; where no model is configured, there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django import Settings

from evidence.models import Answer
from evidence.tests.builders import person, publish
from evidence.tests.models_server import Model, model, obeying, sending
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH = {"accept-language": "en"}
QUESTION = "Wie lang ist die Kündigungsfrist?"
NOTICE = "Die Kündigungsfrist beträgt zwei Wochen."
NEAR = "Kündigungsfrist nach § 999 BGB"
ASK = "/answers/ask/"
NOWHERE = "/answers/nowhere/"


@pytest.fixture
def anna(client: Client, tmp_path: Path) -> Client:
    """Signed in, and may read the document."""
    publish(tmp_path / "alle", {"frist.md": NOTICE})
    sign_in(client, person("anna", ["alle"]))
    return client


@pytest.fixture
def running(settings: Settings) -> Iterator[Model]:
    """A configured model that quotes whatever it is sent."""
    with model(obeying()) as made:
        settings.PRIVATE_HOSTS = ["127.0.0.1"]
        settings.ANSWERING_URL, settings.ANSWERING_MODEL, settings.ANSWERING_KEY = made.url, "probe-7b", "sk-geheim"
        yield made


def found(client: Client, **query: str) -> Any:
    return parsed(client.get("/", {"q": QUESTION, "mode": "wider"} | query, headers=ENGLISH))


def asked(client: Client, **sent: str) -> Any:
    return client.post(ASK, {"q": QUESTION, "mode": "wider"} | sent, headers=ENGLISH)


def test_the_button_says_what_is_sent_where_before_anything_is(anna: Client, running: Model) -> None:
    page = found(anna)
    assert texts(page, ".writing button") == ["Write an answer from these passages"]
    said = one(page, ".writing .hint").text()
    assert "the first passage below" in said and "127.0.0.1" in said and "probe-7b" in said
    assert running.requests == [] and "sk-geheim" not in anna.get("/", {"q": QUESTION, "mode": "wider"}).content.decode()


@pytest.mark.parametrize(
    "query",
    [{"mode": "exact", "q": "Kündigungsfrist"}, {"q": NEAR}, {"q": "Quastenflosser"}, {"q": ""}, {"earlier": "1"}],
)
def test_there_is_no_button_where_the_model_would_not_be_asked(anna: Client, running: Model, query: dict[str, str]) -> None:
    assert texts(found(anna, **query), ".writing") == []


def test_without_a_model_there_is_no_button_and_the_address_is_none(anna: Client) -> None:
    assert texts(found(anna), ".writing") == []
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = anna.cookies
    for client in (anna, strict):
        assert main(client.get(ASK)) == main(client.get(NOWHERE))
        assert main(client.post(ASK, {"q": QUESTION})) == main(client.post(NOWHERE, {"q": QUESTION}))


def test_pressing_it_leads_to_the_answer(anna: Client, running: Model) -> None:
    response = asked(anna)
    answer = Answer.objects.get()
    assert (response.status_code, response.headers["Location"]) == (302, f"/answers/{answer.public_id}/")
    assert anna.get(response.headers["Location"]).status_code == 200


def test_with_htmx_the_whole_page_is_left_for_the_answer(anna: Client, running: Model) -> None:
    response = anna.post(ASK, {"q": QUESTION, "mode": "wider"}, headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == f"/answers/{Answer.objects.get().public_id}/"


def test_what_the_button_carries_is_what_was_searched(anna: Client, running: Model, tmp_path: Path) -> None:
    publish(tmp_path / "mehr", {"mehr.md": "Kündigungsfrist im Vertrag."}, source="mehr")
    query = {"source": "mehr", "without": "kündigungsfrist:part"}
    fields = found(anna, **query).css(".writing input[type=hidden]")
    sent = {field.attributes["name"]: field.attributes["value"] for field in fields}
    assert sent | {"csrfmiddlewaretoken": ""} == {"q": QUESTION, "mode": "wider", "csrfmiddlewaretoken": ""} | query
    asked(anna, **query)
    assert running.requests[0].texts == ["Kündigungsfrist im Vertrag."]


def test_without_an_answer_the_person_is_back_at_the_passages_with_the_reason(anna: Client, running: Model) -> None:
    running.behaviour = sending(b"{}", status=500)
    response = asked(anna, source="handbuch")
    address = urlsplit(response.headers["Location"])
    assert (address.path, parse_qs(address.query)) == ("/", {"q": [QUESTION], "mode": ["wider"], "source": ["handbuch"]})
    page = parsed(anna.get(response.headers["Location"], headers=ENGLISH))
    assert texts(page, ".notice[role=status]") == ["The model’s endpoint gave no answer (HTTP 500). Nothing was kept."]
    assert NOTICE in texts(page, ".quote")


def test_where_nothing_likely_is_found_the_near_passages_are_shown_as_such(anna: Client, running: Model) -> None:
    page = parsed(anna.get(asked(anna, q=NEAR).headers["Location"], headers=ENGLISH))
    assert "The model was not asked" in one(page, ".notice[role=status]").text()
    assert texts(page, ".near") and texts(page, ".quote")
    assert running.requests == []


def test_a_question_that_cannot_be_asked_is_explained_by_the_search(anna: Client, running: Model) -> None:
    response = anna.get(asked(anna, q="Frist " * 200).headers["Location"], headers=ENGLISH)
    assert response.status_code == 400
    assert value(parsed(response), ".notice-bad", "role") == "alert"


def test_only_a_form_of_ours_can_ask(anna: Client, running: Model) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = anna.cookies
    assert strict.post(ASK, {"q": QUESTION, "mode": "wider"}).status_code == 403
    assert running.requests == []


def test_the_address_by_itself_leads_to_the_search(anna: Client, running: Model) -> None:
    assert anna.get(ASK).headers["Location"] == "/"


def test_the_page_is_the_same_with_and_without_what_may_not_be_read(anna: Client, running: Model, tmp_path: Path) -> None:
    before = main(anna.get("/", {"q": QUESTION, "mode": "wider"}))
    publish(tmp_path / "netz", {"netz.md": f"{NOTICE} Kündigungsfrist!"}, allowed='["group:netz"]', source="netz")
    assert main(anna.get("/", {"q": QUESTION, "mode": "wider"})) == before


def test_a_person_outside_any_tenant_has_no_such_address(client: Client, running: Model) -> None:
    sign_in(client, person("dirk", ["alle"], active=False))
    assert main(client.post(ASK, {"q": QUESTION})) == main(client.post(NOWHERE, {"q": QUESTION}))
