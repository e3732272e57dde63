"""Brings the index in line with the database: pending changes, rebuild, comparison.

Each change of a document records a job in its own transaction. Settling reads what the database says now and writes it to
the index, so that doing it twice, or late, ends in the same state. Until then a search treats the document as absent
(`pending`). One process at a time writes, guarded by a file lock: otherwise an older state could overwrite a newer one.

That holds where others commit at any time, between any two of the statements here. A change that comes in between has a job of
its own, which is not among those that were read before, so that its document stays pending. Jobs go by their own ids, never as
"all up to this one": with PostgreSQL a lower id can be committed after a higher one. The index is a file of this machine, so
that one database serves one machine, and one data folder.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, TextIO

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from evidence import jobs
from evidence.content import PassageKind, searched
from evidence.errors import IndexFault, gettext_noop
from evidence.index import Engine, Entry, Indexed
from evidence.index.sqlite import SqliteEngine
from evidence.index.sums import of_title
from evidence.models import Document, Passage, Representation, id_list

JOB: Final = "index"
CHUNK: Final = 500
"""Documents whose states are looked up at once."""
BATCH_PASSAGES: Final = 20_000
"""Passages given to the index at once: enough to make its sorting pay, little enough for memory."""
PIECE: Final = 1_000
"""Changes that are applied at once."""
QUICK: Final = 50
"""Changed documents that a search settles before it asks; more are left to the worker."""
SECTION_PASSAGES: Final = 40
"""The wider mode takes so many passages under one heading for one section. Of 10,510 sections of laws 99 % have fewer."""
ARCHIVED: Final = 1 << 40
"""Added to the id of an earlier state, and to its access class: so that it is asked for only when somebody wants it."""
_DAMAGED: Final = "-damaged"
_POINTER: Final = "current"
_PASSING: Final = frozenset({"index_busy", "index_unwritable"})
"""Faults that no other index mends."""

logger = logging.getLogger(__name__)
_engines: dict[Path, Engine] = {}
_engines_lock = threading.Lock()


class Versions(StrEnum):
    """Which states a question is asked of."""

    CURRENT = "current"
    EARLIER_TOO = "earlier_too"


def record(documents: Collection[int]) -> None:
    """Note that these documents changed; belongs into the transaction of the change. Whoever changes many settles later."""
    jobs.enqueue(JOB, documents)


def settle_after_commit() -> None:
    """Bring the index in line right after the transaction that is open now."""
    transaction.on_commit(settle_quickly)


def pending() -> set[int]:
    """Ids in the index, of current and earlier states, of documents whose last change has not reached it."""
    documents = jobs.waiting_keys(JOB)
    return documents | _archived_ids(documents)


def entries(documents: Collection[int], *, versions: Versions) -> set[int]:
    """Ids in the index of the states of these documents that are asked."""
    return {*documents, *(_archived_ids(documents) if versions is Versions.EARLIER_TOO else ())}


def classes(access_classes: Collection[int], *, versions: Versions) -> Collection[int]:
    """The classes to ask the index for, where these may be read."""
    if versions is Versions.CURRENT:
        return access_classes
    return {*access_classes, *(one + ARCHIVED for one in access_classes)}


def engine() -> Engine:
    """The index to ask. Raises IndexFault when there is none (`manage.py reindex` builds it)."""
    try:
        path = _current()
    except FileNotFoundError:
        if Document.objects.exclude(current=None).exists():
            raise _missing() from None
        path = _create_first()
    if not path.exists():
        raise _missing()
    if _mark(path).exists():
        raise IndexFault("index_damaged", gettext_noop("The search index is damaged. The worker builds it anew."))
    return _open(path)


def ensure() -> None:
    """See to it that there is an index that can be written; one that is missing, damaged or of an older format is built anew."""
    try:
        engine().representations([])
    except IndexFault as fault:
        if fault.code in _PASSING:
            raise
        rebuild()


def check() -> None:
    """Read all of the index; what is damaged is built anew, and meanwhile nobody is answered from it. Raises IndexFault."""
    with suppress(IndexFault):
        engine().check()
    ensure()


def settle_quickly() -> None:
    """Settle if nobody else is at it and little waits; a fault is left to the next search, which shows it."""
    if not 0 < len(jobs.waiting(JOB, limit=QUICK + 1)) <= QUICK:
        return
    with suppress(IndexFault), _writing(wait=False) as mine:
        if mine:
            _settle_some(QUICK)


def settle(*, wait: bool = True, stop: Callable[[], bool] = lambda: False) -> int:
    """Apply every pending change; gives how many documents were looked at. Raises IndexFault when there is no index.

    wait: for whoever is writing it now. stop: asked between pieces, whether the rest is to be left.
    """
    with _writing(wait=wait) as mine:
        total = 0
        while mine and not stop() and (count := _settle_some(PIECE)):
            total += count
        return total


def rebuild(progress: Callable[[int], object] = lambda passages: None) -> int:
    """A new index from the database, beside the one that searches go on asking; then it takes its place.

    progress is called with the number of passages of each batch. Gives the number of documents.
    """
    with _writing(wait=True):
        path = _new_path()
        fresh = SqliteEngine(path)
        count = 0
        for documents in _chunks(_indexable()):
            count += len(documents)
            for batch in _batches(_states(documents)):
                fresh.put(_entries(batch))
                progress(sum(state.passages for state in batch))
        fresh.checkpoint()
        _point_at(path)
        _forget_others(path)
    settle()
    return count


def purge_traces() -> None:
    """After removals: nothing of what was removed stays in a file of the index, nor in one that a killed rebuild left."""
    settle()
    with _writing(wait=True):
        index = engine()
        known = {state.id for documents in _chunks(_indexable()) for state in _states(documents)}
        index.remove([found.document for found in index.documents() if found.document not in known])
        index.compact()
        _forget_others(_current())


def forget_earlier(representations: Collection[int]) -> None:
    """Take earlier states out of the index whose rows are about to go."""
    with _writing(wait=True):
        engine().remove([one + ARCHIVED for one in representations])


def differences() -> Iterator[str]:
    """Where index and database disagree beyond what is pending, one line of ids a finding."""
    waits = pending()
    expected = {state.id: _indexed(state) for documents in _chunks(_indexable()) for state in _states(documents)}
    for found in engine().documents():
        wanted = expected.pop(found.document, None)
        if found != wanted and found.document not in waits:
            yield f"state {found.document}: index {found}, database {wanted}"
    for state, wanted in expected.items():
        if state not in waits:
            yield f"state {state}: not in the index, database {wanted}"


def unlike(documents: Collection[int]) -> set[int]:
    """Those of these documents that index and database tell differently, beyond what is pending. Raises IndexFault."""
    found = _unlike(documents)
    return _unlike(found) if found else found  # what changed between the two looks is no difference


def strays() -> Collection[int]:
    """States in the index that are no document's. Raises IndexFault."""
    known = {state.id for documents in _chunks(_indexable()) for state in _states(documents)}
    return {found.document for found in engine().documents()} - known - pending()


