"""A folder of a WebDAV server: stamps, and everything that a server can do wrong."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from evidence.errors import EvidenceError, Refused
from evidence.sources.trees import MAX_FILE_BYTES
from evidence.sources.trees import webdav as webdav_tree
from evidence.tests.buckets import Between, late
from evidence.tests.shelves import Place, folder

PAGE = b"<!DOCTYPE html><html><body><h1>Please sign in</h1><a href='a.md'>a.md</a></body></html>"


def answer(*hrefs: str, kind: str = "") -> bytes:
    """What a server says of these addresses."""
    about = f"<D:prop><D:resourcetype>{kind}</D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status>"
    each = "".join(f"<D:response><D:href>{href}</D:href><D:propstat>{about}</D:propstat></D:response>" for href in hrefs)
    return f'<D:multistatus xmlns:D="DAV:">{each}</D:multistatus>'.encode()


NO_PROPERTIES = b'<D:multistatus xmlns:D="DAV:"><D:response><D:href>/docs/</D:href></D:response></D:multistatus>'
LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<D:multistatus xmlns:D="DAV:"><D:response><D:href>/docs/&b;</D:href></D:response></D:multistatus>"""


def test_a_stamp_is_the_same_while_the_file_is_and_another_when_it_was_written(share: Place) -> None:
    share.write("a.md", b"one")
    first = share.folder().list().items[0]
    assert first.stamp and first.stamp == share.folder().list().items[0].stamp
    share.write("a.md", b"two")
    assert first.stamp != share.folder().list().items[0].stamp


def test_a_file_that_changed_after_the_listing_is_not_read(share: Place, webdav: Between) -> None:
    share.write("a.md", b"one")
    item = share.folder().list().items[0]
    share.write("a.md", b"two")
    for ignored in (False, True):
        webdav.without = ("If-Match",) if ignored else ()
        with pytest.raises(Refused) as caught:
            item.read()
        assert caught.value.code == "file_changed"


def test_an_answer_without_an_etag_is_asked_about(share: Place, webdav: Between) -> None:
    share.write("a.md", b"one")
    item = share.folder().list().items[0]
    webdav.reply = lambda number, method, path: (200, {}, b"one") if method == "GET" else None
    assert item.read() == b"one"
    share.write("a.md", b"two")
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "file_changed"


@pytest.mark.parametrize("etag", ['W/"weak"', "unquoted", ""])
def test_what_is_no_strong_etag_is_no_stamp(share: Place, webdav: Between, etag: str) -> None:
    share.write("a.md", b"one")
    webdav.altered = lambda path, body: _with_etag(body, etag)
    item = share.folder().list().items[0]
    assert (item.stamp, item.read()) == ("", b"one")


def _with_etag(body: bytes, etag: str) -> bytes:
    before, found, rest = body.partition(b"<D:getetag>")
    if not found:
        return body
    after = rest.partition(b"</D:getetag>")[2]
    return before + f"<D:getetag>{etag}</D:getetag>".encode() + _with_etag(after, etag)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (200, PAGE, "origin_unreachable"),
        (207, PAGE, "origin_unreachable"),
        (207, b"", "origin_unreachable"),
        (207, LAUGHS, "origin_unreachable"),
        (207, answer("/docs/a.md"), "origin_unreachable"),  # without the folder itself
        (207, answer("/other/", "/other/a.md", kind="<D:collection/>"), "origin_unreachable"),
        (207, answer("/docs/", "/docs/sub/a.md"), "origin_unreachable"),
        (207, answer("/docs/", "/docs/..%2Fa.md"), "origin_unreachable"),
        (207, answer("/docs/", "http://elsewhere.example/docs/a.md"), "origin_unreachable"),
        (207, NO_PROPERTIES, "origin_unreachable"),
        (301, b"", "origin_unreachable"),
        (302, b"", "origin_unreachable"),
        (401, b"", "origin_denied"),
        (403, b"", "origin_denied"),
        (404, b"", "folder_missing"),
        (405, b"", "origin_unreachable"),
        (500, b"", "origin_unreachable"),
    ],
)
def test_an_answer_that_is_no_listing_is_an_error(share: Place, webdav: Between, status: int, body: bytes, code: str) -> None:
    share.write("a.md", b"")
    webdav.reply = lambda number, method, path: (
        (status, {"Location": f"{webdav.url}/elsewhere"}, body) if method == "PROPFIND" else None
    )
    with pytest.raises(EvidenceError) as caught:
        share.folder().list()
    assert caught.value.code == code
    assert not any("elsewhere" in path for _, path in webdav.requests)


def test_an_error_in_the_middle_is_an_error_of_the_whole_listing(share: Place, webdav: Between) -> None:
    share.write("a.md", b"")
    share.write("sub/b.md", b"")
    webdav.reply = lambda number, method, path: (500, {}, b"") if "sub" in path else None
    with pytest.raises(EvidenceError) as caught:
        share.folder().list()
    assert (caught.value.code, webdav.requests.count(("PROPFIND", "/docs/sub/"))) == ("origin_unreachable", 3)


def test_a_listing_that_is_cut_off_is_an_error(share: Place, webdav: Between) -> None:
    share.write("a.md", b"")
    share.folder().list()
    webdav.altered = lambda path, body: body if "toml" in path else body[:-20]
    with pytest.raises(EvidenceError):
        share.folder().list()


def test_a_server_that_hangs_is_waited_for_a_bounded_time(share: Place, webdav: Between, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdav_tree, "CALL_SECONDS", 0.3)
    webdav.reply = late
    started = time.monotonic()
    with pytest.raises(EvidenceError) as caught:
        share.folder().list()
    assert caught.value.code == "origin_unreachable"
    assert time.monotonic() - started < 8


def test_a_file_that_is_too_long_is_not_even_asked_for(share: Place, webdav: Between) -> None:
    share.write("a.md", b"x" * (MAX_FILE_BYTES + 1))
    item = share.folder().list().items[0]
    asked = len(webdav.requests)
    with pytest.raises(Refused) as caught:
        item.read()
    assert (caught.value.code, len(webdav.requests)) == ("file_too_large", asked)


@pytest.mark.parametrize(
    ("location", "options", "code"),
    [
        ("https://dav.example.org/d", {"username": "eva", "password": "p"}, "origin_credentials"),
        ("https://evil.example.org/d", {"token": "t", "host": "dav.example.org"}, "origin_credentials"),
        ("http://dav.example.org/d", {"token": "t", "host": "dav.example.org"}, "origin_plain"),
    ],
)
def test_credentials_go_to_the_host_they_are_for_and_over_https(location: str, options: dict[str, str], code: str) -> None:
    with pytest.raises(Refused) as caught:
        folder(location, options)
    assert caught.value.code == code


def test_credentials_are_sent_with_each_request(share: Place, webdav: Between) -> None:
    share.write("a.md", b"")
    share.folder(username="eva", password="p", host=webdav.url.removeprefix("http://")).list().items[0].read()
    assert {head["Authorization"] for head in webdav.heads} == {"Basic ZXZhOnA="}


def test_names_are_those_that_the_server_writes(share: Place, tmp_path: Path) -> None:
    for name in ("a b+c%20#?&.md", "ü/é.md"):
        share.write(name, name.encode())
    assert {item.path: item.read().decode() for item in share.folder().list().items} == {
        name: name for name in ("a b+c%20#?&.md", "ü/é.md")
    }
