"""Trees of files, wherever they lie: what a walk finds and what reading takes. One module for each way to lie somewhere.

A tree knows nothing of rules and documents. Paths inside it are NFC, with `/`, whatever the place itself writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

import unicodedata2

from evidence.errors import Refused, gettext_noop

MAX_FILE_BYTES: Final = 20_000_000
"""The longest file that is read: ten times the longest German law in one text."""

Enter = Callable[[str], bool]
"""Whether this path is looked at; asked of each folder before what it holds, and of each file."""


def _nothing_to_check() -> None:
    """What a place lists as a file is one."""


@dataclass(frozen=True, slots=True)
class Found:
    """A name in a tree that is no folder of it.

    read: the exact bytes. check: raises Refused for what is no file or may not be read, OSError for what can't be read now; read
    does so too. is_folder: it is a link to a folder. stamp: as `Item.stamp`; what is read then is what was found, or is refused.
    """

    path: str
    read: Callable[[], bytes] = field(compare=False)
    check: Callable[[], object] = field(default=_nothing_to_check, compare=False)
    is_folder: bool = False
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A folder inside that can't be listed now: what it holds is not known."""

    path: str
    error: OSError


@dataclass(frozen=True, slots=True)
class Fetched:
    """One file, whole. modified: when it was written, where the place says so."""

    data: bytes = field(repr=False)
    modified: datetime | None


class Tree(Protocol):
    """Files that lie somewhere. Nothing of what it says is kept from an earlier time."""

    def walk(self, enter: Enter) -> Iterator[Found | Unseen]:
        """Everything that is looked at, whole: raises EvidenceError, whatever came before, when the rest can't be seen."""

    def fetch(self, path: str, limit: int) -> Fetched | None:
        """The file of this name, at most `limit` bytes of it, or None where there is none.

        Raises EvidenceError or OSError where that can't be known now.
        """

    def gone(self, paths: Collection[str]) -> Collection[str]:
        """Those of these paths that are no files here now, as far as that can be said at once."""


class Entered:
    """Enter for a place that lists files without their folders: each folder above is asked, once."""

    def __init__(self, enter: Enter) -> None:
        self._enter = enter
        self._folders: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Whether this file is looked at."""
        end = path.find("/")
        while end != -1:
            folder = path[:end]
            if folder not in self._folders:
                self._folders[folder] = self._enter(folder)
            if not self._folders[folder]:
                return False
            end = path.find("/", end + 1)
        return self._enter(path)


def composed(path: str) -> str:
    """The path in NFC: some systems hand out decomposed names for the same file."""
    return str(unicodedata2.normalize("NFC", path))


def is_plain(path: str) -> bool:
    """Whether each part of this path is a name."""
    return {"", ".", ".."}.isdisjoint(path.split("/"))


def shown(path: str) -> str:
    """The path as text for messages, with what is no text escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def missing(place: str) -> Refused:
    """There is nothing to walk through."""
    return Refused("folder_missing", gettext_noop("There is no folder %(path)s."), path=shown(place))


def too_large() -> Refused:
    """The file is longer than is read."""
    message = gettext_noop("The file is longer than %(limit)d bytes.")
    return Refused("file_too_large", message, limit=MAX_FILE_BYTES)
