"""Conflicts that people mark: who may, what is refused, who sees them, how they end and begin again."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User

from evidence import citations, removal
from evidence.anchoring import State
from evidence.errors import Refused, Unavailable
from evidence.knowledge import conflicts
from evidence.knowledge.conflicts import MAX_MATTER, MAX_NOTE, Named
from evidence.models import AuditEvent, Citation, Conflict, Role
from evidence.tests.builders import access, document, person, publish, rules, run, tenant, write

pytestmark = pytest.mark.django_db(transaction=True)

OPEN, CLOSED = 'allowed = ["group:alle"]', 'allowed = ["group:netz"]'


@pytest.fixture
def rita(tmp_path: Path) -> User:
    """A reviewer who may read both sources' documents."""
    files = {"a.txt": "Ab 10 Prozent räumen.\n\nSonst nicht.", "b.txt": "Ab 20 Prozent räumen.", "c.txt": "Nur für das Netz."}
    write(tmp_path, files | {"fundstelle.toml": rules(("a.txt", OPEN), ("b.txt", OPEN), ("c.txt", CLOSED))})
    run(tmp_path)
    return person("rita", ["alle", "netz"], role=Role.REVIEWER)


def cited(user: User, name: str, words: str) -> Named:
    """A citation of these words by this person."""
    return Named(citation=citations.cite_words(access(user), document(name).public_id, exact=words))


def whole(name: str) -> Named:
    return Named(document=document(name).public_id)


def marked(user: User, **words: Any) -> UUID:
    """A conflict of two passages."""
    sides = cited(user, "a", "Ab 10 Prozent"), cited(user, "b", "Ab 20 Prozent")
    return conflicts.mark(access(user), *sides, **({"matter": "Räumung"} | words))


def test_two_passages_are_marked_with_both_sides(rita: User) -> None:
    found = conflicts.get(access(rita), marked(rita, note="  Seit 2024.\r\nAlt. "))
    assert (found.left.quote, found.right.quote) == ("Ab 10 Prozent", "Ab 20 Prozent")
    assert (found.left.card.external_id, found.right.card.external_id) == ("a", "b")
    assert (found.matter, found.note, found.marked_by, found.settled_at) == ("Räumung", "Seit 2024.\nAlt.", "rita", None)
    assert found.left.cited is not None and found.left.cited.resolution.state is State.RESOLVED


def test_two_documents_are_marked_as_a_whole(rita: User) -> None:
    found = conflicts.get(access(rita), conflicts.mark(access(rita), whole("a"), whole("b"), matter="Räumung"))
    assert (found.left.citation, found.left.quote, found.right.card.external_id) == (None, "", "b")


def test_a_passage_and_another_document_are_marked(rita: User) -> None:
    conflicts.mark(access(rita), cited(rita, "a", "Ab 10 Prozent"), whole("b"), matter="Räumung")
    assert Conflict.objects.get().right is None


def test_two_passages_of_one_document_can_contradict_each_other(rita: User) -> None:
    sides = cited(rita, "a", "Ab 10 Prozent"), cited(rita, "a", "Sonst nicht")
    assert conflicts.mark(access(rita), *sides, matter="Räumung")


@pytest.mark.parametrize("role", [Role.READER, Role.ADMINISTRATOR])
def test_only_who_may_propose_marks(rita: User, role: str) -> None:
    with pytest.raises(Unavailable):
        conflicts.mark(access(person("leo", ["alle"], role=role)), whole("a"), whole("b"), matter="x")


@pytest.mark.parametrize("left", [True, False])
def test_what_may_not_be_read_is_not_marked(rita: User, left: bool) -> None:
    eva = access(person("eva", ["alle"], role=Role.EDITOR))
    hidden, known = cited(rita, "c", "Nur für"), whole("a")
    for other in (hidden, whole("c"), Named(citation=uuid4()), Named(document=uuid4()), Named()):
        with pytest.raises(Unavailable):
            conflicts.mark(eva, *((other, known) if left else (known, other)), matter="x")
    assert not Conflict.objects.exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"matter": " \n "}, "conflict_matter"),
        ({"matter": "x" * (MAX_MATTER + 1)}, "conflict_words_long"),
        ({"note": "x" * (MAX_NOTE + 1)}, "conflict_words_long"),
        ({"note": "a\x00b"}, "conflict_control_character"),
    ],
)
def test_words_have_limits(rita: User, words: dict[str, str], code: str) -> None:
    with pytest.raises(Refused) as refused:
        marked(rita, **words)
    assert refused.value.code == code and not Conflict.objects.exists()


def test_words_at_their_limits_are_taken(rita: User) -> None:
    assert marked(rita, matter="x" * MAX_MATTER, note="y" * MAX_NOTE)


@pytest.mark.parametrize("right", [whole, lambda name: cited(User.objects.get(username="rita"), name, "Ab 10 Prozent")])
def test_the_same_twice_is_no_conflict(rita: User, right: Any) -> None:
    with pytest.raises(Refused) as refused:
        conflicts.mark(access(rita), cited(rita, "a", "Ab 10 Prozent"), right("a"), matter="x")
    assert refused.value.code == "conflict_same"


