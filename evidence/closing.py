"""Closing a source at once, opening it again, and stating that rights which are kept here are right. By an administrator.

What holds for the next request is the row of the source: nothing else has to be told. Opening takes back a closing by hand and
nothing more: rights that are too old stay too old.
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
    """State that a restored source's rights are right as they are, and with them who is in which group.

    Rights that are kept elsewhere count only once a run has seen them again. Raises Refused for a source that was not restored,
    and for one that is pushed until the other system has sent everything again and confirmed that.
    """
    row = mine(access, source)
    kept_here = {"rights_confirmed_at": timezone.now()} if row.kind == SourceKind.LOCAL else {}
    with transaction.atomic():
        restored = Source.objects.filter(pk=row.pk, closed_because=row.closed_because)
        waits = row.kind == SourceKind.PUSH and row.rights_confirmed_at is None
        if row.closed_because not in RESTORED or waits or not restored.update(**row.once_believed(), **kept_here):
            message = gettext_noop(
                "Only a source that was restored is confirmed by hand, and one that another system pushes only when that has "
                "sent everything again."
            )
            raise Refused("nothing_to_confirm", message)
        _note(access, row, CONFIRMED if kept_here else OPENED)


def _note(access: Access, row: Source, code: str) -> None:
    AuditEvent.objects.create(tenant_id=row.tenant_id, actor_id=access.user, code=code, ids={"source": row.pk})
