"""Entries as a person may read them: concepts, claims, decisions and translations, what each stands on, and how it came to be.

An entry is readable when its space is, every document that its current revision cites is, and, of a claim, its concept is too:
the short name of a concept is words of it. All else about it is Unavailable. Whether it is disputed is for `disputes` to say.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from evidence import citations, paging
from evidence.access import Access
from evidence.anchoring import State
from evidence.citations import MAX_BATCH, Cited
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.knowledge import contents
from evidence.knowledge.contents import Claim, Content, Decision, Translation
from evidence.models import Document, Entry, EntryRevision, Space, id_list

PAGE: Final = 50
"""Entries on one page of a list, at most."""
MAX_OFFSET: Final = 10_000_000
MAX_WORDS: Final = 200
"""Characters that a list is searched for."""
MAX_FOUND: Final = 5
"""Concepts that are shown above the hits of a search."""
COUNTING: Final = (Entry.State.ACCEPTED, Entry.State.DEPRECATED)
"""States of entries that a reviewer has let in."""
_CITING: Final = EntryRevision.citations.through.objects
"""Which revision cites what."""


@dataclass(frozen=True, slots=True)
class Read:
    """One state of an entry, checked now. id: of the entry. space: its short name. number: of this revision.

    cited: its citations in their order. standing: whether at least one of them holds now; always for a concept or decision that
    cites nothing. author, reviewer: names; empty for somebody who is gone. proposal: what it came from.
    """

    id: UUID
    kind: str
    state: str
    space: str
    space_title: str
    content: Content
    number: int
    cited: Sequence[Cited]
    standing: bool
    author: str
    reviewer: str
    at: datetime
    why: str
    proposal: UUID

    @property
    def expired(self) -> bool:
        """Whether it held until a day that is over."""
        last: date | None = getattr(self.content, "valid_until", None)
        return last is not None and last < timezone.localdate()

    @property
    def upcoming(self) -> bool:
        """Whether it holds from a day that has not come."""
        first: date | None = getattr(self.content, "valid_from", None)
        return first is not None and first > timezone.localdate()


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list. total: of the whole list."""

    rows: Sequence[Read]
    total: int


@dataclass(frozen=True, slots=True)
class Named:
    """A concept or decision by its name."""

    id: UUID
    space: str
    space_title: str
    slug: str
    title: str
    state: str


def readable(access: Access) -> QuerySet[Entry]:
    """Entries that a reviewer has let in and that this person may read, deprecated ones too."""
    standing = _open(access)
    concepts = standing.filter(kind=Entry.Kind.CONCEPT)
    return standing.filter(~Q(kind=Entry.Kind.CLAIM) | Q(concept__in=concepts))


def citing_only(access: Access, revisions: QuerySet[EntryRevision]) -> QuerySet[EntryRevision]:
    """Those of these revisions whose cited documents this person may read, all of them."""
    return revisions.filter(~Exists(hidden(access, _CITING.filter(entryrevision=OuterRef("pk")))))


def hidden(access: Access, citing: QuerySet[Model]) -> QuerySet[Model]:
    """Those of these rows, each of which joins a revision or proposal to a citation, whose document may not be read.

    The one statement of the rule that all that is cited must be readable, and of a removed document nothing is. Each document is
    looked up by its key: a list of all that may be read would be made anew for every search.
    """
    return citing.filter(~Exists(Document.objects.readable(access).filter(pk=OuterRef("citation__document"))))


def concepts(access: Access, *, space: str | None = None, q: str = "", limit: object = PAGE, offset: object = 0) -> Page:
    """Readable concepts by title, deprecated ones last. q: words that stand in it as they are. Raises Refused."""
    return _page(access, Entry.Kind.CONCEPT, space, q, limit, offset)


def claims(
    access: Access,
    *,
    space: str | None = None,
    concept: str | None = None,
    q: str = "",
    limit: object = PAGE,
    offset: object = 0,
) -> Page:
    """Readable claims in the order in which they were let in, deprecated ones last; of one concept where its short name is given.
    Raises Refused.
    """
    return _page(access, Entry.Kind.CLAIM, space, q, limit, offset, **({} if concept is None else {"concept__slug": concept}))


def decisions(access: Access, *, space: str | None = None, q: str = "", limit: object = PAGE, offset: object = 0) -> Page:
    """Readable decisions by title, deprecated ones last. Raises Refused."""
    return _page(access, Entry.Kind.DECISION, space, q, limit, offset)


def translations(access: Access, cited: Collection[UUID]) -> Sequence[Read]:
    """Readable translations that count of these citations, by their ids."""
    rows = readable(access).filter(kind=Entry.Kind.TRANSLATION, state=Entry.State.ACCEPTED)
    mine = EntryRevision.citations.through.objects.filter(
        entryrevision__entry=OuterRef("pk"),
        entryrevision__number=OuterRef("number"),
        citation__public_id__in=list(cited)[:MAX_BATCH],
    )
    return of_rows(access, rows.filter(Exists(mine)).order_by("id"))


