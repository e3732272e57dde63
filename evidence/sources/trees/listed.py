"""The walk through a place that is listed folder by folder: one question for each folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.sources.trees import Enter, Found, Unseen, composed, is_plain
from evidence.sources.trees.elsewhere import MAX_LISTED, Unreachable, reached, too_many

MAX_DEPTH: Final = 200
"""Folders inside one another: more are a circle, or nothing that has a path here."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a folder. found: None for a folder."""

    name: str
    found: Found | None


def walk(entries: Callable[[str], Sequence[Entry]], place: str, enter: Enter) -> Iterator[Found | Unseen]:
    """What is found below the root. entries: of a folder, by its path as the place writes it ("" is the root).

    A folder inside that denies access or is gone is named; any other failure ends the walk with an EvidenceError.
    """
    with reached(place):
        folders, number = [""], 0
        while folders:
            folder = folders.pop()
            try:
                listed = entries(folder)
            except (PermissionError, FileNotFoundError) as error:
                if not folder:
                    raise
                yield Unseen(composed(folder), error)
                continue
            number += len(listed)
            if number > MAX_LISTED or folder.count("/") > MAX_DEPTH:
                raise too_many()
            for entry in listed:
                path = inside(folder, entry.name)
                if not enter(composed(path)):
                    continue
                if entry.found is None:
                    folders.append(path)
                else:
                    yield entry.found


def inside(folder: str, name: str) -> str:
    """The path of this name in this folder. Raises Unreachable for a name that leads elsewhere: no listing holds one."""
    if "/" in name or not is_plain(name):
        raise Unreachable("NotAListing")
    return f"{folder}/{name}" if folder else name
