"""A git repository as a source: the files of one branch, each with the states that its history tells.

The repository may lie on this machine or elsewhere (https, ssh); a `#branch` at the end of its location names the branch, else
it is the one that the repository itself names (its HEAD). Everything in a listing comes from one commit, the branch's head:
which files there are, and the rules file that says who may read them. An earlier state is read under today's rights, and has
today's metadata: what the rules say holds for the document. `date` and `version` of the rules are not used, because a state
has its day and its name from the commit that made it; `id` is, and else the id comes from the history (see `history`).

A day is that of the commit, in UTC: when it became part of the history, not when its author wrote it, which a rebase or a patch
by mail leaves long before. If history is rewritten, states get other names, and those that are kept here stay as they are;
ids stay where files first came under the same paths.

Refused with a reason, beside what every kind of source refuses: links, parts of the repository that are repositories of their
own, two paths that differ in nothing that is seen, and files that are kept outside (Git LFS).
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Final

from dulwich.refs import Ref, check_ref_format
from dulwich.repo import Repo

from evidence.errors import Refused, gettext_noop
from evidence.sources import Item, Listing, Origin, Rights
from evidence.sources.folder import RulesFile, Stated
from evidence.sources.gathering import Gathering, check_path, looks_at
from evidence.sources.git import faults, line
from evidence.sources.git.address import address, local_path
from evidence.sources.git.history import PATHS, SHORT, File, History, State, ending, files_of, read, states, text_of
from evidence.sources.git.kept import Kept, kept_in
from evidence.sources.git.mirror import Mirror, branch_ref
from evidence.sources.git.objects import Entry, Objects, file_id, is_module, opened, refusing_unreadable
from evidence.sources.patterns import MAX_PATH
from evidence.sources.rules import MAX_RULES_BYTES, RULES_FILE, Described, Rules, checked_text, parse, rules_too_large
from evidence.sources.states import refused_path
from evidence.sources.trees import MAX_FILE_BYTES, Entered, places, shown, too_large

LIST_SECONDS: Final = 1_800.0
"""For everything that a listing fetches: the first one fetches all of a repository."""
QUICK_SECONDS: Final = 1.0
"""For a question about rights, what has to be fetched for it included: a person waits for the answer."""
MAX_STATES: Final = 500
"""Of a document, the newest ones: more would be one for each working day of two years."""
MAX_STATES_BYTES: Final = 100_000_000
"""Of all of them together, the newest ones first: those of three documents are in memory at once."""

_LFS: Final = b"version https://git-lfs.github.com/spec/v1\n"
_LFS_BYTES: Final = 1_024
_RULES_PATH: Final = RULES_FILE.encode()
_DAMAGED: Final = frozenset({"git_damaged", "git_object_missing", "git_name_twice"})
_REMEMBERED: Final = 8
_REMEMBERED_ENTRIES: Final = 20_000
_parsed: Final = lru_cache(maxsize=8)(parse)


def at(origin: Origin) -> Repository:
    """The repository of this origin. Raises Refused for what can't be a place; whether it is there is seen when it is asked."""
    place, mark, branch = origin.location.rpartition("#")
    if not mark:
        place, branch = branch, ""
    elif not check_ref_format(Ref(b"refs/heads/" + branch.encode())):
        raise Refused("git_branch_name", gettext_noop("What stands after the # of the location is no name of a branch."))
    if not place:
        raise faults.malformed()
    elsewhere = address(place)
    places.check_options(origin.options, places.OPTIONS.union(line.OPTIONS))
    if elsewhere is None:
        return Repository(Local(local_path(place), branch), _rules_elsewhere(origin), origin.endings, origin.cache)
    return Repository(
        Mirror(elsewhere, branch, origin.options, origin.cache), _rules_elsewhere(origin), origin.endings, origin.cache
    )


@dataclass(frozen=True, slots=True)
class Local:
    """A repository on this machine. branch: empty for the one that is checked out, or that a bare one names."""

    path: Path
    branch: str

    def current(self, until: float) -> tuple[Repo, bytes]:
        """The repository, and what the branch holds at this moment. Raises Refused."""
        repository = opened(self.path)
        try:
            return repository, self._head(repository)
        except BaseException:
            repository.close()
            raise

    def _head(self, repository: Repo) -> bytes:
        with refusing_unreadable():
            try:
                return bytes.fromhex(repository.refs[branch_ref(self.branch)].decode())
            except KeyError:
                raise (faults.no_branch(self.branch) if self.branch else faults.no_commits()) from None


