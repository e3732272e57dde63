"""Proposals: the one way into an entry. Somebody says what it shall be and why; a reviewer who is somebody else decides.

A proposal is readable when its space, its entry as it counts now, and every document that it cites are. Who wrote it reads it by
the same rule. Deciding is for pages only: no program, token or assistant gets here (see the tests of the layout).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evidence import audit, documents, identity
from evidence.access import Access
from evidence.citations import NOTHING, Cited
from evidence.errors import Outdated, Refused, Unavailable, gettext_noop
from evidence.knowledge import contents, entries, spaces
from evidence.knowledge.contents import Claim, Concept, Content, Decision
from evidence.knowledge.entries import Read
from evidence.models import Citation, Entry, EntryRevision, Proposal, Space, id_list

MAX_WHY: Final = 1_000
"""Characters that say why, and of what a reviewer says of it."""
MAX_OPEN: Final = 500
"""Open proposals of one person in a tenant: a whole space that is brought from elsewhere, and fewer than nobody can review."""
PAGE: Final = 20

Action = Proposal.Action
Origin = Proposal.Origin
_NEEDS: Final = {
    Action.CHANGE.value: Entry.State.ACCEPTED,
    Action.DEPRECATE.value: Entry.State.ACCEPTED,
    Action.RESTORE.value: Entry.State.DEPRECATED,
}
"""What an entry is before the action."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal with what it cites, checked now. entry: its id. now: what counts beside it; None for a new one.

    standing: as of entries.Read. mine: whether this person wrote it. outdated: whether another revision counts by now than the
    one it was written against.
    """

    id: UUID
    entry: UUID
    kind: str
    action: str
    state: str
    space: str
    space_title: str
    content: Content
    cited: Sequence[Cited]
    standing: bool
    now: Read | None
    outdated: bool
    author: str
    mine: bool
    at: datetime
    why: str
    origin: str
    reviewer: str
    decided_at: datetime | None
    note: str


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list. total: of the whole list."""

    rows: Sequence[Proposed]
    total: int


def propose(
    access: Access,
    *,
    space: str,
    kind: str,
    action: str,
    content: Content | None = None,
    why: str = "",
    entry: UUID | None = None,
    base: int | None = None,
    origin: str = Origin.WEB,
) -> UUID:
    """A new proposal; gives its id. content: what the entry shall be; left out where only its state changes. base: the revision
    that the person saw.

    Raises Unavailable, Outdated when another revision counts by now, and Refused, whose value `field` names a field if one is at
    fault.
    """
    if not identity.may_propose(access) or access.user is None:
        raise Unavailable
    home = spaces.get(access, space)
    why = _words(why, "why", needed=action != Action.CREATE)
    with transaction.atomic():
        row, said = _target(access, home, kind=kind, action=action, content=content, entry=entry, base=base)
        cited = _citations(access, said)
        _refuse_many(access)
        if row.pk is None:
            row.save()
        made = Proposal.objects.create(
            entry=row,
            action=action,
            content=contents.to_json(said),
            base=row.number,
            why=why,
            origin=origin,
            author_id=access.user,
        )
        made.citations.set(cited)
        _audit(access, "proposal.made", made)
    return made.public_id


def withdraw(access: Access, proposal: UUID) -> None:
    """Take back one's own. Raises Refused when it is decided, Unavailable for what is not one's own."""
    with transaction.atomic():
        row = _readable(access).filter(public_id=proposal, author=access.user).first()
        if row is None:
            raise Unavailable
        _decide(access, row, state=Proposal.State.WITHDRAWN, note="")


