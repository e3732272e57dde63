"""Places for folders in tests: the same few things can be done wherever they lie."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import fsspec

from evidence.sources import Listing, Origin
from evidence.sources.folder import Folder, RulesFile, at
from evidence.sources.trees import Enter, Fetched, Found, Unseen, composed
from evidence.sources.trees.listed import Entry, walk
from evidence.tests.buckets import Between, Bucket
from evidence.tests.sftp import Server

OPEN = '[[document]]\npath = "**"\nallowed = ["group:all"]\n'
KEYS = {"key": "k", "secret": "s", "region": "eu-central-1"}
NOTHING_SAID: Mapping[str, str] = {}


@dataclass
class Place:
    """Somewhere a folder can be. options: what the operator says of it."""

    write: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    location: str
    options: Mapping[str, str] = field(default_factory=dict)

    def folder(self, *, rules: str = "", **options: str) -> Folder:
        return folder(self.location, {**self.options, **options}, rules=rules)


def folder(location: str, options: Mapping[str, str] = NOTHING_SAID, *, rules: str = "") -> Folder:
    """The folder at this path or address."""
    return at(Origin(location, rules, (".md", ".txt"), options, Path("/nonexistent")))


def reasons(found: Listing) -> dict[str, str]:
    """Why which path was refused."""
    return {refusal.path: refusal.error.code for refusal in found.refusals}


def local(root: Path) -> Place:
    """On this machine."""

    def write(path: str, data: bytes) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)

    return Place(write, lambda path: (root / path).unlink(), str(root))


def in_bucket(bucket: Bucket, between: Between, prefix: str = "docs/") -> Place:
    """Below a prefix of a bucket, asked through what stands before the server."""
    return Place(
        lambda path, data: bucket.write(prefix + path, data),
        lambda path: bucket.remove(prefix + path),
        f"s3://{bucket.name}/{prefix}",
        {**KEYS, "endpoint_url": between.url},
    )


def at_sftp(root: Path, server: Server) -> Place:
    """In a folder of an SFTP server over this root."""
    inside = local(root / "docs")
    return Place(inside.write, inside.remove, f"sftp://127.0.0.1:{server.port}/docs", server.options())


def at_webdav(root: Path, between: Between) -> Place:
    """In a folder of a WebDAV server over this root."""
    inside = local(root / "docs")
    return Place(inside.write, inside.remove, f"{between.url}/docs")


class InMemory(Place):
    """In fsspec's file system in memory: for tests only, and no address of the product."""

    def __init__(self) -> None:
        files, root = fsspec.filesystem("memory"), f"/{uuid4().hex}"
        super().__init__(
            lambda path, data: files.pipe_file(f"{root}/{path}", data), lambda path: files.rm(f"{root}/{path}"), root
        )

    def folder(self, *, rules: str = "", **options: str) -> Folder:
        tree = MemoryTree(self.location)
        return Folder(tree, RulesFile(tree, "fundstelle.toml"), (".md", ".txt"))


class MemoryTree:
    """Implements `Tree` over fsspec's file system in memory: a place that lists folder by folder and cannot fail."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._files = fsspec.filesystem("memory", skip_instance_cache=True)

    def walk(self, enter: Enter) -> Iterator[Found | Unseen]:
        yield from walk(self._entries, self._root, enter)

    def fetch(self, path: str, limit: int) -> Fetched | None:
        try:
            return Fetched(self._files.cat_file(f"{self._root}/{path}")[:limit], None)
        except FileNotFoundError:
            return None

    def gone(self, paths: Collection[str]) -> Collection[str]:
        return ()

    def _entries(self, folder: str) -> Sequence[Entry]:
        at = f"{self._root}/{folder}" if folder else self._root
        return [self._entry(folder, one) for one in self._files.ls(at, detail=True)]

    def _entry(self, folder: str, one: Mapping[str, Any]) -> Entry:
        name = one["name"].rpartition("/")[2]
        path = composed(f"{folder}/{name}" if folder else name)
        read = partial(self._files.cat_file, one["name"])
        return Entry(name, None if one["type"] == "directory" else Found(path, read))