@dataclass(frozen=True, slots=True)
class Repository:
    """Implements `Source`. rules: a rules file that lies elsewhere. endings: of the formats that are read."""

    place: Local | Mirror
    rules: RulesFile | None
    endings: Collection[str]
    cache: Path

    def list(self) -> Listing:
        """The files of the branch's head, each with the states of its history, in an order that depends on nothing but names.

        A copy that is damaged, worn, or of a history that was rewritten since is made anew, and read again.
        """
        until = time.monotonic() + LIST_SECONDS
        mirror = self.place if isinstance(self.place, Mirror) and self.place.exists() else None
        with kept_in(self.cache) as kept:
            try:
                found = self._listed(self.place.current(until), kept)
                renew = not found.follows(kept.listed) or found.is_damaged()
            except Refused as error:
                if mirror is None or error.code not in _DAMAGED:
                    raise
                renew = True
            if mirror is not None and (renew or mirror.is_worn()):
                found = self._listed(mirror.renewed(until), kept)
            kept.finish(found.head)
        return found.listing

    def _listed(self, found: tuple[Repo, bytes], kept: Kept) -> _Listed:
        head = self._head(found)
        history = read(head.objects, head.oid, kept, watched=[_RULES_PATH], since=kept.listed)
        stated = self._stated(head)
        run = _Run(head, history, stated.rules, self.endings, partial(_bytes, head.objects, self.place))
        stamp = _stamp(stated.stamp, head.contents.digest)
        return _Listed(head.oid, history.commits, run.listing(stamp=stamp, stated_at=stated.at or _stated_at(history)))

    def stamp(self) -> str:
        """Names the rules file of the head and its files. A branch elsewhere is asked, and fetched if it has moved."""
        head = self._head(self.place.current(time.monotonic() + QUICK_SECONDS))
        stamp = head.contents.rules_stamp if self.rules is None else self.rules.stamp()
        return _stamp(stamp, head.contents.digest)

    def rights(self, paths: Collection[str]) -> Mapping[str, Rights]:
        """What the rules of the head say of each path that is a file there. A branch elsewhere is asked, as for `stamp`."""
        head = self._head(self.place.current(time.monotonic() + QUICK_SECONDS))
        rules = self._stated(head).rules
        entered = Entered(partial(looks_at, rules))
        there = (path for path in paths if path in head.contents.files and path != RULES_FILE and entered(path))
        return {path: rules.describe(path).rights for path in there}

    def _head(self, found: tuple[Repo, bytes]) -> _Head:
        repository, oid = found
        objects = Objects(repository)
        if repository.get_shallow():
            raise faults.shallow()
        return _Head(objects, oid, _contents(objects, objects.commit(oid).tree, frozenset(self.endings)))

    def _stated(self, head: _Head) -> Stated:
        if self.rules is not None:
            return self.rules.read()
        return Stated(_parsed(head.contents.rules, RULES_FILE), head.contents.rules_stamp, None)


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one commit holds. entries: everything but folders. files: the paths of files, those that differ in what is seen.

    rules: the rules file, empty where there is none. digest: names the files of formats that are read.
    """

    entries: Sequence[tuple[bytes, Entry]]
    files: Set[str]
    rules: bytes = field(repr=False)
    rules_stamp: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Head:
    """The commit that the branch holds, and what it holds."""

    objects: Objects
    oid: bytes
    contents: _Contents


@dataclass(frozen=True, slots=True)
class _Listed:
    """A listing, the commit it is of, and all that led to that."""

    head: bytes
    commits: Set[bytes]
    listing: Listing

    def follows(self, earlier: bytes | None) -> bool:
        """Whether this commit led here: else something was taken out of the history, or it is not known."""
        return earlier in self.commits

    def is_damaged(self) -> bool:
        """Whether something of it can't be read."""
        return any(refusal.error.code in _DAMAGED for refusal in self.listing.refusals)


