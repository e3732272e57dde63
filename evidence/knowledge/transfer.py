"""Out of a space and into one: what a person may read of it as files, and proposals of what files say otherwise.

Nothing that is taken in counts: a reviewer decides about each proposal. What the files say as it counts already gives none, so
that what was exported and not changed gives none at all. All is taken in or nothing. What is not in the files stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar
from uuid import UUID

from django.db import transaction

from evidence import audit, citations, identity
from evidence.access import Access
from evidence.anchoring import State
from evidence.citations import Cited
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.knowledge import contents, entries, exchange, proposals, spaces
from evidence.knowledge.contents import Content, Decision
from evidence.knowledge.exchange import DEPRECATED, About, Fault, Faulty, Quoted, Whole, Written
from evidence.knowledge.proposals import Action, Origin
from evidence.models import Document, Entry, Proposal, Space

A = TypeVar("A")
T = TypeVar("T")

_ORDER: Final = (Entry.Kind.CONCEPT, Entry.Kind.DECISION, Entry.Kind.CLAIM, Entry.Kind.TRANSLATION)
"""In which proposals are made: claims name concepts."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of the entries in the files. proposed: new proposals by their action. unchanged: as it counts. waiting: this
    person has proposed just that, and it is not decided. left: deprecated in the files, unknown here, and named by nothing that
    is taken in. cited: citations that were made anew. about_differs: the space has another title or text than the files say;
    proposals change neither.
    """

    proposed: Mapping[str, int]
    unchanged: int
    waiting: int
    left: int
    cited: int
    about_differs: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """An entry that counts, or an open proposal. action: of the proposal."""

    entry: UUID
    kind: str
    content: Content
    quotes: Sequence[Quoted]
    number: int = 0
    state: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """Something to propose. content: None where only the state changes."""

    written: Written
    action: str
    known: _Known | None
    content: Content | None


def export(access: Access, space: str) -> Mapping[str, str]:
    """The files of all that this person may read in a space: what counts and what is deprecated. Raises Unavailable."""
    home = spaces.get(access, space)
    audit.by(access, "space.exported", space=home.pk)
    found = [
        Written(Entry.Kind(one.kind), contents.to_json(one.content), one.quotes, state=one.state, id=str(one.entry))
        for one in _counting(access, home)
    ]
    return exchange.write(Whole(_about(home), found))


def take_in(access: Access, whole: Whole, *, space: str = "", why: str = "", dry_run: bool = False) -> Taken:
    """Propose what the files say otherwise than the space does: the one that they name, unless told. dry_run: change nothing.

    Raises Faulty with everything that is wrong, Unavailable, and Refused for a person who may propose nothing.
    """
    if not identity.may_propose(access):
        raise Refused("may_not_propose", gettext_noop("Only editors, curators and reviewers can propose something."))
    home = spaces.get(access, space or whole.about.slug)
    with transaction.atomic():
        found = _Import(access, home, whole, why=why).run()
        transaction.set_rollback(dry_run)
    return found


class _Index:
    """Known entries by what files can mean them by. named: by kind, and short name or id."""

    def __init__(self, known: Sequence[_Known]) -> None:
        self.named = {(one.kind, getattr(one.content, "slug", "") or str(one.entry)): one for one in known}
        self._by_content: dict[Content, list[_Known]] = {}
        for one in known:
            self._by_content.setdefault(replace(one.content, citations=()), []).append(one)

    def alike(self, written: Written, said: Content) -> Sequence[_Known]:
        """Those that say just this, and stand on the same words."""
        found = self._by_content.get(replace(said, citations=()), ())
        return [one for one in found if _same(one, said, written.quotes)]


class _Import:
    """One import: what is known, what is wrong, what was proposed."""

    def __init__(self, access: Access, home: Space, whole: Whole, *, why: str) -> None:
        self._access = access
        self._home = home
        self._whole = whole
        self._why = why
        self._faults: list[Fault] = []
        self._counts: Counter[str] = Counter()
        self._proposed: Counter[str] = Counter()
        self._made: dict[Quoted, UUID] = {}
        self._stored = _stored(access, whole)
        self._named = _named(whole)
        self._counting = _Index(_counting(access, home))
        self._waiting = _Index(_waiting(access, home))

    def run(self) -> Taken:
        """Read everything, then verify all citations, then propose in an order in which each finds what it names."""
        self._refuse_twice()
        read = self._each(self._whole.entries, lambda one: one, self._read)
        planned = self._each(read, lambda pair: pair[0], lambda pair: self._plan(*pair))
        self._refuse_faults()
        steps = [step for step in planned if step is not None]
        ready = self._each(steps, lambda step: step.written, self._verified)
        self._refuse_faults()
        for kind in _ORDER:
            mine = [step for step in ready if step.written.kind == kind]
            self._each(_in_order(mine), lambda step: step.written, self._propose)
            self._refuse_faults()
        return Taken(
            proposed=dict(self._proposed),
            unchanged=self._counts["unchanged"],
            waiting=self._counts["waiting"],
            left=self._counts["left"],
            cited=len(self._made),
            about_differs=_about(self._home) != replace(self._whole.about, slug=self._home.slug),
        )

    def _each(self, values: Iterable[A], written: Callable[[A], Written], do: Callable[[A], T]) -> Sequence[T]:
        """What doing it gave, where it was not refused; what was refused is a fault, with its place."""
        done: list[T] = []
        for value in values:
            try:
                done.append(do(value))
            except EvidenceError as error:
                field = error.field if isinstance(error, _Unverified) else str(error.values.get("field", ""))
                self._faults.append(Fault(written(value).spot.at(field), error))
                if error.code == "too_many_proposals":  # so it is for all that follow
                    break
        return done

    def _refuse_faults(self) -> None:
        if self._faults:
            raise Faulty(self._faults)

    def _refuse_twice(self) -> None:
        """The same claim or translation can stand at one place only."""
        ids = Counter(one.id for one in self._whole.entries if one.id)
        for one in self._whole.entries:
            if ids[one.id] > 1:
                error = Refused(
                    "id_twice", gettext_noop("This id stands in the files more than once. Leave it out of what is new.")
                )
                self._faults.append(Fault(one.spot.at("id"), error))

    def _read(self, one: Written) -> tuple[Written, Content]:
        """What the entry shall be, with anything for its citations."""
        ids = [str(UUID(int=number)) for number in range(len(one.quotes))]
        return one, contents.parse(one.kind, {**one.content, "citations": ids})

    def _plan(self, one: Written, said: Content) -> _Step | None:
        """What is to be proposed for it; None for nothing, which is counted."""
        known = self._find(one, said)
        deprecated = one.state == DEPRECATED
        if known is None:
            action = Action.CREATE
        elif deprecated != (known.state == DEPRECATED):
            action = Action.DEPRECATE if deprecated else Action.RESTORE
        else:
            action = Action.CHANGE
        if known is None and deprecated and (one.kind, getattr(said, "slug", "")) not in self._named:
            self._counts["left"] += 1
        elif known is not None and action == Action.CHANGE and _same(known, said, one.quotes):
            self._counts["unchanged"] += 1
        elif any(
            waiting.action == action and (known is None or known.entry == waiting.entry)
            for waiting in self._waiting.alike(one, said)
        ):
            self._counts["waiting"] += 1
        else:
            return _Step(one, action, known, self._new_content(one, action, known, said))
        return None

    @staticmethod
    def _new_content(one: Written, action: str, known: _Known | None, said: Content) -> Content | None:
        """What no longer holds is deprecated as it stands: its words may hold nowhere by now."""
        if action != Action.DEPRECATE or known is None:
            return said
        if not _same(known, said, one.quotes):
            message = gettext_noop("What is deprecated can't be changed at the same time. Leave the rest as it is.")
            raise Refused("changed_and_deprecated", message, field="state")
        return None

    def _find(self, one: Written, said: Content) -> _Known | None:
        """The entry of this space that the file means: by its name or id, else one that says the very same."""
        if slug := getattr(said, "slug", ""):
            return self._counting.named.get((one.kind, slug))
        by_id = self._counting.named.get((one.kind, one.id))
        return by_id or next(iter(self._counting.alike(one, said)), None)

    def _verified(self, step: _Step) -> _Step:
        """The step with citations that hold now, made anew where they must be. Raises _Unverified."""
        if step.content is None:
            return step
        ids = [self._citation(number, quote) for number, quote in enumerate(step.written.quotes, start=1)]
        return replace(step, content=replace(step.content, citations=tuple(dict.fromkeys(ids))))

    def _citation(self, number: int, quote: Quoted) -> UUID:
        stored = self._stored.get(quote.id)
        if stored is not None and stored.resolution.state is State.RESOLVED and _says(_quoted(stored), quote):
            return stored.id
        if quote in self._made:
            return self._made[quote]
        document = Document.objects.readable(self._access).filter(source__name=quote.source, external_id=quote.document)
        found = document.values_list("public_id", flat=True).first()
        field = f"citations[{number}]"
        if found is None:
            raise _Unverified(
                f"{field}.document",
                Refused("document_unknown", gettext_noop("There is no such document in this source that you may read.")),
            )
        try:
            made = citations.cite_words(self._access, found, exact=quote.exact, prefix=quote.prefix, suffix=quote.suffix)
        except EvidenceError as error:
            raise _Unverified(f"{field}.exact", error) from None
        self._made[quote] = made
        return made

    def _propose(self, step: _Step) -> None:
        known = step.known
        proposals.propose(
            self._access,
            space=self._home.slug,
            kind=step.written.kind,
            action=step.action,
            content=step.content,
            why=self._why,
            entry=known.entry if known else None,
            base=known.number if known else None,
            origin=Origin.IMPORT,
        )
        self._proposed[step.action] += 1


class _Unverified(EvidenceError):
    """Words that can't be verified now. field: which citation, and what of it."""

    def __init__(self, field: str, error: EvidenceError) -> None:
        super().__init__(error.code, error.template, **error.values)
        self.field = field


