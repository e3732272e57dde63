"""Real git repositories, made commit by commit with dulwich: no git program is needed, and no identity of whoever runs this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit, ObjectID
from dulwich.refs import Ref
from dulwich.repo import Repo

from evidence.errors import Refused
from evidence.sources import Item, Listing, Origin, git

ENDINGS = frozenset({".md", ".txt"})
NOON = 12 * 3600
FILE = 0o100644
LINK = 0o120000
MODULE = 0o160000
OPEN = '[[document]]\npath = "**"\nallowed = ["group:alle"]\n'


def moment(day: str) -> int:
    """Noon of this day, as commits write it."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) + NOON


def lines(name: str, number: int = 20) -> str:
    """A text that is like no other one."""
    return "".join(f"{name}, line {number} of its own\n" for number in range(number))


@dataclass
class Repository:
    """A bare repository with a branch `main`. Commits give their ids; each is a day later than the one before."""

    path: Path
    day: int = 0
    made: list[bytes] = field(default_factory=list)

    @classmethod
    def at(cls, path: Path) -> Repository:
        path.mkdir(parents=True)
        Repo.init_bare(path, default_branch=b"main").close()
        return cls(path)

    def commit(
        self,
        changes: Mapping[Any, str | bytes | None] = {},
        *,
        parents: Sequence[bytes] | None = None,
        day: str = "",
        modes: Mapping[str, int] = {},
        branch: str = "main",
        moved: Mapping[str, str] = {},
    ) -> bytes:
        """A commit with these files changed (None: taken away) and moved (old path -> new path).

        parents: the commit before, if nothing is said; the files are those of the first one. day: when, if not a day later.
        """
        with closing(Repo(self.path)) as repository:
            before = parents if parents is not None else self.made[-1:]
            files = self._files(repository, before[0]) if before else {}
            taken = {_bytes(new): files.pop(_bytes(old)) for old, new in moved.items()}
            files |= taken
            for path, content in changes.items():
                if content is None:
                    del files[_bytes(path)]
                else:
                    files[_bytes(path)] = modes.get(str(path), FILE), _stored(repository, content)
            commit = Commit()
            commit.tree = commit_tree(repository.object_store, [(path, oid, mode) for path, (mode, oid) in files.items()])
            commit.parents = [ObjectID(parent) for parent in before]
            commit.author = commit.committer = b"Eva <eva@example.org>"
            self.day += 1
            commit.commit_time = moment(day) if day else moment("2026-01-01") + 86_400 * (self.day - 1)
            commit.author_time = commit.commit_time - 40 * 86_400
            commit.commit_timezone = commit.author_timezone = 7_200
            commit.message = b"A commit"
            repository.object_store.add_object(commit)
            repository.refs[Ref(b"refs/heads/" + branch.encode())] = commit.id
        self.made.append(commit.id)
        return commit.id

    def point(self, commit: bytes, *, branch: str = "main") -> None:
        """Let the branch be at this commit."""
        with closing(Repo(self.path)) as repository:
            repository.refs[Ref(b"refs/heads/" + branch.encode())] = ObjectID(commit)

    def parents(self, commit: bytes) -> Sequence[bytes]:
        """Of this commit."""
        with closing(Repo(self.path)) as repository:
            made = repository[ObjectID(commit)]
            assert isinstance(made, Commit)
            return made.parents

    def _files(self, repository: Repo, commit: bytes) -> dict[bytes, tuple[int, ObjectID]]:
        made = repository[ObjectID(commit)]
        assert isinstance(made, Commit)
        entries = repository.object_store.iter_tree_contents(made.tree)
        return {entry.path: (entry.mode, entry.sha) for entry in entries if entry.path and entry.mode and entry.sha}


def origin(place: Path | str, cache: Path, *, rules: str = "", **options: str) -> Origin:
    return Origin(location=str(place), rules=rules, endings=ENDINGS, options=options, cache=cache)


def listing(repository: Repository, cache: Path | None = None) -> Listing:
    """What the repository lists, with a cache of its own if none is given."""
    return git.at(origin(repository.path, cache or repository.path.parent / f"cache-{repository.day}")).list()


def ids(found: Listing) -> dict[str, str]:
    """Path of each document -> its id."""
    return {items[-1].path: external_id for external_id, items in documents(found).items()}


def documents(found: Listing) -> dict[str, list[Item]]:
    """Id -> states, the current one last."""
    grouped: dict[str, list[Item]] = {}
    for item in found.items:
        grouped.setdefault(item.external_id, []).append(item)
    return grouped


def reasons(found: Listing) -> dict[str, str]:
    return {refusal.path: refusal.error.code for refusal in found.refusals}


@contextmanager
def refused(code: str) -> Iterator[pytest.ExceptionInfo[Refused]]:
    """What happens in it is refused with this code."""
    with pytest.raises(Refused) as caught:
        yield caught
    assert caught.value.code == code


def _bytes(path: str | bytes) -> bytes:
    return path if isinstance(path, bytes) else path.encode()


def _stored(repository: Repo, content: str | bytes) -> ObjectID:
    """The id of a blob; an id that is given as bytes of 40 digits after `id:` is taken as it is."""
    data = _bytes(content)
    if data.startswith(b"id:"):
        return ObjectID(data[3:])
    blob = Blob.from_string(data)
    repository.object_store.add_object(blob)
    return blob.id
