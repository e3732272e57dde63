"""Metrics and health: right numbers, no names, for nobody without the token; codes alone for strangers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from evidence import heartbeat, jobs, removal
from evidence.models import Alarm, AuditEvent, Document, Job, Receipt, Revocation, Run, Source, SourceKind, Tenant
from evidence.tests.builders import document, publish, tenant
from evidence.tests.test_settings import run as python

pytestmark = pytest.mark.django_db

TOKEN = "nur-fuer-die-ueberwachung-7"
QUERIES = 17


@pytest.fixture(autouse=True)
def token(settings: Settings, data_folder: Path) -> Settings:
    data_folder.mkdir()
    settings.METRICS_TOKEN = TOKEN
    return settings


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A folder with two documents, whose rights were confirmed an hour ago."""
    publish(tmp_path, {"a.txt": "eins", "b.txt": "zwei"}, source="geheimname")
    hour = timezone.now() - timedelta(hours=1)
    Source.objects.update(kind=SourceKind.FOLDER, title="Geheimtitel", rights_confirmed_at=hour)
    return Source.objects.get()


def asked(**headers: str) -> Any:
    return Client().get("/metrics", headers={"authorization": f"Bearer {TOKEN}"} | headers)


def numbers() -> Mapping[str, float]:
    """Each metric as it stands there, with its labels."""
    found = {}
    for family in text_string_to_metric_families(asked().text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name.removeprefix('fundstelle_')}{{{labels}}}"] = sample.value
    return found


def of(source: Source, name: str, **labels: str) -> float | None:
    inside = ",".join(f"{key}={value}" for key, value in sorted({"source": str(source.pk), **labels}.items()))
    return numbers().get(f"source_{name}{{{inside}}}")


