"""An anchor as a Web Annotation (W3C Recommendation of 23 February 2017, JSON-LD), and back. Pure: no database, no I/O.

The model's selectors hold the words (TextQuoteSelector) and the positions (TextPositionSelector). Both count as the model
demands: in code points of the normalised text, in logical order. What else fixes the place (revision, hashes, parser, profile)
is a State of our own class under our own namespace, for the model has a State for that purpose and none with hashes.

Not covered: bodies, several targets, other selectors, `refinedBy`, collections, the Annotation Protocol. No JSON-LD is
processed: an annotation is read in the form that is written here, one value or a list of one alike. What another program wrote
about one of our documents without our State names no state of a text: it is a good annotation, and no anchor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from evidence.anchoring import Anchor
from evidence.errors import Refused, gettext_noop

MEDIA_TYPE: Final = 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"'
MODEL: Final = "http://www.w3.org/ns/anno.jsonld"
PREFIX: Final = "fundstelle"
NAMESPACE: Final = "urn:uuid:719fd8e8-25f9-45f4-82e4-ccba370fddec#"
"""Of our own terms: the same in every installation, whatever its address. Nothing is served there."""
CONTEXT: Final[Sequence[object]] = (MODEL, {PREFIX: NAMESPACE})
MOTIVATION: Final = "bookmarking"
"""The model's word for keeping a place without saying anything about it."""

_QUOTE: Final = "TextQuoteSelector"
_POSITION: Final = "TextPositionSelector"
_STATE: Final = f"{PREFIX}:TextState"
_PARSER: Final = "parser"
_OF_PARSER: Final = ("name", "version", "configuration")
_OF_STATE: Final = ("document", "revision", "representation", "source_sha256", "profile", "text_sha256", "unit")
_OF_QUOTE: Final = ("exact", "prefix", "suffix")
_OF_POSITION: Final = ("start", "end")


def export(anchor: Anchor, *, id: str, source: str, created: datetime, creator: str) -> dict[str, Any]:
    """The annotation of this anchor. `parse` gives an equal anchor.

    id, source: addresses of the citation and of its document; the latter holds the document's id. creator: a name, or "".
    """
    stated = anchor.to_dict()
    return {
        "@context": list(CONTEXT),
        "id": id,
        "type": "Annotation",
        "motivation": MOTIVATION,
        "created": created.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        **({"creator": {"type": "Person", "name": creator}} if creator else {}),
        "target": {
            "type": "SpecificResource",
            "source": source,
            "state": _state(stated),
            "selector": [
                {"type": _QUOTE, **{name: stated[name] for name in _OF_QUOTE}},
                {"type": _POSITION, **{name: stated[name] for name in _OF_POSITION}},
            ],
        },
    }


def parse(value: object) -> Anchor:
    """The anchor in this annotation. Raises Refused (`invalid_annotation`) naming what is missing, doubled or of a wrong type."""
    try:
        return Anchor.from_dict(_stated(value))
    except Refused as refusal:
        raise _refusal(str(refusal.values["field"])) from None


def is_annotation(value: object) -> bool:
    """Whether this JSON says of itself that it is one."""
    return isinstance(value, Mapping) and "Annotation" in _several(value.get("type"))


def unwrapped(value: object) -> object:
    """What is to be checked: the anchor's JSON of an annotation; of a broken one only the document it names; else the value."""
    if not is_annotation(value):
        return value
    try:
        return parse(value).to_dict()
    except Refused:
        return {"document": _document(value)}


def _state(stated: Mapping[str, object]) -> dict[str, object]:
    parser = stated[_PARSER]
    assert isinstance(parser, Mapping)
    named = {_own(name): stated[name] for name in _OF_STATE}
    return {"type": _STATE, **named, _own(_PARSER): {_own(name): parser[name] for name in _OF_PARSER}}


def _stated(value: object) -> dict[str, object]:
    """The fields of the anchor, of whatever type they are. Raises Refused for the frame around them."""
    if not is_annotation(value):
        raise _refusal("type")
    assert isinstance(value, Mapping)
    _require(_binds(value.get("@context")), "@context")
    _require(isinstance(value.get("id"), str) and value["id"], "id")
    target = _one(value.get("target"), "target")
    state = _of_type(target.get("state"), _STATE, "state")
    quote = _of_type(target.get("selector"), _QUOTE, _QUOTE)
    position = _of_type(target.get("selector"), _POSITION, _POSITION)
    parser = _one(state.get(_own(_PARSER)), _PARSER)
    document, source = state.get(_own("document")), target.get("source")
    _require(isinstance(source, str) and isinstance(document, str) and document in source, "source")
    return {
        **{name: state.get(_own(name)) for name in _OF_STATE},
        _PARSER: {name: parser.get(_own(name)) for name in _OF_PARSER},
        **{name: quote.get(name) for name in _OF_QUOTE},
        **{name: position.get(name) for name in _OF_POSITION},
    }


def _document(value: object) -> object:
    """The document that an annotation names, however broken the rest is."""
    try:
        assert isinstance(value, Mapping)
        return _of_type(_one(value.get("target"), "target").get("state"), _STATE, "state").get(_own("document"))
    except Refused:
        return None


def _binds(context: object) -> bool:
    """Whether the model's terms and ours mean what we mean by them."""
    values = _several(context)
    return MODEL in values and any(isinstance(one, Mapping) and one.get(PREFIX) == NAMESPACE for one in values)


def _own(name: str) -> str:
    return f"{PREFIX}:{name}"


def _several(value: object) -> Sequence[object]:
    """JSON-LD writes one value as it is or as a list of one."""
    return value if isinstance(value, list) else [value]


def _one(value: object, name: str) -> Mapping[str, object]:
    found = [one for one in _several(value) if isinstance(one, Mapping)]
    _require(len(found) == len(_several(value)) == 1, name)
    return found[0]


def _of_type(value: object, kind: str, name: str) -> Mapping[str, object]:
    """The only object of this class among the values."""
    return _one([one for one in _several(value) if isinstance(one, Mapping) and _several(one.get("type")) == [kind]], name)


def _require(holds: object, name: str) -> None:
    if not holds:
        raise _refusal(name)


def _refusal(name: str) -> Refused:
    message = gettext_noop("The annotation has no valid “%(field)s”, or more than one.")
    return Refused("invalid_annotation", message, field=name)
