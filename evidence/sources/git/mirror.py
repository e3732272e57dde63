"""A repository somewhere else: its branch is fetched into a copy that is kept here, and read there.

What was received is measured before any of it is unpacked. What the origin takes out of its history goes from the copy too:
it is made anew when the branch no longer holds what it held.
"""

from __future__ import annotations

import fcntl
import mmap
import re
import shutil
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dulwich.client import FetchPackResult
from dulwich.objects import ObjectID
from dulwich.refs import Ref
from dulwich.repo import Repo

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.sources.git import faults
from evidence.sources.git.address import Address
from evidence.sources.git.line import Line, left, refuse_too_much
from evidence.sources.git.objects import difference_size, opened, packed

MAX_OBJECT_BYTES: Final = 500_000_000
"""Of one object of it, unpacked: dulwich holds two of them in memory. git itself calls this a big file."""
MAX_UNPACKED_BYTES: Final = 50_000_000_000
"""Of all objects that one run receives: some minutes of unpacking."""
MAX_PACKS: Final = 100
"""Runs that brought something, after which the copy is made anew: each left a file that every look-up asks."""

_ID: Final = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_HEAD: Final = Ref(b"HEAD")
_FETCHED: Final = Ref(b"refs/heads/fetched")
_PACK_HEADER: Final = 12
_PIECE: Final = 65_536
_INFLATED_PIECE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Mirror:
    """The copy of one branch. branch: its name, empty for the one that the repository itself names. folder: of this source."""

    address: Address
    branch: str
    options: Mapping[str, str] = field(repr=False)
    folder: Path

    def current(self, until: float) -> tuple[Repo, bytes]:
        """The copy, and what the branch holds at this moment. until: of `time.monotonic`.

        Raises Refused when the repository can't be reached, or not brought here in time.
        """
        head, form = self._asked(until)
        kept = self._kept(head)
        if kept is not None:
            return kept, head
        with self._alone(until):
            kept = self._kept(head)
            if kept is None:
                self._fetch(head, form, until)
                kept = self._kept(head)
        if kept is None:
            raise faults.unspoken()
        return kept, head

    def renewed(self, until: float) -> tuple[Repo, bytes]:
        """As `current`, with a copy that is made from the beginning."""
        head, form = self._asked(until)
        with self._alone(until):
            self._make(head, form, until)
        kept = self._kept(head)
        if kept is None:
            raise faults.unspoken()
        return kept, head

    def is_worn(self) -> bool:
        """Whether the copy is better made anew: it is in very many pieces, or somebody found it damaged."""
        return self._damaged.exists() or sum(1 for _ in (self._copy / "objects" / "pack").glob("*.pack")) > MAX_PACKS

    def note_damage(self) -> None:
        """Somebody found it damaged."""
        self._damaged.touch()

    def exists(self) -> bool:
        """Whether there is a copy."""
        return self._copy.exists()

    @property
    def _copy(self) -> Path:
        return self.folder / "mirror"

    @property
    def _damaged(self) -> Path:
        return self.folder / "damaged"

    @contextmanager
    def _alone(self, until: float) -> Iterator[None]:
        """Hold the lock of this copy: one process changes it at a time. It ends with the process."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "lock").open("w") as handle:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    left(until)
                    time.sleep(0.02)
            yield

    def _asked(self, until: float) -> tuple[bytes, str]:
        """What the branch holds, and how ids are made there."""
        with Line(self.address, self.options, until) as line:
            ref = branch_ref(self.branch)
            found = line.client.get_refs(line.path, ref_prefix=[ref])
            head = _named(found.refs.get(ref), self.branch)
            return bytes.fromhex(head.decode()), found.object_format or "sha1"

    def _kept(self, head: bytes) -> Repo | None:
        """The copy, if it is there and holds this commit, and so everything before it."""
        if not self._copy.exists():
            return None
        try:
            repository = opened(self._copy)
        except Refused:
            return None
        if _object_id(head) in repository.object_store:
            return repository
        repository.close()
        return None

    def _fetch(self, head: bytes, form: str, until: float) -> None:
        """Bring what is new. The caller holds the lock."""
        for left_behind in (self._copy / "objects" / "pack").glob("tmp*"):
            left_behind.unlink(missing_ok=True)
        try:
            with closing(opened(self._copy)) as repository:
                usable = repository.object_format.name == form
                if usable:
                    self._receive(repository, head, until)
        except Refused as error:
            if error.code != "git_not_a_repository":
                raise
            usable = False
        except FileNotFoundError:
            usable = False
        if not usable:
            self._make(head, form, until)

    def _make(self, head: bytes, form: str, until: float) -> None:
        """Bring everything. What is there already stays in use until the new copy is whole. The caller holds the lock."""
        fresh, old = self.folder / "mirror.new", self.folder / "mirror.old"
        for folder in (fresh, old):
            shutil.rmtree(folder, ignore_errors=True)
        with closing(Repo.init_bare(fresh, mkdir=True, object_format=form)) as repository:
            self._receive(repository, head, until)
        if self._copy.exists():
            self._copy.rename(old)
        fresh.rename(self._copy)
        self._damaged.unlink(missing_ok=True)
        shutil.rmtree(old, ignore_errors=True)

    def _receive(self, repository: Repo, head: bytes, until: float) -> None:
        """Add what is missing of this commit to a repository here."""
        stream, commit, abort = repository.object_store.add_pack()
        received = _Received(stream, until)
        try:
            with Line(self.address, self.options, until) as line:
                answer = line.client.fetch_pack(
                    line.path,
                    lambda refs, depth=None: [_object_id(head)],
                    repository.get_graph_walker(),
                    received.write,
                    ref_prefix=[branch_ref(self.branch)],
                )
            _refuse_shallow(answer)
            if received.length:
                stream.flush()
                with closing(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)) as data, _understanding():
                    measure(data, repository.object_format.oid_length)
        except BaseException:
            abort()
            raise
        with _understanding():
            commit()
        repository.refs[_FETCHED] = _object_id(head)


def branch_ref(branch: str) -> Ref:
    """What git calls this branch; the one that a repository names itself, where none is named."""
    return Ref(b"refs/heads/" + branch.encode()) if branch else _HEAD


def measure(data: bytes | mmap.mmap, oid_length: int) -> None:
    """Go through what was received without keeping any of it unpacked. Raises Refused when unpacking it takes too much.

    Raises other errors for what is no pack.
    """
    if data[:4] != b"PACK":
        raise ValueError("no pack")
    place, unpacked = _PACK_HEADER, 0
    for _ in range(int.from_bytes(data[8:_PACK_HEADER], "big")):
        entry = packed(data, place, oid_length)
        size = entry.size if entry.base is None else difference_size(data, entry)
        unpacked += size + entry.size
        if max(size, entry.size) > MAX_OBJECT_BYTES:
            message = gettext_noop("A file in the history is longer than %(limit)d bytes.")
            raise Refused("git_object_too_large", message, limit=MAX_OBJECT_BYTES)
        if unpacked > MAX_UNPACKED_BYTES:
            message = gettext_noop("All files in the history together are longer than %(limit)d bytes.")
            raise Refused("git_repository_too_large", message, limit=MAX_UNPACKED_BYTES)
        place = _end(data, entry.start, entry.size)


def _end(data: bytes | mmap.mmap, place: int, size: int) -> int:
    """Where what is packed here ends. It must be as long as it says."""
    inflate = zlib.decompressobj()
    length = 0
    while not inflate.eof:
        piece = data[place : place + _PIECE]
        if not piece:
            raise ValueError("cut short")
        place += len(piece)
        while piece and not inflate.eof:
            length += len(inflate.decompress(piece, _INFLATED_PIECE))
            piece = inflate.unconsumed_tail
            if length > size:
                raise ValueError("longer than it says")
    if length != size:
        raise ValueError("shorter than it says")
    return place - len(inflate.unused_data)


@dataclass(slots=True)
class _Received:
    """What a server sends of a repository, on its way into a file."""

    stream: Any
    until: float
    length: int = 0

    def write(self, data: bytes) -> int:
        left(self.until)
        self.length += len(data)
        refuse_too_much(self.length)
        return int(self.stream.write(data))


def _named(oid: ObjectID | None, branch: str) -> ObjectID:
    """What a branch holds, as the server says it."""
    if oid is None and branch:
        raise faults.no_branch(branch)
    if oid is None:
        raise faults.no_commits()
    if _ID.fullmatch(oid) is None:
        raise faults.unspoken()
    return oid


def _refuse_shallow(answer: FetchPackResult) -> None:
    if answer.new_shallow:
        raise faults.shallow()


@contextmanager
def _understanding() -> Iterator[None]:
    """Raise Refused for a pack that is none: what is wrong in one raises errors of a dozen kinds."""
    try:
        yield
    except (EvidenceError, OSError):
        raise
    except Exception as error:
        raise faults.unspoken() from error


def _object_id(oid: bytes) -> ObjectID:
    return ObjectID(oid.hex().encode())
