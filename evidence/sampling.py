"""Sampling: what is kept is read back and compared with what is said of it: originals, texts, rights, index. By ids and codes.

After each run a few documents of its source are looked at; `manage.py verify` looks at everything.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from evidence import blobs, grants, projection
from evidence.errors import EvidenceError, IndexFault
from evidence.models import AccessClass, AuditEvent, Document, Representation, Source, Upload

SAMPLE: Final = 20
"""Documents that are looked at after each run: a fault of one in ten of them is found in nine runs out of ten."""
MANY: Final = 200
"""Documents that are compared with the index at once."""


class Fault(StrEnum):
    """What can be wrong with a document, as codes."""

    TEXT = "text_differs"
    ORIGINAL_MISSING = "blob_missing"
    ORIGINAL_DAMAGED = "blob_damaged"
    RIGHTS = "rights_differ"
    INDEX = "index_differs"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of one document, or of one upload that is not published, by its public id."""

    fault: Fault
    document: UUID


def after_run(source: Source) -> dict[str, Any]:
    """Look at SAMPLE documents of a source, chosen at random; gives what Run.sample holds.

    {"checked": number of documents, "faults": [[code, public id] ...], "error": code of what kept the index from being compared}.
    A fault is written down for administrators too.
    """
    ids = list(_current(source).values_list("pk", flat=True))
    chosen = random.sample(ids, min(SAMPLE, len(ids)))
    error = ""
    found = list(_of_rows(chosen))
    try:
        found += _of_index(chosen)
    except IndexFault as fault:
        error = fault.code
    AuditEvent.objects.bulk_create(
        AuditEvent(
            tenant=source.tenant, code="sample.fault", document=one.document, ids={"source": source.pk, "fault": one.fault}
        )
        for one in found
    )
    return {"checked": len(chosen), "faults": [[one.fault, str(one.document)] for one in found], "error": error}


def everything(sources: QuerySet[Source], *, progress: Callable[[int], object]) -> Iterator[Finding]:
    """Look at all documents of these sources with all their states, withdrawn ones included. Raises IndexFault at the end.

    progress: called with the number of documents of each piece.
    """
    ids = list(Document.objects.filter(source__in=sources).order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(ids), MANY):
        some = ids[first : first + MANY]
        yield from _of_rows(some, all_states=True)
        progress(len(some))
    for first in range(0, len(ids), MANY):
        yield from _of_index(ids[first : first + MANY])


def of_uploads() -> Iterator[Finding]:
    """Look at what people brought and have not published."""
    for upload in Upload.objects.waiting().order_by("pk"):
        for digest in sorted({upload.sha256, upload.content} - {""}):
            fault = _original_fault(digest)
            if fault is not None and Upload.objects.waiting().filter(pk=upload.pk).exists():
                yield Finding(fault, upload.public_id)


def _current(source: Source) -> QuerySet[Document]:
    return source.documents.filter(withdrawn_at=None, current__isnull=False)


def _of_rows(documents: Sequence[int], *, all_states: bool = False) -> Iterator[Finding]:
    """Faults of originals, texts and rights; a document that is removed meanwhile has none."""
    rows = Document.objects.filter(pk__in=documents).select_related("current__revision")
    rights = _wrong_classes(rows)
    for row in rows:
        faults = set(_faults(_states(row) if all_states else [row.current] if row.current else []))
        if row.access_class_id in rights:
            faults.add(Fault.RIGHTS)
        if faults and Document.objects.filter(pk=row.pk).exists():
            yield from (Finding(fault, row.public_id) for fault in sorted(faults))


def _states(row: Document) -> Iterable[Representation]:
    return Representation.objects.filter(revision__document=row).select_related("revision").order_by("pk").iterator()


def _faults(states: Iterable[Representation]) -> Iterator[Fault]:
    originals: set[str] = set()
    for state in states:
        if not _text_agrees(state):
            yield Fault.TEXT
        if state.revision.source_sha256 not in originals:
            originals.add(state.revision.source_sha256)
            fault = _original_fault(state.revision.source_sha256)
            if fault is not None:
                yield fault


def _text_agrees(state: Representation) -> bool:
    digest, length, count = hashlib.sha256(), 0, 0
    for text in state.passages.order_by("number").values_list("text", flat=True).iterator():
        digest.update(text.encode("utf-8", "surrogatepass"))
        length += len(text)
        count += 1
    return (digest.hexdigest(), length, count) == (state.text_sha256, state.length, state.passage_count)


def _original_fault(digest: str) -> Fault | None:
    try:
        blobs.read(digest)
    except EvidenceError as error:
        return Fault(error.code)
    except OSError:
        return Fault.ORIGINAL_DAMAGED
    return None


def _wrong_classes(documents: QuerySet[Document]) -> set[int]:
    """Classes whose rules are not those that they are named for."""
    classes = AccessClass.objects.filter(documents__in=documents.values("pk")).distinct()
    given = grants.stored(classes)
    return {pk for pk, digest in classes.values_list("pk", "digest") if pk in given and given[pk].digest() != digest}


def _of_index(documents: Sequence[int]) -> Iterator[Finding]:
    unlike = projection.unlike(documents)
    for public_id in Document.objects.filter(pk__in=unlike).order_by("pk").values_list("public_id", flat=True):
        yield Finding(Fault.INDEX, public_id)
