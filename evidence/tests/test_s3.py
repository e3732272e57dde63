"""A bucket taken for a folder: what keys are, pages, stamps, and everything that a server can do wrong."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from evidence import syncing
from evidence.errors import EvidenceError, Refused
from evidence.models import Source, SourceKind
from evidence.sources import Rights
from evidence.sources.folder import Folder
from evidence.sources.trees import MAX_FILE_BYTES
from evidence.sources.trees import s3 as s3_tree
from evidence.tests import builders
from evidence.tests.buckets import Between, Bucket, late
from evidence.tests.shelves import KEYS, OPEN, Place, folder, reasons

ERROR = b"<?xml version='1.0'?><Error><Code>InternalError</Code><Message>secret words</Message></Error>"
PAGE = b"<!DOCTYPE html><html><body><h1>Please sign in</h1></body></html>"


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
    for number in range(1_100):
        bucket.write(f"{number % 7}/{number}.md", b"x")
    found = bucket.folder().list()
    assert (len(found.items), len({item.stamp for item in found.items})) == (1_100, 1_100)
    assert len(between.requests) == 1 + 2  # the rules, and 1,101 keys


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


def test_an_object_in_an_archive_is_refused_by_name(bucket: Place, between: Between) -> None:
    bucket.write("a.md", b"one")
    item = bucket.folder().list().items[0]
    between.reply = lambda number, method, path: (403, {}, ERROR.replace(b"InternalError", b"InvalidObjectState"))
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "object_archived"


def test_of_versions_the_current_one_is_listed_and_a_removed_object_is_gone(between: Between, s3: tuple[str, int]) -> None:
    bucket = Bucket(s3)
    bucket.keep_versions()
    for data in (b"old", b"new"):
        bucket.write("a.md", data)
        bucket.write("b.md", data)
    bucket.remove("b.md")
    found = folder(f"s3://{bucket.name}", {**KEYS, "endpoint_url": between.url}).list()
    assert [(item.path, item.read()) for item in found.items] == [("a.md", b"new")]


def test_a_prefix_does_not_take_its_neighbours_in(between: Between, s3: tuple[str, int]) -> None:
    other = Bucket(s3)
    other.write("docs/a.md", b"")
    other.write("docs-secret/b.md", b"")
    found = folder(f"s3://{other.name}/docs", {**KEYS, "endpoint_url": between.url}).list()
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


def test_an_endpoint_that_sends_elsewhere_is_not_followed(bucket: Place, between: Between, s3: tuple[str, int]) -> None:
    with Between(s3) as other:
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
    monkeypatch.setattr(s3_tree, "CALL_SECONDS", 0.3)
    between.reply = late
    started = time.monotonic()
    with pytest.raises(EvidenceError) as caught:
        bucket.folder().list()
    assert caught.value.code == "origin_unreachable"
    assert time.monotonic() - started < 8


def test_where_nobody_listens_is_said_so(between: Between) -> None:
    nobody = folder("s3://akten", {**KEYS, "endpoint_url": "http://127.0.0.1:1"})
    for asked in (Folder.list, Folder.stamp, lambda folder: folder.rights(["a.md"])):
        with pytest.raises(EvidenceError) as caught:
            asked(nobody)
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
    assert len(bucket.folder().rights([f"{number}.md" for number in range(1_000)])) == 1_000
    assert len(between.requests) == 1


def test_rules_that_are_replaced_during_a_listing_leave_it_the_stamp_of_the_older_ones(bucket: Place, between: Between) -> None:
    bucket.write("a.md", b"")

    def replaced(number: int, method: str, path: str) -> None:
        if "list-type" in path:
            bucket.write("fundstelle.toml", OPEN.replace("group:all", "group:law").encode())

    between.reply = replaced
    found = bucket.folder().list()
    assert found.items[0].rights == Rights(("group:all",))
    assert found.stamp != bucket.folder().stamp()


@pytest.mark.django_db
def test_a_bucket_is_imported_by_its_address(bucket: Place, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    builders.group("all")
    bucket.write("a.md", b"Text.")
    settings.CREDENTIALS = {"lindenau/eimer": bucket.options}
    call_command("import", bucket.location, source="eimer", tenant="lindenau", verbosity=0)
    assert (Source.objects.get().location, builders.document("a", source="eimer").title) == (bucket.location, "a")
    settings.CREDENTIALS = {}
    with pytest.raises(CommandError, match=r"\[origin_credentials\]"):
        call_command("import", bucket.location, source="eimer", tenant="lindenau", verbosity=0)


@pytest.mark.django_db
def test_an_unchanged_bucket_is_taken_in_again_without_reading_an_object(
    bucket: Place, between: Between, settings: Settings
) -> None:
    builders.group("all")
    for number in range(20):
        bucket.write(f"{number}.md", f"Text {number}".encode())
    settings.CREDENTIALS = {"lindenau/eimer": bucket.options}
    source = Source.objects.create(tenant=builders.tenant(), name="eimer", kind=SourceKind.FOLDER, location=bucket.location)
    assert syncing.sync(source).counts["new"] == 20
    asked = len(between.requests)
    assert syncing.sync(source).counts["unchanged"] == 20
    assert len(between.requests) - asked == 3  # the rules, one page, and the rules again