def place(document: Document, representation: int) -> tuple[int, int]:
    """The id and the access class under which the index has this state of a document."""
    if representation == document.current_id:
        return document.pk, document.access_class_id
    return representation + ARCHIVED, document.access_class_id + ARCHIVED


def attributes(document: Document) -> Mapping[str, str]:
    """What hits in this document can be filtered by."""
    return {
        "source": document.source.name,
        "kind": document.kind,
        "language": document.language,
        "status": document.status,
    }


@dataclass(frozen=True, slots=True)
class _State:
    """A state of a document as the index is to hold it."""

    id: int
    document: Document
    representation: int
    access_class: int
    passages: int


def _unlike(documents: Collection[int]) -> set[int]:
    rows = list(_indexable().filter(pk__in=documents))
    wanted = {state.id: state for state in _states(rows)}
    ids = {*documents, *_archived_ids(documents)}
    found = {one.document: one for one in engine().documents(ids)}
    expected = {one: _indexed(state) for one, state in wanted.items()}
    different = {one for one in ids if found.get(one) != expected.get(one)} - pending()
    owners = dict(
        Representation.objects.filter(pk__in=[one - ARCHIVED for one in different]).values_list("pk", "revision__document")
    )
    return {one if one < ARCHIVED else owners[one - ARCHIVED] for one in different if one < ARCHIVED or one - ARCHIVED in owners}