def _about(home: Space) -> About:
    return About(home.slug, home.title, home.text.replace("\r\n", "\n").strip())


def _counting(access: Access, home: Space) -> Sequence[_Known]:
    """Every entry of the space that this person may read, in the order in which they came."""
    rows = entries.readable(access).filter(space=home).order_by("id")
    return [
        _Known(row.id, row.kind, row.content, [_quoted(cited) for cited in row.cited], row.number, row.state)
        for row in entries.of_rows(access, rows)
    ]


def _waiting(access: Access, home: Space) -> Sequence[_Known]:
    """What this person has proposed for the space and nobody has decided about."""
    rows = Proposal.objects.filter(author=access.user, state=Proposal.State.OPEN, entry__space=home).exclude(content={})
    said = [(row, contents.parse(row.entry.kind, row.content)) for row in rows.select_related("entry")]
    cited = entries.cited_by(access, [one for _, content in said for one in content.citations])
    return [
        _Known(
            row.entry.public_id,
            row.entry.kind,
            content,
            [_quoted(cited[one]) for one in content.citations if one in cited],
            action=row.action,
        )
        for row, content in said
    ]


def _stored(access: Access, whole: Whole) -> Mapping[str, Cited]:
    """The citations that the files name by ids, those that this person may read, checked now."""
    ids = {named for one in whole.entries for quote in one.quotes if (named := _uuid(quote.id))}
    return {str(one.id): one for one in entries.cited_by(access, ids).values()}


