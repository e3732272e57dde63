"""The call: one question to the configured model, as the interface of OpenAI has it ("chat completions"), which many offer.

Nothing of what is sent or received stands in a message or a log: codes and statuses only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings

from evidence import outbound
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.outbound import Unanswered

MAX_REPLY: Final = 500_000
"""Bytes of a reply: an answer as long as one may be, with quotes of some hundred characters, and what endpoints add."""
LONGEST_SECONDS: Final = 300
"""That the operator can let a person wait."""
MOST_PASSAGES: Final = 10
"""That can be sent: those that the first page of results shows."""
PATH: Final = "/chat/completions"
_REFUSING: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""How endpoints say that they do not know the `response_format`; asked without it, most still write JSON."""
_KEYLESS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_CUT: Final = "length"
_FILTERED: Final = "content_filter"


class Unwritten(EvidenceError):
    """There is no written answer, and nothing is kept. The code says why."""


def is_configured() -> bool:
    """Whether there is a model to ask."""
    return bool(settings.ANSWERING_URL and settings.ANSWERING_MODEL)


def address() -> str:
    """What is called."""
    return f"{settings.ANSWERING_URL}{PATH}"


def host() -> str:
    """The name of where it goes, for people who are about to send something there."""
    return urlsplit(settings.ANSWERING_URL).hostname or ""


def reply(messages: Sequence[Mapping[str, str]]) -> str:
    """What the model writes. One time limit for all of it. Raises Unwritten."""
    until = time.monotonic() + settings.ANSWERING_SECONDS
    asked: dict[str, object] = {"model": settings.ANSWERING_MODEL, "messages": messages, "temperature": 0, "stream": False}
    answer = _post(asked | {"response_format": {"type": "json_object"}}, until)
    if answer.status in _REFUSING:
        answer = _post(asked, until)
    if answer.status != HTTPStatus.OK:
        raise _refused(answer.status)
    return _content(answer.body)


def _post(payload: Mapping[str, object], until: float) -> outbound.Answer:
    key = settings.ANSWERING_KEY
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    left = max(until - time.monotonic(), 0)
    try:
        return outbound.post(address(), payload, timeout=left, headers=headers, most=MAX_REPLY)
    except Refused as error:  # the system check says so too
        raise _unreachable(error) from None
    except Unanswered as error:
        raise _FAULTS.get(error.code, _unreachable)(error) from None


def _slow(error: EvidenceError) -> Unwritten:
    message = gettext_noop("The model did not answer within %(limit)d seconds. Nothing was kept.")
    return Unwritten("answering_slow", message, limit=settings.ANSWERING_SECONDS)


def _large(error: EvidenceError) -> Unwritten:
    message = gettext_noop("The model answered more than %(limit)d bytes. Nothing was kept.")
    return Unwritten("answering_large", message, limit=MAX_REPLY)


def _unreachable(error: EvidenceError) -> Unwritten:
    message = gettext_noop("The model can’t be reached (%(reason)s). Nothing was kept.")
    return Unwritten("answering_unreachable", message, reason=error.code)


_FAULTS: Final = {"outbound_slow": _slow, "outbound_large": _large}


def _refused(status: int) -> Unwritten:
    if status in _KEYLESS:
        message = gettext_noop(
            "The model’s endpoint does not let this server in (HTTP %(status)d). Whoever runs it can set the key."
        )
        return Unwritten("answering_key", message, status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        message = gettext_noop("The model’s endpoint takes no more questions at the moment (HTTP %(status)d). Ask again later.")
        return Unwritten("answering_crowded", message, status=status)
    message = gettext_noop("The model’s endpoint gave no answer (HTTP %(status)d). Nothing was kept.")
    return Unwritten("answering_status", message, status=status)


def nonsense() -> Unwritten:
    """It is no answer in the form that was asked for."""
    message = gettext_noop("What the model answered is not in the form that was asked for, so nothing of it can be checked.")
    return Unwritten("answering_nonsense", message)


def _content(body: bytes) -> str:
    """The text of the first choice. Raises Unwritten where it was cut off, refused, or is none."""
    try:
        choice: dict[str, Any] = json.loads(body)["choices"][0]
        message: dict[str, Any] = choice["message"]
        content, finished, refusal = message.get("content"), choice.get("finish_reason"), message.get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise nonsense() from None
    if refusal or finished == _FILTERED:
        raise Unwritten("answering_refused", gettext_noop("The model refused to answer. Nothing was kept."))
    if finished == _CUT:
        raise Unwritten("answering_cut", gettext_noop("The model’s answer broke off in the middle. Nothing was kept."))
    if not isinstance(content, str):
        raise nonsense()
    return content
