"""Brings the index in line with the database: pending changes, rebuild, comparison.

Each change of a document records a job in its own transaction. Settling reads what the database says now and writes it to
the index, so that doing it twice, or late, ends in the same state. Until then a search treats the document as absent
(`pending`). One process at a time writes, guarded by a file lock: otherwise an older state could overwrite a newer one.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from evidence import jobs
from evidence.errors import IndexFault, gettext_noop
from evidence.index import Entry, Indexed
from evidence.index.sqlite import SqliteEngine
from evidence.models import Document, Passage

JOB: Final = "index"
BATCH_PASSAGES: Final = 20_000
"""Passages given to the index at once: enough to make its sorting pay, little enough for memory."""
QUICK: Final = 50
"""Changed documents that a search settles before it asks; more are left to the worker."""
_POINTER: Final = "current"

_engines: dict[Path, SqliteEngine] = {}
_engines_lock = threading.Lock()


def record(documents: Collection[int]) -> None:
    """Note that these documents changed; belongs into the transaction of the change. Whoever changes many settles later."""
    jobs.enqueue(JOB, documents)


def settle_after_commit() -> None:
    """Bring the index in line right after the transaction that is open now."""
    transaction.on_commit(settle_quickly)


def pending() -> set[int]:
    """Documents whose last change has not reached the index."""
    return jobs.waiting_keys(JOB)


def engine() -> SqliteEngine:
    """The index to ask. Raises IndexFault when there is none (`manage.py reindex` builds it)."""
    try:
        path = _current()
    except FileNotFoundError:
        if Document.objects.exclude(current=None).exists():
            raise _missing() from None
        path = _create_first()
    if not path.exists():
        raise _missing()
    return _open(path)


def ensure() -> None:
    """See to it that there is an index that can be written; one that is missing or of an older format is built anew."""
    try:
        engine().representations([])
    except IndexFault as fault:
        if fault.code == "index_busy":
            raise
        rebuild()


def settle_quickly() -> None:
    """Settle if nobody else is at it and little waits; a fault is left to the next search, which shows it."""
    if not 0 < len(jobs.waiting(JOB, limit=QUICK + 1)) <= QUICK:
        return
    with suppress(IndexFault), _writing(wait=False) as mine:
        if mine:
            _settle_some(QUICK)


def settle(*, wait: bool = True) -> int:
    """Apply every pending change; gives how many documents were looked at. Raises IndexFault when there is no index."""
    with _writing(wait=wait) as mine:
        total = 0
        while mine and (count := _settle_some(2_000)):
            total += count
        return total


def rebuild(progress: Callable[[int], object] = lambda passages: None) -> int:
    """A new index from the database, beside the one that searches go on asking; then it takes its place.

    progress is called with the number of passages of each batch. Gives the number of documents.
    """
    with _writing(wait=True):
        number = max((int(path.stem) for path in _files()), default=0) + 1
        path = _folder() / f"{number}.sqlite3"
        fresh = SqliteEngine(path)
        count = 0
        for batch in _batches(_indexable()):
            fresh.put(_entries(batch))
            count += len(batch)
            progress(sum(document.current.passage_count for document in batch if document.current))
        fresh.checkpoint()
        _point_at(path)
        _forget_others(path)
    settle()
    return count


def purge_traces() -> None:
    """After removals: nothing of what was removed stays in a file of the index, nor in one that a killed rebuild left."""
    settle()
    with _writing(wait=True):
        engine().compact()
        _forget_others(_current())


def differences() -> Iterator[str]:
    """Where index and database disagree beyond what is pending, one line of ids a finding."""
    waits = pending()
    expected = {document.pk: _indexed(document) for document in _indexable().iterator(chunk_size=2_000)}
    for found in engine().documents():
        wanted = expected.pop(found.document, None)
        if found != wanted and found.document not in waits:
            yield f"document {found.document}: index {found}, database {wanted}"
    for document, wanted in expected.items():
        if document not in waits:
            yield f"document {document}: not in the index, database {wanted}"


def attributes(document: Document) -> Mapping[str, str]:
    """What hits in this document can be filtered by."""
    return {
        "source": document.source.name,
        "kind": document.kind,
        "language": document.language,
        "status": document.status,
    }


def _settle_some(limit: int) -> int:
    """Bring the oldest pending documents in line; gives how many jobs were looked at. The caller holds the lock."""
    work = jobs.waiting(JOB, limit=limit)
    if not work:
        return 0
    index = engine()
    wanted = {document.pk: document for document in _indexable().filter(pk__in={job.key for job in work})}
    index.remove([key for key in {job.key for job in work} if key not in wanted])
    known = index.representations(list(wanted))
    moved = {pk: document for pk, document in wanted.items() if known.get(pk) == document.current_id}
    index.reclass({pk: (document.access_class_id, attributes(document)) for pk, document in moved.items()})
    for batch in _batches(document for pk, document in sorted(wanted.items()) if pk not in moved):
        index.put(_entries(batch))
    jobs.done(work)
    return len(work)


def _indexable() -> QuerySet[Document]:
    found = Document.objects.filter(withdrawn_at=None, current__isnull=False)
    return found.select_related("source", "current").order_by("pk")


def _batches(documents: QuerySet[Document] | Iterator[Document]) -> Iterator[Sequence[Document]]:
    """Documents in batches of about BATCH_PASSAGES passages."""
    if isinstance(documents, QuerySet):
        documents = documents.iterator(chunk_size=2_000)
    batch: list[Document] = []
    passages = 0
    for document in documents:
        batch.append(document)
        passages += document.current.passage_count if document.current else 0
        if passages >= BATCH_PASSAGES or len(batch) >= 2_000:
            yield batch
            batch, passages = [], 0
    if batch:
        yield batch


def _entries(documents: Sequence[Document]) -> list[Entry]:
    quotes: dict[int, list[str]] = {}
    rows = Passage.objects.filter(representation__in=[document.current_id for document in documents])
    ordered = rows.order_by("representation", "number").values_list("representation", "start", "end", "text")
    for representation, start, end, text in ordered.iterator(chunk_size=5_000):
        quotes.setdefault(representation, []).append(text[: end - start])
    return [
        Entry(
            document=document.pk,
            public_id=document.public_id,
            representation=document.current_id,
            access_class=document.access_class_id,
            attributes=attributes(document),
            passages=quotes.get(document.current_id, []),
        )
        for document in documents
        if document.current_id is not None
    ]


def _indexed(document: Document) -> Indexed:
    assert document.current is not None  # _indexable() gives no others
    return Indexed(
        document=document.pk,
        representation=document.current.pk,
        access_class=document.access_class_id,
        passages=document.current.passage_count,
        attributes=attributes(document),
    )


def _missing() -> IndexFault:
    return IndexFault("index_missing", gettext_noop("The search index is missing. It must be rebuilt with manage.py reindex."))


def _folder() -> Path:
    return Path(settings.INDEX_DIR)


def _current() -> Path:
    """The file that searches ask. Raises FileNotFoundError when none was ever made."""
    return _folder() / (_folder() / _POINTER).read_text()


def _files() -> list[Path]:
    return [path for path in _folder().glob("*.sqlite3") if path.stem.isdigit()]


def _create_first() -> Path:
    _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    path = _folder() / "1.sqlite3"
    SqliteEngine(path).checkpoint()  # makes the file
    _point_at(path)
    return path


def _point_at(path: Path) -> None:
    part = _folder() / f"{_POINTER}.{os.getpid()}"
    part.write_text(path.name)
    part.replace(_folder() / _POINTER)


def _open(path: Path) -> SqliteEngine:
    with _engines_lock:
        if path not in _engines:
            _engines.clear()  # an older generation has been replaced and deleted
            # without making it: a rebuild may have replaced this file just now, and an empty one would find nothing
            _engines[path] = SqliteEngine(path, may_create=False)
        return _engines[path]


def _forget_others(keep: Path) -> None:
    for path in _files():
        if path != keep:
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def _writing(*, wait: bool, at_most: float = 600.0) -> Iterator[bool]:
    """Hold the lock of the one writer; gives False when it is taken and `wait` is false. at_most: seconds to wait."""
    _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    with (_folder() / "lock").open("w") as handle:
        until = time.monotonic() + at_most
        while not _lock(handle.fileno()):
            if not wait:
                yield False
                return
            if time.monotonic() > until:
                raise IndexFault("index_busy", gettext_noop("Another process has been writing the index for too long."))
            time.sleep(0.05)
        yield True


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
