"""Removal: first invisible, then gone from rows, index, originals, pictures and the files themselves."""

from __future__ import annotations

import fcntl
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from evidence import audit, blobs, derived, jobs, needles, origins, projection, purged, receipts, remains, runs
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.models import (
    Answer,
    AuditEvent,
    Citation,
    Conflict,
    Document,
    Entry,
    EntryRevision,
    Job,
    Page,
    Passage,
    Proposal,
    Receipt,
    Representation,
    Revision,
    Run,
    SearchTrace,
    Source,
    Upload,
    id_list,
)
from evidence.needles import Needles
from evidence.remains import Traces

PURGE: Final = "purge"
WIPE: Final = "wipe"
WIPED_WITHIN: Final = timedelta(days=1)
"""What people discard, which they do often, is wiped at the latest then: writing a large database anew takes minutes."""
NO_RECEIPT: Final = 0
"""Key of a wiping that no receipt waits for."""
MANY: Final = 500
"""Documents that leave together are withdrawn in statements for so many."""
LEFT: Final = "remains_found"
MAX_WIPED: Final = 10_000
"""Removed documents that are wiped away at once; it costs the same for one as for many."""

_COUNTED: Final = {
    "documents": "Document",
    "revisions": "Revision",
    "representations": "Representation",
    "passages": "Passage",
    "pages": "Page",
    "uploads": "Upload",
    "conflicts": "Conflict",
}

_KNOWLEDGE: Final = {
    Entry.Kind.CONCEPT.value: "concepts",
    Entry.Kind.CLAIM.value: "claims",
    Entry.Kind.DECISION.value: "decisions",
    Entry.Kind.TRANSLATION.value: "translations",
}

_HOLDING_TEXT: Final = (
    Document, Revision, Representation, Passage, Page, Upload, Citation, SearchTrace, Run, Answer, Entry, EntryRevision, Proposal,
    Conflict,
)  # fmt: skip


def withdraw(document: Document, *, code: str = "document.withdrawn", actor: int | None = None) -> None:
    """Make a document invisible at once. Its text stays until `purge`. actor: the person who did it, if one did."""
    with transaction.atomic():
        projection.settle_after_commit()
        _hide([document], now=timezone.now())
        audit.about(document, code, actor=actor)
        projection.record([document.pk])


def withdraw_missing(documents: Sequence[Document], *, purge_after: timedelta) -> None:
    """Make documents invisible at once that left their source, and have them removed after this time.

    One that has come back by then is left alone; when it leaves again, it waits its full time anew.
    """
    now = timezone.now()
    with transaction.atomic():
        projection.settle_after_commit()
        for first in range(0, len(documents), MANY):
            some = _hide(documents[first : first + MANY], now=now)
            audit.about_all(some, "document.withdrawn")
            projection.record([row.pk for row in some])
            opened = receipts.open_all(some, invisible_at=now, due_at=now + purge_after)
            jobs.enqueue(PURGE, [receipt.pk for receipt in opened], not_before=now + purge_after)


def request_purge(document: Document, *, actor: int | None = None) -> Receipt:
    """Make a document invisible at once and leave its removal to a job, which is tried again until it is done.

    The receipt says how far that is. Asking twice gives the same one. actor: the person who asks, if one does.
    """
    with transaction.atomic():
        withdraw(document, code="document.purge_requested", actor=actor)
        invisible_at = Document.objects.filter(pk=document.pk).values_list("withdrawn_at", flat=True).first()
        now = timezone.now()
        receipt = receipts.open_for(document, invisible_at=invisible_at or now, due_at=now)
        jobs.enqueue(PURGE, [receipt.pk])
    return receipt


def purge(receipt: int) -> None:
    """Remove a withdrawn document and everything derived from it; a job then wipes what the files still hold of it.

    An audit event with ids stays. A document that has come back since it was withdrawn is left alone, and the receipt is void.
    """
    found = Receipt.objects.filter(pk=receipt, purged_at=None).first()
    if found is None:
        return
    projection.settle()
    document = Document.objects.filter(public_id=found.document, withdrawn_at=found.invisible_at).first()
    if document is not None:
        chosen = needles.choose(document)
        if needles.read(found) is None:  # else somebody is at it too, and may have seen more of it
            needles.keep(found, chosen)
    with transaction.atomic():
        rows = Document.objects.select_for_update(of=("self",)).filter(public_id=found.document)
        row = rows.select_related("source").first()
        if not Receipt.objects.select_for_update().filter(pk=receipt, purged_at=None).exists():
            return  # somebody else has removed it meanwhile; a document that is here now is another one
        if row is not None and row.withdrawn_at != found.invisible_at:
            found.delete()
            transaction.on_commit(lambda: needles.forget(found))
            return
        counts = {} if row is None else _remove_rows(row)
        Receipt.objects.filter(pk=receipt).update(purged_at=timezone.now(), counts=counts)
        jobs.enqueue(WIPE, [receipt])


def wipe_soon() -> None:
    """Have files wiped within WIPED_WITHIN of what was removed from rows in this transaction."""
    jobs.enqueue(WIPE, [NO_RECEIPT], not_before=timezone.now() + WIPED_WITHIN)


