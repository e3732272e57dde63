"""Repositories that are damaged or hostile: a clear refusal, never a crash, and never a part that passes for the whole."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from dulwich.objects import Blob, ObjectID, Tree
from dulwich.pack import write_pack_index_v2
from dulwich.repo import Repo

from evidence.errors import EvidenceError
from evidence.sources import git
from evidence.sources.git import history as walking
from evidence.sources.git import objects as reading
from evidence.sources.git import renames
from evidence.sources.git.objects import Objects, opened
from evidence.tests.repositories import OPEN, Repository, documents, ids, lines, listing, origin, reasons, refused

RULES = {"fundstelle.toml": OPEN}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.at(tmp_path / "repository")


def packed(repository: Repository) -> Path:
    """The repository with all its objects in one pack."""
    with closing(Repo(repository.path)) as opened_one:
        opened_one.object_store.repack()
    (pack,) = (repository.path / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    return pack


def loose(repository: Repository, oid: bytes) -> Path:
    text = oid.decode()
    return repository.path / "objects" / text[:2] / text[2:]


def in_store(repository: Repository, *made: Blob | Tree) -> None:
    with closing(Repo(repository.path)) as opened_one:
        for one in made:
            opened_one.object_store.add_object(one)


def test_packed_objects_are_read_as_loose_ones(repository: Repository, tmp_path: Path) -> None:
    for number in range(5):
        repository.commit(RULES | {"a.md": lines("a") + f"{number}\n", "b.md": lines("b")})
    before = listing(repository, tmp_path / "one")
    packed(repository)
    after = listing(repository, tmp_path / "other")
    assert before == after
    assert [item.read() for item in after.items] == [item.read() for item in before.items]


def test_loose_objects_whose_codes_are_long_are_read(repository: Repository) -> None:
    chance = random.Random(7)
    text = "".join(chance.choice("abcdefghijklmnopqrstuvwxyzäöü ,.;") for _ in range(5_000))
    repository.commit(RULES | {f"{number}-{chance.random()}.md": f"{number} {text}" for number in range(200)})
    assert len(listing(repository).items) == 200


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git program to make one")
def test_repositories_with_longer_ids_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("1")
    who = ["-c", "user.name=Eva", "-c", "user.email=eva@example.org"]
    for command in (["init", "-q", "--object-format=sha256"], ["add", "a.md"], [*who, "commit", "-q", "-m", "A commit"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    (item,) = git.at(origin(tmp_path, tmp_path / "cache")).list().items
    assert (len(item.state), len(item.stamp), item.read()) == (64, 64, b"1")


def test_no_repository_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nothing"):
        with refused("git_not_a_repository"):
            git.at(origin(place, tmp_path / "cache")).list()


def test_a_configuration_that_is_none_is_refused(repository: Repository) -> None:
    repository.commit(RULES)
    for config in (b"[core\n\xff", b"[core]\nrepositoryformatversion = 7\n", b"[extensions]\npartialclone = x\n"):
        (repository.path / "config").write_bytes(config)
        with refused("git_not_a_repository"):
            listing(repository)


def test_a_branch_that_is_not_there_is_refused(repository: Repository, tmp_path: Path) -> None:
    with refused("git_no_commits"):
        listing(repository)
    repository.commit(RULES)
    with refused("git_no_branch"):
        git.at(origin(f"{repository.path}#none", tmp_path / "cache")).list()


@pytest.mark.parametrize("pointed", ["ab" * 20, "not an id", "ref: refs/heads/main"])
def test_a_branch_that_points_nowhere_is_refused(repository: Repository, pointed: str) -> None:
    repository.commit(RULES | {"a.md": "1"})
    (repository.path / "refs" / "heads" / "main").write_text(pointed + "\n")
    with pytest.raises(EvidenceError):
        listing(repository)


def test_a_branch_that_is_no_commit_is_refused(repository: Repository) -> None:
    repository.commit(RULES)
    blob = Blob.from_string(b"text")
    in_store(repository, blob)
    (repository.path / "refs" / "heads" / "main").write_bytes(blob.id)
    with refused("git_damaged"):
        listing(repository)


def test_a_shallow_clone_is_refused(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "1"})
    last = repository.commit({"a.md": "2"})
    (repository.path / "shallow").write_bytes(last + b"\n")
    with refused("git_shallow"):
        listing(repository)


def test_replaced_and_grafted_commits_are_read_as_they_are(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "1"})
    last = repository.commit({"a.md": "2"})
    (repository.path / "info").mkdir(exist_ok=True)
    (repository.path / "info" / "grafts").write_bytes(last + b"\n")
    assert len(listing(repository).items) == 2


def test_what_is_missing_of_the_history_stops_the_listing(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": "1"})
    repository.commit({"a.md": "2"})
    loose(repository, first).unlink()
    with refused("git_object_missing"):
        listing(repository)


def test_a_document_of_which_a_state_is_missing_is_refused(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "old", "b.md": "b"})
    repository.commit({"a.md": "new"})
    loose(repository, Blob.from_string(b"old").id).unlink()
    found = listing(repository)
    assert (reasons(found), found.refusals[0].external_id, list(ids(found))) == ({"a.md": "git_object_missing"}, "a", ["b.md"])


def test_an_object_that_is_not_what_its_id_says_is_refused(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "text"})
    found = listing(repository)
    file = loose(repository, Blob.from_string(b"text").id)
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 4\0evil"))
    with refused("git_damaged"):
        found.items[0].read()


@pytest.mark.parametrize("kind", [b"blob 5000000000\0text", b"blob 4\0text and more", b"blob 40\0text", b"thing 4\0text", b""])
def test_a_loose_object_that_lies_about_itself_is_refused(repository: Repository, kind: bytes) -> None:
    repository.commit(RULES | {"a.md": "text"})
    file = loose(repository, Blob.from_string(b"text").id)
    file.chmod(0o644)
    file.write_bytes(zlib.compress(kind))
    found = listing(repository)
    if found.items:
        with pytest.raises(EvidenceError):
            found.items[0].read()
    else:
        assert reasons(found) == {"a.md": "git_damaged"}


def test_a_difference_that_would_make_gigabytes_is_not_unpacked(repository: Repository) -> None:
    """A difference of a few bytes that copies its base again and again."""
    base = b"x" * 60_000
    times = 100_000
    copies = (b"\xb0" + (60_000).to_bytes(2, "little")) * times
    difference = varint(len(base)) + varint(len(base) * times) + copies
    repository.commit(RULES | {"a.md": "text"})
    oid = Blob.from_string(b"text").id
    loose(repository, oid).unlink()
    write_pack(repository, oid, base, difference)
    with refused("file_too_large"):
        listing(repository).items[0].read()


def test_a_difference_to_something_huge_is_not_unpacked(repository: Repository) -> None:
    base = b"x" * 60_000
    repository.commit(RULES | {"a.md": "text"})
    oid = Blob.from_string(b"text").id
    loose(repository, oid).unlink()
    write_pack(repository, oid, base, varint(len(base)) + varint(4) + b"\x04text", said=300_000_000)
    with refused("file_too_large"):
        listing(repository).items[0].read()


def varint(number: int) -> bytes:
    written = b""
    while number > 127:
        written += bytes([number & 127 | 128])
        number >>= 7
    return written + bytes([number])


def write_pack(repository: Repository, oid: bytes, base: bytes, difference: bytes, *, said: int = 0) -> None:
    """A pack of a base and a difference to it, which its index calls `oid`. said: how long the base says that it is."""

    def header(kind: int, size: int) -> bytes:
        first, size = kind << 4 | size & 15, size >> 4
        written = []
        while size:
            written.append(first | 128)
            first, size = size & 127, size >> 7
        return bytes([*written, first])

    start = 12
    first = header(3, said or len(base)) + zlib.compress(base)
    back = len(first)
    offset = bytes([back & 127])
    while back := back >> 7:
        back -= 1
        offset = bytes([128 | back & 127]) + offset
    second = header(6, len(difference)) + offset + zlib.compress(difference)
    body = b"PACK" + (2).to_bytes(4, "big") + (2).to_bytes(4, "big") + first + second
    checksum = hashlib.sha1(body).digest()
    folder = repository.path / "objects" / "pack"
    (folder / "pack-x.pack").write_bytes(body + checksum)
    entries = sorted(
        [(bytes.fromhex(Blob.from_string(base).id.decode()), start, 0), (bytes.fromhex(oid.decode()), start + len(first), 0)]
    )
    with (folder / "pack-x.idx").open("wb") as stream:
        write_pack_index_v2(stream, entries, checksum)


def test_packs_that_are_damaged_anywhere_are_refused_and_nothing_else(repository: Repository, tmp_path: Path) -> None:
    for number in range(8):
        repository.commit(RULES | {"a.md": lines("a") + f"{number}\n", f"{number}/b.md": lines(f"{number}")})
    pack = packed(repository)
    index = pack.with_suffix(".idx")
    index.chmod(0o644)
    whole = listing(repository, tmp_path / "whole")
    texts = {one: {item.label: item.read() for item in items} for one, items in documents(whole).items()}
    chance = random.Random(3)
    for number in range(80):
        file = chance.choice([pack, pack, pack, index])
        data = file.read_bytes()
        broken = bytearray(data)
        for _ in range(chance.choice([1, 1, 30])):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        file.write_bytes(bytes(broken[: chance.choice([len(broken)] * 3 + [chance.randrange(len(broken))])]))
        try:
            found = listing(repository, tmp_path / f"{number}")
            for path, items in documents(found).items():
                assert {item.label: item.read() for item in items} == texts[path]
            assert documents(found).keys() | {refusal.external_id for refusal in found.refusals} == texts.keys()
        except (EvidenceError, OSError):
            pass
        finally:
            file.write_bytes(data)


def test_a_folder_that_holds_a_name_twice_is_refused(repository: Repository) -> None:
    blob = Blob.from_string(b"text")
    entry = b"100644 a.md\0" + bytes.fromhex(blob.id.decode())
    commit_of(repository, entry + entry)
    with refused("git_name_twice"):
        listing(repository)


@pytest.mark.parametrize("entry", [b"100644 a/b.md\0" + b"1" * 20, b"100644 \0" + b"1" * 20, b"100644 a.md\0short", b"rubbish"])
def test_a_folder_that_is_none_is_refused(repository: Repository, entry: bytes) -> None:
    commit_of(repository, entry)
    with refused("git_damaged"):
        listing(repository)


def test_names_that_would_lead_elsewhere_are_never_followed(repository: Repository, tmp_path: Path) -> None:
    blob = Blob.from_string(b"text")
    inner = Tree.from_string(b"100644 a.md\0" + bytes.fromhex(blob.id.decode()))
    in_store(repository, blob, inner)
    folder = bytes.fromhex(inner.id.decode())
    names = [b"..", b".", b".git", b".GIT", b"GIT~1", b"a"]
    commit_of(repository, b"".join(b"40000 " + name + b"\0" + folder for name in sorted(names)))
    assert ids(listing(repository)) == {"GIT~1/a.md": "GIT~1/a", "a/a.md": "a/a"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache-0", "repository"]


def commit_of(repository: Repository, tree: bytes) -> None:
    """A commit whose folder is written like this."""
    oid = hashlib.sha1(b"tree %d\0" % len(tree) + tree).hexdigest()
    for content, kind in ((tree, b"tree"), (b"text", b"blob")):
        data = kind + b" %d\0" % len(content) + content
        name = hashlib.sha1(data).hexdigest()
        file = repository.path / "objects" / name[:2] / name[2:]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(data))
    person = b"Eva <eva@example.org> 1767225600 +0000"
    said = b"tree %s\nauthor %s\ncommitter %s\n\nA commit" % (oid.encode(), person, person)
    data = b"commit %d\0" % len(said) + said
    name = hashlib.sha1(data).hexdigest()
    file = repository.path / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(data))
    (repository.path / "refs" / "heads" / "main").write_text(name)


def test_folders_that_hold_each_other_many_times_are_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty folders that say ten to the power of twenty files."""
    monkeypatch.setattr(walking, "MAX_FILES", 2_000)
    blob = Blob.from_string(b"text")
    in_store(repository, blob)
    entries = b"".join(b"100644 %d.md\0" % number + bytes.fromhex(blob.id.decode()) for number in range(10))
    for _ in range(20):
        tree = Tree.from_string(entries)
        in_store(repository, tree)
        entries = b"".join(b"40000 %d\0" % number + bytes.fromhex(tree.id.decode()) for number in range(10))
    commit_of(repository, entries)
    with refused("git_too_many_files"):
        listing(repository)


