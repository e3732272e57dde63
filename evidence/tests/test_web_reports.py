"""The pages of reports: the button below results, what it shows before it is sent, one's own list, and the curators' list."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence.models import Role, SearchReport
from evidence.tests.builders import person, publish, tenant
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH = {"accept-language": "en"}
SENT = {"q": "Elternzeit", "wish": "den Vordruck", "mode": "wider", "seen": "3"}
NONE = "00000000-0000-4000-8000-000000000000"
QUERIES_OF_A_LIST = 8
"""Session, person, 3 for the Access, the tenants in the page's head, rows and their number; for curators 3 more that count."""


@pytest.fixture
def anna(client: Client, tmp_path: Path) -> Client:
    """A reader's browser, and something to find."""
    publish(tmp_path, {"a.txt": "Der Antrag auf Urlaub."})
    sign_in(client, person("anna", ["alle"]))
    return client


@pytest.fixture
def curator() -> Client:
    """A curator's browser."""
    client = Client()
    sign_in(client, person("kurt", role=Role.CURATOR))
    return client


def report(**fields: Any) -> SearchReport:
    """The row of a report of somebody's."""
    user = fields.pop("user", None) or person(f"p{uuid4().hex[:8]}", ["alle"])
    values = {"query": "Elternzeit", "wish": "den Vordruck", "mode": "exact", "tenant": tenant(), "user": user}
    return SearchReport.objects.create(**(values | fields))


@pytest.mark.parametrize(
    ("question", "seen", "loud"),
    [
        ({"q": "antrag"}, "1", 0),
        ({"q": "antrag", "mode": "wider"}, "1", 0),
        ({"q": "elternzeit"}, "0", 0),  # to search wider is offered first
        ({"q": "elternzeit", "mode": "wider"}, "0", 1),
    ],
)
def test_results_offer_to_report_them_with_what_is_sent(anna: Client, question: dict[str, str], seen: str, loud: int) -> None:
    page = parsed(anna.get("/", question))
    form = one(page, ".report-form")
    assert (one(form, "[name=q]").text().strip(), value(form, "[name=seen]", "value")) == (question["q"], seen)
    assert value(form, "[name=mode]", "value") == question.get("mode", "exact")
    assert len(page.css(".report")) == 1 and len(page.css(".report-loud")) == loud
    sent = {node.attributes["name"] for node in form.css("[name]")}
    assert sent == {"csrfmiddlewaretoken", "q", "wish", "mode", "seen"}
    assert "anna" in texts(page, ".sent-too")[0]


def test_who_may_read_nothing_is_offered_nothing_to_report(client: Client) -> None:
    sign_in(client, person("clara"))
    assert parsed(client.get("/", {"q": "antrag"})).css(".report") == []


def test_a_report_is_sent_and_stands_in_ones_own_list(anna: Client) -> None:
    answer = anna.post("/reports/send/", SENT)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/reports/")
    page = parsed(anna.get("/reports/", headers=ENGLISH))
    assert texts(page, ".report-query") == ["Elternzeit"] and texts(page, ".report-wish") == ["den Vordruck"]
    assert texts(page, ".state") == ["open"]


def test_a_refused_report_keeps_what_was_typed(anna: Client) -> None:
    answer = anna.post("/reports/send/", SENT | {"wish": "x" * 1001}, headers=ENGLISH)
    page = parsed(answer)
    assert (answer.status_code, SearchReport.objects.count()) == (400, 0)
    assert "at most 1000 characters" in texts(page, "[role=alert]")[0]
    assert (one(page, "[name=q]").text().strip(), value(page, "[name=seen]", "value")) == ("Elternzeit", "3")


@pytest.mark.parametrize("wrong", [{"mode": "x"}, {"q": "", "wish": ""}, {"q": "a\0b"}])
def test_what_is_no_report_is_refused(anna: Client, wrong: dict[str, str]) -> None:
    assert anna.post("/reports/send/", SENT | wrong).status_code == 400


def test_a_number_that_is_none_counts_as_nothing_found(anna: Client) -> None:
    anna.post("/reports/send/", SENT | {"seen": "9" * 30})
    assert SearchReport.objects.get().seen == 0


