"""The REST API for knowledge: what it tells, that it changes nothing, and what nobody learns from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evidence import removal, worker
from evidence.knowledge import conflicts, proposals
from evidence.knowledge.conflicts import Named
from evidence.models import Conflict, Entry, EntryRevision, Proposal, Role
from evidence.tests import knowing
from evidence.tests.builders import access, document, person, rules, run, tenant, write
from evidence.tests.calls import API, Program, program

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = "Die Frist beträgt zwei Wochen.\n\nDie Frist beträgt immer vier Wochen."
SECRET = "Die Frist beträgt drei Monate."
RIGHTS = (("offen", "alle"), ("alt", "alle"), ("geheim", "netz"))
MATTER = {"subject": "Frist", "property": "Dauer"}


@pytest.fixture
def emil(tmp_path: Path) -> User:
    """An editor who may read everything; there is an empty space."""
    write(tmp_path / "in", {"offen.txt": OPEN, "alt.txt": "Früher waren es vier Wochen.", "geheim.txt": SECRET})
    write(
        tmp_path / "in", {"fundstelle.toml": rules(*((f"{name}.txt", f'allowed = ["group:{group}"]') for name, group in RIGHTS))}
    )
    run(tmp_path / "in")
    knowing.space()
    return person("emil", ["alle", "netz"], role=Role.EDITOR)


@pytest.fixture
def rita() -> User:
    """A reviewer who may read everything."""
    return person("rita", ["alle", "netz"], role=Role.REVIEWER)


@pytest.fixture
def anna() -> User:
    """A reader who may read what is open."""
    return person("anna", ["alle"])


def two_sides(emil: User, rita: User) -> tuple[UUID, UUID]:
    """Two claims that contradict each other."""
    knowing.concept(emil, rita, text="Wann etwas endet.", terms=["Zeitraum"])
    one = knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")], value="zwei Wochen", **MATTER)
    other = knowing.claim(emil, rita, [knowing.cite(emil, "alt", "vier Wochen")], "Vier Wochen.", value="vier Wochen", **MATTER)
    return one, other


# What it tells


def test_a_concept_comes_with_what_it_stands_on(emil: User, rita: User, anna: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    entry = knowing.concept(emil, rita, text="Wann etwas endet.", terms=["Zeitraum"], citations=[cited])
    calls = program(anna)
    found = calls.get(f"concepts/{entry}").body
    assert calls.get("concepts").body == {"total": 1, "concepts": [found]}
    assert (found["title"], found["slug"], found["terms"], found["state"]) == ("Frist", "frist", ["Zeitraum"], "accepted")
    assert (found["space"], found["revision"], found["proposed_by"], found["approved_by"]) == ("handbuch", 1, "emil", "rita")
    assert found["url"] == "http://testserver/knowledge/handbuch/frist/"
    (passage,) = found["citations"]
    assert (passage["id"], passage["anchor"]["exact"], passage["resolution"]["state"]) == (str(cited), "zwei Wochen", "resolved")
    assert passage["url"].endswith(f"/citations/{cited}/") and passage["document"]["external_id"] == "offen"


def test_a_disputed_claim_comes_with_every_side(emil: User, rita: User, anna: User) -> None:
    one, other = two_sides(emil, rita)
    calls = program(anna)
    found = {claim["id"]: claim for claim in calls.get("claims", {"concept": "frist"}).body["claims"]}
    assert [claim["state"] for claim in found.values()] == ["disputed", "disputed"]
    (side,) = found[str(one)]["disputed_by"]
    assert (side["id"], side["value"], side["state"]) == (str(other), "vier Wochen", "disputed")
    assert side["citations"][0]["anchor"]["exact"] == "vier Wochen" and side["citations"][0]["resolution"]["state"] == "resolved"
    assert calls.get(f"claims/{one}").body == found[str(one)]
    assert found[str(one)]["url"] == f"http://testserver/knowledge/entries/{one}/"


def test_claims_that_hold_at_different_times_are_not_disputed(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita)
    cited = [knowing.cite(emil, "offen", "zwei Wochen")]
    knowing.claim(emil, rita, cited, value="2", valid_from="2024-01-01", **MATTER)
    knowing.claim(emil, rita, cited, "Drei.", value="3", valid_until="2023-12-31", **MATTER)
    claims = program(anna).get("claims").body["claims"]
    assert [(one["state"], one["valid_from"], one["valid_until"]) for one in claims] == [
        ("accepted", "2024-01-01", None),
        ("accepted", None, "2023-12-31"),
    ]


def test_a_decision_says_what_it_takes_the_place_of_and_what_takes_its_place(emil: User, rita: User, anna: User) -> None:
    old = knowing.decision(emil, rita, "alt", "Alt", status="superseded", context="Damals", rationale="Darum")
    new = knowing.decision(emil, rita, "neu", "Neu", supersedes="alt", decided_on="2024-02-01", status="accepted")
    calls = program(anna)
    found = {one: calls.get(f"decisions/{one}").body for one in (old, new)}
    assert (found[old]["superseded_by"], found[new]["supersedes"], found[new]["superseded_by"]) == (["neu"], "alt", [])
    assert (found[new]["status"], found[new]["decided_on"], found[old]["rationale"]) == ("accepted", "2024-02-01", "Darum")
    assert found[new]["url"] == "http://testserver/knowledge/handbuch/decisions/neu/"
    assert [one["slug"] for one in calls.get("decisions", {"q": "ALT"}).body["decisions"]] == ["alt"]


def test_what_is_deprecated_says_so_and_what_is_proposed_is_not_there(emil: User, rita: User, anna: User) -> None:
    entry = knowing.concept(emil, rita)
    knowing.proposed("concept", by=emil, slug="neu", title="Neu")
    calls = program(anna)
    assert [one["state"] for one in calls.get("concepts").body["concepts"]] == ["accepted"]
    knowing.approved(knowing.proposed("concept", by=emil, action="deprecate", entry=entry), by=rita)
    assert [one["state"] for one in program(emil).get("concepts").body["concepts"]] == ["deprecated"]


def test_a_citation_that_no_longer_holds_is_told(emil: User, rita: User, anna: User, tmp_path: Path) -> None:
    one, _ = two_sides(emil, rita)
    write(tmp_path / "in", {"offen.txt": "Alles ist anders."})
    run(tmp_path / "in")
    found = program(anna).get(f"claims/{one}").body
    assert found["standing"] is False and found["citations"][0]["resolution"]["state"] == "source_changed"


def test_marked_conflicts_come_with_both_sides_and_beside_the_passage(emil: User, rita: User, anna: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    entry = knowing.concept(emil, rita, citations=[cited])
    made = conflicts.mark(access(emil), Named(citation=cited), Named(document=document("alt").public_id), matter="Frist")
    calls = program(anna)
    (found,) = calls.get("conflicts").body["conflicts"]
    assert (found["id"], found["matter"], found["left"]["quote"], found["right"]["citation"]) == (
        str(made),
        "Frist",
        "zwei Wochen",
        None,
    )
    assert found["url"] == f"http://testserver/conflicts/{made}/" and found["left"]["url"].endswith(f"/citations/{cited}/")
    assert calls.get(f"conflicts/{made}").body["left"]["resolution"]["state"] == "resolved"
    (disputed,) = calls.get(f"concepts/{entry}").body["citations"][0]["resolution"]["disputed"]
    assert (disputed["kind"], disputed["there"]["document"]["external_id"]) == ("marked", "alt")
    conflicts.settle(access(rita), made, words="Die neue gilt.")
    assert calls.get("conflicts").body["total"] == 0
    assert calls.get("conflicts", {"settled": "true"}).body["conflicts"][0]["settlement"] == "Die neue gilt."


def test_lists_are_narrowed_and_turned_page_by_page(emil: User, rita: User, anna: User) -> None:
    knowing.space("anderes")
    for number in range(3):
        knowing.concept(emil, rita, f"c{number}", f"Titel {number}")
    knowing.approved(knowing.proposed("concept", by=emil, at="anderes", slug="c9", title="Titel 9"), by=rita)
    calls = program(anna)

    def slugs(**asked: object) -> Sequence[str]:
        return [one["slug"] for one in calls.get("concepts", asked).body["concepts"]]

    assert slugs(space="handbuch", limit=2) == ["c0", "c1"] and slugs(space="handbuch", limit=2, offset=2) == ["c2"]
    for nothing in ("\0", "frist\0", "é" * 300):
        assert slugs(space=nothing) == [] and calls.get("claims", {"concept": nothing}).body["total"] == 0
    assert slugs(q="titel 9") == ["c9"] and slugs(space="nirgends") == [] and slugs(q="gibt es nicht") == []
    assert calls.get("concepts", {"limit": 1}).body["total"] == 4
    for asked in ({"limit": 0}, {"limit": 51}, {"offset": -1}, {"limit": "x"}, {"q": "x" * 201}):
        assert calls.get("claims", asked).status == 400
    assert calls.get("conflicts", {"offset": "x"}).code == "offset_out_of_range"


def test_an_entry_of_another_kind_is_not_there(emil: User, rita: User, anna: User) -> None:
    entries = {"concepts": knowing.concept(emil, rita), "decisions": knowing.decision(emil, rita)}
    entries["claims"] = knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")])
    calls = program(anna)
    found = {(kind, path): calls.get(f"{path}/{entry}").status for kind, entry in entries.items() for path in entries}
    assert {pair for pair, status in found.items() if status == 200} == {(kind, kind) for kind in entries}
    assert set(found.values()) == {200, 404}


def test_a_list_costs_as_many_queries_however_long_it_is(emil: User, rita: User, anna: User) -> None:
    two_sides(emil, rita)
    knowing.decision(emil, rita)
    calls = program(anna)
    few = {path: calls.get(path).queries for path in ("claims", "concepts", "decisions")}
    for number in range(6):
        knowing.concept(emil, rita, f"c{number}", citations=[knowing.cite(emil, "offen", "zwei Wochen")])
        knowing.claim(emil, rita, [knowing.cite(emil, "alt", "vier Wochen")], f"{number}", value=f"{number}", **MATTER)
        knowing.decision(emil, rita, f"d{number}", citations=[knowing.cite(emil, "alt", "vier Wochen")])
    many = {path: calls.get(path).queries for path in few}
    assert many["claims"] == few["claims"] <= 30
    assert max(many["concepts"] - few["concepts"], many["decisions"] - few["decisions"]) <= 12  # the first had no citation
    assert calls.get("claims").body["total"] == 8


# Nothing is changed


def test_no_call_changes_knowledge(emil: User, rita: User) -> None:
    """Not even the token of a reviewer, with every scope."""
    one, _ = two_sides(emil, rita)
    waiting = knowing.proposed("concept", by=emil, slug="neu", title="Neu")
    tables = (Entry, EntryRevision, Proposal, Conflict)
    before = [list(table.objects.order_by("pk").values()) for table in tables]
    paths = [
        "concepts",
        "claims",
        "decisions",
        "conflicts",
        f"claims/{one}",
        f"conflicts/{uuid4()}",
        f"proposals/{waiting}/approve",
    ]
    headers = {"authorization": f"Bearer {program(rita)._token}"}
    for path in paths:
        for method in ("post", "put", "patch", "delete"):
            answer = getattr(Client(), method)(API + path, b"{}", content_type="application/json", headers=headers)
            assert answer.status_code in {404, 405}, (path, method)
    pages = [f"/knowledge/proposals/{waiting}/approve/", "/knowledge/handbuch/propose/concept/", "/conflicts/mark/"]
    for page in pages:
        answer = Client().post(page, {"title": "x"}, headers=headers)
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/sign-in/")
    assert [list(table.objects.order_by("pk").values()) for table in tables] == before
    assert proposals.get(access(rita), waiting).state == "open"


def test_a_token_needs_the_right_to_read(emil: User) -> None:
    for path in ("concepts", "claims", "decisions", "conflicts"):
        assert program(emil, "cite").get(path).code == "scope_missing"
        assert Program("").get(path).status == 401


# What nobody learns


def everything(calls: Program, ids: Sequence[UUID]) -> Sequence[object]:
    lists = [
        f"{path}{query}"
        for path in ("concepts", "claims", "decisions")
        for query in ("", "?space=handbuch", "?q=Frist", "?space=intern")
    ]
    lists += ["claims?concept=frist", "claims?concept=geheim", "conflicts", "conflicts?settled=true", "search?q=Frist"]
    ones = [f"{path}/{one}" for path in ("concepts", "claims", "decisions") for one in ids]
    found = [calls.get(path).whole[:3] for path in (*lists, *ones)]
    assert {status for status, *_ in found} == {200, 404}
    return found


def test_what_may_not_be_read_changes_no_byte(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita)
    one = knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")], value="2", **MATTER)
    new = knowing.decision(emil, rita)
    calls = program(anna)
    before = everything(calls, [one, new])
    secret = knowing.cite(emil, "geheim", "drei Monate")
    hidden = [
        knowing.claim(emil, rita, [secret], "Drei Monate, sagt die Frist.", value="3", **MATTER),
        knowing.concept(emil, rita, "geheim", "Frist im Netz", citations=[secret]),
        knowing.claim(emil, rita, [knowing.cite(emil, "alt", "vier Wochen")], "Vier.", concept="geheim"),
        knowing.decision(emil, rita, "netz", "Frist im Netz", supersedes="wochen", citations=[secret]),
    ]
    knowing.space("intern", allowed=["netz"])
    hidden.append(knowing.approved(knowing.proposed("concept", by=emil, at="intern", slug="frist", title="Frist"), by=rita))
    knowing.proposed("concept", by=emil, slug="offen", title="Frist")
    conflicts.mark(access(emil), Named(citation=secret), Named(document=document("offen").public_id), matter="Frist")
    assert everything(calls, [one, new]) == before
    assert {calls.get(f"{path}/{entry}").status for entry in hidden for path in ("concepts", "claims", "decisions")} == {404}
    assert program(emil).get("claims").body["claims"][0]["state"] == "disputed", "it is there for others"


def test_unknown_forbidden_deleted_and_foreign_are_one_answer(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita)
    away = tenant("anderswo")
    knowing.space(of=away)
    kim, tom = (person(name, of=away, role=Role.REVIEWER) for name in ("kim", "tom"))
    secret = knowing.cite(emil, "geheim", "drei Monate")
    marked = conflicts.mark(access(emil), Named(citation=secret), Named(document=document("offen").public_id), matter="x")
    ids: dict[str, object] = {
        "unknown": uuid4(),
        "nonsense": "nonsense",
        "forbidden": knowing.claim(emil, rita, [secret]),
        "gone": knowing.claim(emil, rita, [knowing.cite(emil, "alt", "vier Wochen")]),
        "foreign": knowing.concept(kim, tom),
        "rejected": proposals.get(access(emil), knowing.proposed("concept", by=emil, slug="x", title="X")).entry,
        "conflict": marked,
    }
    removal.request_purge(document("alt"))
    worker.run_due()
    calls = program(anna)
    for path in ("concepts", "claims", "decisions", "conflicts"):
        answers = {name: calls.get(f"{path}/{one}").whole for name, one in ids.items()}
        assert len({repr(answer[:3]) for answer in answers.values()}) == 1, (path, answers)
        assert answers["unknown"][0] == 404


def test_a_person_of_no_group_finds_nothing_that_stands_on_documents(emil: User, rita: User) -> None:
    one, _ = two_sides(emil, rita)
    calls = program(person("ida"))
    assert [calls.get(path).body["total"] for path in ("claims", "conflicts", "concepts")] == [0, 0, 1]
    assert calls.get(f"claims/{one}").body == {"code": "unavailable", "message": "This is not available to you."}