def _settle_some(limit: int) -> int:
    """Bring the oldest pending documents in line; gives how many jobs were looked at. The caller holds the lock."""
    work = jobs.waiting(JOB, limit=limit)
    if not work:
        return 0
    index = engine()
    keys = {job.key for job in work}
    wanted = {state.id: state for state in _states(list(_indexable().filter(pk__in=keys)))}
    index.remove((keys | _archived_ids(keys)) - wanted.keys())
    known = {one.document: (one.representation, one.title) for one in index.documents(list(wanted))}
    kept = {one for one, state in wanted.items() if known.get(one) == (state.representation, of_title(state.document.title))}
    index.reclass({one: (wanted[one].access_class, attributes(wanted[one].document)) for one in kept})
    for batch in _batches(state for state in wanted.values() if state.id not in kept):
        index.put(_entries(batch))
    jobs.done(work)
    return len(work)


def _indexable() -> QuerySet[Document]:
    found = Document.objects.filter(withdrawn_at=None, current__isnull=False)
    return found.select_related("source", "current").order_by("pk")


def _archived_ids(documents: Collection[int]) -> set[int]:
    """The ids that earlier states of these documents have or could have."""
    if not documents:
        return set()
    rows = Representation.objects.filter(revision__document__in=id_list(documents, using="default"))
    return {pk + ARCHIVED for pk in rows.values_list("pk", flat=True)}


def _states(documents: Sequence[Document]) -> Iterator[_State]:
    """The current state of each document, then the latest text of each earlier revision."""
    earlier = _earlier(documents)
    for document in documents:
        if document.current is None:
            continue
        access_class = document.access_class_id
        yield _State(document.pk, document, document.current.pk, access_class, document.current.passage_count)
        for representation, passages in earlier.get(document.pk, ()):
            yield _State(representation + ARCHIVED, document, representation, access_class + ARCHIVED, passages)


def _earlier(documents: Sequence[Document]) -> Mapping[int, Collection[tuple[int, int]]]:
    """For each document, the latest text (id, passages) of each revision but the current one's."""
    rows = Representation.objects.filter(revision__document__in=[document.pk for document in documents]).order_by("pk")
    current = {document.current.revision_id for document in documents if document.current}
    found: dict[int, dict[int, tuple[int, int]]] = {}
    for pk, revision, document, passages in rows.values_list("pk", "revision", "revision__document", "passage_count"):
        if revision not in current:
            found.setdefault(document, {})[revision] = (pk, passages)
    return {document: list(latest.values()) for document, latest in found.items()}


def _chunks(documents: QuerySet[Document]) -> Iterator[Sequence[Document]]:
    """All of them, a few hundred at a time."""
    rows = documents.iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _batches(states: Iterable[_State]) -> Iterator[Sequence[_State]]:
    """States in batches of about BATCH_PASSAGES passages."""
    batch: list[_State] = []
    passages = 0
    for state in states:
        batch.append(state)
        passages += state.passages
        if passages >= BATCH_PASSAGES:
            yield batch
            batch, passages = [], 0
    if batch:
        yield batch


def _entries(states: Sequence[_State]) -> list[Entry]:
    outlines = {state.representation: _Outline(state.document.title) for state in states}
    rows = Passage.objects.filter(representation__in=list(outlines))
    columns = ("representation", "number", "kind", "start", "end", "text", "headings", "spans")
    ordered = rows.order_by("representation", "number").values_list(*columns)
    for representation, number, kind, start, end, text, headings, spans in ordered.iterator(chunk_size=5_000):
        quote = searched(text[: end - start], spans, start).text
        outlines[representation].add(number, quote, headings, is_heading=kind == PassageKind.HEADING)
    return [
        Entry(
            document=state.id,
            public_id=state.document.public_id,
            representation=state.representation,
            access_class=state.access_class,
            attributes=attributes(state.document),
            passages=outlines[state.representation].quotes,
            titles=outlines[state.representation].titles(),
            sections=outlines[state.representation].sections,
            headings=outlines[state.representation].headings,
        )
        for state in states
    ]