def test_folders_without_an_end_are_refused(repository: Repository) -> None:
    repository.commit(RULES | {"x/" * (walking.MAX_DEPTH + 1) + "a.md": "1"})
    with refused("git_too_deep"):
        listing(repository)


def test_a_history_without_an_end_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MAX_COMMITS", 5)
    for number in range(6):
        repository.commit(RULES | {"a.md": f"{number}"})
    with refused("git_too_many_commits"):
        listing(repository)


def test_renames_that_take_too_long_to_find_are_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renames, "MAX_EFFORT", 100)
    repository.commit(RULES | {f"{number}.md": lines(f"{number}") for number in range(5)})
    repository.commit(
        {f"{number}.md": None for number in range(5)} | {f"x{number}.md": lines(f"{number}") + "x\n" for number in range(5)}
    )
    with refused("git_renames_too_many"):
        listing(repository)


def test_a_rules_file_that_is_a_link_or_too_long_is_refused(repository: Repository) -> None:
    repository.commit({"fundstelle.toml": "/etc/passwd", "a.md": ""}, modes={"fundstelle.toml": 0o120000})
    with refused("rules_not_a_file"):
        listing(repository)
    repository.commit({"fundstelle.toml": "#" * 1_000_001})
    with refused("rules_too_large"):
        listing(repository)


