"""Alarms: raised once, cleared once, told once by each way, whatever fails in between; codes and numbers, no names."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import alarms, checks, heartbeat, jobs
from evidence.alarms import Code, Raised
from evidence.models import Alarm, AuditEvent, Closed, Job, Provider, Receipt, Run, Source, SourceKind
from evidence.tests.builders import document, publish
from evidence.tests.elsewhere import Elsewhere, answering, elsewhere
from evidence.tests.mailbox import Mailbox, mailbox
from evidence.tests.test_settings import run as python

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def at_work(data_folder: Path, settings: Settings) -> None:
    """A worker was seen just now, and nobody is told anything."""
    heartbeat.beat()
    settings.ALARM_MAIL, settings.ALARM_WEBHOOK, settings.ALARM_WEBHOOK_SECRET = [], "", ""


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A folder whose rights were confirmed just now."""
    publish(tmp_path, {"a.txt": "eins", "b.txt": "zwei"}, source="geheimname")
    Source.objects.update(kind=SourceKind.FOLDER, title="Geheimtitel", rights_confirmed_at=timezone.now())
    return Source.objects.get()


@pytest.fixture
def post(settings: Settings) -> Iterator[Mailbox]:
    """A server for mail that alarms are sent to."""
    with mailbox() as made:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", made.port
        settings.ALARM_MAIL = ["betrieb@example.org", "zweite@example.org"]
        yield made


@pytest.fixture
def hook(settings: Settings) -> Iterator[Elsewhere]:
    """A server that is called with alarms."""
    with elsewhere(answering(b"{}")) as made:
        settings.PRIVATE_HOSTS = ["127.0.0.1"]
        settings.ALARM_WEBHOOK = f"http://127.0.0.1:{made.port}/alarms"
        yield made


def raised(*, now: datetime | None = None) -> set[Raised]:
    return alarms.conditions(now=now or timezone.now())


def calls(made: Elsewhere) -> list[Any]:
    return [json.loads(request.partition(b"\r\n\r\n")[2])["alarms"] for request in made.requests]


def test_a_source_that_is_well_raises_nothing(source: Source) -> None:
    assert raised() == set()


def _old_rights(source: Source, share: float) -> None:
    Source.objects.update(rights_confirmed_at=timezone.now() - share * source.revocation_sla)


def _runs(source: Source, count: int, error: str = "origin_unreachable") -> None:
    for _ in range(count):
        Run.objects.create(source=source, outcome=Run.Outcome.FAILED, error=error, finished_at=timezone.now())


def _given_up(source: Source, kind: str, key: int) -> None:
    Job.objects.create(kind=kind, key=key, attempts=jobs.MAX_ATTEMPTS)


def _lag(source: Source) -> None:
    row = document("a", source="geheimname")
    Job.objects.create(kind="index", key=row.pk, created_at=timezone.now() - timedelta(minutes=11))


def _dropped(source: Source) -> None:
    row = document("a", source="geheimname")
    AuditEvent.objects.create(code="index.hit_dropped", ids={"document": row.pk, "passage": 0})


def _receipt(source: Source) -> None:
    due = timezone.now() - DAY - MINUTE
    Receipt.objects.create(tenant=source.tenant, source=source, document=sha256(b"x").hexdigest()[:32], due_at=due)


def _restored(source: Source) -> None:
    Source.objects.update(closed_at=timezone.now(), closed_because=Closed.RESTORED)


OF_SOURCES: dict[str, tuple[Callable[[Source], object], Code]] = {
    "rights too old": (lambda source: _old_rights(source, 1.1), Code.TOO_OLD),
    "most of the SLA used": (lambda source: _old_rights(source, 0.81), Code.SLA_USED),
    "a clock set back": (lambda source: _old_rights(source, -0.5), Code.AHEAD),
    "restored": (_restored, Code.RESTORED),
    "three runs failed": (lambda source: _runs(source, 3), Code.FAILING),
    "a listing cut short": (lambda source: _runs(source, 1, "listing_incomplete"), Code.CUT_SHORT),
    "too much missing": (lambda source: _runs(source, 1, "too_many_missing"), Code.CUT_SHORT),
    "changes wait": (_lag, Code.LAGGING),
    "hits dropped": (_dropped, Code.DROPPED),
    "a run given up": (lambda source: _given_up(source, "sync", source.pk), Code.GIVEN_UP),
    "a removal overdue": (_receipt, Code.REMOVAL_OVERDUE),
}


