"""The history of a branch as documents: which file of today is which file of yesterday, and in which commits its bytes changed.

One walk through all commits, parents before children, finds for each commit which document each of its files is. What it finds
for a commit depends on nothing but that commit and those before it. So every clone gives the same ids, and a commit that is added
changes none of those before it.

- A document gets its id with its first file: the path without its ending; with it, where that is taken; with the commit, where
  that is taken too. An id is taken for good: a file that comes to an old path later is another document.
- A renamed file stays the same document (`renames` says what was renamed). A copy is a new document.
- A deleted file that comes back to its path with the bytes it had last is the same document again; with others it is a new one.
- A merge takes each file, and with it the document, from the first parent in which it is the same; as `git log` does, the
  history of that parent is then the history of the file. What differs from every parent has the histories of all. Of two files
  that are the same document in different parents, that of the first parent stays it.

A state is the bytes of a document since the commit that wrote them. Renaming a file alone writes none (its quotes are as true
as before), unless its ending changes: then it is read in another way.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, Protocol

from evidence.errors import Refused, gettext_noop
from evidence.sources.git.objects import Commit, Entry, file_id, folder_id
from evidence.sources.git.renames import MAX_COMPARED_BYTES, Changes, Effort, moves
from evidence.sources.patterns import known_parts
from evidence.sources.trees import composed

MAX_COMMITS: Final = 300_000
"""Of a history: some minutes, and a gigabyte of memory."""
MAX_FILES: Final = 200_000
"""In one commit."""
MAX_DEPTH: Final = 200
"""Folders in folders; a path of 1,000 characters has fewer that matter."""
SHORT: Final = 10
"""Digits of a commit's id that people see: enough to find it in all but the largest repositories."""


PATHS: Final = b""
"""In `touched`, stands for all paths."""
_NOTHING: Final[Set[bytes]] = frozenset()


class Objects(Protocol):
    """What a history is read from."""

    def commit(self, oid: bytes) -> Commit: ...
    def folder(self, oid: bytes) -> Set[bytes]: ...
    def shown(self, entries: Set[bytes]) -> Mapping[bytes, Entry]: ...
    def file(self, oid: bytes, limit: int) -> bytes: ...
    def size(self, oid: bytes) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The bytes of a document since one commit. path: of the file in that commit. before: the states that it came from."""

    commit: bytes
    when: int
    path: bytes
    blob: bytes
    before: tuple[State, ...] = field(repr=False, default=())


@dataclass(frozen=True, slots=True)
class File:
    """A file of a commit: the document that it is, and its state."""

    id: str
    state: State


@dataclass(frozen=True, slots=True)
class Made:
    """What one commit changed: all that the history of documents takes of it. changed: against its first parent.

    moved: new path -> old path.
    """

    parents: Sequence[bytes]
    when: int
    changed: Mapping[bytes, bytes | None]
    moved: Mapping[bytes, bytes]


class Kept(Protocol):
    """Where what was read of commits is kept for the next run."""

    def get(self, oid: bytes) -> Made | None: ...
    def put(self, oid: bytes, made: Made) -> None: ...


@dataclass(frozen=True, slots=True)
class History:
    """What a branch holds now. files: by path. commits: all that led to it.

    touched: path -> when the branch last got other bytes at it; PATHS -> when it last got or lost a path. touched_before: the
    same for an earlier commit that was named, None where that is none of those that led here.
    """

    files: Mapping[bytes, File]
    commits: Set[bytes]
    touched: Mapping[bytes, int]
    touched_before: Mapping[bytes, int] | None


def read(objects: Objects, head: bytes, kept: Kept, *, watched: Collection[bytes] = (), since: bytes | None = None) -> History:
    """The history of this commit. watched: paths of which `touched` tells. since: an earlier commit. Raises Refused."""
    before: Mapping[bytes, int] | None = None
    commits = _Commits(objects, kept)
    order, children = _in_order(commits, head)
    done: dict[bytes, _Snapshot] = {}
    for oid in order:
        made = commits.made(oid)
        parents = [done[parent] for parent in made.parents]
        snapshot = _begun(parents, own=bool(parents) and children[made.parents[0]] == 1)
        snapshot.advance(oid, made, parents[1:], watched)
        if oid == since:
            before = dict(snapshot.touched)
        for parent in made.parents:
            children[parent] -= 1
            if not children[parent]:
                del done[parent]
        done[oid] = snapshot
    return History(done[head].files, frozenset(order), done[head].touched, before)


def states(state: State) -> Sequence[State]:
    """This state and those before it, the oldest first: each after those that it came from, else by time."""
    after: dict[State, list[State]] = {state: []}
    todo = [state]
    while todo:
        later = todo.pop()
        for earlier in later.before:
            if earlier not in after:
                after[earlier] = []
                todo.append(earlier)
            after[earlier].append(later)
    waits = Counter(later for some in after.values() for later in some)
    ready = [_by_time(one) for one in after if not waits[one]]
    heapq.heapify(ready)
    ordered: list[State] = []
    while ready:
        one = heapq.heappop(ready)[2]
        ordered.append(one)
        for later in after[one]:
            waits[later] -= 1
            if not waits[later]:
                heapq.heappush(ready, _by_time(later))
    return ordered


def files_of(objects: Objects, tree: bytes) -> Iterator[tuple[bytes, Entry]]:
    """Everything in this folder and those below that is not a folder, by path, without what is hidden."""
    todo, found, folders = [(b"", tree)], 0, 0
    while todo:
        prefix, oid = todo.pop()
        folders += 1
        for name, entry in objects.shown(objects.folder(oid)).items():
            folder = folder_id(entry)
            if folder is not None:
                todo.append((_inside(prefix + name), folder))
                continue
            found += 1
            yield prefix + name, entry
        if found > MAX_FILES or folders > MAX_FILES:
            raise _too_many_files()


def text_of(path: bytes) -> str:
    """The path as text: NFC, since some systems write decomposed names. What is no UTF-8 becomes surrogates."""
    return composed(path.decode("utf-8", "surrogateescape"))


def ending(path: bytes) -> str:
    """The ending of the file's name, as formats name it."""
    return PurePosixPath(text_of(path)).suffix.lower()


