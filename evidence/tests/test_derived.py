"""Files made of originals: kept whole, limited together, gone with their original and never back after it."""

from __future__ import annotations

import errno
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest

from evidence import blobs, derived
from evidence.models import Document, Revision
from evidence.tests.builders import document, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def revision(tmp_path: Path) -> Revision:
    publish(tmp_path, {"a.txt": "Text."})
    state = document("a").current
    assert state is not None
    return state.revision


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("pages/*/*"))


def test_what_was_put_is_read_and_anything_else_is_none(revision: Revision) -> None:
    derived.put(revision, "1.png", b"picture")
    assert (derived.read(revision, "1.png"), derived.read(revision, "2.png")) == (b"picture", None)


def test_a_file_can_be_too_old(revision: Revision, data_folder: Path) -> None:
    derived.put(revision, "1.png", b"picture")
    (path,) = data_folder.glob("pages/*/*")
    os.utime(path, (time.time() - 100, time.time() - 100))
    assert derived.read(revision, "1.png", younger_than=timedelta(seconds=50)) is None
    assert derived.read(revision, "1.png", younger_than=timedelta(seconds=200)) == b"picture"


def test_nothing_is_kept_of_an_original_that_is_gone(revision: Revision, data_folder: Path) -> None:
    Document.objects.all().delete()
    derived.put(revision, "1.png", b"picture")
    assert files(data_folder) == []


def test_only_what_belongs_to_kept_originals_stays(revision: Revision, data_folder: Path) -> None:
    derived.put(revision, "1.png", b"picture")
    folder = data_folder / "pages" / revision.source_sha256
    (folder / f"{blobs.PART}x").write_bytes(b"part")
    (data_folder / "pages" / "other").mkdir()
    (data_folder / "pages" / "other" / "2.png").write_bytes(b"other")
    derived.keep_only({revision.source_sha256})
    assert files(data_folder) == ["1.png"]
    derived.keep_only(set())
    assert list((data_folder / "pages").iterdir()) == []


def test_the_oldest_go_when_all_are_too_much(revision: Revision, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "MAX_BYTES", 250)
    monkeypatch.setattr(derived, "LOOK_EVERY", 1)
    for number in range(4):
        derived.put(revision, f"{number}.png", b"x" * 100)
        path = data_folder / "pages" / revision.source_sha256 / f"{number}.png"
        os.utime(path, (number, number))
    derived.put(revision, "4.png", b"x" * 100)
    assert files(data_folder) == ["3.png", "4.png"]


def test_a_full_disk_hinders_nobody(revision: Revision, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(target: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(blobs, "write_whole", full)
    derived.put(revision, "1.png", b"picture")
    assert derived.read(revision, "1.png") is None
