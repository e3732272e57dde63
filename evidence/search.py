"""Search: a question and an Access in, the complete passages out, in the order of their scores.

The exact mode finds every word as it is written; the wider one finds any of them, in other forms too, and tells how.
The index answers for the classes of the Access only; each hit is then checked once more against the database. What no longer
fits is dropped, counted and noted as a fault of the index, by ids.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from evidence import paging, projection, synonyms, traces
from evidence.access import Access, Withheld
from evidence.content import Searched, SpanKind
from evidence.errors import IndexFault, Refused, gettext_noop
from evidence.index import ATTRIBUTES, Hit, Indexed
from evidence.index.query import Query, parse
from evidence.index.questions import Answerability, How, Off, Question, Synonym, Term, Way, locate, parse_question
from evidence.index.tokens import find
from evidence.models import AuditEvent, Document, Passage, Representation, Source, Tenant
from evidence.presentation import Card, Context, Shown, card, contexts, marks, page_names, show, touched
from evidence.projection import Versions

DEFAULT_LIMIT: Final = 10
MAX_LIMIT: Final = 50
MAX_OFFSET: Final = 10_000
"""Nobody reads further; beyond it a total is "more than 10,000"."""
MOST_PLACES: Final = 500
"""Passages named one by one in a statement: SQLite takes a thousand conditions."""


class Mode(StrEnum):
    """How a question is read."""

    EXACT = "exact"
    WIDER = "wider"

    @classmethod
    def of(cls, text: str) -> Mode:
        """What was sent; exact where nothing was. Raises Refused."""
        try:
            return cls(text or cls.EXACT)
        except ValueError:
            raise Refused("query_mode", gettext_noop("There are two ways to search: exact and wider.")) from None


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: the document, the passage word for word with its context, and what orders it.

    matches: the found words, code points inside the quote. is_current: whether this state is the document's current one.
    page: name of the one on which the passage begins. unseen: nobody sees some of the found words in the original. ways: in the
    wider mode, how each found word answers which word of the question.
    """

    document: Card
    representation: UUID
    is_current: bool
    passage: Shown
    context: Context
    matches: tuple[tuple[int, int], ...]
    score: float
    page: str | None = None
    unseen: bool = False
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, slots=True)
class Saying:
    """A document that says of words that they mean the same."""

    id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that results can be filtered by, and how many passages have it."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to one question.

    absent: words or phrases that occur nowhere in what this person may read. choices: attribute -> values, most frequent
    first. contacts: whom to ask. dropped: hits that no longer fitted the database. empty: there is no document at all that this
    person may read; the answer is then the same as for someone without any rights. terms: in the wider mode, what was made of
    the question's words; said: for a term's `written` and the words of a synonym, the documents that say so. answerability:
    NOTHING without hits; NEAR only in the wider mode, with lacking: the `written` of terms that do not stand with the rest of the
    question where most of it does.
    """

    query: Query
    mode: Mode = Mode.EXACT
    hits: Sequence[Found] = ()
    total: int = 0
    offset: int = 0
    choices: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
    absent: Sequence[str] = ()
    contacts: Sequence[str] = ()
    withheld: Sequence[Withheld] = ()
    dropped: int = 0
    empty: bool = False
    terms: Sequence[Term] = ()
    said: Mapping[tuple[str, tuple[str, ...]], Sequence[Saying]] = field(default_factory=dict)
    answerability: Answerability = Answerability.NOTHING
    lacking: Sequence[str] = ()


def search(
    access: Access,
    text: str,
    *,
    mode: Mode = Mode.EXACT,
    without: Collection[Off] = (),
    filters: Mapping[str, Collection[str]] | None = None,
    versions: Versions = Versions.CURRENT,
    limit: object = DEFAULT_LIMIT,
    offset: object = 0,
) -> Results:
    """Passages that hold every word of the question; in the wider mode, any of them in whatever form. Best first.

    without: expansions of the wider mode that are switched off. versions: whether earlier revisions are asked too; statistics
    then count their passages as well. filters: attribute (index.ATTRIBUTES) -> allowed values; an empty or missing one does not
    filter. limit: 1 to 50.
    Raises Refused for a question or number outside the contract, IndexFault when the index can't be asked.
    """
    count = paging.limit(limit, most=MAX_LIMIT)
    skip = paging.offset(offset, most=MAX_OFFSET)
    chosen = {name: tuple(values) for name, values in (filters or {}).items() if name in ATTRIBUTES and values}
    question, lists = (parse(text), frozenset[int]()) if mode is Mode.EXACT else _question(access, text, without)
    asked = _Asked(question, chosen, versions, count, skip, lists)
    began = time.perf_counter()
    tenant = Tenant.objects.filter(pk=access.tenant).first() if access.tenant else None
    results, shown = _ask(access, asked, _contacts(access, tenant))
    took = timedelta(seconds=time.perf_counter() - began)
    passages = [(hit.representation, hit.passage) for hit in shown]
    traces.note(access, tenant, text, passages, total=results.total, took=took)
    return results


def ways(
    access: Access, text: str, passage: Searched, *, without: Collection[Off] = (), versions: Versions = Versions.CURRENT
) -> tuple[Way, ...]:
    """Where a passage answers a question of the wider mode, and how; nowhere for a question that can't be asked now."""
    try:
        question, lists = _question(access, text, without)
        asked = _Asked(question, {}, versions, limit=1, offset=0, lists=lists)
        return tuple(_answer(access, asked).locate(passage)) if asked.words else ()
    except (Refused, IndexFault):
        return ()