def approve(access: Access, proposal: UUID, note: str = "") -> UUID:
    """Let it count from now on; gives the entry's id.

    Raises Unavailable for who is no reviewer, Outdated when another revision counts by now, and Refused: it is one's own or
    decided, none of its citations holds now, its short name is taken, or its concept does not count.
    """
    note = _words(note, "note")
    with transaction.atomic():
        row = _to_decide(access, proposal)
        content = contents.parse(row.entry.kind, row.content)
        _refuse_outdated(row.entry.number, row.base)
        _citations(access, content)  # all of them: words that are kept while their document is removed would be left behind
        if row.action != Action.DEPRECATE:
            _refuse_unfounded(access, row, content)
        _decide(access, row, state=Proposal.State.APPROVED, note=note)
        _let_in(row, content, reviewer=access.user)
    return row.entry.public_id


def reject(access: Access, proposal: UUID, note: str) -> None:
    """Say why it shall not count; its author reads that. Raises Unavailable and Refused."""
    note = _words(note, "note", needed=True)
    with transaction.atomic():
        _decide(access, _to_decide(access, proposal), state=Proposal.State.REJECTED, note=note)


def to_review(access: Access, *, offset: int = 0) -> Page:
    """Open proposals that this reviewer may read, the oldest first. Raises Unavailable for who is none."""
    if not identity.may_review(access):
        raise Unavailable
    return _page(access, _readable(access).filter(state=Proposal.State.OPEN).order_by("at", "id"), offset)


def own(access: Access, *, offset: int = 0) -> Page:
    """The person's own, the latest first. Raises Unavailable for who may propose nothing."""
    if not identity.may_propose(access):
        raise Unavailable
    return _page(access, _readable(access).filter(author=access.user).order_by("-at", "-id"), offset)


def get(access: Access, proposal: UUID) -> Proposed:
    """One that this person may read, decided or not. Raises Unavailable; also for who may neither propose nor review."""
    rows = _for_workers(access).filter(public_id=proposal)
    found = _proposed(access, list(_with_rows(rows)))
    if not found:
        raise Unavailable
    return found[0]


def open_in(access: Access, space: str, *, concept: str | None = None, entry: UUID | None = None) -> Sequence[Proposed]:
    """Open ones of a space (or of claims of one of its concepts, or of one entry), the oldest first; at most PAGE.

    None for people who may neither propose nor review.
    """
    if not (identity.may_propose(access) or identity.may_review(access)):
        return []
    rows = _readable(access).filter(state=Proposal.State.OPEN, entry__space__slug=space).order_by("at", "id")
    if concept is not None:
        rows = rows.filter(entry__kind=Entry.Kind.CLAIM, content__concept=concept)
    if entry is not None:
        rows = rows.filter(entry__public_id=entry)
    return _proposed(access, list(_with_rows(rows)[:PAGE]))


def may_decide(access: Access, proposed: Proposed) -> bool:
    """Whether this person may approve or reject it: a reviewer, of somebody else's."""
    return identity.may_review(access) and not proposed.mine and proposed.state == Proposal.State.OPEN


def _target(
    access: Access, home: Space, *, kind: str, action: str, content: Content | None, entry: UUID | None, base: int | None
) -> tuple[Entry, Content]:
    """The entry, a new one without a key, and what it shall be."""
    if action == Action.CREATE:
        if content is None or entry is not None:
            raise Refused("content_missing", gettext_noop("A new entry needs its content."))
        if contents.kind_of(content) != kind:
            raise Refused("wrong_kind", gettext_noop("The content is that of another kind of entry."))
        _refuse_taken(access, home, kind, content)
        _refuse_stray(access, home, content)
        return Entry(space=home, kind=kind, concept=_concept_of(access, home, content)), content
    if action not in _NEEDS:
        raise Refused("unknown_action", gettext_noop("An entry is created, changed, deprecated or restored."))
    row = entries.readable(access).filter(space=home, kind=kind, public_id=entry or NOTHING).first()
    if row is None:
        raise Unavailable
    _refuse_outdated(row.number, base)
    if row.state != _NEEDS[action]:
        raise Refused("wrong_state", gettext_noop("The entry is in another state by now. Look at it again."))
    now = _stored(row)
    if content is None:
        if action == Action.CHANGE:
            raise Refused("content_missing", gettext_noop("A change needs the new content."))
        return row, now
    if contents.kind_of(content) != kind:
        raise Refused("wrong_kind", gettext_noop("The content is that of another kind of entry."))
    _refuse_moved(now, content)
    _refuse_stray(access, home, content, but=now)
    if action == Action.CHANGE and content == now:
        raise Refused("nothing_changed", gettext_noop("Nothing is changed by this."))
    return row, content


