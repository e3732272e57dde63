"""GET search."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router

from evidence import search
from evidence.api import errors, schemas
from evidence.api.bearer import Bearer, access
from evidence.models import Scope
from evidence.programs import answers, shapes
from evidence.programs.links import Links

router = Router(tags=["search"])


@router.get(
    "search",
    response={200: shapes.Results, **errors.documented(400, 503)},
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
) -> shapes.Results:
    """Best first. `exact`: passages that hold every word as it is written; "quoted words" stand next to each other. `wider`: any
    of the words, in other forms too; each `without` switches an expansion off, `WRITTEN:HOW` or `WRITTEN:HOW:WORD`. `limit` is 1
    to 50. Values of one filter are alternatives.
    """
    return answers.find(
        access(request),
        Links.of(request),
        q,
        mode=mode,
        without=expansions.without,
        filters=filters.model_dump(),
        limit=limit,
        offset=offset,
    )
