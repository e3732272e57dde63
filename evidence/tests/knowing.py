"""Plain functions that build what stands in spaces of knowledge: by proposals that somebody else approves, as people do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from evidence import citations
from evidence.knowledge import contents, proposals
from evidence.models import Membership, Role, Space, Tenant
from evidence.tests import builders


def space(slug: str = "handbuch", *, allowed: Sequence[str] = (), of: Tenant | None = None) -> Space:
    """A space; the same one for the same name."""
    home = of or builders.tenant()
    found, _ = Space.objects.get_or_create(tenant=home, slug=slug, defaults={"title": slug.title()})
    found.allowed.set([builders.group(name, of=home) for name in allowed])
    return found


def someone(name: str, groups: Sequence[str] = ("alle",), *, role: str = Role.EDITOR, of: Tenant | None = None) -> User:
    """A person; the same one for the same name."""
    found = Membership.objects.filter(user__username=name, tenant=of or builders.tenant()).first()
    return found.user if found else builders.person(name, groups, role=role, of=of)


def cite(user: User, document: str, exact: str, *, of: Tenant | None = None, source: str = "handbuch") -> UUID:
    """A stored citation of these words."""
    row = builders.document(document, source=source, of=of)
    return citations.cite_words(builders.access(user), row.public_id, exact=exact)


def proposed(
    kind: str,
    *,
    by: User,
    at: str = "handbuch",
    action: str = "create",
    entry: UUID | None = None,
    why: str = "Darum",
    **said: Any,
) -> UUID:
    """A proposal of an entry that says this; its id."""
    content = contents.parse(kind, said) if said else None
    return proposals.propose(builders.access(by), space=at, kind=kind, action=action, content=content, why=why, entry=entry)


def approved(proposal: UUID, *, by: User) -> UUID:
    """The id of the entry of a proposal that a reviewer has approved."""
    return proposals.approve(builders.access(by), proposal)


def concept(author: User, reviewer: User, slug: str = "frist", title: str = "Frist", **said: Any) -> UUID:
    """A concept that counts; its id."""
    return approved(proposed("concept", by=author, slug=slug, title=title, **said), by=reviewer)


def claim(author: User, reviewer: User, cited: Sequence[UUID], text: str = "Zwei Wochen.", **said: Any) -> UUID:
    """A claim about the concept `frist`, unless told, that counts; its id."""
    values = {"concept": "frist", "text": text, "citations": list(cited)} | said
    return approved(proposed("claim", by=author, **values), by=reviewer)


def decision(author: User, reviewer: User, slug: str = "wochen", title: str = "Fristen in Wochen", **said: Any) -> UUID:
    """A decision that counts; its id."""
    values = {"slug": slug, "title": title, "decision": "Wir zählen in Wochen."} | said
    return approved(proposed("decision", by=author, **values), by=reviewer)
