"""Repositories elsewhere: fetched into a copy here, whole or not at all, within bounds, and with no password left anywhere."""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from dulwich.objects import Blob, ObjectID
from dulwich.protocol import pkt_line
from dulwich.repo import Repo
from pytest_django import Settings

from evidence import syncing
from evidence.errors import EvidenceError
from evidence.models import Source, SourceKind
from evidence.sources import Rights, git
from evidence.sources.git import Repository as Asked
from evidence.sources.git import line, mirror
from evidence.tests.buckets import Between
from evidence.tests.builders import group, tenant
from evidence.tests.remotes import SshServer, dulwich_server, git_server, with_certificate
from evidence.tests.repositories import OPEN, Repository, ids, lines, listing, origin, refused

RULES = {"fundstelle.toml": OPEN}
CLOSED = OPEN.replace("group:alle", "group:netz")
PACK = "/git-upload-pack"
PASSWORD = "geheimes-kennwort"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.at(tmp_path / "served" / "a.git")
    made.commit(RULES | {"a.md": lines("a")})
    made.commit({"a.md": lines("a") + "edited\n", "b.md": lines("b")})
    return made


@pytest.fixture
def between(repository: Repository) -> Iterator[Between]:
    """What stands before a server of the repository's folder."""
    with dulwich_server(repository.path.parent) as server, Between(server) as standing:
        yield standing


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def asked(between: Between, cache: Path, **options: str) -> Asked:
    return git.at(origin(f"{between.url}/a.git", cache, **options))


def posts(between: Between) -> int:
    """How often something was fetched."""
    return sum(path.endswith(PACK) for _, path in between.requests)


def test_a_repository_elsewhere_lists_what_it_would_here(repository: Repository, between: Between, cache: Path) -> None:
    there = asked(between, cache).list()
    here = listing(repository)
    assert there.items == here.items
    assert [item.read() for item in there.items] == [item.read() for item in here.items]
    assert there.stamp == here.stamp == asked(between, cache).stamp()


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git program to serve with")
def test_gits_own_server_is_understood(repository: Repository, cache: Path) -> None:
    with git_server(repository.path.parent) as (host, port):
        there = git.at(origin(f"http://{host}:{port}/a.git#main", cache))
        assert there.list().items == listing(repository).items
        repository.commit({"c.md": "c"})
        assert list(ids(there.list())) == ["a.md", "b.md", "c.md"]
        with refused("git_no_branch"):
            git.at(origin(f"http://{host}:{port}/a.git#none", cache)).list()


def test_only_what_is_new_is_fetched(repository: Repository, between: Between, cache: Path) -> None:
    asked(between, cache).list()
    before = posts(between)
    asked(between, cache).list()
    assert posts(between) == before
    repository.commit({"b.md": "new"})
    found = asked(between, cache).list()
    assert (posts(between), found.items[-1].read()) == (before + 1, b"new")
    with closing(Repo(cache / "mirror")) as copy:
        assert len([pack for pack in copy.object_store.packs if len(pack) < 6]) == 1


def test_rights_are_those_of_the_branch_at_this_moment(repository: Repository, between: Between, cache: Path) -> None:
    there = asked(between, cache)
    before = there.list().stamp
    repository.commit({"fundstelle.toml": CLOSED})
    assert there.stamp() != before
    assert there.rights(["a.md", "none.md"]) == {"a.md": Rights(("group:netz",))}


def test_rights_that_can_not_be_asked_for_in_time_are_none(
    repository: Repository, between: Between, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "QUICK_SECONDS", 0.4)
    there = asked(between, cache)
    there.list()

    def reply(number: int, method: str, path: str) -> None:
        time.sleep(1)

    between.reply = reply
    begun = time.monotonic()
    with refused("git_slow"):
        there.stamp()
    assert time.monotonic() - begun < 1


def test_an_answer_that_drips_ends_in_time(
    repository: Repository, cache: Path, between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "LIST_SECONDS", 0.5)
    monkeypatch.setattr(line, "left", _slower(line.left))
    with refused("git_slow"):
        asked(between, cache).list()


