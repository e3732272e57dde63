"""Retention: what is too old goes, rows and files; what is current, cited, open or kept for ever stays."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from evidence import blobs, citations, history, jobs, projection, removal, retention, worker
from evidence.models import (
    Alarm,
    AuditEvent,
    Citation,
    Job,
    Receipt,
    Representation,
    Retired,
    Revision,
    Revocation,
    Run,
    SearchTrace,
)
from evidence.tests.builders import access, document, person, rules, run, tenant, write
from evidence.tests.test_removal import files_with
from evidence.tests.test_settings import run as python

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "Im alten Stand steht das Wort Sauerampferstrudel.", "Im neuen Stand steht Rhabarberkuchen."
ENTRY = ("{id}/{date}.txt", 'id = "{id}"\ndate = "{date}"\nallowed = ["group:alle"]')
NEVER = dict.fromkeys(("revisions", "citations", "events", "receipts", "runs", "traces", "diagnosis", "reports", "answers"))


@pytest.fixture(autouse=True)
def keep(settings: Settings) -> Settings:
    """Everything is kept for ever, unless a test says something else."""
    settings.KEEP = dict(NEVER)
    return settings


def two_states(folder: Path) -> None:
    """A document with an earlier and a current revision."""
    write(folder, {"a/2024-01-01.txt": OLD, "a/2025-01-01.txt": NEW, "fundstelle.toml": rules(ENTRY)})
    run(folder)


def later(days: int) -> datetime:
    return timezone.now() + timedelta(days=days)


def wiped() -> None:
    """What removals left in files, wiped now and not within a day."""
    Job.objects.filter(kind=removal.WIPE).update(not_before=timezone.now())
    worker.run_due()


def test_earlier_states_go_with_their_originals_words_and_index_entries(
    tmp_path: Path, data_folder: Path, keep: Settings
) -> None:
    two_states(tmp_path / "in")
    keep.KEEP |= {"revisions": timedelta(days=30)}
    assert retention.apply(now=later(31)) == {"states": 1}
    assert [row.source_sha256 for row in Revision.objects.all()] == [sha256(NEW.encode()).hexdigest()]
    assert list(projection.differences()) == []
    wiped()
    assert not blobs.exists(sha256(OLD.encode()).hexdigest())
    assert files_with(data_folder, "Sauerampferstrudel") == []
    assert files_with(data_folder, "Rhabarberkuchen") != []


def test_earlier_states_stay_until_their_time_is_over(tmp_path: Path, keep: Settings) -> None:
    two_states(tmp_path)
    keep.KEEP |= {"revisions": timedelta(days=30)}
    assert retention.apply(now=later(29)) == {}
    assert Representation.objects.count() == 2


def test_a_cited_state_stays(tmp_path: Path, keep: Settings) -> None:
    write(tmp_path, {"a/2024-01-01.txt": OLD, "fundstelle.toml": rules(ENTRY)})
    run(tmp_path)
    citations.cite_words(access(person("anna", ["alle"])), document("a").public_id, exact="alten Stand")
    two_states(tmp_path)
    keep.KEEP |= {"revisions": timedelta(days=30)}
    assert retention.apply(now=later(400)) == {}
    Citation.objects.all().delete()
    assert retention.apply(now=later(400)) == {"states": 1}


def test_a_retired_state_is_not_taken_in_again(tmp_path: Path, keep: Settings) -> None:
    two_states(tmp_path)
    keep.KEEP |= {"revisions": timedelta(days=30)}
    retention.apply(now=later(31))
    report = run(tmp_path)
    assert (Revision.objects.count(), report.counts["unchanged"], report.counts["refused"]) == (1, 1, 0)


def test_a_retired_state_that_is_current_again_is_taken_in(tmp_path: Path, keep: Settings) -> None:
    two_states(tmp_path)
    keep.KEEP |= {"revisions": timedelta(days=30)}
    retention.apply(now=later(31))
    (tmp_path / "a" / "2025-01-01.txt").unlink()
    run(tmp_path)
    current = document("a").current
    assert current is not None and current.revision.source_sha256 == sha256(OLD.encode()).hexdigest()
    assert not Retired.objects.exists()


def test_the_history_no_longer_lists_it(tmp_path: Path, keep: Settings) -> None:
    two_states(tmp_path)
    anna = access(person("anna", ["alle"]))
    assert len(history.history(anna, document("a").public_id).revisions) == 2
    keep.KEEP |= {"revisions": timedelta(days=30)}
    retention.apply(now=later(31))
    told = history.history(anna, document("a").public_id)
    assert len(told.revisions) == 1
    assert "revision.retired" in {event.code for event in told.events}


def test_old_citations_go_and_leave_their_successors(tmp_path: Path, keep: Settings) -> None:
    two_states(tmp_path)
    anna = access(person("anna", ["alle"]))
    old, new = (citations.cite_words(anna, document("a").public_id, exact=exact) for exact in ("neuen", "Stand"))
    first = Citation.objects.get(public_id=old)
    Citation.objects.filter(public_id=new).update(supersedes=first)
    Citation.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(days=100))
    keep.KEEP |= {"citations": timedelta(days=99)}
    assert retention.apply() == {"citations": 1}
    assert Citation.objects.get().supersedes is None


def test_words_go_before_their_trace(keep: Settings) -> None:
    at = timezone.now() - timedelta(days=8)
    SearchTrace.objects.create(tenant=tenant(), at=at, query="Sauerampfer", total=3)
    keep.KEEP |= {"diagnosis": timedelta(days=7), "traces": timedelta(days=30)}
    assert retention.apply() == {"words": 1}
    assert (SearchTrace.objects.get().query, SearchTrace.objects.get().total) == ("", 3)
    assert retention.apply(now=later(30)) == {"traces": 1}
    assert not SearchTrace.objects.exists()


def test_a_sources_latest_runs_stay(tmp_path: Path, keep: Settings) -> None:
    two_states(tmp_path)
    source = document("a").source
    past = timezone.now() - timedelta(days=1_000)
    for number, outcome in enumerate((Run.Outcome.COMPLETE, Run.Outcome.FAILED)):
        at = past + timedelta(days=number)
        Run.objects.create(source=source, started_at=at, finished_at=at, outcome=outcome)
    Revocation.objects.create(source=source, in_effect_at=past, documents=1)
    keep.KEEP |= {"runs": timedelta(days=365)}
    assert retention.apply() == {"runs": 2, "revocations": 1}
    assert retention.apply(now=later(1_000)) == {}
    assert Run.objects.get().outcome == Run.Outcome.COMPLETE


def test_open_receipts_and_alarms_stay(keep: Settings) -> None:
    past = timezone.now() - timedelta(days=1_000)
    for finished in (past, None):
        Receipt.objects.create(tenant=tenant(), document=sha_uuid(finished), due_at=past, finished_at=finished)
        Alarm.objects.create(code=f"x{finished}"[:50], raised_at=past, cleared_at=finished)
    keep.KEEP |= {"receipts": timedelta(days=365), "runs": timedelta(days=365)}
    assert retention.apply() == {"receipts": 1, "alarms": 1}
    assert (Receipt.objects.get().finished_at, Alarm.objects.get().cleared_at) == (None, None)


def test_what_was_removed_is_audited_in_numbers(keep: Settings) -> None:
    AuditEvent.objects.create(code="x", at=timezone.now() - timedelta(days=100))
    keep.KEEP |= {"events": timedelta(days=99)}
    retention.apply()
    event = AuditEvent.objects.get()
    assert (event.code, event.ids) == ("retention.applied", {"events": 1})


def test_more_than_a_batch_goes(keep: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    past = timezone.now() - timedelta(days=100)
    SearchTrace.objects.bulk_create(SearchTrace(tenant=tenant(), at=past) for _ in range(5))
    keep.KEEP |= {"traces": timedelta(days=99)}
    assert retention.apply() == {"traces": 5}


def test_nothing_is_removed_that_is_kept_for_ever(tmp_path: Path) -> None:
    two_states(tmp_path)
    SearchTrace.objects.create(tenant=tenant(), query="x")
    assert retention.apply(now=later(10_000)) == {}
    assert set(retention.planned(now=later(10_000)).values()) == {None}


def test_the_command_says_what_would_go_and_removes_it(keep: Settings) -> None:
    SearchTrace.objects.create(tenant=tenant(), at=timezone.now() - timedelta(days=100))
    keep.KEEP |= {"traces": timedelta(days=99)}
    out = StringIO()
    call_command("retain", "--dry-run", stdout=out)
    assert "traces: 1 would be removed" in out.getvalue() and "events: kept for ever" in out.getvalue()
    assert SearchTrace.objects.count() == 1
    call_command("retain", stdout=out)
    call_command("retain", stdout=out)
    assert out.getvalue().endswith("traces: 1 removed\nnothing is too old\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [("KEEP_EVENTS", "0"), ("KEEP_EVENTS", "-1"), ("KEEP_TRACES", "1.5"), ("KEEP_RUNS", "ewig"), ("KEEP_DIAGNOSIS", "forever"),
     ("KEEP_DIAGNOSIS", "31"), ("KEEP_REVISIONS", "99999")],
)  # fmt: skip
def test_wrong_times_do_not_start(name: str, value: str, tmp_path: Path) -> None:
    started = python(["-c", "import evidence.settings"], tmp_path, {f"FUNDSTELLE_{name}": value})
    assert started.returncode != 0
    assert f"FUNDSTELLE_{name} is a whole number of days" in started.stderr.splitlines()[-1]


def test_times_are_read_from_the_environment(tmp_path: Path) -> None:
    show = "from evidence import settings; print(settings.KEEP['events'], settings.KEEP['traces'], settings.KEEP['diagnosis'])"
    told = python(["-c", show], tmp_path, {"FUNDSTELLE_KEEP_EVENTS": "400", "FUNDSTELLE_KEEP_TRACES": "forever"})
    assert told.stdout == "400 days, 0:00:00 None 7 days, 0:00:00\n"


def sha_uuid(value: object) -> str:
    return sha256(str(value).encode()).hexdigest()[:32]


def test_words_are_forgotten_when_somebody_says_so(data_folder: Path) -> None:
    SearchTrace.objects.create(tenant=tenant(), query="Sauerampferstrudel")
    assert retention.forget_words(tenant(), actor=None) == 1
    assert jobs.waiting(removal.WIPE, limit=2)
    wiped()
    assert files_with(data_folder, "Sauerampferstrudel") == []
