"""GET search."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest
from ninja import Query, Router

from evidence import citations, search
from evidence.anchoring import Anchor
from evidence.api import errors, links, schemas
from evidence.api.bearer import Bearer, access
from evidence.citations import Place
from evidence.index.questions import Off
from evidence.models import Scope
from evidence.search import Found

router = Router(tags=["search"])


@router.get(
    "search",
    response={200: schemas.Results, **errors.documented(400, 503)},
    operation_id="search",
    summary="Find passages",
    auth=Bearer(Scope.READ),
)
def find(
    request: HttpRequest,
    filters: Query[schemas.Filters],
    expansions: Query[schemas.Expansions],
    q: str = "",
    mode: search.Mode = search.Mode.EXACT,
    limit: schemas.WholeNumber = search.DEFAULT_LIMIT,
    offset: schemas.WholeNumber = 0,
) -> schemas.Results:
    """Best first. `exact`: passages that hold every word as it is written; "quoted words" stand next to each other. `wider`: any
    of the words, in other forms too; each `without` switches an expansion off, `WRITTEN:HOW` or `WRITTEN:HOW:WORD`. `limit` is 1
    to 50. Values of one filter are alternatives.
    """
    results = search.search(
        access(request),
        q,
        mode=mode,
        without=[Off.of(one) for one in expansions.without] if mode is search.Mode.WIDER else (),
        filters=filters.model_dump(),
        limit=limit,
        offset=offset,
    )
    anchors = citations.anchors(access(request), [_place(hit) for hit in results.hits])
    return schemas.Results(
        query=schemas.Question(
            text=q,
            terms=[" ".join(words) for words in results.query.phrases],
            mode=results.mode,
            interpretation=schemas.Term.all(results),
        ),
        state=results.answerability,
        total=results.total,
        hits=_hits(request, results.hits, anchors),
        withheld=[schemas.Withheld.of(one) for one in results.withheld],
    )


def _place(hit: Found) -> Place:
    return Place(hit.document.id, hit.representation, hit.passage.start, hit.passage.end)


def _passage(hit: Found) -> schemas.Passage:
    shown = hit.passage
    return schemas.Passage.at(shown.number, shown.kind, shown.start, shown.end, hit.context, hit.page)


def _hits(request: HttpRequest, hits: Sequence[Found], anchors: Sequence[Anchor | None]) -> Sequence[schemas.Hit]:
    return [
        schemas.Hit(
            document=schemas.Document.of(hit.document),
            representation=hit.representation,
            passage=_passage(hit),
            quote=hit.passage.text,
            unseen=hit.unseen,
            matches=hit.matches,
            ways=[(way.start, way.end, way.how, way.written) for way in hit.ways],
            score=hit.score,
            anchor=schemas.Anchor.of(anchor) if anchor else None,
            url=links.document(request, hit.document.id, representation=hit.representation, passage=hit.passage.number),
        )
        for hit, anchor in zip(hits, anchors, strict=True)
    ]
