"""The revocation drill: measures a real withdrawal, changes nothing for anybody else, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from evidence import canary, projection, publishing, runs, worker
from evidence.canary import Step, Surface
from evidence.errors import EvidenceError, Refused
from evidence.models import (
    DRILL,
    AccessClass,
    AuditEvent,
    Citation,
    Document,
    Group,
    Membership,
    Receipt,
    Revocation,
    Role,
    SearchTrace,
    Source,
    SourceKind,
    Tenant,
    Token,
)
from evidence.tests.builders import access, person, publish
from evidence.tests.pages import sign_in
from evidence.tests.test_noninterference import everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with two documents, kept here."""
    publish(tmp_path, {"r0.txt": "ventil gas\n\nprüfung", "r1.txt": "ventil straße"})
    return Source.objects.get()


def left_over() -> dict[str, int]:
    """Everything that a canary is made of."""
    return {
        "people": User.objects.filter(username__startswith=DRILL).count(),
        "groups": Group.objects.filter(name__startswith=DRILL).count(),
        "documents": Document.objects.filter(external_id__startswith=DRILL).count(),
        "citations": Citation.objects.count(),
        "tokens": Token.objects.count(),
    }


NOTHING = dict.fromkeys(("people", "groups", "documents", "citations", "tokens"), 0)


@pytest.mark.parametrize("kind", [SourceKind.LOCAL, SourceKind.FOLDER, SourceKind.GIT, SourceKind.PUSH])
def test_a_withdrawn_right_is_gone_from_every_surface_and_the_time_is_kept(source: Source, kind: SourceKind) -> None:
    Source.objects.update(kind=kind, rights_confirmed_at=timezone.now())
    steps: list[Step] = []
    found = canary.drill(source, told=steps.append)
    assert steps == list(Step) and set(found.surfaces) == set(Surface)
    assert 0 < found.took.total_seconds() < canary.WITHIN
    kept = Revocation.objects.get()
    assert kept.drill and kept.documents == 1 and kept.at_origin is not None and kept.in_effect_at > kept.at_origin
    assert list(AuditEvent.objects.filter(code__startswith="drill.").values_list("code", flat=True)) == [
        canary.DONE,
        canary.BEGUN,
    ]


def test_nothing_is_left_but_the_receipt(source: Source) -> None:
    before = set(AccessClass.objects.exclude(documents=None).values_list("pk", flat=True))
    found = canary.drill(source)
    assert left_over() == NOTHING
    assert set(AccessClass.objects.exclude(documents=None).values_list("pk", flat=True)) == before
    assert not AccessClass.objects.filter(rules__group__name__startswith=DRILL).exists()
    while worker.run_due():
        pass
    receipt = Receipt.objects.get(public_id=found.receipt)
    assert receipt.finished_at is not None and not any(receipt.traces.values())
    assert list(projection.differences()) == []


def test_its_person_cannot_sign_in_and_is_in_no_other_group(source: Source) -> None:
    seen: list[tuple[bool, int, str]] = []

    def look(step: Step) -> None:
        if step is Step.SEEN:
            user = User.objects.get(username__startswith=DRILL)
            membership = Membership.objects.get(user=user)
            seen.append((user.has_usable_password(), membership.groups.count(), membership.role))
            for password in ("", "!", user.password):
                answer = Client().post("/sign-in/", {"username": user.username, "password": password})
                assert "_auth_user_id" not in answer.wsgi_request.session

    canary.drill(source, told=look)
    assert seen == [(False, 1, Role.READER)]


def test_nobody_elses_pages_change_by_a_byte_while_it_goes_on(source: Source) -> None:
    eva = Client()
    sign_in(eva, person("eva", ["alle", "netz"]))
    before = everything(eva)
    during: list[object] = []
    canary.drill(source, told=lambda step: during.append(everything(eva)))
    assert during == [before] * len(Step)


