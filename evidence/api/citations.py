"""POST citations, GET citations/{id}, POST resolve."""

from __future__ import annotations

import json
from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.vary import vary_on_headers
from ninja import Body, Router, Status
from ninja.decorators import decorate_view

from evidence import annotation, citations
from evidence.api import errors, schemas
from evidence.api.bearer import Bearer, access
from evidence.citations import Cited
from evidence.errors import Unavailable
from evidence.models import Scope
from evidence.programs import answers, shapes
from evidence.programs.links import Links, id_of

_LINKED: Final = {"application/ld+json": {"schema": schemas.Annotation.model_json_schema()}}

router = Router(tags=["citations"])


@router.post(
    "citations",
    response={201: shapes.Made, **errors.documented(400, 404, 409, 413)},
    operation_id="cite",
    summary="Store a citation",
    auth=Bearer(Scope.CITE),
)
def cite(request: HttpRequest, place: Body[schemas.ToCite]) -> Status[shapes.Made]:
    """Of a range of the current text, or of words that stand in it once. 409 when the range is not in the current state, or
    the words can't be told apart from others.
    """
    return Status(201, answers.cite(access(request), Links.of(request), place))


@router.get(
    "citations/{citation}",
    response={200: shapes.Citation, **errors.documented(), 404: shapes.Gone},
    operation_id="citation",
    summary="Open a citation and check it",
    auth=Bearer(Scope.READ),
    openapi_extra={"responses": {200: {"content": _LINKED}}},
)
@decorate_view(vary_on_headers("Accept"))
def opened(request: HttpRequest, citation: str) -> shapes.Citation | Status[shapes.Gone] | HttpResponse:
    """The anchor as it was made, and what it is worth now. Who accepts `application/ld+json` rather than `application/json`
    gets the anchor alone, as a W3C Web Annotation.
    """
    try:
        found = citations.get(access(request), id_of(citation))
    except Unavailable:
        return Status(404, shapes.Gone())
    if request.get_preferred_type(["application/json", annotation.MEDIA_TYPE]) == annotation.MEDIA_TYPE:
        return _annotation(request, found)
    return answers.citation(access(request), Links.of(request), found)


@router.post(
    "resolve",
    response={200: shapes.Resolution | shapes.Gone | shapes.Resolutions, **errors.documented(400, 413)},
    operation_id="resolve",
    summary="Check anchors",
    auth=Bearer(Scope.READ),
)
def resolve(request: HttpRequest, sent: Body[schemas.ToResolve]) -> shapes.Resolution | shapes.Gone | shapes.Resolutions:
    """One anchor, or up to 500 as `{"anchors": [...]}`: what each is worth now. A Web Annotation that `citations/{id}` gave is
    taken for its anchor. One that is not well formed is `invalid_anchor`, or `unavailable` when it names no document that may
    be read.
    """
    links = Links.of(request)
    if not isinstance(sent, schemas.Anchors):
        return answers.resolutions(access(request), links, citations.resolve(access(request), [sent]))[0]
    found = citations.resolve(access(request), sent.anchors)
    return shapes.Resolutions(resolutions=answers.resolutions(access(request), links, found))


def _annotation(request: HttpRequest, found: Cited) -> HttpResponse:
    document = UUID(found.anchor.state.document)
    links = Links.of(request)
    value = annotation.export(
        found.anchor,
        id=links.citation(found.id),
        source=links.document(document),
        created=found.created_at,
        creator=found.author,
    )
    return HttpResponse(json.dumps(value, ensure_ascii=False), content_type=annotation.MEDIA_TYPE)
