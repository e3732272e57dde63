"""The curated layer: what comes in, who decides, who reads it, and that what somebody may not read changes nothing for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from evidence.access import Access
from evidence.errors import EvidenceError, Outdated, Refused, Unavailable
from evidence.knowledge import affected, entries, proposals, spaces
from evidence.models import AuditEvent, Entry, EntryRevision, Membership, Proposal, Role
from evidence.tests import knowing
from evidence.tests.builders import access, group, person, publish, rules, run, tenant, write

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = "Die Frist beträgt zwei Wochen."
SECRET = "Die Frist beträgt drei Monate."


@pytest.fixture
def emil(tmp_path: Path) -> User:
    """An editor who may read both documents; there are a space, an open document and one for the group `netz`."""
    write(tmp_path, {"offen.txt": OPEN, "geheim.txt": SECRET})
    entries_of = (("offen.txt", 'allowed = ["group:alle"]'), ("geheim.txt", 'allowed = ["group:netz"]'))
    write(tmp_path, {"fundstelle.toml": rules(*entries_of)})
    run(tmp_path)
    knowing.space()
    return person("emil", ["alle", "netz"], role=Role.EDITOR)


@pytest.fixture
def rita() -> User:
    """A reviewer who may read both."""
    return person("rita", ["alle", "netz"], role=Role.REVIEWER)


@pytest.fixture
def anna() -> User:
    """A reader who may read the open one."""
    return person("anna", ["alle"])


def refused(call: Callable[[], object]) -> str:
    """The code of the refusal."""
    with pytest.raises(EvidenceError) as caught:
        call()
    return caught.value.code


def texts(page: entries.Page) -> list[str]:
    return [str(getattr(one.content, "text", "")) for one in page.rows]


def test_a_claim_stands_when_somebody_else_has_approved_it(emil: User, rita: User, anna: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita)
    proposal = knowing.proposed("claim", by=emil, concept="frist", text="Zwei Wochen.", citations=[cited])
    assert entries.claims(access(anna)).total == 0
    entry = knowing.approved(proposal, by=rita)
    read = entries.get(access(anna), entry)
    assert (read.state, read.standing, read.number, read.author, read.reviewer) == ("accepted", True, 1, "emil", "rita")
    assert (read.why, read.proposal, [one.id for one in read.cited]) == ("Darum", proposal, [cited])


def test_nobody_decides_about_their_own_proposal(emil: User, rita: User) -> None:
    mine = knowing.proposed("concept", by=rita, slug="frist", title="Frist")
    assert refused(lambda: proposals.approve(access(rita), mine)) == "own_proposal"
    assert refused(lambda: proposals.reject(access(rita), mine, "Nein")) == "own_proposal"
    assert Proposal.objects.get().state == "open"


@pytest.mark.parametrize("role", [Role.READER, Role.EDITOR, Role.CURATOR, Role.ADMINISTRATOR])
def test_who_is_no_reviewer_decides_nothing(emil: User, role: str) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="frist", title="Frist")
    other = access(person("otto", ["alle", "netz"], role=role))
    assert refused(lambda: proposals.approve(other, proposal)) == "unavailable"
    assert refused(lambda: proposals.reject(other, proposal, "Nein")) == "unavailable"
    assert refused(lambda: proposals.to_review(other)) == "unavailable"


@pytest.mark.parametrize("role", [Role.READER, Role.ADMINISTRATOR])
def test_readers_propose_nothing(emil: User, role: str) -> None:
    other = person("otto", ["alle"], role=role)
    assert refused(lambda: knowing.proposed("concept", by=other, slug="frist", title="Frist")) == "unavailable"
    assert proposals.open_in(access(other), "handbuch") == []


def test_a_rejected_proposal_says_why_to_its_author_and_frees_the_short_name(emil: User, rita: User) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="frist", title="Frist")
    assert refused(lambda: proposals.reject(access(rita), proposal, " ")) == "field_missing"
    proposals.reject(access(rita), proposal, "Zu allgemein.")
    [mine] = proposals.own(access(emil)).rows
    assert (mine.state, mine.note, mine.reviewer) == ("rejected", "Zu allgemein.", "rita")
    assert refused(lambda: proposals.approve(access(rita), proposal)) == "proposal_decided"
    assert knowing.concept(emil, rita)


def test_ones_own_open_proposal_is_withdrawn_and_anothers_is_unavailable(emil: User, rita: User) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="frist", title="Frist")
    assert refused(lambda: proposals.withdraw(access(rita), proposal)) == "unavailable"
    proposals.withdraw(access(emil), proposal)
    assert proposals.to_review(access(rita)).rows == []
    assert refused(lambda: proposals.approve(access(rita), proposal)) == "proposal_decided"
    assert refused(lambda: proposals.withdraw(access(emil), proposal)) == "proposal_decided"


def test_a_change_written_against_an_earlier_state_is_named_and_not_approved(emil: User, rita: User) -> None:
    entry = knowing.concept(emil, rita)
    one, other = (
        knowing.proposed("concept", by=emil, action="change", entry=entry, slug="frist", title=title)
        for title in ("Eins", "Zwei")
    )
    knowing.approved(one, by=rita)
    assert [row.outdated for row in proposals.to_review(access(rita)).rows] == [True]
    with pytest.raises(Outdated) as caught:
        proposals.approve(access(rita), other)
    assert (caught.value.code, caught.value.values) == ("entry_changed", {"base": 1, "number": 2})
    assert entries.get(access(emil), entry).content.title == "Eins"  # type: ignore[union-attr]


def test_a_change_must_be_one_and_leaves_the_address(emil: User, rita: User) -> None:
    entry = knowing.concept(emil, rita)
    change: dict[str, Any] = {"by": emil, "action": "change", "entry": entry}
    assert refused(lambda: knowing.proposed("concept", slug="frist", title="Frist", **change)) == "nothing_changed"
    assert refused(lambda: knowing.proposed("concept", slug="andere", title="Frist", **change)) == "field_fixed"
    assert refused(lambda: knowing.proposed("concept", slug="frist", title="Neu", why=" ", **change)) == "field_missing"


def test_what_is_deprecated_can_be_restored_and_both_are_in_its_history(emil: User, rita: User, anna: User) -> None:
    entry = knowing.concept(emil, rita)
    assert refused(lambda: knowing.proposed("concept", by=emil, action="restore", entry=entry)) == "wrong_state"
    knowing.approved(knowing.proposed("concept", by=emil, action="deprecate", entry=entry, why="Überholt"), by=rita)
    assert entries.get(access(anna), entry).state == "deprecated"
    knowing.approved(knowing.proposed("concept", by=emil, action="restore", entry=entry, why="Doch"), by=rita)
    told = [(one.state, one.why) for one in entries.history(access(anna), entry)]
    assert told == [("accepted", "Doch"), ("deprecated", "Überholt"), ("accepted", "Darum")]


def test_what_cites_nothing_that_holds_is_not_approved(emil: User, rita: User, tmp_path: Path) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita)
    proposal = knowing.proposed("claim", by=emil, concept="frist", text="Zwei.", citations=[cited])
    write(tmp_path, {"offen.txt": "Die Frist beträgt vier Wochen."})
    run(tmp_path)
    assert refused(lambda: proposals.approve(access(rita), proposal)) == "nothing_resolved"
    assert (Proposal.objects.get(public_id=proposal).state, EntryRevision.objects.count()) == ("open", 1)


def test_a_claim_waits_for_its_concept(emil: User, rita: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    assert refused(lambda: knowing.proposed("claim", by=emil, concept="x", text="y", citations=[cited])) == "names_nothing"
    concept = knowing.proposed("concept", by=emil, slug="frist", title="Frist")
    claim = knowing.proposed("claim", by=emil, concept="frist", text="Zwei.", citations=[cited])
    assert refused(lambda: proposals.approve(access(rita), claim)) == "concept_missing"
    knowing.approved(concept, by=rita)
    assert entries.get(access(emil), knowing.approved(claim, by=rita)).content.concept == "frist"  # type: ignore[union-attr]


def test_a_short_name_is_taken_once(emil: User, rita: User) -> None:
    one, other = (knowing.proposed("concept", by=emil, slug="frist", title=title) for title in ("Eins", "Zwei"))
    knowing.approved(one, by=rita)
    assert refused(lambda: proposals.approve(access(rita), other)) == "slug_taken"
    assert refused(lambda: knowing.proposed("concept", by=emil, slug="frist", title="Drei")) == "slug_taken"
    assert Proposal.objects.get(public_id=other).state == "open"


def test_a_short_name_of_something_that_one_may_not_read_is_proposed_like_any_other(emil: User, rita: User) -> None:
    knowing.concept(emil, rita, citations=[knowing.cite(emil, "geheim", "drei Monate")])
    kurt = person("kurt", ["alle"], role=Role.CURATOR)
    proposal = knowing.proposed("concept", by=kurt, slug="frist", title="Frist")
    assert refused(lambda: proposals.approve(access(rita), proposal)) == "slug_taken"


def test_a_reviewer_hears_no_more_of_a_short_name_that_is_taken_out_of_their_sight(emil: User, rita: User) -> None:
    """That it is taken, in the words for one that is taken in sight; and nothing of names in a space that they may not read."""
    knowing.space("netzbuch", allowed=["netz"])
    knowing.concept(emil, rita, at="netzbuch", slug="dauer")
    knowing.concept(emil, rita, citations=[knowing.cite(emil, "geheim", "drei Monate")])
    kurt, robert = person("kurt", ["alle"], role=Role.CURATOR), access(person("robert", ["alle"], role=Role.REVIEWER))
    proposal = knowing.proposed("concept", by=kurt, slug="frist", title="Frist")
    told = []
    for reviewer in (robert, access(rita)):
        with pytest.raises(Refused) as caught:
            proposals.approve(reviewer, proposal)
        told.append((caught.value.code, str(caught.value), caught.value.values))
    assert told[0] == told[1] and told[0][0] == "slug_taken"
    proposals.approve(robert, knowing.proposed("concept", by=kurt, slug="dauer", title="Dauer"))


def test_a_citation_that_one_may_not_read_is_none(emil: User, rita: User) -> None:
    secret = knowing.cite(emil, "geheim", "drei Monate")
    kurt = person("kurt", ["alle"], role=Role.CURATOR)
    codes = {
        refused(lambda one=one: knowing.proposed("concept", by=kurt, slug="a", title="A", citations=[one]))  # type: ignore[misc]
        for one in (secret, uuid4())
    }
    assert codes == {"citation_unavailable"}


def test_who_may_not_read_a_cited_document_gets_nothing_of_the_entry(emil: User, rita: User, anna: User) -> None:
    secret = knowing.cite(emil, "geheim", "drei Monate")
    concept = knowing.concept(emil, rita, terms=["Dauer"], citations=[secret])
    claim = knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")])  # of a concept that is hidden
    decision = knowing.decision(emil, rita, citations=[secret])
    reader = access(anna)
    for entry in (concept, claim, decision, uuid4()):
        assert refused(lambda entry=entry: entries.get(reader, entry)) == "unavailable"  # type: ignore[misc]
        assert refused(lambda entry=entry: entries.history(reader, entry)) == "unavailable"  # type: ignore[misc]
    assert (entries.by_term(reader, "dauer"), entries.claims(reader).total, entries.concepts(reader, q="frist").total) == (
        [],
        0,
        0,
    )
    assert [(one.concepts, one.claims, one.decisions) for one in spaces.readable(reader)] == [(0, 0, 0)]
    assert [(one.concepts, one.claims, one.decisions) for one in spaces.readable(access(emil))] == [(1, 1, 1)]


def test_a_state_that_cites_what_one_may_not_read_is_left_out_of_the_history(emil: User, rita: User, anna: User) -> None:
    secret, plain = knowing.cite(emil, "geheim", "drei Monate"), knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita)
    entry = knowing.claim(emil, rita, [secret], "Drei Monate.")
    change = knowing.proposed(
        "claim", by=emil, action="change", entry=entry, concept="frist", text="Zwei Wochen.", citations=[plain]
    )
    knowing.approved(change, by=rita)
    said = [[one.content.text for one in entries.history(access(who), entry)] for who in (emil, anna)]  # type: ignore[union-attr]
    assert said == [["Zwei Wochen.", "Drei Monate."], ["Zwei Wochen."]]


def test_proposals_that_cite_what_one_may_not_read_are_no_ones_to_see(emil: User, rita: User) -> None:
    secret = knowing.cite(emil, "geheim", "drei Monate")
    hidden = knowing.proposed("concept", by=emil, slug="monate", title="Monate", citations=[secret])
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    below = knowing.proposed("claim", by=emil, concept="monate", text="x", citations=[cited])
    robert = access(person("robert", ["alle"], role=Role.REVIEWER))
    assert proposals.to_review(robert).total == 0 and proposals.to_review(access(rita)).total == 2
    for one in (hidden, below):
        assert refused(lambda one=one: proposals.get(robert, one)) == "unavailable"  # type: ignore[misc]
        assert refused(lambda one=one: proposals.approve(robert, one)) == "unavailable"  # type: ignore[misc]
    assert refused(lambda: knowing.proposed("claim", by=User.objects.get(username="robert"), concept="monate",
                                            text="x", citations=[cited])) == "names_nothing"  # fmt: skip


def test_a_space_is_for_its_groups_and_its_tenant(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita)
    knowing.space(allowed=["netz"])
    stranger = person("sven", ["alle", "netz"], of=tenant("anders"), role=Role.REVIEWER)
    for other in (access(anna), access(stranger)):
        assert spaces.readable(other) == [] and entries.concepts(other).total == 0
        assert refused(lambda other=other: spaces.get(other, "handbuch")) == "unavailable"  # type: ignore[misc]
    assert entries.concepts(access(emil)).total == 1


def test_a_predecessor_that_one_may_not_read_is_not_named(emil: User, rita: User, anna: User) -> None:
    knowing.decision(emil, rita, "alt", "Alt", citations=[knowing.cite(emil, "geheim", "drei Monate")])
    entry = knowing.decision(emil, rita, "neu", "Neu", supersedes="alt")
    named = [entries.get(access(who), entry).content.supersedes for who in (emil, anna)]  # type: ignore[union-attr]
    assert named == ["alt", ""]
    old = entries.by_slug(access(emil), "decision", space="handbuch", slug="alt")
    assert [one.slug for one in entries.superseding(access(emil), old)] == ["neu"]


@pytest.mark.parametrize("asked", ["frist", " FRIST ", "dauer  in Tagen", "U\u0308bermaß", "Übermass"])
def test_a_concept_is_found_by_title_and_terms_as_keys(emil: User, rita: User, anna: User, asked: str) -> None:
    knowing.concept(emil, rita, terms=["Dauer in Tagen", "Übermaß"])
    assert [one.slug for one in entries.by_term(access(anna), asked)] == ["frist"]


@pytest.mark.parametrize("asked", ["", "fris", "frist dauer", "50%", '"frist"'])
def test_a_concept_is_found_by_nothing_else(emil: User, rita: User, anna: User, asked: str) -> None:
    knowing.concept(emil, rita, terms=["Dauer"])
    assert entries.by_term(access(anna), asked) == []


def test_lists_are_searched_for_words_as_they_stand(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita, text="Was läuft, bis etwas verfällt.")
    knowing.concept(emil, rita, "termin", "Termin")
    found = [one.content.slug for one in entries.concepts(access(anna), q=" LÄUFT,  bis").rows]  # type: ignore[union-attr]
    assert found == ["frist"]
    assert refused(lambda: entries.concepts(access(anna), q="x" * 201)) == "words_too_long"


def test_queries_of_a_list_do_not_depend_on_its_length(
    emil: User, rita: User, anna: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita)
    for more in (1, 5):
        for number in range(more):
            knowing.claim(emil, rita, [cited], f"Satz {more}.{number}")
        reader = access(anna)
        with django_assert_num_queries(6):  # number, keys, revisions, citations, documents, the text
            assert entries.claims(reader).total >= more


def test_no_list_of_all_readable_documents_is_made_to_know_who_may_read_knowledge(emil: User, rita: User) -> None:
    """With 100,000 documents it would be made anew for every list and search; each document is looked up by its key instead."""
    knowing.concept(emil, rita, citations=[knowing.cite(emil, "offen", "zwei Wochen")])
    lists: list[Callable[[Access], object]] = [proposals.to_review, entries.concepts, spaces.readable]
    for call in lists:
        with CaptureQueriesContext(connection) as asked:
            call(access(rita))
        told = [one["sql"] for one in asked if 'FROM "evidence_citation"' not in one["sql"]]
        assert told and not [sql for sql in told if re.search(r'IN \(SELECT \w+\."id"[^()]* FROM "evidence_document"', sql)]


def test_claims_whose_source_changed_are_listed_for_those_who_may_read_them(
    emil: User, rita: User, anna: User, tmp_path: Path
) -> None:
    knowing.concept(emil, rita)
    changed = knowing.claim(emil, rita, [knowing.cite(emil, "geheim", "drei Monate")], "Drei Monate.")
    knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")])
    assert affected.entries_of(access(rita)).rows == []
    write(tmp_path, {"geheim.txt": "Die Frist beträgt vier Monate."})
    run(tmp_path)
    kurt = access(person("kurt", ["alle"], role=Role.CURATOR))
    assert [one.id for one in affected.entries_of(access(rita)).rows] == [changed]
    assert not affected.entries_of(access(rita)).rows[0].standing
    assert affected.entries_of(kurt).rows == []
    assert refused(lambda: affected.entries_of(access(anna))) == "unavailable"


def test_deciding_is_written_down_in_ids_and_codes(emil: User, rita: User) -> None:
    knowing.concept(emil, rita, text="Geheime Worte")
    events = list(AuditEvent.objects.filter(code__startswith="proposal.").order_by("pk"))
    assert [(one.code, one.actor_id) for one in events] == [("proposal.made", emil.pk), ("proposal.approved", rita.pk)]
    assert {name for one in events for name in one.ids} == {"proposal", "entry", "space"}


def test_a_person_has_a_bounded_number_of_open_proposals(emil: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "MAX_OPEN", 1)
    knowing.proposed("concept", by=emil, slug="a", title="A")
    with pytest.raises(Refused, match="You have 1 open proposals"):
        knowing.proposed("concept", by=emil, slug="b", title="B")


def test_a_proposal_that_its_author_may_not_read_any_more_does_not_count(
    emil: User, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "MAX_OPEN", 1)
    knowing.proposed("concept", by=emil, slug="a", title="A", citations=[knowing.cite(emil, "geheim", SECRET)])
    assert refused(lambda: knowing.proposed("concept", by=emil, slug="b", title="B")) == "too_many_proposals"
    Membership.objects.get(user=emil).groups.remove(group("netz"))
    knowing.proposed("concept", by=emil, slug="b", title="B")


def test_only_pages_decide_about_proposals() -> None:
    """No program, token or assistant: nothing but the web calls what decides, and what sets up the demo."""
    package = Path(settings.BASE_DIR) / "evidence"
    callers = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if "tests" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"proposals.approve", "proposals.reject"}
    }
    assert callers == {"web/proposing.py", "management/curated.py"}


def test_entries_that_were_rejected_are_in_no_list(emil: User, rita: User, anna: User) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="frist", title="Frist")
    proposals.reject(access(rita), proposal, "Nein")
    assert Entry.objects.get().state == "rejected" and entries.concepts(access(emil)).total == 0
    assert entries.by_term(access(anna), "Frist") == []


def test_unavailable_is_one_answer(emil: User) -> None:
    asked: list[Callable[[Access, UUID], object]] = [entries.get, entries.history, proposals.get, proposals.withdraw]
    for call in asked:
        with pytest.raises(Unavailable):
            call(access(emil), uuid4())


def test_publishing_needs_no_space(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Nichts."})
    assert spaces.readable(access(person("anna", ["alle"]))) == []
