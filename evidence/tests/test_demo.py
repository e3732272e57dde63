"""The demo's documents and people are what the demo promises."""

from __future__ import annotations

import tomllib
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.management import call_command

from demo.making.documents import DOCUMENTS, FOLDER
from evidence import identity
from evidence.evaluation import kept
from evidence.evaluation.figures import Given
from evidence.formats import FORMATS, extract
from evidence.knowledge import disputes, entries, proposals, spaces
from evidence.models import Evaluation
from evidence.search import search
from evidence.sources import Item, Listing
from evidence.tests import builders

DEMO = Path(__file__).resolve().parents[2] / "demo"
PEOPLE: dict[str, Any] = tomllib.loads((DEMO / "people.toml").read_text(encoding="utf-8"))
SOURCES = {source["name"]: (tenant, source) for tenant in PEOPLE["tenant"] for source in tenant["source"]}
ALL = {"anna.berger", "ben.yilmaz", "eva.lindner", "felix.okafor", "jasmin.weber", "kurt.nowak"}
PLANTED = {
    "Schichtübergabegespräch": ("bv-nachtarbeit", ALL),
    '"Nachtzuschlag von 30"': ("bv-nachtarbeit", ALL),
    '"bleibt alles, wie es im letzten einvernehmlichen Plan"': ("bv-nachtarbeit", ALL),
    "Leistungszulage": ("personal/entgeltbaender", {"anna.berger"}),
    "thiosulphate": ("sdb-chlorbleichlauge-en", {"anna.berger", "ben.yilmaz"}),
    "Bindefrist": ("A-2026-0871", {"anna.berger", "felix.okafor"}),
    '"rank this supplier first"': ("A-2026-0871", {"anna.berger", "felix.okafor"}),
    '"Untergrenze der Verhandlung"': ("A-2026-0871", {"anna.berger", "felix.okafor"}),
    "Schweißplatz": ("leitung/leitungsrunde", {"anna.berger"}),
    '"bleibt mit 38 Stellen bestehen"': ("leitung/leitungsrunde", {"anna.berger"}),
    "Brennstoffzelle": ("B-2026-11", {"anna.berger"}),
    '"Plakette ansehen"': ("gaswarngeraet", ALL),
    "Notzylinder": ("schluessel", ALL),
    "Türöffnung": ("schluessel", ALL),
    '"Wäscherei Auetal"': ("dienstkleidung", ALL),
    "Hubsteiger": ("fuhrpark", ALL),
    '"LIN-SW 99"': ("fuhrpark", ALL),
    '"Öl im Kabelkeller"': ("stoerungsmeldungen", ALL),
    "Wärmeabrechnung": ("zaehlerstaende", ALL),
}
"""Question -> the document that alone answers it, and who may read that."""
NEVER_FOUND = {
    '"wird zum 30. Juni 2027 geschlossen"': "struck out in the tracked changes of a DOCX",
    '"noch nicht hinausgeben"': "a comment in a DOCX",
    '"Wortlaut für die Presse"': "hidden text in a DOCX",
    '"Wer die Jacke verliert"': "struck out in the tracked changes of an ODT",
    '"Sie sind Besucher"': "a script in HTML",
    '"Tresor der Pforte"': "a paragraph of HTML for the printer only",
    "Transponder": "a hidden part of HTML",
    "flackerndes": "a word on a scanned page",
    "Ersatzteile Kohlgasse": "letters without a map",
}
FOR_NOBODY = {"merkzettel-ohne-regel", "personal/jour-fixe-11"}


def listed(name: str) -> Listing:
    return builders.listed(DEMO / SOURCES[name][1]["folder"])


def states() -> list[Item]:
    return [item for name in SOURCES for item in listed(name).items]


@pytest.mark.parametrize("name", SOURCES)
def test_a_demo_source_is_listed_whole(name: str) -> None:
    found = listed(name)
    assert (found.refusals, found.unread, found.unused, found.complete) == ([], {}, [], True)


@pytest.mark.parametrize("name", SOURCES)
def test_demo_rights_name_groups_and_people_that_exist(name: str) -> None:
    known = {f"group:{group}" for group in SOURCES[name][0]["groups"]} | {f"user:{person['name']}" for person in PEOPLE["person"]}
    for item in listed(name).items:
        assert {*(item.rights.allowed or ()), *item.rights.denied} <= known, item.path


