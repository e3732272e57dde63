"""From a call to its answer, where the REST API and MCP answer alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evidence import citations, documents, search
from evidence.access import Access
from evidence.citations import Cited, Place
from evidence.index.questions import Off
from evidence.knowledge import disputes, translations
from evidence.programs.links import Links, id_of
from evidence.programs.shapes import (
    Anchor,
    Citation,
    Gone,
    Head,
    Hit,
    Made,
    Question,
    Range,
    Reading,
    Resolution,
    Results,
    Translation,
    Withheld,
    Words,
)
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
    anchors, disputed = citations.anchors(access, places), disputes.of_places(access, places)
    return Results(
        query=Question.of(text, results),
        state=results.answerability,
        lacking=results.lacking,
        total=results.total,
        hits=[
            Hit.of(hit, anchor, links, disputed.get(place, ()))
            for hit, anchor, place in zip(results.hits, anchors, places, strict=True)
        ],
        withheld=[Withheld.of(one) for one in results.withheld],
    )


def head(access: Access, links: Links, document: str, representation: str | None) -> Head:
    """A document in a kept state, the current one unless told. Raises Unavailable."""
    wanted = None if representation is None else id_of(representation)
    about = documents.about(access, id_of(document), representation=wanted)
    return Head.of(about, links, disputes.of_documents(access, {about.card.id}).get(about.card.id, ()))


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


def citation(access: Access, links: Links, cited: Cited) -> Citation:
    """A stored citation, with what contradicts it and its translations."""
    (worth,) = resolutions(access, links, [cited.resolution])
    assert isinstance(worth, Resolution)
    said = [Translation.of(one) for one in translations.of_cited(access, cited)]
    return Citation(id=cited.id, anchor=Anchor.of(cited.anchor), resolution=worth, translations=said)


def resolutions(access: Access, links: Links, found: Sequence[citations.Resolution]) -> Sequence[Resolution | Gone]:
    """What these anchors are worth, each with what contradicts the place; Gone where nothing is said but the state."""
    places = [_proven(one) for one in found]
    disputed = disputes.of_places(access, {place for place in places if place is not None})
    return [
        Gone() if one is citations.UNAVAILABLE else Resolution.of(one, links, disputed.get(place, ()) if place else ())
        for one, place in zip(found, places, strict=True)
    ]


def _proven(found: citations.Resolution) -> Place | None:
    """Where the words are proven to stand, in the current state or in an archived one."""
    if found.card is None:
        return None
    if found.representation and found.start is not None and found.end is not None:
        return Place(found.card.id, found.representation, found.start, found.end)
    kept = found.historical
    return None if kept is None else Place(found.card.id, kept.representation, kept.start, kept.end)
