"""A worker that is killed at any step of a removal: the next one ends it, with a receipt that says so."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence.tests import databases, processes
from evidence.tests.builders import rules, write
from evidence.tests.databases import Place
from evidence.tests.test_killed import importing
from evidence.tests.test_removal import OTHER, TEXT, WORD

STEPS = {
    "needles are kept": "needles.keep",
    "the index is written anew": "projection.purge_traces",
    "originals are gone": "blobs.keep_only",
    "pictures are gone": "derived.keep_only",
    "the database is written anew": "removal._compact",
    "remains were looked for": "remains.search",
    "a receipt is finished": "Receipt.save",
    "needles are gone": "needles.forget",
    "rows are gone": "jobs.finish",
    "all is done": "jobs.done",
}
"""After which call the worker is killed."""
DYING = """
import os, signal, sys, django
django.setup()
from evidence import blobs, derived, jobs, needles, projection, removal, remains, worker
from evidence.models import Receipt
name, attribute = sys.argv[1].split(".")
owner = globals()[name]
real = getattr(owner, attribute)
def dying(*arguments, **named):
    real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(owner, attribute, dying)
worker.run_due()
"""
ASKING = """
import django
django.setup()
from evidence import removal
from evidence.models import Document
removal.request_purge(Document.objects.get(external_id="a"))
"""
ENDING = """
import django
django.setup()
from django.utils import timezone
from evidence import worker
from evidence.models import Job
Job.objects.update(claimed_at=None)  # as when the claim of a dead worker has run out
worker.run_due()
"""


@pytest.fixture(scope="module")
def withdrawn(founded: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place with two documents, one of which is to be removed."""
    texts = {"a.md": TEXT, "b.txt": OTHER, "fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'))}
    folder = write(tmp_path_factory.mktemp("in"), texts)
    with databases.place(tmp_path_factory.mktemp("withdrawn") / "data", like=founded) as place:
        assert importing(place, folder).wait() == 0
        assert processes.run(place, "-c", ASKING).returncode == 0
        yield place


def files_with(data: Path, word: str) -> list[str]:
    forms = [word.encode(), word.lower().encode()]
    paths = [path for path in data.rglob("*") if path.is_file()]
    return [path.name for path in paths if any(form in path.read_bytes() for form in forms)]


@pytest.mark.parametrize("step", STEPS)
def test_a_removal_that_is_killed_is_ended_by_the_next_worker(step: str, withdrawn: Place, tmp_path: Path) -> None:
    with databases.place(tmp_path / "data", like=withdrawn) as place:
        assert processes.run(place, "-c", DYING, STEPS[step]).returncode == -signal.SIGKILL
        assert processes.run(place, "-c", ENDING).returncode == 0
        ((traces,),) = place.rows("SELECT traces FROM evidence_receipt WHERE finished_at IS NOT NULL")
        left = place.rows("SELECT external_id FROM evidence_document")
        jobs = place.rows("SELECT kind FROM evidence_job WHERE kind IN ('purge', 'wipe')")
    assert (left, jobs) == ([("b",)], [])
    found = json.loads(traces) if isinstance(traces, str) else traces
    assert (found["files"], found["database_files"]) == (0, None if databases.POSTGRESQL else 0)
    assert list((place.data / "receipts").iterdir()) == []
    assert files_with(place.data, WORD) == []
