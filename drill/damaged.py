"""The index is deleted, cut off, overwritten or mixed up under running processes: answers stay right or there are none, and the
worker builds it anew by itself."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from drill.outcome import Outcome
from drill.site import Site, site

WHILE: Final = 4.0
"""Seconds for which people ask after each damage, before it is looked whether all is right again."""


def run(folder: Path) -> Outcome:
    """Each damage, one after the other."""
    with site(folder) as place:
        place.serve()
        place.work()
        took = {}
        for name, damage in DAMAGES.items():
            before = len(place.wrong)
            with place.still():
                damage(_file(place))
                time.sleep(WHILE)
                took[name] = place.recovers(mends=True)
            place.wrong[before:] = [f"{name}: {one}" for one in place.wrong[before:]]
        figures = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in took.items())
        return Outcome(
            place.wrong, f"right again {WHILE:.0f} s and {figures} later; answers {dict(sorted(place.answers.items()))}"
        )


def _file(place: Site) -> Path:
    index = place.place.data / "index"
    return index / (index / "current").read_text()


def _delete_all(file: Path) -> None:
    for path in file.parent.iterdir():
        path.unlink()


def _delete(file: Path) -> None:
    file.unlink()


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _cut(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)


def _overwrite(file: Path) -> None:
    """A piece in the middle of every page but the first."""
    chance = random.Random(3)
    with file.open("r+b") as stream:
        for start in range(4096, file.stat().st_size, 4096):
            stream.seek(start + chance.randrange(100, 3_900))
            stream.write(chance.randbytes(60))


def _flip(file: Path) -> None:
    """A single bit in each of some places, as a failing disk does."""
    chance = random.Random(5)
    data = bytearray(file.read_bytes())
    for _ in range(12):
        data[chance.randrange(4096, len(data))] ^= 1 << chance.randrange(8)
    with file.open("r+b") as stream:
        stream.write(data)


def _no_pointer(file: Path) -> None:
    (file.parent / "current").unlink()


def _other(file: Path) -> None:
    """Something else altogether."""
    file.write_bytes(b"not an index\n" * 1_000)


DAMAGES: Final[Mapping[str, Callable[[Path], None]]] = {
    "folder emptied": _delete_all,
    "file deleted": _delete,
    "pointer deleted": _no_pointer,
    "file emptied": _empty,
    "file cut off": _cut,
    "pages overwritten": _overwrite,
    "bits flipped": _flip,
    "another file": _other,
}
