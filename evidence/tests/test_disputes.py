"""Disputes: what contradicts by rule and by mark, where in a text, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from evidence import citations, succession
from evidence.access import Access
from evidence.citations import Place
from evidence.knowledge import conflicts, disputes
from evidence.knowledge.conflicts import Named
from evidence.knowledge.disputes import Dispute, Kind
from evidence.knowledge.entries import of_rows
from evidence.models import Citation, Entry, EntryRevision, Proposal, Role, Space
from evidence.tests.builders import access, document, group, person, publish, rules, run, tenant, write

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = {"a.txt": "Ab 10 Prozent räumen.\n\nSonst nicht.", "b.txt": "Ab 20 Prozent räumen.", "c.txt": "Ab 30 Prozent räumen."}
LET_IN: dict[str, Any] = {"state": "accepted", "number": 1}
NOTHING_DISPUTED = 2
"""Conflicts, and claims that cite any of the documents."""
ALL_QUERIES = 6
"""Conflicts, claims, their rivals, what all of them say and cite, and successors of their citations."""


@pytest.fixture
def rita(tmp_path: Path) -> User:
    """A reviewer who may read all; eva, whom a test may ask for, may not read c."""
    rights = [(f"{name}.txt", f'allowed = ["group:{group}"]') for name, group in (("a", "alle"), ("b", "alle"), ("c", "netz"))]
    write(tmp_path, TEXTS | {"fundstelle.toml": rules(*rights)})
    run(tmp_path)
    return person("rita", ["alle", "netz"], role=Role.REVIEWER)


def space(slug: str = "betrieb") -> Space:
    return Space.objects.get_or_create(tenant=tenant(), slug=slug, defaults={"title": slug.title()})[0]


def cited(user: User, name: str, words: str) -> UUID:
    return citations.cite_words(access(user), document(name).public_id, exact=words)


def claim(user: User, *cites: UUID, value: str, **fields: Any) -> UUID:
    """An accepted claim with one revision, as approving a proposal makes it."""
    concept = Entry.objects.get_or_create(kind="concept", slug="raeumung", space=fields.get("space") or space(), **LET_IN)[0]
    keys = {"kind": "claim", "concept": concept, "subject": "anlage", "property": "räumung ab", "value": value, "space": space()}
    entry = Entry.objects.create(**(keys | LET_IN | fields))
    words = {
        "concept": "raeumung",
        "text": f"Geräumt wird ab {value}.",
        "subject": "Anlage",
        "property": "Räumung ab",
        "value": value,
    }
    content = words | {"citations": [str(one) for one in cites]}
    proposal = Proposal.objects.create(entry=entry, action="create", state="approved", content=content, author=user)
    revision = EntryRevision.objects.create(entry=entry, number=1, state="accepted", content=content, proposal=proposal)
    revision.citations.set(Citation.objects.filter(public_id__in=cites))
    return entry.public_id


def contradicting(user: User, **other: Any) -> tuple[UUID, UUID]:
    """A claim that cites a, and one with another value that cites b (or what is told)."""
    cites = other.pop("cites", None) or cited(user, "b", "Ab 20 Prozent")
    return claim(user, cited(user, "a", "Ab 10 Prozent"), value="10"), claim(user, cites, **({"value": "20"} | other))


def rivals(who: Access, *entries: UUID) -> dict[UUID, set[UUID]]:
    reads = of_rows(who, Entry.objects.filter(public_id__in=entries))
    return {id: {one.id for one in others} for id, others in disputes.of_entries(who, reads).items()}


def place(name: str, start: int, end: int) -> Place:
    row = document(name)
    assert row.current is not None
    return Place(row.public_id, row.current.public_id, start, end)


def at(who: Access, where: Place) -> Sequence[Dispute]:
    return disputes.of_places(who, [where]).get(where, ())


def test_claims_with_different_values_contradict_each_other(rita: User) -> None:
    one, other = contradicting(rita)
    assert rivals(access(rita), one, other) == {one: {other}, other: {one}}
    assert rivals(access(rita), one) == {one: {other}}


@pytest.mark.parametrize(
    "other",
    [
        {"value": "10"},
        {"subject": "halle"},
        {"property": "höhe"},
        {"subject": ""},
        {"property": ""},
        {"value": ""},
        {"state": "proposed"},
        {"state": "deprecated"},
        {"kind": "decision"},
        {"valid_from": date(2027, 1, 1)},
    ],
)
def test_other_claims_do_not(rita: User, other: dict[str, Any]) -> None:
    one, _ = contradicting(rita, **other)
    Entry.objects.filter(public_id=one).update(valid_until=date(2026, 12, 31))
    assert rivals(access(rita), one) == {}


def test_claims_of_different_spaces_do_not(rita: User) -> None:
    one, _ = contradicting(rita, space=space("anderes"))
    assert rivals(access(rita), one) == {}


@pytest.mark.parametrize(
    ("begins", "ends", "overlaps"),
    [
        (None, None, True),
        (date(2026, 12, 31), None, True),  # one day in common is enough
        (date(2027, 1, 1), None, False),
        (None, date(2025, 12, 31), False),
        (None, date(2026, 1, 1), True),
        (date(2026, 5, 1), date(2026, 6, 1), True),
    ],
)
def test_claims_contradict_only_on_days_that_both_are_valid_on(
    rita: User, begins: date | None, ends: date | None, overlaps: bool
) -> None:
    one, other = contradicting(rita, valid_from=begins, valid_until=ends)
    Entry.objects.filter(public_id=one).update(valid_from=date(2026, 1, 1), valid_until=date(2026, 12, 31))
    assert bool(rivals(access(rita), one)) is bool(rivals(access(rita), other)) is overlaps


def test_a_claim_whose_document_may_not_be_read_disputes_nothing(rita: User) -> None:
    one, _ = contradicting(rita, cites=cited(rita, "c", "Ab 30 Prozent"))
    eva = access(person("eva", ["alle"]))
    assert rivals(access(rita), one) and rivals(eva, one) == {}
    assert at(access(rita), place("a", 0, 5)) and not at(eva, place("a", 0, 5))


def test_a_claim_with_one_unreadable_document_of_two_disputes_nothing(rita: User) -> None:
    claim(rita, cited(rita, "a", "Ab 10 Prozent"), cited(rita, "c", "Ab 30 Prozent"), value="10")
    other = claim(rita, cited(rita, "b", "Ab 20 Prozent"), value="20")
    eva = access(person("eva", ["alle"]))
    assert rivals(access(rita), other) and rivals(eva, other) == {} and not at(eva, place("b", 0, 5))


def test_a_claim_of_a_space_that_may_not_be_read_disputes_nothing(rita: User) -> None:
    one, other = contradicting(rita)
    space().allowed.add(group("netz"))
    assert rivals(access(rita), one) and rivals(access(person("eva", ["alle"])), one, other) == {}


def test_only_what_the_current_revision_cites_counts(rita: User) -> None:
    one, other = contradicting(rita)
    Entry.objects.filter(public_id=one).update(number=2)
    assert rivals(access(rita), other) == {} and not at(access(rita), place("a", 0, 5))


def test_a_disputed_claim_shows_both_sides_at_its_passage(rita: User) -> None:
    one, other = contradicting(rita, valid_from=date(2026, 5, 1))
    (found,) = at(access(rita), place("a", 3, 4))
    assert (found.kind, found.matter, found.conflict) == (Kind.CLAIMS, "Anlage: Räumung ab", None)
    assert (found.here.claim, found.here.says, found.here.quote) == (one, "Geräumt wird ab 10.", "Ab 10 Prozent")
    assert (found.there.claim, found.there.quote, found.there.card.external_id) == (other, "Ab 20 Prozent", "b")
    assert found.there.valid_from == date(2026, 5, 1)
    assert at(access(rita), place("a", 13, 40)) == ()


def marked(user: User, left: Named, right: Named) -> UUID:
    return conflicts.mark(access(user), left, right, matter="Räumung")


def passage(user: User, name: str, words: str) -> Named:
    return Named(citation=cited(user, name, words))


def test_a_marked_passage_is_disputed_where_it_overlaps(rita: User) -> None:
    conflict = marked(rita, passage(rita, "a", "10 Prozent"), passage(rita, "b", "20 Prozent"))
    (found,) = at(access(rita), place("a", 0, 4))
    assert (found.kind, found.conflict, found.matter, found.earlier) == (Kind.MARKED, conflict, "Räumung", False)
    assert (found.here.quote, found.there.quote) == ("10 Prozent", "20 Prozent")
    (turned,) = at(access(rita), place("b", 12, 13))
    assert (turned.here.quote, turned.there.quote) == ("20 Prozent", "10 Prozent")
    assert [at(access(rita), place("a", *other)) for other in ((0, 3), (13, 20))] == [(), ()]


def test_a_document_marked_as_a_whole_is_disputed_everywhere(rita: User) -> None:
    marked(rita, Named(document=document("a").public_id), passage(rita, "b", "20 Prozent"))
    assert at(access(rita), place("a", 0, 1)) and at(access(rita), place("a", 30, 31))
    assert not at(access(rita), place("b", 0, 2))


def test_what_is_settled_is_not_disputed_until_it_is_reopened(rita: User) -> None:
    conflict = marked(rita, passage(rita, "a", "10 Prozent"), passage(rita, "b", "20 Prozent"))
    conflicts.settle(access(rita), conflict, words="B gilt.")
    assert not at(access(rita), place("a", 0, 5)) and not disputes.of_documents(access(rita), [document("a").public_id])
    conflicts.reopen(access(rita), conflict)
    assert at(access(rita), place("a", 0, 5))


def test_a_conflict_with_a_side_that_may_not_be_read_is_none(rita: User) -> None:
    marked(rita, passage(rita, "a", "10 Prozent"), passage(rita, "c", "30 Prozent"))
    eva = access(person("eva", ["alle"]))
    assert at(access(rita), place("a", 0, 5)) and not at(eva, place("a", 0, 5))
    assert disputes.of_documents(eva, [document("a").public_id]) == {}


def test_a_passage_of_an_earlier_state_is_told_of_the_document_not_of_places(rita: User, tmp_path: Path) -> None:
    marked(rita, passage(rita, "a", "10 Prozent"), passage(rita, "b", "20 Prozent"))
    write(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXTS["a.txt"]})
    run(tmp_path)
    (found,) = disputes.of_documents(access(rita), [document("a").public_id])[document("a").public_id]
    assert found.earlier and found.there.quote == "20 Prozent"
    assert not at(access(rita), place("a", 0, 40))


def test_a_migrated_citation_stands_where_its_successor_does(rita: User, tmp_path: Path) -> None:
    old = cited(rita, "a", "10 Prozent")
    marked(rita, Named(citation=old), passage(rita, "b", "20 Prozent"))
    write(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXTS["a.txt"]})
    run(tmp_path)
    succession.approve(access(person("edda", ["alle"], role=Role.EDITOR)), [old])
    (found,) = at(access(rita), place("a", 9, 14))
    assert not found.earlier and found.here.quote == "10 Prozent"
    assert not at(access(rita), place("a", 0, 9))


def test_queries_do_not_grow_with_places_and_disputes(rita: User, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    places = [place(name, start, start + 1) for name in "abc" for start in range(12)]
    who = access(rita)
    with django_assert_max_num_queries(NOTHING_DISPUTED):
        assert disputes.of_places(who, places) == {}
    for words in ("10 Prozent", "räumen", "Sonst"):
        marked(rita, passage(rita, "a", words), passage(rita, "b", "20 Prozent"))
        contradicting(rita, value=f"20 {words}")
    with django_assert_max_num_queries(ALL_QUERIES):
        found = disputes.of_places(who, places)
    assert sum(map(len, found.values())) > 30


def test_nothing_asked_costs_nothing(rita: User, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    who = access(rita)
    with django_assert_max_num_queries(0):
        assert not (disputes.of_places(who, []) or disputes.of_documents(who, []) or disputes.of_entries(who, []))


def test_who_reads_nothing_knows_of_no_dispute(rita: User, tmp_path: Path) -> None:
    publish(tmp_path, {"d.txt": "anderes"}, source="andere")
    one, other = contradicting(rita)
    clara = access(person("clara"))
    assert rivals(clara, one, other) == {} and not at(clara, place("a", 0, 5))
