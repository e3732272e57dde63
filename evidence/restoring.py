"""Restoring: a backup into an empty place. What it holds is old, so nothing in it is believed: nobody reads before somebody has
confirmed the rights, programs need new tokens, people sign in again, and what was removed since is removed again.

The originals come first, each under its digest; then the database, all of it at once and already closed; then what is made anew.
Whoever is killed over it leaves a mark, and the same command goes on from there. Until then other commands refuse to begin.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from evidence import archive, backups, blobs, projection, purged, removal, uploads
from evidence.archive import Manifest, Progress
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.models import (
    RESTORED,
    AuditEvent,
    Closed,
    Document,
    Identity,
    Job,
    Provider,
    SearchTrace,
    Source,
    Tenant,
    Token,
    Upload,
)

MANY: Final = 500
_KEPT: Final = ("blobs", "pages", "origins", "receipts")


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. missing: originals that the backup lacks. removed: how many documents and uploads were removed again.

    journal: whether there was one. left: whether files are still to be wiped, which the worker does.
    """

    created_at: str
    documents: int
    originals: int
    missing: tuple[str, ...]
    sources: int
    removed: int
    journal: bool
    left: bool


def mark() -> Path:
    """Where the mark of an unfinished restore is."""
    return Path(settings.DATA_DIR) / archive.UNFINISHED


def restore(
    path: Path,
    *,
    journal: Path | None = None,
    progress: Progress = lambda size: None,
    indexed: Callable[[int], object] = lambda passages: None,
) -> Restored:
    """Restore this backup. journal: of what was removed (`purged`), if it is not in the data folder. indexed: as in `rebuild`.

    Raises EvidenceError; where that is Refused, nothing was changed.
    """
    about = archive.manifest(path)
    _refuse_other(about)
    if journal is not None and not journal.is_file():
        raise Refused("backup_missing", gettext_noop("There is no file %(path)s."), path=journal)
    gone = _removed(journal)
    whole = archive.verify(path, progress)
    _begin(whole.name)
    purged.write(gone)  # whoever goes on after a sudden end need not know where it came from
    with archive.beside(mark(), archive.DATABASE) as dump:
        earlier = _unpack(path, dump, progress)
        later = purged.since(earlier, gone)
        purged.write([*earlier, *later])
        if backups.dumper().is_empty():
            backups.dumper().load(dump, list(_closing(timezone.now(), later)))
    removed, left = _bring_up_to_date({*earlier, *later}, indexed)
    mark().unlink()
    return Restored(
        created_at=about.created_at,
        documents=Document.objects.filter(withdrawn_at=None).count(),
        originals=whole.originals,
        missing=whole.missing,
        sources=Source.objects.filter(closed_because__in=RESTORED).count(),
        removed=removed,
        journal=bool(gone),
        left=left,
    )


def _removed(journal: Path | None) -> Sequence[UUID]:
    """What was removed, by this journal and by the one that is here."""
    here = purged.read(purged.path())
    given = here if journal is None else purged.read(journal)
    return [*given, *(one for one in here if one not in set(given))]


def _refuse_other(about: Manifest) -> None:
    """Raises Refused for what this program, this engine or this server can't read."""
    if about.engine != connection.vendor:
        message = gettext_noop("The backup is of a %(engine)s database, and this is none: see FUNDSTELLE_DATABASE_URL.")
        raise Refused("backup_other_engine", message, engine=about.engine)
    if about.server > (here := backups.dumper().server()):
        message = gettext_noop("The backup is of a PostgreSQL server of version %(version)d, and this one is %(here)d.")
        raise Refused("backup_newer_server", message, version=about.server, here=here)
    if set(about.migrations) - MigrationLoader(None).disk_migrations.keys():
        message = gettext_noop("The backup is of a newer version of Fundstelle. Restore it with that one.")
        raise Refused("backup_newer", message)


def _begin(name: str) -> None:
    """Leave the mark, in an empty place or in one where this very backup was begun to be restored. Raises Refused."""
    try:
        begun = json.loads(mark().read_text()).get("backup")
    except FileNotFoundError:
        begun = None
    if begun is None and not _is_empty():
        message = gettext_noop(
            "There is something here already. A backup is restored into an empty data folder and database only."
        )
        raise Refused("restore_not_empty", message)
    if begun not in {None, name}:
        message = gettext_noop(
            "Another backup was begun to be restored here. Finish that, or empty the data folder and database."
        )
        raise Refused("restore_of_another", message)
    blobs.write_whole(mark(), json.dumps({"backup": name}).encode())


