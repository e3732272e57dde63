"""What another system calls that pushes to a source: PUT, rights, DELETE, confirm; and what is held here, to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from django.http import HttpRequest
from ninja import Router, Status

from evidence import paging, pushing
from evidence.api import errors, receiving, schemas
from evidence.api.bearer import Bearer, Call
from evidence.errors import Unavailable
from evidence.models import Scope, SourceKind
from evidence.programs import shapes
from evidence.programs.links import Links, id_of
from evidence.sources import push

PAGE: Final = 100
MAX_UNKNOWN: Final = 1_000
"""Ids that a confirmation repeats as not held here."""
_ERRORS: Final[Mapping[int, Any]] = {**errors.documented(404, 409, 413, 503), 400: schemas.Faults | shapes.Error}

_EXAMPLE: Final = {
    "title": "Dienstanweisung Bereitschaft",
    "version": "3",
    "language": "de",
    "kind": "Dienstanweisung",
    "valid_from": "2026-03-01",
    "url": "https://dms.example.org/documents/4711",
    "allowed": ["group:netz"],
    "denied": ["user:extern"],
    "rights_as_of": "2026-03-01T12:30:00Z",
}
_BODY: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [receiving.FILE],
                    "properties": {
                        receiving.FILE: {"type": "string", "format": "binary", "description": "With a file name."},
                        receiving.METADATA: schemas.Metadata.model_json_schema(),
                    },
                },
                "encoding": {receiving.METADATA: {"contentType": "application/json"}},
                "example": {receiving.METADATA: _EXAMPLE},
            }
        },
    }
}

router = Router(tags=["pushing"], auth=Bearer(Scope.PUSH))


@router.put(
    "sources/{source}/documents/{path:external_id}/rights",
    response={200: schemas.Pushed, **_ERRORS},
    operation_id="pushRights",
    summary="State the rights of a document",
    openapi_extra=schemas.json_body(schemas.Rights, {key: _EXAMPLE[key] for key in ("allowed", "denied", "rights_as_of")}),
)
def rights(request: HttpRequest, source: str, external_id: str) -> schemas.Pushed:
    """They hold for the next request, whatever the document holds. Rights that become wider because the content has changed are
    sent together with the content. 409 for rights that are older than those that are here.
    """
    call = _call(request, source)
    return schemas.Pushed.of(pushing.give(call, push.external_id(external_id), push.stated(request.body)))


@router.put(
    "sources/{source}/documents/{path:external_id}",
    response={200: schemas.Pushed, 201: schemas.Pushed, **_ERRORS},
    operation_id="pushDocument",
    summary="Bring a document, or a new version of it",
    openapi_extra=_BODY,
)
def document(request: HttpRequest, source: str, external_id: str) -> Status[schemas.Pushed]:
    """`file` and `metadata` take the place of what was here; what metadata does not say is empty then. Without `allowed`, a known
    document keeps its rights, and a new one is read by nobody. The same once more changes nothing. 201: it was not known.

    The id may hold slashes (not `/rights` at its end); everything else that an address can't hold is percent-encoded UTF-8.

    `rights_as_of` says when the rights were read that the content belongs to. What is older than what is here is refused as a
    whole: 409. A file that can't be read changes nothing, but whoever the rights no longer name has lost the document at once.
    """
    call = _call(request, source)
    known = push.external_id(external_id)
    sent = receiving.document(request)
    said = push.described(sent.metadata)
    name = said.file_name(sent.name)
    receiving.refuse_large(name, len(sent.data))
    taken = pushing.put(call, known, said, name=name, data=sent.data)
    return Status(201 if taken.state == "new" else 200, schemas.Pushed.of(taken))


@router.delete(
    "sources/{source}/documents/{path:external_id}",
    response={202: schemas.Removal, **_ERRORS},
    operation_id="removeDocument",
    summary="Remove a document",
)
def remove(request: HttpRequest, source: str, external_id: str) -> Status[schemas.Removal]:
    """It is invisible at once; everything that was made of it is removed soon after. The receipt says how far that is. Asking
    again gives the same receipt.
    """
    receipt = pushing.remove(_call(request, source), push.external_id(external_id))
    return Status(202, schemas.Removal.of(receipt, url=Links.of(request).receipt(source, receipt.public_id)))


@router.get(
    "sources/{source}/receipts/{receipt}",
    response={200: schemas.Removal, **_ERRORS},
    operation_id="receipt",
    url_name="receipt",
    summary="See how far a removal is",
)
def receipt(request: HttpRequest, source: str, receipt: str) -> schemas.Removal:
    """`finished_at` says when nothing was left in any file, and `traces` what a search for it has found."""
    found = pushing.receipt(_call(request, source), id_of(receipt))
    return schemas.Removal.of(found, url=Links.of(request).receipt(source, found.public_id))


@router.get(
    "sources/{source}/documents",
    response={200: schemas.HeldPage, **_ERRORS},
    operation_id="heldDocuments",
    summary="List what is held of the source",
)
def held(request: HttpRequest, source: str, after: str = "", limit: schemas.WholeNumber = PAGE) -> schemas.HeldPage:
    """By id, those after `after`: ids, versions and hashes, to compare with what there is. `limit` is 1 to 1000; `next` is the
    `after` of the next page, null at the end.
    """
    call = _call(request, source)
    most = paging.limit(limit, most=pushing.MAX_HELD)
    rows = pushing.held(call, after=push.external_id(after) if after else "", limit=most + 1)
    following = rows[most - 1].external_id if len(rows) > most else None
    return schemas.HeldPage(documents=[schemas.Held.of(row) for row in rows[:most]], next=following)


@router.post(
    "sources/{source}/confirm",
    response={200: schemas.Confirmed, **_ERRORS},
    operation_id="confirm",
    summary="Confirm that the rights are complete",
    openapi_extra=schemas.json_body(schemas.Confirmation, {"as_of": "2026-03-01T12:30:00Z"}),
)
def confirm(request: HttpRequest, source: str) -> schemas.Confirmed:
    """All rights that changed before `as_of` have been sent. Without a confirmation within its revocation SLA the source closes.

    With `documents`, the ids of all documents that there are, those that it leaves out are withdrawn; a list that leaves out more
    than the source allows withdraws nothing and closes the source (409), unless it comes with `allow_removals`.
    """
    done = pushing.confirm(_call(request, source), push.confirmation(request.body))
    return schemas.Confirmed(
        as_of=done.as_of, withdrawn=done.withdrawn, unknown=done.unknown[:MAX_UNKNOWN], unknown_total=len(done.unknown)
    )


def _call(request: HttpRequest, source: str) -> pushing.Call:
    """Who calls, for the source of the token. Any other source, and one that is not pushed, are unavailable."""
    bearer = cast(Call, request).auth
    if bearer.source is None or bearer.source.name != source or bearer.source.kind != SourceKind.PUSH:
        raise Unavailable
    return pushing.Call(bearer.source, bearer.token)
