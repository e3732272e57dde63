"""Real processes on one database: eight that serve, two that work, one that edits, and people who search all the time.

What they are shown is the old state or the new one of each document, whole; after a right has been taken away, nothing.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests

from evidence.tests import databases, processes
from evidence.tests.databases import Place

WEB_PROCESSES = 8
READERS = 8
EDITED_FOR = 10.0
"""Seconds, at least."""
GENERATIONS = 6
"""At least."""
SEEN = 6
"""Answers that begin and end between two edits, at least."""
PASSAGES = 8
SHARED = "gemeinsam"
EDITED = ("a", "b", "c")
TOGGLED = {"rechte", "weg"}
"""Documents that only even generations let people find: one loses its right, one leaves the folder."""

SET_UP = """
import django
django.setup()
from evidence import identity, tokens
from evidence.tests.builders import access, person
print(tokens.make(access(person("eva", ["alle"])), name="Leser", scopes=["read"]).secret)
"""
EDIT = f"""
import json, sys, time, django
from pathlib import Path
django.setup()
from evidence.tests.builders import rules, run, write

folder = Path(sys.argv[1])

def text(name, number):
    words = [f"{SHARED} {{name}} Absatz{{place}} Fassung{{number}}x" for place in range({PASSAGES - 1})]
    return f"# Titel {{name}} Fassung{{number}}x {SHARED}\\n\\n" + "\\n\\n".join(words)

for number, _ in enumerate(sys.stdin):
    shown = number % 2 == 0
    for name in {[*EDITED, "rechte"]!r}:
        write(folder, {{f"{{name}}.md": text(name, number)}})
    if shown:
        write(folder, {{"weg.md": text("weg", number)}})
    else:
        (folder / "weg.md").unlink()
    entries = [("**", 'allowed = ["group:alle"]'), ("rechte.md", f'allowed = ["group:{{"alle" if shown else "netz"}}"]')]
    write(folder, {{"fundstelle.toml": rules(*entries)}})
    begun = time.monotonic()
    report = run(folder)
    assert report.complete, report
    print(json.dumps([number, begun, time.monotonic()]), flush=True)
"""
DIFFERENCES = """
import json, django
django.setup()
from evidence import projection
print(json.dumps(list(projection.differences())))
"""


def python(place: Place, program: str, *arguments: str | Path) -> str:
    done = processes.run(place, "-c", program, *arguments)
    assert done.returncode == 0, done.err
    return done.out


@pytest.fixture
def place(founded: Place, tmp_path: Path) -> Iterator[Place]:
    """A database with a tenant and a group."""
    with databases.place(tmp_path / "data", like=founded) as place:
        yield place


@contextmanager
def working(place: Place) -> Iterator[None]:
    """A worker, which is told to end at the end, and ends well."""
    process = processes.start(place, "manage.py", "work")
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert process.returncode == 0 and "Traceback" not in process.err, process.err


@contextmanager
def served(place: Place) -> Iterator[str]:
    """The address of eight web processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    options = ["--bind", address, "--workers", str(WEB_PROCESSES), "--threads", "1", "--preload", "--log-level", "warning"]
    words = [sys.executable, "-m", "gunicorn", *options]
    with subprocess.Popen(words, env=place.environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for(lambda: _answers(address))
            yield f"http://{address}"
        finally:
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=60)
    assert process.returncode == 0 and "Traceback" not in told, told


