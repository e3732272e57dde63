"""Closing a source at once, opening it again, and stating that rights which are kept here are right. By an administrator.

What holds for the next request is the row of the source: nothing else has to be told. Opening takes back a closing by hand and
nothing more: rights that are too old stay too old. What a person states counts only of rights that have been seen as a whole.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from evidence import identity
from evidence.access import Access
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.models import RESTORED, AuditEvent, Closed, Source, SourceKind

CLOSED = "source.closed"
OPENED = "source.opened"
CONFIRMED = "rights.confirmed"


def mine(access: Access, source: int) -> Source:
    """The source of this key, if it is in the tenant of this administrator. Raises Unavailable for any other."""
    rows = Source.objects.filter(tenant=access.tenant, pk=source).select_related("tenant")
    row = rows.first() if identity.may_administer(access) else None
    if row is None:
        raise Unavailable
    return row


def close(access: Access, source: int) -> None:
    """Nobody reads anything of it from the next request on. One that was restored stays closed when it is confirmed, too."""
    row = mine(access, source)
    with transaction.atomic():
        closed = Source.objects.filter(pk=row.pk, closed_at=None)
        restored = Source.objects.filter(pk=row.pk, closed_because=Closed.RESTORED)
        if closed.update(closed_at=timezone.now(), closed_because=Closed.ADMINISTRATOR) or restored.update(
            closed_because=Closed.BOTH
        ):
            _note(access, row, CLOSED)


def open_again(access: Access, source: int) -> None:
    """Take back that it was closed by hand. Raises Refused for one that was restored from a backup: see `confirm`."""
    row = mine(access, source)
    with transaction.atomic():
        opened = Source.objects.filter(pk=row.pk, closed_because=Closed.ADMINISTRATOR)
        if opened.update(closed_at=None, closed_because=""):
            _note(access, row, OPENED)
        elif Source.objects.filter(pk=row.pk, closed_because__in=RESTORED).exists():
            message = gettext_noop("It was restored from a backup. It opens when its rights have been confirmed.")
            raise Refused("source_restored", message)


def confirm(access: Access, source: int) -> None:
    """State that a restored source's rights are right as they are, and with them who is in which group. Raises Refused.

    A source that was not restored is not confirmed by hand here: a run or the system that pushes confirms it.
    """
    row = mine(access, source)
    if row.closed_because not in RESTORED:
        raise Refused("nothing_to_confirm", gettext_noop("Only a source that was restored from a backup is confirmed by hand."))
    _believe(row, actor=access.user)


def confirm_by_command(source: Source) -> None:
    """The same by whoever runs the installation, who may also vouch for rights that have become too old. Raises Refused."""
    if source.closed_because in RESTORED:
        _believe(source, actor=None)
        return
    _refuse_unseen(source)
    with transaction.atomic():
        Source.objects.filter(pk=source.pk).update(rights_confirmed_at=timezone.now())
        _write(source, CONFIRMED, actor=None)


def waits_for_origin(source: Source) -> bool:
    """Whether nobody's word opens it: what its origin says of the rights has not been seen as a whole since it was last lost.

    That is so before the first complete run, after a restore, and after a listing that missed too much. What is kept here has no
    other origin.
    """
    return source.kind != SourceKind.LOCAL and source.rights_confirmed_at is None


def _believe(row: Source, *, actor: int | None) -> None:
    _refuse_unseen(row)
    kept_here = {"rights_confirmed_at": timezone.now()} if row.kind == SourceKind.LOCAL else {}
    restored = Source.objects.filter(pk=row.pk, closed_because=row.closed_because)
    if not kept_here:
        restored = restored.exclude(rights_confirmed_at=None)
    with transaction.atomic():
        if restored.update(**row.once_believed(), **kept_here):
            _write(row, CONFIRMED if kept_here else OPENED, actor=actor)


def _refuse_unseen(row: Source) -> None:
    if not waits_for_origin(row):
        return
    if row.kind == SourceKind.PUSH:
        message = gettext_noop(
            "The other system has not confirmed its rights yet, or not since they were lost. It must send all documents with "
            "their rights and confirm that (after a restore with a new token and “restated”: true)."
        )
        raise Refused("source_unseen", message)
    message = gettext_noop(
        "No run has seen all rights of its origin yet, or not since they were lost (by a restore, or because too much was "
        "missing). Synchronise it first."
    )
    raise Refused("source_unseen", message)


def _note(access: Access, row: Source, code: str) -> None:
    _write(row, code, actor=access.user)


def _write(row: Source, code: str, *, actor: int | None) -> None:
    AuditEvent.objects.create(tenant_id=row.tenant_id, actor_id=actor, code=code, ids={"source": row.pk})