def _by_time(state: State) -> tuple[int, bytes, State]:
    return state.when, state.commit, state


class _Commits:
    """What each commit made, read from the repository or from what is kept."""

    def __init__(self, objects: Objects, kept: Kept) -> None:
        self._objects = objects
        self._kept = kept
        self._made: dict[bytes, Made] = {}
        self._read: dict[bytes, Commit] = {}
        self._effort = Effort()

    def parents(self, oid: bytes) -> Sequence[bytes]:
        made = self._kept.get(oid)
        if made is not None:
            self._made[oid] = made
            return made.parents
        self._read[oid] = self._objects.commit(oid)
        return self._read[oid].parents

    def made(self, oid: bytes) -> Made:
        """Asked once for each commit, after its parents."""
        if oid in self._made:
            return self._made.pop(oid)
        commit = self._read[oid]
        changes = [_changes(self._objects, self._tree(parent), commit.tree) for parent in commit.parents]
        first = changes[0] if changes else _changes(self._objects, None, commit.tree)
        changed = {path: new for path, (_, new) in first.items()}
        made = Made(commit.parents, commit.when, changed, self._moved(first, changes[1:]))
        self._kept.put(oid, made)
        return made

    def _moved(self, changes: Changes, others: Sequence[Changes]) -> Mapping[bytes, bytes]:
        """What was renamed in a commit itself: what a merge has from one of its parents was not."""
        asked = {path: pair for path, pair in changes.items() if pair[1] is None or all(path in other for other in others)}
        return moves(asked, self._objects.size, self._content, self._effort) if any(new for _, new in asked.values()) else {}

    def _tree(self, oid: bytes) -> bytes:
        known = self._read.get(oid)
        return known.tree if known else self._objects.commit(oid).tree

    def _content(self, oid: bytes) -> bytes:
        return self._objects.file(oid, MAX_COMPARED_BYTES)


def _in_order(commits: _Commits, head: bytes) -> tuple[Sequence[bytes], Counter[bytes]]:
    """All commits, parents before children, and how many children each has."""
    parents: dict[bytes, Sequence[bytes]] = {head: commits.parents(head)}
    children: Counter[bytes] = Counter()
    order: list[bytes] = []
    path = [(head, iter(parents[head]))]
    children.update(parents[head])
    while path:
        oid, left = path[-1]
        parent = next(left, None)
        if parent is None:
            order.append(oid)
            path.pop()
        elif parent not in parents:
            if len(parents) >= MAX_COMMITS:
                message = gettext_noop("The history holds more than %(limit)d commits.")
                raise Refused("git_too_many_commits", message, limit=MAX_COMMITS)
            parents[parent] = commits.parents(parent)
            children.update(parents[parent])
            path.append((parent, iter(parents[parent])))
    return order, children


def _begun(parents: Sequence[_Snapshot], *, own: bool) -> _Snapshot:
    """What the first parent left; itself, where nobody else needs it."""
    if not parents:
        return _Snapshot()
    return parents[0] if own else parents[0].copy()


@dataclass(slots=True)
class _Snapshot:
    """The documents of one commit.

    files: those that are there. ids: every id ever given -> where that document is, None once it is gone. gone: path -> what was
    deleted there last.
    """

    files: dict[bytes, File] = field(default_factory=dict)
    ids: dict[str, bytes | None] = field(default_factory=dict)
    gone: dict[bytes, File] = field(default_factory=dict)
    touched: dict[bytes, int] = field(default_factory=dict)

    def copy(self) -> _Snapshot:
        return _Snapshot(dict(self.files), dict(self.ids), dict(self.gone), dict(self.touched))

    def advance(self, commit: bytes, made: Made, others: Sequence[_Snapshot], watched: Collection[bytes]) -> None:
        """From the first parent's to this commit's. others: of its other parents."""
        self.touched.update((path, made.when) for path in watched if path in made.changed)
        if any((path in self.files) is (new is None) for path, new in made.changed.items()):
            self.touched[PATHS] = made.when
        left = {path: self.files.pop(path) for path in made.changed if path in self.files}
        self.ids.update((file.id, None) for file in left.values())
        for other in others:
            self.ids = {**dict.fromkeys(other.ids), **self.ids}
            self.gone = {**other.gone, **self.gone}
        step = _Step(self, commit, made, left, others)
        new = {path: blob for path, blob in sorted(made.changed.items()) if blob is not None}
        for take in (step.unchanged, step.moved, step.edited, step.merged):
            new = {path: blob for path, blob in new.items() if not take(path, blob)}
        for path, file in left.items():
            if self.ids[file.id] is None:
                self.gone[path] = file
        for other in others:
            self.gone.update((path, file) for path, file in other.files.items() if self.ids[file.id] is None)
        for path, blob in new.items():
            step.added(path, blob)
        if len(self.files) > MAX_FILES:
            raise _too_many_files()


