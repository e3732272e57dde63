"""What a folder does wherever it lies, one table for all places; and where the rules lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.errors import Refused
from evidence.sources import Rights
from evidence.sources.folder import Folder
from evidence.tests.buckets import Bucket
from evidence.tests.shelves import OPEN, InMemory, Place, at_sftp, at_webdav, folder, in_bucket, local, reasons


@pytest.fixture(params=["local", "memory", "s3", "sftp", "webdav"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    match request.param:
        case "local":
            return local(tmp_path / "root")
        case "memory":
            return InMemory()
        case "s3":
            return in_bucket(Bucket(request.getfixturevalue("s3")), request.getfixturevalue("between"))
        case "sftp":
            return at_sftp(tmp_path / "sftp", request.getfixturevalue("sftp"))
    return at_webdav(tmp_path / "webdav", request.getfixturevalue("webdav"))


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


def test_the_rules_may_lie_elsewhere(bucket: Place, tmp_path: Path) -> None:
    bucket.write("a.md", b"")
    (tmp_path / "rules.toml").write_text(OPEN.replace("group:all", "group:law"))
    named = bucket.folder(rules=str(tmp_path / "rules.toml"))
    assert named.list().items[0].rights == Rights(("group:law",))
    (tmp_path / "a.md").write_text("")
    here = folder(str(tmp_path), bucket.options, rules=f"{bucket.location}fundstelle.toml")
    assert here.list().items[0].rights == Rights(("group:all",))
