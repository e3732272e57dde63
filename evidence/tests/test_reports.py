"""Reports of searches: what is kept, who sees it, how it is worked off, and that its words go."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from evidence import removal, reports, retention, worker
from evidence.access import Access
from evidence.errors import Refused, Unavailable
from evidence.identity import NOBODY
from evidence.models import AuditEvent, Job, Role, SearchReport
from evidence.reports import MAX_ANSWER, MAX_WISH, PAGE, PER_DAY
from evidence.search import Mode
from evidence.tests.builders import access, person, tenant
from evidence.tests.test_removal import files_with

pytestmark = pytest.mark.django_db

DONE, DECLINED, OPEN = SearchReport.State.DONE, SearchReport.State.DECLINED, SearchReport.State.OPEN


@pytest.fixture
def anna() -> Access:
    return access(person("anna", ["alle"]))


@pytest.fixture
def curator() -> Access:
    return access(person("kurt", role=Role.CURATOR))


def send(mine: Access, query: str = "Elternzeit beantragen", wish: str = "den Vordruck", **options: object) -> UUID:
    return reports.send(mine, query=query, wish=wish, **({"mode": Mode.WIDER, "seen": 3} | options))  # type: ignore[arg-type]


def close(mine: Access, report: UUID, state: str = DONE, cause: str = "document_missing", answer: str = "Ist jetzt da.") -> None:
    reports.close(mine, report, state=state, cause=cause, answer=answer)


def test_a_report_holds_what_was_sent(anna: Access) -> None:
    id = send(anna, query=" Frist \r\n", wish="eins\r\nzwei ")
    (row,) = reports.own(anna).rows
    kept = (row.public_id, row.query, row.wish, row.mode, row.seen, row.state, row.user_id)
    assert kept == (id, "Frist", "eins\nzwei", "wider", 3, OPEN, anna.user)


def test_either_field_may_be_empty_and_not_both(anna: Access) -> None:
    send(anna, query="", wish="den Vordruck")
    send(anna, query="Vordruck", wish="")
    with pytest.raises(Refused, match="holds no words"):
        send(anna, query=" \n", wish="")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"query": "x" * 501}, "report_query_long"),
        ({"wish": "x" * (MAX_WISH + 1)}, "report_wish_long"),
        ({"wish": "a\0b"}, "report_control_character"),
        ({"query": "a\ud800b"}, "report_control_character"),
    ],
)
def test_what_is_too_long_or_no_text_is_refused(anna: Access, sent: dict[str, str], code: str) -> None:
    with pytest.raises(Refused) as refusal:
        send(anna, **sent)
    assert refusal.value.code == code


def test_words_at_the_limits_are_kept(anna: Access) -> None:
    send(anna, query="x" * 500, wish="y" * MAX_WISH)
    (row,) = reports.own(anna).rows
    assert (len(row.query), len(row.wish)) == (500, MAX_WISH)


def test_a_person_sends_only_so_many_in_a_day(anna: Access) -> None:
    for _ in range(PER_DAY):
        send(anna)
    with pytest.raises(Refused, match=f"{PER_DAY} reports within a day"):
        send(anna)
    send(access(person("ben", ["alle"])))
    SearchReport.objects.update(at=timezone.now() - timedelta(days=1, minutes=1))
    send(anna)


def test_who_belongs_nowhere_sends_nothing() -> None:
    with pytest.raises(Unavailable):
        send(NOBODY)


def test_everybody_sees_their_own_alone(anna: Access) -> None:
    send(anna)
    for other in (access(person("ben", ["alle"])), access(person("max", of=tenant("andere"))), NOBODY):
        assert (reports.own(other).rows, reports.own(other).total) == ([], 0)


@pytest.mark.parametrize("role", [Role.READER, Role.EDITOR, Role.REVIEWER])
def test_who_is_no_curator_works_nothing_off(anna: Access, role: str) -> None:
    id, other = send(anna), access(person("otto", ["alle"], role=role))
    acts: list[Callable[[], object]] = [
        lambda: reports.to_work_off(other),
        lambda: reports.tally(other),
        lambda: close(other, id),
        lambda: reports.reopen(other, id),
    ]
    for act in acts:
        with pytest.raises(Unavailable):
            act()


@pytest.mark.parametrize("role", [Role.CURATOR, Role.ADMINISTRATOR])
def test_curators_see_the_reports_of_their_tenant_alone(anna: Access, role: str) -> None:
    id = send(anna)
    mine = access(person("kurt", role=role))
    stranger = access(person("karl", of=tenant("andere"), role=role))
    assert [row.public_id for row in reports.to_work_off(mine).rows] == [id]
    assert (reports.to_work_off(stranger).total, reports.tally(stranger).states) == (0, {})
    with pytest.raises(Unavailable):
        close(stranger, id)


def test_a_closed_report_shows_its_sender_cause_and_answer(anna: Access, curator: Access) -> None:
    id = send(anna)
    close(curator, id)
    (row,) = reports.own(anna).rows
    assert (row.state, row.cause, row.answer, row.closed_by_id) == (DONE, "document_missing", "Ist jetzt da.", curator.user)
    assert (reports.to_work_off(curator).total, reports.to_work_off(curator, state=DONE).total) == (0, 1)
    assert (reports.tally(curator).states, reports.tally(curator).causes) == ({DONE: 1}, {"document_missing": 1})


def test_closing_can_be_taken_back(anna: Access, curator: Access) -> None:
    id = send(anna)
    close(curator, id, DECLINED)
    reports.reopen(curator, id)
    (row,) = reports.to_work_off(curator).rows
    assert (row.state, row.answer, row.closed_at, row.closed_by) == (OPEN, "Ist jetzt da.", None, None)


def test_of_two_curators_the_second_is_told_that_the_report_has_changed(anna: Access, curator: Access) -> None:
    id = send(anna)
    close(curator, id)
    with pytest.raises(Refused) as refusal:
        close(access(person("kira", role=Role.CURATOR)), id, answer="Anders.")
    assert refusal.value.code == "report_changed"
    assert SearchReport.objects.get().answer == "Ist jetzt da."
    reports.reopen(curator, id)
    with pytest.raises(Refused, match="changed meanwhile"):
        reports.reopen(curator, id)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"state": OPEN}, "report_state"),
        ({"state": "x"}, "report_state"),
        ({"cause": ""}, "report_cause"),
        ({"cause": "x"}, "report_cause"),
        ({"answer": "x" * (MAX_ANSWER + 1)}, "report_answer_long"),
    ],
)
def test_a_report_is_closed_with_a_state_a_cause_and_an_answer_that_fit(
    anna: Access, curator: Access, sent: dict[str, str], code: str
) -> None:
    id = send(anna)
    with pytest.raises(Refused) as refusal:
        close(curator, id, **sent)
    assert (refusal.value.code, SearchReport.objects.get().state) == (code, OPEN)


def test_a_report_that_is_none_is_unavailable(curator: Access) -> None:
    acts: list[Callable[[], object]] = [
        lambda: close(curator, uuid4()),
        lambda: reports.reopen(curator, uuid4()),
        lambda: reports.delete(curator, uuid4()),
    ]
    for act in acts:
        with pytest.raises(Unavailable):
            act()


def test_a_person_deletes_their_own_report_and_nobody_elses(anna: Access, curator: Access) -> None:
    id = send(anna)
    with pytest.raises(Unavailable):
        reports.delete(curator, id)
    reports.delete(anna, id)
    assert not SearchReport.objects.exists()


def test_open_ones_come_in_the_order_in_which_they_were_sent_a_page_at_a_time(
    curator: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    for n in range(PAGE + 1):
        sent.append(send(access(person(f"p{n}", ["alle"]))))
    first, second = reports.to_work_off(curator), reports.to_work_off(curator, offset=PAGE)
    assert [row.public_id for row in (*first.rows, *second.rows)] == sent
    assert (first.total, len(second.rows)) == (PAGE + 1, 1)


def test_words_go_when_their_time_is_over_and_the_count_stays(anna: Access, curator: Access, settings: Settings) -> None:
    settings.KEEP = dict.fromkeys(settings.KEEP) | {"reports": timedelta(days=90)}
    closed, left = send(anna), send(anna)
    close(curator, closed)
    now = timezone.now()
    assert retention.apply(now=now + timedelta(days=89)) == {}
    assert retention.apply(now=now + timedelta(days=91)) == {"reports": 2}
    assert retention.apply(now=now + timedelta(days=92)) == {}
    assert {(row.query, row.wish, row.answer) for row in SearchReport.objects.all()} == {("", "", "")}
    assert all(row.words_gone_at for row in reports.own(anna).rows)
    told = reports.tally(curator)
    assert (told.states, told.causes, told.wordless) == ({}, {"document_missing": 1}, 1)
    with pytest.raises(Refused, match="changed meanwhile"):
        close(curator, left)


def test_reports_go_with_the_person_who_sent_them(anna: Access) -> None:
    send(anna)
    User.objects.get(username="anna").delete()
    assert not SearchReport.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_words_that_went_are_in_no_file(data_folder: Path, settings: Settings) -> None:
    settings.KEEP = dict.fromkeys(settings.KEEP) | {"reports": timedelta(days=90)}
    anna = access(person("anna", ["alle"]))
    send(anna, query="Sauerampferstrudel")
    reports.delete(anna, send(anna, wish="Rhabarberkuchen"))
    retention.apply(now=timezone.now() + timedelta(days=91))
    Job.objects.filter(kind=removal.WIPE).update(not_before=timezone.now())
    worker.run_due()
    assert files_with(data_folder, "Sauerampferstrudel") == files_with(data_folder, "Rhabarberkuchen") == []


def test_audit_and_logs_hold_ids_and_no_words(anna: Access, curator: Access, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="evidence"):
        id = send(anna)
        close(curator, id)
        reports.reopen(curator, id)
        reports.delete(anna, id)
    events = list(AuditEvent.objects.filter(code__startswith="report.").order_by("pk"))
    assert [event.code for event in events] == ["report.sent", "report.closed", "report.reopened", "report.deleted"]
    assert [event.actor_id for event in events] == [anna.user, curator.user, curator.user, anna.user]
    assert all(event.ids == {"report": str(id)} for event in events)
    assert "Elternzeit" not in caplog.text and "Vordruck" not in caplog.text
