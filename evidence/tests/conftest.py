"""Servers that places of folders are at. Questions to them are asked again at once. And no event loop but a test's own.

And a place for processes, from which those of tests are copied; and a clock that stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from django.utils import timezone

from evidence.sources.trees import elsewhere
from evidence.tests import databases, processes
from evidence.tests.buckets import Between, Bucket, s3_server
from evidence.tests.dav import dav_server
from evidence.tests.sftp import Server, sftp_server
from evidence.tests.shelves import OPEN, Place, at_sftp, at_webdav, in_bucket

HERE = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """After a browser test, Playwright's event loop counts as running in this thread, so that no other one could be begun.

    Around the whole test, fixtures included: Django keeps connections apart by whether a loop runs, and the transaction of a test
    must be the one that its fixtures write in. pytest asks this of every test, those of the browser too.
    """
    if not item.path.is_relative_to(HERE):
        return (yield)
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(running)


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No minute begins between two looks at a page that says when it was made."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[databases.Place]:
    """A place for processes with a tenant and a group, to be copied: no test changes it."""
    with databases.place(tmp_path_factory.mktemp("founded")) as place:
        for words in (
            ["migrate", "-v0"],
            ["createtenant", "lindenau", "--name", "Lindenau"],
            ["creategroup", "alle", "--tenant", "lindenau"],
        ):
            made = processes.run(place, "manage.py", *words)
            assert made.returncode == 0, made.err
        yield place


@pytest.fixture(scope="session")
def s3() -> Iterator[tuple[str, int]]:
    with s3_server() as running:
        yield running


@pytest.fixture
def between(s3: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> Iterator[Between]:
    """Stands before the S3 server."""
    monkeypatch.setattr(elsewhere, "PAUSES", (0.01, 0.01))
    with Between(s3) as running:
        yield running


@pytest.fixture
def bucket(between: Between, s3: tuple[str, int]) -> Place:
    """A folder in a bucket with rules by which all may read everything."""
    return opened(in_bucket(Bucket(s3), between))


@pytest.fixture
def sftp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serves the folder `sftp`."""
    monkeypatch.setattr(elsewhere, "PAUSES", (0.01, 0.01))
    (tmp_path / "sftp").mkdir()
    with sftp_server(tmp_path / "sftp") as running:
        yield running


@pytest.fixture
def shelf(tmp_path: Path, sftp: Server) -> Place:
    """A folder of the SFTP server with rules by which all may read everything."""
    return opened(at_sftp(tmp_path / "sftp", sftp))


@pytest.fixture
def webdav(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Between]:
    """Stands before a WebDAV server over the folder `webdav`."""
    monkeypatch.setattr(elsewhere, "PAUSES", (0.01, 0.01))
    (tmp_path / "webdav").mkdir()
    with dav_server(tmp_path / "webdav") as server, Between(server) as running:
        yield running


@pytest.fixture
def share(tmp_path: Path, webdav: Between) -> Place:
    """A folder of the WebDAV server with rules by which all may read everything."""
    return opened(at_webdav(tmp_path / "webdav", webdav))


def opened(place: Place) -> Place:
    place.write("fundstelle.toml", OPEN.encode())
    return place
