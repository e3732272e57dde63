"""A drill that is killed at any step: nobody can sign in with what it left, and the next look of the worker removes it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence.models import DRILL
from evidence.tests import databases, processes
from evidence.tests.builders import rules, write
from evidence.tests.databases import Place
from evidence.tests.test_killed import importing

DYING = """
import os, signal, sys, django
django.setup()
from evidence import canary, removal
from evidence.models import Source
def die(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)
where = sys.argv[1]
if where == "removal":
    removal.purge = die
canary.drill(Source.objects.get(), told=lambda step: step == where and die())
"""
SWEEPING = """
import django
django.setup()
from evidence import canary
canary.sweep()
"""
LEFT = {
    "people": f"SELECT password, is_active FROM auth_user WHERE username LIKE '{DRILL}%'",
    "groups": f"SELECT id FROM evidence_group WHERE name LIKE '{DRILL}%'",
    "documents": f"SELECT id FROM evidence_document WHERE external_id LIKE '{DRILL}%'",
    "citations": "SELECT id FROM evidence_citation",
    "tokens": "SELECT id FROM evidence_token",
}


@pytest.fixture(scope="module")
def imported(founded: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place with a source."""
    folder = write(tmp_path_factory.mktemp("in"), {"a.txt": "eins", "fundstelle.toml": rules(("*", 'allowed = ["group:alle"]'))})
    with databases.place(tmp_path_factory.mktemp("imported") / "data", like=founded) as place:
        assert importing(place, folder).wait() == 0
        yield place


def left(place: Place) -> dict[str, list[tuple[object, ...]]]:
    return {name: list(place.rows(statement)) for name, statement in LEFT.items()}


@pytest.mark.parametrize("step", ["made", "withdrawn", "removal"])
def test_what_a_killed_drill_left_is_swept_away(step: str, imported: Place, tmp_path: Path) -> None:
    with databases.place(tmp_path / "data", like=imported) as place:
        assert processes.run(place, "-c", DYING, step).returncode == -signal.SIGKILL
        ((password, is_active),) = left(place)["people"]
        assert str(password).startswith("!")  # no password fits
        assert bool(is_active) is (step != "removal")
        assert processes.run(place, "-c", SWEEPING).returncode == 0
        assert not any(left(place).values())
