"""Transactions that go on beside one another: whoever removes waits for whoever keeps, and the other way round; one owner each.

SQLite lets one of them write at a time, so that here the second one waits from its beginning; PostgreSQL needs the locks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from evidence import blobs, citations, formats, jobs, locks, removal, succession, uploads
from evidence.errors import EvidenceError, Refused, Unavailable
from evidence.formats import FORMATS
from evidence.models import Citation, Document, Job, Receipt, Revision, Role, Upload
from evidence.tests.builders import access, document, person, publish

pytestmark = pytest.mark.django_db(transaction=True)

Beside = Callable[..., Future[object]]
SOON = 0.3
"""Seconds after which what waits is taken to be waiting."""
LATE = 30.0


@pytest.fixture
def beside() -> Iterator[Callable[..., Future[object]]]:
    """Has something done in another thread, with a connection of its own."""

    def done(what: Callable[..., object], *arguments: object) -> object:
        try:
            return what(*arguments)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        yield lambda what, *arguments: pool.submit(done, what, *arguments)


@pytest.fixture
def eva(monkeypatch: pytest.MonkeyPatch) -> User:
    """An editor; files are read without a confined process."""
    monkeypatch.setattr("evidence.parsing.extract", lambda ending, data, options: formats.extract(FORMATS[ending], data, options))
    return person("eva", ["alle"], role=Role.EDITOR)


def waits(future: Future[object]) -> bool:
    """Whether it is not done within a moment."""
    return bool(wait([future], timeout=SOON).not_done)


def wipe() -> None:
    jobs.enqueue(removal.WIPE, [removal.NO_RECEIPT])
    removal.wipe(removal.NO_RECEIPT)


def test_originals_of_a_transaction_that_is_not_committed_are_not_wiped(tmp_path: Path, beside: Beside) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    with transaction.atomic():
        digest = blobs.put(b"Gerade eben")
        wiping = beside(wipe)
        assert waits(wiping)
        revision = Revision.objects.get()
        revision.pk, revision.label, revision.source_sha256 = None, "2", digest
        revision.save()
    wiping.result(LATE)
    assert blobs.read(digest) == b"Gerade eben"


def test_bytes_of_a_transaction_that_is_undone_are_wiped(tmp_path: Path, beside: Beside) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    with pytest.raises(KeyError), transaction.atomic():
        digest = blobs.put(b"Gerade eben")
        wiping = beside(wipe)
        raise KeyError
    wiping.result(LATE)
    assert not blobs.exists(digest)


def test_the_same_bytes_are_not_forgotten_while_somebody_brings_them_again(eva: User, beside: Beside) -> None:
    first = uploads.keep(access(eva), "a.txt", b"Dasselbe.")
    with transaction.atomic():
        blobs.put(b"Dasselbe.")
        discarding = beside(uploads.discard, access(eva), first.public_id)
        again = Upload.objects.create(
            tenant_id=first.tenant_id,
            user_id=first.user_id,
            name="b.txt",
            sha256=first.sha256,
            size=9,
            kept_until=first.kept_until,
        )
        assert waits(discarding)
    discarding.result(LATE)
    assert blobs.read(again.sha256) == b"Dasselbe."


def test_nobody_removes_originals_while_a_backup_reads_them(beside: Beside) -> None:
    digest = blobs.put(b"Bleibt vorerst")
    with blobs.unremoved():
        with pytest.raises(EvidenceError, match="backup"):
            beside(wipe).result(LATE)
        assert blobs.exists(digest)
    beside(wipe).result(LATE)
    assert not blobs.exists(digest)


def test_what_is_discarded_while_a_backup_is_made_is_wiped_later(eva: User) -> None:
    digest = uploads.keep(access(eva), "a.txt", b"Text.").sha256
    with blobs.unremoved():
        uploads.discard(access(eva), Upload.objects.get().public_id)
    assert blobs.exists(digest) and Job.objects.filter(kind=removal.WIPE).exists()


def test_a_lock_is_owned_in_a_transaction_only() -> None:
    with pytest.raises(TransactionManagementError):
        locks.own(locks.Lock.ORIGINALS)


def test_files_that_come_at_once_do_not_pass_the_limit_together(
    eva: User, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_WAITING", 3)
    start = threading.Barrier(6)

    def bring(number: int) -> bool:
        start.wait()
        try:
            uploads.keep(access(eva), f"{number}.txt", f"Nummer {number}.".encode())
        except Refused as error:
            assert error.code == "too_many_uploads"
            return False
        return True

    kept = [one.result(LATE) for one in [beside(bring, number) for number in range(6)]]
    assert (sum(map(bool, kept)), Upload.objects.count()) == (3, 3)


def test_no_quote_is_left_of_a_document_that_is_removed_meanwhile(
    eva: User, tmp_path: Path, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, {"a.txt": "Die Frist beträgt acht Tage."})
    cited, by = document("a").public_id, access(eva)
    receipt = removal.request_purge(document("a"))
    Document.objects.update(withdrawn_at=None)  # as if the citation had begun before
    at_work, may_go_on = threading.Event(), threading.Event()
    real = Citation.save

    def slow(self: Citation, *arguments: object, **named: object) -> None:
        at_work.set()
        may_go_on.wait(LATE)
        real(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Citation, "save", slow)
    citing = beside(lambda: citations.cite_words(by, cited, exact="acht Tage"))
    assert at_work.wait(LATE)
    purging = beside(_purge, receipt.pk)
    assert waits(purging)
    may_go_on.set()
    citing.result(LATE)
    purging.result(LATE)
    assert (Citation.objects.get().exact, Citation.objects.get().document) == ("", None)


def _purge(receipt: int) -> None:
    with transaction.atomic():
        Document.objects.update(withdrawn_at=Receipt.objects.get(pk=receipt).invisible_at)
    removal.purge(receipt)


def test_a_document_that_is_gone_is_not_cited(eva: User, tmp_path: Path, beside: Beside) -> None:
    publish(tmp_path, {"a.txt": "Die Frist beträgt acht Tage."})
    cited, by = document("a").public_id, access(eva)
    with transaction.atomic():
        removal.withdraw(document("a"))
        citing = beside(lambda: citations.cite_words(by, cited, exact="acht Tage"))
        waits(citing)
    with pytest.raises(Unavailable):
        citing.result(LATE)
    assert not Citation.objects.exists()


def test_a_citation_gets_one_successor_whoever_else_approves_it(eva: User, tmp_path: Path, beside: Beside) -> None:
    publish(tmp_path, {"a.txt": "Die Frist beträgt acht Tage."})
    by = access(eva)
    old = citations.cite_words(by, document("a").public_id, exact="acht Tage")
    publish(tmp_path, {"a.txt": "Vorweg.\n\nDie Frist beträgt acht Tage."})
    start = threading.Barrier(4)

    def approve() -> str:
        start.wait()
        try:
            succession.approve(by, [old])
        except Refused as error:
            return error.code
        return "made"

    assert sorted(str(one.result(LATE)) for one in [beside(approve) for _ in range(4)]) == ["made", *["not_proposed"] * 3]
    assert Citation.objects.count() == 2


def test_every_job_belongs_to_one_worker(beside: Beside) -> None:
    jobs.enqueue("test", range(200))
    start = threading.Barrier(4)

    def work() -> list[int]:
        start.wait()
        mine: list[int] = []
        while job := jobs.claim(["test"]):
            mine.append(job.key)
            jobs.finish(job)
        return mine

    done = [one.result(LATE) for one in [beside(work) for _ in range(4)]]
    claimed = [key for keys in done if isinstance(keys, list) for key in keys]
    assert sorted(claimed) == list(range(200)) and not Job.objects.exists()


def test_a_search_leaves_out_a_document_whose_change_is_committed_after_a_later_one(tmp_path: Path, beside: Beside) -> None:
    """Ids of jobs are given before they are committed: a later id may be there, settled and gone, before an earlier one is."""
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b."})
    first, second = document("a").pk, document("b").pk
    with transaction.atomic():
        jobs.enqueue("index", [first])
        later = beside(jobs.enqueue, "index", [second])
        waits(later)
    later.result(LATE)
    assert jobs.waiting_keys("index") == {first, second}
