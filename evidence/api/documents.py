"""GET documents: the list by title, one with its text, its provenance, its history."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from ninja import Router

from evidence import documents, filenames, history
from evidence.anchoring import UNIT
from evidence.api import errors, links, schemas
from evidence.api.bearer import Bearer, access
from evidence.documents import About
from evidence.models import Scope

ASKED_AGAIN: Final = "private, no-cache"
"""A program may keep this answer for itself, and asks with every use whether it may still have it."""

BYTES: Final = "application/octet-stream"
"""What an original is sent as: the provenance says what it is."""

router = Router(tags=["documents"], auth=Bearer(Scope.READ))


@router.get(
    "documents",
    response={200: schemas.Titles, **errors.documented(400)},
    operation_id="documents",
    summary="List documents by title",
)
def titles(
    request: HttpRequest,
    title: str = "",
    limit: schemas.WholeNumber = documents.PAGE,
    offset: schemas.WholeNumber = 0,
) -> schemas.Titles:
    """Those whose titles hold these words as they stand, in any case; all without a title. `limit` is 1 to 50."""
    found = documents.by_title(access(request), title, limit=limit, offset=offset)
    listed = [schemas.Listed(document=schemas.Document.of(card), url=links.document(request, card.id)) for card in found.cards]
    return schemas.Titles(total=found.total, documents=listed)


@router.get(
    "documents/{document}",
    response={200: schemas.Reading, 304: None, **errors.documented(404)},
    operation_id="document",
    summary="Read a document",
)
def reading(request: HttpRequest, document: str, representation: str | None = None) -> HttpResponse:
    """The current text, or the kept state with this id. Such a one never changes: it comes with an ETag.

    304 is answered only to somebody who may read the document now.
    """
    about = documents.about(
        access(request), links.id_of(document), representation=None if representation is None else links.id_of(representation)
    )
    head = _head(request, about)
    if representation is None:
        return _json(_reading(request, head))
    etag = f'"{hashlib.sha256(head.model_dump_json().encode()).hexdigest()}"'
    response = get_conditional_response(request, etag=etag) or _json(_reading(request, head))
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
        access(request), links.id_of(document), representation=None if representation is None else links.id_of(representation)
    )
    return HttpResponse(found.data, content_type=BYTES, headers={"Content-Disposition": filenames.attachment(found.name)})


@router.get(
    "documents/{document}/provenance",
    response={200: schemas.Provenance, **errors.documented(404)},
    operation_id="provenance",
    summary="Where a document comes from",
)
def provenance(request: HttpRequest, document: str) -> schemas.Provenance:
    """Origin, hashes, parser, profile and times of the current text."""
    return schemas.Provenance.of(history.provenance(access(request), links.id_of(document)))


@router.get(
    "documents/{document}/history",
    response={200: schemas.History, **errors.documented(404)},
    operation_id="history",
    summary="Revisions and events of a document",
)
def revisions(request: HttpRequest, document: str) -> schemas.History:
    """Revisions with the texts that are still kept, the newest first, and what happened, the latest first."""
    return schemas.History.of(history.history(access(request), links.id_of(document)))


def _head(request: HttpRequest, about: About) -> schemas.Head:
    return schemas.Head(
        document=schemas.Document.of(about.card),
        revision=about.state.revision,
        representation=about.representation,
        current=about.current,
        is_current=about.is_current,
        source_sha256=about.state.source_sha256,
        parser=schemas.Parser.of(about.state),
        profile=about.state.profile,
        text_sha256=about.state.text_sha256,
        notes=about.notes,
        unit=UNIT,
        url=links.document(request, about.card.id, representation=about.representation),
    )


def _reading(request: HttpRequest, head: schemas.Head) -> schemas.Reading:
    whole = documents.whole(access(request), head.document.id, representation=head.representation)
    passages = [schemas.Passage.of(placed) for placed in whole.passages]
    return schemas.Reading(**dict(head), text=whole.text, passages=passages, unseen=whole.unseen)


def _json(shape: schemas.Shape) -> HttpResponse:
    return HttpResponse(shape.model_dump_json(), content_type=errors.JSON, status=HTTPStatus.OK)