def wipe(receipt: int) -> None:
    """Leave nothing of what was removed in any file, and look whether that is so. Serves all that wait for it.

    Raises EvidenceError when something is still there: it is tried again, and the receipts say what was found.
    """
    with _alone():
        asked = jobs.waiting(WIPE, limit=MAX_WIPED)
        if not asked:
            return  # whoever was at it before has served this one too
        served = list(receipts.unfinished()[:MAX_WIPED])
        wanted = {row.pk: found for row in served if (found := needles.read(row)) is not None}
        _forget_in_searches(wanted, served)
        kept = _clean_files()
        cached = _forget_caches(served)
        unclean = _finish(served, remains.search(wanted, kept=kept), cached=cached)
        needles.forget_others()
        jobs.done([job for job in asked if job.key not in unclean])
        for job in asked:
            if job.key in unclean:
                jobs.retry(job, error=LEFT)
    if unclean:
        raise EvidenceError(LEFT, gettext_noop("Something of a removed document is still there."))


def look_again() -> int:
    """Have it looked again whether anything is left of documents of which something was; gives how many there are.

    A removal that was given up before its rows were gone is begun again too.
    """
    with transaction.atomic():
        found = list(receipts.unfinished().values_list("pk", flat=True))
        Job.objects.filter(kind=WIPE, key__in=id_list(found, using="default")).delete()
        jobs.enqueue(WIPE, found)
        given_up = Job.objects.filter(kind=PURGE, attempts__gte=jobs.MAX_ATTEMPTS)
        jobs.enqueue(PURGE, given_up.values_list("key", flat=True))
        given_up.delete()
    return len(found)


def close(receipt: UUID) -> bool:
    """Finish a receipt of which something was found, as it is: somebody has seen to that. Gives whether there was one."""
    row = receipts.unfinished().exclude(traces={}).filter(public_id=receipt).first()
    if row is None:
        return False
    with transaction.atomic():
        Receipt.objects.filter(pk=row.pk, finished_at=None).update(finished_at=timezone.now())
        Job.objects.filter(kind=WIPE, key=row.pk).delete()
        AuditEvent.objects.create(tenant_id=row.tenant_id, code="receipt.closed", document=row.document, ids={"receipt": row.pk})
    needles.forget(row)
    return True


def _remove_rows(row: Document) -> dict[str, int]:
    """Remove a document with everything that belongs to it; how many of each kind."""
    digests = set(row.revisions.values_list("source_sha256", flat=True)) | Upload.objects.filter(document=row).digests()
    shared = _named_elsewhere(row, digests)
    paths = {row.external_id, *row.revisions.values_list("path", flat=True)}
    words = Citation.objects.filter(document=row).exclude(exact="", prefix="", suffix="")
    counts = {
        "citations": words.update(exact="", prefix="", suffix=""),
        "answers": _forget_answers(row),
        **_forget_knowledge(row),
        "runs": _forget_in_runs(row.source_id, paths - {""}),
        "originals": len(digests - shared),
        "originals_shared": len(shared),
        "page_images": sum(derived.kept_of(digest) for digest in digests - shared),
    }
    audit.about(row, "document.purged", revisions=row.revisions.count())
    purged.note(row.public_id)
    _, deleted = row.delete()
    return counts | {kind: deleted.get(f"evidence.{model}", 0) for kind, model in _COUNTED.items()}


def _named_elsewhere(row: Document, digests: set[str]) -> set[str]:
    """Those of these digests that another document or a waiting upload names too."""
    others = Revision.objects.exclude(document=row).filter(source_sha256__in=digests)
    return set(others.values_list("source_sha256", flat=True)) | (Upload.objects.waiting().digests() & digests)


def _forget_answers(row: Document) -> int:
    """Remove the answers that quote it, as a whole: whoever had them checked finds them no more. Gives how many there were."""
    answers = Answer.objects.filter(documents=row)
    count = answers.count()
    answers.delete()
    return count


def _forget_knowledge(row: Document) -> dict[str, int]:
    """Empty every state and proposal of an entry of knowledge that cites it; gives how many entries of each kind lost words.

    Nobody reads such a state any more: not all of what it cites can be read. An entry of which it is the one that counts does
    not count any more; the short name of a concept or decision is free again.
    """
    states = EntryRevision.objects.filter(citations__document=row)
    proposals = Proposal.objects.filter(citations__document=row)
    found = set(states.values_list("pk", flat=True)), set(proposals.values_list("pk", flat=True))
    if not any(found):
        return dict.fromkeys(_KNOWLEDGE.values(), 0)
    states = EntryRevision.objects.filter(pk__in=id_list(found[0], using="default"))
    proposals = Proposal.objects.filter(pk__in=id_list(found[1], using="default"))
    heads = set(states.filter(number=F("entry__number")).values_list("entry", flat=True))
    touched = set(states.values_list("entry", flat=True)) | set(proposals.values_list("entry", flat=True))
    new = Entry.objects.filter(number=0, pk__in=id_list(touched, using="default"))
    states.update(content={}, why="")
    proposals.filter(state=Proposal.State.OPEN).update(state=Proposal.State.WITHDRAWN, decided_at=timezone.now())
    proposals.update(content={}, why="", note="")
    new.update(state=Entry.State.REJECTED)
    rows = Entry.objects.filter(pk__in=id_list(heads, using="default"))
    rows.update(slug="", title="", terms=[], subject="", property="", value="", valid_from=None, valid_until=None)
    stands_alone = (Entry.Kind.CONCEPT, Entry.Kind.DECISION)
    rows.filter(kind__in=stands_alone).update(state=Entry.State.REJECTED)
    rows.exclude(kind__in=stands_alone).update(state=Entry.State.DEPRECATED)
    kinds = Counter(Entry.objects.filter(pk__in=id_list(touched, using="default")).values_list("kind", flat=True))
    return {name: kinds[kind] for kind, name in _KNOWLEDGE.items()}


