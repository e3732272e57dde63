"""GET concepts, claims, decisions, conflicts. What stands in them is read here and nowhere changed: that is for pages alone."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from evidence.api import errors, schemas
from evidence.api.bearer import Bearer, access
from evidence.knowledge import entries
from evidence.models import Scope
from evidence.programs import knowledge
from evidence.programs.links import Links, id_of

router = Router(tags=["knowledge"], auth=Bearer(Scope.READ))


@router.get(
    "concepts",
    response={200: knowledge.Concepts, **errors.documented(400)},
    operation_id="concepts",
    summary="List concepts by title",
)
def concepts(
    request: HttpRequest,
    space: str | None = None,
    q: str = "",
    limit: schemas.WholeNumber = entries.PAGE,
    offset: schemas.WholeNumber = 0,
) -> knowledge.Concepts:
    """Those whose title, terms or text hold these words as they stand, in any case; all without words. `limit` is 1 to 50.
    Deprecated ones come last.
    """
    return knowledge.concepts(access(request), Links.of(request), knowledge.Asked(space, q, limit, offset))


@router.get(
    "concepts/{concept}",
    response={200: knowledge.Concept, **errors.documented(404)},
    operation_id="concept",
    summary="Read a concept",
)
def concept(request: HttpRequest, concept: str) -> knowledge.Concept:
    """As it counts now, with what it cites, checked now. Its claims: `claims?space=&concept=`."""
    return knowledge.concept(access(request), Links.of(request), id_of(concept))


@router.get(
    "claims",
    response={200: knowledge.Claims, **errors.documented(400)},
    operation_id="claims",
    summary="List claims",
)
def claims(
    request: HttpRequest,
    space: str | None = None,
    concept: str | None = None,
    q: str = "",
    limit: schemas.WholeNumber = entries.PAGE,
    offset: schemas.WholeNumber = 0,
) -> knowledge.Claims:
    """In the order in which they were let in, deprecated ones last; of one concept where its short name is given. A disputed one
    comes with every side.
    """
    asked = knowledge.Asked(space, q, limit, offset)
    return knowledge.claims(access(request), Links.of(request), asked, concept=concept)


@router.get(
    "claims/{claim}",
    response={200: knowledge.Claim, **errors.documented(404)},
    operation_id="claim",
    summary="Read a claim",
)
def claim(request: HttpRequest, claim: str) -> knowledge.Claim:
    """As it counts now, with what it cites, checked now, and what contradicts it."""
    return knowledge.claim(access(request), Links.of(request), id_of(claim))


@router.get(
    "decisions",
    response={200: knowledge.Decisions, **errors.documented(400)},
    operation_id="decisions",
    summary="List decisions by title",
)
def decisions(
    request: HttpRequest,
    space: str | None = None,
    q: str = "",
    limit: schemas.WholeNumber = entries.PAGE,
    offset: schemas.WholeNumber = 0,
) -> knowledge.Decisions:
    """Those whose title or texts hold these words as they stand, in any case; all without words. Deprecated ones come last."""
    return knowledge.decisions(access(request), Links.of(request), knowledge.Asked(space, q, limit, offset))


@router.get(
    "decisions/{decision}",
    response={200: knowledge.WholeDecision, **errors.documented(404)},
    operation_id="decision",
    summary="Read a decision",
)
def decision(request: HttpRequest, decision: str) -> knowledge.WholeDecision:
    """As it counts now, with what it cites, checked now, and what takes its place."""
    return knowledge.decision(access(request), Links.of(request), id_of(decision))


@router.get(
    "conflicts",
    response={200: knowledge.Conflicts, **errors.documented(400)},
    operation_id="conflicts",
    summary="List conflicts that people marked",
)
def conflicts(request: HttpRequest, settled: bool = False, offset: schemas.WholeNumber = 0) -> knowledge.Conflicts:
    """Open ones, or settled ones, the latest first, 25 at a time. Each with both sides; claims that contradict each other by
    their values are told by `claims`.
    """
    return knowledge.marked(access(request), Links.of(request), settled=settled, offset=offset)


@router.get(
    "conflicts/{conflict}",
    response={200: knowledge.Conflict, **errors.documented(404)},
    operation_id="conflict",
    summary="Read a conflict",
)
def conflict(request: HttpRequest, conflict: str) -> knowledge.Conflict:
    """With both citations, checked now."""
    return knowledge.conflict(access(request), Links.of(request), id_of(conflict))
