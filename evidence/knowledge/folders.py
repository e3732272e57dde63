"""A space's folder: which files are read and written, and what is refused before anything is made of it.

A folder may come from anybody. Links are not followed, and nothing but plain files at the known places is opened: each step goes
from an open folder to a name in it, so that nobody can change the way in between.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.knowledge.exchange import FOLDERS, SPACE_FILE, Fault, Faulty

MAX_FILES: Final = 5_000
"""Files of one space."""
MAX_FILE_BYTES: Final = 2_000_000
"""Of one file: a concept with some thousand claims."""
MAX_BYTES: Final = 50_000_000
"""Of all files together: they are held in memory."""

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_FILE: Final = gettext_noop("This is no file that can be read. Links are not followed.")
_HALF: Final = ".half"
"""After the name of a file that is being written."""


def read(folder: Path) -> Mapping[str, bytes]:
    """The files of a space, by their paths with /. Hidden ones are left out, unknown ones are faults. Raises Faulty, Refused."""
    taken = _Taken()
    with _opened(folder) as top:
        for name in _names(top):
            if name in FOLDERS:
                taken.folder(top, name)
            elif name == SPACE_FILE:
                taken.file(top, name, name)
            else:
                taken.unknown(name)
    if taken.faults:
        raise Faulty(taken.faults)
    return taken.files


def write(folder: Path, files: Mapping[str, str], *, replace: bool = False) -> None:
    """Write these files. A folder that holds something already is only written to with `replace`, and only where it is the folder
    of a space; files of entries that are no longer there are removed then. Raises Refused.
    """
    _refuse_what_could_not_be_read(files)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from None
    with _opened(folder) as top:
        there = _names(top)
        if there and not (replace and SPACE_FILE in there):
            message = gettext_noop("There is something in this folder already. An earlier export is replaced when you say so.")
            raise Refused("folder_not_empty", message)
        _put(top, {path: text for path, text in files.items() if "/" not in path}, stale=())
        for name in FOLDERS:
            own = {path.partition("/")[2]: text for path, text in files.items() if path.startswith(f"{name}/")}
            if own or name in there:
                _put_below(top, name, own)


class _Taken:
    """What has been read so far, and what is wrong with it."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self._left = MAX_BYTES

    def folder(self, top: int, name: str) -> None:
        """The files of entries in a folder."""
        try:
            below = os.open(name, _READ | os.O_DIRECTORY, dir_fd=top)
        except OSError:
            self._fault(name, "not_a_folder", gettext_noop("This is no folder. Links are not followed."))
            return
        try:
            for one in _names(below):
                path = f"{name}/{one}"
                if one.endswith(".md"):
                    self.file(below, one, path)
                else:
                    self.unknown(path)
        finally:
            os.close(below)

    def file(self, top: int, name: str, path: str) -> None:
        """One file, within the limits."""
        if len(self.files) >= MAX_FILES:
            raise _too_many()
        try:
            opened = os.open(name, _READ, dir_fd=top)
        except OSError:
            self._fault(path, "not_a_file", _NO_FILE)
            return
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            self._fault(path, "not_a_file", _NO_FILE)
            return
        with os.fdopen(opened, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            self._fault(path, "file_large", gettext_noop("A file can have at most %(limit)d bytes."), limit=MAX_FILE_BYTES)
            return
        self._left -= len(data)
        if self._left < 0:
            raise _too_large()
        self.files[path] = data

    def unknown(self, path: str) -> None:
        """Something at a place where nothing is read."""
        message = gettext_noop(
            "Only %(file)s and files “.md” in %(folders)s are read. Remove this one, or give it a name with a dot before."
        )
        self._fault(path, "unknown_file", message, file=SPACE_FILE, folders=", ".join(FOLDERS))

    def _fault(self, path: str, code: str, message: str, **values: object) -> None:
        if len(self.faults) < MAX_FILES:
            self.faults.append(Fault(_printable(path), Refused(code, message, **values)))


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    try:
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _unusable(folder, error) from None
    try:
        yield top
    finally:
        os.close(top)


def _names(top: int) -> Sequence[str]:
    """What the folder holds, but for what is hidden."""
    with os.scandir(top) as found:
        names = [one.name for one in islice(found, 2 * MAX_FILES)]
    if len(names) == 2 * MAX_FILES:
        raise _too_many()
    return sorted(name for name in names if not name.startswith("."))


def _put_below(top: int, name: str, files: Mapping[str, str]) -> None:
    try:
        if name not in _names(top):
            os.mkdir(name, 0o700, dir_fd=top)
        below = os.open(name, _READ | os.O_DIRECTORY, dir_fd=top)
    except OSError:
        message = gettext_noop("%(name)s is no folder that can be written to. Links are not followed.")
        raise Refused("folder_unusable", message, name=name) from None
    try:
        _put(below, files, stale=[one for one in _names(below) if one.endswith(".md") and one not in files])
    finally:
        os.close(below)


def _put(top: int, files: Mapping[str, str], *, stale: Sequence[str]) -> None:
    """Each file as a whole or not at all. A link at its place is replaced, not followed."""
    for name, text in files.items():
        half = f".{name}{_HALF}"
        try:
            with suppress(FileNotFoundError):  # of an export that was killed
                os.unlink(half, dir_fd=top)
            with os.fdopen(os.open(half, _WRITE, 0o600, dir_fd=top), "wb") as file:
                file.write(text.encode())
            os.replace(half, name, src_dir_fd=top, dst_dir_fd=top)
        except OSError as error:
            raise _unusable(Path(name), error) from None
    for name in stale:
        os.unlink(name, dir_fd=top)


def _refuse_what_could_not_be_read(files: Mapping[str, str]) -> None:
    sizes = {path: len(text.encode()) for path, text in files.items()}
    if len(files) > MAX_FILES:
        raise _too_many()
    if sum(sizes.values()) > MAX_BYTES:
        raise _too_large()
    for path, size in sizes.items():
        if size > MAX_FILE_BYTES:
            message = gettext_noop("%(path)s would have more than %(limit)d bytes, and could not be imported again.")
            raise Refused("file_large", message, path=path, limit=MAX_FILE_BYTES)


def _too_many() -> Refused:
    return Refused("space_many_files", gettext_noop("A space can have at most %(limit)d files."), limit=MAX_FILES)


def _too_large() -> Refused:
    return Refused(
        "space_large", gettext_noop("The files of a space can have at most %(limit)d bytes together."), limit=MAX_BYTES
    )


def _unusable(path: Path, error: OSError) -> Refused:
    message = gettext_noop("%(name)s can't be opened or written: %(reason)s.")
    return Refused("folder_unusable", message, name=_printable(path.name), reason=os.strerror(error.errno or 0))


def _printable(path: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in path)
