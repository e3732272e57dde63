"""What every kind of source gathers while it lists files: what its rules say of each path, and what was not taken in, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

import unicodedata2

from evidence.errors import Refused, gettext_noop
from evidence.sources import Item, Listing, Refusal
from evidence.sources.patterns import MAX_PATH
from evidence.sources.rules import Described, Rules
from evidence.sources.trees import is_plain, shown

_NOT_IN_NAMES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(slots=True)
class Gathering:
    """One walk through a source. endings: of the formats that are read, lower case with the dot."""

    rules: Rules
    endings: Collection[str]
    refusals: list[Refusal] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    complete: bool = True
    _unread: Counter[str] = field(default_factory=Counter)
    _unnamed: list[str] = field(default_factory=list)
    _used: set[str] = field(default_factory=set)

    def is_read(self, path: str) -> bool:
        """Whether a file of this name has a format that is read; one that has not is counted."""
        ending = PurePosixPath(path).suffix.lower()
        if ending not in self.endings:
            self._unread[ending] += 1
        return ending in self.endings

    def described(self, path: str) -> Described:
        """What the rules say of this path, which is used then."""
        described = self.rules.describe(path)
        self._used.update(rule.where for rule in described.rules)
        if not described.rules:
            self._unnamed.append(path)
        return described

    def refuse(self, path: str, error: Refused, external_id: str = "") -> None:
        """It is not taken in."""
        self.refusals.append(Refusal(shown(path), error, external_id))

    def refuse_unreadable(self, path: str, error: OSError, external_id: str = "") -> None:
        """What may be there is not known now: the listing is incomplete."""
        self.complete = False
        message = gettext_noop("This can't be read: %(reason)s")
        self.refuse(path, Refused("unreadable", message, reason=error.strerror), external_id)

    def refuse_unused_denials(self) -> None:
        """A denial that fits no file denies nothing: most likely its path is misspelt, and what it was to close is open."""
        for rule in self.rules.documents:
            if rule.where not in self._used and rule.fields.get("denied"):
                message = gettext_noop("%(where)s denies nobody: its path “%(path)s” fits no file.")
                self.refuse(rule.pattern.text, Refused("rules_denial_unused", message, where=rule.where, path=rule.pattern.text))

    def listing(self, *, stamp: str, stated_at: datetime | None, snapshot: bool = False) -> Listing:
        """All of it, as it is now."""
        return Listing(
            items=list(self.items),
            refusals=sorted(self.refusals, key=lambda refusal: refusal.path),
            unread=dict(sorted(self._unread.items())),
            unnamed=sorted(self._unnamed),
            unused=[rule.pattern.text for rule in self.rules.documents if rule.where not in self._used],
            complete=self.complete,
            snapshot=snapshot,
            settings=self.rules.settings,
            stamp=stamp,
            stated_at=stated_at,
        )


def looks_at(rules: Rules, path: str) -> bool:
    """Whether this folder or file is neither hidden nor left out; of those above it nothing is said."""
    return not path.rpartition("/")[2].startswith(".") and not rules.leaves_out(path)


def check_path(path: str) -> None:
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
