"""Measure the product around the engine: `python -m bench.product`. Import, memory, the search page's own share, reading.

Everything runs in processes of its own on a database in a temporary folder, through the same code as `manage.py import` and
the pages.
"""

from __future__ import annotations

import argparse
import io
import os
import runpy
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.corpus import Corpus, draw, spread
from bench.measure import Times, in_own_process, megabytes, memory

GROUPS: Final = 200
READABLE: Final = 100
"""Every second group: half of the documents."""
OWN_SHARE_GOAL: Final = 25.0
"""Milliseconds at p95 of everything but the index, on the search page."""
READING_GOAL: Final = 300.0
"""Milliseconds on the server for a document of 1 MB."""


def main() -> None:
    """Import, then ask."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", choices=["full", "small"], default="small", help="a million passages, or a tenth")
    parser.add_argument("--limit", type=int, help="use at most this many passages")
    arguments = parser.parse_args()
    corpus = Corpus(arguments.corpus, arguments.limit)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        questions = in_own_process(_write, corpus, root / "in")
        passages, seconds, anonymous = in_own_process(_import, root)
        print(f"import: {passages} passages in {seconds:.1f} s: {passages / seconds:,.0f} a second (at least 3,000)")
        print(f"  peak memory {anonymous} MB (under 1,500); data folder {megabytes(root / 'data'):,.0f} MB")
        seconds = in_own_process(_import_again, root)
        print(f"the same import again, nothing changed: {seconds:.1f} s")
        total, index, queries, anonymous = in_own_process(_ask, root, questions)
        own = Times([one - other for one, other in zip(total.milliseconds, index.milliseconds, strict=True)])
        print(f"\nsearch page, {len(questions)} questions, milliseconds{'p50':>14}{'p95':>10}{'p99':>10}{'worst':>10}")
        for name, times in (("whole page", total), ("index", index), ("own share", own)):
            print(f"  {name:<34}{times.row()}")
        print(f"  database queries a page: {queries[0]} to {queries[1]}; memory {anonymous} MB (under 400)")
        _verdict("own share at p95", own.percentile(95), OWN_SHARE_GOAL)
        times, size = in_own_process(_read, root)
        print(f"\nreading page of a document of {size:,} bytes, milliseconds{times.row():>42}")
        _verdict("reading 1 MB", times.percentile(50), READING_GOAL)


def _verdict(what: str, value: float, goal: float) -> None:
    print(f"  {what}: {value:.1f} ms, goal {goal:.0f} ms: {'reached' if value <= goal else 'MISSED'}")


def _write(corpus: Corpus, folder: Path) -> list[str]:
    """The corpus as text files in a folder for each group, with its rules; gives the questions."""
    documents = list(corpus.documents())
    for number, group in enumerate(spread(len(documents), GROUPS)):
        path = folder / f"g{group}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(documents[number]))
    (folder / "fundstelle.toml").write_text(
        '[source]\nkind = "local"\n\n[[document]]\npath = "{group}/*"\nallowed = ["group:{group}"]\n'
    )
    _write_large(documents, folder / "g0" / "large.txt")
    return [query.text for query in draw(documents)]


def _write_large(documents: Sequence[Sequence[str]], path: Path) -> None:
    """A document of 1 MB."""
    texts: list[str] = []
    size = 0
    for document in documents:
        for text in document:
            texts.append(text)
            size += len(text.encode()) + 2
            if size >= 1_000_000:
                path.write_text("\n\n".join(texts))
                return


def _as_served(root: Path) -> None:
    """Django on the temporary folder, set up as gunicorn sets its workers up."""
    _set_up(root)
    runpy.run_path(str(Path(__file__).resolve().parent.parent / "gunicorn.conf.py"))["post_worker_init"](None)


def _set_up(root: Path) -> None:
    """Django on the temporary folder."""
    os.environ["FUNDSTELLE_DATA"] = str(root / "data")
    os.environ["DJANGO_SETTINGS_MODULE"] = "evidence.settings"
    import django

    django.setup()


def _import(root: Path) -> tuple[int, float, int]:
    """Passages, seconds and peak megabytes of the first import."""
    _set_up(root)
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from evidence.models import Group, Membership, Passage, Tenant

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    groups = Group.objects.bulk_create([Group(tenant=tenant, name=f"g{number}") for number in range(GROUPS)])
    member = Membership.objects.create(user=User.objects.create_user("reader"), tenant=tenant)
    member.groups.set(groups[:: GROUPS // READABLE])
    with _peak() as peak:
        seconds = _run_import(root)
    return Passage.objects.count(), seconds, peak[0]


def _import_again(root: Path) -> float:
    _set_up(root)
    return _run_import(root)


def _run_import(root: Path) -> float:
    from django.core.management import call_command

    start = time.perf_counter()
    call_command("import", str(root / "in"), source="laws", tenant="bench", verbosity=0, stdout=io.StringIO())
    return time.perf_counter() - start


def _ask(root: Path, questions: Sequence[str]) -> tuple[Times, Times, tuple[int, int], int]:
    """Whole pages, the index's part of them, the least and the most database queries, and memory at the end."""
    _as_served(root)
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from evidence.index.sqlite import SqliteEngine

    client = Client(headers={"host": "localhost", "accept-language": "de"})
    client.force_login(User.objects.get(), backend="django.contrib.auth.backends.ModelBackend")
    inside = _timed_calls(SqliteEngine)
    counts = []
    for question in questions[:40]:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/", {"q": question}).status_code == 200
        counts.append(len(captured))
    total, index = [], []
    for question in questions:
        inside.clear()
        start = time.perf_counter()
        client.get("/", {"q": question})
        total.append((time.perf_counter() - start) * 1000)
        index.append(sum(inside))
    return Times(total), Times(index), (min(counts), max(counts)), memory()


def _timed_calls(engine: type) -> list[float]:
    """Milliseconds of each call of `search` on this class from now on."""
    inside: list[float] = []
    search = engine.search  # type: ignore[attr-defined]

    def timed(*args: object, **kwargs: object) -> object:
        start = time.perf_counter()
        try:
            return search(*args, **kwargs)
        finally:
            inside.append((time.perf_counter() - start) * 1000)

    engine.search = timed  # type: ignore[attr-defined]
    return inside


def _read(root: Path) -> tuple[Times, int]:
    """The reading page of the large document, with a passage marked."""
    _as_served(root)
    from django.contrib.auth.models import User
    from django.test import Client

    from evidence.models import Document, Revision

    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(), backend="django.contrib.auth.backends.ModelBackend")
    document = Document.objects.select_related("current").get(external_id="g0/large")
    place = {"representation": str(document.current), "passage": "7", "q": "und"}
    times = []
    for _ in range(9):
        start = time.perf_counter()
        response = client.get(f"/documents/{document.public_id}/", place)
        times.append((time.perf_counter() - start) * 1000)
        assert response.status_code == 200
    return Times(times), Revision.objects.get(document=document).size


@contextmanager
def _peak() -> Iterator[list[int]]:
    """The most megabytes of memory, file-backed pages left out, seen every tenth of a second."""
    seen, stop = [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.1):
            seen[0] = max(seen[0], memory())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()


if __name__ == "__main__":
    main()