def test_without_a_token_it_is_an_address_that_is_none(settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    answer, nowhere = asked(), Client().get("/nowhere", headers={"authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, nowhere.headers["Content-Type"])


@pytest.mark.parametrize("given", ["", "Bearer ", f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}", "Bearer ä"])
def test_a_wrong_token_gets_nothing(given: str) -> None:
    answer = asked(authorization=given)
    assert (answer.status_code, answer.text, answer.headers["WWW-Authenticate"]) == (401, "unauthenticated\n", "Bearer")


def test_the_format_is_that_of_prometheus(source: Source) -> None:
    answer = asked()
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    assert "# TYPE fundstelle_source_open gauge" in answer.text
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_no_label_holds_a_name(source: Source) -> None:
    document("a", source="geheimname")
    Alarm.objects.create(source=source, code="too_old")
    text = asked().text
    assert not [word for word in ("geheimname", "Geheimtitel", "lindenau", "alle") if word in text]


def test_a_source_that_is_open(source: Source) -> None:
    found = numbers()
    key = f"source={source.pk}"
    assert (found[f"source_open{{{key}}}"], found[f"source_state{{{key},state=open}}"]) == (1, 1)
    assert 3_600 <= found[f"source_rights_age_seconds{{{key}}}"] < 3_660
    assert found[f"source_revocation_sla_seconds{{{key}}}"] == 86_400
    assert found[f"source_documents{{{key},state=current}}"] == 2
    assert timezone.now().timestamp() - found[f"source_last_good_run_timestamp_seconds{{{key}}}"] < 60


def test_a_source_that_is_closed_by_its_sla(source: Source) -> None:
    Source.objects.update(rights_confirmed_at=timezone.now() - timedelta(days=2))
    assert (of(source, "open"), of(source, "state", state="too_old"), of(source, "state", state="open")) == (0, 1, 0)


def test_an_age_that_is_not_known_is_left_out(source: Source) -> None:
    Source.objects.update(rights_confirmed_at=None)
    assert (of(source, "rights_age_seconds"), of(source, "open")) == (None, 0)


def test_failures_lag_and_dropped_hits(source: Source) -> None:
    for _ in range(3):
        Run.objects.create(source=source, outcome=Run.Outcome.FAILED, finished_at=timezone.now())
    row = document("a", source="geheimname")
    Job.objects.create(kind="index", key=row.pk, created_at=timezone.now() - timedelta(minutes=5))
    AuditEvent.objects.create(code="index.hit_dropped", ids={"document": row.pk, "passage": 0})
    Document.objects.filter(pk=row.pk).update(rights_problem="x")
    assert (of(source, "failed_runs"), of(source, "index_pending"), of(source, "dropped_hits")) == (3, 1, 1)
    assert 300 <= (of(source, "index_lag_seconds") or 0) < 360
    assert of(source, "documents", state="withheld") == 1


def test_jobs_by_kind(source: Source) -> None:
    past = timezone.now() - timedelta(minutes=1)
    Job.objects.create(kind="purge", key=1, not_before=past)
    Job.objects.create(kind="purge", key=2, not_before=timezone.now() + timedelta(days=1))
    Job.objects.create(kind="wipe", key=3, not_before=past, attempts=jobs.MAX_ATTEMPTS)
    found = numbers()
    assert (found["jobs_waiting{kind=purge}"], found["jobs_given_up{kind=purge}"]) == (1, 0)
    assert 60 <= found["jobs_oldest_seconds{kind=purge}"] < 120
    assert (found["jobs_waiting{kind=wipe}"], found["jobs_given_up{kind=wipe}"]) == (0, 1)


def test_removals_by_how_far_they_are() -> None:
    now = timezone.now()
    for number, (days, purged, traces, finished) in enumerate(
        [(1, False, {}, False), (0, False, {}, False), (-2, True, {"files": 1}, False), (-2, True, {"files": 0}, True)]
    ):
        at = now + timedelta(days=days) - timedelta(seconds=1)
        Receipt.objects.create(
            tenant=tenant(),
            document=sha256(bytes([number])).hexdigest()[:32],
            due_at=at,
            purged_at=at if purged else None,
            traces=traces,
            finished_at=at if finished else None,
        )
    found = numbers()
    states = {state: found[f"removals{{state={state}}}"] for state in ("later", "open", "overdue", "unclean")}
    assert states == {"later": 1, "open": 2, "overdue": 1, "unclean": 1}


def test_the_last_revocation_and_the_last_drill(source: Source) -> None:
    now = timezone.now()
    for minutes, took, drill in ((9, 30, False), (5, 60, False), (1, 2, True)):
        at = now - timedelta(minutes=minutes)
        origin = at - timedelta(seconds=took)
        Revocation.objects.create(source=source, at_origin=origin, in_effect_at=at, documents=1, drill=drill)
    Revocation.objects.create(source=source, documents=1)
    found = numbers()
    assert found[f"revocation_last_seconds{{drill=false,source={source.pk}}}"] == 60
    assert found[f"revocation_last_seconds{{drill=true,source={source.pk}}}"] == 2


def test_alarms_worker_disk_and_build() -> None:
    heartbeat.beat()
    Alarm.objects.create(code="worker_missed")
    Alarm.objects.create(code="disk_full", cleared_at=timezone.now())
    found = numbers()
    assert found["alarms{code=worker_missed}"] == 1 and "alarms{code=disk_full}" not in found
    assert timezone.now().timestamp() - found["worker_seen_timestamp_seconds{}"] < 60
    assert 0 < found["disk_free_bytes{}"] <= found["disk_bytes{}"]
    assert any(name.startswith("build_info{") and connection.vendor in name for name in found)


def test_an_empty_installation_has_metrics_too() -> None:
    assert asked().status_code == 200


def test_the_number_of_queries_does_not_depend_on_sources(
    source: Source, django_assert_num_queries: DjangoAssertNumQueries, tmp_path: Path
) -> None:
    with django_assert_num_queries(QUERIES):
        asked()
    for name in ("x", "y"):
        publish(tmp_path / name, {"a.txt": "eins"}, source=name)
    with django_assert_num_queries(QUERIES):
        asked()


@pytest.mark.parametrize("value", ["kurz", "mit Leerzeichen dazwischen", "mit-Umlauten-äöü-und-mehr"])
def test_a_weak_token_does_not_start(value: str, tmp_path: Path) -> None:
    started = python(["-c", "import evidence.settings"], tmp_path, {"FUNDSTELLE_METRICS_TOKEN": value})
    assert started.returncode != 0 and "FUNDSTELLE_METRICS_TOKEN has at least 20" in started.stderr


def ready() -> tuple[int, list[str]]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.text.split()


@pytest.fixture
def beating(data_folder: Path) -> None:
    heartbeat.beat()


def test_it_is_ready_with_a_worker(beating: None) -> None:
    assert ready() == (200, ["ok"])


def test_it_is_not_ready_without_a_worker_that_was_seen_lately(data_folder: Path) -> None:
    assert ready() == (503, ["worker"])
    heartbeat.beat()
    past = timezone.now() - heartbeat.MISSED_AFTER - timedelta(seconds=1)
    os.utime(data_folder / "locks" / "worker", (past.timestamp(), past.timestamp()))
    assert ready() == (503, ["worker"])


def test_it_is_not_ready_without_an_index(beating: None, source: Source, data_folder: Path) -> None:
    for path in (data_folder / "index").glob("*"):
        path.unlink()
    assert ready() == (503, ["index"])


def test_it_is_not_ready_without_a_folder_to_write(beating: None, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "gone"
    assert ready() == (503, ["data_folder", "worker"])


def test_it_is_not_ready_with_migrations_to_apply(tmp_path: Path) -> None:
    program = "import django; django.setup(); from evidence import readiness; print(readiness.faults())"
    environment = {"DJANGO_SETTINGS_MODULE": "evidence.settings"}
    assert "migrations" in python(["-c", program], tmp_path, environment).stdout


def test_health_asks_nothing_of_the_database(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert Client().get("/healthz").text == "ok\n"


def test_a_purge_that_ended_is_no_removal_any_more(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "eins"})
    removal.request_purge(document("a"))
    assert numbers()["removals{state=open}"] == 1
    Receipt.objects.update(finished_at=timezone.now())
    assert numbers()["removals{state=open}"] == 0
    assert Tenant.objects.count() == 1
