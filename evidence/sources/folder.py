"""A folder of files as a source: what lies in it, described by its rules. The files stay where they are.

The folder may lie on this machine or at an address (`trees`). Left out without a word: hidden files and folders, the rules file,
and what the rules leave out. Counted: files of formats that are not read. Refused with a reason: links that lead out of the
folder, names that are no text or no path, what can't be read.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from pathlib import PurePosixPath
from typing import Final

import unicodedata2

from evidence.errors import Refused, gettext_noop
from evidence.sources import Item, Listing, Origin, Refusal, Rights
from evidence.sources.patterns import MAX_PATH
from evidence.sources.rules import MAX_RULES_BYTES, RULES_FILE, Described, Rules, parse
from evidence.sources.states import arrange
from evidence.sources.trees import Entered, Fetched, Found, Tree, Unseen, is_plain, places, shown

_NOT_IN_NAMES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_parsed: Final = lru_cache(maxsize=8)(parse)
"""Rules by the bytes that say them: to take ten thousand rules apart lasts longer than a live question may."""


def at(origin: Origin) -> Folder:
    """The folder of this origin. Raises Refused for what can't be a place; whether it is there is seen when it is asked."""
    tree = places.at(origin.location, origin.options)
    if not origin.rules:
        return Folder(tree, RulesFile(tree, RULES_FILE), origin.endings)
    place, name = places.parted(origin.rules)
    return Folder(tree, RulesFile(places.at(place, origin.options), name, needed=True), origin.endings)


@dataclass(frozen=True, slots=True)
class Stated:
    """A rules file as it was at one moment. stamp names its bytes. at: when it was written, where that is known."""

    rules: Rules
    stamp: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class RulesFile:
    """Where the rules are. One that is absent says what an empty one says, nothing, unless it is needed."""

    tree: Tree
    name: str
    needed: bool = False

    def read(self) -> Stated:
        """The rules as they are now. Raises EvidenceError for rules that are none or can't be read."""
        kept = self._fetched()
        return Stated(_parsed(kept.data, self.name), _digest(kept), kept.modified)

    def stamp(self) -> str:
        """Names the rules as they are now, whether they are in order or not. Raises EvidenceError where they can't be read."""
        return _digest(self._fetched())

    def _fetched(self) -> Fetched:
        try:
            kept = self.tree.fetch(self.name, MAX_RULES_BYTES + 1)
        except OSError as error:
            raise self._unreadable(error.strerror) from error
        if kept is None and self.needed:
            raise self._unreadable("No such file or directory")
        return kept or Fetched(b"", None)

    def _unreadable(self, reason: str | None) -> Refused:
        return Refused("rules_unreadable", gettext_noop("%(where)s can't be read: %(reason)s"), where=self.name, reason=reason)


@dataclass(frozen=True, slots=True)
class Folder:
    """Implements `Source`. endings: of the formats that are read, lower case with the dot."""

    tree: Tree
    rules: RulesFile
    endings: Collection[str]

    def list(self) -> Listing:
        """Everything in the folder now, in an order that depends on nothing but names.

        The rules are read before anything else. So what was written after a right was withdrawn can come with the older rights
        only where the stamp has changed meanwhile, and whoever takes it in asks for the stamp again.
        """
        stated = self.rules.read()
        return _Run(self, stated).listing()

    def stamp(self) -> str:
        """A digest of the rules file. One small file is read."""
        return self.rules.stamp()

    def rights(self, paths: Collection[str]) -> Mapping[str, Rights]:
        """What the rules file, as it is now, says of each path that is part of the source now.

        On this machine the files themselves are looked up too. At an address they are not, because that would be a request for
        each, or a whole listing: there a file that is gone has its rights until the next run.
        """
        rules = self.rules.read().rules
        gone, entered = self.tree.gone(paths), Entered(partial(_looks_at, rules))
        there = (path for path in paths if path not in gone and path != RULES_FILE and is_plain(path) and entered(path))
        return {path: rules.describe(path).rights for path in there}


