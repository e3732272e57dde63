"""History, origin and comparison as pages: for those who may read, and one page for all others."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

import evidence.comparison
from evidence.models import Document, Revision
from evidence.tests.builders import document, person, publish
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

OLD = "Kopf.\n\nDie Frist beträgt acht Tage.\n\nDieser Absatz wandert ans Ende hier.\n\nBleibt.\n\n" + "\n\n".join(
    f"Absatz {number} ist gleich." for number in range(9)
)
NEW = OLD.replace("acht Tage", "neun Tage").replace("Dieser Absatz wandert ans Ende hier.\n\n", "") + (
    "\n\nDieser Absatz wandert ans Ende hier."
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def changed(client: Client, tmp_path: Path) -> Document:
    """One document in two states, and somebody signed in who may read it."""
    publish(tmp_path, {"a.txt": OLD})
    publish(tmp_path, {"a.txt": NEW})
    sign_in(client, person("anna", ["alle"]))
    return document("a")


def states(row: Document) -> list[str]:
    """Ids of its texts, the oldest first."""
    return [str(revision.representations.get().public_id) for revision in Revision.objects.filter(document=row).order_by("pk")]


def comparison(row: Document, **query: object) -> str:
    old, new = states(row)
    sent = {"old": old, "new": new, **query}
    return f"/documents/{row.public_id}/compare/?" + "&".join(f"{name}={text}" for name, text in sent.items())


def test_history_lists_states_newest_first_and_sends_two_of_them_to_be_compared(client: Client, changed: Document) -> None:
    page = parsed(client.get(f"/documents/{changed.public_id}/history/"))
    old, new = states(changed)
    assert [node.attributes["href"] for node in page.css(".kept a")] == [
        f"/documents/{changed.public_id}/?representation={state}" for state in (new, old)
    ]
    assert [(node.attributes["name"], node.attributes["value"]) for node in page.css(".picks input[checked]")] == [
        ("new", new),
        ("old", old),
    ]
    assert len(page.css(".events li")) == 3


def test_origin_names_path_parser_hashes_and_run(client: Client, changed: Document) -> None:
    page = parsed(client.get(f"/documents/{changed.public_id}/provenance/"))
    facts = dict(zip(texts(page, ".pairs dt"), texts(page, ".pairs dd"), strict=True))
    assert facts["Path"] == "a.txt" and facts["Parser"].startswith("text ")
    assert changed.current is not None and changed.current.text_sha256 in facts["Text, SHA-256"]


def test_words_that_changed_are_deletions_and_insertions(client: Client, changed: Document) -> None:
    page = parsed(client.get(comparison(changed)))
    assert (texts(page, ".compare-changed del"), texts(page, ".compare-changed ins")) == (["acht"], ["neun"])


def test_passages_that_moved_lead_to_each_other(client: Client, changed: Document) -> None:
    page = parsed(client.get(comparison(changed)))
    away = value(page, ".compare-moved_away .compare-number a:last-child", "href")
    here = value(page, ".compare-moved_here .compare-number a:last-child", "href")
    assert one(page, ".compare-moved_here " + away) and one(page, ".compare-moved_away " + here)


def test_a_comparison_that_takes_too_long_says_that_both_are_shown_whole(
    client: Client, changed: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parsed(client.get(comparison(changed))).css(".notice-warn") == []
    monkeypatch.setattr(evidence.comparison, "MOST_STEPS", 0)
    page = parsed(client.get(comparison(changed)))
    assert "both are shown whole" in one(page, ".notice-warn").text()
    assert {word for word in ("acht", "neun") if word in one(page, ".compared").text()} == {"acht", "neun"}


def test_equal_stretches_are_folded_and_shown_on_demand(client: Client, changed: Document) -> None:
    page = parsed(client.get(comparison(changed)))
    assert len(page.css(".compare-gap")) == 1 and "Absatz 4 ist gleich." not in one(page, ".compared").text()
    assert "Absatz 4 ist gleich." in one(parsed(client.get(comparison(changed, all=1))), ".compared").text()


def test_asked_passage_is_shown_and_pointed_out(client: Client, changed: Document) -> None:
    page = parsed(client.get(comparison(changed, passage=8)))
    assert "Absatz 4 ist gleich." in one(page, ".compare-cited").text()
    assert parsed(client.get(comparison(changed))).css(".compare-cited") == []


def test_one_column_is_an_address_of_its_own(client: Client, changed: Document) -> None:
    assert len(parsed(client.get(comparison(changed, view="one"))).css(".compared-one")) == 1


def test_new_state_is_the_current_one_unless_told(client: Client, changed: Document) -> None:
    page = parsed(client.get(f"/documents/{changed.public_id}/compare/?old={states(changed)[0]}"))
    assert texts(page, "ins")[0] == "neun"
    same = parsed(client.get(f"/documents/{changed.public_id}/compare/?old={states(changed)[1]}"))
    assert same.css("ins, del") == []


def test_reading_pages_lead_to_history_origin_and_comparison(client: Client, changed: Document) -> None:
    earlier = f"/documents/{changed.public_id}/?representation={states(changed)[0]}&passage=1"
    links = [str(node.attributes["href"]) for node in parsed(client.get(earlier)).css(".more-links a")]
    assert [client.get(link).status_code for link in links] == [200, 200, 200]
    assert links[2].endswith(f"/compare/?old={states(changed)[0]}&passage=1#old-1")


def test_markup_stays_text(client: Client, tmp_path: Path) -> None:
    evil = '<img src=x onerror="alert(1)"></del>'
    publish(tmp_path, {"a.txt": f"{evil} eins zwei drei"})
    publish(tmp_path, {"a.txt": f"{evil} eins zwei vier"})
    Document.objects.update(title=evil, owner=evil, origin=evil)
    sign_in(client, person("anna", ["alle"]))
    row = document("a")
    for address in (comparison(row), f"/documents/{row.public_id}/history/", f"/documents/{row.public_id}/provenance/"):
        page = parsed(client.get(address))
        assert page.css("main img") == [] and texts(page, "h1") == [evil]


@pytest.mark.parametrize("groups", [[], ["netz"]])
def test_others_get_the_page_for_what_never_was(client: Client, changed: Document, groups: list[str]) -> None:
    addresses = [comparison(changed), f"/documents/{changed.public_id}/history/", f"/documents/{changed.public_id}/provenance/"]
    sign_in(client, person("ben", groups))
    unknown = [address.replace(str(changed.public_id), str(uuid4())) for address in addresses]
    pages = {main(client.get(address)) for address in addresses + unknown}
    assert len(pages) == 1 and pages.pop().startswith("404 ")


@pytest.mark.parametrize(
    "query",
    ["", "old=nonsense", "old=00000000-0000-4000-8000-000000000000", "old={0}&new=x", "old={0}&passage=-1", "old={0}&view=two"],
)
def test_states_that_are_none_are_unavailable(client: Client, changed: Document, query: str) -> None:
    address = f"/documents/{changed.public_id}/compare/?{query.format(states(changed)[0])}"
    assert client.get(address).status_code == 404


def test_history_costs_the_same_queries_however_long_it_is(
    client: Client, changed: Document, tmp_path: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    counts = set()
    for number in range(3):
        with django_assert_max_num_queries(12) as queries:
            client.get(f"/documents/{changed.public_id}/history/")
        counts.add(len(queries))
        publish(tmp_path, {"a.txt": f"{NEW} {number}"})
    assert len(counts) == 1
