"""What a git repository holds, read object by object, and nothing taken on trust.

dulwich finds and unpacks objects; no git program runs, and no hook, filter or textconv. Before an object is unpacked its size is
looked up, and that of everything it is a difference to: a few packed bytes can stand for gigabytes. What was unpacked is compared
with its id, so that an equal id always means equal bytes. Whatever is missing, damaged or too large raises Refused.
"""

from __future__ import annotations

import hashlib
import mmap
import re
import traceback
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dulwich.object_store import DiskObjectStore
from dulwich.objects import Commit as GitCommit
from dulwich.objects import ObjectID, RawObjectID, ShaFile
from dulwich.pack import OFS_DELTA, REF_DELTA, Pack
from dulwich.repo import Repo

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.sources.git import faults

MAX_UNPACKED_BYTES: Final = 200_000_000
"""Of an object, and of each that it is a difference to: unpacking holds two of them in memory."""
MAX_NODE_BYTES: Final = 20_000_000
"""Of a commit or a folder: one with 300,000 names."""
MAX_CHAIN: Final = 5_000
"""Differences of differences of one object; git itself makes 50, and 4,095 at most."""

COMMIT: Final = 1
TREE: Final = 2
BLOB: Final = 3
_TAG: Final = 4
_NAMES: Final = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob"}
_KINDS: Final = {name: kind for kind, name in _NAMES.items()}
_MAX_BORROWED: Final = 5
"""How often stores borrow from stores that borrow; git itself follows no more."""
_NAMES_KEPT: Final = 300_000
"""In folders that were read before: a commit and the one before it have most of theirs in common."""
_FOLDER: Final = frozenset({b"40000", b"040000"})
_HEADER_BYTES: Final = 64
"""Enough for the type and size at the beginning of a loose object, and for the sizes at the beginning of a difference."""
_BEGINNING_BYTES: Final = 1_000
"""Packed bytes out of which at least these come: the codes of a block stand before it, and take up to some 300 bytes."""


Entry = tuple[bytes, bytes]
"""What a name in a folder stands for: mode, as it is written there, and id."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. when: seconds since 1970 at which it was made (not: written), as it says itself."""

    parents: Sequence[bytes]
    tree: bytes
    when: int


@dataclass(frozen=True, slots=True)
class Packed:
    """The beginning of an object in a pack. base: what it is a difference to, as the place in the pack or as an id."""

    kind: int
    size: int
    base: int | bytes | None
    start: int


@dataclass(slots=True, eq=False)
class _Pack:
    """A pack, its bytes as they are once one of them was asked for, and sizes by place, of what can be unpacked."""

    pack: Pack
    data: mmap.mmap | None = None
    sizes: dict[int, int] = field(default_factory=dict)