class _Run:
    """One walk through a folder: collects what becomes a Listing."""

    def __init__(self, folder: Folder, stated: Stated) -> None:
        self.folder = folder
        self.stated = stated
        self.rules = stated.rules
        self.items: list[Item] = []
        self.refusals: list[Refusal] = []
        self.unread: Counter[str] = Counter()
        self.unnamed: list[str] = []
        self.used: set[str] = set()
        self.complete = True

    def listing(self) -> Listing:
        for found in self.folder.tree.walk(partial(_looks_at, self.rules)):
            if isinstance(found, Unseen):
                self._refuse_unreadable(found.path, found.error)
            elif found.path != RULES_FILE:
                self._take(found)
        self._refuse_unused_denials()
        arranged = arrange(self.items, self.refusals)
        return Listing(
            items=arranged.items,
            refusals=arranged.refusals,
            unread=dict(sorted(self.unread.items())),
            unnamed=sorted(self.unnamed),
            unused=[rule.pattern.text for rule in self.rules.documents if rule.where not in self.used],
            complete=self.complete,
            settings=self.rules.settings,
            stamp=self.stated.stamp,
            stated_at=self.stated.at,
        )

    def _refuse_unused_denials(self) -> None:
        """A denial that fits no file denies nothing: most likely its path is misspelt, and what it was to close is open."""
        for rule in self.rules.documents:
            if rule.where not in self.used and rule.fields.get("denied"):
                message = gettext_noop("%(where)s denies nobody: its path “%(path)s” fits no file.")
                self._refuse(rule.pattern.text, Refused("rules_denial_unused", message, where=rule.where, path=rule.pattern.text))

    def _take(self, found: Found) -> None:
        """Make an item of this file, or say why not."""
        path, external_id = found.path, ""
        try:
            _check_path(path)
            ending = PurePosixPath(path).suffix.lower()
            if ending not in self.folder.endings and not found.is_folder:
                self.unread[ending] += 1
                return
            described = self._described(path)
            external_id = described.external_id
            found.check()
            self.items.append(_item(described, external_id, found))
        except Refused as error:
            self._refuse(path, error, external_id)
        except OSError as error:
            self._refuse_unreadable(path, error, external_id)

    def _described(self, path: str) -> Described:
        described = self.rules.describe(path)
        self.used.update(rule.where for rule in described.rules)
        if not described.rules:
            self.unnamed.append(path)
        return described

    def _refuse(self, path: str, error: Refused, external_id: str = "") -> None:
        self.refusals.append(Refusal(shown(path), error, external_id))

    def _refuse_unreadable(self, path: str, error: OSError, external_id: str = "") -> None:
        """What may be there is not known now: the listing is incomplete."""
        self.complete = False
        self._refuse(
            path, Refused("unreadable", gettext_noop("This can't be read: %(reason)s"), reason=error.strerror), external_id
        )


def _item(described: Described, external_id: str, found: Found) -> Item:
    return Item(
        external_id=external_id,
        label=described.label,
        dated=described.dated,
        path=described.path,
        metadata=described.metadata,
        rights=described.rights,
        read=found.read,
        options=described.options,
        stamp=found.stamp,
    )


def _looks_at(rules: Rules, path: str) -> bool:
    """Whether this folder or file is neither hidden nor left out; of those above it nothing is said."""
    return not path.rpartition("/")[2].startswith(".") and not rules.leaves_out(path)


def _check_path(path: str) -> None:
    """Refuse names that can't be stored or shown as they are, and those that are no path in a folder."""
    if len(path) > MAX_PATH:
        message = gettext_noop("The path is longer than %(limit)d characters.")
        raise Refused("path_too_long", message, limit=MAX_PATH)
    if any(unicodedata2.category(character) in _NOT_IN_NAMES for character in path if not character.isprintable()):
        message = gettext_noop("The name holds a line feed, another control character, or bytes that are not UTF-8.")
        raise Refused("path_not_text", message)
    if not is_plain(path):
        message = gettext_noop("The name is no path: between its slashes there is nothing, . or ..")
        raise Refused("path_unclear", message)


def _digest(kept: Fetched) -> str:
    return hashlib.sha256(kept.data).hexdigest()