def standing(access: Access, runs: Sequence[Sequence[str]]) -> Sequence[Sequence[Passage]]:
    """For each run of words, as `tokens.words` gives them, the first MAX_LIMIT readable passages that hold it in this order.

    Of current states only, each row with its document; nothing is noted of it. Raises IndexFault when the index can't be asked.
    """
    if not any(runs) or not access.classes:
        return [() for _ in runs]
    projection.settle_quickly()
    waits = projection.pending()
    engine, classes = projection.engine(), projection.classes(access.classes, versions=Versions.CURRENT)
    asked = {tuple(words) for words in runs if words}
    found = {
        words: engine.search(Query("", (words,)), classes=classes, excluded=waits, filters={}, limit=MAX_LIMIT, offset=0).hits
        for words in asked
    }
    rows = _rows_of(access, [hit for hits in found.values() for hit in hits])
    places = {words: [(hit.representation, hit.passage) for hit in hits] for words, hits in found.items()}
    return [[rows[place] for place in places.get(tuple(words), ()) if place in rows] for words in runs]


def _rows_of(access: Access, hits: Collection[Hit]) -> Mapping[tuple[int, int], Passage]:
    """The passages of these hits whose documents may be read and are as the index has them."""
    rows: dict[tuple[int, int], Passage] = {}
    readable = Document.objects.readable(access)
    asked = sorted({(hit.representation, hit.passage) for hit in hits})
    for first in range(0, len(asked), MOST_PLACES):
        places = Q(pk__in=[])
        for representation, number in asked[first : first + MOST_PLACES]:
            places |= Q(representation=representation, number=number)
        some = Passage.objects.filter(places, representation__revision__document__in=readable)
        some = some.filter(representation__revision__document__current=F("representation"))
        for row in some.select_related("representation__revision__document__source"):
            rows[row.representation_id, row.number] = row
    return rows


