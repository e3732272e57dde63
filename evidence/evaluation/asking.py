"""Asking: each question by the search that people use, as the person it names, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from evidence import identity
from evidence.access import Access
from evidence.errors import Refused
from evidence.evaluation import figures
from evidence.evaluation.expected import Prepared, Target
from evidence.evaluation.figures import DEPTH, Given, Outcome
from evidence.evaluation.questions import State
from evidence.knowledge import disputes
from evidence.models import Tenant
from evidence.projection import Versions
from evidence.search import MAX_LIMIT, Found, Mode, search

PAGES: Final = 4
"""Of MAX_LIMIT passages: further down nothing is a hit any more, except for what is forbidden."""
PAGES_FORBIDDEN: Final = 10
"""Five hundred passages: documents that answer a question stand far above, if they stand there at all."""


def ask(
    tenant: Tenant, prepared: Sequence[Prepared], mode: Mode, *, progress: Callable[[int], object] = lambda questions: None
) -> list[Outcome]:
    """Ask all of them, in their order. Raises IndexFault when the index can't be asked."""
    names = {one.question.person for one in prepared}
    people = {user.username: user for user in User.objects.filter(username__in=names)}
    outcomes: list[Outcome] = []
    for one in prepared:
        access = _access(people[one.question.person], tenant)  # anew for each, as for each request
        outcomes.append(_ask(access, one, mode))
        progress(1)
    return outcomes


def _access(user: User, tenant: Tenant) -> Access:
    """What this person may read in this tenant now, and in no other one."""
    access = identity.for_user(user, tenant=tenant.slug)
    return access if access.tenant == tenant.pk else identity.NOBODY


def _ask(access: Access, one: Prepared, mode: Mode) -> Outcome:
    question = one.question
    try:
        answer = _Answer(access, question.text, mode, Versions.EARLIER_TOO if question.depends_on_state else Versions.CURRENT)
    except Refused:
        refused = Outcome(question.id, question.state, Given.REFUSED, group=question.group)
        return replace(refused, quoted=any(target.passages for target in one.targets))
    if question.state is State.FORBIDDEN:
        found = _forbidden(
            one, [*answer.all(1), *_Answer(access, question.text, mode, Versions.EARLIER_TOO).all(PAGES_FORBIDDEN)]
        )
        return Outcome(question.id, question.state, answer.given, forbidden=found, group=question.group)
    hits = answer.passages()
    return _outcome(one, _given(access, one, answer.given, hits), hits)


class _Answer:
    """What one search says, read page by page as far as it is needed."""

    def __init__(self, access: Access, text: str, mode: Mode, versions: Versions) -> None:
        self._access, self._text, self._mode, self._versions = access, text, mode, versions
        self._first = search(access, text, mode=mode, versions=versions, limit=MAX_LIMIT)
        self.given = Given(self._first.answerability.value)

    def all(self, pages: int) -> Iterator[Found]:
        """The passages of so many pages."""
        results = self._first
        for page in range(1, pages + 1):
            yield from results.hits
            offset = page * MAX_LIMIT
            if offset >= results.total or page == pages:
                return
            results = search(self._access, self._text, mode=self._mode, versions=self._versions, limit=MAX_LIMIT, offset=offset)

    def passages(self) -> Sequence[Found]:
        """The first page, and more until they are of DEPTH documents."""
        found: list[Found] = []
        documents: set[UUID] = set()
        for hit in self.all(PAGES):
            if len(found) >= MAX_LIMIT and len(documents) >= DEPTH:
                break
            found.append(hit)
            documents.add(hit.representation)
        return found


def _given(access: Access, one: Prepared, given: Given, hits: Sequence[Found]) -> Given:
    """What the search said; a conflict where it says so of one of the first passages, and the question has an answer."""
    if given is not Given.ANSWERABLE or one.question.state not in {State.ANSWERABLE, State.CONFLICT}:
        return given
    return Given.CONFLICT if disputes.of_hits(access, hits[:DEPTH]) else given


def _outcome(one: Prepared, given: Given, hits: Sequence[Found]) -> Outcome:
    documents = _documents(one.targets)
    grades = [documents.get(state, 0) for state in dict.fromkeys(hit.representation for hit in hits)]
    quoted = [target for target in one.targets if target.passages]
    passages = _passage_grades(quoted, hits)
    return Outcome(
        id=one.question.id,
        expected=one.question.state,
        given=given,
        rank=figures.first([grade > 0 for grade in grades]),
        gain=figures.ndcg(grades, _best(one.targets)),
        quoted=bool(quoted),
        passage=figures.first([grade > 0 for grade in passages]),
        passage_gain=figures.ndcg(passages, [target.grade for target in quoted]),
        group=one.question.group,
    )


def _documents(targets: Sequence[Target]) -> dict[UUID, int]:
    """State of a document -> the grade of the best that it is expected for."""
    grades: dict[UUID, int] = {}
    for target in targets:
        for state in target.states:
            grades[state] = max(target.grade, grades.get(state, 0))
    return grades


def _best(targets: Sequence[Target]) -> list[int]:
    """The grades of the documents that are expected, each once."""
    grades: dict[UUID, int] = {}
    for target in targets:
        grades[target.document] = max(target.grade, grades.get(target.document, 0))
    return list(grades.values())


def _passage_grades(quoted: Sequence[Target], hits: Sequence[Found]) -> list[int]:
    """For each passage, what it is the first to give of the quotes; a quote that goes over several passages counts once."""
    left = list(quoted)
    grades: list[int] = []
    for hit in hits:
        place = (hit.representation, hit.passage.number)
        given = [target for target in left if place in target.passages]
        left = [target for target in left if target not in given]
        grades.append(sum(target.grade for target in given))
    return grades


def _forbidden(one: Prepared, hits: Sequence[Found]) -> tuple[str, ...]:
    """Documents among the hits, in whatever state, that this person must not find."""
    named = {target.document for target in one.targets}
    return tuple(sorted({str(hit.document.id) for hit in hits if hit.document.id in named}))
