"""A drill that is killed at any step: nobody can sign in with what it left, and the next look of the worker removes it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence.models import DRILL
from evidence.tests import databases
from evidence.tests.builders import rules, write
from evidence.tests.databases import Place
from evidence.tests.test_killed import empty, importing  # noqa: F401 (a fixture)

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
def imported(empty: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:  # noqa: F811
    """A place with a source."""
    folder = write(tmp_path_factory.mktemp("in"), {"a.txt": "eins", "fundstelle.toml": rules(("*", 'allowed = ["group:alle"]'))})
    with databases.place(tmp_path_factory.mktemp("imported") / "data", like=empty) as place:
        assert importing(place, folder).wait() == 0
        yield place


def run(place: Place, script: str, *words: str) -> int:
    return subprocess.run([sys.executable, "-c", script, *words], env=place.environment, check=False).returncode


def left(place: Place) -> dict[str, list[tuple[object, ...]]]:
    return {name: list(place.rows(statement)) for name, statement in LEFT.items()}


@pytest.mark.parametrize("step", ["made", "withdrawn", "removal"])
def test_what_a_killed_drill_left_is_swept_away(step: str, imported: Place, tmp_path: Path) -> None:
    with databases.place(tmp_path / "data", like=imported) as place:
        assert run(place, DYING, step) == -signal.SIGKILL
        ((password, is_active),) = left(place)["people"]
        assert str(password).startswith("!")  # no password fits
        assert bool(is_active) is (step != "removal")
        assert run(place, SWEEPING) == 0
        assert not any(left(place).values())
