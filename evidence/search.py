"""Search: a question and an Access in, the complete passages out, in the order of their scores.

The index answers for the classes of the Access only; each hit is then checked once more against the database. What no longer
fits is dropped, counted and noted as a fault of the index, by ids.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db.models import Q

from evidence import paging, projection
from evidence.access import Access, Withheld
from evidence.index import ATTRIBUTES, Hit
from evidence.index.query import Query, parse
from evidence.index.tokens import find
from evidence.models import AuditEvent, Document, Passage, Source, Tenant
from evidence.presentation import Card, Context, Shown, card, contexts, current, show

DEFAULT_LIMIT: Final = 10
MAX_LIMIT: Final = 50
MAX_OFFSET: Final = 10_000
"""Nobody reads further; beyond it a total is "more than 10,000"."""


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: the document, the passage word for word with its context, and what orders it.

    matches: the found words, code points inside the quote.
    """

    document: Card
    representation: UUID
    passage: Shown
    context: Context
    matches: tuple[tuple[int, int], ...]
    score: float


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
    first. contacts: whom to ask. dropped: hits that no longer fitted the database.
    """

    query: Query
    hits: Sequence[Found] = ()
    total: int = 0
    offset: int = 0
    choices: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
    absent: Sequence[str] = ()
    contacts: Sequence[str] = ()
    withheld: Sequence[Withheld] = ()
    dropped: int = 0


def search(
    access: Access,
    text: str,
    *,
    filters: Mapping[str, Collection[str]] | None = None,
    limit: object = DEFAULT_LIMIT,
    offset: object = 0,
) -> Results:
    """Passages that hold every word of the question, best first.

    filters: attribute (index.ATTRIBUTES) -> allowed values; an empty or missing one does not filter. limit: 1 to 50.
    Raises Refused for a question or number outside the contract, IndexFault when the index can't be asked.
    """
    count = paging.limit(limit, most=MAX_LIMIT)
    skip = paging.offset(offset, most=MAX_OFFSET)
    query = parse(text)
    chosen = {name: tuple(values) for name, values in (filters or {}).items() if name in ATTRIBUTES and values}
    if not query.phrases or not access.classes:
        return Results(query=query, contacts=_contacts(access), withheld=access.withheld)
    projection.settle_quickly()
    result = projection.engine().search(
        query, classes=access.classes, excluded=projection.pending(), filters=chosen, limit=count, offset=skip
    )
    hits = _checked(access, query, result.hits)
    return Results(
        query=query,
        hits=hits,
        total=result.total,
        offset=skip,
        choices=_choices(access, result.counts, chosen),
        absent=[" ".join(words) for words, n in zip(query.phrases, result.frequencies, strict=True) if n == 0],
        contacts=_contacts(access),
        withheld=access.withheld,
        dropped=len(result.hits) - len(hits),
    )


def _checked(access: Access, query: Query, hits: Sequence[Hit]) -> Sequence[Found]:
    """The hits that the database confirms: class, current state, and the words in the passage."""
    documents = Document.objects.readable(access).filter(pk__in=[hit.document for hit in hits])
    rows = {row.pk: row for row in documents.select_related("source", "current__revision")}
    places = Q(pk__in=[])
    for hit in hits:
        places |= Q(representation=hit.representation, number=hit.passage)
    passages = {(row.representation_id, row.number): row for row in Passage.objects.filter(places)}
    around = contexts(list(passages.values()))
    found: list[Found] = []
    faults: list[Hit] = []
    for hit in hits:
        row, passage = rows.get(hit.document), passages.get((hit.representation, hit.passage))
        if row is None or passage is None or (row.access_class_id, row.current_id) != (hit.access_class, hit.representation):
            faults.append(hit)
            continue
        matches = tuple(find(query.phrases, passage.quote))
        if not matches:
            faults.append(hit)
            continue
        found.append(
            Found(
                document=card(row, current(row)),
                representation=current(row).public_id,
                passage=show(passage, found=matches),
                context=around[passage.pk],
                matches=matches,
                score=hit.score,
            )
        )
    _note(access, faults)
    return found


def _note(access: Access, faults: Sequence[Hit]) -> None:
    """Keep dropped hits for the administrator: ids only. A change that came between index and database is none."""
    if not faults:
        return
    waits = projection.pending()
    AuditEvent.objects.bulk_create(
        AuditEvent(tenant_id=access.tenant, code="index.hit_dropped", ids={"document": hit.document, "passage": hit.passage})
        for hit in faults
        if hit.document not in waits
    )


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


def _contacts(access: Access) -> Sequence[str]:
    """Whom to ask when nothing is found: the tenant's contact. Sources' own are left out, they would tell of sources."""
    if access.tenant is None:
        return []
    return [contact for contact in Tenant.objects.filter(pk=access.tenant).values_list("contact", flat=True) if contact]
