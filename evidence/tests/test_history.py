"""Kept states, events, provenance and comparison of a document, for those who may read it."""

from pathlib import Path
from uuid import uuid4

import pytest

from evidence import history
from evidence.errors import Unavailable
from evidence.models import AuditEvent, Passage
from evidence.tests.builders import access, document, person, publish, run, write

pytestmark = pytest.mark.django_db


def test_the_history_names_revisions_newest_first_and_events_latest_first(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Alt."})
    publish(tmp_path, {"a.txt": "Neu."})
    mine = access(person("eva", ["alle"]))
    found = history.history(mine, document("a").public_id)
    assert [[state.is_current for state in revision.states] for revision in found.revisions] == [[True], [False]]
    assert [event.code for event in found.events] == ["revision.added", "revision.added", "document.added"]
    assert [event.label for event in found.events] == [*(revision.label for revision in found.revisions), ""]


def test_provenance_names_path_hashes_parser_and_the_sources_run(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Alt."})
    found = history.provenance(access(person("eva", ["alle"])), document("a").public_id)
    assert (found.path, found.origin.state.parser.name) == ("a.txt", "text")
    assert found.run is not None


def test_two_states_are_compared(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Frist acht Tage."})
    old = document("a").current
    publish(tmp_path, {"a.txt": "Frist neun Tage."})
    assert old is not None
    found = history.compared(access(person("eva", ["alle"])), document("a").public_id, old=old.public_id)
    assert (found.changes, found.old.is_current, found.new.is_current) == (1, False, True)


def test_everything_is_unavailable_to_others(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Alt."})
    write(tmp_path, {})
    row, other = document("a"), access(person("max", ["netz"]))
    state = row.current.public_id  # type: ignore[union-attr]
    for call in (
        lambda: history.history(other, row.public_id),
        lambda: history.provenance(other, row.public_id),
        lambda: history.compared(other, row.public_id, old=state),
        lambda: history.compared(access(person("eva", ["alle"])), row.public_id, old=uuid4()),
    ):
        with pytest.raises(Unavailable):
            call()


def test_a_fault_of_the_store_is_for_administrators_and_no_part_of_the_history(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    Passage.objects.update(text="Anders")
    run(tmp_path)
    assert AuditEvent.objects.filter(code="sample.fault").exists()
    assert [event.code for event in history.history(access(person("eva", ["alle"])), document("a").public_id).events] == [
        "revision.added",
        "document.added",
    ]
