"""A folder of files as a source: what lies in it, described by its rules. The files stay where they are.

The folder may lie on this machine or at an address (`trees`). Left out without a word: hidden files and folders, the rules file,
and what the rules leave out. Counted: files of formats that are not read. Refused with a reason: links that lead out of the
folder, names that are no text or no path, what can't be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.sources import Item, Listing, Origin, Rights
from evidence.sources.gathering import Gathering, check_path, looks_at
from evidence.sources.rules import MAX_RULES_BYTES, RULES_FILE, Described, Rules, parse
from evidence.sources.states import arrange
from evidence.sources.trees import Entered, Fetched, Found, Tree, Unseen, is_plain, places

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
        gone, entered = self.tree.gone(paths), Entered(partial(looks_at, rules))
        there = (path for path in paths if path not in gone and path != RULES_FILE and is_plain(path) and entered(path))
        return {path: rules.describe(path).rights for path in there}


class _Run:
    """One walk through a folder: gathers what becomes a Listing."""

    def __init__(self, folder: Folder, stated: Stated) -> None:
        self.folder = folder
        self.stated = stated
        self.gathered = Gathering(stated.rules, folder.endings)

    def listing(self) -> Listing:
        gathered = self.gathered
        for found in self.folder.tree.walk(partial(looks_at, self.stated.rules)):
            if isinstance(found, Unseen):
                gathered.refuse_unreadable(found.path, found.error)
            elif found.path != RULES_FILE:
                self._take(found)
        gathered.refuse_unused_denials()
        arranged = arrange(gathered.items, gathered.refusals)
        gathered.items, gathered.refusals = list(arranged.items), list(arranged.refusals)
        return gathered.listing(stamp=self.stated.stamp, stated_at=self.stated.at)

    def _take(self, found: Found) -> None:
        """Make an item of this file, or say why not."""
        path, external_id = found.path, ""
        try:
            check_path(path)
            if not found.is_folder and not self.gathered.is_read(path):
                return
            described = self.gathered.described(path)
            external_id = described.external_id
            found.check()
            self.gathered.items.append(_item(described, external_id, found))
        except Refused as error:
            self.gathered.refuse(path, error, external_id)
        except OSError as error:
            self.gathered.refuse_unreadable(path, error, external_id)


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


def _digest(kept: Fetched) -> str:
    return hashlib.sha256(kept.data).hexdigest()
