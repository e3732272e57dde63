"""Sifting: strings are found wherever they stand in a file, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from evidence import sifting
from evidence.sifting import CHUNK, Strings, sift


def test_each_file_has_the_strings_that_stand_in_it(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "ein\nname", "drei"))
    one.write_bytes(b"Vorher Zaubernuss nachher")
    two.write_bytes("Zaubernuss und Straßenbahn".encode())
    three.write_bytes(b"nichts davon")
    found = sift([b"Zaubernuss", "Straßenbahn".encode(), b"gibtesnicht"], [one, two, three, tmp_path / "gone"])
    assert (found.strings, found.files) == ({one: frozenset({0}), two: frozenset({0, 1})}, 3)


@pytest.mark.parametrize("place", [0, 1, 7, CHUNK - 20, CHUNK - 5, CHUNK - 1, CHUNK, 2 * CHUNK - 3])
def test_a_string_is_found_at_any_place(place: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    needle = b"elf Byte ab"
    path.write_bytes(b"." * place + needle)
    assert sift([b"anderes Wort", needle], [path]).strings == {path: frozenset({1})}


def test_many_strings_are_compared_whole() -> None:
    random = Random(7)
    strings = [b"gleicher Anfang " + random.randbytes(8) for _ in range(5_000)]
    data = b"-".join([strings[17], b"gleicher Anfang und mehr", strings[4_999]])
    assert Strings(strings).within(data) == {17, 4_999}


def test_strings_within_each_other_are_both_found() -> None:
    assert Strings([b"Zaubernuss", b"Zaubernusswurzel", b"bernusswur"]).within(b"x Zaubernusswurzel") == {0, 1, 2}


@pytest.mark.parametrize("data", [b"", b"kurz", b"siebenB"])
def test_short_files_hold_nothing(data: bytes) -> None:
    assert Strings([b"acht Byte"]).within(data) == set()


def test_without_strings_nothing_is_read(tmp_path: Path) -> None:
    assert sift([], [tmp_path]) == sifting.Found({}, 0)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(sifting.Failed):
        sift([b"acht Byte"], [tmp_path])
