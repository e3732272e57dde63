"""A process that is killed at any moment leaves nothing that running it again does not mend."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence.index.sqlite import SqliteEngine
from evidence.tests import databases, processes
from evidence.tests.builders import rules, write
from evidence.tests.databases import Place
from evidence.tests.processes import Process

DOCUMENTS = 60
ROWS = {
    "documents": """SELECT external_id, d.title, d.public_id, digest, r.public_id FROM evidence_document d
        JOIN evidence_accessclass c ON c.id = access_class_id JOIN evidence_representation r ON r.id = current_id""",
    "revisions": "SELECT label, source_sha256, size, path FROM evidence_revision",
    "representations": "SELECT public_id, text_sha256, passage_count, length FROM evidence_representation",
    "passages": """SELECT public_id, number, p.start, p.end, p.text FROM evidence_passage p
        JOIN evidence_representation r ON r.id = representation_id""",
    "rules": "SELECT effect, group_id, user_id FROM evidence_accessrule",
    "pending": "SELECT kind, key FROM evidence_job",
}
"""What two equal imports agree on: everything but times and row numbers."""


def importing(place: Place, folder: Path) -> Process:
    return processes.start(place, "manage.py", "import", folder, "--source", "handbuch", "--tenant", "lindenau")


def state(place: Place) -> dict[str, object]:
    database: dict[str, object] = {name: sorted(place.rows(statement)) for name, statement in ROWS.items()}
    index = place.data / "index"
    engine = SqliteEngine(index / (index / "current").read_text())
    return {**database, "index": sorted((one.passages, one.attributes["source"]) for one in engine.documents())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty documents with two states each."""
    texts = {
        f"{number:02}/{year}-01-01.txt": f"Stand {year} von {number}.\n\n" + "Noch ein Absatz.\n\n" * 20
        for number in range(DOCUMENTS)
        for year in (2024, 2025)
    }
    entry = ("{id}/{date}.txt", 'id = "{id}"\ndate = "{date}"\nallowed = ["group:alle"]')
    return write(tmp_path_factory.mktemp("in"), {**texts, "fundstelle.toml": rules(entry)})


@pytest.fixture(scope="module")
def undisturbed(folder: Path, founded: Place, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What an import ends in that nobody disturbs."""
    with databases.place(tmp_path_factory.mktemp("undisturbed") / "data", like=founded) as place:
        assert importing(place, folder).wait() == 0
        return state(place)


def kill_when(process: Process, place: Place, documents: int) -> Iterator[int]:
    """Kill the process as soon as that many documents are in the database."""
    until = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < until:
        if len(place.rows("SELECT id FROM evidence_document")) >= documents:
            break
    process.send_signal(signal.SIGKILL)
    yield process.wait()


@pytest.mark.parametrize("documents", [1, 17, DOCUMENTS])
def test_an_import_that_is_killed_and_run_again_ends_as_an_undisturbed_one(
    documents: int, folder: Path, founded: Place, undisturbed: dict[str, object], tmp_path: Path
) -> None:
    with databases.place(tmp_path / "data", like=founded) as place:
        process = importing(place, folder)
        (status,) = kill_when(process, place, documents)
        assert importing(place, folder).wait() == 0
        assert state(place) == undisturbed
    assert documents == DOCUMENTS or status == -signal.SIGKILL