def _question(access: Access, text: str, without: Collection[Off]) -> tuple[Question, frozenset[int]]:
    """A question of the wider mode, and the lists of synonyms that widen it."""
    asked = parse_question(text, without=without)
    widening = synonyms.readable(access, {word for _, _, word in asked.words})
    return Question(asked.text, asked.words, asked.without, widening.groups), widening.lists


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question within the contract. lists: documents that widen it, which are no answers: a line of synonyms holds them all."""

    question: Query | Question
    filters: Mapping[str, Collection[str]]
    versions: Versions
    limit: int
    offset: int
    lists: frozenset[int] = frozenset()

    @property
    def query(self) -> Query:
        """The question as the exact mode has it; of the wider mode, the text alone."""
        return self.question if isinstance(self.question, Query) else Query(self.question.text, ())

    @property
    def words(self) -> bool:
        """Whether anything is asked."""
        return bool(self.question.phrases if isinstance(self.question, Query) else self.question.words)

    @property
    def mode(self) -> Mode:
        """How it is read."""
        return Mode.EXACT if isinstance(self.question, Query) else Mode.WIDER


def _ask(access: Access, asked: _Asked, contacts: Sequence[str]) -> tuple[Results, Sequence[Hit]]:
    """The answer, and the hits that it shows."""
    empty = not Document.objects.readable(access).exists()
    if empty or not asked.words:
        return Results(asked.query, asked.mode, contacts=contacts, withheld=access.withheld, empty=empty), ()
    answer = _answer(access, asked)
    found = _checked(access, answer.hits, answer.locate)
    results = Results(
        query=asked.query,
        mode=asked.mode,
        contacts=contacts,
        withheld=access.withheld,
        hits=[one for _, one in found],
        total=answer.total,
        offset=asked.offset,
        choices=_choices(access, answer.counts, asked.filters),
        absent=answer.absent,
        dropped=len(answer.hits) - len(found),
        terms=answer.terms,
        said=_said(access, asked.question, answer.terms),
        answerability=answer.answerability,
        lacking=answer.lacking,
    )
    return results, [hit for hit, _ in found]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the index gave, in either mode. locate: the found words of a passage."""

    hits: Sequence[Hit]
    total: int
    counts: Mapping[str, Mapping[str, int]]
    locate: Callable[[Searched], Sequence[Way]]
    answerability: Answerability
    absent: Sequence[str] = ()
    terms: Sequence[Term] = ()
    lacking: Sequence[str] = ()


def _answer(access: Access, asked: _Asked) -> _Answer:
    projection.settle_quickly()
    waits = projection.pending()  # before the index is chosen: what is settled later may be settled in another one than that
    engine, classes = projection.engine(), projection.classes(access.classes, versions=asked.versions)
    question, filters, limit, offset = asked.question, asked.filters, asked.limit, asked.offset
    if isinstance(question, Question):
        excluded = waits | projection.entries(asked.lists, versions=asked.versions)
        wider = engine.wider(question, classes=classes, excluded=excluded, filters=filters, limit=limit, offset=offset)
        places, state = partial(locate, wider.terms), wider.answerability
        return _Answer(wider.hits, wider.total, wider.counts, places, state, terms=wider.terms, lacking=wider.lacking)
    result = engine.search(question, classes=classes, excluded=waits, filters=filters, limit=limit, offset=offset)
    absent = [" ".join(words) for words, n in zip(question.phrases, result.frequencies, strict=True) if n == 0]
    state = Answerability.ANSWERABLE if result.total else Answerability.NOTHING
    return _Answer(result.hits, result.total, result.counts, partial(_exactly, question), state, absent)


def _said(
    access: Access, question: Query | Question, terms: Sequence[Term]
) -> Mapping[tuple[str, tuple[str, ...]], Sequence[Saying]]:
    """For each synonym among the terms, the documents that say so; one query, and none where there is no synonym."""
    pairs = [(term, one) for term in terms for one in term.alternatives if one.how is How.SYNONYM]
    if not pairs or not isinstance(question, Question):
        return {}
    titles = dict(
        Document.objects.readable(access)
        .filter(public_id__in={group.document for group in question.synonyms})
        .order_by("title_key", "public_id")
        .values_list("public_id", "title")
    )
    naming: dict[tuple[str, ...], list[Synonym]] = {one.words: [] for _, one in pairs}
    for group in question.synonyms:
        for words in naming.keys() & set(group.words):
            naming[words].append(group)
    said = {}
    for term, one in pairs:
        own = {tuple(term.written.split()), *(other.words for other in term.alternatives if other.how is not How.SYNONYM)}
        groups = naming[one.words]
        ids = {group.document for group in groups if own & set(group.words)} or {group.document for group in groups}
        said[(term.written, one.words)] = [Saying(id, title) for id, title in titles.items() if id in ids]
    return said


def _exactly(query: Query, text: Searched) -> tuple[Way, ...]:
    return tuple(Way(start, end, How.EXACT, "") for start, end in find(query.phrases, text))


