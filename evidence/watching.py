"""Watching: a changed file of a local folder asks for a run of its source.

What changes on a network file system is seen only by the machine that changes it: such a folder needs a time of its own
(`Source.sync_every`), which is also what mends a change that was missed here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.db import DatabaseError, close_old_connections, connections
from watchfiles import Change, watch

from evidence import syncing
from evidence.errors import EvidenceError
from evidence.models import Source, SourceKind
from evidence.sources.trees import places
from evidence.sources.trees.local import LocalTree

logger = logging.getLogger(__name__)

LOOKED_EVERY: Final = 2.0
"""Seconds between two looks at which folders are to be watched, and whether they are still there."""
GATHERED_MS: Final = 1_500
"""Changes are gathered until none comes for STEP_MS, at most for so long: a folder that is copied is one run, not a thousand."""
STEP_MS: Final = 300
TOLD_TO_STOP_MS: Final = 500
"""How long a watching thread takes to notice that it is to stop."""
WAIT_AFTER_FAULT: Final = 300.0
"""Seconds until a folder that could not be watched is tried again, with a run: the limit of the system may be reached."""


def folder_of(source: Source) -> Path | None:
    """The folder on this machine where a source is; None for one that is elsewhere, or that only receives."""
    return _local(source.location) if source.kind == SourceKind.FOLDER else None


def keep_watching(stop: threading.Event) -> None:
    """Watch the folders of all sources that are to be watched until `stop` is set. One that can't be watched is tried again."""
    watched: dict[_Place, _Watch | None] = {}
    try:
        while True:
            close_old_connections()
            _bring_in_line(watched)
            if stop.wait(LOOKED_EVERY):
                return
    finally:
        for one in watched.values():
            if one is not None:
                one.stop()
        connections.close_all()


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder to be watched. state: tells another folder in the same place from it, and other rules; None for none there."""

    source: int
    path: Path
    state: tuple[int, ...] | None


class _Watch:
    """A thread that watches one folder."""

    def __init__(self, place: _Place) -> None:
        self._place = place
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name=f"watch-{place.source}", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it still watches."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it."""
        self._stop.set()
        self._thread.join(10 * TOLD_TO_STOP_MS / 1_000)

    def _follow(self) -> None:
        try:
            root = self._place.path.resolve()  # as changed paths are told
            for _ in watch(
                root,
                watch_filter=_shown_below(root),
                debounce=GATHERED_MS,
                step=STEP_MS,
                rust_timeout=TOLD_TO_STOP_MS,
                stop_event=self._stop,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                self._tell()
        except Exception as fault:  # whatever it is, the others go on being watched
            logger.warning("source %s can't be watched: %s", self._place.source, type(fault).__name__)
            self._stop.wait(WAIT_AFTER_FAULT)
        finally:
            connections.close_all()

    def _tell(self) -> None:
        """Ask for a run. The change is told only once, so a database that takes nothing now is asked until it does."""
        while not self._stop.is_set():
            close_old_connections()
            try:
                syncing.changed(self._place.source)
                return
            except DatabaseError as fault:
                logger.warning("source %s changed, and a run can't be asked for: %s", self._place.source, type(fault).__name__)
                self._stop.wait(LOOKED_EVERY)


def _bring_in_line(watched: dict[_Place, _Watch | None]) -> None:
    """Begin and end watches, none for a folder that is not there. What changed while nobody watched is found by the run that a
    new one asks for, and so is it that a folder has gone.
    """
    try:
        wanted = _places()
        for place in [one for one, thread in watched.items() if one not in wanted or (thread and not thread.alive)]:
            if thread := watched.pop(place):
                thread.stop()
        for place in wanted - watched.keys():
            watched[place] = _begun(place)
    except DatabaseError as fault:
        logger.warning("which sources to watch can't be read: %s", type(fault).__name__)


def _begun(place: _Place) -> _Watch | None:
    """A watch, and a run that sees what it can't have seen. A watch without that run would be one that missed something."""
    thread = None if place.state is None else _Watch(place)
    try:
        syncing.changed(place.source)
    except DatabaseError:
        if thread is not None:
            thread.stop()
        raise
    return thread


def _places() -> set[_Place]:
    rows = Source.objects.filter(watched=True, kind=SourceKind.FOLDER)
    found = {(row.pk, _local(row.location), _local(row.rules_location) if row.rules_location else None) for row in rows}
    return {_Place(pk, path, _state(path, rules)) for pk, path, rules in found if path is not None}


def _state(folder: Path, rules: Path | None) -> tuple[int, ...] | None:
    try:
        there = folder.stat()
        stated = None if rules is None else rules.stat()
    except OSError:
        return None
    of_rules = () if stated is None else (stated.st_mtime_ns, stated.st_size, stated.st_ino)
    return (there.st_dev, there.st_ino, *of_rules)


def _local(location: str) -> Path | None:
    try:
        tree = places.at(location, {})
    except EvidenceError:
        return None
    return tree.root if isinstance(tree, LocalTree) else None


def _shown_below(root: Path) -> Callable[[Change, str], bool]:
    """Whether a changed path is one that a run would look at: nothing below the folder that is hidden."""

    def shown(change: Change, path: str) -> bool:
        if not Path(path).is_relative_to(root):
            return True
        return not any(part.startswith(".") for part in Path(path).relative_to(root).parts)

    return shown
