"""Backup and restore, by the commands, in places of their own: whole, closed, and never over anything that is there."""

from __future__ import annotations

import json
import signal
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evidence import archive, restoring
from evidence.errors import Refused
from evidence.tests import databases, processes
from evidence.tests.builders import rules, write
from evidence.tests.databases import POSTGRESQL, Place

WORD = "Zaubernusswurzelextrakt"
SEARCH = """
import json, sys, django
django.setup()
from django.contrib.auth.models import User
from evidence import identity, projection, search
access = identity.for_user(User.objects.get(username="eva"))
found = search.search(access, sys.argv[1])
print(json.dumps([sorted(hit.document.external_id for hit in found.hits), list(projection.differences())]))
"""
PREPARE = """
import django
django.setup()
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from datetime import timedelta
from evidence import identity, tokens, uploads
from evidence.models import Identity, Membership, Provider, SearchTrace, Source
User.objects.create_user("eva")
eva = User.objects.get(username="eva")
membership = Membership.objects.create(user=eva, tenant_id=Source.objects.get().tenant_id, role="editor")
membership.groups.set(membership.tenant.groups.all())
Identity.objects.create(user=eva, issuer="https://id.example", subject="1", groups_at=timezone.now())
access = identity.for_user(eva)
tokens.make(access, name="Programm", scopes=["read"])
for name in ("behalten.txt", "verworfen.txt"):
    uploads.keep(access, name, b"Hochgeladen: " + name.encode())
Source.objects.create(tenant=membership.tenant, name="zu", closed_at=timezone.now(), closed_because="administrator")
SearchTrace.objects.create(tenant=membership.tenant, query="Frage")
Provider.objects.create(issuer="https://id.example", heard_at=timezone.now())
Client().force_login(eva, backend="django.contrib.auth.backends.ModelBackend")
"""
PURGE = """
import django
django.setup()
from evidence import removal, uploads, worker
from evidence.models import Document, Upload
removal.request_purge(Document.objects.get(external_id="weg"))
worker.run_due()
uploads.remove(Upload.objects.get(name="verworfen.txt").pk)
"""
SEEN = "UPDATE evidence_source SET rights_confirmed_at = CURRENT_TIMESTAMP"
"""What a complete run after the restore does to a source; a real one would bring back what was removed here only."""
STATE = {
    "open sources": "SELECT name FROM evidence_source WHERE closed_at IS NULL OR closed_because NOT IN ('restored', 'both')",
    "not known to be restored": "SELECT name FROM evidence_source WHERE closed_because = 'administrator'",
    "confirmed sources": "SELECT name FROM evidence_source WHERE rights_confirmed_at IS NOT NULL",
    "valid tokens": "SELECT id FROM evidence_token WHERE revoked_at IS NULL",
    "signed in": "SELECT session_key FROM django_session",
    "groups believed": "SELECT id FROM evidence_identity WHERE groups_at IS NOT NULL",
    "pushed people believed": "SELECT id FROM evidence_provider",
    "words of questions": "SELECT id FROM evidence_searchtrace WHERE query <> ''",
    "jobs claimed": "SELECT id FROM evidence_job WHERE claimed_at IS NOT NULL",
}


def done(place: Place, *words: str | Path) -> str:
    """What a program says that ends well."""
    process = processes.run(place, *words)
    assert process.returncode == 0, process.err
    return process.out


def refused(place: Place, *words: str | Path) -> str:
    """What a command says that does not."""
    process = processes.run(place, "manage.py", *words)
    assert process.returncode == 1 and "Traceback" not in process.err, process.err
    return process.err


def found(place: Place, word: str) -> list[object]:
    return list(json.loads(done(place, "-c", SEARCH, word)))


@pytest.fixture(scope="module")
def running(founded: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Three documents, a person with a session, a token and uploads."""
    texts = {"a.md": f"# Titel\n\nDie {WORD} steht hier.", "b.txt": "Ein anderer Text.", "weg.txt": f"{WORD}, die weg soll."}
    folder = write(tmp_path_factory.mktemp("in"), {**texts, "fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'))})
    with databases.place(tmp_path_factory.mktemp("running") / "data", like=founded) as place:
        done(place, "manage.py", "import", folder, "--source", "handbuch", "--tenant", "lindenau")
        done(place, "-c", PREPARE)
        yield place


@pytest.fixture(scope="module")
def backup(running: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it, made before something was removed."""
    file = tmp_path_factory.mktemp("backups") / "one.fundstelle"
    done(running, "manage.py", "backup", file, "-v0")
    return file


@pytest.fixture(scope="module")
def journal(running: Place, backup: Path) -> Path:
    """The journal after that."""
    done(running, "-c", PURGE)
    return running.data / "purged"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Place]:
    """Where nothing is yet."""
    (tmp_path / "data").mkdir(mode=0o700)
    with databases.place(tmp_path / "data") as place:
        yield place


