"""POST answers, GET and DELETE answers/{id}, POST answers/{id}/check."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Body, Router, Status
from pydantic import WithJsonSchema

from evidence.answers import keeping
from evidence.answers.formats import FORMATS
from evidence.answers.limits import MAX_MODEL, MAX_QUESTION
from evidence.answers.values import MAX_SENTENCES
from evidence.api import errors
from evidence.api.bearer import Bearer, access
from evidence.models import Scope
from evidence.programs import checked
from evidence.programs.links import Links, id_of

_PLACE = {
    "type": "object",
    "description": "One of citation, anchor, document and url; the words that stand there are `exact`.",
    "properties": {
        "citation": {"type": "string"},
        "anchor": {"type": "object"},
        "document": {"type": "string"},
        "url": {"type": "string"},
        "exact": {"type": "string"},
        "prefix": {"type": "string"},
        "suffix": {"type": "string"},
    },
}
_SENTENCE = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "citations": {"type": "array", "items": _PLACE}},
    "required": ["text"],
}
_SENT = {
    "type": "object",
    "properties": {
        "format": {"enum": list(FORMATS)},
        "question": {"type": "string", "maxLength": MAX_QUESTION},
        "model": {"type": "string", "maxLength": MAX_MODEL},
        "sentences": {"type": "array", "items": _SENTENCE, "maxItems": MAX_SENTENCES},
        "text": {"type": "string", "description": "Of the format “text”."},
        "response": {"type": "object", "description": "What the API of the model returned, of the formats that are named so."},
        "documents": {"description": "Ids or addresses of documents here, as a list, or an object by the names they had."},
    },
}
ToCheck = Annotated[dict[str, Any], WithJsonSchema(_SENT)]

router = Router(tags=["answers"], auth=Bearer(Scope.READ))


@router.post(
    "answers",
    response={201: checked.CheckedAnswer, **errors.documented(400, 404, 413, 503)},
    operation_id="checkAnswer",
    summary="Have an answer checked and kept",
)
def check(request: HttpRequest, sent: Body[ToCheck]) -> Status[checked.CheckedAnswer]:
    """Sentences with citations, in our own form or as one of the big model APIs returned them (`format`). Each sentence gets a
    state: `supported`, `misattributed`, `stitched`, `absent` or `uncited`; one that cites nothing but quotes something `found`,
    `ambiguous` or `absent`. None of them says that it is true. It is kept for the person of the token alone, until `expires_at`.
    """
    return Status(201, checked.keep(access(request), Links.of(request), sent))


@router.get(
    "answers/{answer}",
    response={200: checked.CheckedAnswer, **errors.documented(404, 503)},
    operation_id="answer",
    summary="Open a checked answer",
)
def opened(request: HttpRequest, answer: str) -> checked.CheckedAnswer:
    """Checked at this moment, with the rights of this moment. One's own alone; all others are unavailable."""
    return checked.opened(access(request), Links.of(request), id_of(answer))


@router.post(
    "answers/{answer}/check",
    response={200: checked.CheckedAnswer, **errors.documented(404, 503)},
    operation_id="recheckAnswer",
    summary="Check an answer again",
)
def recheck(request: HttpRequest, answer: str) -> checked.CheckedAnswer:
    """As opening it; from now on `before` tells the states of this moment. It does not last longer for it."""
    return checked.recheck(access(request), Links.of(request), id_of(answer))


@router.delete(
    "answers/{answer}",
    response={204: None, **errors.documented(404)},
    operation_id="deleteAnswer",
    summary="Delete a checked answer",
)
def delete(request: HttpRequest, answer: str) -> Status[None]:
    """Words and all, from the database at once and from files within a day."""
    keeping.delete(access(request), id_of(answer))
    return Status(204, None)