@dataclass(slots=True)
class _Step:
    """What becomes of the changed paths of one commit, each asked in turn. left: what stood there in the first parent."""

    now: _Snapshot
    commit: bytes
    made: Made
    left: Mapping[bytes, File]
    others: Sequence[_Snapshot]

    def unchanged(self, path: bytes, blob: bytes) -> bool:
        """As another parent has it."""
        for other in self.others:
            file = other.files.get(path)
            if file is not None and file.state.blob == blob and self._claim(file.id, path):
                self.now.files[path] = file
                return True
        return False

    def moved(self, path: bytes, blob: bytes) -> bool:
        """Renamed in this commit."""
        old = self.made.moved.get(path)
        return old is not None and self._continued(self.left.get(old), path, blob)

    def edited(self, path: bytes, blob: bytes) -> bool:
        """Edited where it was."""
        return self._continued(self.left.get(path), path, blob)

    def merged(self, path: bytes, blob: bytes) -> bool:
        """Edited where another parent has it."""
        return any(self._continued(other.files.get(path), path, blob) for other in self.others)

    def added(self, path: bytes, blob: bytes) -> None:
        """Put back as it was, or new."""
        file = self.now.gone.get(path)
        if file is None or file.state.blob != blob or not self._claim(file.id, path):
            file = File(self._new_id(path), State(self.commit, self.made.when, path, blob))
            self._claim(file.id, path)
        self.now.files[path] = file

    def _continued(self, file: File | None, path: bytes, blob: bytes) -> bool:
        if file is None or not self._claim(file.id, path):
            return False
        state = file.state
        if state.blob != blob or ending(state.path) != ending(path):
            state = State(self.commit, self.made.when, path, blob, self._before(file))
        self.now.files[path] = File(file.id, state)
        return True

    def _before(self, file: File) -> tuple[State, ...]:
        """The states of this document in all parents."""
        found = [one.state for one in self.left.values() if one.id == file.id] if self.others else []
        for other in self.others:
            place = other.ids.get(file.id)
            if place is not None:
                found.append(other.files[place].state)
        return tuple(dict.fromkeys([*found, file.state]))

    def _claim(self, document: str, path: bytes) -> bool:
        """Let this document be at this path, unless it is somewhere already."""
        if self.now.ids.get(document) is not None:
            return False
        self.now.ids[document] = path
        return True

    def _new_id(self, path: bytes) -> str:
        text = text_of(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        commit = self.commit.hex()
        ids = (known_parts(text)["path"], text, f"{text}@{commit[:SHORT]}")
        return next((one for one in ids if one not in self.now.ids), f"{text}@{commit}")


def _changes(objects: Objects, old: bytes | None, new: bytes) -> Changes:
    """What differs between two folders."""
    changed: dict[bytes, tuple[bytes | None, bytes | None]] = {}
    todo: list[tuple[bytes, bytes | None, bytes | None]] = [(b"", old, new)] if old != new else []
    folders = 0
    while todo:
        prefix, first, second = todo.pop()
        folders += 1
        entries = objects.folder(first) if first else _NOTHING
        entries_now = objects.folder(second) if second else _NOTHING
        before, after = objects.shown(entries - entries_now), objects.shown(entries_now - entries)
        for name in before.keys() | after.keys():
            path, one, other = prefix + name, before.get(name), after.get(name)
            file, file_now = file_id(one), file_id(other)
            if file != file_now:
                changed[path] = file, file_now
            folder, folder_now = folder_id(one), folder_id(other)
            if folder != folder_now:
                todo.append((_inside(path), folder, folder_now))
        if len(changed) > 2 * MAX_FILES or folders > 2 * MAX_FILES:
            raise _too_many_files()
    return changed


def _inside(folder: bytes) -> bytes:
    """How paths in this folder begin."""
    if folder.count(b"/") >= MAX_DEPTH:
        message = gettext_noop("The repository holds more than %(limit)d folders in one another.")
        raise Refused("git_too_deep", message, limit=MAX_DEPTH)
    return folder + b"/"


def _too_many_files() -> Refused:
    message = gettext_noop("A commit of the repository holds more than %(limit)d files.")
    return Refused("git_too_many_files", message, limit=MAX_FILES)