class Objects:
    """Objects of one repository by their ids (as bytes). Opened files are closed when this goes."""

    def __init__(self, repository: Repo) -> None:
        self.place = repository.controldir()
        self._stores = _with_alternates(repository.object_store)
        self._algorithm = repository.object_format.name
        self._oid_length = repository.object_format.oid_length
        self._entry = re.compile(rb"[0-7]+ [^\0/]+\0.{%d}" % self._oid_length, re.DOTALL)
        self._packs: list[_Pack] = []
        self._folders: dict[bytes, Set[bytes]] = {}
        self._names = 0
        self._open = ExitStack()
        self._open.callback(_close, repository)
        for store in self._stores:
            self._open.callback(_close, store)
        weakref.finalize(self, self._open.close)

    def commit(self, oid: bytes) -> Commit:
        """The commit with this id."""
        data = self._read(oid, COMMIT, MAX_NODE_BYTES)
        with _damage(oid):
            found = ShaFile.from_raw_string(COMMIT, data)
            assert isinstance(found, GitCommit)
            parents = tuple(dict.fromkeys(bytes.fromhex(parent.decode()) for parent in found.parents))
            return Commit(parents, bytes.fromhex(found.tree.decode()), int(found.commit_time))

    def folder(self, oid: bytes) -> Set[bytes]:
        """What stands in the folder with this id, each name as it is written there: most of two folders is the same."""
        known = self._folders.get(oid)
        if known is not None:
            return known
        data = self._read(oid, TREE, MAX_NODE_BYTES)
        found = self._entry.findall(data)
        if sum(map(len, found)) != len(data):
            raise _damaged(oid)
        entries = frozenset(found)
        if len(entries) != len(found):
            raise _name_twice()
        self._names += len(entries)
        if self._names > _NAMES_KEPT:
            self._folders, self._names = {}, len(entries)
        self._folders[oid] = entries
        return entries

    def shown(self, entries: Set[bytes]) -> Mapping[bytes, Entry]:
        """These names with what they stand for, hidden ones left out: those are never documents."""
        named: dict[bytes, Entry] = {}
        for entry in entries:
            mode, _, rest = entry.partition(b" ")
            name = rest[: -self._oid_length - 1]
            if name in named:
                raise _name_twice()
            if not name.startswith(b"."):
                named[name] = mode, rest[-self._oid_length :]
        return named

    def file(self, oid: bytes, limit: int) -> bytes:
        """The bytes of the file with this id, no more than `limit`."""
        return self._read(oid, BLOB, limit)

    def size(self, oid: bytes) -> int:
        """How many bytes the object with this id has, without unpacking it."""
        with _damage(oid):
            return self._size_at(self._find(oid))

    def _read(self, oid: bytes, kind: int, limit: int) -> bytes:
        with _damage(oid):
            place = self._find(oid)
            size = self._size_at(place)
            if size > limit:
                message = gettext_noop("The object %(id)s of the repository is longer than %(limit)d bytes.")
                raise Refused("git_object_too_large", message, id=oid.hex(), limit=limit)
            found, data = _loose(place, size) if isinstance(place, Path) else place[0].pack.get_raw(RawObjectID(oid))
            digest = hashlib.new(self._algorithm, b"%s %d\0" % (_NAMES[kind], len(data)))
            digest.update(data)
        if found != kind or digest.digest() != oid:
            raise _damaged(oid)
        return data

    def _size_at(self, place: tuple[_Pack, int] | Path) -> int:
        return _loose_size(place) if isinstance(place, Path) else self._packed_size(*place)

    def _find(self, oid: bytes) -> tuple[_Pack, int] | Path:
        """The pack and the place in it, or the file of its own, in which this object is."""
        return self._find_known(oid) or self._find_fresh(oid)

    def _find_known(self, oid: bytes) -> tuple[_Pack, int] | Path | None:
        for number, pack in enumerate(self._packs):
            offset = _offset(pack.pack, oid)
            if offset is not None:
                if number:  # the next object is most likely in the same pack
                    self._packs.insert(0, self._packs.pop(number))
                return pack, offset
        text = oid.hex()
        for store in self._stores:
            path = Path(store.path, text[:2], text[2:])
            if path.exists():
                return path
        return None

    def _find_fresh(self, oid: bytes) -> tuple[_Pack, int] | Path:
        """Look once more after reading anew which packs there are: git packs its objects now and then."""
        known = {id(pack.pack) for pack in self._packs}
        current = [pack for store in self._stores for pack in store.packs]
        if any(id(pack) not in known for pack in current):
            self._packs = [_Pack(pack) for pack in current]
            place = self._find_known(oid)
            if place is not None:
                return place
        message = gettext_noop("The repository lacks the object %(id)s. Its history is not complete.")
        raise Refused("git_object_missing", message, id=oid.hex())

    def _packed_size(self, pack: _Pack, offset: int) -> int:
        """The size of the object at this place, or that of something larger that unpacking it would take."""
        data = self._bytes_of(pack)
        passed: dict[int, int] = {}
        place: int | None = offset
        while place is not None and place not in pack.sizes:
            if place in passed or len(passed) > MAX_CHAIN:
                raise ValueError("differences without an end")
            entry = packed(data, place, self._oid_length)
            passed[place] = entry.size if entry.base is None else difference_size(data, entry)
            if (largest := max(entry.size, passed[place])) > MAX_UNPACKED_BYTES:
                return largest
            base = entry.base
            place = pack.pack.index.object_offset(RawObjectID(base)) if isinstance(base, bytes) else base
        pack.sizes.update(passed)
        return pack.sizes[offset]

    def _bytes_of(self, pack: _Pack) -> mmap.mmap:
        if pack.data is None:
            with Path(pack.pack.data.path).open("rb") as stream:
                pack.data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            self._open.callback(_close, pack.data)
        return pack.data


def file_id(entry: Entry | None) -> bytes | None:
    """The id of a file's bytes; None for what is no file."""
    return entry[1] if entry is not None and entry[0].startswith(b"100") and len(entry[0]) == 6 else None


def folder_id(entry: Entry | None) -> bytes | None:
    """The id of a folder; None for what is none."""
    return entry[1] if entry is not None and entry[0] in _FOLDER else None


def is_module(entry: Entry) -> bool:
    """Whether this is a commit of another repository."""
    return entry[0] == b"160000"


