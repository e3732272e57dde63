"""What questions expect, looked up in the database before any of them is asked: documents, states of them, and passages.

This looks at documents whoever may read them, for the operator who wrote the questions. Nothing of it is shown but ids.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from evidence.evaluation.questions import Expected, Fault, Faulty, Question
from evidence.models import Document, Membership, Passage, Representation, Revision, Tenant
from evidence.profile import normalise

CHUNK: Final = 500
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Target:
    """One expected thing. states: texts of the document that count; passages: numbers, of any of them; empty without a quote."""

    document: UUID
    states: frozenset[UUID]
    grade: int
    passages: frozenset[tuple[UUID, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with what it expects."""

    question: Question
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """Rows by what questions call them. texts: of states that were read, each with its passages (number, start, end)."""

    by_id: Mapping[str, Sequence[Document]]
    by_public_id: Mapping[UUID, Document]
    texts: dict[int, tuple[str, Sequence[tuple[int, int, int]]]] = field(default_factory=dict)

    def text(self, representation: int) -> tuple[str, Sequence[tuple[int, int, int]]]:
        """One state's."""
        if representation not in self.texts:
            rows = list(Passage.objects.filter(representation=representation).order_by("number"))
            self.texts[representation] = "".join(row.text for row in rows), [(row.number, row.start, row.end) for row in rows]
        return self.texts[representation]


def prepare(tenant: Tenant, questions: Sequence[Question]) -> list[Prepared]:
    """All of them. Raises Faulty with everything that is not there: people, documents, states, quotes."""
    known = set(Membership.objects.filter(tenant=tenant).values_list("user__username", flat=True))
    found = _look_up(tenant, {one.document for question in questions for one in question.expect})
    prepared: list[Prepared] = []
    faults: list[Fault] = []
    for question in questions:
        if question.person not in known:
            faults.append(Fault(question.line, f"there is no person {question.person!r} in the tenant {tenant.slug!r}"))
            continue
        try:
            prepared.append(Prepared(question, tuple(_target(found, question, one) for one in question.expect)))
        except _Missing as missing:
            faults.append(Fault(question.line, f"{question.id}: {missing}"))
    if faults:
        raise Faulty(faults)
    return prepared


def quotes_in(text: str, quote: str) -> Sequence[tuple[int, int]]:
    """Where the quote stands in the text, word for word; how its words are parted (blanks, line ends) does not matter."""
    words = [re.escape(word) for word in _BLANKS.split(normalise(quote).strip())]
    return [match.span() for match in re.finditer(r"\s+".join(words), text)]


class _Missing(Exception):
    """What is expected and not there."""


def _look_up(tenant: Tenant, names: Collection[str]) -> _Found:
    rows = Document.objects.filter(source__tenant=tenant, withdrawn_at=None, current__isnull=False)
    rows = rows.select_related("source", "current")
    public = {name: UUID(name) for name in names if _is_uuid(name)}
    by_id: dict[str, list[Document]] = {}
    by_public_id: dict[UUID, Document] = {}
    ordered = sorted(names)
    for begin in range(0, len(ordered), CHUNK):
        some = ordered[begin : begin + CHUNK]
        for row in rows.filter(external_id__in=some):
            by_id.setdefault(row.external_id, []).append(row)
        for row in rows.filter(public_id__in=[public[name] for name in some if name in public]):
            by_public_id[row.public_id] = row
    return _Found(by_id, by_public_id)


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name.lower()
    except ValueError:
        return False


def _target(found: _Found, question: Question, one: Expected) -> Target:
    document = _document(found, one)
    states = _states(document, question)
    passages = frozenset(place for state in states for place in _places(found, state, one.quote)) if one.quote else frozenset()
    if one.quote and not passages:
        raise _Missing(f"the quote does not stand in document {one.document!r}{_which(question)}, word for word")
    return Target(document.public_id, frozenset(state.public_id for state in states), one.grade, passages)


def _document(found: _Found, one: Expected) -> Document:
    rows = [row for row in found.by_id.get(one.document, ()) if one.source in {"", row.source.name}]
    if len(rows) > 1:
        sources = ", ".join(sorted(row.source.name for row in rows))
        raise _Missing(f"several sources have a document {one.document!r} ({sources}): name one with source")
    if not rows and _is_uuid(one.document) and UUID(one.document) in found.by_public_id:
        rows = [found.by_public_id[UUID(one.document)]]
    if not rows:
        where = f" in the source {one.source!r}" if one.source else ""
        raise _Missing(f"there is no document {one.document!r}{where}")
    return rows[0]


def _states(document: Document, question: Question) -> Sequence[Representation]:
    """The texts that count: the current one, or all that were made of the revision that answers."""
    if not question.depends_on_state:
        assert document.current is not None  # see _look_up
        return [document.current]
    revisions = document.revisions.order_by("dated", "pk")
    if question.revision:
        chosen: Revision | None = revisions.filter(label=question.revision).last()
    else:
        chosen = revisions.filter(dated__lte=question.date).last()
    if chosen is None:
        raise _Missing(f"document {document.external_id!r} has no state{_which(question)}")
    return list(chosen.representations.all())


def _which(question: Question) -> str:
    if question.revision:
        return f" of the revision {question.revision!r}"
    return f" of {question.date}" if question.date else ""


def _places(found: _Found, state: Representation, quote: str) -> Collection[tuple[UUID, int]]:
    """Passages that hold a part of the quote."""
    text, passages = found.text(state.pk)
    places: set[tuple[UUID, int]] = set()
    for begin, end in quotes_in(text, quote):
        places.update((state.public_id, number) for number, start, stop in passages if start < end and stop > begin)
    return places
