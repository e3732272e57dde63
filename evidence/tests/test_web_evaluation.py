"""The pages of evaluations: who gets them, what they show in ids and numbers, and deleting a run."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from evidence.evaluation import figures
from evidence.evaluation.figures import Given, Outcome
from evidence.evaluation.questions import State
from evidence.models import AuditEvent, Evaluation, Role, Tenant
from evidence.tests.builders import person, tenant
from evidence.tests.pages import one, parsed, sign_in, texts
from evidence.tests.test_web_sources import whole
from evidence.web.figures import written

pytestmark = pytest.mark.django_db

ENGLISH = {"accept-language": "en"}
GERMAN = {"accept-language": "de"}
OUTCOMES = [
    Outcome("gut", State.ANSWERABLE, Given.ANSWERABLE, rank=1, gain=1.0, quoted=True, passage=2, passage_gain=0.63),
    Outcome("weg", State.ANSWERABLE, Given.NEAR),
    Outcome("keine", State.UNANSWERABLE, Given.NEAR),
]


@pytest.fixture
def curator(client: Client) -> Client:
    """A browser of a curator."""
    sign_in(client, person("kuno", role=Role.CURATOR))
    return client


def run(
    outcomes: list[Outcome] = OUTCOMES, *, name: str = "fragen", mode: str = "wider", of: Tenant | None = None, **more: Any
) -> Evaluation:
    """A run that was kept."""
    found = figures.summary(outcomes, seconds=1.5)
    return Evaluation.objects.create(
        tenant=of or tenant(),
        name=name,
        digest="d",
        version="0",
        settings={"mode": mode, "thresholds": {}},
        figures=found,
        results=[outcome.to_json() for outcome in outcomes],
        forbidden=found["forbidden_hits"],
        seconds=1.5,
        **more,
    )


@pytest.mark.parametrize("role", [role for role in Role if role not in {Role.CURATOR, Role.ADMINISTRATOR}])
@pytest.mark.parametrize("path", ["/evaluation/", "/evaluation/1/", "/evaluation/1/delete/"])
def test_everybody_else_gets_what_an_unknown_address_gives(client: Client, role: Role, path: str) -> None:
    kept = run(pk=1)
    sign_in(client, person("eva", role=role))
    nowhere = client.get("/nowhere/")
    assert whole(client.get(path)) == whole(nowhere)
    assert client.post(path).status_code == 404 and Evaluation.objects.filter(pk=kept.pk).exists()
    assert 'href="/evaluation/"' not in client.get("/").content.decode()


@pytest.mark.parametrize("role", [Role.CURATOR, Role.ADMINISTRATOR])
def test_curators_and_administrators_find_them_in_their_menu(client: Client, role: Role) -> None:
    sign_in(client, person("kuno", role=role))
    assert texts(parsed(client.get("/", headers=ENGLISH)), '.account a[href="/evaluation/"]') == ["Evaluation"]


def test_without_a_run_the_page_says_how_to_get_one(curator: Client) -> None:
    page = parsed(curator.get("/evaluation/", headers=ENGLISH))
    assert "manage.py evaluate" in one(page, ".nothing").text() and page.css("table") == []


def test_each_set_and_mode_shows_its_latest_figures_against_the_run_before(curator: Client) -> None:
    run([OUTCOMES[1]], at=timezone.now() - timedelta(days=1))
    run()
    run(mode="exact", at=timezone.now() - timedelta(days=2))
    page = parsed(curator.get("/evaluation/", headers=ENGLISH))
    assert texts(page, "section h2") == ["fragen, wider mode", "fragen, exact mode"]
    first = page.css("section")[0]
    values = {one(div, "dt").text(): " ".join(one(div, "dd").text().split()) for div in first.css(".figures > div")}
    assert values["success@10"] == "0.500 +0.500 better" and values["recognised"] == "1.000"
    assert len(first.css("tbody tr")) == 2


def test_a_chart_draws_the_figures_of_all_runs(curator: Client) -> None:
    for days in (3, 2, 1):
        run(at=timezone.now() - timedelta(days=days))
    svg = one(parsed(curator.get("/evaluation/", headers=ENGLISH)), "figure svg")
    assert [len((line.attributes["points"] or "").split()) for line in svg.css("polyline")] == [3, 3, 3]
    assert "3 runs, oldest first. success@10: 0.500." in " ".join(one(svg, "desc").text().split())


def test_one_run_shows_each_question_in_ids_states_and_ranks(curator: Client) -> None:
    kept = run()
    page = parsed(curator.get(f"/evaluation/{kept.pk}/", headers=ENGLISH))
    rows = [[" ".join(cell.text().split()) for cell in row.css("th, td")] for row in page.css("section")[2].css("tbody tr")]
    assert rows == [
        ["gut", "answerable", "answerable", "1", "2"],
        ["weg", "answerable", "near", "–", "–"],
        ["keine", "unanswerable", "near", "–", "–"],
    ]
    confusion = [[cell.text() for cell in row.css("th, td")] for row in page.css(".confusion tbody tr")]
    assert confusion == [["answerable", "1", "0", "1", "0", "0"], ["unanswerable", "0", "0", "1", "0", "0"]]


def test_figures_are_rounded_as_the_command_rounds_them() -> None:
    with translation.override("de"):
        assert [written(name, 0.8696) for name in ("recognised", "seconds")] == ["0,870", "0,9"]


def test_groups_of_questions_are_shown_apart(curator: Client) -> None:
    kept = run([Outcome("a", State.ANSWERABLE, Given.ANSWERABLE, rank=1, group="de"), Outcome("b", State.ANSWERABLE, Given.NEAR)])
    page = parsed(curator.get(f"/evaluation/{kept.pk}/", headers=ENGLISH))
    rows = [[cell.text() for cell in row.css("th, td")] for row in page.css(".groups tbody tr")]
    assert [row[:3] for row in rows] == [["–", "1", "0.000"], ["de", "1", "1.000"]]


def test_a_run_tells_which_questions_got_better_or_worse(curator: Client) -> None:
    run([Outcome("gut", State.ANSWERABLE, Given.ANSWERABLE), Outcome("weg", State.ANSWERABLE, Given.ANSWERABLE, rank=3)])
    kept = run()
    address = f"/evaluation/{kept.pk}/"
    tabs = [" ".join(text.split()) for text in texts(parsed(curator.get(address, headers=ENGLISH)), ".choices a")]
    assert tabs == ["All 3", "Not right 1", "Better 1", "Worse 1"]
    for show, ids in (("wrong", ["weg"]), ("better", ["gut"]), ("worse", ["weg"]), ("nonsense", ["gut", "weg", "keine"])):
        page = parsed(curator.get(address, {"show": show}, headers=ENGLISH))
        assert texts(page.css("section")[2], "tbody th") == ids  # type: ignore[arg-type]


def test_a_run_is_compared_with_the_one_before_it_and_not_with_a_later_one(curator: Client) -> None:
    first, second = run(at=timezone.now() - timedelta(hours=1)), run()
    assert "Run before" not in one(parsed(curator.get(f"/evaluation/{first.pk}/", headers=ENGLISH)), "main").text()
    page = parsed(curator.get(f"/evaluation/{second.pk}/", headers=ENGLISH))
    assert page.css(f'.facts a[href="/evaluation/{first.pk}/"]')


def test_what_was_found_and_must_not_be_stands_first(curator: Client) -> None:
    kept = run([Outcome("geheim", State.FORBIDDEN, Given.NEAR, forbidden=("4711",))], passed=False)
    page = parsed(curator.get(f"/evaluation/{kept.pk}/", headers=ENGLISH))
    assert "geheim: 4711" in " ".join(one(page, ".notice-bad[role=alert]").text().split())
    assert "Not good enough" in one(page, ".source-head").text()


def test_many_questions_come_page_by_page(curator: Client) -> None:
    kept = run([Outcome(f"q{number}", State.ANSWERABLE, Given.ANSWERABLE, rank=1) for number in range(450)])
    address = f"/evaluation/{kept.pk}/"
    seen: list[str] = []
    for offset in (0, 200, 400):
        page = parsed(curator.get(address, {"offset": offset}, headers=ENGLISH))
        seen += texts(page.css("section")[2], "tbody th")  # type: ignore[arg-type]
    assert seen == [f"q{number}" for number in range(450)]
    assert curator.get(address, {"offset": "x"}).status_code == 400


def test_a_run_of_another_tenant_is_unavailable(curator: Client) -> None:
    other = run(of=tenant("anderswo"))
    assert curator.get(f"/evaluation/{other.pk}/").status_code == 404
    assert curator.post(f"/evaluation/{other.pk}/delete/").status_code == 404
    assert "anderswo" not in curator.get("/evaluation/").content.decode() and Evaluation.objects.exists()


def test_deleting_a_run_removes_it_and_is_noted(curator: Client) -> None:
    kept = run()
    answer = curator.post(f"/evaluation/{kept.pk}/delete/", follow=True, headers=ENGLISH)
    assert "The run of fragen is deleted." in one(parsed(answer), ".notice-good").text()
    assert not Evaluation.objects.exists()
    event = AuditEvent.objects.get(code="evaluation.deleted")
    assert event.ids == {"evaluation": kept.pk} and event.actor is not None


def test_looking_deletes_nothing(curator: Client) -> None:
    kept = run()
    assert curator.get(f"/evaluation/{kept.pk}/delete/").status_code == 405
    assert Evaluation.objects.exists()


def test_the_pages_speak_german(curator: Client) -> None:
    kept = run()
    for path in ("/evaluation/", f"/evaluation/{kept.pk}/"):
        assert curator.get(path, headers=GERMAN).headers["Content-Language"] == "de"


def test_the_list_asks_the_database_as_often_for_many_runs_as_for_one(
    curator: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run()
    curator.get("/evaluation/")
    for number in range(2):
        with django_assert_num_queries(LIST_QUERIES):
            curator.get("/evaluation/")
        for _ in range(5):
            run(name=f"satz{number}")


def test_a_run_is_shown_with_few_questions_to_the_database(
    curator: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    kept = run([Outcome(f"q{number}", State.ANSWERABLE, Given.ANSWERABLE, rank=1) for number in range(300)])
    curator.get(f"/evaluation/{kept.pk}/")
    with django_assert_num_queries(LIST_QUERIES + 1):
        curator.get(f"/evaluation/{kept.pk}/")


LIST_QUERIES = 7
"""Session, person, memberships, groups, sources, rules, the head's tenants, and the runs."""