def _checked(access: Access, hits: Sequence[Hit], locate: Callable[[Searched], Sequence[Way]]) -> Sequence[tuple[Hit, Found]]:
    """The hits that the database confirms: class, state, and the words in the passage; each with what is shown of it.

    locate: the found words of a passage.
    """
    states = Representation.objects.filter(
        pk__in=[hit.representation for hit in hits], revision__document__in=Document.objects.readable(access)
    )
    rows = {row.pk: row for row in states.select_related("revision__document__source")}
    places = Q(pk__in=[])
    for hit in hits:
        places |= Q(representation=hit.representation, number=hit.passage)
    passages = {(row.representation_id, row.number): row for row in Passage.objects.filter(places)}
    around, pages = contexts(list(passages.values())), page_names(list(passages.values()))
    found: list[tuple[Hit, Found]] = []
    faults: list[Hit] = []
    for hit in hits:
        state, passage = rows.get(hit.representation), passages.get((hit.representation, hit.passage))
        ways = tuple(locate(passage.searched)) if passage else ()
        matches = tuple((way.start, way.end) for way in ways)
        says = bool(matches) or hit.referred
        if state is None or passage is None or not says or not _in_place(hit, state):
            faults.append(hit)
            continue
        document = state.revision.document
        shown = Found(
            document=card(document, state),
            representation=state.public_id,
            is_current=state.pk == document.current_id,
            passage=show(passage, found=marks(ways)),
            context=around[passage.pk],
            matches=matches,
            score=hit.score,
            page=pages.get(passage.pk),
            unseen=_has_unseen(passage, matches),
            ways=tuple(way for way in ways if way.written),
        )
        found.append((hit, shown))
    _note(access, faults)
    return found


def _has_unseen(passage: Passage, matches: Sequence[tuple[int, int]]) -> bool:
    """Whether some of the found words stand in text that is not visible in the original."""
    begin = passage.start
    return any(SpanKind.UNSEEN in touched([passage.spans], begin + start, begin + end) for start, end in matches)


def _in_place(hit: Hit, state: Representation) -> bool:
    """Whether the index has this state under the id and the class that the database gives it now."""
    return (hit.document, hit.access_class) == projection.place(state.revision.document, state.pk)


def _note(access: Access, faults: Sequence[Hit]) -> None:
    """Keep dropped hits for the administrator: ids only. A change that came between index and database is none."""
    if not faults:
        return
    waits = projection.pending()
    held = {one.document: one for one in projection.engine().documents({hit.document for hit in faults})}
    AuditEvent.objects.bulk_create(
        AuditEvent(tenant_id=access.tenant, code="index.hit_dropped", ids={"document": hit.document, "passage": hit.passage})
        for hit in faults
        if hit.document not in waits and _still_says(held.get(hit.document), hit)
    )


def _still_says(held: Indexed | None, hit: Hit) -> bool:
    """Whether the index gives this hit even now, with every change in it that was made before."""
    return held is not None and (held.representation, held.access_class) == (hit.representation, hit.access_class)


def _choices(
    access: Access, counts: Mapping[str, Mapping[str, int]], chosen: Mapping[str, Collection[str]]
) -> Mapping[str, Sequence[Choice]]:
    """What can be filtered by, with the names of sources; only values that were found, or that are chosen now."""
    titles = dict(Source.objects.filter(tenant=access.tenant).values_list("name", "title"))
    choices: dict[str, Sequence[Choice]] = {}
    for name in ATTRIBUTES:
        values = {**dict.fromkeys(chosen.get(name, ()), 0), **counts.get(name, {})}
        ordered = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
        choices[name] = [
            Choice(
                value=value,
                label=(titles.get(value) or value) if name == "source" and count else value,
                count=count,
                chosen=value in chosen.get(name, ()),
            )
            for value, count in ordered
            if value
        ]
    return choices


def _contacts(access: Access, tenant: Tenant | None) -> Sequence[str]:
    """Whom to ask: the tenant's contact, else those of the sources in which this person may read something."""
    if tenant is None or tenant.contact:
        return [tenant.contact] if tenant else []
    readable = Document.objects.readable(access).filter(source=OuterRef("pk"))
    named = Source.objects.filter(Exists(readable), tenant=access.tenant).exclude(contact="").order_by("name")
    return list(dict.fromkeys(named.values_list("contact", flat=True)))
