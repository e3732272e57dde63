"""Keeping: answers that somebody had checked, for that person alone, until they expire or a document that they quote is removed.

Reading one checks it with the rights of this moment. A sentence that may hold words of a document which the person may not read
any more is left out. Its words are never logged and never audited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evidence import audit, documents, pace, removal
from evidence.access import Access
from evidence.answers.checking import check
from evidence.answers.findings import Checked, Judged, documents_of
from evidence.answers.values import Draft, Pointer, Sentence, Support
from evidence.errors import Busy, Refused, TooOften, Unavailable, gettext_noop
from evidence.models import Answer, Document

PER_DAY: Final = 500
"""Answers of one person in 24 hours: an assistant that asks all day, and no more than a disk takes."""
CHECKS_PER_MINUTE: Final = 60
"""Kept answers of one person that one process of the server checks within a minute: one a second, and each can cost some hundred
searches."""
PAGE: Final = 25
"""Answers on one page of the list."""
_DAY: Final = timedelta(days=1)
_FOR_EVER: Final = timedelta(days=36_500)
"""Where nothing expires: longer than anybody keeps a server."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept answer, checked just now. before: the state of each sentence when it was last checked on purpose."""

    id: UUID
    at: datetime
    checked_at: datetime
    expires_at: datetime
    origin: Answer.Origin
    checked: Checked
    before: Sequence[Support]

    @property
    def changed(self) -> bool:
        """Whether any sentence has another state than it had."""
        return list(self.before) != list(self.checked.states)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of one's own list: no words of the answer. tally: states of the sentences when it was last checked on purpose."""

    id: UUID
    at: datetime
    checked_at: datetime
    expires_at: datetime
    origin: Answer.Origin
    question: str
    model: str
    sentences: int
    tally: Mapping[Support, int]


@dataclass(frozen=True, slots=True)
class Listed:
    """A part of the list. total: of the whole list."""

    rows: Sequence[Entry]
    total: int


def keep(
    access: Access,
    draft: Draft,
    *,
    origin: str = Answer.Origin.SUBMITTED,
    model: str = "",
    checked: Checked | None = None,
    written_from: Collection[UUID] = (),
) -> UUID:
    """Keep an answer; gives its id. checked: what checking this draft gave a moment ago, else it is checked now.

    model: who wrote it, else what the draft says. written_from: documents that whoever wrote it was given: each sentence may hold
    their words, whatever it cites. Raises Refused, Unavailable for people without a tenant, and Busy when a document that it
    quotes is being changed.
    """
    if access.user is None or access.tenant is None:
        raise Unavailable
    refuse_many(access)  # before the work
    found = checked or check(access, draft)
    now = timezone.now()
    held = [documents_of(one).union(written_from) for one in found.sentences]
    with transaction.atomic():
        row = Answer.objects.create(
            tenant_id=access.tenant,
            user_id=access.user,
            at=now,
            checked_at=now,
            expires_at=now + (settings.KEEP["answers"] or _FOR_EVER),
            origin=origin,
            question=draft.question,
            model=model or draft.model,
            sentences=[_stored(one, names) for one, names in zip(draft.sentences, held, strict=True)],
            states=[state.value for state in found.states],
        )
        _hold(access, row, found.documents.union(written_from))
        audit.by(access, "answer.kept", answer=row.public_id)
    return row.public_id


def refuse_many(access: Access) -> None:
    """Raises Refused for people who have had as many answers checked as they can within a day."""
    if Answer.objects.filter(user=access.user, tenant=access.tenant, at__gt=timezone.now() - _DAY).count() >= PER_DAY:
        message = gettext_noop("You have had %(limit)d answers checked within a day. Further ones can be kept tomorrow.")
        raise Refused("too_many_answers", message, limit=PER_DAY)


def get(access: Access, answer: UUID) -> Kept:
    """One's own answer, checked now. Raises Unavailable for every other, unknown, expired and deleted alike, and TooOften."""
    row = _own(access).filter(public_id=answer).first()
    if row is None:
        raise Unavailable
    _refuse_often(access)
    return _kept(row, _checked(access, row))


def made(access: Access, answer: UUID, checked: Checked) -> Kept:
    """One's own answer that was kept a moment ago, with what checking it gave then. Raises Unavailable."""
    row = _own(access).filter(public_id=answer).first()
    if row is None:
        raise Unavailable
    return _kept(row, checked)


def own(access: Access, *, offset: int = 0) -> Listed:
    """One's own answers, the newest first."""
    rows = _own(access)
    return Listed([_entry(row) for row in rows[offset : offset + PAGE]], rows.count())


