"""Search traces and diagnosis: ids where the tenant wants them, words only while everybody is told, and no search that waits."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from evidence import tokens, traces
from evidence.errors import Refused
from evidence.models import AuditEvent, Role, SearchTrace, Tenant
from evidence.search import Mode, search
from evidence.tests.builders import access, document, person, publish, tenant
from evidence.tests.pages import parsed, sign_in
from evidence.tests.test_web_sources import whole

pytestmark = pytest.mark.django_db

ENGLISH = {"accept-language": "en"}
BANNER = ".kept-questions"


@pytest.fixture
def traced(tmp_path: Path) -> Tenant:
    """A tenant that wants traces, with two documents."""
    publish(tmp_path, {"a.txt": "Die Frist beginnt.\n\nDie Frist endet.", "b.txt": "Kein Wort davon."})
    Tenant.objects.update(trace_searches=True)
    return tenant()


def command(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_a_trace_holds_what_was_asked_and_shown_in_ids(traced: Tenant) -> None:
    eva = person("eva", ["alle"])
    search(access(eva), "frist")
    trace = SearchTrace.objects.get()
    state = document("a").current_id
    assert (trace.user, trace.total, trace.query) == (eva, 2, "")
    assert sorted(trace.passages) == [[state, 0], [state, 1]]
    assert trace.classes == sorted(access(eva).classes)


def test_only_the_page_that_was_shown_is_in_it(traced: Tenant) -> None:
    eva = access(person("eva", ["alle"]))
    found = search(eva, "frist", limit=1, offset=1)
    assert len(SearchTrace.objects.get().passages) == len(found.hits) == 1


def test_a_search_that_finds_nothing_leaves_a_trace_too(traced: Tenant) -> None:
    search(access(person("eva", ["alle"])), "gibtesnicht")
    search(access(person("otto")), "frist")
    assert [(trace.total, trace.passages) for trace in SearchTrace.objects.all()] == [(0, []), (0, [])]


def test_a_whole_question_of_the_wider_mode_is_kept_while_a_diagnosis_goes_on(traced: Tenant) -> None:
    traces.begin_diagnosis(traced, timedelta(minutes=5), actor=None)
    question = "frist " + "ja " * 160
    search(access(person("eva", ["alle"])), question, mode=Mode.WIDER)
    trace = SearchTrace.objects.get()
    assert (trace.query, trace.total > 0) == (question, True)


def test_without_the_switch_there_is_none(traced: Tenant) -> None:
    Tenant.objects.update(trace_searches=False)
    search(access(person("eva", ["alle"])), "frist")
    assert not SearchTrace.objects.exists()


def test_a_program_leaves_the_same_trace(traced: Tenant) -> None:
    eva = person("eva", ["alle"])
    secret = tokens.make(access(eva), name="x", scopes=["read"], days=1).secret
    answer = Client().get("/api/v1/search?q=frist", headers={"authorization": f"Bearer {secret}"})
    assert (answer.status_code, SearchTrace.objects.get().total) == (200, 2)


def test_an_answer_is_the_same_to_the_byte_with_and_without_traces(client: Client, traced: Tenant) -> None:
    sign_in(client, person("eva", ["alle"]))
    asked = {"path": "/", "data": {"q": "frist"}, "headers": {"hx-request": "true", "hx-target": "results"}}
    with_trace = whole(client.get(**asked))  # type: ignore[arg-type]
    Tenant.objects.update(trace_searches=False)
    assert whole(client.get(**asked)) == with_trace  # type: ignore[arg-type]
    assert SearchTrace.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere writers do not wait for one another")
def test_a_search_does_not_wait_for_whoever_writes(traced: Tenant) -> None:
    eva = access(person("eva", ["alle"]))
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        assert search(eva, "frist").total == 2
        assert time.monotonic() - began < 5
        other.execute("ROLLBACK")
    assert not SearchTrace.objects.exists()
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (30_000,)


def test_one_more_statement_is_all_that_it_costs(traced: Tenant, django_assert_num_queries: Any) -> None:
    eva = access(person("eva", ["alle"]))
    search(eva, "frist")
    with django_assert_num_queries(99, exact=False) as captured:
        search(eva, "frist")
    assert len([one for one in captured if "INSERT" in one["sql"]]) == 1


def test_words_are_kept_only_while_a_diagnosis_goes_on(traced: Tenant) -> None:
    Tenant.objects.update(trace_searches=False)
    eva = access(person("eva", ["alle"]))
    traces.begin_diagnosis(tenant(), timedelta(minutes=30), actor=None)
    search(eva, "Frist beginnt")
    Tenant.objects.update(diagnosis_until=timezone.now() - timedelta(seconds=1))
    search(eva, "Frist endet")
    assert [trace.query for trace in SearchTrace.objects.all()] == ["Frist beginnt"]


@pytest.mark.parametrize("lasting", [timedelta(), timedelta(hours=24, seconds=1), timedelta(days=-1)])
def test_a_diagnosis_has_an_end(lasting: timedelta) -> None:
    with pytest.raises(Refused, match="at most 24 hours"):
        traces.begin_diagnosis(tenant(), lasting, actor=None)


def test_a_clock_that_was_set_back_keeps_no_words_for_longer() -> None:
    row = tenant()
    traces.begin_diagnosis(row, timedelta(hours=24), actor=None)
    assert traces.is_diagnosed(row)
    assert not traces.is_diagnosed(row, now=timezone.now() - timedelta(days=2))


def test_commands_begin_and_end_it() -> None:
    tenant()
    assert "kept until" in command("diagnose", "--tenant", "lindenau", "--for", "2h")
    until = tenant().diagnosis_until
    assert until is not None and timedelta(hours=1, minutes=59) < until - timezone.now() <= timedelta(hours=2)
    command("diagnose", "--tenant", "lindenau", "--end")
    assert tenant().diagnosis_until is None
    assert list(AuditEvent.objects.order_by("pk").values_list("code", flat=True)) == ["diagnosis.begun", "diagnosis.ended"]
    for wrong in ("25h", "bald"):
        with pytest.raises(CommandError):
            command("diagnose", "--tenant", "lindenau", "--for", wrong)


def test_traces_are_listed_without_words(traced: Tenant) -> None:
    traces.begin_diagnosis(traced, timedelta(minutes=30), actor=None)
    search(access(person("eva", ["alle"])), "frist")
    told = command("traces", "--tenant", "lindenau")
    assert f"total 2  {SearchTrace.objects.get().milliseconds} ms" in told
    assert f"{document('a').current_id}:0" in told and "frist" not in told


def test_traces_are_switched_and_that_is_audited() -> None:
    tenant()
    command("traces", "--tenant", "lindenau", "--on")
    assert tenant().trace_searches
    command("traces", "--tenant", "lindenau", "--off")
    assert not tenant().trace_searches
    assert set(AuditEvent.objects.values_list("code", flat=True)) == {"traces.on", "traces.off"}


@pytest.fixture
def admin(client: Client) -> Iterator[Client]:
    sign_in(client, person("root", role=Role.ADMINISTRATOR))
    yield client


def test_administrators_begin_see_end_and_forget(admin: Client, traced: Tenant) -> None:
    assert "No words of questions are kept." in admin.get("/sources/diagnosis/", headers=ENGLISH).text
    admin.post("/sources/diagnosis/", {"do": "begin", "minutes": "30"})
    assert traces.is_diagnosed(tenant())
    search(access(person("eva", ["alle"])), "<b>frist")
    page = parsed(admin.get("/sources/diagnosis/", headers=ENGLISH))
    assert [cell.text() for cell in page.css("td[dir=auto]")] == ["<b>frist"]
    admin.post("/sources/diagnosis/", {"do": "end"})
    assert not traces.is_diagnosed(tenant())
    admin.post("/sources/diagnosis/", {"do": "forget"})
    assert SearchTrace.objects.get().query == ""


@pytest.mark.parametrize("sent", [{"do": "begin", "minutes": "1441"}, {"do": "begin"}, {"do": "x"}, {}])
def test_a_wrong_form_changes_nothing(admin: Client, sent: dict[str, str]) -> None:
    assert admin.post("/sources/diagnosis/", sent).status_code == 400
    assert tenant().diagnosis_until is None


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_nobody_else_gets_the_page(client: Client, role: Role) -> None:
    sign_in(client, person("eva", ["alle"], role=role))
    answers = [client.get("/sources/diagnosis/"), client.post("/sources/diagnosis/", {"do": "begin", "minutes": "30"})]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert tenant().diagnosis_until is None


def test_everybody_is_told_while_it_goes_on(client: Client, traced: Tenant) -> None:
    sign_in(client, person("eva", ["alle"]))
    assert not parsed(client.get("/", headers=ENGLISH)).css(BANNER)
    until = traces.begin_diagnosis(traced, timedelta(minutes=30), actor=None)
    for address in ("/", "/documents/", "/citations/", "/help/", "/nowhere/"):
        (banner,) = parsed(client.get(address, headers=ENGLISH)).css(BANNER)
        assert shown_time(until) in banner.text()
    traces.end_diagnosis(traced, actor=None)
    assert not parsed(client.get("/", headers=ENGLISH)).css(BANNER)


def test_people_of_other_tenants_are_not_told(client: Client, traced: Tenant) -> None:
    sign_in(client, person("ole", of=tenant("anderswo")))
    traces.begin_diagnosis(traced, timedelta(minutes=30), actor=None)
    assert not parsed(client.get("/", headers=ENGLISH)).css(BANNER)


def shown_time(at: datetime) -> str:
    """Hour and minutes as pages write them."""
    return f"{timezone.localtime(at):%H:%M}"