def _stored(row: Entry) -> Content:
    said = EntryRevision.objects.filter(entry=row, number=row.number).values_list("content", flat=True).get()
    return contents.parse(row.kind, said)


def _refuse_taken(access: Access, home: Space, kind: str, content: Content) -> None:
    """Among entries that this person may read only; whoever approves hears of the others (docs/knowledge.md says why)."""
    slug = getattr(content, "slug", "")
    if slug and _counting(access, home, kind, slug).exists():
        raise _taken()


def _taken() -> Refused:
    message = gettext_noop("This short name can't be used in this space any more. Choose another one.")
    return Refused("slug_taken", message, field="slug")


def _refuse_moved(now: Content, content: Content) -> None:
    """Addresses and what a claim is about stay."""
    for field in ("slug", "concept"):
        if getattr(now, field, "") != getattr(content, field, ""):
            message = gettext_noop("“%(field)s” can't be changed: others refer to it. Propose a new entry instead.")
            raise Refused("field_fixed", message, field=field)


def _refuse_stray(access: Access, home: Space, content: Content, *, but: Content | None = None) -> None:
    """A concept or decision that it names must count here, or be proposed here, as far as this person may read."""
    if isinstance(content, Claim) and content != but:
        _refuse_unknown(access, home, Entry.Kind.CONCEPT, content.concept, "concept")
    if isinstance(content, Decision) and content.supersedes and getattr(but, "supersedes", "") != content.supersedes:
        _refuse_unknown(access, home, Entry.Kind.DECISION, content.supersedes, "supersedes")


def _refuse_unknown(access: Access, home: Space, kind: str, slug: str, field: str) -> None:
    if not (_counting(access, home, kind, slug).exists() or _waiting(access, home, kind, slug).exists()):
        message = gettext_noop("“%(field)s” names nothing that you may read in this space.")
        raise Refused("names_nothing", message, field=field)


def _counting(access: Access, home: Space, kind: str, slug: str) -> QuerySet[Entry]:
    return entries.readable(access).filter(space=home, kind=kind, slug=slug)


def _waiting(access: Access, home: Space, kind: str, slug: str) -> QuerySet[Entry]:
    """Entries that are only proposed, by this short name, as far as this person may read that."""
    waiting = _readable(access).filter(state=Proposal.State.OPEN, entry__space=home, entry__kind=kind, content__slug=slug)
    return Entry.objects.filter(number=0, pk__in=waiting.order_by().values("entry")).order_by("pk")


def _concept_of(access: Access, home: Space, content: Content) -> Entry | None:
    """The concept of a claim; the one that is proposed while none counts."""
    if not isinstance(content, Claim):
        return None
    asked = (access, home, Entry.Kind.CONCEPT, content.concept)
    return _counting(*asked).first() or _waiting(*asked).first()


def _citations(access: Access, content: Content) -> Sequence[Citation]:
    """The rows of what it cites, whose documents stay here until the transaction ends."""
    rows = list(Citation.objects.filter(tenant=access.tenant, public_id__in=content.citations).order_by("pk"))
    held = documents.hold(access, {row.document_id for row in rows if row.document_id is not None})
    if len(rows) < len(content.citations) or any(row.document_id not in held for row in rows):
        message = gettext_noop("One of the citations is not available to you.")
        raise Refused("citation_unavailable", message, field="citations")
    return rows