def recheck(access: Access, answer: UUID) -> Kept:
    """Check it on purpose: from now on, what has changed is told against this. Gives it with the states that it had before.

    Raises Unavailable, TooOften, and Busy as `keep` does.
    """
    row = _own(access).filter(public_id=answer).first()
    if row is None:
        raise Unavailable
    _refuse_often(access)
    checked = _checked(access, row)
    kept = _kept(row, checked)
    sentences = [
        {**stored, "documents": sorted({*stored["documents"], *map(str, documents_of(one))})}
        for stored, one in zip(row.sentences, checked.sentences, strict=True)
    ]
    with transaction.atomic():
        states = [state.value for state in checked.states]
        if not _own(access).filter(pk=row.pk).update(sentences=sentences, states=states, checked_at=timezone.now()):
            raise Unavailable
        _hold(access, row, checked.documents)
        audit.by(access, "answer.checked", answer=row.public_id)
    return kept


def delete(access: Access, answer: UUID) -> None:
    """Remove one's own answer, words and all. Raises Unavailable for any other."""
    with transaction.atomic():
        count, _ = _own(access).filter(public_id=answer).delete()
        if not count:
            raise Unavailable
        audit.by(access, "answer.deleted", answer=answer)
        removal.wipe_soon()


def _own(access: Access) -> QuerySet[Answer]:
    """This person's in this tenant that have not expired."""
    if access.user is None or access.tenant is None:
        return Answer.objects.none()
    now = timezone.now()
    rows = Answer.objects.filter(user=access.user, tenant=access.tenant, expires_at__gt=now)
    longest = settings.KEEP["answers"]  # may have been shortened since
    return rows if longest is None else rows.filter(at__gt=now - longest)


def _refuse_often(access: Access) -> None:
    """Raises TooOften for people who have had as many kept answers checked as they can within a minute."""
    if pace.counted(f"answers:{access.user}") > CHECKS_PER_MINUTE:
        message = gettext_noop("You have had %(limit)d answers checked within a minute. Wait for the next one, and go on then.")
        raise TooOften("too_many_checks", message, limit=CHECKS_PER_MINUTE)


def _checked(access: Access, row: Answer) -> Checked:
    """The answer as this person may see it now."""
    draft = Draft([_sentence(one) for one in row.sentences], row.question, row.model)
    found = check(access, draft)
    held = {UUID(one) for stored in row.sentences for one in stored["documents"]}
    readable = set(Document.objects.readable(access).filter(public_id__in=held).values_list("public_id", flat=True))
    sentences = [
        one if {UUID(name) for name in stored["documents"]} <= readable else Judged("", Support.ABSENT, withheld=True)
        for stored, one in zip(row.sentences, found.sentences, strict=True)
    ]
    return Checked(sentences, found.question, found.model)


def _kept(row: Answer, checked: Checked) -> Kept:
    return Kept(
        id=row.public_id,
        at=row.at,
        checked_at=row.checked_at,
        expires_at=row.expires_at,
        origin=Answer.Origin(row.origin),
        checked=checked,
        before=[Support(state) for state in row.states],
    )


def _entry(row: Answer) -> Entry:
    counts = Counter(row.states)
    return Entry(
        id=row.public_id,
        at=row.at,
        checked_at=row.checked_at,
        expires_at=row.expires_at,
        origin=Answer.Origin(row.origin),
        question=row.question,
        model=row.model,
        sentences=len(row.sentences),
        tally={state: counts[state] for state in Support if counts[state]},
    )


def _hold(access: Access, row: Answer, names: Collection[UUID]) -> None:
    """Tie the answer to the documents whose words it may hold: with the first of them that is purged it goes."""
    if not names:
        return
    keys = list(Document.objects.readable(access).filter(public_id__in=names).values_list("pk", flat=True))
    held = documents.hold(access, keys)
    if len(held) != len(names):  # what is being removed must leave no words behind here
        raise Busy
    row.documents.add(*held)


def _stored(sentence: Sentence, names: Collection[UUID]) -> dict[str, object]:
    """A sentence as JSON. documents: those whose words it may hold."""
    pointers = [_stored_pointer(one) for one in sentence.pointers]
    return {"text": sentence.text, "pointers": pointers, "documents": sorted(map(str, names))}


def _stored_pointer(pointer: Pointer) -> dict[str, object]:
    """What it says, and nothing that it does not say."""
    ids = {"citation": pointer.citation, "document": pointer.document, "representation": pointer.representation}
    texts = {"exact": pointer.exact, "prefix": pointer.prefix, "suffix": pointer.suffix}
    stored: dict[str, object] = {name: str(value) for name, value in ids.items() if value is not None}
    stored |= {name: value for name, value in texts.items() if value}
    if pointer.anchor is not None:
        stored["anchor"] = dict(pointer.anchor)
    if pointer.passage is not None:
        stored["passage"] = pointer.passage
    return stored


def _sentence(stored: Mapping[str, Any]) -> Sentence:
    return Sentence(stored["text"], [_pointer(one) for one in stored["pointers"]])


def _pointer(stored: Mapping[str, Any]) -> Pointer:
    ids = {name: UUID(stored[name]) for name in ("citation", "document", "representation") if name in stored}
    return Pointer(
        **ids,
        anchor=stored.get("anchor"),
        passage=stored.get("passage"),
        exact=stored.get("exact", ""),
        prefix=stored.get("prefix", ""),
        suffix=stored.get("suffix", ""),
    )