class _Run:
    """One listing of a commit: gathers what becomes a Listing."""

    def __init__(
        self, head: _Head, history: History, rules: Rules, endings: Collection[str], read: Callable[[bytes], bytes]
    ) -> None:
        """read: gives the bytes of a state by their id."""
        self.read = read
        self.head = head
        self.history = history
        self.endings = endings
        self.gathered = Gathering(rules, endings)
        self.entered = Entered(partial(looks_at, rules))
        self.documents: defaultdict[str, list[Sequence[Item]]] = defaultdict(list)

    def listing(self, *, stamp: str, stated_at: datetime | None) -> Listing:
        for path, entry in sorted(self.head.contents.entries):
            self._take(path, entry)
        self.gathered.refuse_unused_denials()
        refused = {refusal.external_id: refusal.path for refusal in self.gathered.refusals if refusal.external_id}
        for external_id, found in sorted(self.documents.items()):
            if external_id in refused:
                self._refuse_all(found, refused_path(refused[external_id]))
            elif len(found) > 1:
                self._refuse_all(found, _same_id(found))
            else:
                self.gathered.items += found[0]
        return self.gathered.listing(stamp=stamp, stated_at=stated_at, snapshot=True)

    def _take(self, path: bytes, entry: Entry) -> None:
        """Make items of this file and its history, or say why not."""
        text = text_of(path)
        if text == RULES_FILE or not self.entered(text):
            return
        file = self.history.files.get(path)
        external_id = "" if file is None else file.id
        try:
            check_path(text)
            _refuse_module(entry)
            if not self.gathered.is_read(text):
                return
            self._refuse_unclear(text, entry)
            assert file is not None  # it is one, and the history holds those of its last commit
            described = self.gathered.described(text)
            external_id = described.stated_id or checked_text("id", file.id, f"{text}, id")
            self.documents[external_id].append(self._items(described, external_id, file))
        except Refused as error:
            self.gathered.refuse(text, error, external_id)

    def _refuse_unclear(self, text: str, entry: Entry) -> None:
        if file_id(entry) is None:
            raise Refused("git_link", gettext_noop("This is a link. Links in a repository are not followed."))
        if text not in self.head.contents.files:
            message = gettext_noop("Two paths of the repository differ only in how their letters are encoded.")
            raise Refused("git_path_twice", message)

    def _refuse_all(self, found: Sequence[Sequence[Item]], error: Refused) -> None:
        for items in found:
            self.gathered.refuse(items[-1].path, error, items[-1].external_id)

    def _items(self, described: Described, external_id: str, file: File) -> Sequence[Item]:
        """The states of a document that are taken in, the current one last. Of one that no rule names only that one."""
        every = [one for one in states(file.state) if ending(one.path) in self.endings]
        chosen = self._newest(described.path, every) if described.rules else every[-1:]
        labels = [_label(one) for one in chosen]
        if len(set(labels)) < len(labels):
            message = gettext_noop("Two commits of one day have ids that begin alike, as if somebody wanted them to.")
            raise Refused("git_label_twice", message)
        metadata, rights, options = described.metadata, described.rights, described.options
        return [
            Item(
                external_id=external_id,
                label=label,
                dated=_day(state.when),
                path=described.path if state is file.state else shown(text_of(state.path))[:MAX_PATH],
                metadata=metadata,
                rights=rights,
                read=partial(self.read, state.blob),
                options=options,
                stamp=state.blob.hex(),
                state=state.commit.hex(),
            )
            for label, state in zip(labels, chosen, strict=True)
        ]

    def _newest(self, path: str, every: Sequence[State]) -> Sequence[State]:
        """The newest states, as many as are taken in; of the others it is said how many they are."""
        length, first = 0, len(every)
        while first and len(every) - first < MAX_STATES:
            length += min(self.head.objects.size(every[first - 1].blob), MAX_FILE_BYTES)
            if length > MAX_STATES_BYTES and first < len(every):
                break
            first -= 1
        if first:
            message = gettext_noop(
                "The %(left)d oldest states were not taken in: of a document, the newest %(limit)d are, up to %(bytes)d bytes."
            )
            self.gathered.refuse(
                path, Refused("git_states_left_out", message, left=first, limit=MAX_STATES, bytes=MAX_STATES_BYTES)
            )
        return every[first:]