def _refuse_many(access: Access) -> None:
    """Counted as far as the person may still read them: what may not be read is as if it were not there."""
    if _readable(access).filter(author=access.user, state=Proposal.State.OPEN).count() >= MAX_OPEN:
        message = gettext_noop("You have %(limit)d open proposals. Wait until some are reviewed, or withdraw some.")
        raise Refused("too_many_proposals", message, limit=MAX_OPEN)


def _refuse_outdated(number: int, base: int | None) -> None:
    if base is not None and base != number:
        message = gettext_noop("This entry has been changed since (revision %(base)d then, %(number)d now). Look at it again.")
        raise Outdated("entry_changed", message, base=base, number=number)


def _to_decide(access: Access, proposal: UUID) -> Proposal:
    """The proposal, held until the transaction ends, with its entry.

    What it cites is held first: whoever removes a document holds that, and empties proposals then. The other way round the two
    would wait for each other.
    """
    if not identity.may_review(access):
        raise Unavailable
    row = _readable(access).filter(public_id=proposal).first()
    if row is None:
        raise Unavailable
    if row.author_id == access.user:
        raise Refused("own_proposal", gettext_noop("Your own proposal is for somebody else to decide about."))
    documents.hold(access, list(row.citations.exclude(document=None).values_list("document", flat=True)))
    held = Proposal.objects.select_for_update(of=("self",)).select_related("entry__space").get(pk=row.pk)
    _refuse_decided(held.state)
    return held


def _refuse_decided(state: str) -> None:
    if state != Proposal.State.OPEN:
        raise Refused("proposal_decided", gettext_noop("This proposal is decided already. Look at it again."))


def _refuse_unfounded(access: Access, row: Proposal, content: Content) -> None:
    """At least one of what it cites must hold now, and its concept count: whoever approves has seen it so."""
    cited = entries.cited_by(access, content.citations).values()
    if not entries.stands(content, cited):
        message = gettext_noop(
            "None of its citations holds at the moment, so it can't be approved. Reject it, or wait for new ones."
        )
        raise Refused("nothing_resolved", message)
    home = row.entry.space
    if isinstance(content, Claim) and not _counting(access, home, Entry.Kind.CONCEPT, content.concept).exists():
        message = gettext_noop("Its concept does not count yet. Decide about the concept first.")
        raise Refused("concept_missing", message)


def _decide(access: Access, row: Proposal, *, state: str, note: str) -> None:
    changed = Proposal.objects.filter(pk=row.pk, state=Proposal.State.OPEN).update(
        state=state, note=note, reviewer=None if state == Proposal.State.WITHDRAWN else access.user, decided_at=timezone.now()
    )
    if not changed:
        _refuse_decided(Proposal.State.APPROVED)
    if state != Proposal.State.APPROVED:
        Entry.objects.filter(pk=row.entry_id, number=0).update(state=Entry.State.REJECTED)
    _audit(access, f"proposal.{state}", row)


def _let_in(row: Proposal, content: Content, *, reviewer: int | None) -> None:
    """Make the revision, and let the head say the same."""
    entry = row.entry
    state = Entry.State.DEPRECATED if row.action == Action.DEPRECATE else Entry.State.ACCEPTED
    head = entries.matter(content) | {"state": state, "number": row.base + 1}
    if isinstance(content, Claim):
        concepts = Entry.objects.filter(kind=Entry.Kind.CONCEPT, state__in=entries.COUNTING)
        head["concept"] = concepts.filter(space=entry.space, slug=content.concept).first()
    try:
        with transaction.atomic():
            changed = Entry.objects.filter(pk=entry.pk, number=row.base).update(**head)
    except IntegrityError:
        raise _taken() from None
    if not changed:
        _refuse_outdated(Entry.objects.get(pk=entry.pk).number, row.base)
    if isinstance(content, Concept) and row.action == Action.CREATE:
        _take_over(entry, content.slug)
    made = EntryRevision.objects.create(
        entry=entry,
        number=row.base + 1,
        state=state,
        content=contents.to_json(content),
        proposal=row,
        author_id=row.author_id,
        reviewer_id=reviewer,
        why=row.why,
    )
    made.citations.set(Citation.objects.filter(public_id__in=content.citations))


