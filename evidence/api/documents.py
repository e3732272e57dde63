"""GET documents: the list by title, one with its text, its provenance, its history."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from ninja import Router

from evidence import documents, filenames, history
from evidence.api import errors, schemas
from evidence.api.bearer import Bearer, access
from evidence.models import Scope
from evidence.programs import answers, shapes
from evidence.programs.links import Links, id_of
from evidence.programs.refusals import JSON

ASKED_AGAIN: Final = "private, no-cache"
"""A program may keep this answer for itself, and asks with every use whether it may still have it."""

BYTES: Final = "application/octet-stream"
"""What an original is sent as: the provenance says what it is."""

router = Router(tags=["documents"], auth=Bearer(Scope.READ))


@router.get(
    "documents",
    response={200: shapes.Titles, **errors.documented(400)},
    operation_id="documents",
    summary="List documents by title",
)
def titles(
    request: HttpRequest,
    title: str = "",
    limit: schemas.WholeNumber = documents.PAGE,
    offset: schemas.WholeNumber = 0,
) -> shapes.Titles:
    """Those whose titles hold these words as they stand, in any case; all without a title. `limit` is 1 to 50."""
    found = documents.by_title(access(request), title, limit=limit, offset=offset)
    links = Links.of(request)
    listed = [shapes.Listed(document=shapes.Document.of(card), url=links.document(card.id)) for card in found.cards]
    return shapes.Titles(total=found.total, documents=listed)


@router.get(
    "documents/{document}",
    response={200: shapes.Reading, 304: None, **errors.documented(404)},
    operation_id="document",
    summary="Read a document",
)
def reading(request: HttpRequest, document: str, representation: str | None = None) -> HttpResponse:
    """The current text, or the kept state with this id. Such a one never changes: it comes with an ETag.

    304 is answered only to somebody who may read the document now.
    """
    head = answers.head(access(request), Links.of(request), document, representation)
    if representation is None:
        return _json(answers.reading(access(request), head))
    etag = f'"{hashlib.sha256(head.model_dump_json().encode()).hexdigest()}"'
    response = get_conditional_response(request, etag=etag) or _json(answers.reading(access(request), head))
    response["ETag"] = etag
    response["Cache-Control"] = ASKED_AGAIN
    return response


@router.get(
    "documents/{document}/original",
    response={**errors.documented(400, 404)},
    operation_id="original",
    summary="Download the original of a document",
    openapi_extra={
        "responses": {200: {"description": "OK", "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}}
    },
)
def original(request: HttpRequest, document: str, representation: str | None = None) -> HttpResponse:
    """The exact bytes that the current text, or the kept one with this id, was read from."""
    found = documents.original(
        access(request), id_of(document), representation=None if representation is None else id_of(representation)
    )
    return HttpResponse(found.data, content_type=BYTES, headers={"Content-Disposition": filenames.attachment(found.name)})


@router.get(
    "documents/{document}/provenance",
    response={200: shapes.Provenance, **errors.documented(404)},
    operation_id="provenance",
    summary="Where a document comes from",
)
def provenance(request: HttpRequest, document: str) -> shapes.Provenance:
    """Origin, hashes, parser, profile and times of the current text."""
    return shapes.Provenance.of(history.provenance(access(request), id_of(document)))


@router.get(
    "documents/{document}/history",
    response={200: shapes.History, **errors.documented(404)},
    operation_id="history",
    summary="Revisions and events of a document",
)
def revisions(request: HttpRequest, document: str) -> shapes.History:
    """Revisions with the texts that are still kept, the newest first, and what happened, the latest first."""
    return shapes.History.of(history.history(access(request), id_of(document)))


def _json(shape: shapes.Shape) -> HttpResponse:
    return HttpResponse(shape.model_dump_json(), content_type=JSON, status=HTTPStatus.OK)