def _answers(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def wait_for(what: Callable[[], bool], *, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.1)


@dataclass(frozen=True)
class Answer:
    """What one search gave, between which moments."""

    begun: float
    ended: float
    status: int
    hits: Sequence[Mapping[str, Any]]

    def documents(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Hits by document."""
        found = defaultdict(list)
        for hit in self.hits:
            found[hit["document"]["external_id"]].append(hit)
        return found


@dataclass
class Readers:
    """People who ask the same question again and again."""

    address: str
    secret: str
    stop: threading.Event = field(default_factory=threading.Event)
    answers: list[Answer] = field(default_factory=list)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While this goes on."""
        threads = [threading.Thread(target=self._ask) for _ in range(READERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def _ask(self) -> None:
        with requests.Session() as session:
            session.headers["Authorization"] = f"Bearer {self.secret}"
            while not self.stop.is_set():
                begun = time.monotonic()
                answer = session.get(f"{self.address}/api/v1/search?q={SHARED}&limit=50", timeout=60)
                ended = time.monotonic()
                hits = answer.json()["hits"] if answer.status_code == 200 else ()
                self.answers.append(Answer(begun, ended, answer.status_code, hits))


def generation(hits: Sequence[Mapping[str, Any]]) -> int:
    """Which one all of these hits are of: texts, title and state agree."""
    texts = {hit["quote"].partition("Fassung")[2].partition("x")[0] for hit in hits}
    titles = {hit["document"]["title"].partition("Fassung")[2].partition("x")[0] for hit in hits}
    assert len({hit["representation"] for hit in hits}) == 1
    assert len(texts | titles) == 1, (texts, titles)
    return int(texts.pop())


@contextmanager
def editor(place: Place, folder: Path) -> Iterator[Callable[[], tuple[float, float]]]:
    """Makes the next generation of all documents; gives when it began and ended."""
    process = processes.start(place, "-c", EDIT, folder, talking=True)
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None

    def edit() -> tuple[float, float]:
        stdin.write("\n")
        stdin.flush()
        _, begun, ended = json.loads(stdout.readline())
        return begun, ended

    try:
        yield edit
    finally:
        stdin.close()
        process.wait()


def test_people_who_search_while_others_edit_see_whole_states_and_nothing_that_was_taken_away(
    place: Place, tmp_path: Path
) -> None:
    secret = python(place, SET_UP).strip()
    runs: list[tuple[float, float]] = []
    with working(place), working(place), served(place) as address, editor(place, tmp_path / "in") as edit:
        readers = Readers(address, secret)
        until = time.monotonic() + EDITED_FOR
        with readers.asking():
            while len(runs) < GENERATIONS or time.monotonic() < until:
                runs.append(edit())
                wait_for(lambda: sum(one.begun > runs[-1][1] for one in readers.answers) >= SEEN)
    assert {answer.status for answer in readers.answers} == {200}
    for answer in readers.answers:
        assert all(len(hits) == PASSAGES and generation(hits) < len(runs) for hits in answer.documents().values())
    for number, (_, ended) in enumerate(runs):
        next_begun = runs[number + 1][0] if number + 1 < len(runs) else float("inf")
        quiet = [one for one in readers.answers if ended < one.begun and one.ended < next_begun]
        shown = {*EDITED} | (TOGGLED if number % 2 == 0 else set())
        assert len(quiet) >= SEEN
        for answer in quiet:
            assert {name: generation(hits) for name, hits in answer.documents().items()} == dict.fromkeys(shown, number)
    assert json.loads(python(place, DIFFERENCES)) == []
    assert place.rows("SELECT key FROM evidence_job WHERE kind = 'index'") == []
    assert place.rows("SELECT ids FROM evidence_auditevent WHERE code = 'index.hit_dropped'") == []


REQUEST = """
import django
from pathlib import Path
django.setup()
import sys
from evidence import removal
from evidence.models import Document
from evidence.tests.builders import publish
publish(Path(sys.argv[1]), {f"{number}.txt": f"Nummer {number}." for number in range(40)})
for row in Document.objects.all():
    removal.request_purge(row)
"""


def test_two_workers_do_everything_once(place: Place, tmp_path: Path) -> None:
    python(place, REQUEST, tmp_path / "in")
    with working(place), working(place):
        wait_for(lambda: not place.rows("SELECT id FROM evidence_job WHERE kind IN ('index', 'purge', 'wipe')"))
    removed = place.rows("SELECT document FROM evidence_auditevent WHERE code = 'document.purged'")
    assert len(removed) == len(set(removed)) == 40
    assert place.rows("SELECT id FROM evidence_receipt WHERE finished_at IS NULL") == []
    assert place.rows("SELECT id FROM evidence_document") == []
    assert json.loads(python(place, DIFFERENCES)) == []
