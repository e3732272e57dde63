"""A folder of an SFTP server: whom it is, what is no file there, and everything that it can do wrong."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import paramiko
import pytest

from evidence.errors import EvidenceError, Refused
from evidence.sources.trees import sftp as sftp_tree
from evidence.tests.sftp import Server
from evidence.tests.shelves import Place, folder, reasons


def failing(number: int, *whats: str) -> Callable[[str, str], None]:
    """Raises an error of this number whenever one of these things is asked."""

    def before(what: str, path: str) -> None:
        if f"{what} {path}" in whats:
            raise OSError(number, "")

    return before


def test_a_server_is_known_by_its_key_and_no_password_is_tried_at_another(shelf: Place, sftp: Server) -> None:
    other = paramiko.ECDSAKey.generate()
    asked = shelf.folder(host_key=f"{other.get_name()} {other.get_base64()}")
    with pytest.raises(EvidenceError, match="BadHostKeyException") as caught:
        asked.list()
    assert (caught.value.code, sftp.passwords) == ("origin_unreachable", 0)


def test_a_wrong_password_is_tried_once(shelf: Place, sftp: Server) -> None:
    asked = shelf.folder(password="falsch")
    with pytest.raises(EvidenceError) as caught:
        asked.list()
    assert (caught.value.code, sftp.passwords) == ("origin_denied", 1)


@pytest.mark.parametrize(
    "options",
    [{}, {"host_key": ""}, {"password": ""}, {"username": ""}, {"host_key": "ssh-ed25519"}, {"host_key": "ssh-ed25519 AAAA"}],
)
def test_what_opens_a_server_is_said_by_the_operator(shelf: Place, options: Mapping[str, str]) -> None:
    with pytest.raises(Refused) as caught:
        folder(shelf.location, {**shelf.options, **options} if options else {}).list()
    assert caught.value.code in {"origin_credentials", "origin_option"}


def test_a_key_file_that_is_not_there_is_no_missing_folder(shelf: Place) -> None:
    with pytest.raises(Refused) as caught:
        shelf.folder(key_file="/nonexistent").rights(["a.md"])
    assert caught.value.code == "origin_option"


def test_links_and_pipes_at_a_server_are_refused(shelf: Place, tmp_path: Path) -> None:
    root = tmp_path / "sftp" / "docs"
    shelf.write("a.md", b"")
    (root / "link.md").symlink_to(root / "a.md")
    (root / "folder").symlink_to(root)
    os.mkfifo(root / "pipe.md")
    found = shelf.folder().list()
    assert (reasons(found), found.complete) == ({"link.md": "link_not_followed", "pipe.md": "not_a_file"}, True)
    assert [item.path for item in found.items] == ["a.md"]


@pytest.mark.parametrize("path", ["a.md", "sub/b.md"])
def test_what_became_a_link_after_the_listing_is_not_read(shelf: Place, tmp_path: Path, path: str) -> None:
    shelf.write(path, b"")
    item = shelf.folder().list().items[0]
    (tmp_path / "sftp" / "secret" / "sub").mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (tmp_path / "sftp" / "secret" / name).write_text("secret")
    first = tmp_path / "sftp" / "docs" / path.split("/")[0]
    first.rename(tmp_path / "sftp" / "moved")
    first.symlink_to(tmp_path / "sftp" / "secret" / ("a.md" if path == "a.md" else ""))
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "link_not_followed"


def test_a_file_that_is_written_while_it_is_read_is_refused(shelf: Place, sftp: Server, tmp_path: Path) -> None:
    shelf.write("a.md", b"one")
    item = shelf.folder().list().items[0]
    sftp.after_opening = lambda path: (tmp_path / "sftp" / "docs" / "a.md").write_bytes(b"longer")
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "file_changed"


def test_a_folder_that_denies_access_makes_a_listing_incomplete(shelf: Place, sftp: Server) -> None:
    shelf.write("a.md", b"")
    shelf.write("sub/b.md", b"")
    sftp.before = failing(errno.EACCES, "list /docs/sub")
    found = shelf.folder().list()
    assert (reasons(found), found.complete, [item.path for item in found.items]) == ({"sub": "unreadable"}, False, ["a.md"])


def test_a_folder_that_can_not_be_listed_is_an_error_of_the_whole_listing(shelf: Place, sftp: Server) -> None:
    shelf.write("a.md", b"")
    shelf.write("sub/b.md", b"")
    sftp.before = failing(errno.EIO, "list /docs/sub")
    with pytest.raises(EvidenceError) as caught:
        shelf.folder().list()
    assert (caught.value.code, sftp.asked.count("list /docs/sub")) == ("origin_unreachable", 3)


def test_a_server_that_hangs_is_waited_for_a_bounded_time(shelf: Place, sftp: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sftp_tree, "ANSWER_SECONDS", 0.3)
    sftp.before = lambda what, path: time.sleep(10)
    started = time.monotonic()
    with pytest.raises(EvidenceError) as caught:
        shelf.folder().stamp()
    assert caught.value.code == "origin_unreachable"
    assert time.monotonic() - started < 8


@pytest.mark.parametrize("path", ["", "/", "/docs/", "//docs"])
def test_a_place_may_be_the_root_or_end_with_a_slash(shelf: Place, sftp: Server, path: str) -> None:
    shelf.write("a.md", b"")
    address = f"sftp://127.0.0.1:{sftp.port}{path}"
    if path == "//docs":
        with pytest.raises(Refused):
            folder(address, shelf.options)
    else:
        assert [item.path.rpartition("/")[2] for item in folder(address, shelf.options).list().items] == ["a.md"]


def test_a_connection_ends_with_who_asked(shelf: Place, sftp: Server) -> None:
    shelf.folder().stamp()
    shelf.folder().list()
    assert len(sftp.lines) == 2
    for line in sftp.lines:
        line.join(5)
        assert not line.is_active()