@pytest.mark.parametrize("case", OF_SOURCES)
def test_what_is_the_matter_with_a_source(case: str, source: Source) -> None:
    happens, code = OF_SOURCES[case]
    happens(source)
    assert raised() == {(source.pk, code)}


@pytest.mark.parametrize("happens", [lambda source: _old_rights(source, 0.79), lambda source: _runs(source, 2)])
def test_what_mends_itself_raises_nothing(happens: Callable[[Source], object], source: Source) -> None:
    happens(source)
    assert raised() == set()


def test_who_closes_a_source_is_not_told_so(source: Source) -> None:
    Source.objects.update(closed_at=timezone.now(), closed_because=Closed.ADMINISTRATOR)
    assert raised() == set()


def test_what_is_the_matter_with_all(source: Source, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    past = (timezone.now() - 10 * MINUTE).timestamp()
    os.utime(data_folder / "locks" / "worker", (past, past))
    monkeypatch.setattr(alarms, "LEAST_DISK", 10**18)
    _given_up(source, "upload", 1)
    (data_folder / "index" / "current").unlink()
    expected = {Code.WORKER_MISSED, Code.DISK_FULL, Code.GIVEN_UP, Code.INDEX}
    assert raised() == {(None, code) for code in expected}


def test_an_alarm_is_raised_once_and_cleared_once(source: Source) -> None:
    now = timezone.now()
    matter: set[Raised] = {(source.pk, Code.TOO_OLD), (None, Code.DISK_FULL)}
    for minute in range(3):
        alarms.update(matter, now=now + minute * MINUTE)
    assert Alarm.objects.count() == 2
    alarms.update(set(), now=now + alarms.LASTS)
    alarms.update(set(), now=now + alarms.LASTS + MINUTE)
    assert set(Alarm.objects.values_list("cleared_at", flat=True)) == {now + alarms.LASTS}


def test_what_comes_and_goes_each_minute_is_one_alarm(source: Source) -> None:
    now = timezone.now()
    for minute in range(14):
        matter: set[Raised] = set() if minute % 2 else {(source.pk, Code.LAGGING)}
        alarms.update(matter, now=now + minute * MINUTE)
    assert Alarm.objects.get().cleared_at is None


def test_what_comes_back_is_another_alarm(source: Source) -> None:
    now = timezone.now()
    for number in (0, 2):
        alarms.update({(source.pk, Code.LAGGING)}, now=now + number * alarms.LASTS)
        alarms.update(set(), now=now + (number + 1) * alarms.LASTS)
    assert Alarm.objects.exclude(cleared_at=None).count() == 2


def test_a_mail_says_codes_numbers_and_times_in_words(source: Source, post: Mailbox) -> None:
    _old_rights(source, 1.1)
    alarms.check()
    (mail,) = post.mails
    assert (mail["Subject"], mail["To"]) == ("Fundstelle: 1 alarm", "betrieb@example.org, zweite@example.org")
    body = mail.get_content().replace("\r\n", "\n")
    assert f"Source {source.pk}: Its rights are older than its revocation SLA allows. It is closed.\ntoo_old, raised " in body
    assert not [word for word in ("geheimname", "Geheimtitel", "lindenau") if word in body]


def test_a_mail_is_in_the_operators_language(source: Source, post: Mailbox, settings: Settings) -> None:
    settings.LANGUAGE_CODE = "de"
    alarms.update({(source.pk, Code.TOO_OLD)}, now=timezone.now())
    alarms.tell(now=timezone.now())
    assert len(post.mails) == 1 and "too_old" in post.mails[0].get_content()


def test_a_call_says_codes_numbers_and_times(source: Source, hook: Elsewhere, settings: Settings) -> None:
    settings.ALARM_WEBHOOK_SECRET = "nur-fuer-den-empfaenger"
    now = timezone.now()
    alarms.update({(source.pk, Code.TOO_OLD), (None, Code.DISK_FULL)}, now=now)
    alarms.tell(now=now)
    (told,) = calls(hook)
    at = now.isoformat()
    assert sorted(told, key=str) == [
        {"code": "disk_full", "source": None, "raised_at": at, "cleared_at": None},
        {"code": "too_old", "source": source.pk, "raised_at": at, "cleared_at": None},
    ]
    assert b"Authorization: Bearer nur-fuer-den-empfaenger\r\n" in hook.requests[0]


def test_each_way_is_told_once_that_it_is_raised_and_once_that_it_is_over(source: Source, post: Mailbox, hook: Elsewhere) -> None:
    now = timezone.now()
    for minute in range(3):
        alarms.update({(source.pk, Code.TOO_OLD)}, now=now)
        alarms.tell(now=now + minute * MINUTE)
    over = now + alarms.LASTS
    for minute in range(3):
        alarms.update(set(), now=over)
        alarms.tell(now=over + minute * MINUTE)
    assert (len(post.mails), len(hook.requests)) == (2, 2)
    assert "cleared" not in post.mails[0].get_content() and "cleared" in post.mails[1].get_content()
    assert [told[0]["cleared_at"] for told in calls(hook)] == [None, over.isoformat()]


def test_a_way_that_fails_is_tried_again_later_and_later(source: Source, post: Mailbox, hook: Elsewhere) -> None:
    now = timezone.now()
    alarms.update({(source.pk, Code.TOO_OLD)}, now=now)
    post.refusing = True
    alarms.tell(now=now)
    alarms.tell(now=now + MINUTE / 2)
    alarms.tell(now=now + MINUTE)
    assert Alarm.objects.get().told["mail"]["failures"] == 2
    alarms.tell(now=now + 2 * MINUTE)
    assert Alarm.objects.get().told["mail"]["failures"] == 2
    post.refusing = False
    alarms.tell(now=now + 3 * MINUTE)
    assert (len(post.mails), len(hook.requests)) == (1, 1)


def test_a_server_that_is_gone_and_a_wrong_answer_are_failures(source: Source, settings: Settings, post: Mailbox) -> None:
    alarms.update({(source.pk, Code.TOO_OLD)}, now=timezone.now())
    settings.EMAIL_PORT = 9
    with elsewhere(answering(b"", status="500 No")) as made:
        settings.PRIVATE_HOSTS = ["127.0.0.1"]
        settings.ALARM_WEBHOOK = f"http://127.0.0.1:{made.port}/alarms"
        alarms.tell(now=timezone.now())
    told = Alarm.objects.get().told
    assert {name: (told[name]["failures"], "raised" in told[name]) for name in told} == {
        "mail": (1, False),
        "webhook": (1, False),
    }


def test_what_began_and_ended_untold_is_told_in_one(source: Source, post: Mailbox) -> None:
    now = timezone.now()
    alarms.update({(source.pk, Code.TOO_OLD)}, now=now)
    alarms.update(set(), now=now + alarms.LASTS)
    for minute in range(3):
        alarms.tell(now=now + alarms.LASTS + minute * MINUTE)
    assert len(post.mails) == 1


def test_what_was_over_long_ago_is_not_told_by_a_new_way(source: Source, post: Mailbox) -> None:
    past = timezone.now() - 2 * DAY
    Alarm.objects.create(source=source, code=Code.TOO_OLD, raised_at=past, cleared_at=past)
    alarms.tell(now=timezone.now())
    assert post.mails == []


@pytest.mark.django_db(transaction=True)
def test_two_at_once_tell_once(source: Source, hook: Elsewhere) -> None:
    alarms.update({(source.pk, Code.TOO_OLD)}, now=timezone.now())

    def told() -> None:
        try:
            alarms.tell(now=timezone.now())
        finally:
            connections.close_all()

    threads = [threading.Thread(target=told) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hook.requests) == 1


def test_without_a_worker_whoever_asks_whether_it_is_ready_makes_it_known(hook: Elsewhere, data_folder: Path) -> None:
    (data_folder / "locks" / "worker").unlink()
    for _ in range(2):
        assert Client().get("/readyz").status_code == 503
    assert [told[0]["code"] for told in calls(hook)] == ["worker_missed"]


def test_alarms_are_listed(source: Source) -> None:
    _old_rights(source, 1.1)
    out = StringIO()
    call_command("alarms", stdout=out)
    assert out.getvalue() == ""
    call_command("alarms", "--check", stdout=out)
    first, last = out.getvalue().splitlines()
    assert first.endswith(f"source {source.pk} (lindenau/geheimname)  too_old") and "for 15 minutes at least" in last


def test_every_code_has_words() -> None:
    assert set(alarms.WORDS) == set(Code)


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"ALARM_MAIL": "betrieb"}, "FUNDSTELLE_ALARM_MAIL holds addresses"),
        ({"ALARM_MAIL": "betrieb@example.org"}, "needs FUNDSTELLE_MAIL_URL"),
        ({"MAIL_URL": "http://mail.example.org"}, "FUNDSTELLE_MAIL_URL is as in"),
        ({"MAIL_URL": "smtp://"}, "FUNDSTELLE_MAIL_URL is as in"),
        ({"MAIL_URL": "smtp://host:port"}, "FUNDSTELLE_MAIL_URL is as in"),
    ],
)
def test_wrong_settings_do_not_start(environment: dict[str, str], complaint: str, tmp_path: Path) -> None:
    started = python(
        ["-c", "import evidence.settings"], tmp_path, {f"FUNDSTELLE_{name}": one for name, one in environment.items()}
    )
    assert started.returncode != 0
    assert complaint in started.stderr.splitlines()[-1]