def get(access: Access, entry: UUID) -> Read:
    """An entry as it counts now. Raises Unavailable."""
    return _only(of_rows(access, readable(access).filter(public_id=entry)))


def by_slug(access: Access, kind: str, *, space: str, slug: str) -> Read:
    """A concept or decision by its short name. Raises Unavailable."""
    return _only(of_rows(access, readable(access).filter(kind=kind, space__slug=space, slug=slug).exclude(slug="")))


def called(access: Access, kind: str, *, space: str, slug: str) -> Named | None:
    """What a concept or decision of this short name is called; None where this person may read none of it."""
    rows = readable(access).filter(kind=kind, space__slug=space, slug=slug).exclude(slug="").select_related("space")
    return next(map(_named, rows), None)


def history(access: Access, entry: UUID) -> Sequence[Read]:
    """Every state of an entry that this person may read, the newest first. Raises Unavailable.

    A state that cites something else than now may be hidden though the entry is not.
    """
    row = readable(access).filter(public_id=entry).first()
    if row is None:
        raise Unavailable
    revisions = citing_only(access, EntryRevision.objects.filter(entry=row))
    return _reads(access, revisions.order_by("-number"))


def named(access: Access, kind: str, *, space: str) -> Sequence[Named]:
    """Names of all readable concepts or decisions of a space that count, by title, in one query."""
    rows = readable(access).filter(kind=kind, space__slug=space, state=Entry.State.ACCEPTED)
    return [_named(row) for row in rows.select_related("space")]


def by_term(access: Access, words: str) -> Sequence[Named]:
    """Readable concepts of which these words are the title or a term, compared as keys; at most MAX_FOUND, in one query."""
    wanted = contents.key(words)
    if not wanted:
        return []
    found = Q()
    for form in {json.dumps(wanted), json.dumps(wanted, ensure_ascii=False)}:  # each database writes JSON in its way
        found |= Q(terms_text__contains=form)
    rows = readable(access).filter(kind=Entry.Kind.CONCEPT, state=Entry.State.ACCEPTED).select_related("space")
    rows = rows.annotate(terms_text=Cast("terms", TextField())).filter(found).order_by("title", "public_id")
    return [_named(row) for row in rows if wanted in row.terms][:MAX_FOUND]


def superseding(access: Access, decision: Read) -> Sequence[Named]:
    """Readable decisions that say that they take the place of this one."""
    assert isinstance(decision.content, Decision)
    rows = readable(access).filter(kind=Entry.Kind.DECISION, space__slug=decision.space, state=Entry.State.ACCEPTED)
    slugs = dict(_contents(rows, "supersedes"))
    return [_named(row) for row in rows.select_related("space") if slugs.get(row.pk) == decision.content.slug]


def of_rows(access: Access, rows: QuerySet[Entry]) -> Sequence[Read]:
    """These entries, which must be readable ones, as they count now, in their order."""
    keys = list(rows.values_list("pk", flat=True))
    if not keys:
        return []
    revisions = EntryRevision.objects.filter(entry__in=id_list(keys, using="default"), number=F("entry__number"))
    found = {row.entry_id: read for row, read in _paired(access, revisions)}
    return [found[key] for key in keys if key in found]


def matter(content: Content) -> dict[str, object]:
    """What the head of an entry is looked up by: fields of Entry for this content."""
    match content:
        case contents.Concept():
            terms = list(dict.fromkeys(contents.key(one) for one in (content.title, *content.terms)))
            return {"slug": content.slug, "title": content.title, "terms": terms}
        case Claim():
            return {
                "subject": contents.key(content.subject),
                "property": contents.key(content.property),
                "value": contents.key(content.value),
                "valid_from": content.valid_from,
                "valid_until": content.valid_until,
            }
        case Decision():
            return {
                "slug": content.slug,
                "title": content.title,
                "valid_from": content.valid_from,
                "valid_until": content.valid_until,
            }
        case Translation():
            return {}


def name_of(user: AbstractBaseUser | None) -> str:
    """How a person is called; empty for one who is gone."""
    return (user.get_full_name() or user.get_username()) if user else ""  # type: ignore[attr-defined]


def stands(content: Content, cited: Iterable[Cited]) -> bool:
    """Whether at least one citation holds now, or none is named and none is needed."""
    if not content.citations:
        return True
    return any(one.resolution.state is State.RESOLVED for one in cited)