def _take_over(concept: Entry, slug: str) -> None:
    """Give a new concept the claims that name it, and whose own went with a document."""
    gone = Entry.objects.filter(space=concept.space_id, kind=Entry.Kind.CONCEPT, state=Entry.State.REJECTED)
    naming = EntryRevision.objects.filter(entry__concept__in=gone.exclude(pk=concept.pk), content__concept=slug)
    Entry.objects.filter(pk__in=set(naming.values_list("entry", flat=True))).update(concept=concept)


def _for_workers(access: Access) -> QuerySet[Proposal]:
    if not (identity.may_propose(access) or identity.may_review(access)):
        raise Unavailable
    return _readable(access)


def _readable(access: Access) -> QuerySet[Proposal]:
    """Those whose space, entry as it counts now, and cited documents this person may read."""
    citing = Proposal.citations.through.objects
    hidden = entries.hidden(access, citing.filter(proposal=OuterRef("pk")))
    counts = Q(entry__in=entries.readable(access))
    hidden_concept = entries.hidden(access, citing.filter(proposal__entry=OuterRef("entry__concept")))
    concepts = entries.readable(access).filter(kind=Entry.Kind.CONCEPT)
    about_new = Q(entry__concept__number=0) & ~Exists(hidden_concept)
    is_new = Q(entry__number=0) & (Q(entry__concept=None) | Q(entry__concept__in=concepts) | about_new)
    rows = Proposal.objects.filter(counts | is_new, entry__space__in=Space.objects.readable(access)).filter(~Exists(hidden))
    return rows.exclude(content={})


def _with_rows(rows: QuerySet[Proposal]) -> QuerySet[Proposal]:
    return rows.select_related("entry__space", "author", "reviewer")


def _page(access: Access, rows: QuerySet[Proposal], offset: int) -> Page:
    return Page(_proposed(access, list(_with_rows(rows)[offset : offset + PAGE])), rows.count())


def _proposed(access: Access, rows: Sequence[Proposal]) -> Sequence[Proposed]:
    said = {row.pk: contents.parse(row.entry.kind, row.content) for row in rows}
    cited = entries.cited_by(access, [one for content in said.values() for one in content.citations])
    known = _current(access, {row.entry_id for row in rows if row.entry.number})
    rows = [row for row in rows if cited.keys() >= set(said[row.pk].citations)]  # else nobody can tell who may read it
    return [
        Proposed(
            id=row.public_id,
            entry=row.entry.public_id,
            kind=row.entry.kind,
            action=row.action,
            state=row.state,
            space=row.entry.space.slug,
            space_title=row.entry.space.title,
            content=said[row.pk],
            cited=(mine := [cited[one] for one in said[row.pk].citations]),
            standing=entries.stands(said[row.pk], mine),
            now=known.get(row.entry.public_id),
            outdated=row.state == Proposal.State.OPEN and row.base != row.entry.number,
            author=entries.name_of(row.author),
            mine=row.author_id is not None and row.author_id == access.user,
            at=row.at,
            why=row.why,
            origin=row.origin,
            reviewer=entries.name_of(row.reviewer),
            decided_at=row.decided_at,
            note=row.note,
        )
        for row in rows
    ]


def _current(access: Access, wanted: Collection[int]) -> Mapping[UUID, Read]:
    rows = entries.readable(access).filter(pk__in=id_list(wanted, using="default"))
    return {one.id: one for one in entries.of_rows(access, rows)} if wanted else {}


def _words(text: str, field: str, *, needed: bool = False) -> str:
    return contents.words(text, field, MAX_WHY, needed=needed)


def _audit(access: Access, code: str, row: Proposal) -> None:
    audit.by(access, code, proposal=row.public_id, entry=row.entry_id, space=row.entry.space_id)