def _is_empty() -> bool:
    """Whether nothing is here that belongs to another state: no table, no original, nothing that was made of one or fetched."""
    folder = Path(settings.DATA_DIR)
    return backups.dumper().is_empty() and not any(any((folder / name).glob("*")) for name in _KEPT)


def _unpack(path: Path, dump: Path, progress: Progress) -> Sequence[UUID]:
    """Put every original in its place, and the database beside; gives what had been removed before the backup."""
    earlier: Sequence[UUID] = ()
    for name, source in archive.members(path):
        if name == archive.DATABASE:
            with dump.open("wb") as target:
                while data := source.read(archive.CHUNK):
                    target.write(data)
                    progress(len(data))
        elif name == archive.JOURNAL:
            earlier = purged.decoded(source.read(), path)
        elif name.startswith(archive.ORIGINALS):
            data = source.read()
            if blobs.put(data) != name.removeprefix(archive.ORIGINALS):
                raise archive.damaged(path)  # since it was verified
            progress(len(data))
    return earlier


def _closing(now: datetime, gone: Sequence[UUID]) -> Iterator[str]:
    """What is done to the database before anybody can see it, as statements that both engines and older schemas understand.

    All sources are closed, and not only those whose rights are kept here: who is in which group is as old as everything else.
    """
    at = f"'{connection.ops.adapt_datetimefield_value(now)}'"
    table = {model: model._meta.db_table for model in (Source, Token, Identity, Job, Upload, Tenant, Document)}
    yield f"UPDATE {table[Source]} SET rights_confirmed_at = NULL, rights_stamp = ''"
    yield f"UPDATE {table[Source]} SET closed_at = {at}, closed_because = '{Closed.RESTORED}' WHERE closed_at IS NULL"
    yield f"UPDATE {table[Token]} SET revoked_at = {at} WHERE revoked_at IS NULL"
    yield f"UPDATE {table[Identity]} SET groups_at = NULL"
    yield f"UPDATE {table[Job]} SET claimed_at = NULL"
    yield f"UPDATE {table[Upload]} SET publishing_at = NULL"
    yield f"UPDATE {table[Tenant]} SET diagnosis_until = NULL"
    for first in range(0, len(gone), MANY):
        ids = ", ".join(f"'{one.hex}'" for one in gone[first : first + MANY])
        yield f"UPDATE {table[Document]} SET withdrawn_at = {at} WHERE withdrawn_at IS NULL AND public_id IN ({ids})"


def _bring_up_to_date(gone: Collection[UUID], indexed: Callable[[int], object]) -> tuple[int, bool]:
    """Schema, index, and what must not come back; gives how much of that there was, and whether files are still to be wiped."""
    call_command("migrate", verbosity=0, interactive=False)
    Source.objects.filter(closed_because=Closed.ADMINISTRATOR).update(closed_because=Closed.BOTH)
    Provider.objects.all().delete()  # what it pushed counts again from its next call on
    SearchTrace.objects.exclude(query="").update(query="")  # somebody may have removed them since
    projection.rebuild(indexed)
    removed = sum(_remove_again(list(gone)[first : first + MANY]) for first in range(0, len(gone), MANY))
    for tenant in Tenant.objects.all():
        AuditEvent.objects.create(tenant=tenant, code="backup.restored")
    try:
        removal.wipe(removal.NO_RECEIPT)
    except EvidenceError:
        return removed, True
    return removed, False


def _remove_again(gone: Sequence[UUID]) -> int:
    """Documents that are withdrawn, and files that wait; one that came back before the backup was made is not withdrawn."""
    documents = list(Document.objects.filter(public_id__in=gone).exclude(withdrawn_at=None).select_related("source"))
    for row in documents:
        removal.purge(removal.request_purge(row).pk)
    files = list(Upload.objects.waiting().filter(public_id__in=gone))
    for file in files:
        uploads.remove(file.pk)
    return len(documents) + len(files)