def test_the_same_two_are_marked_once_while_open_whichever_comes_first(rita: User) -> None:
    one, other = cited(rita, "a", "Ab 10 Prozent"), cited(rita, "b", "Ab 20 Prozent")
    first = conflicts.mark(access(rita), one, other, matter="x")
    with pytest.raises(Refused) as refused:
        conflicts.mark(access(rita), other, one, matter="y")
    assert refused.value.code == "conflict_known"
    conflicts.settle(access(rita), first, words="B gilt.")
    assert conflicts.mark(access(rita), other, one, matter="y")


def test_settling_and_reopening_keep_who_and_what(rita: User) -> None:
    conflict = marked(rita)
    conflicts.settle(access(rita), conflict, words="B gilt.")
    settled = conflicts.get(access(rita), conflict)
    assert (settled.settled_by, settled.settlement) == ("rita", "B gilt.") and settled.settled_at
    assert [conflicts.listed(access(rita), settled=one).total for one in (False, True)] == [0, 1]
    conflicts.reopen(access(rita), conflict)
    again = conflicts.get(access(rita), conflict)
    assert (again.settled_at, again.settled_by, again.settlement) == (None, "", "B gilt.")
    assert conflicts.counts(access(rita)) == (1, 0)


def test_settling_twice_and_reopening_what_is_open_are_refused(rita: User) -> None:
    conflict = marked(rita)
    with pytest.raises(Refused, match="changed meanwhile"):
        conflicts.reopen(access(rita), conflict)
    conflicts.settle(access(rita), conflict, words="B gilt.")
    with pytest.raises(Refused, match="changed meanwhile"):
        conflicts.settle(access(rita), conflict, words="A gilt.")
    assert Conflict.objects.get().settlement == "B gilt."


@pytest.mark.parametrize(("words", "code"), [("  ", "conflict_settlement"), ("x" * (MAX_NOTE + 1), "conflict_words_long")])
def test_settling_needs_words_within_a_limit(rita: User, words: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        conflicts.settle(access(rita), marked(rita), words=words)
    assert refused.value.code == code and Conflict.objects.get().settled_at is None


def test_a_reader_sees_it_and_settles_nothing(rita: User) -> None:
    conflict, leo = marked(rita), access(person("leo", ["alle"]))
    assert conflicts.get(leo, conflict).matter == "Räumung" and conflicts.listed(leo).total == 1
    with pytest.raises(Unavailable):
        conflicts.settle(leo, conflict, words="x")
    conflicts.settle(access(rita), conflict, words="x")
    with pytest.raises(Unavailable):
        conflicts.reopen(leo, conflict)


def test_who_may_read_one_side_only_knows_of_nothing(rita: User) -> None:
    conflict = conflicts.mark(access(rita), whole("a"), cited(rita, "c", "Nur für"), matter="x")
    eva = access(person("eva", ["alle"], role=Role.REVIEWER))
    assert (conflicts.listed(eva).total, conflicts.listed(eva).rows, conflicts.counts(eva)) == (0, [], (0, 0))
    for call in (
        lambda: conflicts.get(eva, conflict),
        lambda: conflicts.settle(eva, conflict, words="x"),
        lambda: conflicts.reopen(eva, conflict),
    ):
        with pytest.raises(Unavailable):
            call()
    assert Conflict.objects.get().settled_at is None


def test_nothing_is_there_in_another_tenant(rita: User) -> None:
    conflict = marked(rita)
    ute = access(person("ute", of=tenant("kinderhaus"), role=Role.REVIEWER), at="kinderhaus")
    with pytest.raises(Unavailable):
        conflicts.get(ute, conflict)


def test_events_hold_ids_and_no_words(rita: User) -> None:
    conflict = marked(rita, note="geheim")
    conflicts.settle(access(rita), conflict, words="B gilt.")
    conflicts.reopen(access(rita), conflict)
    events = list(AuditEvent.objects.filter(code__startswith="conflict.").order_by("id"))
    assert [event.code for event in events] == ["conflict.marked", "conflict.settled", "conflict.reopened"]
    assert all(event.ids == {"conflict": str(conflict)} and event.actor_id == rita.pk for event in events)


def test_it_goes_with_either_document(rita: User) -> None:
    marked(rita)
    removal.purge(removal.request_purge(document("b")).pk)
    assert not Conflict.objects.exists()
    assert not Citation.objects.filter(exact="Ab 20 Prozent").exists()


def test_a_changed_document_shows_its_side_as_changed(rita: User, tmp_path: Path) -> None:
    conflict = marked(rita)
    publish(tmp_path, {"b.txt": "Ab 30 Prozent räumen."})
    found = conflicts.get(access(rita), conflict)
    assert found.right.cited is not None and found.right.cited.resolution.state is State.SOURCE_CHANGED
    assert found.right.quote == "Ab 20 Prozent"
