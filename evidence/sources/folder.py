"""A folder of files as a source: what lies in it, described by its rules. The files stay where they are.

Left out without a word: hidden files and folders, the rules file, and what the rules leave out. Counted: files of formats
that are not read. Refused with a reason: links that lead out of the folder, names that are no text, what can't be read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import unicodedata2

from evidence.errors import Refused, gettext_noop
from evidence.sources import Item, Listing, Origin, Refusal, Rights
from evidence.sources.patterns import MAX_PATH
from evidence.sources.rules import RULES_FILE, Described, Rules, beside, load
from evidence.sources.states import arrange

MAX_FILE_BYTES: Final = 20_000_000
"""The longest file that is read: ten times the longest German law in one text."""

_NOT_IN_NAMES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


def at(origin: Origin) -> Folder:
    """The folder of this origin. Raises Refused for rules that are none."""
    root = Path(origin.location)
    return Folder(root, load(Path(origin.rules)) if origin.rules else beside(root), origin.endings)


@dataclass(frozen=True, slots=True)
class Folder:
    """Implements `Source`. endings: of the formats that are read, lower case with the dot."""

    root: Path
    rules: Rules
    endings: Collection[str]

    def list(self) -> Listing:
        """Everything in the folder now, in an order that depends on nothing but names."""
        if not self.root.is_dir():
            message = gettext_noop("There is no folder %(path)s.")
            raise Refused("folder_missing", message, path=_shown(str(self.root)))
        return _Run(self).listing()

    def stamp(self) -> str:
        """A digest of the rules file."""
        file = self.root / RULES_FILE
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""

    def rights(self, paths: Collection[str]) -> Mapping[str, Rights]:
        """What the rules say of those that are there."""
        return {path: self.rules.describe(path).rights for path in paths if (self.root / path).is_file()}


class _Run:
    """One walk through a folder: collects what becomes a Listing."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.root = folder.root.resolve()
        self.items: list[Item] = []
        self.refusals: list[Refusal] = []
        self.unread: Counter[str] = Counter()
        self.unnamed: list[str] = []
        self.used: set[str] = set()
        self.complete = True

    def listing(self) -> Listing:
        for entry in self._walk(self.root):
            self._take(entry)
        self._refuse_unused_denials()
        arranged = arrange(self.items, self.refusals)
        return Listing(
            items=arranged.items,
            refusals=arranged.refusals,
            unread=dict(sorted(self.unread.items())),
            unnamed=sorted(self.unnamed),
            unused=[rule.pattern.text for rule in self.folder.rules.documents if rule.where not in self.used],
            complete=self.complete,
            settings=self.folder.rules.settings,
        )

    def _refuse_unused_denials(self) -> None:
        """A denial that fits no file denies nothing: most likely its path is misspelt, and what it was to close is open."""
        for rule in self.folder.rules.documents:
            if rule.where not in self.used and rule.fields.get("denied"):
                message = gettext_noop("%(where)s denies nobody: its path “%(path)s” fits no file.")
                self._refuse(rule.pattern.text, Refused("rules_denial_unused", message, where=rule.where, path=rule.pattern.text))

    def _walk(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        """Everything that is not a folder, depth first, without what is hidden or left out. Links to folders are not followed."""
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self._refuse_unreadable(self._relative(folder), error)
            return
        for entry in entries:
            if entry.name.startswith(".") or self.folder.rules.leaves_out(self._relative(Path(entry.path))):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk(Path(entry.path))
            else:
                yield entry

    def _take(self, entry: os.DirEntry[str]) -> None:
        """Make an item of this file, or say why not."""
        path, file = self._relative(Path(entry.path)), Path(entry.path)
        if path == RULES_FILE:
            return
        external_id = ""
        try:
            _check_path(path)
            if file.suffix.lower() not in self.folder.endings and not entry.is_dir():
                self.unread[file.suffix.lower()] += 1
                return
            described = self._described(path)
            external_id = described.external_id
            _check_file(self.root, file)
            self.items.append(_item(described, external_id, partial(_read, self.root, file)))
        except Refused as error:
            self._refuse(path, error, external_id)
        except OSError as error:
            self._refuse_unreadable(path, error, external_id)

    def _described(self, path: str) -> Described:
        described = self.folder.rules.describe(path)
        self.used.update(rule.where for rule in described.rules)
        if not described.rules:
            self.unnamed.append(path)
        return described

    def _refuse(self, path: str, error: Refused, external_id: str = "") -> None:
        self.refusals.append(Refusal(_shown(path), error, external_id))

    def _refuse_unreadable(self, path: str, error: OSError, external_id: str = "") -> None:
        """What may be there is not known now: the listing is incomplete."""
        self.complete = False
        self._refuse(
            path, Refused("unreadable", gettext_noop("This can't be read: %(reason)s"), reason=error.strerror), external_id
        )

    def _relative(self, path: Path) -> str:
        """The path inside the source: NFC, because some systems hand out decomposed names for the same file."""
        return str(unicodedata2.normalize("NFC", path.relative_to(self.root).as_posix()))


def _item(described: Described, external_id: str, read: Callable[[], bytes]) -> Item:
    return Item(
        external_id=external_id,
        label=described.label,
        dated=described.dated,
        path=described.path,
        metadata=described.metadata,
        rights=described.rights,
        read=read,
        options=described.options,
    )


def _check_path(path: str) -> None:
    """Refuse names that can't be stored or shown as they are."""
    if len(path) > MAX_PATH:
        message = gettext_noop("The path is longer than %(limit)d characters.")
        raise Refused("path_too_long", message, limit=MAX_PATH)
    if any(unicodedata2.category(character) in _NOT_IN_NAMES for character in path if not character.isprintable()):
        message = gettext_noop("The name holds a line feed, another control character, or bytes that are not UTF-8.")
        raise Refused("path_not_text", message)


def _check_file(root: Path, file: Path) -> Path:
    """The file itself, links followed. Raises Refused unless it is a file inside the root, OSError when it can't be read."""
    real = file.resolve()
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
    with _check_file(root, file).open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        message = gettext_noop("The file is longer than %(limit)d bytes.")
        raise Refused("file_too_large", message, limit=MAX_FILE_BYTES)
    return data


def _shown(path: str) -> str:
    """The path as text for messages, with what is no text escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