def packed(data: bytes | mmap.mmap, offset: int, oid_length: int) -> Packed:
    """What stands at this place of a pack. Raises IndexError or ValueError where nothing does."""
    byte = data[offset]
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    place = offset + 1
    while byte & 0x80:
        byte = data[place]
        size |= (byte & 0x7F) << shift
        shift += 7
        place += 1
    if kind in _NAMES or kind == _TAG:
        return Packed(kind, size, None, place)
    if kind == REF_DELTA:
        return Packed(kind, size, bytes(data[place : place + oid_length]), place + oid_length)
    if kind != OFS_DELTA:
        raise ValueError("no object of a kind that there is")
    byte = data[place]
    back = byte & 0x7F
    place += 1
    while byte & 0x80:
        byte = data[place]
        back = (back + 1) << 7 | byte & 0x7F
        place += 1
    if not 0 < back < offset:
        raise ValueError("a difference to nothing")
    return Packed(kind, size, offset - back, place)


def difference_size(data: bytes | mmap.mmap, entry: Packed) -> int:
    """How long what this difference makes is, as it says itself."""
    head = zlib.decompressobj().decompress(data[entry.start : entry.start + _BEGINNING_BYTES], 32)
    _, place = _number(head, 0)
    return _number(head, place)[0]


def opened(place: Path) -> Repo:
    """The repository at this place, bare or with its files. Raises Refused."""
    with refusing_unreadable():
        return Repo(place)


@contextmanager
def refusing_unreadable() -> Iterator[None]:
    """Raise Refused for a repository that can't be opened."""
    try:
        yield
    except (EvidenceError, OSError):
        raise
    except Exception as error:  # what is wrong in a configuration raises errors of many kinds
        raise faults.no_repository() from error


def _with_alternates(store: DiskObjectStore) -> Sequence[DiskObjectStore]:
    """This store and those that it borrows from, each once."""
    stores = {store.path: store}
    for _ in range(_MAX_BORROWED):
        borrowed = [other for one in stores.values() for other in one.alternates if isinstance(other, DiskObjectStore)]
        if all(other.path in stores for other in borrowed):
            break
        stores = {**{other.path: other for other in borrowed}, **stores}
    return list(stores.values())


def _close(opened_one: Repo | DiskObjectStore | mmap.mmap) -> None:
    with suppress(BufferError):  # somebody holds a part of it; it is closed with that
        opened_one.close()


def _offset(pack: Pack, oid: bytes) -> int | None:
    try:
        return pack.index.object_offset(RawObjectID(oid))
    except KeyError:
        return None


def _loose_size(path: Path) -> int:
    with path.open("rb") as stream:
        return _loose_head(zlib.decompressobj().decompress(stream.read(_BEGINNING_BYTES), _HEADER_BYTES))[1]


def _loose(path: Path, size: int) -> tuple[int, bytes]:
    """Kind and content of an object in a file of its own."""
    with path.open("rb") as stream:
        packed_bytes = stream.read(2 * size + 1000)  # zlib makes nothing longer than that
    data = zlib.decompressobj().decompress(packed_bytes, size + _HEADER_BYTES)
    kind, said = _loose_head(data)
    content = data.partition(b"\0")[2]
    if not len(content) == said == size:
        raise ValueError("not as long as it says")
    return kind, content


def _loose_head(data: bytes) -> tuple[int, int]:
    name, _, rest = data.partition(b" ")
    return _KINDS[name], int(rest.partition(b"\0")[0])


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place after it."""
    number = shift = 0
    while True:
        byte = data[place]
        number |= (byte & 0x7F) << shift
        shift += 7
        place += 1
        if not byte & 0x80:
            return number, place


@contextmanager
def _damage(oid: bytes) -> Iterator[None]:
    """Raise Refused for whatever goes wrong with this object: damaged packs raise errors of a dozen kinds."""
    try:
        yield
    except (EvidenceError, OSError):
        raise
    except Exception as error:
        traceback.clear_frames(error.__traceback__)  # they hold parts of files that could not be closed
        raise _damaged(oid) from error


def _name_twice() -> Refused:
    return Refused("git_name_twice", gettext_noop("A folder of the repository holds one name twice. It is damaged."))


def _damaged(oid: bytes) -> Refused:
    message = gettext_noop("The object %(id)s of the repository can't be read: it is damaged.")
    return Refused("git_damaged", message, id=oid.hex())


def object_id(text: bytes) -> ObjectID:
    """An id as dulwich writes it."""
    return ObjectID(text.hex().encode())