def _forget_in_runs(source: int, paths: set[str]) -> int:
    """Take these paths out of what runs of this source could not take in; the codes stay."""
    rows = list(remains.with_problems().filter(remains.of_paths(paths), source=source))
    for row in rows:
        row.problems = [["" if path in paths else path, *rest] for path, *rest in row.problems]
    Run.objects.bulk_update(rows, ["problems"], batch_size=500)
    return len(rows)


def _clean_files() -> set[str]:
    """Write anew or remove every file that may hold what was removed; gives the digests of originals that stay."""
    projection.purge_traces()
    with blobs.alone():
        kept = set(Revision.objects.values_list("source_sha256", flat=True))
        blobs.keep_only(kept | Upload.objects.waiting().digests())
        derived.keep_only(kept)
        kept |= Upload.objects.waiting().digests()
    _compact()
    return kept


def _forget_caches(served: Sequence[Receipt]) -> set[int]:
    """Remove what is kept of the origins of these; gives the sources where a run is using it now."""
    busy = set()
    for source in Source.objects.filter(pk__in={row.source_id for row in served if row.source_id is not None}):
        try:
            with runs.alone(source):
                origins.forget(source)
        except Refused:
            busy.add(source.pk)
    return busy


def _finish(served: Sequence[Receipt], traces: Mapping[int, Traces], *, cached: set[int]) -> set[int]:
    """Write down what is left, and finish the receipts of which nothing is; gives the keys of the others."""
    for row in served:
        row.traces = dict(traces.get(row.pk) or row.traces or remains.NOT_SEARCHED)
        row.traces[remains.Place.ORIGIN_CACHES] = int(row.source_id in cached)
        row.finished_at = timezone.now() if remains.is_clean(row.traces) else None
        row.save(update_fields=["traces", "finished_at"])
        if row.finished_at is not None:
            needles.forget(row)
    return {row.pk for row in served if row.finished_at is None}


def _forget_in_searches(wanted: Mapping[int, Needles], served: Sequence[Receipt]) -> None:
    """Take passages of removed documents out of search traces, with the words that found them, and count that."""
    states = {state for one in wanted.values() for state in one.representations}
    with transaction.atomic():
        found = remains.in_searches(wanted)
        rows = list(SearchTrace.objects.filter(pk__in=id_list(set().union(*found.values()), using="default")))
        for row in rows:
            row.passages = [[state, number] for state, number in row.passages if state not in states]
            row.query = ""
        SearchTrace.objects.bulk_update(rows, ["passages", "query"], batch_size=500)
        for receipt in served:
            receipt.counts["searches"] = receipt.counts.get("searches", 0) + len(found.get(receipt.pk, ()))
            receipt.save(update_fields=["counts"])


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time: two that write the same files anew would only wait for one another."""
    folder = Path(settings.DATA_DIR) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "wipe").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _hide(documents: Sequence[Document], *, now: datetime) -> Sequence[Document]:
    """Withdraw those that are not withdrawn yet; gives them."""
    ids = [row.pk for row in documents]
    Document.objects.filter(pk__in=ids, withdrawn_at=None).update(withdrawn_at=now, updated_at=now)
    mine = set(Document.objects.filter(pk__in=ids, withdrawn_at=now).values_list("pk", flat=True))
    return [row for row in documents if row.pk in mine]


def _compact() -> None:
    """Let the database's own files hold no copies of rows any more, as far as that can be had."""
    if connection.vendor == "sqlite":
        _compact_sqlite()
    else:
        _vacuum()


def _compact_sqlite() -> None:
    """Write the file anew and empty its log: both hold copies of rows, also of those that were overwritten when deleted."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (busy, _, _) = cursor.fetchone()
    if busy:
        raise EvidenceError("log_busy", gettext_noop("The database's log can't be emptied while others read."))


def _vacuum() -> None:
    """Have the server's dead rows removed, so that their room is written over. FULL would keep every reader out for minutes.

    That is as far as it goes: until other rows are written there, the room keeps old bytes, and the server's log (WAL), its
    archive and backups of the server keep them as long as whoever runs it has them kept.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        try:
            for model in _HOLDING_TEXT:
                cursor.execute(f"VACUUM {connection.ops.quote_name(model._meta.db_table)}")
        finally:
            cursor.execute("RESET statement_timeout")