def members(file: Path) -> dict[str, bytes]:
    return {name: source.read() for name, source in archive.members(file)}


def test_a_backup_holds_database_and_originals_for_its_owner_alone(running: Place, backup: Path) -> None:
    kept = {path.name for path in (running.data / "blobs").glob("*/*")}
    inside = members(backup)
    assert {name.removeprefix("originals/") for name in inside if name.startswith("originals/")} >= kept
    assert backup.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in backup.parent.iterdir()] == [backup.name]
    assert b"session" not in b"".join(name.encode() for name in inside)


def test_a_backup_overwrites_nothing_and_lies_outside_of_what_it_replaces(running: Place, backup: Path) -> None:
    before = backup.read_bytes()
    assert "backup_exists" in refused(running, "backup", backup)
    assert "backup_inside" in refused(running, "backup", running.data / "x")
    assert "backup_no_folder" in refused(running, "backup", backup.parent / "no" / "x")
    assert backup.read_bytes() == before


def test_what_is_restored_is_closed_until_somebody_confirms_it(backup: Path, empty: Place) -> None:
    done(empty, "manage.py", "restore", backup, "-v0")
    assert {what: empty.rows(statement) for what, statement in STATE.items()} == dict.fromkeys(STATE, [])
    assert found(empty, WORD) == [[], []]
    assert "source_unseen" in refused(empty, "confirm", "--all", "--tenant", "lindenau")
    empty.write(SEEN)
    assert found(empty, WORD) == [[], []]
    done(empty, "manage.py", "confirm", "--all", "--tenant", "lindenau")
    assert found(empty, WORD) == [["a", "weg"], []]
    assert not (empty.data / "restoring").exists()


def test_what_was_removed_since_does_not_come_back(backup: Path, journal: Path, empty: Place) -> None:
    told = done(empty, "manage.py", "restore", backup, "--purged", journal, "-v0")
    assert "2 documents and uploads that had been removed" in told
    empty.write(SEEN)
    done(empty, "manage.py", "confirm", "handbuch", "--tenant", "lindenau")
    assert found(empty, WORD) == [["a"], []]
    assert empty.rows("SELECT name FROM evidence_upload") == [("behalten.txt",)]
    assert {path.name for path in (empty.data / "blobs").glob("*/*")} < {
        path.name.rpartition("/")[2] for path in map(Path, members(backup))
    }
    assert set(journal.read_text().splitlines()) <= set((empty.data / "purged").read_text().splitlines())


def test_the_journal_in_the_data_folder_is_found(backup: Path, journal: Path, empty: Place) -> None:
    (empty.data / "purged").write_bytes(journal.read_bytes())
    done(empty, "manage.py", "restore", backup, "-v0")
    assert empty.rows("SELECT external_id FROM evidence_document ORDER BY 1") == [("a",), ("b",)]


def test_a_missing_journal_is_said(backup: Path, empty: Place) -> None:
    assert "is back" in done(empty, "manage.py", "restore", backup, "-v0")


def test_nothing_is_restored_over_anything(running: Place, backup: Path, empty: Place) -> None:
    before = running.rows("SELECT id, updated_at FROM evidence_document")
    assert "restore_not_empty" in refused(running, "restore", backup)
    assert running.rows("SELECT id, updated_at FROM evidence_document") == before
    write(empty.data / "origins" / "1", {"HEAD": "da"})
    assert "restore_not_empty" in refused(empty, "restore", backup)


def changed(backup: Path, target: Path, **facts: object) -> Path:
    """The same backup that says something else of itself."""
    about = {**json.loads(members(backup)[archive.MANIFEST]), **facts}
    with archive.written(target, lambda size: None) as file:
        for name, data in members(backup).items():
            if name != archive.SUMS:
                file.add(name, json.dumps(about).encode() if name == archive.MANIFEST else data)
    return target


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"format": 2, "more": 1}, "backup_newer"),
        ({"migrations": [["evidence", "9999_later"]]}, "backup_newer"),
        ({"engine": "sqlite" if POSTGRESQL else "postgresql"}, "backup_other_engine"),
        ({"server": 99}, "backup_newer_server"),
        ({"engine": None, "nonsense": 1}, "backup_damaged"),
    ],
)
@pytest.mark.django_db
def test_what_can_not_be_read_here_is_refused(facts: dict[str, object], code: str, backup: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused) as error:
        restoring.restore(changed(backup, tmp_path / "other", **facts))
    assert error.value.code == code
    assert not restoring.mark().exists()


