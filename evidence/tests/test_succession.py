"""Citations that no longer hold get successors only by an editor's explicit act, word for word."""

from pathlib import Path
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from evidence import citations, succession
from evidence.access import Access
from evidence.anchoring import State
from evidence.errors import Refused
from evidence.models import AuditEvent, Citation, Role
from evidence.succession import Outcome
from evidence.tests.builders import access, document, person, publish

pytestmark = pytest.mark.django_db

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang."


def editor() -> Access:
    return access(User.objects.filter(username="eva").first() or person("eva", ["alle"], role=Role.EDITOR))


def cite(words: str) -> UUID:
    return citations.cite_words(editor(), document("a").public_id, exact=words)


@pytest.mark.parametrize(
    ("now", "outcome"),
    [
        ("Vorweg.\n\n" + TEXT, Outcome.PROPOSED),
        (TEXT + "\n\nNoch einmal: acht Tage.", Outcome.AMBIGUOUS),
        (TEXT.replace("acht", "neun"), Outcome.GONE),
        (TEXT.replace("acht Tage", "acht  Tage"), Outcome.GONE),
    ],
)
def test_a_dry_run_proposes_the_same_words_at_one_place_only(tmp_path: Path, now: str, outcome: Outcome) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    cite("acht Tage")
    publish(tmp_path, {"a.txt": now})
    (found,) = succession.propose(editor())
    assert (found.outcome, found.state, found.new is None) == (outcome, State.SOURCE_CHANGED, outcome != Outcome.PROPOSED)
    assert Citation.objects.count() == 1


def test_what_still_resolves_is_not_proposed(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    cite("acht Tage")
    assert succession.propose(editor()) == []


def test_approving_makes_a_checked_successor_and_keeps_the_old_record(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    old = cite("acht Tage")
    before = Citation.objects.values().get(public_id=old)
    publish(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXT})
    (new,) = succession.approve(editor(), [old])
    assert citations.get(editor(), new).resolution.state == State.RESOLVED
    assert citations.get(editor(), new).supersedes == old
    assert citations.get(editor(), old).superseded_by == new
    assert Citation.objects.values().get(public_id=old) == before
    assert AuditEvent.objects.get(code="citation.migrated").ids == {"old": str(old), "new": str(new)}
    assert succession.propose(editor()) == []


def test_one_that_cannot_be_migrated_stops_all(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    good, gone = cite("Zugang"), cite("acht Tage")
    publish(tmp_path, {"a.txt": TEXT.replace("acht", "neun")})
    with pytest.raises(Refused, match="Nothing was changed"):
        succession.approve(editor(), [good, gone])
    assert Citation.objects.count() == 2


def test_a_reader_may_neither_look_nor_approve(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    old = cite("acht Tage")
    reader = access(person("max", ["alle"]))
    for call in (lambda: succession.propose(reader), lambda: succession.approve(reader, [old])):
        with pytest.raises(Refused, match="editors"):
            call()


def test_an_editor_sees_nothing_of_documents_that_may_not_be_read(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    old = cite("acht Tage")
    publish(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXT})
    other = access(person("ida", ["netz"], role=Role.EDITOR))
    assert succession.propose(other) == []
    with pytest.raises(Refused, match="Nothing was changed"):
        succession.approve(other, [old])