def _slower(left: object) -> object:
    def waiting(until: float) -> float:
        time.sleep(0.2)
        return left(until)  # type: ignore[operator,no-any-return]

    return waiting


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "git_denied"),
        (403, "git_denied"),
        (404, "git_not_a_repository"),
        (301, "git_moved"),
        (500, "git_server_error"),
    ],
)
def test_what_a_server_answers_is_said_in_words(
    repository: Repository, between: Between, cache: Path, status: int, code: str
) -> None:
    between.reply = lambda number, method, path: (status, {"Location": "http://127.0.0.1:1/geheim"}, b"geheim")
    with refused(code) as caught:
        asked(between, cache).list()
    assert "geheim" not in str(caught.value)
    assert len(between.requests) == 1


def test_a_page_that_is_no_repository_is_refused(repository: Repository, between: Between, cache: Path) -> None:
    between.reply = lambda number, method, path: (200, {"Content-Type": "text/html"}, b"<p>Willkommen</p>")
    with refused("git_not_a_repository"):
        asked(between, cache).list()


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.99])
def test_an_answer_that_is_cut_short_is_refused_and_leaves_the_copy_whole(
    repository: Repository, between: Between, cache: Path, share: float
) -> None:
    before = asked(between, cache).list()
    repository.commit({"c.md": lines("c")})
    between.altered = lambda path, body: body[: int(len(body) * share)] if path.endswith(PACK) else body
    with pytest.raises(EvidenceError):
        asked(between, cache).list()
    between.altered = lambda path, body: body
    assert len(asked(between, cache).list().items) == len(before.items) + 1


def test_damaged_packs_are_refused(repository: Repository, between: Between, cache: Path) -> None:
    def damaged(path: str, body: bytes) -> bytes:
        return body[:400] + b"rubbish" + body[407:] if path.endswith(PACK) else body

    between.altered = damaged
    with pytest.raises(EvidenceError):
        asked(between, cache).list()
    assert not (cache / "mirror").exists()


def test_more_than_a_bound_is_not_received(
    repository: Repository, between: Between, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "MAX_FETCHED_BYTES", 900)
    with refused("git_repository_too_large"):
        asked(between, cache).list()


def test_what_would_fill_the_memory_is_measured_before_it_is_unpacked(
    repository: Repository, between: Between, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "MAX_OBJECT_BYTES", 1_000_000)
    repository.commit({"bomb.bin": b"\0" * 5_000_000})
    with refused("git_object_too_large"):
        asked(between, cache).list()
    monkeypatch.setattr(mirror, "MAX_OBJECT_BYTES", 10_000_000)
    monkeypatch.setattr(mirror, "MAX_UNPACKED_BYTES", 1_000_000)
    with refused("git_repository_too_large"):
        asked(between, cache).list()


def test_a_server_that_can_not_be_reached_is_said(cache: Path) -> None:
    with refused("git_unreachable"):
        git.at(origin("http://127.0.0.1:1/a.git", cache)).list()


def test_a_repository_without_commits_is_refused(tmp_path: Path, between: Between, cache: Path) -> None:
    Repository.at(tmp_path / "served" / "empty.git")
    with refused("git_no_commits"):
        git.at(origin(f"{between.url}/empty.git", cache)).list()


def test_the_password_is_sent_to_the_host_and_kept_nowhere(repository: Repository, between: Between, cache: Path) -> None:
    there = asked(between, cache, username="eva", password=PASSWORD)
    there.list()
    said = f"Basic {base64.b64encode(f'eva:{PASSWORD}'.encode()).decode()}"
    assert {_field(head, "authorization") for head in between.heads} == {said}
    kept = b"".join(file.read_bytes() for file in cache.rglob("*") if file.is_file())
    assert PASSWORD.encode() not in kept
    assert PASSWORD not in repr(there)


