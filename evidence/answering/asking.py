"""Asking: a person's question and what it finds go to the model; what comes back is checked and kept as that person's answer.

The passages are those that the wider search gives this person, so nothing else can reach the model. Where the search finds
nothing likely, the model is not asked. An audit event says which passages were sent, in ids; no question and no text is in it.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from evidence import search
from evidence.access import Access
from evidence.answering import endpoint, wording
from evidence.answering.endpoint import Unwritten
from evidence.answering.wording import Quoted, Said, Sent
from evidence.answers import keeping
from evidence.answers.values import Draft, Pointer, Sentence
from evidence.citations import NOTHING
from evidence.errors import Busy, Refused, Unavailable, gettext_noop
from evidence.index.questions import Answerability, Off
from evidence.models import Answer, AuditEvent, Membership
from evidence.search import Found, Mode, Results

PER_HOUR: Final = 30
"""Questions of one person to the model: one every two minutes. Each costs somebody money or minutes of a machine."""
AT_ONCE: Final = 2
"""Questions of one process: the other half of its threads goes on serving, however slow the model is."""
MAX_PASSAGE: Final = 4_000
"""Code points of one passage that are sent: more than a page. Of a longer one goes the part around the first found word."""
_HOUR: Final = timedelta(hours=1)
_MARGIN: Final = timedelta(seconds=10)
"""What checking and keeping may take after the model's own time. Whoever has not ended by then has died."""
_ASKED: Final = "answering.asked"
_ENDED: Final = ("answering.written", "answering.unwritten")

_places = threading.BoundedSemaphore(AT_ONCE)


def may_ask(access: Access) -> bool:
    """Whether there is a model, and a person in a tenant who can ask it."""
    return endpoint.is_configured() and access.user is not None and access.tenant is not None


def chosen(results: Results) -> Sequence[Found]:
    """Of the first page of what a wider search found, the passages that would be sent; none where the model is not asked."""
    if results.answerability is not Answerability.ANSWERABLE or results.mode is not Mode.WIDER or results.offset:
        return ()
    return [hit for hit in results.hits if hit.is_current and not hit.passage.garbled][: settings.ANSWERING_PASSAGES]


def ask(
    access: Access,
    question: str,
    *,
    without: Collection[Off] = (),
    filters: Mapping[str, Collection[str]] | None = None,
) -> UUID:
    """Let the model write an answer from what this person finds; gives the id under which it is kept, checked.

    without, filters: as for the search. Raises Unwritten, with all that can become of it instead; Refused for a question that
    can't be asked; Unavailable where there is no model or no tenant.
    """
    if not may_ask(access):
        raise Unavailable
    results = search.search(access, question, mode=Mode.WIDER, without=without, filters=filters)
    passages = chosen(results)
    if not passages:
        raise _unasked(results.answerability)
    if not _places.acquire(blocking=False):
        raise Unwritten("answering_busy", gettext_noop("The model is busy with the questions of others. Ask again soon."))
    try:
        return _asked(access, question, passages)
    finally:
        _places.release()


def _unasked(answerability: Answerability) -> Unwritten:
    if answerability is Answerability.NEAR:
        message = gettext_noop(
            "The model was not asked: no passage in what you may read is likely to answer this. Those below share words with it."
        )
        return Unwritten("answering_near", message)
    return Unwritten("answering_nothing", gettext_noop("The model was not asked: there is no passage in what you may read."))


def _asked(access: Access, question: str, passages: Sequence[Found]) -> UUID:
    with _turn(access, passages) as ids:
        sent = [_sent(number, hit) for number, hit in enumerate(passages, start=1)]
        said = wording.said(endpoint.reply(wording.messages(question, sent)))
        draft = Draft([_sentence(one, passages) for one in said], question, settings.ANSWERING_MODEL)
        try:
            answer = keeping.keep(
                access, draft, origin=Answer.Origin.GENERATED, written_from={hit.document.id for hit in passages}
            )
        except (Refused, Busy) as error:  # more than an answer can hold, or a document of it is being removed
            raise Unwritten(error.code, error.template, **error.values) from None
        ids["answer"] = str(answer)
    return answer


@contextmanager
def _turn(access: Access, passages: Sequence[Found]) -> Iterator[dict[str, object]]:
    """The person's turn, from the event that says what is sent to the one that says how it ended; gives the latter's ids.

    Raises Unwritten for whoever has one already, or had too many.
    """
    turn = _begin(access, [[str(hit.representation), hit.passage.number] for hit in passages])
    ids: dict[str, object] = {"asked": turn}
    code, reason = "answering.unwritten", "fault"
    try:
        yield ids
        code, reason = "answering.written", ""
    except Unwritten as error:
        reason = error.code
        raise
    finally:
        AuditEvent.objects.create(
            tenant_id=access.tenant, actor_id=access.user, code=code, ids=ids | ({"reason": reason} if reason else {})
        )


def _begin(access: Access, sent: Sequence[Sequence[object]]) -> int:
    now = timezone.now()
    with transaction.atomic():
        list(Membership.objects.select_for_update().filter(user=access.user).order_by("pk"))  # of two at once, one waits here
        turns = AuditEvent.objects.filter(actor=access.user, code=_ASKED, at__gt=now - _HOUR)
        if turns.count() >= PER_HOUR:
            message = gettext_noop("You have asked the model %(limit)d times within an hour. Ask again later.")
            raise Unwritten("answering_often", message, limit=PER_HOUR)
        latest = turns.filter(at__gt=now - timedelta(seconds=settings.ANSWERING_SECONDS) - _MARGIN).first()
        if latest is not None and not _has_ended(latest):
            message = gettext_noop("The model is still writing an answer for you. Ask again when it is there.")
            raise Unwritten("answering_running", message)
        event = AuditEvent.objects.create(tenant_id=access.tenant, actor_id=access.user, code=_ASKED, at=now, ids={"sent": sent})
    return int(event.pk)


def _has_ended(turn: AuditEvent) -> bool:
    return AuditEvent.objects.filter(actor=turn.actor_id, code__in=_ENDED, at__gte=turn.at, ids__asked=turn.pk).exists()


def _sent(number: int, hit: Found) -> Sent:
    return Sent(number, hit.context.headings, hit.context.columns, _part(hit.passage.text, hit.matches))


def _part(text: str, matches: Sequence[tuple[int, int]]) -> str:
    """All of a passage, or so much of it around the first found word, between two blanks."""
    if len(text) <= MAX_PASSAGE:
        return text
    first = matches[0][0] if matches else 0
    begin = max(min(first - MAX_PASSAGE // 4, len(text) - MAX_PASSAGE), 0)
    end = begin + MAX_PASSAGE
    part = text[begin:end]
    if begin:
        part = part.partition(" ")[2] or part
    return part if end == len(text) else part.rpartition(" ")[0] or part


def _sentence(said: Said, passages: Sequence[Found]) -> Sentence:
    return Sentence(said.text, [_pointer(one, passages) for one in said.citations])


def _pointer(cited: Quoted, passages: Sequence[Found]) -> Pointer:
    """The passage that this number was sent for; a number that none was sent for names a document that is none."""
    if not 1 <= cited.passage <= len(passages):
        return Pointer(document=NOTHING, exact=cited.quote)
    hit = passages[cited.passage - 1]
    return Pointer(document=hit.document.id, representation=hit.representation, passage=hit.passage.number, exact=cited.quote)
