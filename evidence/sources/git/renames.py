"""Which file of a commit is which file of the commit before: what was renamed, by git's own measure.

This is a measure of likeness between whole files of one commit. It decides which document a file is, and nothing else: never
where a quote stands, and never that one text is another.

What a changed path held and what it holds now are the same file (edited), unless hardly anything of it is left; only then do they
count as a file that went and one that came, as with `git diff -B -M`. So a new file at the place of one that was renamed in the
same commit is a new file. Two are alike by the bytes in equal lines (or pieces of 64 bytes), divided by the length of the longer
one. The measure is written down here, not taken from a library: ids of documents hang on it, and must not change with a version.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from evidence.errors import Refused, gettext_noop

ALIKE: Final = 60
"""Percent of the longer file from which two are the same one. git takes 50, dulwich 60: the forms of one office share much."""
REWRITTEN: Final = 40
"""Percent of the shorter file up to which what a path held and holds are two files."""
MIN_REWRITTEN_BYTES: Final = 400
"""Of the longer one: in less, everything changes easily. git takes the same."""
MAX_COMPARED_BYTES: Final = 2_000_000
"""Of a file that is compared by its content; longer ones are found again when they are renamed without an edit."""
MAX_PAIRS: Final = 40_000
"""Of files that are compared by their content in one commit: 200 that went with 200 that came take a second or two."""
MAX_REWRITES: Final = 100
"""Changed paths of one commit of which it is asked whether anything is left; where more changed, nobody wrote them anew."""
MAX_EFFORT: Final = 3_000_000_000
"""Lines that are compared in one history: some minutes. A history that takes more was made to take more."""

Changes = Mapping[bytes, tuple[bytes | None, bytes | None]]
"""Path -> id of the bytes that it held and that it holds now; None for none."""

_PIECE = re.compile(rb"[^\n]{0,63}+\n|[^\n]{1,64}+")


@dataclass(slots=True)
class Effort:
    """What comparing has taken so far, in lines."""

    spent: int = 0

    def spend(self, lines: int) -> None:
        """Raises Refused when it is too much."""
        self.spent += lines
        if self.spent > MAX_EFFORT:
            message = gettext_noop("Finding out which files were renamed takes too long in this history.")
            raise Refused("git_renames_too_many", message)


def moves(
    changes: Changes, size: Callable[[bytes], int], read: Callable[[bytes], bytes], effort: Effort
) -> Mapping[bytes, bytes]:
    """New path -> old path of each file that was renamed. size, read: give length and bytes of an id. Raises Refused."""
    return _Moves(changes, _Content(size, read, effort)).found()


@dataclass(slots=True)
class _Content:
    """How much the contents of files have in common. Each is taken apart once."""

    size: Callable[[bytes], int]
    read: Callable[[bytes], bytes]
    effort: Effort
    _known: dict[bytes, Counter[bytes]] = field(default_factory=dict)
    _sizes: dict[bytes, int] = field(default_factory=dict)

    def length(self, oid: bytes) -> int:
        if oid not in self._sizes:
            self._sizes[oid] = self.size(oid)
        return self._sizes[oid]

    def can_be_alike(self, first: bytes, second: bytes) -> bool:
        """Whether two files are near enough in length, and short enough to be compared."""
        shorter, longer = sorted((self.length(first), self.length(second)))
        return shorter > 0 and shorter * 100 >= ALIKE * longer and longer <= MAX_COMPARED_BYTES

    def common(self, first: bytes, second: bytes) -> int:
        """Bytes in equal pieces."""
        one, other = self._pieces(first), self._pieces(second)
        if len(other) < len(one):
            one, other = other, one
        self.effort.spend(len(one))
        return sum(min(count, other[piece]) * len(piece) for piece, count in one.items() if piece in other)

    def _pieces(self, oid: bytes) -> Counter[bytes]:
        if oid not in self._known:
            pieces = _PIECE.findall(self.read(oid))
            self.effort.spend(len(pieces))
            self._known[oid] = Counter(pieces)
        return self._known[oid]


class _Moves:
    """One search: what is left of the files that went and of those that came."""

    def __init__(self, changes: Changes, content: _Content) -> None:
        self._content = content
        self._edited = {path: (old, new) for path, (old, new) in changes.items() if old is not None and new is not None}
        self._went = {path: old for path, (old, new) in changes.items() if new is None and old is not None}
        self._came = {path: new for path, (old, new) in changes.items() if old is None and new is not None}
        self._found: dict[bytes, bytes] = {}

    def found(self) -> Mapping[bytes, bytes]:
        self._part_rewritten()
        self._pair_equal()
        self._pair_alike()
        return self._found

    def _part_rewritten(self) -> None:
        """Take what hardly anything is left of for two files, where there is another file that one of the two can be."""
        if len(self._edited) > MAX_REWRITES:
            return
        held, hold = {old for old, _ in self._edited.values()}, {new for _, new in self._edited.values()}
        went, came = self._comparable(self._went.values()), self._comparable(self._came.values())
        for path, (old, new) in self._edited.items():
            went_on = old in hold or any(self._content.can_be_alike(old, one) for one in came)
            came_from = new in held or any(self._content.can_be_alike(one, new) for one in went)
            if (went_on or came_from) and self._is_rewritten(old, new):
                self._went[path], self._came[path] = old, new

    def _comparable(self, others: Collection[bytes]) -> Collection[bytes]:
        """These files, unless they are too many to be compared with those that were edited."""
        return list(others) if len(others) * len(self._edited) <= MAX_PAIRS else ()

    def _is_rewritten(self, old: bytes, new: bytes) -> bool:
        shorter, longer = sorted((self._content.length(old), self._content.length(new)))
        if not MIN_REWRITTEN_BYTES <= longer <= MAX_COMPARED_BYTES:
            return False
        return self._content.common(old, new) * 100 < REWRITTEN * shorter

    def _pair_equal(self) -> None:
        """Files with equal bytes: those of the same name first, then in the order of their paths."""
        went = _by_content(self._went)
        for oid, paths in _by_content(self._came).items():
            sources = went.get(oid, [])
            by_name = _by_name(sources)
            for new in paths:
                if named := by_name.get(_name(new)):
                    self._pair(named.pop(), new)
            left = [old for old in sources if old in self._went]
            for old, new in zip(left, [new for new in paths if new in self._came], strict=False):
                self._pair(old, new)

    def _pair_alike(self) -> None:
        """The most alike first; of equally alike ones those of the same name, then in the order of their paths."""
        if not self._went or not self._came or len(self._went) * len(self._came) > MAX_PAIRS:
            return
        scored = [
            (-score, _name(old) != _name(new), old, new)
            for old, before in self._went.items()
            for new, after in self._came.items()
            if old != new and (score := self._likeness(before, after)) >= ALIKE
        ]
        for _, _, old, new in sorted(scored):
            if old in self._went and new in self._came:
                self._pair(old, new)

    def _likeness(self, old: bytes, new: bytes) -> int:
        """Percent of the longer file."""
        if not self._content.can_be_alike(old, new):
            return 0
        return self._content.common(old, new) * 100 // max(self._content.length(old), self._content.length(new))

    def _pair(self, old: bytes, new: bytes) -> None:
        self._found[new] = old
        del self._went[old], self._came[new]


def _by_content(files: Mapping[bytes, bytes]) -> dict[bytes, list[bytes]]:
    paths: defaultdict[bytes, list[bytes]] = defaultdict(list)
    for path, oid in sorted(files.items()):
        paths[oid].append(path)
    return paths


def _by_name(paths: Sequence[bytes]) -> dict[bytes, list[bytes]]:
    """The paths of each name, the last one first."""
    named: defaultdict[bytes, list[bytes]] = defaultdict(list)
    for path in reversed(paths):
        named[_name(path)].append(path)
    return named


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
