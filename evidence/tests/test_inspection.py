"""All that an administrator is shown of one source: which rows are chosen, and what is made of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from evidence import closing, inspection, projection
from evidence.access import Access
from evidence.errors import Unavailable
from evidence.inspection import Confirmation, Inspection
from evidence.models import AuditEvent, Document, Receipt, Role, Run, Source, SourceKind
from evidence.tests.builders import access, document, person, publish, tenant

pytestmark = pytest.mark.django_db

NOW = timezone.now()
HOUR = timedelta(hours=1)


@pytest.fixture
def source() -> Source:
    return Source.objects.create(tenant=tenant(), name="archiv", kind=SourceKind.FOLDER)


@pytest.fixture
def admin() -> Access:
    return access(person("root", role=Role.ADMINISTRATOR))


def inspect(admin: Access, source: Source) -> Inspection:
    return inspection.inspect(admin, source.pk, now=NOW)


def ran(of: Source, hours_ago: float, outcome: str = "complete", **fields: object) -> Run:
    started = NOW - hours_ago * HOUR
    return Run.objects.create(
        **{"source": of, "outcome": outcome, "started_at": started, "finished_at": started + HOUR / 2, **fields}
    )


def test_a_run_confirms_at_its_end_as_of_its_start_and_the_one_before_the_window_counts_too(
    admin: Access, source: Source
) -> None:
    runs = [ran(source, hours) for hours in (400, 300, 20)]
    ran(source, 10, "failed")
    shown = [Confirmation(run.finished_at or NOW, run.started_at) for run in runs[1:]]
    assert list(inspect(admin, source).confirmations) == shown


def test_confirmations_by_hand_and_by_pushing_systems_count(admin: Access, source: Source) -> None:
    for hours, ids in ((5, {}), (2, {"as_of": (NOW - 3 * HOUR).isoformat()})):
        event = AuditEvent.objects.create(tenant=source.tenant, code=closing.CONFIRMED, ids={"source": source.pk, **ids})
        AuditEvent.objects.filter(pk=event.pk).update(at=NOW - hours * HOUR)
    AuditEvent.objects.create(tenant=source.tenant, code=closing.CONFIRMED, ids={"source": source.pk + 1})
    Source.objects.update(rights_confirmed_at=NOW - 3 * HOUR)
    found = [(one.at, one.as_of) for one in inspect(admin, source).confirmations]
    assert found == [(NOW - 5 * HOUR, NOW - 5 * HOUR), (NOW - 2 * HOUR, NOW - 3 * HOUR)]


def test_what_confirms_the_rights_now_is_shown_whatever_confirmed_them(admin: Access, source: Source) -> None:
    at: datetime = NOW - HOUR
    Source.objects.update(rights_confirmed_at=at)
    assert list(inspect(admin, source).confirmations) == [Confirmation(at, at)]


@pytest.mark.parametrize(
    ("sla", "window"),
    [(HOUR, timedelta(days=1)), (24 * HOUR, timedelta(days=7)), (timedelta(days=10_000_000), timedelta(days=90))],
)
def test_ages_are_shown_over_some_slas_within_bounds(admin: Access, source: Source, sla: timedelta, window: timedelta) -> None:
    Source.objects.update(revocation_sla=sla)
    assert inspect(admin, source).ages_since == pytest.approx(NOW - window, abs=timedelta(seconds=1))


def test_problems_are_those_of_the_last_run_that_ended_the_most_frequent_first(admin: Access, source: Source) -> None:
    ran(source, 5, "incomplete", problems=[["alt", "old"]])
    ran(source, 3, "incomplete", problems=[["a", "rare"], ["b", "often"], ["", "often"], ["c", "often"]])
    Run.objects.create(source=source, problems=[["z", "now"]])
    found = [(one.code, one.count, one.paths) for one in inspect(admin, source).problems]
    assert found == [("often", 3, ["b", "c"]), ("rare", 1, ["a"])]


def test_lists_show_some_and_say_how_many_there_are(admin: Access, tmp_path: Path) -> None:
    publish(tmp_path, {f"{number:02}.txt": "eins" for number in range(inspection.SHOWN + 5)})
    Document.objects.update(rights_problem="no rights are stated")
    projection.record([document("03").pk])
    found = inspect(admin, Source.objects.get())
    assert (len(found.withheld.rows), found.withheld.total, found.withheld.more) == (20, 25, 5)
    assert [one.external_id for one in found.waiting.rows] == ["03"]


def test_receipts_of_documents_that_may_still_come_back_are_not_shown(admin: Access, source: Source) -> None:
    for number, due in enumerate((NOW - HOUR, NOW + HOUR)):
        Receipt.objects.create(
            tenant=source.tenant, source=source, document=f"00000000-0000-4000-8000-00000000000{number}", due_at=due
        )
    assert inspect(admin, source).receipts_total == 1


def test_another_tenants_administrator_and_other_roles_get_nothing(source: Source) -> None:
    others = [person("fremd", of=tenant("andere"), role=Role.ADMINISTRATOR), person("ed", role=Role.EDITOR)]
    for one in others:
        with pytest.raises(Unavailable):
            inspection.inspect(access(one), source.pk, now=NOW)
