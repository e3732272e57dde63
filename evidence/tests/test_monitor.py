"""What administrators, metrics and alarms are told of sources: right, whole, and in a bounded number of queries."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from evidence import jobs, monitor, projection, removal
from evidence.identity import Openness
from evidence.models import AuditEvent, Closed, Document, Job, Run, Source, SourceKind
from evidence.monitor import Concern, SourceState
from evidence.tests.builders import document, publish, run, tenant, write

pytestmark = pytest.mark.django_db

NOW = timezone.now()
HOUR = timedelta(hours=1)


def source(name: str = "archiv", **fields: object) -> Source:
    return Source.objects.create(**{"tenant": tenant(), "name": name, "kind": SourceKind.FOLDER, **fields})


def ran(of: Source, outcome: str, hours_ago: float, **fields: object) -> Run:
    started = NOW - hours_ago * HOUR
    ended = None if outcome == Run.Outcome.RUNNING else started + timedelta(minutes=5)
    return Run.objects.create(**{"source": of, "outcome": outcome, "started_at": started, "finished_at": ended, **fields})


def state(name: str = "archiv", *, now: datetime = NOW) -> SourceState:
    return next(one for one in monitor.sources(tenant().pk, now=now) if one.source.name == name)


@pytest.mark.parametrize(
    ("fields", "openness"),
    [
        ({}, Openness.NEVER_CONFIRMED),
        ({"rights_confirmed_at": NOW - HOUR}, Openness.OPEN),
        ({"rights_confirmed_at": NOW - 25 * HOUR}, Openness.TOO_OLD),
        ({"rights_confirmed_at": NOW + HOUR}, Openness.AHEAD),
        ({"kind": SourceKind.LOCAL}, Openness.OPEN),
        ({"kind": SourceKind.LOCAL, "closed_at": NOW, "closed_because": Closed.ADMINISTRATOR}, Openness.CLOSED),
        ({"rights_confirmed_at": NOW, "closed_at": NOW, "closed_because": Closed.RESTORED}, Openness.RESTORED),
    ],
)
def test_openness_says_why_a_source_is_closed(fields: dict[str, object], openness: Openness) -> None:
    source("archiv", **fields)
    assert state().openness is openness


def test_rights_that_are_kept_here_have_no_age() -> None:
    source(kind=SourceKind.LOCAL, rights_confirmed_at=NOW - HOUR)
    assert state().rights_age is None
    source("zweite", rights_confirmed_at=NOW - HOUR)
    assert state("zweite").rights_age == HOUR


def test_failures_are_counted_since_the_last_complete_run() -> None:
    row = source()
    ran(row, Run.Outcome.FAILED, 9)
    good = ran(row, Run.Outcome.COMPLETE, 8)
    ran(row, Run.Outcome.INCOMPLETE, 2, problems=[["a.txt", "file_unreadable"]])
    ran(row, Run.Outcome.FAILED, 1, error="source_unreachable")
    found = state()
    assert (found.failures, found.last_error, found.last_good) == (2, "source_unreachable", good.finished_at)


def test_an_incomplete_run_is_named_by_its_first_problem() -> None:
    ran(source(), Run.Outcome.INCOMPLETE, 1, problems=[["a.txt", "file_unreadable"]])
    assert (state().failures, state().last_error, state().last_good) == (1, "file_unreadable", None)


def test_a_run_that_says_nothing_any_more_is_not_running() -> None:
    row = source()
    going = ran(row, Run.Outcome.RUNNING, 5, seen_at=NOW)
    assert state().running == going
    assert state(now=NOW + monitor.LOST_AFTER).running is None


def test_the_next_try_is_what_comes_first() -> None:
    row = source(next_sync_at=NOW + 2 * HOUR)
    assert state().next_try == NOW + 2 * HOUR
    jobs.enqueue("sync", [row.pk], not_before=NOW + HOUR)
    assert state().next_try == NOW + HOUR


def test_documents_are_counted_by_what_becomes_of_them(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "eins", "b.txt": "zwei", "c.txt": "drei"})
    write(tmp_path, {"fundstelle.toml": '[[document]]\npath = "a.txt"\nallowed = ["group:alle"]\n[[document]]\npath = "*"\n'})
    run(tmp_path)
    removal.withdraw(document("c"))
    found = state("handbuch")
    assert (found.documents, found.withheld, found.withdrawn) == (2, 1, 1)


def test_what_has_not_reached_the_index_is_counted_with_its_age(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "eins", "b.txt": "zwei"})
    for hours in (3, 1):
        projection.record([document("a").pk])
        Job.objects.filter(pk=Job.objects.latest("pk").pk).update(created_at=NOW - hours * HOUR)
    found = state("handbuch")
    assert (found.pending, found.oldest_pending) == (1, 3 * HOUR)


def test_dropped_hits_of_current_and_earlier_states_are_counted_for_a_day(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "eins"})
    row = document("a")
    for one, hours in ((row.pk, 1), (row.pk, 2), ((row.current_id or 0) + projection.ARCHIVED, 3), (row.pk, 25), (10**9, 1)):
        event = AuditEvent.objects.create(tenant=tenant(), code="index.hit_dropped", ids={"document": one, "passage": 0})
        AuditEvent.objects.filter(pk=event.pk).update(at=NOW - hours * HOUR)
    assert state("handbuch").dropped == 3


def test_jobs_that_were_given_up_are_counted_at_their_source(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "eins"})
    removal.request_purge(document("a"))
    jobs.enqueue("sync", [document("a").source_id])
    assert state("handbuch").jobs_given_up == 0
    Job.objects.update(attempts=jobs.MAX_ATTEMPTS)
    assert state("handbuch").jobs_given_up == 2
    assert state("handbuch").next_try is None


def test_a_tenant_knows_its_own_sources_only() -> None:
    source()
    source("fremd", tenant=tenant("andere"))
    assert [one.source.name for one in monitor.sources(tenant().pk, now=NOW)] == ["archiv"]
    assert {one.source.name for one in monitor.sources(None, now=NOW)} == {"archiv", "fremd"}


def test_the_number_of_queries_does_not_depend_on_sources(tmp_path: Path, django_assert_num_queries: object) -> None:
    for number in range(12):
        publish(tmp_path / str(number), {"a.txt": "eins", "b.txt": "zwei"}, source=f"s{number}")
        for outcome in (Run.Outcome.FAILED, Run.Outcome.RUNNING):
            ran(Source.objects.get(name=f"s{number}"), outcome, 0)
    projection.record(Document.objects.values_list("pk", flat=True))
    here = tenant().pk
    with django_assert_num_queries(13):  # type: ignore[operator]
        assert len(monitor.sources(here, now=NOW)) == 12


@pytest.mark.parametrize(
    ("change", "concerns"),
    [
        ({}, []),
        ({"rights_age": 19 * HOUR}, [Concern.EXPIRING]),
        ({"openness": Openness.TOO_OLD, "rights_age": 25 * HOUR, "failures": 2}, [Concern.TOO_OLD, Concern.FAILING]),
        ({"openness": Openness.CLOSED}, [Concern.CLOSED]),
        ({"dropped": 1, "jobs_given_up": 1, "withheld": 3}, [Concern.DROPPED, Concern.GIVEN_UP, Concern.WITHHELD]),
        ({"pending": 1, "oldest_pending": HOUR / 10}, []),
        ({"pending": 1, "oldest_pending": HOUR / 5}, [Concern.LAGGING]),
    ],
)
def test_concerns_are_named_the_gravest_first(change: dict[str, object], concerns: list[Concern]) -> None:
    source(rights_confirmed_at=NOW - HOUR)
    assert monitor.concerns(replace(state(), **change)) == concerns  # type: ignore[arg-type]


def test_every_way_of_being_closed_is_a_concern() -> None:
    source(rights_confirmed_at=NOW)
    for openness in set(Openness) - {Openness.OPEN}:
        assert monitor.concerns(replace(state(), openness=openness)) == [Concern(openness)]


def test_what_needs_attention_comes_first() -> None:
    source("a", rights_confirmed_at=NOW)
    source("b", rights_confirmed_at=NOW - 20 * HOUR)
    source("c")
    source("d", rights_confirmed_at=NOW)
    ordered = monitor.gravest_first(monitor.sources(tenant().pk, now=NOW))
    assert [one.source.name for one in ordered] == ["c", "b", "a", "d"]