def cited_by(access: Access, wanted: Collection[UUID]) -> Mapping[UUID, Cited]:
    """Those of these stored citations that may be read, checked now, by their ids."""
    ids = list(dict.fromkeys(wanted))
    batches = [citations.several(access, ids[first : first + MAX_BATCH]) for first in range(0, len(ids), MAX_BATCH)]
    return {one.id: one for batch in batches for one in batch if isinstance(one, Cited)}


def _open(access: Access) -> QuerySet[Entry]:
    """The same without a look at the concepts of claims."""
    counting = _CITING.filter(entryrevision__entry=OuterRef("pk"), entryrevision__number=OuterRef("number"))
    shown = ~Exists(hidden(access, counting))
    return Entry.objects.filter(shown, space__in=Space.objects.readable(access), state__in=COUNTING, number__gt=0)


def _page(access: Access, kind: Entry.Kind, space: str | None, q: str, limit: object, offset: object, **more: object) -> Page:
    count, skip = paging.limit(limit, most=PAGE), paging.offset(offset, most=MAX_OFFSET)
    if len(q) > MAX_WORDS:
        message = gettext_noop("Knowledge can be searched with at most %(limit)d characters; these are %(length)d.")
        raise Refused("words_too_long", message, limit=MAX_WORDS, length=len(q))
    order = ("state", "id") if kind == Entry.Kind.CLAIM else ("state", "title", "id")
    rows = readable(access).filter(kind=kind, **more).order_by(*order)
    if space is not None:
        rows = rows.filter(space__slug=space)
    if wanted := contents.key(q):
        rows = rows.filter(pk__in=id_list(_containing(rows, kind, wanted), using="default"))
    total = rows.count()
    return Page(of_rows(access, rows[skip : skip + count]), total)


def _containing(rows: QuerySet[Entry], kind: Entry.Kind, wanted: str) -> Sequence[int]:
    """Keys of those that hold these words somewhere; compared here, as a database folds letters in ways of its own."""
    current = EntryRevision.objects.filter(entry__in=rows.order_by().values("pk"), number=F("entry__number"))
    return [
        entry
        for entry, content in current.values_list("entry", "content")
        if any(wanted in one for one in contents.search_keys(contents.parse(kind, content)))
    ]


def _contents(rows: QuerySet[Entry], field: str) -> Iterable[tuple[int, object]]:
    current = EntryRevision.objects.filter(entry__in=rows.order_by().values("pk"), number=F("entry__number"))
    return [(entry, content.get(field)) for entry, content in current.values_list("entry", "content")]


def _reads(access: Access, revisions: QuerySet[EntryRevision]) -> Sequence[Read]:
    return [read for _, read in _paired(access, revisions)]


def _paired(access: Access, revisions: QuerySet[EntryRevision]) -> Sequence[tuple[EntryRevision, Read]]:
    rows = list(revisions.select_related("entry__space", "author", "reviewer", "proposal"))
    said = {row.pk: contents.parse(row.entry.kind, row.content) for row in rows}
    cited = cited_by(access, [one for content in said.values() for one in content.citations])
    known = _superseded(access, rows, said)
    rows = [row for row in rows if cited.keys() >= set(said[row.pk].citations)]  # else nobody can tell who may read it
    return [(row, _read(row, known.get(row.pk, said[row.pk]), cited)) for row in rows]


def _read(row: EntryRevision, content: Content, cited: Mapping[UUID, Cited]) -> Read:
    mine = [cited[one] for one in content.citations]
    return Read(
        id=row.entry.public_id,
        kind=row.entry.kind,
        state=row.state,
        space=row.entry.space.slug,
        space_title=row.entry.space.title,
        content=content,
        number=row.number,
        cited=mine,
        standing=stands(content, mine),
        author=name_of(row.author),
        reviewer=name_of(row.reviewer),
        at=row.at,
        why=row.why,
        proposal=row.proposal.public_id,
    )


def _superseded(access: Access, rows: Sequence[EntryRevision], said: Mapping[int, Content]) -> Mapping[int, Content]:
    """Decisions whose predecessor may not be read, without its short name."""
    slugs = {content.supersedes for content in said.values() if isinstance(content, Decision) and content.supersedes}
    if not slugs:
        return {}
    predecessors = readable(access).filter(kind=Entry.Kind.DECISION, slug__in=slugs)
    may = set(predecessors.values_list("space_id", "slug"))
    return {
        row.pk: replace(content, supersedes="")
        for row in rows
        if isinstance(content := said[row.pk], Decision)
        and content.supersedes
        and (row.entry.space_id, content.supersedes) not in may
    }


def _named(row: Entry) -> Named:
    return Named(row.public_id, row.space.slug, row.space.title, row.slug, row.title, row.state)


def _only(found: Sequence[Read]) -> Read:
    if not found:
        raise Unavailable
    return found[0]
