"""A folder of this machine. Links are followed to files inside it, never to folders, never out of it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from evidence.errors import Refused, gettext_noop
from evidence.sources.trees import MAX_FILE_BYTES, Enter, Fetched, Found, Unseen, composed, is_plain, missing, too_large


@dataclass(frozen=True, slots=True)
class LocalTree:
    """Implements `Tree`. There are no stamps: to read a file is as quick as to ask for its size, and says more."""

    root: Path

    def walk(self, enter: Enter) -> Iterator[Found | Unseen]:
        """Folder by folder. One that can't be read is named; raises Refused where the root is none."""
        root = Path(os.path.realpath(self.root))
        if not root.is_dir():
            raise missing(str(self.root))
        folders = [root]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(folder) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError as error:
                yield Unseen(_relative(root, folder), error)
                continue
            for entry in entries:
                path = _relative(root, Path(entry.path))
                if not enter(path):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                else:
                    yield _found(root, path, entry)

    def fetch(self, path: str, limit: int) -> Fetched | None:
        """Links are followed wherever they lead: whoever names a file by its place answers for it."""
        try:
            handle = os.open(self.root / path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe must not make us wait
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(handle, "rb") as stream:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise IsADirectoryError(errno.EISDIR, "not a file")
            return Fetched(stream.read(limit), datetime.fromtimestamp(about.st_mtime, tz=UTC))

    def gone(self, paths: Collection[str]) -> Collection[str]:
        """Each path is looked up now; what a walk would refuse is not there either."""
        there = _There(Path(os.path.realpath(self.root)))
        return {path for path in paths if not there.has(path)}


class _There:
    """What is there now, asked of many paths: each folder is looked up once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, Path | None] = {"": root}
        self._decomposed: dict[Path, dict[str, list[Path]]] = {}

    def has(self, path: str) -> bool:
        """Whether a walk would find a file of this path."""
        parent, _, name = path.rpartition("/")
        return is_plain(path) and any(_is_file(self._root, file) for file in self._written(parent, name))

    def _written(self, parent: str, name: str) -> Iterator[Path]:
        """Where this name can be in this folder: written as it is, or in a way that is the same in NFC."""
        folder = self._folder(parent)
        if folder is not None:
            yield folder / name
            yield from self._names(folder).get(name, ())

    def _folder(self, path: str) -> Path | None:
        """The folder of this path; None where it is none, or is reached through a link."""
        if path not in self._folders:
            above, _, name = path.rpartition("/")
            self._folders[path] = next((found for found in self._written(above, name) if _is_folder(found)), None)
        return self._folders[path]

    def _names(self, folder: Path) -> dict[str, list[Path]]:
        """What in this folder is not written in NFC, by its name in NFC."""
        if folder not in self._decomposed:
            names = self._decomposed[folder] = dict[str, list[Path]]()
            with suppress(OSError):
                for file in folder.iterdir():
                    if composed(file.name) != file.name:
                        names.setdefault(composed(file.name), []).append(file)
        return self._decomposed[folder]


def _is_folder(file: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(file).st_mode)
    except (OSError, ValueError):
        return False


def _is_file(root: Path, file: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(file).st_mode) or bool(_checked(root, file))
    except (OSError, ValueError, Refused):
        return False


def _found(root: Path, path: str, entry: os.DirEntry[str]) -> Found:
    file = Path(entry.path)
    return Found(path, read=partial(_read, root, file), check=partial(_checked, root, file), is_folder=_leads_to_folder(entry))


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):  # a link in a circle
        return entry.is_dir()
    return False


def _checked(root: Path, file: Path) -> Path:
    """The file itself, links followed. Raises Refused unless it is a file inside the root, OSError when it can't be read."""
    real = Path(os.path.realpath(file))
    if not real.is_relative_to(root):
        raise Refused("link_not_followed", gettext_noop("This is a link that leads out of the folder."))
    if file.is_symlink() and not real.exists():
        raise Refused("link_broken", gettext_noop("This is a link to a file that is not there."))
    if not stat.S_ISREG(real.stat().st_mode):
        raise Refused("not_a_file", gettext_noop("This is not a file (or a link to a folder, which is not followed)."))
    if not os.access(real, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return real


def _read(root: Path, file: Path) -> bytes:
    """The file's bytes, checked again: minutes may have passed since the listing. Raises Refused or OSError."""
    with _checked(root, file).open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise too_large()
    return data


def _relative(root: Path, path: Path) -> str:
    return composed(path.relative_to(root).as_posix())
