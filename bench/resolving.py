"""Measure resolving: `python -m bench.resolving`. Anchors a second through the REST API, one by one and in batches.

Documents of three sizes, on one core, with the token checked at each call; the search in the text, which grows with the
document, is shown apart from everything else, which must not. Nothing goes over a network: the calls end at WSGI.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.measure import Times, in_own_process

SIZES: Final = {"10 kB": 10_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
ANCHORS: Final = 1_000
DOCUMENTS: Final = {"10 kB": 100, "1 MB": 10, "10 MB": 1}
"""The anchors are spread over so many documents of each size."""
ONE_BY_ONE: Final = {"10 kB": 1_000, "1 MB": 100, "10 MB": 20}
"""Calls that are timed: each reads the text once."""
BATCH: Final = 500
BATCH_GOAL: Final = 300.0
ONE_BY_ONE_GOAL: Final = 100.0


def main() -> None:
    """Import, cite, resolve."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{'resolving':<10}{'in batches/s':>14}{'one by one/s':>14}{'p50 ms':>10}{'p95':>10}{'p99':>10}{'worst':>10}", end="")
    print(f"{'text ms':>10}{'queries':>9}", flush=True)
    for name, size in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            in_own_process(_prepare, Path(folder), size, DOCUMENTS[name])
            batches, times, text, queries = in_own_process(_resolve, Path(folder), ONE_BY_ONE[name])
        single = 1000 * len(times.milliseconds) / sum(times.milliseconds)
        print(f"{name:<10}{batches:>14.0f}{single:>14.0f}{times.row()}{text:>10.2f}{queries:>9}", flush=True)
        if name == "10 kB":
            reached = {"in batches": batches >= BATCH_GOAL, "one by one": single >= ONE_BY_ONE_GOAL}
    for what, is_reached in reached.items():
        print(f"{'reached' if is_reached else 'MISSED':<9}documents of 10 kB, {what}")


def _set_up(root: Path) -> None:
    """Django on the temporary folder, without a limit of calls."""
    os.environ["FUNDSTELLE_DATA"] = str(root / "data")
    os.environ["FUNDSTELLE_API_CALLS_PER_MINUTE"] = "1000000"
    os.environ["DJANGO_SETTINGS_MODULE"] = "evidence.settings"
    import django

    django.setup()


def _prepare(root: Path, size: int, documents: int) -> None:
    """Documents of this size, a person, a token, and an anchor for each of a thousand passages."""
    _set_up(root)
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from evidence import citations, identity
    from evidence.citations import Place
    from evidence.models import Document, Group, Membership, Passage, Tenant

    call_command("migrate", verbosity=0)
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    member = Membership.objects.create(user=User.objects.create_user("reader"), tenant=tenant)
    member.groups.set([Group.objects.create(tenant=tenant, name="all")])
    _write(root / "in", size, documents)
    call_command("import", str(root / "in"), source="laws", tenant="bench", verbosity=0, stdout=io.StringIO())
    access = identity.for_user(member.user)
    places = []
    for row in Document.objects.select_related("current"):
        assert row.current is not None
        passages = list(Passage.objects.filter(representation=row.current).order_by("number").values_list("start", "end"))
        chosen = passages[:: max(len(passages) * documents // ANCHORS, 1)]
        places += [Place(row.public_id, row.current.public_id, start, end) for start, end in chosen]
    repeated = (places * (ANCHORS // len(places) + 1))[:ANCHORS]
    anchors = [anchor.to_dict() for anchor in citations.anchors(access, repeated) if anchor]
    (root / "anchors.json").write_text(json.dumps(anchors))
    secret = io.StringIO()
    call_command("createtoken", "reader", tenant="bench", name="bench", stdout=secret, stderr=io.StringIO())
    (root / "token").write_text(secret.getvalue().strip())


def _write(folder: Path, size: int, documents: int) -> None:
    """Texts of paragraphs of about 200 bytes, all of them different."""
    folder.mkdir()
    for number in range(documents):
        paragraphs = size // 202
        texts = [f"Absatz {n} von {number}: " + f"Die Frist {n * 7919 % 10007} läuft ab Zugang. " * 4 for n in range(paragraphs)]
        (folder / f"{number}.txt").write_text("\n\n".join(text[:198] for text in texts))
    (folder / "fundstelle.toml").write_text('[source]\nkind = "local"\n\n[[document]]\npath = "**"\nallowed = ["group:all"]\n')


def _resolve(root: Path, calls: int) -> tuple[float, Times, float, int]:
    """Anchors a second in batches, times one by one, milliseconds of each that read and searched the text, queries of a call."""
    _set_up(root)
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from evidence import citations

    anchors: list[dict[str, Any]] = json.loads((root / "anchors.json").read_text())
    client = Client(headers={"host": "localhost", "authorization": f"Bearer {(root / 'token').read_text()}"})

    def send(body: object) -> dict[str, Any]:
        answer = client.post("/api/v1/resolve", json.dumps(body), content_type="application/json")
        assert answer.status_code == 200, answer.content
        return dict(answer.json())

    assert send(anchors[0])["state"] == "resolved"
    start = time.perf_counter()
    for first in range(0, len(anchors), BATCH):
        found = send({"anchors": anchors[first : first + BATCH]})["resolutions"]
        assert {one["state"] for one in found} == {"resolved"}
    batches = len(anchors) / (time.perf_counter() - start)
    with _time_in_text(citations) as spent:
        times = []
        for anchor in _in_turn(anchors, calls):
            start = time.perf_counter()
            send(anchor)
            times.append((time.perf_counter() - start) * 1000)
    with CaptureQueriesContext(connection) as captured:
        send(anchors[0])
    return batches, Times(times), spent[0] / calls, len(captured)


def _in_turn(anchors: Sequence[dict[str, Any]], calls: int) -> Iterator[dict[str, Any]]:
    """So many anchors, spread over all."""
    return (anchors[number * len(anchors) // calls] for number in range(calls))


@contextmanager
def _time_in_text(citations: Any) -> Iterator[list[float]]:
    """Milliseconds in reading texts and searching them, from now on."""
    spent = [0.0]
    names = ("text_of", "check")
    originals = {name: getattr(citations, name) for name in names}

    def timed(function: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args, **named)
            finally:
                spent[0] += (time.perf_counter() - start) * 1000

        return call

    for name in names:
        setattr(citations, name, timed(originals[name]))
    try:
        yield spent
    finally:
        for name in names:
            setattr(citations, name, originals[name])


if __name__ == "__main__":
    main()
