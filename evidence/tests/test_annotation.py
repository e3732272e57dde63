"""Web Annotations: an anchor comes back as it went; what goes out keeps the model's rules, which stand here by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import annotation
from evidence.anchoring import UNIT, Anchor, Parser, TextState
from evidence.errors import Refused

MODEL = "http://www.w3.org/ns/anno.jsonld"
MOTIVATIONS = "assessing bookmarking classifying commenting describing editing highlighting identifying linking moderating"
MOTIVATIONS += " questioning replying tagging"
WHEN = datetime(2026, 1, 5, 13, 30, tzinfo=timezone(timedelta(hours=1)))
STATE = TextState("d-1", "2026", "r-1", "5" * 64, Parser("text", "1", "plain"), "utf8-nfc", "7" * 64)
ANCHOR = Anchor(STATE, 9, 16, "Prüfung", prefix="🔧\n", suffix="")


def exported(anchor: Anchor = ANCHOR, creator: str = "Eva") -> dict[str, Any]:
    source = f"https://example.org/documents/{anchor.state.document}/"
    return annotation.export(anchor, id="https://example.org/citations/1/", source=source, created=WHEN, creator=creator)


def several(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def is_iri(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+", value) is not None


def targets(value: Mapping[str, Any]) -> list[Any]:
    return [one for one in several(value.get("target")) if isinstance(one, dict)]


def selectors(value: Mapping[str, Any], kind: str) -> list[Any]:
    return [one for target in targets(value) for one in several(target.get("selector")) if one.get("type") == kind]


def is_position(value: object) -> bool:
    return type(value) is int and value >= 0


# The model's MUSTs for the parts that are used, with the section that each stands in.
RULES: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "3.1 the context holds the model's": lambda one: MODEL in several(one.get("@context")),
    "3.1 a single context is a string": lambda one: not (isinstance(one.get("@context"), list) and len(one["@context"]) == 1),
    "3.1 exactly one IRI identifies it": lambda one: is_iri(one.get("id")),
    "3.1 Annotation is among its types": lambda one: "Annotation" in several(one.get("type")),
    "3.1 there is a target": lambda one: len(several(one.get("target"))) >= 1,
    "3.3.1 a time is xsd:dateTime in UTC, written Z": lambda one: (
        "created" not in one or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", one["created"]) is not None
    ),
    "3.3.5 a motivation is one of the model's": lambda one: set(several(one.get("motivation"))) <= set(MOTIVATIONS.split()),
    "4 a specific resource has exactly one source, an IRI": lambda one: all(
        is_iri(target.get("source")) for target in targets(one)
    ),
    "4.2.4 a quote has exactly one exact": lambda one: all(
        isinstance(quote.get("exact"), str) for quote in selectors(one, "TextQuoteSelector")
    ),
    "4.2.4 a quote has at most one prefix and suffix": lambda one: all(
        isinstance(quote.get(side, ""), str) for quote in selectors(one, "TextQuoteSelector") for side in ("prefix", "suffix")
    ),
    "4.2.5 a position has a start, not negative": lambda one: all(
        is_position(place.get("start")) for place in selectors(one, "TextPositionSelector")
    ),
    "4.2.5 a position has an end, not negative": lambda one: all(
        is_position(place.get("end")) for place in selectors(one, "TextPositionSelector")
    ),
}

WORDS = st.text(max_size=30)
IDS = st.text("abcdef0123456789-", min_size=1, max_size=36)
ANCHORS = st.builds(
    Anchor,
    state=st.builds(
        TextState,
        document=IDS,
        revision=WORDS,
        representation=WORDS,
        source_sha256=WORDS,
        parser=st.builds(Parser, WORDS, WORDS, WORDS),
        profile=WORDS,
        text_sha256=WORDS,
    ),
    start=st.integers(0, 10**9),
    end=st.integers(0, 10**9),
    exact=WORDS,
    prefix=WORDS,
    suffix=WORDS,
    unit=st.just(UNIT) | WORDS,
)


@given(ANCHORS)
def test_an_anchor_comes_back_as_it_went(anchor: Anchor) -> None:
    assert annotation.parse(json.loads(json.dumps(exported(anchor)))) == anchor


@given(ANCHORS, st.sampled_from(["Eva", ""]))
def test_what_goes_out_keeps_every_rule_of_the_model(anchor: Anchor, creator: str) -> None:
    value = json.loads(json.dumps(exported(anchor, creator)))
    assert [name for name, holds in RULES.items() if not holds(value)] == []
    assert len(selectors(value, "TextQuoteSelector")) == len(selectors(value, "TextPositionSelector")) == 1


BREACHES: dict[str, dict[str, Any]] = {
    "3.1 the context holds the model's": {"@context": "https://example.org/"},
    "3.1 a single context is a string": {"@context": [MODEL]},
    "3.1 exactly one IRI identifies it": {"id": ["https://a.example/", "https://b.example/"]},
    "3.1 Annotation is among its types": {"type": "Note"},
    "3.1 there is a target": {"target": []},
    "3.3.1 a time is xsd:dateTime in UTC, written Z": {"created": "2026-01-05T13:30:00+01:00"},
    "3.3.5 a motivation is one of the model's": {"motivation": "proving"},
    "4 a specific resource has exactly one source, an IRI": {"target": {"source": "no address"}},
    "4.2.4 a quote has exactly one exact": {"target": {"source": "a:b", "selector": {"type": "TextQuoteSelector"}}},
    "4.2.4 a quote has at most one prefix and suffix": {
        "target": {"source": "a:b", "selector": {"type": "TextQuoteSelector", "exact": "a", "prefix": ["b", "c"]}}
    },
    "4.2.5 a position has a start, not negative": {
        "target": {"source": "a:b", "selector": {"type": "TextPositionSelector", "start": -1, "end": 1}}
    },
    "4.2.5 a position has an end, not negative": {
        "target": {"source": "a:b", "selector": {"type": "TextPositionSelector", "start": 1}}
    },
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_catches_its_breach_alone(rule: str) -> None:
    broken = {**exported(), **BREACHES[rule]}
    assert [name for name, holds in RULES.items() if not holds(broken)] == [rule]


def test_positions_and_words_are_code_points_of_the_normalised_text() -> None:
    text = "🔧🔧 Prüfung"
    value = exported(Anchor(STATE, 3, 10, text[3:10], prefix=text[:3]))
    (place,) = selectors(value, "TextPositionSelector")
    assert text[place["start"] : place["end"]] == selectors(value, "TextQuoteSelector")[0]["exact"] == "Prüfung"


def test_the_time_is_that_of_utc_and_nobody_is_left_out() -> None:
    value = exported(creator="")
    assert value["created"] == WHEN.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert "creator" not in value and exported()["creator"] == {"type": "Person", "name": "Eva"}


def changed(path: str, new: object) -> dict[str, Any]:
    """The annotation with another value at `a/b/c`; without it for `...`."""
    value: Any = json.loads(json.dumps(exported()))
    *way, last = path.split("/")
    inner = value
    for step in way:
        inner = inner[int(step) if isinstance(inner, list) else step]
    if new is ...:
        del inner[last]
    else:
        inner[last] = new
    return dict(value)


STATE_PATH = "target/state/fundstelle:"
EVERY_FIELD = ["@context", "id", "type", "target", "target/source", "target/state", "target/selector"]
EVERY_FIELD += [STATE_PATH + name for name in ("document", "revision", "representation", "source_sha256", "profile", "unit")]
EVERY_FIELD += [STATE_PATH + name for name in ("text_sha256", "parser", "parser/fundstelle:name", "parser/fundstelle:version")]
EVERY_FIELD += ["target/selector/0/exact", "target/selector/0/prefix", "target/selector/0/suffix", "target/selector/0/type"]
EVERY_FIELD += ["target/selector/1/start", "target/selector/1/end", STATE_PATH + "parser/fundstelle:configuration"]


@pytest.mark.parametrize("new", [..., None, True, [], {}, 2.5, ["a", "b"]], ids=repr)
@pytest.mark.parametrize("path", EVERY_FIELD)
def test_what_is_missing_or_of_another_type_is_refused(path: str, new: object) -> None:
    with pytest.raises(Refused) as refusal:
        annotation.parse(changed(path, new))
    assert refusal.value.code == "invalid_annotation"


@pytest.mark.parametrize("value", [None, "x", 3, [], {}, ANCHOR.to_dict(), {"type": "Annotation"}])
def test_what_is_no_annotation_is_refused(value: object) -> None:
    with pytest.raises(Refused, match="The annotation has no valid"):
        annotation.parse(value)


def test_a_source_that_names_another_document_than_the_state_is_refused() -> None:
    with pytest.raises(Refused, match="source"):
        annotation.parse(changed("target/source", "https://example.org/documents/d-2/"))


def test_our_prefix_bound_to_another_namespace_is_refused() -> None:
    with pytest.raises(Refused, match="@context"):
        annotation.parse(changed("@context", [MODEL, {"fundstelle": "https://example.org/#"}]))


def test_two_quotes_are_refused_and_further_selectors_are_not_asked() -> None:
    quote, place = exported()["target"]["selector"]
    with pytest.raises(Refused, match="TextQuoteSelector"):
        annotation.parse(changed("target/selector", [quote, quote, place]))
    other = {"type": "FragmentSelector", "value": "p-3"}
    assert annotation.parse(changed("target/selector", [place, other, quote])) == ANCHOR


def test_a_value_and_a_list_of_it_are_alike() -> None:
    value = exported()
    target = {**value["target"], "state": [value["target"]["state"]]}
    assert annotation.parse({**value, "type": ["Annotation"], "target": [target], "body": "https://example.org/"}) == ANCHOR


def test_what_is_to_be_checked_is_the_anchor_or_the_document_that_is_named() -> None:
    assert annotation.unwrapped(exported()) == ANCHOR.to_dict()
    assert annotation.unwrapped(changed("target/selector", [])) == {"document": "d-1"}
    assert annotation.unwrapped({"type": "Annotation"}) == {"document": None}
    others: list[object] = [None, [], "x", {"document": "d-1"}, ANCHOR.to_dict()]
    for other in others:
        assert annotation.unwrapped(other) == other
