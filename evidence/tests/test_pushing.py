"""Pushed rights and what comes late: which order counts, what is taken away at once, and when a source opens and closes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evidence import closing, needles, parsing, removal, worker
from evidence.errors import Refused
from evidence.models import AuditEvent, Closed, Document, Passage, Receipt, Revocation, Role, Source
from evidence.tests.builders import access, group, person
from evidence.tests.calls import Answer, program
from evidence.tests.pushes import Pusher, as_text, pushed_source

pytestmark = pytest.mark.django_db

ALLE: dict[str, Any] = {"allowed": ["group:alle"]}
NETZ: dict[str, Any] = {"allowed": ["group:netz"]}
BOTH: dict[str, Any] = {"allowed": ["group:alle", "group:netz"]}


@pytest.fixture
def pusher() -> Pusher:
    group("alle")
    group("netz")
    return Pusher(pushed_source())


@pytest.fixture
def eva(pusher: Pusher) -> User:
    return person("eva", ["alle"])


def ago(minutes: float) -> str:
    return as_text(timezone.now() - timedelta(minutes=minutes))


NEWEST, NEWER, OLDER = ago(1), ago(2), ago(3)


def row() -> Document:
    return Document.objects.select_related("current__revision").get(external_id="a")


def text() -> str:
    current = row().current
    assert current is not None
    return "".join(current.passages.values_list("text", flat=True))


def reads(user: User) -> bool:
    return row().access_class_id in access(user).classes


def meanwhile(monkeypatch: pytest.MonkeyPatch, call: Callable[[], object]) -> None:
    """Let this happen once, after the next file has been read and before it is taken in."""
    extract = parsing.extract

    def read(*args: Any) -> Any:
        content = extract(*args)
        monkeypatch.undo()
        call()
        return content

    monkeypatch.setattr(parsing, "extract", read)


def outcome(answer: Answer) -> str:
    return str(answer.body["state"]) if answer.status < 300 else answer.code


# Which order counts


def test_rights_take_the_place_of_older_ones(pusher: Pusher) -> None:
    pusher.put("a", "Text", rights_as_of=OLDER, **ALLE)
    assert outcome(pusher.rights("a", rights_as_of=NEWER, **NETZ)) == "updated"
    assert row().rights_as_of == datetime.fromisoformat(NEWER)


def test_older_rights_are_refused_and_nothing_changes(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", rights_as_of=NEWER, **NETZ)
    pusher.confirm()
    assert outcome(pusher.rights("a", rights_as_of=OLDER, **ALLE)) == "rights_older"
    late = pusher.put("a", "Späte Post", rights_as_of=OLDER, title="Spät", **ALLE)
    assert (late.status, late.code) == (409, "rights_older")
    assert (reads(eva), text(), row().title) == (False, "Text", "a")


def test_content_of_older_rights_does_not_come_in_under_newer_ones(pusher: Pusher) -> None:
    pusher.put("a", "Geheim", rights_as_of=OLDER, **NETZ)
    pusher.put("a", "Geschwärzt", rights_as_of=NEWER, **BOTH)
    assert outcome(pusher.put("a", "Geheim", rights_as_of=OLDER)) == "rights_other_time"
    assert outcome(pusher.put("a", "Geheim")) == "rights_other_time"
    assert text() == "Geschwärzt"


def test_content_that_waits_for_newer_rights_does_not_come_in_under_older_ones(pusher: Pusher) -> None:
    pusher.put("a", "Text", rights_as_of=OLDER, **BOTH)
    assert outcome(pusher.put("a", "Nach dem Entzug", rights_as_of=NEWER)) == "rights_other_time"
    assert text() == "Text"
    pusher.rights("a", rights_as_of=NEWER, **NETZ)
    assert outcome(pusher.put("a", "Nach dem Entzug", rights_as_of=NEWER)) == "changed"


def test_what_had_a_time_once_takes_nothing_without_one(pusher: Pusher) -> None:
    pusher.put("a", "Text", rights_as_of=OLDER, **ALLE)
    assert outcome(pusher.rights("a", **NETZ)) == "rights_without_time"
    assert outcome(pusher.put("a", "Mehr", **NETZ)) == "rights_without_time"


def test_without_any_time_the_last_word_counts(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)
    assert outcome(pusher.rights("a", **NETZ)) == "updated"
    assert outcome(pusher.put("a", "Mehr")) == "changed"
    assert outcome(pusher.put("a", "Mehr", rights_as_of=OLDER)) == "rights_other_time"  # nobody knows of when they are
    assert outcome(pusher.put("a", "Mehr", rights_as_of=OLDER, **ALLE)) == "updated"


def test_other_rights_of_the_same_time_are_refused_and_the_same_ones_are_not(pusher: Pusher) -> None:
    pusher.put("a", "Text", rights_as_of=OLDER, **ALLE)
    assert outcome(pusher.rights("a", rights_as_of=OLDER, **BOTH)) == "rights_same_time"
    assert outcome(pusher.rights("a", rights_as_of=OLDER, **ALLE)) == "unchanged"
    assert outcome(pusher.put("a", "Mehr", rights_as_of=OLDER, **ALLE)) == "changed"


def test_the_same_rights_of_a_later_time_are_noted(pusher: Pusher) -> None:
    pusher.put("a", "Text", rights_as_of=OLDER, **ALLE)
    assert outcome(pusher.put("a", "Text", rights_as_of=NEWER, **ALLE)) == "unchanged"
    assert outcome(pusher.rights("a", rights_as_of=OLDER, **ALLE)) == "rights_older"


def test_times_are_compared_whatever_their_zone(pusher: Pusher) -> None:
    pusher.put("a", "Text", rights_as_of="2026-01-01T12:00:00+01:00", **ALLE)
    assert outcome(pusher.rights("a", rights_as_of="2026-01-01T11:30:00Z", **NETZ)) == "updated"


def test_a_file_that_can_not_be_read_lets_the_same_statement_come_again(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", rights_as_of=OLDER, **BOTH)
    pusher.confirm()
    assert pusher.put("a", b"\xff", rights_as_of=NEWEST, **NETZ).status == 400
    assert not reads(eva)
    assert outcome(pusher.rights("a", rights_as_of=NEWER, **BOTH)) == "rights_older"  # it is from before the withdrawal
    assert outcome(pusher.put("a", "Neu", rights_as_of=NEWEST, **NETZ)) == "changed"


def test_what_was_read_before_a_removal_does_not_bring_it_back(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.delete("a")
    assert outcome(pusher.put("a", "Text", rights_as_of=OLDER, **ALLE)) == "document_removed"
    assert outcome(pusher.put("a", "Text", rights_as_of=as_text(timezone.now()), **ALLE)) == "new"
    assert row().withdrawn_at is None


def test_a_time_comes_back_as_it_was_sent(pusher: Pusher) -> None:
    at = "2026-02-01T10:00:00.123456+00:00"
    assert pusher.put("a", "Text", rights_as_of=at, **ALLE).body["rights_as_of"] == at
    assert pusher.get("documents").body["documents"][0]["rights_as_of"] == at


# What is taken away


def test_rights_hold_for_the_next_request_whatever_the_document_holds(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.confirm()
    assert reads(eva)
    assert outcome(pusher.rights("a", denied=["user:eva"], **ALLE)) == "updated"
    assert not reads(eva)


def test_rights_that_allow_nobody_are_rights(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.confirm()
    answer = pusher.rights("a", allowed=[])
    assert (answer.status, answer.body["readable"], reads(eva)) == (200, False, False)


@pytest.mark.parametrize("said", [{}, {"denied": ["group:alle"]}, {"allowed": None}, {"allowed": "group:netz"}, {"title": "x"}])
def test_rights_must_be_stated(pusher: Pusher, said: dict[str, Any]) -> None:
    pusher.put("a", "Text", **ALLE)
    assert pusher.rights("a", **said).code == "invalid_fields"


def test_rights_of_what_is_not_here_are_unavailable(pusher: Pusher) -> None:
    pusher.put("b", "Text", **ALLE)
    pusher.delete("b")
    answers = [pusher.rights(one, **ALLE) for one in ("a", "b")]
    assert [(one.status, one.code) for one in answers] == [(404, "unavailable")] * 2


@pytest.mark.parametrize(
    ("after", "taken"),
    [(NETZ, 1), (ALLE, 1), (BOTH, 0), ({**BOTH, "denied": ["user:eva"]}, 1), ({"allowed": []}, 1), ({"allowed": ["group:x"]}, 1)],
)
def test_taking_rights_away_is_noted_with_its_time(pusher: Pusher, eva: User, after: dict[str, Any], taken: int) -> None:
    said = {"rights_as_of": NEWER, **after}
    for content in ("", "x"):
        pusher.put("a", "Text", rights_as_of=OLDER, **BOTH)
        assert (pusher.put("a", content, **said) if content else pusher.rights("a", **said)).status == 200
        assert [one.at_origin for one in Revocation.objects.all()] == [datetime.fromisoformat(NEWER)] * taken
        Revocation.objects.all().delete()
        Document.objects.all().delete()


def test_each_change_has_an_event_with_the_token_and_no_text(pusher: Pusher) -> None:
    pusher.put("a", "Text", title="Titel", **BOTH)
    pusher.rights("a", **NETZ)
    pusher.delete("a")
    pusher.confirm()
    codes = ["document.pushed", "rights.pushed", "removal.pushed", "rights.confirmed"]
    events = [AuditEvent.objects.get(code=code) for code in codes]
    assert len({(one.ids["source"], one.ids["token"]) for one in events}) == 1
    assert "Titel" not in repr(list(AuditEvent.objects.values()))


# Removal


def test_a_removal_is_at_once_and_has_one_receipt(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.confirm()
    first = pusher.delete("a")
    assert (first.status, program(eva).get("search", {"q": "Text"}).body["total"]) == (202, 0)
    assert first.body["url"].endswith(f"/api/v1/sources/dms/receipts/{first.body['receipt']}")
    assert pusher.delete("a").body == first.body
    assert (Receipt.objects.count(), Revocation.objects.count()) == (1, 1)


def test_what_was_never_here_has_no_receipt(pusher: Pusher) -> None:
    assert (pusher.delete("a").status, pusher.delete("a").code) == (404, "unavailable")


def test_a_document_that_comes_back_is_removed_again(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)
    first = pusher.delete("a").body["receipt"]
    pusher.put("a", "Text", **ALLE)
    assert row().withdrawn_at is None
    second = pusher.delete("a").body["receipt"]
    assert first != second


def test_a_document_that_left_with_a_list_is_removed_at_once_when_it_is_deleted(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.confirm(documents=[], allow_removals=True)
    due = Receipt.objects.get().due_at
    assert due > timezone.now()
    assert pusher.delete("a").status == 202
    assert Receipt.objects.get().due_at <= timezone.now()


# Confirming


def confirmed() -> datetime | None:
    return Source.objects.get(name="dms").rights_confirmed_at


def test_a_confirmation_opens_the_source_as_of_then(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", **ALLE)
    assert not reads(eva)
    at = timezone.now() - timedelta(hours=1)
    assert pusher.confirm(at).body == {
        "as_of": as_text(at),
        "withdrawn": 0,
        "unknown": [],
        "unknown_total": 0,
    }
    assert (confirmed(), reads(eva)) == (at, True)


def test_a_confirmation_of_long_ago_leaves_it_closed(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.confirm(timezone.now() - timedelta(hours=25))
    assert not reads(eva)


def test_confirmations_do_not_go_back(pusher: Pusher) -> None:
    at = timezone.now()
    pusher.confirm(at)
    assert pusher.confirm(at).status == 200
    older = pusher.confirm(at - timedelta(seconds=1))
    assert (older.status, older.code, confirmed()) == (409, "confirmation_older", at)


@pytest.mark.parametrize(
    "said",
    [
        {"as_of": "2999-01-01T00:00:00Z"},
        {"as_of": None},
        {"documents": "a"},
        {"documents": [7]},
        {"documents": [""]},
        {"allow_removals": "yes"},
        {"restated": 1},
        {"more": 1},
    ],
)
def test_a_confirmation_that_is_wrong_confirms_nothing(pusher: Pusher, said: dict[str, Any]) -> None:
    assert pusher.call("post", "confirm", json.dumps({"as_of": ago(0), **said})).code == "invalid_fields"
    assert confirmed() is None


def test_a_clock_that_is_a_little_ahead_confirms_as_of_now(pusher: Pusher) -> None:
    pusher.confirm(timezone.now() + timedelta(seconds=30))
    at = confirmed()
    assert at is not None and at <= timezone.now()


def test_a_list_withdraws_what_it_leaves_out_and_names_what_is_not_here(pusher: Pusher, eva: User) -> None:
    for name in ("a", "b", "c"):
        pusher.put(name, "Text", **ALLE)
    answer = pusher.confirm(documents=["b", "c", "d"])
    assert (answer.body["withdrawn"], answer.body["unknown"], answer.body["unknown_total"]) == (1, ["d"], 1)
    assert row().withdrawn_at is not None
    assert Receipt.objects.get().document == row().public_id
    assert program(eva).get("search", {"q": "Text"}).body["total"] == 2


def test_a_list_that_leaves_out_too_much_withdraws_nothing_and_closes_the_source(pusher: Pusher, eva: User) -> None:
    for name in ("a", "b", "c"):
        pusher.put(name, "Text", **ALLE)
    pusher.confirm()
    answer = pusher.confirm(documents=["a"])
    assert (answer.status, answer.code, confirmed()) == (409, "too_many_missing", None)
    assert (Document.objects.exclude(withdrawn_at=None).count(), reads(eva)) == (0, False)
    assert pusher.confirm(documents=["a"], allow_removals=True).body["withdrawn"] == 2
    assert reads(eva)


def test_what_came_after_a_list_was_made_is_not_judged_by_it(pusher: Pusher) -> None:
    made = timezone.now()
    pusher.put("a", "Text", **ALLE)
    assert pusher.confirm(made, documents=[], allow_removals=True).body["withdrawn"] == 0


def test_ids_of_a_list_are_compared_as_they_are_kept(pusher: Pusher) -> None:
    pusher.put("Prüfung", "Text", **ALLE)
    assert pusher.confirm(documents=["Pru\u0308fung"]).body["unknown"] == []


def test_a_restored_source_opens_when_everything_was_sent_again_and_an_administrator_vouches_for_the_groups(
    pusher: Pusher, eva: User
) -> None:
    pusher.put("a", "Text", **ALLE)
    chief = access(person("chefin", role=Role.ADMINISTRATOR))
    Source.objects.update(closed_at=timezone.now(), closed_because=Closed.RESTORED)
    assert (pusher.confirm().status, pusher.confirm().code, reads(eva)) == (409, "source_restored", False)
    with pytest.raises(Refused):
        closing.confirm(chief, pusher.source.pk)
    assert [pusher.confirm(restated=True).status, pusher.confirm().status] == [200, 200]
    assert not reads(eva)
    closing.confirm(chief, pusher.source.pk)
    assert reads(eva)


@pytest.mark.parametrize("because", [Closed.ADMINISTRATOR, Closed.BOTH])
def test_what_an_administrator_closed_stays_closed(pusher: Pusher, eva: User, because: Closed) -> None:
    pusher.put("a", "Text", **ALLE)
    Source.objects.update(closed_at=timezone.now(), closed_because=because)
    pusher.confirm(restated=True)
    assert not reads(eva)


def test_what_is_sent_after_a_removal_brings_no_earlier_version_back(pusher: Pusher) -> None:
    pusher.put("a", "Geheimnis", version="1", **NETZ)
    receipt = pusher.delete("a").body["receipt"]
    assert outcome(pusher.put("a", "Neues", version="2", **ALLE)) == "new"
    assert list(Passage.objects.values_list("text", flat=True)) == ["Neues"]
    assert Receipt.objects.get(public_id=receipt).purged_at is not None


def test_a_receipt_stays_when_a_worker_and_what_is_sent_next_remove_the_document_at_once(
    pusher: Pusher, monkeypatch: pytest.MonkeyPatch
) -> None:
    pusher.put("a", "Text", **ALLE)
    receipt = pusher.delete("a").body["receipt"]
    choose = needles.choose

    def chosen(document: Document) -> needles.Needles:
        monkeypatch.undo()
        pusher.put("a", "Neues", **ALLE)
        return choose(document)

    monkeypatch.setattr(needles, "choose", chosen)
    removal.purge(Receipt.objects.get().pk)
    assert Receipt.objects.get(public_id=receipt).counts["documents"] == 1
    assert (row().withdrawn_at, text()) == (None, "Neues")


@pytest.mark.parametrize("said", ["rights", "nothing"])
def test_what_is_taken_away_while_a_file_is_read_is_not_given_back_with_it(
    pusher: Pusher, eva: User, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    pusher.put("a", "eins", **(ALLE if said == "rights" else NETZ))
    pusher.confirm()
    meanwhile(monkeypatch, lambda: pusher.rights("a", **(NETZ if said == "rights" else ALLE)))
    refused = pusher.put("a", "zwei", **(ALLE if said == "rights" else {}))
    assert (refused.status, refused.code) == (409, "rights_changed_meanwhile")
    assert list(Passage.objects.values_list("text", flat=True)) == ["eins"]
    assert reads(eva) is (said == "nothing")


def test_what_is_removed_while_a_new_file_of_it_is_read_does_not_come_back(
    pusher: Pusher, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    pusher.put("a", "eins", **ALLE)
    pusher.confirm()
    meanwhile(monkeypatch, lambda: pusher.delete("a"))
    refused = pusher.put("a", "zwei", **ALLE)
    assert (refused.status, refused.code) == (409, "document_removed")
    assert not Document.objects.readable(access(eva)).exists()


def test_a_confirmation_of_the_future_does_not_keep_the_source_closed(pusher: Pusher, eva: User) -> None:
    pusher.put("a", "Text", **ALLE)
    Source.objects.update(rights_confirmed_at=timezone.now() + timedelta(days=30))  # the clock has been set back since
    assert not reads(eva)
    assert pusher.confirm().status == 200
    assert reads(eva)


@pytest.mark.django_db(transaction=True)
def test_a_document_may_be_sent_again_while_it_is_being_removed() -> None:
    group("alle")
    pusher = Pusher(pushed_source())
    pusher.put("a", "Text", **ALLE)
    pusher.delete("a")
    while worker.run_due():
        pass
    assert outcome(pusher.put("a", "Text", **ALLE)) == "new"
