"""What an entry says: read from JSON, written to it, compared by keys, and refused by the name of its field."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest

from evidence.errors import Refused
from evidence.knowledge import contents
from evidence.knowledge.contents import Claim, Concept, Decision, DecisionStatus, Translation

ONE, OTHER = uuid4(), uuid4()
CONCEPT = {"slug": "frist", "title": "Frist"}
CLAIM = {"concept": "frist", "text": "Zwei Wochen.", "citations": [str(ONE)]}
DECISION = {"slug": "wochen", "title": "In Wochen", "decision": "Wir zählen in Wochen."}
TRANSLATION = {"language": "en", "text": "Two weeks.", "citations": [str(ONE)]}
BASES: dict[str, dict[str, Any]] = {"concept": CONCEPT, "claim": CLAIM, "decision": DECISION, "translation": TRANSLATION}


def refused(kind: str, **changed: object) -> tuple[str, object]:
    """Code and field of the refusal."""
    with pytest.raises(Refused) as caught:
        contents.parse(kind, BASES[kind] | changed)
    return caught.value.code, caught.value.values.get("field")


@pytest.mark.parametrize(
    "content",
    [
        Concept("frist", "Frist", "Eins.\n\nZwei.", ("Dauer", "Zeit"), (ONE,)),
        Claim("frist", "Zwei Wochen.", (ONE, OTHER), "Frist", "Dauer", "2 Wochen", date(2020, 1, 1), date(2021, 1, 1)),
        Decision("a", "A", "weil", "ja", "darum", DecisionStatus.ACCEPTED, date(2020, 1, 1), None, date(2021, 1, 1), "b", (ONE,)),
        Translation("de-CH", "Zwei Wochen.", (ONE,), "Anna"),
    ],
)
def test_what_is_written_is_read_as_the_same(content: contents.Content) -> None:
    assert contents.parse(contents.kind_of(content), contents.to_json(content)) == content


@pytest.mark.parametrize(
    ("kind", "field", "longest"),
    [
        ("concept", "slug", contents.MAX_SLUG),
        ("concept", "title", contents.MAX_TITLE),
        ("concept", "text", contents.MAX_TEXT),
        ("claim", "text", contents.MAX_CLAIM),
        ("claim", "subject", contents.MAX_MATTER),
        ("claim", "property", contents.MAX_MATTER),
        ("claim", "value", contents.MAX_VALUE),
        ("decision", "context", contents.MAX_TEXT),
        ("decision", "decision", contents.MAX_TEXT),
        ("decision", "rationale", contents.MAX_TEXT),
        ("translation", "text", contents.MAX_TEXT),
        ("translation", "translator", contents.MAX_TRANSLATOR),
    ],
)
def test_texts_have_limits(kind: str, field: str, longest: int) -> None:
    matter = {"subject": "s", "property": "p", "value": "v"} if kind == "claim" else {}
    assert getattr(contents.parse(kind, BASES[kind] | matter | {field: "x" * longest}), field) == "x" * longest
    assert refused(kind, **matter | {field: "x" * (longest + 1)}) == ("field_long", field)


def test_a_key_has_the_same_limit_as_its_text() -> None:
    """The key is what the table holds, and ß makes two letters of one."""
    assert refused("claim", subject="ß" * 101, property="p", value="v") == ("field_long", "subject")


@pytest.mark.parametrize(
    ("kind", "changed", "code", "field"),
    [
        ("concept", {"title": " "}, "field_missing", "title"),
        ("concept", {"slug": ""}, "field_missing", "slug"),
        ("concept", {"slug": "Frist"}, "slug_malformed", "slug"),
        ("concept", {"slug": "a--b"}, "slug_malformed", "slug"),
        ("concept", {"title": "a\nb"}, "field_control_character", "title"),
        ("concept", {"text": "a\0b"}, "field_control_character", "text"),
        ("concept", {"text": "a\ud800"}, "field_control_character", "text"),
        ("concept", {"title": 3}, "not_a_text", "title"),
        ("concept", {"terms": "eins"}, "not_a_list", "terms"),
        ("concept", {"terms": [str(one) for one in range(31)]}, "field_many", "terms"),
        ("concept", {"terms": ["x" * 101]}, "field_long", "terms"),
        ("concept", {"citations": [str(uuid4()) for _ in range(21)]}, "field_many", "citations"),
        ("concept", {"citations": ["x"]}, "citation_malformed", "citations"),
        ("concept", {"citations": [None]}, "citation_malformed", "citations"),
        ("concept", {"colour": "red"}, "unknown_field", "colour"),
        ("claim", {"citations": []}, "citations_missing", "citations"),
        ("claim", {"text": ""}, "field_missing", "text"),
        ("claim", {"subject": "s"}, "matter_incomplete", "subject"),
        ("claim", {"valid_from": "gestern"}, "date_malformed", "valid_from"),
        ("claim", {"valid_from": "2021-01-01", "valid_until": "2020-12-31"}, "validity_inverted", "valid_until"),
        ("decision", {"decision": ""}, "field_missing", "decision"),
        ("decision", {"status": "vielleicht"}, "status_unknown", "status"),
        ("decision", {"supersedes": "wochen"}, "supersedes_itself", "supersedes"),
        ("translation", {"language": "Deutsch!"}, "language_malformed", "language"),
        ("translation", {"citations": [str(ONE), str(OTHER)]}, "field_many", "citations"),
    ],
)
def test_what_is_none_is_refused_by_its_field(kind: str, changed: dict[str, object], code: str, field: str) -> None:
    assert refused(kind, **changed) == (code, field)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(Refused, match="An entry is a concept"):
        contents.parse("poem", {})


def test_texts_are_normalised_and_lists_hold_each_once() -> None:
    read = contents.parse(
        "concept", CONCEPT | {"title": " U\u0308ber ", "terms": ["Eins", " eins ", "", "Zwei"], "text": "a\r\nb"}
    )
    assert isinstance(read, Concept)
    assert (read.title, read.terms, read.text) == ("Über", ("eins", "Zwei"), "a\nb")
    twice = contents.parse("claim", CLAIM | {"citations": [str(ONE), str(ONE).upper()]})
    assert twice.citations == (ONE,)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Frist", " FRIST ", True),
        ("zwei  Wochen", "Zwei\u00a0Wochen", True),
        ("Ü", "U\u0308", True),
        ("Straße", "STRASSE", True),
        ("2 Wochen", "zwei Wochen", False),
        ("Frist", "Fristen", False),
        ("resume", "résumé", False),
    ],
)
def test_keys_are_equal_or_not_and_nothing_between(one: str, other: str, same: bool) -> None:
    assert (contents.key(one) == contents.key(other)) is same


@pytest.mark.parametrize(
    ("title", "slug"),
    [("Frist für Übergaben", "frist-fuer-uebergaben"), ("Straße – Maß!", "strasse-mass"), ("Łódź", "lodz"), ("時間", "")],
)
def test_a_short_name_is_made_of_a_title(title: str, slug: str) -> None:
    assert contents.slug_of(title) == slug


def test_ids_of_citations_come_as_text_or_as_ids() -> None:
    assert contents.parse("claim", CLAIM | {"citations": [ONE]}).citations == (UUID(str(ONE)),)
