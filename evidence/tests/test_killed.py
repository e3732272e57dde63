"""A process that is killed at any moment leaves nothing that running it again does not mend."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from evidence.index.sqlite import SqliteEngine
from evidence.tests.builders import rules, write

DOCUMENTS = 60
ROWS = {
    "documents": """SELECT external_id, d.title, d.public_id, digest, r.public_id FROM evidence_document d
        JOIN evidence_accessclass c ON c.id = access_class_id JOIN evidence_representation r ON r.id = current_id""",
    "revisions": "SELECT label, source_sha256, size, path FROM evidence_revision",
    "representations": "SELECT public_id, text_sha256, passage_count, length FROM evidence_representation",
    "passages": """SELECT public_id, number, start, end, text FROM evidence_passage
        JOIN evidence_representation r ON r.id = representation_id""",
    "rules": "SELECT effect, group_id, user_id FROM evidence_accessrule",
    "pending": "SELECT kind, key FROM evidence_job",
}
"""What two equal imports agree on: everything but times and row numbers."""


def manage(data: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *words],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "evidence.settings", "FUNDSTELLE_DATA": str(data)},
        stdout=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a tenant and a group."""
    data = tmp_path_factory.mktemp("empty")
    for words in (
        ["migrate", "-v0"],
        ["createtenant", "lindenau", "--name", "Lindenau"],
        ["creategroup", "alle", "--tenant", "lindenau"],
    ):
        assert manage(data, *words).wait() == 0
    return data


def importing(data: Path, folder: Path) -> subprocess.Popen[bytes]:
    return manage(data, "import", str(folder), "--source", "handbuch", "--tenant", "lindenau")


def rows(data: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(data / "fundstelle.sqlite3", timeout=30)) as connection:
        return sorted(connection.execute(statement).fetchall())


def state(data: Path) -> dict[str, object]:
    database: dict[str, object] = {name: rows(data, statement) for name, statement in ROWS.items()}
    engine = SqliteEngine(data / "index" / (data / "index" / "current").read_text())
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
def undisturbed(folder: Path, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What an import ends in that nobody disturbs."""
    data = copytree(empty, tmp_path_factory.mktemp("undisturbed") / "data")
    assert importing(data, folder).wait() == 0
    return state(data)


def kill_when(process: subprocess.Popen[bytes], data: Path, documents: int) -> Iterator[int]:
    """Kill the process as soon as that many documents are in the database."""
    until = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < until:
        if len(rows(data, "SELECT id FROM evidence_document")) >= documents:
            break
    process.send_signal(signal.SIGKILL)
    yield process.wait()


@pytest.mark.parametrize("documents", [1, 17, DOCUMENTS])
def test_an_import_that_is_killed_and_run_again_ends_as_an_undisturbed_one(
    documents: int, folder: Path, empty: Path, undisturbed: dict[str, object], tmp_path: Path
) -> None:
    data = copytree(empty, tmp_path / "data")
    process = importing(data, folder)
    (status,) = kill_when(process, data, documents)
    assert importing(data, folder).wait() == 0
    assert state(data) == undisturbed
    assert documents == DOCUMENTS or status == -signal.SIGKILL