class _Outline:
    """The passages of a text, in order, and which headings they stand under. A heading belongs to what stands under it.

    Long sections are cut: in a text without headings it would not matter which of its words stand near one another.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._pieces: dict[tuple[tuple[int, ...], int], int] = {((), 0): 0}
        self._under: Counter[tuple[int, ...]] = Counter()
        self.quotes: list[str] = []
        self.sections: list[int] = []
        self.headings: list[int] = []

    def add(self, number: int, quote: str, headings: Sequence[int], *, is_heading: bool) -> None:
        """The next passage. number: its own. headings: the numbers of those above it, outermost first."""
        path = (*headings, number) if is_heading else tuple(headings)
        piece = path, self._under[path] // SECTION_PASSAGES
        self._under[path] += 1
        if is_heading:
            self.headings.append(len(self.quotes))
        self.quotes.append(quote)
        self.sections.append(self._pieces.setdefault(piece, len(self._pieces)))

    def titles(self) -> list[str]:
        """What stands above each section; above the first, the title alone."""
        return ["\n".join([self._title, *(self.quotes[number] for number in path)]) for path, _ in self._pieces]


def _indexed(state: _State) -> Indexed:
    return Indexed(
        document=state.id,
        representation=state.representation,
        access_class=state.access_class,
        passages=state.passages,
        attributes=attributes(state.document),
        title=of_title(state.document.title),
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


def _new_path() -> Path:
    """A name that no index had: whoever deletes all files must not lead a process to ask a half-built one, or to stay at one that
    it has open still.
    """
    newest = max((int(path.stem) for path in _files()), default=0)
    return _folder() / f"{max(newest + 1, time.time_ns() // 1_000)}.sqlite3"


def _create_first() -> Path:
    _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    path = _new_path()
    SqliteEngine(path).checkpoint()  # makes the file
    _point_at(path)
    return path


def _point_at(path: Path) -> None:
    part = _folder() / f"{_POINTER}.{os.getpid()}"
    part.write_text(path.name)
    part.replace(_folder() / _POINTER)


def _open(path: Path) -> Engine:
    with _engines_lock:
        if path not in _engines:
            _engines.clear()  # an older generation has been replaced and deleted
            # without making it: a rebuild may have replaced this file just now, and an empty one would find nothing
            _engines[path] = SqliteEngine(path, may_create=False, damaged=partial(_note_damage, path))
        return _engines[path]


def _mark(path: Path) -> Path:
    """What tells every process that this file is damaged."""
    return path.with_name(f"{path.name}{_DAMAGED}")


def _note_damage(path: Path) -> None:
    """Nobody is answered from this file any more, in whichever process."""
    logger.error("index: %s is damaged", path.name)
    with suppress(OSError):
        _mark(path).touch()


def _forget_others(keep: Path) -> None:
    for path in _files():
        if path != keep:
            for ending in ("", "-wal", "-shm", _DAMAGED):
                path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def _writing(*, wait: bool, at_most: float = 600.0) -> Iterator[bool]:
    """Hold the lock of the one writer; gives False when it is taken and `wait` is false. at_most: seconds to wait."""
    with _lock_file() as handle:
        until = time.monotonic() + at_most
        while not _lock(handle.fileno()):
            if not wait:
                yield False
                return
            if time.monotonic() > until:
                raise IndexFault("index_busy", gettext_noop("Another process has been writing the index for too long."))
            time.sleep(0.05)
        yield True


def _lock_file() -> TextIO:
    """Raises IndexFault where the folder takes no file."""
    try:
        _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        return (_folder() / "lock").open("w")
    except OSError as error:
        raise IndexFault(
            "index_unwritable", gettext_noop("The index can't be written (%(reason)s)."), reason=error.strerror
        ) from error


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
