"""Citing and citations as pages: every state through real changes, what stays text, what is the same to the byte, the cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from selectolax.lexbor import LexborHTMLParser

from evidence import annotation, citations, formats, profile, removal, representations, worker
from evidence.anchoring import Parser
from evidence.models import Citation, Document, Membership, Passage
from evidence.tests.builders import access, document, person, publish, rules, run, tenant, write
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt 🔧 mit dem Zugang.\n\nMehr steht hier nicht."
EVIL = '</textarea></script><img src=x onerror="alert(1)">{{ x }} "&amp;'
QUERIES_OF_A_CITATION = 17
"""Session, person, 4 for the Access, 4 to open and resolve it, 3 for the text with its mark, the tenants in the page's head."""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path: Path, client: Client) -> Path:
    """One document, and Anna, who may read it, signed in."""
    publish(tmp_path, {"a.txt": TEXT})
    sign_in(client, person("anna", ["alle"]))
    return tmp_path


def anna() -> User:
    return User.objects.get(username="anna")


def cited(words: str = "acht Tage") -> UUID:
    """A citation of these words by Anna."""
    return citations.cite_words(access(anna()), document("a").public_id, exact=words)


def place(quote: str, text: str = TEXT, **more: object) -> dict[str, object]:
    """What a form sends to cite these words of the current state."""
    current = document("a").current
    assert current is not None
    start = text.index(quote)
    return {"representation": current.public_id, "start": start, "end": start + len(quote), **more}


def page_of(client: Client, citation: UUID) -> LexborHTMLParser:
    return parsed(client.get(f"/citations/{citation}/"))


def state_on(page: LexborHTMLParser) -> str:
    return value(page, ".worth .state", "data-state")


# Making one


def test_whole_passage_is_cited_from_a_hit_and_from_the_reading_page(client: Client, folder: Path) -> None:
    row = document("a")
    assert row.current is not None
    reading = f"/documents/{row.public_id}/?representation={row.current.public_id}&passage=0"
    for address in ("/?q=acht", reading):
        form = one(parsed(client.get(address)), ".cite-passage")
        sent = {field.attributes["name"] or "": field.attributes["value"] or "" for field in form.css("input")}
        response = client.post(str(form.attributes["action"]), sent)
        assert response.status_code == 302
        assert Citation.objects.latest("pk").exact == "Die Frist beträgt acht Tage."


def test_selection_over_several_passages_is_cited_to_the_code_point(client: Client, folder: Path) -> None:
    words = "Tage.\n\nSie beginnt 🔧"
    response = client.post(
        f"/documents/{document('a').public_id}/cite/", place(words, seen=words.replace("\n", "\r\n")), follow=True
    )
    page = parsed(response)
    assert texts(page, ".cited-words") == [words]
    assert [node.text() for node in page.css("#text mark.cited")] == ["Tage.\n\n", "Sie beginnt 🔧"]
    assert "has been made" in response.content.decode()


def test_words_other_than_were_seen_are_not_cited(client: Client, folder: Path) -> None:
    response = client.post(f"/documents/{document('a').public_id}/cite/", place("acht Tage", seen="neun Tage"))
    assert (response.status_code, Citation.objects.count()) == (400, 0)


def test_half_a_character_is_refused_and_the_whole_one_is_offered(client: Client, folder: Path) -> None:
    text = "Team 👩‍🔧 kommt."
    publish(folder, {"a.txt": text})
    response = client.post(f"/documents/{document('a').public_id}/cite/", place("Team 👩", text))
    page = parsed(response)
    assert (response.status_code, Citation.objects.count()) == (400, 0)
    assert texts(page, ".cited-words") == ["Team 👩", "Team 👩‍🔧"]
    sent = {str(field.attributes["name"]): str(field.attributes["value"]) for field in page.css("main form input")}
    client.post(f"/documents/{document('a').public_id}/cite/", sent)
    assert Citation.objects.get().exact == "Team 👩‍🔧"


