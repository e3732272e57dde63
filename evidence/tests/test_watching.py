"""What the watch of a folder owes: a change that it was told once is not forgotten."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.db import OperationalError

from evidence import syncing, watching
from evidence.models import Source, SourceKind
from evidence.tests import builders
from evidence.tests.builders import write


@pytest.mark.django_db
def test_a_watch_that_could_not_ask_for_its_first_run_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changed before it began is seen by that run alone."""
    told: list[int] = []
    source = Source.objects.create(
        tenant=builders.tenant(), name="handbuch", watched=True, kind=SourceKind.FOLDER, location=str(tmp_path)
    )

    def changed(source: int) -> bool:
        told.append(source)
        if len(told) == 1:
            raise OperationalError("database is locked")
        return True

    monkeypatch.setattr(syncing, "changed", changed)
    watched: dict[watching._Place, watching._Watch | None] = {}
    for expected in (0, 1, 1):
        watching._bring_in_line(watched)
        assert len(watched) == expected
    for watch in watched.values():
        if watch is not None:
            watch.stop()
    assert told == [source.pk, source.pk]


def test_a_change_is_told_again_until_the_database_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole of it is tried by the drill `locked`; here the database is one that refuses twice."""
    told: list[int] = []

    def changed(source: int) -> bool:
        told.append(source)
        if len(told) < 3:
            raise OperationalError("database is locked")
        return True

    monkeypatch.setattr(watching, "LOOKED_EVERY", 0.05)
    monkeypatch.setattr(syncing, "changed", changed)
    watch = watching._Watch(watching._Place(7, tmp_path, ()))
    until = time.monotonic() + 20
    while len(told) < 3 and time.monotonic() < until:
        write(tmp_path, {"a.txt": str(time.monotonic())})
        time.sleep(0.5)
    watch.stop()
    assert told[:3] == [7, 7, 7]
