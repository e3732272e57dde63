"""The index can't be written for a while: searches go on, rights that were taken away are gone, and it catches up by itself."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drill.outcome import Outcome, Skipped
from drill.site import DOCUMENTS, site

TRIES = 50


def run(folder: Path) -> Outcome:
    """Changes at the origin while the index is mounted read-only."""
    with site(folder, "--watch") as place:
        place.serve()
        with place.asking():
            with _read_only(place.place.data / "index"):
                place.work()
                for _ in range(12):
                    place.origin.change()
                place.sync(check=False)
                time.sleep(3)
                for person in ("anna", "ben"):
                    for number in range(DOCUMENTS):  # texts may be those from before, rights may not
                        answer = place.ask(person, f"dokument{number}")
                        if answer.quotes and not place.expected(person, number):
                            place.wrong.append(f"{person} found {list(answer.quotes)} while the index could not follow")
            took = place.recovers()
        return Outcome(place.wrong, f"right again {took:.1f} s after; answers {dict(sorted(place.answers.items()))}")


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    """Root writes files whatever their mode says, so the folder is mounted again."""
    if not any(_mounted(folder) for _ in range(TRIES)):
        raise Skipped("mounting takes root")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _mounted(folder: Path) -> bool:
    """Try it once. A server that opens a file to write between the two steps keeps it from becoming read-only."""
    try:
        subprocess.run(["mount", "--bind", folder, folder], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    if subprocess.run(["mount", "-o", "remount,ro,bind", folder], capture_output=True).returncode:
        subprocess.run(["umount", "--lazy", folder], check=True)
        return False
    return True
