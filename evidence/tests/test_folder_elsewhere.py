"""Folders at addresses: what every place does alike, and an S3 bucket on a good day and on bad ones."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import fsspec
import paramiko
import pytest

from evidence.errors import EvidenceError, Refused
from evidence.sources import Listing, Origin, Rights
from evidence.sources.folder import Folder, RulesFile, at
from evidence.sources.trees import MAX_FILE_BYTES, elsewhere, s3
from evidence.sources.trees import sftp as sftp_tree
from evidence.tests.buckets import Between, Bucket, MemoryTree, s3_server
from evidence.tests.sftp import Server, sftp_server

OPEN = '[[document]]\npath = "**"\nallowed = ["group:all"]\n'
ENDINGS = (".md", ".txt")
KEYS = {"key": "k", "secret": "s", "region": "eu-central-1"}


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[str, int]]:
    with s3_server() as running:
        yield running


@pytest.fixture
def between(server: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> Iterator[Between]:
    monkeypatch.setattr(elsewhere, "PAUSES", (0.01, 0.01))
    with Between(server) as running:
        yield running


@dataclass
class Place:
    """Somewhere a folder can be."""

    write: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    folder: Callable[[], Folder]
    location: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def local(root: Path) -> Place:
    def write(path: str, data: bytes) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)

    return Place(write, lambda path: (root / path).unlink(), lambda: at(Origin(str(root), "", ENDINGS, {}, root)))


def in_memory() -> Place:
    files, root = fsspec.filesystem("memory"), f"/{uuid4().hex}"
    tree = MemoryTree(root)
    return Place(
        lambda path, data: files.pipe_file(f"{root}/{path}", data),
        lambda path: files.rm(f"{root}/{path}"),
        lambda: Folder(tree, RulesFile(tree, "fundstelle.toml"), ENDINGS),
    )


def in_bucket(between: Between, server: tuple[str, int], prefix: str = "docs/") -> Place:
    bucket = Bucket(server)
    location = f"s3://{bucket.name}/{prefix}"
    options = {**KEYS, "endpoint_url": between.url}
    return Place(
        lambda path, data: bucket.write(prefix + path, data),
        lambda path: bucket.remove(prefix + path),
        lambda: at(Origin(location, "", ENDINGS, options, Path("/nonexistent"))),
        location,
        options,
    )


def at_sftp(root: Path, sftp: Server) -> Place:
    inside = local(root / "docs")
    location = f"sftp://127.0.0.1:{sftp.port}/docs"
    options = sftp.options()
    return Place(
        inside.write, inside.remove, lambda: at(Origin(location, "", ENDINGS, options, Path("/nonexistent"))), location, options
    )


@pytest.fixture
def sftp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(elsewhere, "PAUSES", (0.01, 0.01))
    (tmp_path / "sftp").mkdir()
    with sftp_server(tmp_path / "sftp") as running:
        yield running


@pytest.fixture(params=["local", "memory", "s3", "sftp"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    match request.param:
        case "local":
            return local(tmp_path / "root")
        case "memory":
            return in_memory()
        case "sftp":
            return at_sftp(tmp_path / "sftp", request.getfixturevalue("sftp"))
    return in_bucket(request.getfixturevalue("between"), request.getfixturevalue("server"))


@pytest.fixture
def bucket(between: Between, server: tuple[str, int]) -> Place:
    made = in_bucket(between, server)
    made.write("fundstelle.toml", OPEN.encode())
    return made


def reasons(found: Listing) -> dict[str, str]:
    return {refusal.path: refusal.error.code for refusal in found.refusals}


def test_a_folder_is_listed_the_same_wherever_it_lies(place: Place) -> None:
    rules = '[source]\ntitle = "Akten"\nleave_out = ["old", "*.draft.md"]\n' + OPEN
    for path in ("a.md", "b/c/d.TXT", "old/e.md", "f.draft.md", ".g.md", ".git/h.md", "i.pdf", "b/LICENSE", "Ma\u0308rz.md"):
        place.write(path, f"Text of {path}".encode())
    place.write("fundstelle.toml", rules.encode())
    found = place.folder().list()
    assert {item.path: item.read() for item in found.items} == {
        "a.md": b"Text of a.md",
        "b/c/d.TXT": b"Text of b/c/d.TXT",
        "März.md": "Text of Ma\u0308rz.md".encode(),
    }
    assert (found.refusals, found.unread, found.complete) == ([], {"": 1, ".pdf": 1}, True)
    assert (found.settings.title, found.stamp) == ("Akten", place.folder().stamp())


def test_without_rules_everything_is_for_nobody(place: Place) -> None:
    place.write("a.md", b"")
    assert [item.rights for item in place.folder().list().items] == [Rights()]
    assert place.folder().rights(["a.md"]) == {"a.md": Rights()}


def test_rules_are_those_of_this_moment(place: Place) -> None:
    place.write("a.md", b"")
    place.write("fundstelle.toml", OPEN.encode())
    folder = place.folder()
    listed = folder.list()
    place.write("fundstelle.toml", OPEN.replace("group:all", "group:law").encode())
    assert folder.rights(["a.md"]) == {"a.md": Rights(("group:law",))}
    assert folder.stamp() != listed.stamp
    assert folder.list().items[0].rights == Rights(("group:law",))


def test_a_listing_is_never_one_from_before(place: Place) -> None:
    place.write("a/b.md", b"")
    folder = place.folder()
    folder.list()
    place.write("a/c.md", b"")
    place.remove("a/b.md")
    assert [item.path for item in folder.list().items] == ["a/c.md"]


def test_rules_that_are_none_are_an_error_and_not_no_rules(place: Place) -> None:
    place.write("a.md", b"")
    place.write("fundstelle.toml", b"[")
    for asked in (Folder.list, lambda folder: folder.rights(["a.md"])):
        with pytest.raises(Refused) as caught:
            asked(place.folder())
        assert caught.value.code == "rules_syntax"


def test_rights_are_not_stated_of_what_is_left_out(place: Place) -> None:
    place.write("fundstelle.toml", ('[source]\nleave_out = ["old"]\n' + OPEN).encode())
    for path in ("a.md", "old/b.md", ".c.md"):
        place.write(path, b"")
    assert set(place.folder().rights(["a.md", "old/b.md", ".c.md", "fundstelle.toml"])) == {"a.md"}


def test_two_names_that_are_the_same_in_nfc_are_refused_both(place: Place) -> None:
    place.write("Ma\u0308rz.md", b"1")
    place.write("März.md", b"2")
    found = place.folder().list()
    assert (found.items, [refusal.error.code for refusal in found.refusals]) == ([], ["duplicate_document"] * 2)


def test_names_that_are_no_text_are_refused(place: Place) -> None:
    place.write("a\x07b.md", b"")
    place.write("a\u2028.md", b"")
    assert reasons(place.folder().list()) == {"a\\x07b.md": "path_not_text", "a\\u2028.md": "path_not_text"}


def test_a_folder_that_is_not_there_is_no_empty_folder(place: Place) -> None:
    with pytest.raises(Refused) as caught:
        place.folder().list()
    assert caught.value.code == "folder_missing"


def test_what_is_gone_when_it_is_read_raises_an_error_of_the_system(place: Place) -> None:
    place.write("a.md", b"")
    item = place.folder().list().items[0]
    place.remove("a.md")
    with pytest.raises(FileNotFoundError):
        item.read()


def test_keys_that_are_no_paths_are_refused_and_markers_of_folders_are_none(bucket: Place) -> None:
    for key in ("a//b.md", "a/../c.md", "../d.md", "/e.md", "./f.md", "g.md/", "h\x07.md"):
        bucket.write(key, b"x")
    for key in ("", "sub/", "i/j.md"):
        bucket.write(key, b"")
    found = bucket.folder().list()
    assert [item.path for item in found.items] == ["i/j.md"]
    unclear = ("a//b.md", "a/../c.md", "../d.md", "/e.md", "./f.md", "g.md/")
    assert reasons(found) == {**dict.fromkeys(unclear, "path_unclear"), "h\\x07.md": "path_not_text"}
    assert found.complete


def test_a_key_is_read_as_it_is_whatever_it_looks_like(bucket: Place) -> None:
    keys = ["a.md", "a.md?versionId=1.md", "b%20c.md", "d+e f.md", "s3://x/y.md", "#.md", "ü&<>'\".md", "a.md ?.md"]
    for key in keys:
        bucket.write(key, key.encode())
    items = bucket.folder().list().items
    assert {item.path: item.read().decode() for item in items if item.path != "s3://x/y.md"} == {
        key: key for key in keys if key != "s3://x/y.md"
    }


def test_a_listing_goes_over_pages_and_asks_once_for_each(bucket: Place, between: Between) -> None:
    for number in range(2_000):
        bucket.write(f"{number % 7}/{number}.md", b"x")
    found = bucket.folder().list()
    assert (len(found.items), len({item.stamp for item in found.items})) == (2_000, 2_000)
    assert len(between.requests) == 1 + 3  # the rules, and 2,001 keys


def test_a_stamp_is_the_same_while_the_object_is_and_another_when_it_was_written(bucket: Place) -> None:
    bucket.write("a.md", b"one")
    first = bucket.folder().list().items[0]
    assert first.stamp and first.stamp == bucket.folder().list().items[0].stamp
    bucket.write("a.md", b"two")
    assert first.stamp != bucket.folder().list().items[0].stamp


def test_equal_bytes_at_two_places_have_two_stamps(bucket: Place) -> None:
    bucket.write("a.md", b"one")
    bucket.write("b.md", b"one")
    assert len({item.stamp for item in bucket.folder().list().items}) == 2


def test_an_object_that_changed_after_the_listing_is_not_read(bucket: Place) -> None:
    bucket.write("a.md", b"one")
    item = bucket.folder().list().items[0]
    bucket.write("a.md", b"two")
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "file_changed"


def test_a_server_that_ignores_the_condition_is_found_out(bucket: Place, between: Between) -> None:
    bucket.write("a.md", b"one")
    item = bucket.folder().list().items[0]
    between.reply = lambda number, method, path: (
        200,
        {"ETag": '"other"', "Last-Modified": "Mon, 30 Nov 2026 12:00:00 GMT"},
        b"two",
    )
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "file_changed"


def test_of_versions_the_current_one_is_listed_and_a_removed_object_is_gone(between: Between, server: tuple[str, int]) -> None:
    bucket = Bucket(server)
    bucket.keep_versions()
    for data in (b"old", b"new"):
        bucket.write("a.md", data)
        bucket.write("b.md", data)
    bucket.remove("b.md")
    found = at(Origin(f"s3://{bucket.name}", "", ENDINGS, {**KEYS, "endpoint_url": between.url}, Path())).list()
    assert [(item.path, item.read()) for item in found.items] == [("a.md", b"new")]


def test_a_prefix_does_not_take_its_neighbours_in(bucket: Place, between: Between, server: tuple[str, int]) -> None:
    other = Bucket(server)
    other.write("docs/a.md", b"")
    other.write("docs-secret/b.md", b"")
    found = at(Origin(f"s3://{other.name}/docs", "", ENDINGS, {**KEYS, "endpoint_url": between.url}, Path())).list()
    assert [item.path for item in found.items] == ["a.md"]


def test_an_object_that_is_too_long_is_not_even_asked_for(bucket: Place, between: Between) -> None:
    bucket.write("a.md", b"x" * (MAX_FILE_BYTES + 1))
    item = bucket.folder().list().items[0]
    asked = len(between.requests)
    with pytest.raises(Refused) as caught:
        item.read()
    assert (caught.value.code, len(between.requests)) == ("file_too_large", asked)


def test_a_rules_file_that_is_too_long_is_refused(bucket: Place) -> None:
    bucket.write("fundstelle.toml", b"#" * 1_000_001)
    with pytest.raises(Refused) as caught:
        bucket.folder().list()
    assert caught.value.code == "rules_too_large"


ERROR = b"<?xml version='1.0'?><Error><Code>InternalError</Code><Message>secret words</Message></Error>"
PAGE = b"<!DOCTYPE html><html><body><h1>Please sign in</h1></body></html>"


def short_pages(bucket: Place, between: Between) -> None:
    """Three objects beside the rules, and two on a page."""
    for name in ("a.md", "b.md", "c.md"):
        bucket.write(name, b"x")
    between.rewritten = lambda path: f"{path}&max-keys=2" if "list-type" in path else path


def third(answer: tuple[int, Mapping[str, str], bytes]) -> Any:
    """What is asked for after the rules and the first page is answered so, every time."""
    return lambda number, method, path: answer if number > 2 else None


@pytest.mark.parametrize(
    ("status", "body", "code", "attempts"),
    [
        (500, ERROR, "origin_unreachable", 3),
        (503, ERROR.replace(b"InternalError", b"SlowDown"), "origin_unreachable", 3),
        (403, ERROR.replace(b"InternalError", b"AccessDenied"), "origin_denied", 1),
        (404, ERROR.replace(b"InternalError", b"NoSuchBucket"), "origin_unreachable", 1),
        (400, ERROR.replace(b"InternalError", b"InvalidArgument"), "origin_unreachable", 1),
        (200, b"", "origin_unreachable", 1),
        (200, PAGE, "origin_unreachable", None),
        (200, b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "origin_unreachable", 1),
        (302, b"", "origin_unreachable", None),
    ],
)
def test_an_error_in_the_middle_is_an_error_of_the_whole_listing(
    bucket: Place, between: Between, status: int, body: bytes, code: str, attempts: int | None
) -> None:
    short_pages(bucket, between)
    between.reply = third((status, {"Location": "http://127.0.0.1:1/"}, body))
    with pytest.raises(EvidenceError) as caught:
        bucket.folder().list()
    assert caught.value.code == code
    assert "secret" not in str(caught.value)
    assert attempts is None or len(between.requests) == 2 + attempts


def test_two_pages_make_one_listing(bucket: Place, between: Between) -> None:
    short_pages(bucket, between)
    assert [item.path for item in bucket.folder().list().items] == ["a.md", "b.md", "c.md"]
    assert len(between.requests) == 3


def test_a_passing_error_is_asked_again(bucket: Place, between: Between) -> None:
    short_pages(bucket, between)
    between.reply = lambda number, method, path: (500, {}, ERROR) if number in {1, 3, 4} else None
    assert len(bucket.folder().list().items) == 3


def test_a_body_that_ends_too_early_is_no_body(bucket: Place, between: Between) -> None:
    bucket.write("a.md", b"x" * 1000)
    item = bucket.folder().list().items[0]
    between.cut = 1
    with pytest.raises(OSError):
        item.read()


def test_an_endpoint_that_sends_elsewhere_is_not_followed(bucket: Place, between: Between, server: tuple[str, int]) -> None:
    with Between(server) as other:
        for status in (301, 302, 307, 308):
            to = {"Location": f"{other.url}/x", "x-amz-bucket-region": "eu-west-1"}
            between.reply = lambda number, method, path, status=status, to=to: (status, to, b"")
            with pytest.raises(EvidenceError) as caught:
                bucket.folder().stamp()
            assert caught.value.code == "origin_unreachable"
        assert other.requests == []


def test_an_endpoint_that_hangs_is_waited_for_a_bounded_time(
    bucket: Place, between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "CALL_SECONDS", 0.3)

    def late(number: int, method: str, path: str) -> None:
        time.sleep(2)

    between.reply = late
    started = time.monotonic()
    with pytest.raises(EvidenceError) as caught:
        bucket.folder().list()
    assert caught.value.code == "origin_unreachable"
    assert time.monotonic() - started < 1.9


def test_where_nobody_listens_is_said_so(between: Between) -> None:
    folder = at(Origin("s3://akten", "", ENDINGS, {**KEYS, "endpoint_url": "http://127.0.0.1:1"}, Path()))
    for asked in (Folder.list, Folder.stamp, lambda folder: folder.rights(["a.md"])):
        with pytest.raises(EvidenceError) as caught:
            asked(folder)
        assert caught.value.code == "origin_unreachable"


def test_a_place_that_does_not_answer_is_not_asked_for_every_file(bucket: Place, between: Between) -> None:
    for number in range(10):
        bucket.write(f"{number}.md", b"x")
    items = bucket.folder().list().items
    asked = len(between.requests)
    between.reply = lambda number, method, path: (500, {}, ERROR)
    for item in items:
        with pytest.raises(OSError):
            item.read()
    assert len(between.requests) == asked + 3


def test_rules_that_are_denied_are_an_error_and_not_no_rules(bucket: Place, between: Between) -> None:
    between.reply = lambda number, method, path: (403, {}, ERROR.replace(b"InternalError", b"AccessDenied"))
    with pytest.raises(EvidenceError) as caught:
        bucket.folder().rights(["a.md"])
    assert caught.value.code == "origin_denied"


def test_rights_of_a_thousand_paths_are_one_request(bucket: Place, between: Between) -> None:
    folder = bucket.folder()
    assert len(folder.rights([f"{number}.md" for number in range(1_000)])) == 1_000
    assert len(between.requests) == 1


def test_the_rules_may_lie_elsewhere(bucket: Place, tmp_path: Path, between: Between) -> None:
    bucket.write("a.md", b"")
    (tmp_path / "rules.toml").write_text(OPEN.replace("group:all", "group:law"))
    named = at(Origin(bucket.location, str(tmp_path / "rules.toml"), ENDINGS, bucket.options, tmp_path))
    assert named.list().items[0].rights == Rights(("group:law",))
    (tmp_path / "a.md").write_text("")
    here = at(Origin(str(tmp_path), f"{bucket.location}fundstelle.toml", ENDINGS, bucket.options, tmp_path))
    assert here.list().items[0].rights == Rights(("group:all",))


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("", "origin_missing"),
        ("simplecache::s3://b/c", "origin_chained"),
        ("zip://a.md::s3://b/c.zip", "origin_chained"),
        ("s3://key:secret@bucket/c", "origin_password"),
        ("sftp://eva:geheim@host/c", "origin_password"),
        ("https://eva@host/c", "origin_password"),
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
        at(Origin(location, "", ENDINGS, KEYS, Path()))
    assert caught.value.code == code
    assert "geheim" not in str(caught.value) and "secret" not in str(caught.value)


def test_the_schemes_that_can_be_read_are_named() -> None:
    with pytest.raises(Refused, match="ftp:// can't be read. Known are: file, "):
        at(Origin("ftp://host/c", "", ENDINGS, {}, Path()))


def test_a_file_address_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "mit Leerzeichen").mkdir()
    (tmp_path / "mit Leerzeichen" / "a.md").write_text("")
    for location in (f"file://{tmp_path}/mit%20Leerzeichen", f"FILE://localhost{tmp_path}/mit%20Leerzeichen/"):
        assert len(at(Origin(location, "", ENDINGS, {}, Path())).list().items) == 1


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
        at(Origin("s3://bucket/c", "", ENDINGS, options, Path()))
    assert caught.value.code == code


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "find_spec", lambda name: None)
    with pytest.raises(Refused, match=r"s3fs, which is not installed: pip install fundstelle\[origins\]"):
        at(Origin("s3://bucket/c", "", ENDINGS, KEYS, Path()))


@pytest.fixture
def shelf(tmp_path: Path, sftp: Server) -> Place:
    made = at_sftp(tmp_path / "sftp", sftp)
    made.write("fundstelle.toml", OPEN.encode())
    return made


def failing(number: int, *whats: str) -> Callable[[str, str], None]:
    """Raises an error of this number whenever one of these things is asked."""

    def before(what: str, path: str) -> None:
        if f"{what} {path}" in whats:
            raise OSError(number, "")

    return before


def test_a_server_is_known_by_its_key_and_no_password_is_tried_at_another(shelf: Place, sftp: Server) -> None:
    other = paramiko.ECDSAKey.generate()
    folder = at(
        Origin(shelf.location, "", ENDINGS, {**shelf.options, "host_key": f"{other.get_name()} {other.get_base64()}"}, Path())
    )
    with pytest.raises(EvidenceError, match="BadHostKeyException") as caught:
        folder.list()
    assert (caught.value.code, sftp.passwords) == ("origin_unreachable", 0)


def test_a_wrong_password_is_tried_once(shelf: Place, sftp: Server) -> None:
    folder = at(Origin(shelf.location, "", ENDINGS, {**shelf.options, "password": "falsch"}, Path()))
    with pytest.raises(EvidenceError) as caught:
        folder.list()
    assert (caught.value.code, sftp.passwords) == ("origin_denied", 1)


@pytest.mark.parametrize(
    "options",
    [{}, {"host_key": ""}, {"password": ""}, {"username": ""}, {"host_key": "ssh-ed25519"}, {"host_key": "ssh-ed25519 AAAA"}],
)
def test_what_opens_a_server_is_said_by_the_operator(shelf: Place, options: Mapping[str, str]) -> None:
    with pytest.raises(Refused) as caught:
        at(Origin(shelf.location, "", ENDINGS, {**shelf.options, **options} if options else {}, Path())).list()
    assert caught.value.code in {"origin_credentials", "origin_option"}


def test_a_key_file_that_is_not_there_is_no_missing_folder(shelf: Place) -> None:
    with pytest.raises(Refused) as caught:
        at(Origin(shelf.location, "", ENDINGS, {**shelf.options, "key_file": "/nonexistent"}, Path())).rights(["a.md"])
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
    sftp.before = lambda what, path: time.sleep(2)
    started = time.monotonic()
    with pytest.raises(EvidenceError) as caught:
        shelf.folder().stamp()
    assert caught.value.code == "origin_unreachable"
    assert time.monotonic() - started < 5
