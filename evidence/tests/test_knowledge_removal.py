"""What becomes of knowledge when a document that it cites is removed: its words go, and the receipt counts them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection, connections
from django.utils import timezone

from evidence import removal, retention, worker
from evidence.errors import Refused, Unavailable
from evidence.knowledge import entries, proposals
from evidence.models import Citation, Document, Entry, EntryRevision, Proposal, Receipt, Role
from evidence.tests import databases, knowing
from evidence.tests.builders import access, document, person, publish

pytestmark = pytest.mark.django_db(transaction=True)

PIECE = "Grundpreis Ziegenkäsekuchen"


@pytest.fixture
def emil(tmp_path: Path) -> User:
    """An editor; two documents that everybody may read."""
    publish(tmp_path, {"a.txt": f"Der {PIECE} beträgt zwei Euro.", "b.txt": "Ganz andere Worte."})
    knowing.space()
    return person("emil", ["alle"], role=Role.EDITOR)


@pytest.fixture
def rita() -> User:
    """A reviewer."""
    return person("rita", ["alle"], role=Role.REVIEWER)


def purged(name: str = "a") -> Receipt:
    """The receipt of a document that is removed, and wiped."""
    receipt = removal.request_purge(document(name))
    worker.run_due()
    worker.run_due()
    return Receipt.objects.get(pk=receipt.pk)


def all_words() -> str:
    """Everything that the tables of knowledge say, as the database has it."""
    told = []
    with connection.cursor() as cursor:
        for model in (Entry, EntryRevision, Proposal):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(model._meta.db_table)}")
            told += [str(value).encode().decode("unicode_escape", "ignore") for row in cursor.fetchall() for value in row]
    return " ".join(told)


def test_words_of_claims_that_cite_it_go_and_the_receipt_counts_them(emil: User, rita: User) -> None:
    cited = knowing.cite(emil, "a", PIECE)
    knowing.concept(emil, rita)
    claim = knowing.claim(emil, rita, [cited], f"{PIECE}: zwei Euro.", subject=PIECE, property="Preis", value="zwei")
    knowing.proposed("claim", by=emil, concept="frist", text=f"{PIECE} neu", citations=[cited], why=PIECE)
    receipt = purged()
    assert (receipt.counts["claims"], receipt.counts["concepts"], receipt.finished_at is not None) == (2, 0, True)
    assert "Ziegenk" not in all_words()
    assert [(row.state, row.subject) for row in Entry.objects.filter(public_id=claim)] == [("deprecated", "")]
    with pytest.raises(Unavailable):
        entries.get(access(emil), claim)
    assert proposals.own(access(emil)).total == 1 and proposals.to_review(access(rita)).total == 0  # the concept's


def test_a_concept_that_cited_it_makes_room_for_a_new_one_which_gets_its_claims(emil: User, rita: User) -> None:
    knowing.concept(emil, rita, text=PIECE, terms=[PIECE], citations=[knowing.cite(emil, "a", PIECE)])
    knowing.claim(emil, rita, [knowing.cite(emil, "b", "andere Worte")], "Bleibt.")
    assert purged().counts["concepts"] == 1
    assert "Ziegenk" not in all_words() and entries.claims(access(emil)).total == 0
    knowing.concept(emil, rita)
    assert [one.content.text for one in entries.claims(access(emil), concept="frist").rows] == ["Bleibt."]  # type: ignore[union-attr]


def test_only_the_states_that_cited_it_lose_their_words(emil: User, rita: User) -> None:
    knowing.concept(emil, rita)
    entry = knowing.claim(emil, rita, [knowing.cite(emil, "a", PIECE)], PIECE)
    other = knowing.cite(emil, "b", "andere Worte")
    change = knowing.proposed(
        "claim", by=emil, action="change", entry=entry, concept="frist", text="Andere Worte.", citations=[other]
    )
    knowing.approved(change, by=rita)
    assert purged().counts["claims"] == 1
    read = entries.get(access(emil), entry)
    assert (read.state, [one.number for one in entries.history(access(emil), entry)]) == ("accepted", [2])
    assert "Ziegenk" not in all_words()


def test_what_cites_something_else_stays(emil: User, rita: User) -> None:
    knowing.concept(emil, rita)
    claim = knowing.claim(emil, rita, [knowing.cite(emil, "b", "andere Worte")])
    receipt = purged()
    assert (receipt.counts["claims"], receipt.counts["translations"]) == (0, 0)
    assert entries.get(access(emil), claim).standing


def test_words_of_a_removed_document_that_an_entry_holds_by_right_are_no_remains(emil: User, rita: User) -> None:
    sentence = f"Der {PIECE} beträgt zwei Euro."
    knowing.cite(emil, "a", PIECE)
    knowing.concept(emil, rita, text=sentence)
    assert purged().finished_at is not None


def test_citations_that_knowledge_stands_on_are_kept_however_old(emil: User, rita: User, settings: LazySettings) -> None:
    """Without them nobody could tell who may read the claim."""
    settings.KEEP = dict.fromkeys(settings.KEEP) | {"citations": timedelta(days=1)}
    knowing.concept(emil, rita)
    used, waiting, old = (knowing.cite(emil, "a", words) for words in (PIECE, "beträgt", "zwei Euro"))
    claim = knowing.claim(emil, rita, [used])
    knowing.proposed("claim", by=emil, concept="frist", text="x", citations=[waiting])
    retention.apply(now=timezone.now() + timedelta(days=2))
    assert set(Citation.objects.values_list("public_id", flat=True)) == {used, waiting} and old
    assert entries.get(access(emil), claim).standing


def test_an_entry_whose_citation_is_gone_is_nobodys_to_read(emil: User, rita: User) -> None:
    knowing.concept(emil, rita)
    cited = knowing.cite(emil, "a", PIECE)
    claim = knowing.claim(emil, rita, [cited])
    knowing.proposed("claim", by=emil, concept="frist", text="x", citations=[cited])
    Citation.objects.all().delete()
    with pytest.raises(Unavailable):
        entries.get(access(emil), claim)
    assert entries.claims(access(emil)).rows == [] and proposals.to_review(access(rita)).rows == []


@databases.postgresql
def test_a_document_is_removed_while_somebody_approves_what_cites_it_and_neither_waits_for_the_other(
    emil: User, rita: User
) -> None:
    """The approval has seen both documents, and waits for the first one, which a run is changing; the second one leaves."""
    cited = [knowing.cite(emil, "a", PIECE), knowing.cite(emil, "b", "andere Worte")]
    proposal = knowing.proposed("concept", by=emil, slug="frist", title=PIECE, citations=cited)
    first, second = sorted([document("a"), document("b")], key=lambda row: row.pk)
    with ThreadPoolExecutor(2) as pool:
        with held(first):
            approval = pool.submit(alone, lambda: proposals.approve(access(rita), proposal))
            wait_for(lambda: waiting() == 1)
            purge = pool.submit(alone, lambda: removal.purge(removal.request_purge(second).pk))
            wait_for(lambda: purge.done() or waiting() == 2)
        assert purge.result() is None
        with pytest.raises(Refused, match="decided already"):
            approval.result()
    assert PIECE not in all_words()


@contextmanager
def held(row: Document) -> Iterator[None]:
    """While somebody else is changing this document."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT id FROM evidence_document WHERE id = %s FOR UPDATE", [row.pk])
            yield
    finally:
        other.close()


def alone(call: Callable[[], object]) -> object:
    """What it gives, called with connections of its own."""
    try:
        return call()
    finally:
        connections.close_all()


def waiting() -> int:
    """How many others of this database wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        return int(cursor.fetchone()[0])


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not what():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)