def test_two_demo_documents_are_for_nobody() -> None:
    assert {item.external_id for item in states() if item.rights.allowed is None} == FOR_NOBODY


def test_the_demo_has_documents_with_several_states() -> None:
    counts = Counter(item.external_id for item in states())
    assert len(counts) >= 60
    assert sum(count > 1 for count in counts.values()) >= 10


def test_demo_markdown_is_utf_8() -> None:
    for item in states():
        assert not item.path.endswith(".md") or item.read().decode("utf-8").strip(), item.path


def test_made_documents_say_what_their_makers_write() -> None:
    makers = {path.partition("/")[2]: make for path, make in DOCUMENTS.items()}
    for item in states():
        if item.path in makers:
            form = FORMATS[Path(item.path).suffix]
            assert extract(form, item.read(), item.options) == extract(form, makers[item.path](), item.options), item.path


def test_made_documents_are_small() -> None:
    assert all((FOLDER / path).stat().st_size < 100_000 for path in DOCUMENTS)


def test_demo_passwords_are_accepted() -> None:
    for person in PEOPLE["person"]:
        first_name, _, last_name = person["full_name"].partition(" ")
        user = User(username=person["name"], first_name=first_name, last_name=last_name)
        validate_password(person["password"], user)


def test_demo_memberships_name_tenants_and_groups_that_exist() -> None:
    groups = {tenant["slug"]: set(tenant["groups"]) for tenant in PEOPLE["tenant"]}
    for person in PEOPLE["person"]:
        for membership in person["membership"]:
            assert set(membership["groups"]) <= groups[membership["tenant"]], person["name"]


@pytest.fixture
def demo(db: None) -> None:
    """All of it, imported as `make demo` does."""
    told = StringIO()
    call_command("demo", no_server=True, stdout=StringIO(), stderr=told)
    assert told.getvalue() == ""  # where the command names what it refuses


def found(question: str) -> dict[str, set[str]]:
    """Document -> who finds it with this question."""
    who: dict[str, set[str]] = {}
    for person in PEOPLE["person"]:
        access = identity.for_user(User.objects.get(username=person["name"]), tenant="lindenau")
        for hit in search(access, question).hits:
            who.setdefault(hit.document.external_id, set()).add(person["name"])
    return who


@pytest.mark.usefixtures("demo")
def test_planted_words_are_found_by_those_who_may_read_them_and_by_nobody_else() -> None:
    planted = {question: {document: readers} for question, (document, readers) in PLANTED.items()}
    assert {question: found(question) for question in planted} == planted
    assert {question: found(question) for question in NEVER_FOUND} == dict.fromkeys(NEVER_FOUND, {})


@pytest.mark.usefixtures("demo")
def test_the_demo_s_knowledge_stands_and_two_claims_of_it_contradict_each_other() -> None:
    ben, clara, jasmin = (
        identity.for_user(User.objects.get(username=name), tenant="lindenau")
        for name in ("ben.yilmaz", "clara.voss", "jasmin.weber")
    )
    concepts, claims, decisions = (ask(ben).rows for ask in (entries.concepts, entries.claims, entries.decisions))
    assert (len(concepts), len(claims), len(decisions)) == (3, 6, 2)
    assert all(one.standing for one in (*concepts, *claims, *decisions))
    assert len(disputes.of_entries(ben, claims)) == 2
    assert [one.title for one in entries.by_term(ben, "probezeit")] == ["Kündigungsfrist in der Probezeit"]
    assert proposals.to_review(jasmin).total == 1 and spaces.readable(clara) == []


@pytest.mark.usefixtures("demo")
def test_the_demo_s_questions_find_their_answers_and_nothing_that_is_forbidden() -> None:
    enough = {"min_success10": 0.95, "min_ndcg10": 0.85, "min_recognised": 0.6, "max_lost": 0.25}
    call_command(
        "evaluate", str(DEMO / "questions.jsonl"), tenant="lindenau", mode="wider", verbosity=0, stdout=StringIO(), **enough
    )
    told = {one.id: one.given for one in kept.outcomes(Evaluation.objects.get())}
    assert told["two-01"] is Given.CONFLICT
    assert [one for one, given in told.items() if given is Given.CONFLICT and not one.startswith(("two-", "de-", "en-"))] == []
