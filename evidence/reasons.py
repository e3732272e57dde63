"""Reasons: why a person can or can't see a document. For administrators, who see ids and names of groups, but no title.

What it says is what identity weighed: an explanation can't disagree with the decision. Whoever asks is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from evidence import identity, projection
from evidence.access import Access
from evidence.content import Note
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.identity import Groups, Openness, Standing, Weighed
from evidence.models import AccessRule, AuditEvent, Document, Effect, Group, Job, Membership, Receipt, Source
from evidence.profile import normalise

ASKED: Final = "access.explained"
"""Code of the event: who asked about whom and which document. Not among a document's own events, which its readers see."""
MAX_NAMED: Final = 20
"""Sources that are named when an id is not enough."""


@dataclass(frozen=True, slots=True)
class Held:
    """A group of the person. counts: whether it counts now; it doesn't when it was last heard of too long ago."""

    name: str
    counts: bool


@dataclass(frozen=True, slots=True)
class Named:
    """A group or a person that the document's rights name. applies: whether the person asked about is meant, now.

    unknown: it is denied, and nobody has said for too long whether the person is in it; that keeps out too.
    """

    effect: Effect
    name: str
    is_group: bool
    applies: bool
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was weighed. `reads` follows from the rest; searchable: whether a search can find it then.

    withdrawn_at: since when it is gone. has_text: whether a text of it was taken in. rights_problem: why nobody is let in.
    """

    at: datetime
    person: str
    document: UUID
    external_id: str
    access_class: int
    source: Source
    standing: Standing
    groups: Sequence[Held]
    weighed: Weighed
    rules: Sequence[Named]
    rights_problem: str
    withdrawn_at: datetime | None
    has_text: bool
    searchable: bool

    @property
    def openness(self) -> Openness:
        """Whether the source is open."""
        return self.weighed.openness

    @property
    def reads(self) -> bool:
        """Whether this person reads this document now."""
        return self.standing is Standing.ACTIVE and self.weighed.readable and self.withdrawn_at is None and self.has_text

    @property
    def allowing(self) -> Sequence[Named]:
        """The rules that let this person in."""
        return [rule for rule in self.rules if rule.applies and rule.effect is Effect.ALLOW]

    @property
    def denying(self) -> Sequence[Named]:
        """The rules that keep this person out."""
        return [rule for rule in self.rules if rule.applies and rule.effect is Effect.DENY]


def explain(access: Access, *, person: str, document: str, source: str = "") -> Explanation:
    """Why the person of this user name can or can't see the document of this public id, or id in its source, of the same tenant.

    source: short name, where several sources have a document of this id. Raises Unavailable for who is no administrator, and
    Refused for a person or a document that the tenant does not have.
    """
    if not identity.may_administer(access):
        raise Unavailable
    now = timezone.now()
    membership = _membership(access, normalise(person.strip()))
    row = _document(access, normalise(document.strip()), normalise(source))
    AuditEvent.objects.create(
        tenant_id=access.tenant, actor_id=access.user, code=ASKED, ids={"user": membership.user_id, "document": row.pk}
    )
    weighed = identity.weigh(membership, row.access_class, now=now)
    groups = identity.groups_of(membership, now=now)
    notes = row.current.notes if row.current else ()
    waits = Job.objects.filter(kind=projection.JOB, key=row.pk).exists()
    return Explanation(
        at=now,
        person=membership.user.get_username(),
        document=row.public_id,
        external_id=row.external_id,
        access_class=row.access_class_id,
        source=row.source,
        standing=identity.standing(membership),
        groups=_held(groups),
        weighed=weighed,
        rules=[_named(rule, weighed, groups) for rule in _rules(row)],
        rights_problem=row.rights_problem,
        withdrawn_at=row.withdrawn_at,
        has_text=row.current is not None,
        searchable=Note.NO_TEXT not in notes and not waits,
    )


def _membership(access: Access, person: str) -> Membership:
    found = Membership.objects.filter(tenant=access.tenant, user__username=person).select_related("user", "tenant").first()
    if found is None:
        message = gettext_noop("Nobody of this user name is a member of this tenant: %(name)s.")
        raise Refused("unknown_person", message, name=person)
    return found


def _document(access: Access, wanted: str, source: str) -> Document:
    rows = Document.objects.filter(source__tenant=access.tenant).select_related("source", "access_class__source", "current")
    if source:
        rows = rows.filter(source__name=source)
    public = _uuid(wanted)
    rows = rows.filter(Q(external_id=wanted) | (Q(pk__in=[]) if public is None else Q(public_id=public)))
    found = list(rows.order_by("source__name")[:MAX_NAMED])
    if len(found) == 1:
        return found[0]
    if found:
        message = gettext_noop("Several sources have a document of this id. Choose the source: %(names)s.")
        raise Refused("document_ambiguous", message, names=", ".join(one.source.name for one in found))
    if public is not None and Receipt.objects.filter(tenant=access.tenant, document=public).exclude(purged_at=None).exists():
        raise Refused("document_removed", gettext_noop("This document was removed. Nobody reads it any more."))
    raise Refused("unknown_document", gettext_noop("This tenant has no document of this id: %(id)s."), id=wanted)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _held(groups: Groups) -> Sequence[Held]:
    names = dict(Group.objects.filter(pk__in=[*groups.counting, *groups.too_old]).values_list("pk", "name"))
    held = [Held(names[pk], counts=True) for pk in groups.counting] + [Held(names[pk], counts=False) for pk in groups.too_old]
    return sorted(held, key=lambda one: one.name)


def _rules(row: Document) -> QuerySet[AccessRule]:
    rules = AccessRule.objects.filter(access_class=row.access_class).select_related("group", "user")
    return rules.order_by("effect", "group__name", "user__username")


def _named(rule: AccessRule, weighed: Weighed, groups: Groups) -> Named:
    name = rule.group.name if rule.group else rule.user.get_username() if rule.user else ""
    return Named(
        effect=Effect(rule.effect),
        name=name,
        is_group=rule.group is not None,
        applies=rule.pk in weighed.allowing or rule.pk in weighed.denying,
        unknown=rule.pk in weighed.denying and rule.group_id is not None and rule.group_id not in groups.counting,
    )