def _field(head: Mapping[str, str], name: str) -> str | None:
    return {key.lower(): value for key, value in head.items()}.get(name)


def test_a_password_is_not_sent_where_everybody_can_read_it(cache: Path) -> None:
    with refused("git_password_in_the_clear"):
        git.at(origin("http://git.example.org/a.git", cache, password=PASSWORD)).list()


def test_a_server_with_a_certificate_is_believed_if_somebody_vouches_for_it(
    repository: Repository, tmp_path: Path, cache: Path
) -> None:
    with dulwich_server(repository.path.parent) as server:
        standing = Between(server)
        url, file = with_certificate(standing, tmp_path)
        with standing:
            with refused("git_certificate"):
                git.at(origin(f"{url}/a.git", cache)).list()
            there = git.at(origin(f"{url}/a.git", cache, ca=str(file), password=PASSWORD))
            assert len(there.list().items) == 3
            assert _field(standing.heads[-1], "authorization") is not None


def test_what_the_operator_misspells_is_refused(cache: Path) -> None:
    with refused("origin_option") as caught:
        git.at(origin("https://git.example.org/a.git", cache, pasword=PASSWORD))
    assert PASSWORD not in str(caught.value)


def test_what_is_taken_out_of_a_history_goes_from_the_copy(repository: Repository, between: Between, cache: Path) -> None:
    secret = Blob.from_string(b"ein Geheimnis").id
    before = repository.made[-1]
    repository.commit({"c.md": "ein Geheimnis"})
    asked(between, cache).list()
    assert _holds(cache, secret)
    repository.commit({"d.md": "d"}, parents=[before])
    assert list(ids(asked(between, cache).list())) == ["a.md", "b.md", "d.md"]
    assert not _holds(cache, secret)
    assert sorted(file.name for file in cache.iterdir()) == ["commits-1.sqlite3", "lock", "mirror"]


def _holds(cache: Path, oid: bytes) -> bool:
    with closing(Repo(cache / "mirror")) as copy:
        return oid in copy.object_store  # type: ignore[operator]


def test_a_branch_that_goes_on_is_not_fetched_anew(repository: Repository, between: Between, cache: Path) -> None:
    asked(between, cache).list()
    number = (cache / "mirror").stat().st_ino
    repository.commit({"c.md": "c"})
    asked(between, cache).list()
    assert (cache / "mirror").stat().st_ino == number


def test_a_copy_that_is_damaged_is_made_anew(repository: Repository, between: Between, cache: Path) -> None:
    whole = [item.read() for item in asked(between, cache).list().items]
    damage(cache, 12, None)
    assert [item.read() for item in asked(between, cache).list().items] == whole


def test_a_copy_that_somebody_found_damaged_is_made_anew(repository: Repository, between: Between, cache: Path) -> None:
    last = asked(between, cache).list().items[-1]
    with closing(Repo(cache / "mirror")) as copy:
        (pack,) = copy.object_store.packs
        place = pack.index.object_offset(ObjectID(last.stamp.encode()))
    damage(cache, place + 20, place + 40)
    with refused("git_damaged"):
        asked(between, cache).list().items[-1].read()
    assert asked(between, cache).list().items[-1].read() == lines("b").encode()