def test_its_group_is_not_offered_to_those_who_publish(source: Source) -> None:
    editor = access(person("ed", ["alle"], role=Role.EDITOR))
    offered: list[list[str]] = []
    canary.drill(source, told=lambda step: offered.append([one.name for one in publishing.groups(editor)]))
    assert offered == [["alle", "netz"]] * len(Step)


def test_what_people_searched_meanwhile_keeps_no_word_of_it(source: Source) -> None:
    Tenant.objects.update(trace_searches=True, diagnosis_until=timezone.now() + timedelta(hours=1))
    canary.drill(source)
    assert not SearchTrace.objects.exists()


def test_a_closed_source_is_not_drilled(source: Source) -> None:
    Source.objects.update(closed_at=timezone.now(), closed_because="administrator")
    with pytest.raises(Refused, match="closed"):
        canary.drill(source)
    assert left_over() == NOTHING


def test_a_source_with_a_run_is_not_drilled(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "WAITS", 0.0)
    with runs.alone(source), pytest.raises(Refused, match="running"):
        canary.drill(source)
    assert left_over() == NOTHING


def test_a_canary_that_is_not_seen_measures_nothing(source: Source) -> None:
    Source.objects.update(kind=SourceKind.PUSH, rights_confirmed_at=timezone.now(), sensitive=True, ask_url="")
    with pytest.raises(Refused, match="not seen before"):
        canary.drill(source)
    assert left_over() == NOTHING and not Revocation.objects.exists()


def test_a_right_that_stays_is_a_fault_and_leaves_nothing(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "WITHIN", 0.0)
    monkeypatch.setattr(canary, "_withdraw", lambda source, name: None)
    with pytest.raises(EvidenceError, match="still seen"):
        canary.drill(source)
    assert left_over() == NOTHING and not Revocation.objects.exists()
    assert AuditEvent.objects.filter(code=canary.FAILED).count() == 1


class Killed(BaseException):
    """Stands for the end of the process: what follows in it does not happen."""


@pytest.fixture
def no_cleaning(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """A drill that ends leaves everything; calling this lets later ones clean."""
    real = canary._remove
    monkeypatch.setattr(canary, "_remove", lambda name: None)
    yield lambda: monkeypatch.setattr(canary, "_remove", real)


@pytest.mark.parametrize("when", [Step.MADE, Step.SEEN, Step.WITHDRAWN, Step.GONE])
@pytest.mark.parametrize("by", ["next drill", "worker"])
def test_what_a_killed_drill_left_is_removed(source: Source, when: Step, by: str, no_cleaning: Callable[[], None]) -> None:
    def die(step: Step) -> None:
        if step is when:
            raise Killed

    with pytest.raises(Killed):
        canary.drill(source, told=die)
    assert left_over()["people"] == left_over()["documents"] == 1
    no_cleaning()
    if by == "worker":
        assert canary.sweep() == 1
    else:
        canary.drill(source)
    assert left_over() == NOTHING


def test_a_drill_that_goes_on_is_not_swept_away(source: Source) -> None:
    def sweep(step: Step) -> None:
        if step is Step.SEEN:
            canary.sweep()

    assert canary.drill(source, told=sweep).took


def test_the_worker_sweeps_every_now_and_then() -> None:
    assert canary.sweep in [do for _, do in worker.PERIODIC.values()]


def test_people_and_groups_with_names_of_their_own_are_left_alone(source: Source) -> None:
    person(f"{DRILL}tage", [f"{DRILL}tage"])
    assert canary.sweep() == 0
    assert User.objects.filter(username=f"{DRILL}tage").exists() and Group.objects.filter(name=f"{DRILL}tage").exists()


def test_the_command_says_what_was_measured(source: Source) -> None:
    out = StringIO()
    call_command("revocationdrill", source.name, stdout=out)
    assert "gone everywhere" in out.getvalue() and all(surface in out.getvalue() for surface in Surface)
    with pytest.raises(CommandError, match="no source"):
        call_command("revocationdrill", "nirgends")
