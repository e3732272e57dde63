"""The knowledge of the demo: a space, and what its people have proposed and agreed on there, by the same ways as on the pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from evidence import citations, identity
from evidence.access import Access
from evidence.knowledge import conflicts, contents, proposals
from evidence.knowledge.conflicts import Named
from evidence.management.people import find_groups, find_tenant
from evidence.models import Document, Space, Tenant

_NOT_CONTENT = frozenset({"kind", "cites", "why", "open"})


def is_there(described: Mapping[str, Any]) -> bool:
    """Whether its space has been made."""
    return Space.objects.filter(tenant__slug=described["tenant"], slug=described["space"]["slug"]).exists()


def set_up(described: Mapping[str, Any]) -> None:
    """Make the space with all that stands in it. One person proposes, another one approves what is not `open`."""
    tenant = find_tenant(described["tenant"])
    space = described["space"]
    row = Space.objects.create(tenant=tenant, slug=space["slug"], title=space["title"], text=space["text"])
    row.allowed.set(find_groups(tenant, space["allowed"]))
    author, reviewer = (_access(described[name], tenant) for name in ("author", "reviewer"))
    for entry in described["entry"]:
        said = {name: value for name, value in entry.items() if name not in _NOT_CONTENT}
        cites = [_cite(author, tenant, external_id, exact) for external_id, exact in entry.get("cites", ())]
        made = proposals.propose(
            author,
            space=row.slug,
            kind=entry["kind"],
            action=proposals.Action.CREATE,
            content=contents.parse(entry["kind"], {**said, "citations": cites}),
            why=entry["why"],
        )
        if not entry.get("open"):
            proposals.approve(reviewer, made)
    for one in described.get("conflict", ()):
        left, right = (Named(citation=_cite(author, tenant, *one[side])) for side in ("left", "right"))
        conflicts.mark(author, left, right, matter=one["matter"], note=one["note"])


def _access(name: str, tenant: Tenant) -> Access:
    return identity.for_user(User.objects.get(username=name), tenant=tenant.slug)


def _cite(author: Access, tenant: Tenant, external_id: str, exact: str) -> UUID:
    document = Document.objects.get(source__tenant=tenant, external_id=external_id)
    return citations.cite_words(author, document.public_id, exact=exact)
