"""POST citations, GET citations/{id}, POST resolve."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja import Body, Router, Status

from evidence import citations
from evidence.access import Access
from evidence.anchoring import UNIT
from evidence.api import errors, links, schemas
from evidence.api.bearer import Bearer, access
from evidence.citations import UNAVAILABLE, Resolution
from evidence.errors import Unavailable
from evidence.models import Scope

router = Router(tags=["citations"])


@router.post(
    "citations",
    response={201: schemas.Made, **errors.documented(400, 404, 409, 413)},
    operation_id="cite",
    summary="Store a citation",
    auth=Bearer(Scope.CITE),
)
def cite(request: HttpRequest, place: Body[schemas.ToCite]) -> Status[schemas.Made]:
    """Of a range of the current text, or of words that stand in it once. 409 when the range is not in the current state, or
    the words can't be told apart from others.
    """
    made = _cite(access(request), place)
    anchor = schemas.Anchor.of(citations.get(access(request), made).anchor)
    return Status(201, schemas.Made(id=made, anchor=anchor, url=links.citation(request, made)))


@router.get(
    "citations/{citation}",
    response={200: schemas.Citation, **errors.documented(), 404: schemas.Gone},
    operation_id="citation",
    summary="Open a citation and check it",
    auth=Bearer(Scope.READ),
)
def opened(request: HttpRequest, citation: str) -> schemas.Citation | Status[schemas.Gone]:
    """The anchor as it was made, and what it is worth now."""
    try:
        found = citations.get(access(request), links.id_of(citation))
    except Unavailable:
        return Status(404, schemas.Gone())
    resolution = _resolution(request, found.resolution)
    return schemas.Citation(id=found.id, anchor=schemas.Anchor.of(found.anchor), resolution=resolution)


@router.post(
    "resolve",
    response={200: schemas.Resolution | schemas.Gone | schemas.Resolutions, **errors.documented(400, 413)},
    operation_id="resolve",
    summary="Check anchors",
    auth=Bearer(Scope.READ),
)
def resolve(request: HttpRequest, sent: Body[schemas.ToResolve]) -> schemas.Resolution | schemas.Gone | schemas.Resolutions:
    """One anchor, or up to 500 as `{"anchors": [...]}`: what each is worth now. One that is not well formed is
    `invalid_anchor`, or `unavailable` when it names no document that may be read.
    """
    if not isinstance(sent, schemas.Anchors):
        return _worth(request, citations.resolve(access(request), [sent])[0])
    found = citations.resolve(access(request), sent.anchors)
    return schemas.Resolutions(resolutions=[_worth(request, one) for one in found])


def _cite(access: Access, place: schemas.Range | schemas.Words) -> UUID:
    document = links.id_of(place.document)
    if isinstance(place, schemas.Words):
        return citations.cite_words(access, document, exact=place.exact, prefix=place.prefix, suffix=place.suffix)
    representation = links.id_of(place.representation)
    return citations.cite(access, document, representation=representation, start=place.start, end=place.end)


def _worth(request: HttpRequest, found: Resolution) -> schemas.Resolution | schemas.Gone:
    return schemas.Gone() if found is UNAVAILABLE else _resolution(request, found)


def _resolution(request: HttpRequest, found: Resolution) -> schemas.Resolution:
    assert found.card is not None and found.now is not None and found.representation is not None  # it may be read
    return schemas.Resolution(
        state=found.state,
        document=found.card.id,
        revision=found.now.revision,
        representation=found.representation,
        unit=UNIT,
        start=found.start,
        end=found.end,
        quote=found.quote,
        historical=schemas.Historical.of(found.historical) if found.historical else None,
        url=links.document(request, found.card.id, representation=found.representation),
    )