def test_ambiguous_words_are_refused_with_the_way_back_to_their_place(client: Client, folder: Path) -> None:
    publish(folder, {"a.txt": "\n\n".join(["weggefallen"] * 40)})
    passage = Passage.objects.get(representation=document("a").current, number=20)
    sent = place("weggefallen", "weggefallen") | {"start": passage.start, "end": passage.end}
    response = client.post(f"/documents/{document('a').public_id}/cite/", sent, headers={"accept-language": "en"})
    assert response.status_code == 409
    assert "Select more" in response.content.decode()
    assert "passage=20#p-20" in value(parsed(response), ".buttons .button", "href")


def test_outdated_state_is_refused_with_the_way_to_the_current_one(client: Client, folder: Path) -> None:
    sent = place("acht Tage")
    publish(folder, {"a.txt": "Neu."})
    response = client.post(f"/documents/{document('a').public_id}/cite/", sent)
    assert response.status_code == 409
    assert value(parsed(response), ".button-main", "href") == f"/documents/{document('a').public_id}/"


@pytest.mark.parametrize("change", [{"start": 5, "end": 5}, {"end": 10_000_000}, {"start": 9, "end": 2}])
def test_range_that_is_none_is_refused(client: Client, folder: Path, change: dict[str, object]) -> None:
    response = client.post(f"/documents/{document('a').public_id}/cite/", place("acht") | change)
    assert (response.status_code, Citation.objects.count()) == (400, 0)


def test_only_who_may_read_may_cite_and_only_from_our_own_pages(client: Client, folder: Path) -> None:
    address, sent = f"/documents/{document('a').public_id}/cite/", place("acht Tage")
    assert client.get(address).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    sign_in(strict, anna())
    assert strict.post(address, sent).status_code == 403
    sign_in(client, person("ida", ["netz"]))
    assert client.post(address, sent).status_code == 404
    assert Citation.objects.count() == 0


def test_earlier_state_offers_no_citing(client: Client, folder: Path) -> None:
    current = document("a").current
    publish(folder, {"a.txt": "Neu."})
    assert current is not None
    page = parsed(client.get(f"/documents/{document('a').public_id}/?representation={current.public_id}&passage=0"))
    assert page.css("form#cite, .cite-passage") == []


# Every state


def another_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(folder, {"a.txt": "Vorweg.\n\n" + TEXT})


def another_label(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]\nversion = "2"'))})
    run(folder)


def another_parser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats.FORMATS, ".txt", replace(formats.FORMATS[".txt"], parser=Parser("text", "2", "other")))
    run(folder)


def another_profile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(representations, "PROFILE", profile.PROFILE + " other")
    run(folder)


def nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves all as it is."""


CHANGES: list[tuple[Callable[[Path, pytest.MonkeyPatch], None], dict[str, object], str, bool]] = [
    (nothing, {}, "resolved", False),
    (another_source, {}, "source_changed", True),
    (another_label, {}, "source_changed", True),
    (another_parser, {}, "parser_changed", True),
    (another_profile, {}, "profile_changed", True),
    (another_source, {"exact": "neun Tage"}, "source_changed", False),
    (another_parser, {"exact": "neun Tage"}, "parser_changed", False),
    (another_profile, {"prefix": "Das "}, "profile_changed", False),
    (nothing, {"text_sha256": "0" * 64}, "text_changed", False),
    (nothing, {"exact": "neun Tage"}, "quote_not_found", False),
    (nothing, {"exact": "e", "prefix": "", "suffix": ""}, "ambiguous", False),
    (nothing, {"start": 3, "end": 12}, "position_mismatch", False),
    (nothing, {"start": 12, "end": 3}, "invalid_anchor", False),
]


@pytest.mark.parametrize(("change", "tampering", "state", "historical"), CHANGES)
def test_every_state_has_its_page_and_shows_a_text_only_where_the_words_are_proven(
    client: Client,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, pytest.MonkeyPatch], None],
    tampering: dict[str, object],
    state: str,
    historical: bool,
) -> None:
    citation = cited()
    change(folder, monkeypatch)
    Citation.objects.filter(public_id=citation).update(**tampering)
    page = page_of(client, citation)
    assert state_on(page) == state
    proven = historical or state == "resolved"
    assert texts(page, "#text mark.cited") == (["acht Tage"] if proven else [])
    assert (page.css_first("#anchor") is not None) is proven
    assert (page.css_first(".reading-earlier") is not None) is historical
    assert len(page.css(".copies textarea")) == (5 if proven else 2)


def test_what_is_checked_in_the_browser_is_the_anchor_of_the_shown_text(client: Client, folder: Path) -> None:
    citation = cited("Tage.\n\nSie")
    publish(folder, {"a.txt": "Neu."})
    page = page_of(client, citation)
    anchor = json.loads(one(page, "#anchor").text())
    text = one(page, "#text").text()
    assert text == TEXT and text[anchor["start"] : anchor["end"]] == anchor["exact"] == "Tage.\n\nSie"
    assert value(page, "#text", "data-sha256") == anchor["text_sha256"]


def test_changed_citation_names_both_values_and_leads_to_the_cited_place_of_the_comparison(client: Client, folder: Path) -> None:
    citation = cited("Zugang")
    publish(folder, {"a.txt": TEXT.replace("Zugang", "Erhalt")})
    page = page_of(client, citation)
    assert len(page.css(".differs tbody tr")) == 2
    link = next(node.attributes["href"] for node in page.css(".steps a") if "/compare/" in str(node.attributes["href"]))
    compared = parsed(client.get(str(link)))
    assert texts(compared, ".compare-cited del") == ["Zugang"] and str(link).endswith("#old-1")
    assert one(compared, "#old-1")


def test_successor_and_predecessor_lead_to_each_other(client: Client, folder: Path) -> None:
    old, new = cited(), cited("Zugang")
    Citation.objects.filter(public_id=new).update(supersedes=Citation.objects.get(public_id=old))
    assert value(page_of(client, old), ".worth-chain a", "href") == f"/citations/{new}/"
    assert value(page_of(client, new), ".worth-chain a", "href") == f"/citations/{old}/"


def test_markup_in_quotes_and_titles_stays_text(client: Client, folder: Path) -> None:
    publish(folder, {"a.txt": f"{EVIL}\n\nEnde."})
    citation = cited(EVIL)
    for state in ("now", "later"):
        Document.objects.update(title=EVIL)
        page = page_of(client, citation)
        assert page.css("main img, #text script") == []
        assert texts(page, "h1") == [EVIL] and texts(page, ".cited-words") == [EVIL]
        assert EVIL in one(page, "#copy-text").text()
        assert "<img" not in one(page, "#copy-html").text() and "\\<img" in one(page, "#copy-markdown").text()
        assert json.loads(one(page, "#copy-json").text())["exact"] == EVIL
        assert parsed(client.get("/citations/")).css("main img") == []
        publish(folder, {"a.txt": f"Neu {state}."})


# Unavailable


def test_unavailable_is_one_page_to_the_byte_with_the_same_headers_and_queries(
    client: Client, folder: Path, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    deleted, forbidden = cited(), None
    worker.run_due()
    removal.request_purge(document("a"))
    worker.run_due()
    publish(tmp_path / "n", {"a.txt": TEXT})
    forbidden = cited()
    other = tenant("kinderhaus")
    publish(tmp_path / "k", {"k.txt": TEXT}, of=other)
    kim = person("kim", ["alle"], of=other)
    foreign = citations.cite_words(access(kim), document("k", of=other).public_id, exact="Zugang")
    sign_in(client, person("ida", ["netz"]))
    seen, queries = set(), set()
    for citation in (deleted, forbidden, foreign, uuid4()):
        with django_assert_num_queries(8) as counted:
            response = client.get(f"/citations/{citation}/")
        headers = {name: text for name, text in response.headers.items() if name not in {"Content-Security-Policy", "Set-Cookie"}}
        seen.add((main(response), json.dumps(headers)))
        queries.add(len(counted))
    assert len(seen) == 1 and len(queries) == 1
    assert "404 " in next(iter(seen))[0]


def test_citation_is_gone_with_the_right(client: Client, folder: Path) -> None:
    citation = cited()
    assert client.get(f"/citations/{citation}/").status_code == 200
    Membership.objects.get(user=anna()).groups.clear()
    response = client.get(f"/citations/{citation}/")
    assert response.status_code == 404 and "acht Tage" not in response.content.decode()
    page = parsed(client.get("/citations/"))
    assert texts(page, ".row code") == [str(citation)]
    assert value(page, ".row .state", "data-state") == "unavailable" and "Frist" not in one(page, "main").text()


# One's own


def test_own_citations_come_newest_first_with_states_and_a_notice(client: Client, folder: Path) -> None:
    cited(), cited("Zugang")
    page = parsed(client.get("/citations/"))
    assert texts(page, ".row-quote") == ["Zugang", "acht Tage"] and page.css(".notice") == []
    publish(folder, {"a.txt": "Neu."})
    page = parsed(client.get("/citations/"))
    assert [node.attributes["data-state"] for node in page.css(".row .state")] == ["source_changed"] * 2
    assert len(page.css(".notice-warn")) == 1


def test_others_see_nothing_of_them_in_their_list(client: Client, folder: Path) -> None:
    cited()
    sign_in(client, person("max", ["alle"]))
    assert parsed(client.get("/citations/")).css(".row") == []


def test_list_is_filtered_by_state_and_by_document(client: Client, folder: Path) -> None:
    cited()
    publish(folder, {"b.txt": "Anderes Werk."})
    other = citations.cite_words(access(anna()), document("b").public_id, exact="Werk")
    publish(folder, {"a.txt": "Neu."})
    for query, expected in (
        ("state=resolved", ["Werk"]),
        ("state=changed", ["acht Tage"]),
        ("state=source_changed", ["acht Tage"]),
        (f"document={document('b').public_id}", ["Werk"]),
        (f"document={uuid4()}", []),
        (f"state=source_changed&document={document('b').public_id}", []),
    ):
        assert texts(parsed(client.get(f"/citations/?{query}")), ".row-quote") == expected
    assert client.get("/citations/?state=nonsense").status_code == 404
    assert client.get(f"/citations/{other}/").status_code == 200


def test_checking_all_goes_in_steps_that_say_how_far_they_are(client: Client, folder: Path) -> None:
    first = Citation.objects.get(public_id=cited())
    for _ in range(60):
        Citation.of(first.anchor, tenant_id=first.tenant_id, author_id=first.author_id, document_id=first.document_id).save()
    Citation.objects.filter(pk=first.pk).update(exact="neun Tage")
    step = client.get("/citations/recheck/", headers={"hx-request": "true"})
    assert value(parsed(step), "progress", "value") == "50"
    following = value(parsed(step), "#recheck-step", "hx-get")
    last = parsed(client.get(following, headers={"hx-request": "true"}))
    assert (value(last, "progress", "value"), len(last.css(".row"))) == ("61", 1)
    assert last.css("[hx-get]") == [] and len(last.css(".notice-warn")) == 1
    assert len(parsed(client.get("/citations/recheck/")).css("header")) == 1


def test_lists_cost_the_same_queries_however_long_they_are(
    client: Client, folder: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    first = Citation.objects.get(public_id=cited())
    client.get("/citations/")
    with django_assert_max_num_queries(15) as few:
        client.get("/citations/")
    for _ in range(40):
        Citation.of(first.anchor, tenant_id=first.tenant_id, author_id=first.author_id, document_id=first.document_id).save()
    with django_assert_max_num_queries(15) as many:
        client.get("/citations/")
    assert len(few) == len(many)


def test_page_of_a_citation_costs_few_queries(
    client: Client, folder: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    citation = cited()
    with django_assert_num_queries(QUERIES_OF_A_CITATION):
        client.get(f"/citations/{citation}/")


# Pasted ones


def states_of(response: object) -> list[str]:
    return [str(node.attributes["data-state"]) for node in parsed(response).css(".row .state")]


def test_pasted_ids_addresses_and_anchors_are_checked_in_their_order(client: Client, folder: Path) -> None:
    citation = cited()
    anchor = citations.get(access(anna()), citation).anchor.to_dict()
    lines = f"{citation}\nhttps://example.org/citations/{citation}/\nunsinn\n{uuid4()}"
    assert states_of(client.post("/citations/check/", {"given": lines})) == ["resolved", "resolved", "none", "unavailable"]
    pasted = json.dumps(
        [anchor, {**anchor, "exact": "neun"}, {"document": str(uuid4())}, str(citation), 7, {**anchor, "start": "x"}]
    )
    expected = ["resolved", "quote_not_found", "unavailable", "resolved", "none", "invalid_anchor"]
    assert states_of(client.post("/citations/check/", {"given": pasted})) == expected


def test_a_pasted_annotation_is_checked_by_its_own_words_not_by_its_id(client: Client, folder: Path) -> None:
    found = citations.get(access(anna()), cited())
    about = {"id": f"https://example.org/citations/{found.id}/", "created": found.created_at, "creator": found.author}
    source = f"https://example.org/documents/{found.anchor.state.document}/"
    words = (found.anchor, replace(found.anchor, exact="neun Tage"))
    pasted = json.dumps([annotation.export(anchor, source=source, **about) for anchor in words])  # type: ignore[arg-type]
    assert states_of(client.post("/citations/check/", {"given": pasted})) == ["resolved", "quote_not_found"]


def test_an_export_can_be_pasted(client: Client, folder: Path) -> None:
    cited(), cited("Zugang")
    exported = client.get("/citations/export/citations.json").content.decode()
    publish(folder, {"a.txt": "Neu."})
    assert states_of(client.post("/citations/check/", {"given": exported})) == ["source_changed"] * 2


@pytest.mark.parametrize("given", ["{", "[" * 100_000, '{"exact": '])
def test_broken_json_is_refused_with_the_reason(client: Client, folder: Path, given: str) -> None:
    response = client.post("/citations/check/", {"given": given}, headers={"accept-language": "en"})
    assert response.status_code == 400 and "JSON" in texts(parsed(response), "[role=alert]")[0]


@pytest.mark.parametrize("given", ['["\\ud83d"]', '{"document": "\\ud83d", "exact": "\\ud83d"}', "", "\n\n", "[null, []]"])
def test_whatever_is_pasted_gets_an_answer(client: Client, folder: Path, given: str) -> None:
    assert client.post("/citations/check/", {"given": given}).status_code == 200


def test_too_many_are_refused(client: Client, folder: Path) -> None:
    given = "\n".join(str(uuid4()) for _ in range(501))
    assert client.post("/citations/check/", {"given": given}).status_code == 400


def test_pasted_anchor_of_a_document_that_may_not_be_read_is_as_unavailable_as_one_that_never_was(
    client: Client, folder: Path
) -> None:
    anchor = citations.get(access(anna()), cited()).anchor.to_dict()
    sign_in(client, person("ida", ["netz"]))
    pages = set()
    for which in (anchor, {**anchor, "document": str(uuid4())}):
        page = parsed(client.post("/citations/check/", {"given": json.dumps([which])}))
        pages.add(one(page, ".rows").html)
    assert len(pages) == 1
