"""Sifting: which of many byte strings stand in which of many files.

A program of its own, `python sifting.py`: a process that closes a file of SQLite's loses its locks on it, and whoever asks may
have that file open. Knows nothing of Django. In: a line of JSON with the strings (base64), then paths that end with NUL. Out: a
line of JSON for each file that holds any, and one with what was read.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

SHORTEST: Final = 8
"""Bytes of a string; the first eight are compared at once."""
CHUNK: Final = 4_000_000
"""Bytes that are read at once; their hashes take as much again."""
HASH_BITS: Final = 22
"""A table of four million flags fits the processor's cache, and few of a hundred thousand strings share one."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_KEY: Final = np.dtype("<u8")


class Failed(Exception):
    """Not everything could be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files that hold any of the strings, with the numbers of those; how many files were read."""

    strings: Mapping[Path, frozenset[int]]
    files: int


class Strings:
    """The strings that are looked for, ready for comparing. Each has at least SHORTEST bytes."""

    def __init__(self, strings: Sequence[bytes]) -> None:
        self._strings = strings
        self._numbers: dict[bytes, list[int]] = {}
        for number, one in enumerate(strings):
            self._numbers.setdefault(one[:SHORTEST], []).append(number)
        keys = np.frombuffer(b"".join(self._numbers), _KEY)
        self._flags = np.zeros(1 << HASH_BITS, np.bool_)
        self._flags[_hashes(keys)] = True
        self.overlap = max(map(len, strings), default=1) - 1

    def within(self, data: bytes) -> set[int]:
        """The numbers of the strings that these bytes hold."""
        return {
            number
            for place in self._candidates(data)
            for number in self._numbers.get(data[place : place + SHORTEST], ())
            if data.startswith(self._strings[number], place)
        }

    def _candidates(self, data: bytes) -> Iterator[int]:
        """Places where one may begin: eight rows of eight bytes each, shifted by one byte."""
        for shift in range(min(SHORTEST, len(data) - SHORTEST + 1)):
            keys = np.frombuffer(data, _KEY, (len(data) - shift) // SHORTEST, shift)
            yield from (np.flatnonzero(self._flags[_hashes(keys)]) * SHORTEST + shift).tolist()


def sift(strings: Sequence[bytes], paths: Iterable[Path]) -> Found:
    """Look for these strings in these files, in a process of its own. Files that are gone by then hold nothing.

    Raises Failed when a file can't be read, or the process ends before all were.
    """
    if not strings:
        return Found({}, 0)
    lines = [json.dumps([base64.b64encode(one).decode() for one in strings]).encode(), b"\n"]
    names = [path for path in paths if "\0" not in str(path)]
    asked = b"".join([*lines, *(str(path).encode(errors="surrogateescape") + b"\0" for path in names)])
    done = subprocess.run([sys.executable, "-I", __file__], input=asked, capture_output=True, check=False)
    if done.returncode:
        raise Failed
    *found, read = [json.loads(line) for line in done.stdout.splitlines()]
    return Found({names[one["file"]]: frozenset(one["strings"]) for one in found}, read["files"])


def main(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Answer one question."""
    strings = Strings([base64.b64decode(one) for one in json.loads(stdin.readline())])
    files = 0
    for number, name in enumerate(stdin.read().split(b"\0")[:-1]):
        try:
            found = _within(Path(name.decode(errors="surrogateescape")), strings)
        except FileNotFoundError:
            continue
        files += 1
        if found:
            stdout.write(json.dumps({"file": number, "strings": sorted(found)}).encode() + b"\n")
    stdout.write(json.dumps({"files": files}).encode() + b"\n")


def _within(path: Path, strings: Strings) -> set[int]:
    found: set[int] = set()
    kept = b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            data = kept + chunk
            found |= strings.within(data)
            kept = data[-strings.overlap :] if strings.overlap else b""
    return found


def _hashes(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (keys * _ODD) >> np.uint64(64 - HASH_BITS)


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
