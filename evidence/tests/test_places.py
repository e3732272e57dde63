"""From addresses to places: which are known, and what is never accepted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from evidence.errors import Refused
from evidence.sources.trees import elsewhere
from evidence.tests.shelves import KEYS, folder


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("", "origin_missing"),
        ("simplecache::s3://b/c", "origin_chained"),
        ("zip://a.md::s3://b/c.zip", "origin_chained"),
        ("s3://key:secret@bucket/c", "origin_password"),
        ("sftp://eva:geheim@host/c", "origin_password"),
        ("https://eva@host/c", "origin_password"),
        ("https://host/c?sig=geheim", "origin_address"),
        ("https://host/c/../d", "origin_address"),
        ("https:///c", "origin_address"),
        ("sftp:///c", "origin_address"),
        ("sftp://host:port/c", "origin_address"),
        ("ftp://host/c", "origin_scheme"),
        ("memory://c", "origin_scheme"),
        ("reference://c", "origin_scheme"),
        ("data://x", "origin_scheme"),
        ("s3:///c", "origin_address"),
        ("s3://Bucket/c", "origin_address"),
        ("s3://bucket/a/../b", "origin_address"),
        ("s3://bucket//b", "origin_address"),
        ("file://host/c", "origin_address"),
    ],
)
def test_addresses_that_are_no_places_are_refused_without_a_word_of_them(location: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        folder(location, KEYS)
    assert caught.value.code == code
    assert "geheim" not in str(caught.value) and "secret" not in str(caught.value)


def test_the_schemes_that_can_be_read_are_named() -> None:
    with pytest.raises(Refused, match="ftp:// can't be read. Known are: file, "):
        folder("ftp://host/c")


def test_a_file_address_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "mit Leerzeichen").mkdir()
    (tmp_path / "mit Leerzeichen" / "a.md").write_text("")
    for location in (f"file://{tmp_path}/mit%20Leerzeichen", f"FILE://localhost{tmp_path}/mit%20Leerzeichen/"):
        assert len(folder(location).list().items) == 1


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "origin_credentials"),
        ({"key": "k"}, "origin_credentials"),
        ({"anon": "ja"}, "origin_option"),
        ({"kye": "k"}, "origin_option"),
    ],
)
def test_what_opens_a_bucket_is_said_by_the_operator(options: Mapping[str, str], code: str) -> None:
    with pytest.raises(Refused) as caught:
        folder("s3://bucket/c", options)
    assert caught.value.code == code


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "find_spec", lambda name: None)
    with pytest.raises(Refused, match=r"s3fs, which is not installed: pip install fundstelle\[origins\]"):
        folder("s3://bucket/c", KEYS)
