"""Our own form: sentences, each with its citations."""

from __future__ import annotations

from typing import Final

from evidence.anchoring import Anchor
from evidence.answers import limits
from evidence.answers.formats.annotated import worded
from evidence.answers.formats.places import ELSEWHERE, Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Pointer, Sentence
from evidence.errors import Refused

_FORMS: Final = ("citation", "anchor", "document", "url")


def read(sent: Sent, places: Places) -> tuple[list[Sentence], str]:
    """The sentences, and the name of the model."""
    given = sent.get("sentences").items()
    limits.refuse_number(len(given))
    return [_sentence(one, number, places) for number, one in enumerate(given, 1)], sent.get("model").text("")


def _sentence(sent: Sent, number: int, places: Places) -> Sentence:
    text, cited = sent.get("text").text(), sent.get("citations").items()
    limits.refuse_sentence_size(text, number, citations=len(cited))
    pointers = [_pointer(one, places) for one in cited]
    return Sentence(text, [worded_one for one in pointers for worded_one in worded(text, one)])


def _pointer(sent: Sent, places: Places) -> Pointer:
    """One of four: a citation's id, an anchor, a document with words, an address with words."""
    named = [one for one in _FORMS if one in sent.fields()]
    if len(named) != 1:
        sent.refuse()
    exact, prefix, suffix = (sent.get(name).text("") for name in ("exact", "prefix", "suffix"))
    if named == ["anchor"]:
        return Pointer(anchor=_anchor(sent.get("anchor")))
    given = sent.get(named[0])
    place = places.place(given.text())
    if named == ["citation"]:
        cited = place and (place.citation or place.document)
        return Pointer(citation=cited, exact=exact) if cited else given.refuse()
    if place is None and named == ["document"]:
        given.refuse()
    place = place or ELSEWHERE
    return Pointer(
        citation=place.citation,
        document=place.document,
        representation=place.representation,
        passage=place.passage,
        exact=exact,
        prefix=prefix,
        suffix=suffix,
    )


def _anchor(sent: Sent) -> dict[str, object]:
    """The anchor as it is kept: its own fields and no others."""
    value = {name: sent.get(name).value for name in sent.fields()}
    try:
        return Anchor.from_dict(value).to_dict()
    except Refused as error:
        sent.get(str(error.values.get("field", ""))).refuse()