def test_commits_of_times_that_no_calendar_holds_have_no_day(repository: Repository) -> None:
    repository.commit(RULES)
    with closing(Repo(repository.path)) as opened_one:
        commit = opened_one[repository.made[0]].copy()
        commit.commit_time = 10**17  # type: ignore[attr-defined]
        blob = Blob.from_string(b"text")
        tree = opened_one[commit.tree]  # type: ignore[attr-defined]
        tree.add(b"a.md", 0o100644, blob.id)  # type: ignore[attr-defined]
        commit.tree = tree.id  # type: ignore[attr-defined]
        for one in (blob, tree, commit):
            opened_one.object_store.add_object(one)
    repository.point(ObjectID(commit.id))
    (item,) = listing(repository).items
    assert (item.dated, item.label) == (None, commit.id.decode()[:10])


def test_two_states_with_one_name_are_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may commit can make ids that begin alike."""
    monkeypatch.setattr(git, "SHORT", 0)
    repository.commit(RULES | {"a.md": "1", "b.md": "b"}, day="2026-01-01")
    repository.commit({"a.md": "2"}, day="2026-01-01")
    found = listing(repository)
    assert (reasons(found), list(ids(found))) == ({"a.md": "git_label_twice"}, ["b.md"])


def test_objects_that_others_pack_meanwhile_are_found(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "1"})
    (item,) = listing(repository).items
    packed(repository)
    assert item.read() == b"1"


def test_borrowed_objects_are_read_and_stores_that_borrow_from_each_other_end(repository: Repository, tmp_path: Path) -> None:
    repository.commit(RULES | {"a.md": "1"})
    other = Repository.at(tmp_path / "other")
    (other.path / "objects" / "info" / "alternates").write_text(f"{repository.path / 'objects'}\n")
    (repository.path / "objects" / "info" / "alternates").write_text(f"{other.path / 'objects'}\n")
    other.point(repository.made[-1])
    assert [item.read() for item in listing(other).items] == [b"1"]


def test_what_is_kept_of_commits_does_no_harm_when_it_is_damaged(repository: Repository, tmp_path: Path) -> None:
    for number in range(5):
        repository.commit(RULES | {"a.md": f"{number}"})
    whole = listing(repository, tmp_path / "cache")
    (file,) = (tmp_path / "cache").glob("commits-*.sqlite3")
    for data in (b"rubbish" * 1_000, b"", file.read_bytes()[:5_000]):
        file.write_bytes(data)
        assert listing(repository, tmp_path / "cache").items == whole.items


def test_of_commits_that_are_gone_nothing_is_kept(repository: Repository, tmp_path: Path) -> None:
    first = repository.commit(RULES | {"a.md": "1"})
    repository.commit({"geheimer-name.md": "2"})
    listing(repository, tmp_path / "cache")
    (file,) = (tmp_path / "cache").glob("commits-*.sqlite3")
    assert b"geheimer-name" in file.read_bytes()
    repository.point(first)
    listing(repository, tmp_path / "cache")
    assert b"geheimer-name" not in file.read_bytes()


def test_limits_are_those_that_are_documented() -> None:
    assert (walking.MAX_COMMITS, walking.MAX_FILES, walking.MAX_DEPTH) == (300_000, 200_000, 200)
    assert (reading.MAX_UNPACKED_BYTES, reading.MAX_NODE_BYTES) == (200_000_000, 20_000_000)


def test_opened_files_are_closed_when_nobody_reads_any_more(repository: Repository) -> None:
    repository.commit(RULES)
    packed(repository)
    before = len(list(Path("/proc/self/fd").iterdir()))
    objects = Objects(opened(repository.path))
    objects.commit(bytes.fromhex(repository.made[0].decode()))
    del objects
    assert len(list(Path("/proc/self/fd").iterdir())) == before