def test_how_mail_is_sent_is_read_from_one_address(tmp_path: Path) -> None:
    show = (
        "from evidence import settings as s; print(s.EMAIL_HOST, s.EMAIL_PORT, s.EMAIL_HOST_USER, s.EMAIL_HOST_PASSWORD, "
        "s.EMAIL_USE_TLS, s.EMAIL_USE_SSL, s.ALARM_MAIL)"
    )
    told = python(
        ["-c", show],
        tmp_path,
        {
            "FUNDSTELLE_MAIL_URL": "smtp+starttls://anna%40example.org:p%2Fw@mail.example.org",
            "FUNDSTELLE_ALARM_MAIL": "a@example.org, b@example.org",
        },
    )
    assert told.stdout == "mail.example.org 587 anna@example.org p/w True False ['a@example.org', 'b@example.org']\n"


def test_a_webhook_that_can_never_be_called_is_refused(settings: Settings) -> None:
    settings.ALARM_WEBHOOK = "http://intern.example/alarms"
    assert [message.id for message in checks.alarm_webhook_can_be_called(None)] == ["fundstelle.E007"]
    settings.PRIVATE_HOSTS = ["intern.example"]
    assert checks.alarm_webhook_can_be_called(None) == []


def test_a_provider_that_pushes_no_more_raises_an_alarm_before_its_groups_count_no_more(
    source: Source, settings: Settings
) -> None:
    now = timezone.now()
    settings.SCIM_TOKEN, settings.OIDC_ISSUER = "token-of-the-provider", "https://provider.example"
    provider = Provider.objects.create(issuer="https://provider.example", heard_at=now - 0.7 * settings.OIDC_GROUPS_SLA)
    assert (None, "provider_silent") not in alarms.conditions(now=now)
    Provider.objects.filter(pk=provider.pk).update(heard_at=now - 0.9 * settings.OIDC_GROUPS_SLA)
    assert (None, "provider_silent") in alarms.conditions(now=now)
    settings.SCIM_TOKEN = ""
    assert (None, "provider_silent") not in alarms.conditions(now=now)
