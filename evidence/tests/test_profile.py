"""The normalisation profile: what it changes, and that it changes nothing else."""

from __future__ import annotations

import sys

import pytest
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st

from evidence.profile import PROFILE, normalise


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\r\r\nb", "a\n\nb"),
        ("a\0b", "a\ufffdb"),
        ("Mu\u0308ller", "Müller"),
        ("\u212b", "Å"),
        ("\u1100\u1161\u11a8", "각"),
    ],
)
def test_line_ends_nul_and_decomposed_letters_are_changed(raw: str, text: str) -> None:
    assert normalise(raw) == text


@pytest.mark.parametrize(
    "text", ["  a\t b  \n", "5\u00a0000 €", "Agree\u00adment", "oﬃce", "\ufeffa", "a\u2028b\x85c\x0bd\x0ce", "Straße STRAẞE"]
)
def test_white_space_ligatures_and_case_are_kept(text: str) -> None:
    assert normalise(text) == text


def test_every_scalar_value_gives_what_the_pinned_database_says() -> None:
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code <= 0xDFFF and code not in (0, 0x0D):
            assert normalise(chr(code)) == unicodedata2.normalize("NFC", chr(code))


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_the_id_names_every_step_and_the_unicode_version() -> None:
    assert PROFILE.split() == ["newline=lf", "nul=fffd", "form=nfc", f"unicode={unicodedata2.unidata_version}"]
