"""From a call to its answer, where the REST API and MCP answer alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evidence import citations, documents, search
from evidence.access import Access
from evidence.citations import Place
from evidence.index.questions import Off
from evidence.programs.links import Links, id_of
from evidence.programs.shapes import Anchor, Head, Hit, Made, Question, Range, Reading, Results, Withheld, Words
from evidence.programs.shapes import Passage as PassageShape


def find(
    access: Access,
    links: Links,
    text: str,
    *,
    mode: search.Mode,
    without: Sequence[str] = (),
    filters: Mapping[str, Sequence[str]],
    limit: object,
    offset: object,
) -> Results:
    """What a search gives, each hit with its anchor. Raises what `search.search` raises."""
    off = [Off.of(one) for one in without] if mode is search.Mode.WIDER else ()
    results = search.search(access, text, mode=mode, without=off, filters=filters, limit=limit, offset=offset)
    places = [Place(hit.document.id, hit.representation, hit.passage.start, hit.passage.end) for hit in results.hits]
    anchors = citations.anchors(access, places)
    return Results(
        query=Question.of(text, results),
        state=results.answerability,
        total=results.total,
        hits=[Hit.of(hit, anchor, links) for hit, anchor in zip(results.hits, anchors, strict=True)],
        withheld=[Withheld.of(one) for one in results.withheld],
    )


def head(access: Access, links: Links, document: str, representation: str | None) -> Head:
    """A document in a kept state, the current one unless told. Raises Unavailable."""
    wanted = None if representation is None else id_of(representation)
    return Head.of(documents.about(access, id_of(document), representation=wanted), links)


def reading(access: Access, head: Head) -> Reading:
    """The same with its text. Raises Unavailable."""
    whole = documents.whole(access, head.document.id, representation=head.representation)
    passages = [PassageShape.of(placed) for placed in whole.passages]
    return Reading(**dict(head), text=whole.text, passages=passages, unseen=whole.unseen)


def cite(access: Access, links: Links, place: Range | Words) -> Made:
    """A new citation. Raises what making one raises."""
    document = id_of(place.document)
    if isinstance(place, Words):
        made = citations.cite_words(access, document, exact=place.exact, prefix=place.prefix, suffix=place.suffix)
    else:
        state = id_of(place.representation)
        made = citations.cite(access, document, representation=state, start=place.start, end=place.end)
    return Made(id=made, anchor=Anchor.of(citations.get(access, made).anchor), url=links.citation(made))