def spoil(file: Path, how: str) -> None:
    data = bytearray(file.read_bytes())
    with tarfile.open(file) as tar:
        places = {member.name: member.offset_data for member in tar}
    match how:
        case "cut":
            data = data[: len(data) // 2]
        case "cut before its end":
            data = data[: places[archive.SUMS] - 512]
        case "empty":
            data = bytearray()
        case "text":
            data = bytearray(b"no archive at all\n" * 100)
        case name:
            place = next(offset for key, offset in places.items() if key.startswith(name))
            data[place + 10] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    "how", ["cut", "cut before its end", "empty", "text", archive.MANIFEST, archive.DATABASE, archive.ORIGINALS, archive.SUMS]
)
def test_a_damaged_backup_is_found_out(how: str, backup: Path, tmp_path: Path) -> None:
    file = tmp_path / "spoilt"
    file.write_bytes(backup.read_bytes())
    archive.verify(file, lambda size: None)
    spoil(file, how)
    with pytest.raises(Refused):
        archive.verify(file, lambda size: None)


def test_a_damaged_backup_is_not_restored(backup: Path, empty: Place, tmp_path: Path) -> None:
    file = tmp_path / "spoilt"
    file.write_bytes(backup.read_bytes())
    spoil(file, archive.ORIGINALS)
    assert "backup_damaged" in refused(empty, "restore", file)
    assert not (empty.data / "restoring").exists() and not (empty.data / "blobs").exists()


KILLED = """
import os, signal, sys, django
django.setup()
from django.core.management import call_command
from evidence import backups, blobs, projection, purged, removal, restoring
from evidence.dumps import postgresql, sqlite
owner, attribute = sys.argv[1].rsplit(".", 1)
owner = eval(owner)
real = getattr(owner, attribute)
def dying(*arguments, **named):
    real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(owner, attribute, dying)
call_command("restore", sys.argv[2], purged=__import__("pathlib").Path(sys.argv[3]), verbosity=0)
"""


DYING_LOAD = "postgresql.shutil.copyfileobj" if POSTGRESQL else "sqlite.shutil.copyfileobj"
"""In the middle of what is all or nothing."""


@pytest.mark.parametrize(
    "step",
    [
        "blobs.put",
        "purged.write",
        DYING_LOAD,
        "backups.dumper().__class__.load",
        "projection.rebuild",
        "restoring._remove_again",
    ],
)
def test_a_restore_that_is_killed_goes_on_when_it_is_run_again(step: str, backup: Path, journal: Path, empty: Place) -> None:
    process = processes.run(empty, "-c", KILLED, step, backup, journal)
    assert process.returncode == -signal.SIGKILL, process.err
    assert (empty.data / "restoring").exists()
    done(empty, "manage.py", "restore", backup, "-v0")
    empty.write(SEEN)
    done(empty, "manage.py", "confirm", "--all", "--tenant", "lindenau")
    assert found(empty, WORD) == [["a"], []]


def test_nobody_works_with_an_unfinished_restore(empty: Place) -> None:
    (empty.data / "restoring").write_text('{"backup": "one"}')
    assert "fundstelle.E006" in refused(empty, "check")


def test_an_unfinished_restore_is_not_mixed_with_another(backup: Path, empty: Place) -> None:
    (empty.data / "restoring").write_text('{"backup": "of another"}')
    assert "restore_of_another" in refused(empty, "restore", backup)


def test_a_missing_original_is_named_and_the_others_are_kept(running: Place, backup: Path, empty: Place, tmp_path: Path) -> None:
    with databases.place(tmp_path / "copy", like=running) as place:
        lost = next(path for path in (place.data / "blobs").glob("*/*"))
        lost.write_bytes(b"changed")
        file = tmp_path / "with-a-hole"
        assert lost.name in refused(place, "backup", file)
    assert "1 originals were missing" in done(empty, "manage.py", "restore", file, "-v0")
    assert {path.name for path in (empty.data / "blobs").glob("*/*")} & {lost.name} == set()


def test_a_backup_of_a_system_at_work_has_every_original_that_it_names(running: Place, tmp_path: Path) -> None:
    """Documents come and go all the time; each backup is restored by reading: every digest that it names is in it."""
    with databases.place(tmp_path / "copy", like=running) as place:
        busy = processes.start(place, "-c", BUSY)
        time.sleep(2)
        files = [tmp_path / f"{number}.fundstelle" for number in range(4)]
        for file in files:
            done(place, "manage.py", "backup", file, "-v0")
        busy.send_signal(signal.SIGTERM)
        busy.wait()
    assert "Traceback" not in busy.err
    assert [archive.verify(file, lambda size: None).missing for file in files] == [()] * len(files)
    assert len({archive.verify(file, lambda size: None).name for file in files}) == len(files)


BUSY = """
import itertools, django
django.setup()
from django.contrib.auth.models import User
from evidence import errors, identity, removal, uploads, worker
access = identity.for_user(User.objects.get(username="eva"))
for number in itertools.count():
    row = uploads.keep(access, f"{number}.txt", f"Nummer {number}".encode())
    uploads.discard(access, row.public_id)
    removal.jobs.enqueue(removal.WIPE, [0])
    try:
        removal.wipe(0)
    except errors.EvidenceError as error:
        assert error.code == "originals_in_use", error.code
"""
