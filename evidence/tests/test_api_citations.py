"""POST citations, GET citations/{id}, POST resolve: made, opened, checked; never `resolved` once anything was changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import annotation
from evidence.models import Citation, Document, Membership
from evidence.presentation import text_of
from evidence.profile import normalise
from evidence.tests.builders import access, document, person, publish
from evidence.tests.calls import Program, program, secret

pytestmark = pytest.mark.django_db

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "anchors.json"
TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt 🔧 mit dem Zugang.\n\nMehr steht hier nicht."


@pytest.fixture
def row(tmp_path: Path) -> Document:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": "\n\n".join(["weggefallen"] * 40)})
    return document("a")


@pytest.fixture
def calls(row: Document) -> Program:
    return program(person("eva", ["alle"]))


def state_of(row: Document) -> str:
    assert row.current is not None
    return str(row.current.public_id)


def place(row: Document, quote: str) -> dict[str, object]:
    start = TEXT.index(quote)
    return {"document": str(row.public_id), "representation": state_of(row), "start": start, "end": start + len(quote)}


def anchor_of(calls: Program, row: Document, quote: str = "acht Tage") -> dict[str, Any]:
    anchor = calls.post("citations", place(row, quote)).body["anchor"]
    assert isinstance(anchor, dict)
    return anchor


def test_a_range_becomes_a_citation(calls: Program, row: Document) -> None:
    answer = calls.post("citations", place(row, "🔧 mit"))
    assert answer.status == 201
    assert set(answer.body) == {"id", "anchor", "url"}
    assert answer.body["anchor"] == Citation.objects.get(public_id=answer.body["id"]).anchor.to_dict()
    assert answer.body["url"].endswith(f"/citations/{answer.body['id']}/")


def test_words_become_a_citation(calls: Program, row: Document) -> None:
    answer = calls.post("citations", {"document": str(row.public_id), "exact": "Frist", "prefix": "Die ", "suffix": " "})
    assert (answer.status, answer.body["anchor"]["start"]) == (201, 4)


def test_a_citation_opens_with_what_it_is_worth(calls: Program, row: Document) -> None:
    made = calls.post("citations", place(row, "acht Tage")).body
    body = calls.get(f"citations/{made['id']}").body
    assert (body["id"], body["anchor"]) == (made["id"], made["anchor"])
    assert body["resolution"] == {
        "state": "resolved",
        "document": str(row.public_id),
        "revision": "1",
        "representation": state_of(row),
        "unit": "unicode-codepoint",
        "start": 18,
        "end": 27,
        "quote": "acht Tage",
        "historical": None,
        "disputed": [],
        "url": f"http://testserver/documents/{row.public_id}/?representation={state_of(row)}",
    }


def annotation_of(calls: Program, row: Document) -> dict[str, Any]:
    made = calls.post("citations", place(row, "acht Tage")).body
    answer = calls.get(f"citations/{made['id']}", accept="application/ld+json")
    assert annotation.parse(answer.body).to_dict() == made["anchor"]
    return dict(answer.body)


def test_a_citation_opens_as_an_annotation_for_who_prefers_it(calls: Program, row: Document) -> None:
    value = annotation_of(calls, row)
    citation = Citation.objects.get()
    assert value["id"] == f"http://testserver/citations/{citation.public_id}/"
    assert value["target"]["source"] == f"http://testserver/documents/{row.public_id}/"
    assert value["creator"] == {"type": "Person", "name": "eva"}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/ld+json", annotation.MEDIA_TYPE),
        ("application/ld+json, application/json;q=0.5", annotation.MEDIA_TYPE),
        (annotation.MEDIA_TYPE, annotation.MEDIA_TYPE),
        ("*/*", "application/json; charset=utf-8"),
        ("application/json, application/ld+json", "application/json; charset=utf-8"),
        ("text/html", "application/json; charset=utf-8"),
    ],
)
def test_what_is_accepted_chooses_the_form(calls: Program, row: Document, accept: str, kind: str) -> None:
    made = calls.post("citations", place(row, "acht Tage")).body
    answer = calls.get(f"citations/{made['id']}", accept=accept)
    assert (answer.response["Content-Type"], "Accept" in answer.response["Vary"].split(", ")) == (kind, True)


def test_an_unavailable_citation_is_no_annotation(calls: Program, row: Document) -> None:
    answer = calls.get("citations/00000000-0000-0000-0000-000000000000", accept="application/ld+json")
    assert (answer.status, answer.body) == (404, {"state": "unavailable"})


def test_an_annotation_is_checked_alone_and_in_a_batch(calls: Program, row: Document) -> None:
    value = annotation_of(calls, row)
    anchor = annotation.parse(value).to_dict()
    assert calls.post("resolve", value).body == calls.post("resolve", anchor).body
    broken = {**value, "target": {**value["target"], "selector": []}}
    found = calls.post("resolve", {"anchors": [value, anchor, broken, {"type": "Annotation"}]}).body["resolutions"]
    assert [one["state"] for one in found] == ["resolved", "resolved", "invalid_anchor", "unavailable"]


def test_words_that_stand_more_than_once_conflict(calls: Program, row: Document) -> None:
    answer = calls.post("citations", {"document": str(document("b").public_id), "exact": "weggefallen"})
    assert (answer.status, answer.code) == (409, "anchor_ambiguous")


def test_a_place_that_cannot_be_told_apart_conflicts(calls: Program, row: Document) -> None:
    other = document("b")
    sent = {"document": str(other.public_id), "representation": state_of(other), "start": 260, "end": 271}
    answer = calls.post("citations", sent)
    assert (answer.status, answer.code) == (409, "anchor_ambiguous")


@pytest.mark.parametrize("representation", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_range_of_another_state_conflicts(calls: Program, row: Document, representation: str) -> None:
    answer = calls.post("citations", {**place(row, "acht"), "representation": representation})
    assert (answer.status, answer.code) == (409, "not_current")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"start": 5, "end": 5}, "anchor_range"),
        ({"start": -1}, "anchor_range"),
        ({"end": 10**30}, "quote_too_long"),
        ({"start": True}, "invalid_request"),
        ({"start": "18"}, "invalid_request"),
        ({"start": 18.0}, "invalid_request"),
        ({"start": None}, "invalid_request"),
        ({"document": 3}, "invalid_request"),
        ({"more": 1}, "invalid_request"),
    ],
)
def test_a_range_that_is_none_is_refused(calls: Program, row: Document, change: dict[str, object], code: str) -> None:
    answer = calls.post("citations", {**place(row, "acht Tage"), **change})
    assert (answer.status, answer.code, Citation.objects.count()) == (400, code, 0)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"exact": "acht Wochen"}, "quote_not_found"),
        ({"exact": ""}, "invalid_request"),
        ({"exact": "\ud83d"}, "invalid_request"),
        ({"exact": "acht", "prefix": None}, "invalid_request"),
        ({"exact": "x" * 10_001}, "quote_too_long"),
        ({"exact": "\0"}, "quote_not_found"),
    ],
)
def test_words_that_are_none_are_refused(calls: Program, row: Document, words: dict[str, object], code: str) -> None:
    answer = calls.post("citations", {"document": str(row.public_id), **words})
    assert (answer.status, answer.code) == (400, code)


def test_three_people_cite_open_and_check(row: Document, calls: Program) -> None:
    made = calls.post("citations", place(row, "acht Tage")).body
    other, outsider = program(person("max", ["alle"])), program(person("ida", ["netz"]))
    assert [one.get(f"citations/{made['id']}").status for one in (calls, other, outsider)] == [200, 200, 404]
    assert [one.post("citations", place(row, "acht")).status for one in (other, outsider)] == [201, 404]
    states = [one.post("resolve", made["anchor"]).body["state"] for one in (calls, other, outsider)]
    assert states == ["resolved", "resolved", "unavailable"]


def test_a_changed_source_says_so_with_the_state_that_still_proves_it(calls: Program, row: Document, tmp_path: Path) -> None:
    anchor = anchor_of(calls, row)
    publish(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXT})
    found = calls.post("resolve", anchor).body
    assert (found["state"], found["start"], found["end"], found["quote"]) == ("source_changed", None, None, None)
    kept = {"revision": "1", "representation": state_of(row), "start": 18, "end": 27, "quote": "acht Tage"}
    assert found["historical"] == kept
    assert found["representation"] == state_of(document("a"))


def test_a_withdrawn_right_leaves_the_state_alone(calls: Program, row: Document) -> None:
    anchor = anchor_of(calls, row)
    Membership.objects.get(user__username="eva").groups.clear()
    assert calls.post("resolve", anchor).body == {"state": "unavailable"}


def test_a_batch_answers_each_in_order(calls: Program, row: Document) -> None:
    anchor = anchor_of(calls, row)
    sent: list[object] = [
        anchor,
        None,
        {**anchor, "start": True},
        {**anchor, "exact": "neun Tage"},
        "x",
        [],
        {"document": "nonsense"},
    ]
    found = calls.post("resolve", {"anchors": sent}).body["resolutions"]
    states = ["resolved", "unavailable", "invalid_anchor", "quote_not_found", "unavailable", "unavailable", "unavailable"]
    assert [one["state"] for one in found] == states
    assert found[1] == {"state": "unavailable"}


@pytest.mark.parametrize("sent", [{}, {"x": 1}, {"document": 1}, {"document": "nonsense", "start": 1}])
def test_an_anchor_that_names_no_document_is_unavailable_however_it_is_formed(calls: Program, sent: object) -> None:
    assert calls.post("resolve", sent).body == {"state": "unavailable"}


def test_an_anchor_of_a_readable_document_that_is_not_well_formed_is_invalid(calls: Program, row: Document) -> None:
    assert calls.post("resolve", {"document": str(row.public_id)}).body["state"] == "invalid_anchor"


@pytest.mark.parametrize("path", ["resolve", "citations", "answers"])
@pytest.mark.parametrize("sent", [[1], "x", 3, None])
def test_a_body_of_another_kind_is_refused_without_a_name_that_nobody_sent(calls: Program, path: str, sent: object) -> None:
    answer = calls.post(path, sent, accept_language="en")
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.body["message"].startswith("What was sent is not of the right kind")


@pytest.mark.parametrize(
    ("path", "sent", "field"),
    [
        ("resolve", {"anchors": 3}, "anchors"),
        ("citations", {}, "document"),
        ("citations", {"document": "x", "exact": 3}, "exact"),
        ("citations", {"document": "x", "words": 3}, "representation"),
    ],
)
def test_a_field_that_is_wrong_is_named(calls: Program, path: str, sent: object, field: str) -> None:
    answer = calls.post(path, sent, accept_language="en")
    assert answer.body["message"] == f"“{field}” is missing, unknown or not of the right kind."


def test_an_empty_batch_is_one(calls: Program) -> None:
    assert calls.post("resolve", {"anchors": []}).body == {"resolutions": []}


def test_too_many_anchors_are_refused(calls: Program) -> None:
    answer = calls.post("resolve", {"anchors": [None] * 501})
    assert (answer.status, answer.code) == (400, "too_many_anchors")


def test_a_batch_costs_as_many_queries_as_one(calls: Program, row: Document) -> None:
    anchor = anchor_of(calls, row)
    one, many = calls.post("resolve", anchor), calls.post("resolve", {"anchors": [anchor] * 200})
    told = "five for token and rights, two for documents and text, two for what contradicts"
    assert (one.queries, many.queries) == (9, 9), told


def _cases() -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="shared cases are not here"))]
    return [pytest.param(case, id=case["id"]) for case in json.loads(CASES.read_text())["cases"]]


def _text(case: dict[str, Any]) -> str:
    made = case.get("text_gen")
    if made is None:
        return str(case["text"])
    parts = made.get("concat", [made])
    return "".join(part if isinstance(part, str) else part["repeat"] * part["times"] for part in parts)


DIFFERENT: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "source": lambda anchor: {"source_sha256": "0" * 64},
    "parser": lambda anchor: {"parser": {**anchor["parser"], "version": "0"}},
    "profile": lambda anchor: {"profile": "another"},
    "text": lambda anchor: {"text_sha256": "0" * 64},
}


@pytest.mark.parametrize("case", _cases())
def test_a_shared_case_has_its_state(case: dict[str, Any], tmp_path: Path) -> None:
    text = _text(case)
    if normalise(text) != text:
        pytest.skip("this text can't be imported: the profile makes another of it")
    publish(tmp_path, {"a.txt": text})
    row = document("a")
    assert row.current is not None and text_of(row.current_id or 0) == text
    calls = program(person("eva", ["alle"] if case["available"] else ["netz"]))
    sent: dict[str, Any] = {
        **_state(row),
        **{name: case["anchor"][name] for name in ("start", "end", "exact", "prefix", "suffix")},
    }
    for name, versus in case["versus_current"].items():
        sent |= DIFFERENT[name](sent) if versus == "different" else {}
    found = calls.post("resolve", sent).body
    assert found["state"] == case["expect"]["state"]
    if found["state"] == "resolved":
        assert [found["start"], found["end"]] == case["expect"]["cp"]
        assert text[found["start"] : found["end"]] == found["quote"] == case["anchor"]["exact"]


def _state(row: Document) -> dict[str, Any]:
    """The part of an anchor that names the current text."""
    current = row.current
    assert current is not None
    parser = {
        "name": current.parser_name,
        "version": current.parser_version,
        "configuration": current.parser_configuration,
    }
    return {
        "document": str(row.public_id),
        "revision": current.revision.label,
        "representation": str(current.public_id),
        "source_sha256": current.revision.source_sha256,
        "parser": parser,
        "profile": current.profile,
        "text_sha256": current.text_sha256,
        "unit": "unicode-codepoint",
    }


TEXTS = ["exact", "prefix", "suffix", "source_sha256", "text_sha256", "profile", "unit", "revision", "name", "version"]
TEXTS += ["configuration"]


def test_one_changed_code_point_is_never_resolved(calls: Program, row: Document) -> None:
    anchor = anchor_of(calls, row, "beginnt 🔧 mit")
    flat = {**anchor, **anchor["parser"]}

    @settings(max_examples=300, deadline=None)
    @given(st.sampled_from([name for name in TEXTS if flat[name]]), st.data())
    def check(name: str, data: st.DataObject) -> None:
        value = flat[name]
        place = data.draw(st.integers(0, len(value) - 1))
        other = data.draw(st.characters().filter(lambda character: character != value[place]))
        changed = value[:place] + other + value[place + 1 :]
        sent = {**anchor, "parser": {**anchor["parser"]}}
        (sent["parser"] if name in sent["parser"] else sent)[name] = changed
        assert calls.post("resolve", sent).body["state"] not in {"resolved", "unavailable"}

    check()


def test_another_position_is_never_resolved(calls: Program, row: Document) -> None:
    anchor = anchor_of(calls, row, "beginnt 🔧 mit")

    @settings(max_examples=150, deadline=None)
    @given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
    def check(start: int, end: int) -> None:
        found = calls.post("resolve", {**anchor, "start": start, "end": end}).body["state"]
        assert (found == "resolved") == ((start, end) == (anchor["start"], anchor["end"]))

    check()


def test_a_token_that_only_reads_makes_no_citation(row: Document) -> None:
    user = person("max", ["alle"])
    assert access(user).classes
    assert Program(secret(user, "read")).post("citations", place(row, "acht")).status == 403
    assert not Citation.objects.exists()
