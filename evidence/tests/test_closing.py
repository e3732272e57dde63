"""Closing a source by hand, opening it again, confirming its rights after a restore: at once, audited, no wider than before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from evidence import closing
from evidence.access import Access
from evidence.errors import Refused, Unavailable
from evidence.models import AuditEvent, Closed, Document, Role, Source, SourceKind
from evidence.tests.builders import access, person, publish, tenant

pytestmark = pytest.mark.django_db

ACTIONS: list[Callable[[Access, int], None]] = [closing.close, closing.open_again, closing.confirm]


@pytest.fixture
def admin() -> Access:
    return access(person("root", role=Role.ADMINISTRATOR))


@pytest.fixture
def eva(tmp_path: Path) -> User:
    """She reads the one document of the one source."""
    publish(tmp_path, {"a.txt": "eins"})
    return person("eva", ["alle"])


def reads(user: User) -> bool:
    return Document.objects.readable(access(user)).exists()


def key() -> int:
    return Source.objects.get().pk


def codes() -> list[str]:
    named = AuditEvent.objects.filter(ids__source=key()).exclude(code="source.created").order_by("pk")
    return list(named.values_list("code", flat=True))


def test_closing_holds_for_the_next_request_and_opening_takes_it_back(admin: Access, eva: User) -> None:
    assert reads(eva)
    closing.close(admin, key())
    assert not reads(eva) and Source.objects.get().closed_because == Closed.ADMINISTRATOR
    closing.open_again(admin, key())
    assert reads(eva) and Source.objects.get().closed_because == ""
    assert codes() == [closing.CLOSED, closing.OPENED]


def test_what_was_done_before_is_not_done_or_written_down_again(admin: Access, eva: User) -> None:
    for _ in range(2):
        closing.close(admin, key())
    for _ in range(2):
        closing.open_again(admin, key())
    assert codes() == [closing.CLOSED, closing.OPENED]


def test_opening_never_opens_what_the_age_of_its_rights_closes(admin: Access, eva: User) -> None:
    Source.objects.update(kind=SourceKind.FOLDER, rights_confirmed_at=timezone.now() - timedelta(days=2))
    closing.close(admin, key())
    closing.open_again(admin, key())
    assert not reads(eva)


def test_a_restored_source_opens_by_a_confirmation_only(admin: Access, eva: User) -> None:
    Source.objects.update(closed_at=timezone.now(), closed_because=Closed.RESTORED)
    with pytest.raises(Refused, match="restored from a backup"):
        closing.open_again(admin, key())
    assert not reads(eva)
    closing.confirm(admin, key())
    assert reads(eva) and codes() == [closing.CONFIRMED]


def test_what_is_restored_and_closed_by_hand_needs_both_to_open(admin: Access, eva: User) -> None:
    Source.objects.update(closed_at=timezone.now(), closed_because=Closed.RESTORED)
    closing.close(admin, key())
    with pytest.raises(Refused, match="restored from a backup"):
        closing.open_again(admin, key())
    closing.confirm(admin, key())
    assert not reads(eva) and Source.objects.get().closed_because == Closed.ADMINISTRATOR
    closing.open_again(admin, key())
    assert reads(eva) and codes() == [closing.CLOSED, closing.CONFIRMED, closing.OPENED]


def test_a_restored_folder_opens_when_a_run_has_seen_its_rights_and_it_is_confirmed(admin: Access, eva: User) -> None:
    Source.objects.update(
        kind=SourceKind.FOLDER, rights_confirmed_at=None, closed_at=timezone.now(), closed_because=Closed.RESTORED
    )
    with pytest.raises(Refused, match="No run has seen"):
        closing.confirm(admin, key())
    Source.objects.update(rights_confirmed_at=timezone.now())
    assert not reads(eva)
    closing.confirm(admin, key())
    assert reads(eva) and codes() == [closing.OPENED]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"kind": SourceKind.PUSH, "closed_because": Closed.RESTORED, "rights_confirmed_at": None}, "source_unseen"),
        ({"kind": SourceKind.LOCAL, "closed_because": Closed.ADMINISTRATOR}, "nothing_to_confirm"),
    ],
)
def test_nothing_else_is_confirmed_by_hand(admin: Access, eva: User, fields: dict[str, Any], code: str) -> None:
    Source.objects.update(closed_at=timezone.now(), **fields)
    with pytest.raises(Refused) as refused:
        closing.confirm(admin, key())
    assert refused.value.code == code and not reads(eva) and codes() == []


@pytest.mark.parametrize("restored", [True, False])
@pytest.mark.parametrize("kind", [SourceKind.FOLDER, SourceKind.GIT, SourceKind.PUSH])
@pytest.mark.parametrize("words", [["quelle"], ["--all"]])
def test_the_command_opens_nothing_whose_origin_was_not_seen(
    words: list[str], kind: SourceKind, restored: bool, eva: User
) -> None:
    closed = {"closed_at": timezone.now(), "closed_because": Closed.RESTORED} if restored else {}
    Source.objects.update(name="quelle", kind=kind, rights_confirmed_at=None, **closed)
    if restored or words == ["quelle"]:
        with pytest.raises(CommandError, match="source_unseen"):
            call_command("confirm", *words, tenant="lindenau")
    else:
        call_command("confirm", *words, tenant="lindenau")
    assert not reads(eva) and Source.objects.get().rights_confirmed_at is None and codes() == []


@pytest.mark.parametrize("kind", SourceKind)
def test_the_command_opens_a_restored_source_that_was_seen_since(kind: SourceKind, eva: User) -> None:
    closed = {"closed_at": timezone.now(), "closed_because": Closed.RESTORED}
    Source.objects.update(kind=kind, rights_confirmed_at=timezone.now(), **closed)
    call_command("confirm", "--all", tenant="lindenau")
    assert reads(eva) and codes() == [closing.CONFIRMED if kind == SourceKind.LOCAL else closing.OPENED]


def test_whoever_runs_it_may_vouch_for_rights_that_were_seen_and_became_too_old(eva: User) -> None:
    Source.objects.update(name="quelle", kind=SourceKind.FOLDER, rights_confirmed_at=timezone.now() - timedelta(days=2))
    assert not reads(eva)
    call_command("confirm", "quelle", tenant="lindenau")
    assert reads(eva) and codes() == [closing.CONFIRMED]


@pytest.mark.parametrize("act", ACTIONS, ids=lambda act: act.__name__)
@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_only_administrators_close_open_and_confirm(
    act: Callable[[Access, int], None], role: Role, admin: Access, eva: User
) -> None:
    with pytest.raises(Unavailable):
        act(access(person("max", ["alle"], role=role)), key())
    assert codes() == []


@pytest.mark.parametrize("act", ACTIONS, ids=lambda act: act.__name__)
def test_a_source_of_another_tenant_is_as_unavailable_as_one_that_does_not_exist(
    act: Callable[[Access, int], None], eva: User
) -> None:
    stranger = access(person("fremd", role=Role.ADMINISTRATOR, of=tenant("andere")))
    for one in (key(), key() + 1):
        with pytest.raises(Unavailable):
            act(stranger, one)
    assert codes() == []
