"""GET search: the shape of hits, filters, limits, and that nothing of what may not be read is in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from evidence import projection
from evidence.models import Source
from evidence.tests.builders import document, group, person, publish, rules, run, tenant, write
from evidence.tests.calls import Answer, Program, program, secret
from evidence.tests.papers import paper, trait

pytestmark = pytest.mark.django_db

RULES = rules(
    ("open/**", 'allowed = ["group:alle"]\nkind = "Anweisung"\nlanguage = "de"'), ("closed/**", 'allowed = ["group:netz"]')
)
FILES = {
    "open/a.md": "# Fristen\n\n## Beginn\n\nDie Frist 🔧 beginnt mit dem Zugang.\n",
    "open/b.md": "| Art | Tage |\n|---|---|\n| Frist | 8 |\n",
    "open/c.txt": "\n\n".join(["Frist weggefallen"] * 40),
    "closed/d.txt": "Die Frist im Geheimen.",
    "fundstelle.toml": RULES,
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    run(tmp_path)
    return tmp_path


def ask(calls: Program, q: str = "Frist", **values: object) -> Answer:
    return calls.get("search", {"q": q, **values})


@pytest.mark.usefixtures("files")
def test_a_hit_has_the_shape_of_the_contract() -> None:
    body = ask(program(person("eva", ["alle"])), '"Frist 🔧 beginnt"').body
    (hit,) = body["hits"]
    row = document("open/a")
    asked = {"text": '"Frist 🔧 beginnt"', "terms": ["frist beginnt"], "mode": "exact", "interpretation": []}
    assert (body["query"], body["total"], body["withheld"], body["state"]) == (asked, 1, [], "answerable")
    assert hit["document"] == {
        "id": str(row.public_id),
        "external_id": "open/a",
        "title": "Fristen",
        "version": "1",
        "status": "valid",
        "valid_from": None,
        "valid_until": None,
        "language": "de",
        "kind": "Anweisung",
        "owner": "",
        "sensitivity": "",
        "source": "handbuch",
    }
    assert row.current is not None and hit["representation"] == str(row.current.public_id)
    assert hit["passage"]["context"] == {"headings": ["Fristen", "Beginn"], "columns": []}
    assert [hit["quote"][start:end] for start, end in hit["matches"]] == ["Frist 🔧 beginnt"]
    assert hit["score"] > 0
    assert hit["url"].endswith(f"passage={hit['passage']['number']}#p-{hit['passage']['number']}")


@pytest.mark.usefixtures("files")
def test_the_anchor_of_a_hit_resolves_to_it() -> None:
    calls = program(person("eva", ["alle"]))
    hit = ask(calls, "Zugang").body["hits"][0]
    found = calls.post("resolve", hit["anchor"]).body
    assert (found["state"], found["quote"], found["start"]) == ("resolved", hit["quote"], hit["passage"]["start"])


@pytest.mark.usefixtures("files")
def test_a_table_row_has_its_columns() -> None:
    (hit,) = ask(program(person("eva", ["alle"])), "Frist 8").body["hits"]
    assert hit["passage"]["context"]["columns"] == ["Art", "Tage"]


@pytest.mark.usefixtures("files")
def test_a_hit_that_cannot_be_told_apart_has_no_anchor() -> None:
    hits = ask(program(person("eva", ["alle"])), "weggefallen", limit=50).body["hits"]
    assert len(hits) == 40
    assert [hit["anchor"] is None for hit in hits[10:20]] == [True] * 10


@pytest.mark.usefixtures("files")
def test_three_people_find_what_they_may_read() -> None:
    groups = {"eva": ["alle", "netz"], "max": ["alle"], "ida": []}
    totals = {name: ask(program(person(name, of))).body["total"] for name, of in groups.items()}
    assert totals == {"eva": 43, "max": 42, "ida": 0}


@pytest.mark.usefixtures("files")
def test_filters_narrow_and_their_values_are_alternatives() -> None:
    calls = program(person("eva", ["alle", "netz"]))
    assert ask(calls, kind="Anweisung").body["total"] == 42
    assert ask(calls, kind=["Anweisung", ""], language="de", source="handbuch", status="valid").body["total"] == 42
    assert ask(calls, source="anderes").body["total"] == 0


@pytest.mark.usefixtures("files")
def test_pages_follow_one_another() -> None:
    calls = program(person("eva", ["alle"]))
    pages = [ask(calls, limit=15, offset=offset).body["hits"] for offset in (0, 15, 30)]
    found = [(hit["document"]["id"], hit["passage"]["number"]) for page in pages for hit in page]
    assert len(set(found)) == len(found) == 42


@pytest.mark.parametrize("value", ["true", "2.5", "0", "51", "-1", "+3", " 3", "1e1", "", "３", "9" * 30, "3\0"])
def test_a_limit_that_is_none_is_refused(value: str) -> None:
    answer = ask(program(person("eva", ["alle"])), limit=value)
    assert (answer.status, answer.code) == (400, "limit_out_of_range")


@pytest.mark.parametrize("value", ["-1", "10001", "x", ""])
def test_an_offset_that_is_none_is_refused(value: str) -> None:
    answer = ask(program(person("eva", ["alle"])), offset=value)
    assert (answer.status, answer.code) == (400, "offset_out_of_range")


@pytest.mark.parametrize(
    ("q", "code"),
    [
        ("x" * 201, "query_too_long"),
        ("a\tb", "query_control_character"),
        (" ".join(f"w{n}" for n in range(13)), "query_too_many_words"),
        ("x" * 41, "query_word_too_long"),
    ],
)
def test_a_question_outside_the_contract_is_refused_with_its_code(q: str, code: str) -> None:
    answer = ask(program(person("eva", ["alle"])), q)
    assert (answer.status, answer.code) == (400, code)


def test_an_empty_question_has_no_hits() -> None:
    calls = program(person("eva", ["alle"]))
    query = {"text": "", "terms": [], "mode": "exact", "interpretation": []}
    assert calls.get("search").body == {"query": query, "state": "nothing", "lacking": [], "total": 0, "hits": [], "withheld": []}


def test_a_withheld_source_is_named_to_those_it_is_announced_to(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Frist"})
    source = Source.objects.get()
    Source.objects.update(kind="folder", rights_confirmed_at=None, title="Handbuch", contact="hb@example.org")
    source.announced_to.add(group("alle"))
    told = {"source": "handbuch", "title": "Handbuch", "contact": "hb@example.org"}
    assert ask(program(person("eva", ["alle"]))).body["withheld"] == [told]
    assert ask(program(person("ida", ["netz"]))).body["withheld"] == []


@pytest.mark.usefixtures("files")
def test_a_search_costs_the_same_queries_for_one_hit_and_for_many() -> None:
    calls = program(person("eva", ["alle"]))
    few, many = ask(calls, "Zugang"), ask(calls, "weggefallen", limit=50)
    assert (len(few.body["hits"]), len(many.body["hits"])) == (1, 40)
    assert 0 <= few.queries - many.queries <= 1, "headings of a Markdown file cost one more"


@pytest.mark.usefixtures("files")
def test_another_tenant_finds_nothing() -> None:
    foreign = person("kim", ["alle"], of=tenant("anderswo"))
    assert ask(Program(secret(foreign))).body["hits"] == []


@pytest.mark.usefixtures("files")
def test_addresses_name_the_host_that_was_called(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["fundstelle.example"]
    hit = program(person("eva", ["alle"])).get("search", {"q": "Zugang"}, host="fundstelle.example").body["hits"][0]
    assert hit["url"].startswith("http://fundstelle.example/documents/")


def test_a_hit_says_its_page_and_whether_its_words_are_seen(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Erste Seite.\n\nDie Frist beginnt heute.", "\nEnde."], labels=["xii", ""])
    trait(row, "Frist", "unseen")
    calls = program(person("eva", ["alle"]))
    hit = ask(calls, "Frist").body["hits"][0]
    assert (hit["passage"]["page"], hit["unseen"], hit["quote"]) == ("xii", True, "Die Frist beginnt heute.")
    assert (ask(calls, "heute").body["hits"][0]["unseen"], ask(calls, "Ende").body["hits"][0]["passage"]["page"]) == (False, "2")


def test_letter_soup_is_found_by_nobody_and_beside_it_there_is_no_anchor(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Klar und wirres Zeug."], notes=["letter_soup"])
    trait(row, "wirres", "garbled")
    projection.rebuild()
    calls = program(person("eva", ["alle"]))
    assert ask(calls, "wirres").body["hits"] == []
    assert ask(calls, "Klar").body["hits"][0]["anchor"] is None


@pytest.mark.usefixtures("files")
def test_the_wider_mode_says_what_was_made_of_the_words_and_how_each_was_found() -> None:
    calls = program(person("eva", ["alle"]))
    body = ask(calls, "Frist Quastenflosser", mode="wider", limit=50).body
    first, second = body["query"]["interpretation"]
    assert (body["query"]["mode"], body["query"]["terms"]) == ("wider", [])
    assert (first["written"], first["start"], first["end"], first["ignored"]) == ("frist", 0, 5, False)
    assert first["alternatives"] == [
        {"words": ["frist"], "how": "exact", "passages": 42, "off": False, "without": None, "documents": []},
        {"words": ["fristen"], "how": "form", "passages": 1, "off": False, "without": "frist:form:fristen", "documents": []},
    ]
    assert (second["written"], [one["passages"] for one in second["alternatives"]]) == ("quastenflosser", [0])
    assert {tuple(way[2:]) for hit in body["hits"] for way in hit["ways"]} == {("exact", "frist"), ("form", "frist")}
    assert all([way[:2] for way in hit["ways"]] == hit["matches"] for hit in body["hits"])
    without = ask(calls, "Frist Quastenflosser", mode="wider", without=["frist:form:fristen"]).body
    assert (body["total"], without["total"]) == (43, 42)
    assert without["query"]["interpretation"][0]["alternatives"][1]["off"]


@pytest.mark.usefixtures("files")
def test_whether_what_was_found_is_likely_to_answer_is_a_state() -> None:
    calls = program(person("eva", ["alle"]))
    states = {q: ask(calls, q, mode="wider").body["state"] for q in ("Frist", "Frist nach § 999 BGB", "Quastenflosser")}
    assert states == {"Frist": "answerable", "Frist nach § 999 BGB": "near", "Quastenflosser": "nothing"}
    assert [ask(calls, q, mode="wider").body["lacking"] for q in ("Frist", "Frist nach § 999 BGB")] == [[], ["§ 999 BGB"]]


@pytest.mark.usefixtures("files")
def test_nothing_found_is_a_state_in_both_modes() -> None:
    calls = program(person("eva", ["alle"]))
    assert {ask(calls, "Quastenflosser", mode=mode).body["state"] for mode in ("exact", "wider")} == {"nothing"}


@pytest.mark.usefixtures("files")
def test_the_wider_mode_gives_each_person_what_that_person_may_read() -> None:
    groups = {"eva": ["alle", "netz"], "max": ["alle"], "ida": []}
    found = {name: ask(program(person(name, of)), "Frist Geheimen", mode="wider").body for name, of in groups.items()}
    assert {name: body["total"] for name, body in found.items()} == {"eva": 44, "max": 43, "ida": 0}
    assert "geheimen" not in str(found["max"]["hits"]).lower() and found["ida"]["query"]["interpretation"] == []


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"mode": "fuzzy"}, "invalid_request"),
        ({"mode": "wider", "without": "frist"}, "query_without"),
        ({"mode": "wider", "without": "frist:exact"}, "query_without"),
        ({"mode": "wider", "without": [f"w{n}:form" for n in range(101)]}, "query_without"),
        ({"mode": "wider", "q": "x" * 501}, "query_too_long"),
        ({"mode": "wider", "q": " ".join(f"w{n}" for n in range(41))}, "query_too_many_words"),
    ],
)
def test_a_wider_question_outside_the_contract_is_refused_with_its_code(values: dict[str, object], code: str) -> None:
    answer = program(person("eva", ["alle"])).get("search", {"q": "Frist", **values})
    assert (answer.status, answer.code) == (400, code)