class _Known:
    """What commits hold, by repository and folder: what was asked a moment ago is asked again by the next request."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, bytes, Collection[str]], _Contents] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[str, bytes, Collection[str]]) -> _Contents | None:
        with self._lock:
            return self._contents.get(key)

    def put(self, key: tuple[str, bytes, Collection[str]], contents: _Contents) -> None:
        """Keep it, in the place of the oldest."""
        if len(contents.entries) <= _REMEMBERED_ENTRIES:
            with self._lock:
                while len(self._contents) >= _REMEMBERED:
                    del self._contents[next(iter(self._contents))]
                self._contents[key] = contents


_known: Final = _Known()


def _contents(objects: Objects, tree: bytes, endings: frozenset[str]) -> _Contents:
    key = (objects.place, tree, endings)
    known = _known.get(key)
    if known is None:
        known = _contents_read(objects, tree, endings)
        _known.put(key, known)
    return known


def _contents_read(objects: Objects, tree: bytes, endings: frozenset[str]) -> _Contents:
    entries = list(files_of(objects, tree))
    rules = dict(entries).get(_RULES_PATH)
    texts = Counter(text_of(path) for path, entry in entries if file_id(entry))
    readable = sorted(text for text in texts if PurePosixPath(text).suffix.lower() in endings)
    return _Contents(
        entries=entries,
        files=frozenset(text for text, times in texts.items() if times == 1),
        rules=b"" if rules is None else _rules_in(objects, rules),
        rules_stamp="" if rules is None else rules[1].hex(),
        digest=hashlib.sha256("\0".join(readable).encode("utf-8", "surrogateescape")).hexdigest(),
    )


def _rules_in(objects: Objects, entry: Entry) -> bytes:
    oid = file_id(entry)
    if oid is None:
        raise Refused("rules_not_a_file", gettext_noop("%(where)s is not a file."), where=RULES_FILE)
    if objects.size(oid) > MAX_RULES_BYTES:
        raise rules_too_large(RULES_FILE)
    return objects.file(oid, MAX_RULES_BYTES)


def _rules_elsewhere(origin: Origin) -> RulesFile | None:
    if not origin.rules:
        return None
    place, name = places.parted(origin.rules)
    options = {key: value for key, value in origin.options.items() if key not in line.OPTIONS}
    return RulesFile(places.at(place, options), name, needed=True)


def _stated_at(history: History) -> datetime | None:
    """When what states the rights was last changed: the rules file, or, if that is as it was, which files there are."""
    earlier = {} if history.touched_before is None else history.touched_before
    rules = history.touched.get(_RULES_PATH)
    changed = rules if rules != earlier.get(_RULES_PATH) else history.touched.get(PATHS)
    return None if changed is None else _moment(changed)


def _stamp(rules: str, digest: str) -> str:
    return f"{rules}:{digest}"


def _label(state: State) -> str:
    """What a state is called: its day, and the commit as people write it."""
    day = _day(state.when)
    return f"{day.isoformat()} {state.commit.hex()[:SHORT]}" if day else state.commit.hex()[:SHORT]


def _day(when: int) -> date | None:
    moment = _moment(when)
    return None if moment is None else moment.date()


def _moment(when: int) -> datetime | None:
    """A time as commits write it; None for one that no calendar holds."""
    with suppress(OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(when, UTC)
    return None


def _bytes(objects: Objects, place: Local | Mirror, oid: bytes) -> bytes:
    """The bytes of a state. Raises Refused."""
    try:
        if objects.size(oid) > MAX_FILE_BYTES:
            raise too_large()
        data = objects.file(oid, MAX_FILE_BYTES)
    except Refused as error:
        if isinstance(place, Mirror) and error.code in _DAMAGED:
            place.note_damage()
        raise
    if len(data) <= _LFS_BYTES and data.startswith(_LFS):
        message = gettext_noop("The repository holds only a pointer to this file, which is kept in Git LFS.")
        raise Refused("git_lfs", message)
    return data


def _refuse_module(entry: Entry) -> None:
    if is_module(entry):
        message = gettext_noop("This is a repository of its own (a submodule). Make it a source of its own.")
        raise Refused("git_module", message)


def _same_id(found: Sequence[Sequence[Item]]) -> Refused:
    first, second = found[0][-1], found[1][-1]
    message = gettext_noop(
        "%(first)s and %(second)s have the same id “%(id)s”. In a repository the states of a document are those of its history: "
        "give the files different ids."
    )
    return Refused("git_same_id", message, first=first.path, second=second.path, id=first.external_id)