def damage(cache: Path, start: int, end: int | None) -> None:
    """Write nothing but zeros over a part of the copy."""
    (pack,) = (cache / "mirror" / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    data[start:end] = bytes(len(data[start:end]))
    pack.write_bytes(data)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git program to serve with")
def test_a_server_can_not_send_us_elsewhere(repository: Repository, cache: Path) -> None:
    """The newer protocol lets a server name other addresses for what it was asked for."""
    elsewhere = pkt_line(b"packfile-uris\n") + pkt_line(b"https://127.0.0.1:1/a sha1 " + b"a" * 40 + b"\n")
    with git_server(repository.path.parent) as server, Between(server) as between:
        between.altered = lambda path, body: elsewhere + body if b"packfile\n" in body else body
        with refused("git_protocol"):
            asked(between, cache).list()


def test_a_copy_in_many_pieces_is_made_anew(
    repository: Repository, between: Between, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "MAX_PACKS", 2)
    for number in range(3):
        repository.commit({"c.md": f"{number}"})
        asked(between, cache).list()
    assert len(list((cache / "mirror" / "objects" / "pack").glob("*.pack"))) <= 2


def test_a_copy_that_was_cut_off_while_it_was_made_is_no_copy(repository: Repository, between: Between, cache: Path) -> None:
    (cache / "mirror.new" / "objects").mkdir(parents=True)
    (cache / "mirror").mkdir()
    assert len(asked(between, cache).list().items) == 3
    assert not (cache / "mirror.new").exists()


def test_two_at_once_fetch_one_after_the_other(repository: Repository, between: Between, cache: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: len(asked(between, cache).list().items), range(4)))
    assert found == [3, 3, 3, 3]
    assert posts(between) == 1


@pytest.mark.django_db
def test_a_run_fetches_with_the_operators_credentials(
    repository: Repository, between: Between, data_folder: Path, settings: Settings
) -> None:
    group("alle")
    settings.CREDENTIALS = {"lindenau/handbuch": {"username": "eva", "password": PASSWORD}}
    row = Source.objects.create(tenant=tenant(), name="handbuch", kind=SourceKind.GIT, location=f"{between.url}/a.git#main")
    report = syncing.sync(row)
    assert (report.complete, report.counts["new"]) == (True, 2)
    assert all(_field(head, "authorization") for head in between.heads)
    assert (data_folder / "origins" / str(row.pk) / "mirror").is_dir()
    assert posts(between) == 1


# ssh

needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh program")


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[SshServer]:
    folder = tmp_path / "keys"
    folder.mkdir()
    with SshServer(folder) as server:
        yield server


@needs_ssh
def test_a_repository_is_read_by_ssh(repository: Repository, ssh: SshServer, cache: Path) -> None:
    there = git.at(origin(f"ssh://eva@127.0.0.1:{ssh.port}{repository.path}", cache, **ssh.options))
    assert there.list().items == listing(repository).items
    repository.commit({"c.md": "c"})
    assert list(ids(there.list())) == ["a.md", "b.md", "c.md"]
    assert {command.partition(" ")[0] for command in ssh.commands} == {"git-upload-pack"}


@needs_ssh
def test_a_host_whose_key_is_another_one_is_refused(repository: Repository, ssh: SshServer, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "none").write_text("")
    options = ssh.options | {"known_hosts": str(tmp_path / "none")}
    with refused("git_host_unknown"):
        git.at(origin(f"ssh://eva@127.0.0.1:{ssh.port}{repository.path}", cache, **options)).list()
    assert ssh.commands == []


@needs_ssh
def test_a_key_that_is_not_let_in_is_said(repository: Repository, ssh: SshServer, cache: Path) -> None:
    ssh.user_key = ssh.host_key
    with refused("git_denied"):
        git.at(origin(f"ssh://eva@127.0.0.1:{ssh.port}{repository.path}", cache, **ssh.options)).list()


@needs_ssh
def test_a_path_is_no_command(repository: Repository, ssh: SshServer, cache: Path, tmp_path: Path) -> None:
    evil = f"/x';touch${{IFS}}{tmp_path}/evil;'"
    with pytest.raises(EvidenceError):
        git.at(origin(f"ssh://eva@127.0.0.1:{ssh.port}{evil}", cache, **ssh.options)).list()
    assert not (tmp_path / "evil").exists()


@needs_ssh
def test_a_server_that_says_nothing_ends_in_time(
    repository: Repository, ssh: SshServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "LIST_SECONDS", 1.0)
    ssh.program = ["sh", "-c", "sleep 20"]
    begun = time.monotonic()
    with refused("git_slow"):
        git.at(origin(f"ssh://eva@127.0.0.1:{ssh.port}{repository.path}", cache, **ssh.options)).list()
    assert time.monotonic() - begun < 5