def test_a_report_of_ones_own_is_deleted_by_a_button_and_anothers_is_unavailable(anna: Client) -> None:
    anna.post("/reports/send/", SENT)
    mine, other = SearchReport.objects.get(), report()
    assert anna.post(f"/reports/{other.public_id}/delete/").status_code == 404
    assert anna.post(f"/reports/{mine.public_id}/delete/").status_code == 302
    assert [row.pk for row in SearchReport.objects.all()] == [other.pk]


@pytest.mark.parametrize("role", [Role.READER, Role.EDITOR, Role.REVIEWER])
@pytest.mark.parametrize("path", ["work", f"{NONE}/close", f"{NONE}/reopen"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_who_is_no_curator_cannot_tell_that_there_is_a_list(client: Client, role: str, path: str, method: str) -> None:
    sign_in(client, person("otto", ["alle"], role=role))
    report()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    answers = [main(getattr(strict, method)(address)) for address in (f"/reports/{path}/", "/reports/nowhere/")]
    assert answers[0].replace(f"/reports/{path}/", "") == answers[1].replace("/reports/nowhere/", "")
    assert parsed(client.get("/reports/")).css(".tabs") == []


def test_a_curator_closes_a_report_and_its_sender_reads_the_answer(anna: Client, curator: Client) -> None:
    anna.post("/reports/send/", SENT)
    page = parsed(curator.get("/reports/work/"))
    assert texts(page, ".report-query") == ["Elternzeit"] and "anna" in texts(page, ".report-row .facts")[0]
    action = value(page, ".report-close", "action")
    curator.post(action, {"state": "done", "cause": "synonym_missing", "answer": "Steht jetzt in der Liste."})
    mine = parsed(anna.get("/reports/", headers=ENGLISH))
    assert (texts(mine, ".state"), texts(mine, ".report-cause")) == (["done"], ["synonym missing"])
    assert "Steht jetzt in der Liste." in texts(mine, ".report-answer")[0]


def test_a_closed_report_is_reopened_where_closed_ones_are_listed(curator: Client) -> None:
    row = report()
    curator.post(f"/reports/{row.public_id}/close/", {"state": "declined", "cause": "other", "answer": ""})
    assert texts(parsed(curator.get("/reports/work/")), ".report-query") == []
    page = parsed(curator.get("/reports/work/?state=declined"))
    curator.post(value(page, ".report-row form", "action"))
    assert texts(parsed(curator.get("/reports/work/")), ".report-query") == ["Elternzeit"]


def test_a_report_that_cannot_be_closed_so_keeps_what_was_typed(curator: Client) -> None:
    row, other = report(), report(query="Anderes")
    answer = curator.post(
        f"/reports/{row.public_id}/close/", {"state": "done", "cause": "", "answer": "Getippt"}, headers=ENGLISH
    )
    page = parsed(answer)
    assert answer.status_code == 400
    assert "Choose why" in texts(page, f"#report-{row.public_id} [role=alert]")[0]
    assert texts(page, f"#report-{row.public_id} textarea") == ["Getippt"]
    assert texts(page, f"#report-{other.public_id} textarea") == [""]


def test_a_report_that_somebody_else_has_closed_says_so(curator: Client) -> None:
    row = report(state="done")
    page = parsed(curator.post(f"/reports/{row.public_id}/close/", {"state": "done", "cause": "other"}, headers=ENGLISH))
    assert "changed meanwhile" in texts(page, "[role=alert]")[0]


def test_words_of_reports_stay_text(anna: Client, curator: Client) -> None:
    evil = "<script>alert(1)</script>"
    anna.post("/reports/send/", SENT | {"q": evil, "wish": evil})
    for page in (parsed(anna.get("/reports/")), parsed(curator.get("/reports/work/"))):
        assert texts(page, ".report-query") == [evil] and page.css("main script") == []


@pytest.mark.parametrize(("path", "more"), [("/reports/", 0), ("/reports/work/", 3), ("/reports/work/?state=done", 3)])
def test_queries_do_not_depend_on_the_number_of_reports(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, path: str, more: int
) -> None:
    kurt = person("kurt", ["alle"], role=Role.CURATOR)
    sign_in(client, kurt)
    client.get(path)
    for number in (1, 5):
        for _ in range(number):
            report(user=kurt if path == "/reports/" else None, state="done" if "done" in path else "open", closed_by=kurt)
        with django_assert_num_queries(QUERIES_OF_A_LIST + more):
            response = client.get(path)
    assert len(texts(parsed(response), ".report-row")) == 6
