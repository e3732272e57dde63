"""Audit events about people and rights: who changed which ids, when. Ids and codes only, never a name or a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.contrib.auth.models import User

from evidence.access import Access
from evidence.models import AuditEvent, Document, Group, Identity, Membership, Provisioned, Source, Space, Tenant, Token

Audited = Tenant | Group | Membership | Source | Space | Token | User | Identity


def record(row: Audited, change: str, *, actor: User | None) -> None:
    """Write down that `actor` (None: a command, or a provider of identities) made this change to this row."""
    kind = "person" if isinstance(row, User) else row._meta.model_name
    AuditEvent.objects.create(tenant=_tenant(row), actor=actor, code=f"{kind}.{change}", ids={kind: row.pk} | _details(row))


def by(access: Access, code: str, **ids: int | UUID) -> None:
    """Write down what the person of this Access did; the ids are those of rows that it is about."""
    told = {name: str(one) if isinstance(one, UUID) else one for name, one in ids.items()}
    AuditEvent.objects.create(tenant_id=access.tenant, actor_id=access.user, code=code, ids=told)


def about(document: Document, code: str, *, actor: int | None = None, **ids: int) -> None:
    """Write down what happened to this document, and which person did it (None: a run); the ids are those of other rows."""
    AuditEvent.objects.create(
        tenant_id=document.source.tenant_id, actor_id=actor, code=code, document=document.public_id, ids=ids
    )


def about_all(documents: Iterable[Document], code: str) -> None:
    """Write down what a run did to each of these documents."""
    AuditEvent.objects.bulk_create(
        [AuditEvent(tenant_id=row.source.tenant_id, code=code, document=row.public_id) for row in documents], batch_size=500
    )


def members(group: Group, *, added: Sequence[int], removed: Sequence[int]) -> None:
    """Write down whom an identity provider put into this group and took out of it."""
    ids: dict[str, object] = {"group": group.pk, "added": sorted(added), "removed": sorted(removed)}
    AuditEvent.objects.create(tenant_id=group.tenant_id, code="group.members", ids=ids)


def provisioned(row: Provisioned, change: str) -> None:
    """Write down what an identity provider did to a person or group that it pushes: created, changed, deleted, refused."""
    ids: dict[str, object] = {"pushed": str(row.public_id), "user": row.user_id, "group": row.group_id, "active": row.active}
    AuditEvent.objects.create(tenant_id=row.tenant_id, code=f"pushed.{change}", ids=ids)


def _tenant(row: Audited) -> Tenant | None:
    if isinstance(row, User | Identity):
        return None
    return row if isinstance(row, Tenant) else row.tenant


def _details(row: Audited) -> dict[str, object]:
    match row:
        case Membership():
            groups = sorted(row.groups.values_list("pk", flat=True))
            return {"user": row.user_id, "role": row.role, "active": row.active, "groups": groups}
        case Source():
            announced = sorted(row.announced_to.values_list("pk", flat=True))
            return {"revocation_sla_seconds": int(row.revocation_sla.total_seconds()), "announced_to": announced}
        case Space():
            return {"allowed": sorted(row.allowed.values_list("pk", flat=True))}
        case Token():
            pushes = {} if row.source_id is None else {"source": row.source_id}
            return {"user": row.user_id, "scopes": sorted(row.scope_set()), **pushes}
        case Identity():
            return {"user": row.user_id, "groups_unknown": row.groups_problem}
        case User():
            return {"active": row.is_active, "staff": row.is_staff, "superuser": row.is_superuser}
        case _:
            return {}