def _quoted(cited: Cited) -> Quoted:
    card = cited.resolution.card
    assert card is not None  # nobody gets a citation without a document that may be read
    anchor = cited.anchor
    return Quoted(
        source=card.source,
        document=card.external_id,
        exact=anchor.exact,
        prefix=anchor.prefix,
        suffix=anchor.suffix,
        revision=anchor.state.revision,
        id=str(cited.id),
    )


def _same(known: _Known, said: Content, quotes: Sequence[Quoted]) -> bool:
    """Whether this says what the files say, and stands on the same words."""
    if replace(known.content, citations=()) != replace(said, citations=()) or len(known.quotes) != len(quotes):
        return False
    return all(_says(one, other) for one, other in zip(known.quotes, quotes, strict=True))


def _named(whole: Whole) -> Collection[tuple[str, str]]:
    """What other entries in the files name: kind and short name. It comes with them, even if it is deprecated."""
    concepts = {str(one.content["concept"]) for one in whole.entries if one.kind == Entry.Kind.CLAIM and one.state != DEPRECATED}
    decisions = {str(one.content["supersedes"]) for one in whole.entries if one.kind == Entry.Kind.DECISION}
    return {(Entry.Kind.CONCEPT.value, slug) for slug in concepts} | {(Entry.Kind.DECISION.value, slug) for slug in decisions}


def _says(stored: Quoted, written: Quoted) -> bool:
    """Whether a stored citation is the one that somebody wrote; by hand, with less before and after its words."""
    same = (stored.source, stored.document, stored.exact) == (written.source, written.document, written.exact)
    before = stored.prefix.endswith(written.prefix) or written.prefix.endswith(stored.prefix)
    after = stored.suffix.startswith(written.suffix) or written.suffix.startswith(stored.suffix)
    return same and before and after


def _in_order(steps: Sequence[_Step]) -> Sequence[_Step]:
    """Decisions after those that they take the place of; all else as it is."""
    by_slug = {step.content.slug: step for step in steps if isinstance(step.content, Decision)}
    ordered: dict[int, _Step] = {}
    for step in steps:
        chain = {id(step): step}
        while (before := by_slug.get(getattr(step.content, "supersedes", ""))) and id(before) not in chain:
            if id(before) in ordered:
                break
            step = before
            chain[id(step)] = step
        ordered |= {key: one for key, one in reversed(chain.items()) if key not in ordered}
    return list(ordered.values())


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
