"""The search page: what three people see, what stays text, what is refused, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence.models import Document, Source
from evidence.tests.builders import document, group, person, publish, rules, run, write
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

QUERIES_OF_A_SEARCH = 19
"""Session, person, 4 for the Access, 7 for the search and 4 for disputes; further results do without the concept of that name and
the tenants."""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """Two documents: one that all may read, one that only the grid may."""
    publish(tmp_path / "alle", {"urlaub.md": "# Urlaub\n\nDer Antrag kommt vor dem Urlaub."})
    publish(tmp_path / "netz", {"netz.md": "# Netz\n\nDer Antrag kommt ins Netz."}, allowed='["group:netz"]', source="netz")
    return tmp_path


def test_hit_shows_the_whole_passage_with_its_words_marked(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "antrag"}))
    assert texts(page, ".quote") == ["Der Antrag kommt vor dem Urlaub."]
    assert texts(page, ".quote mark") == ["Antrag"]
    assert texts(page, ".hit-title") == ["Urlaub"]


def test_hit_opens_its_document_in_the_state_that_was_found(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    link = value(parsed(client.get("/", {"q": "antrag"})), "[data-open]", "href")
    row = document("urlaub")
    assert row.current is not None
    assert link == f"/documents/{row.public_id}/?representation={row.current.public_id}&passage=1&q=antrag#p-1"
    assert client.get(link).status_code == 200


def test_each_person_finds_what_that_person_may_read(client: Client, handbook: Path) -> None:
    for name, groups, found in (("all", ["alle", "netz"], 2), ("part", ["alle"], 1), ("none", [], 0)):
        sign_in(client, person(name, groups))
        assert len(texts(parsed(client.get("/", {"q": "antrag"})), ".quote")) == found


def test_page_is_the_same_to_the_byte_with_and_without_what_may_not_be_read(client: Client, tmp_path: Path) -> None:
    publish(tmp_path / "a", {"urlaub.md": "Der Antrag kommt vor dem Urlaub."})
    sign_in(client, person("anna", ["alle"]))
    questions = [{"q": "antrag"}, {"q": "netz"}, {"q": "antrag netz"}, {"q": ""}, {"q": "antrag", "source": "handbuch"}]
    before = [main(client.get("/", question)) for question in questions]
    publish(tmp_path / "n", {"netz.md": "Der Antrag kommt ins Netz. " * 50}, allowed='["group:netz"]', source="netz")
    assert [main(client.get("/", question)) for question in questions] == before


@pytest.mark.parametrize("groups", [["fremd"], []])
def test_who_may_read_nothing_is_told_so_without_an_error(client: Client, handbook: Path, groups: list[str]) -> None:
    sign_in(client, person("clara", groups))
    for question in ({}, {"q": "antrag"}):
        response = client.get("/", question, headers={"accept-language": "en"})
        assert response.status_code == 200
        assert "There is nothing here yet that you may read" in response.content.decode()
        assert "lindenau@example.org" in response.content.decode()


def test_inactive_person_belongs_to_no_tenant(client: Client, handbook: Path) -> None:
    sign_in(client, person("dirk", ["alle"], active=False))
    response = client.get("/", {"q": "antrag"}, headers={"accept-language": "en"})
    assert "belong to no active tenant" in response.content.decode()
    assert "Urlaub" not in response.content.decode()


def test_markup_in_titles_passages_and_questions_stays_text(client: Client, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    publish(tmp_path, {"x.txt": f"{evil} Wort"})
    type(document("x")).objects.update(title=evil)
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": f"script {evil}"[:40] + " wort"}))
    assert texts(page, ".hit-title") == [evil]
    assert texts(page, ".quote") == [f"{evil} Wort"]
    assert page.css("main script, main img") == []


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("a" * 201, "The query has 201 characters; at most 200 are possible."),
        (" ".join("abcdefghijklm"), "The query has 13 different words; at most 12 are possible."),
        ("a\tb", "The query holds a control character"),
        ("a" * 41, "A word of the query is longer than 40 characters."),
    ],
)
def test_refused_question_says_exactly_why(client: Client, handbook: Path, question: str, reason: str) -> None:
    sign_in(client, person("anna", ["alle"]))
    response = client.get("/", {"q": question}, headers={"accept-language": "en"})
    assert response.status_code == 400
    assert reason in texts(parsed(response), "[role=alert]")[0]


def test_refusal_is_said_in_german_too(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    response = client.get("/", {"q": "a" * 201}, headers={"accept-language": "de"})
    assert "201 Zeichen; möglich sind höchstens 200" in texts(parsed(response), "[role=alert]")[0]


@pytest.mark.parametrize("offset", ["-1", "10001", "x", "1.5", "9" * 20])
def test_offset_out_of_range_is_refused(client: Client, handbook: Path, offset: str) -> None:
    sign_in(client, person("anna", ["alle"]))
    assert client.get("/", {"q": "antrag", "offset": offset}).status_code == 400


def test_nothing_found_names_words_that_occur_nowhere_and_whom_to_ask(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "antrag quastenflosser"}))
    assert texts(page, ".absent li") == ["quastenflosser"]
    assert "lindenau@example.org" in texts(page, ".none")[0]


def test_question_of_punctuation_finds_nothing_and_says_why(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    response = client.get("/", {"q": "§ %"}, headers={"accept-language": "en"})
    assert "The question holds no word" in response.content.decode()


def test_filters_narrow_and_can_be_taken_out_by_a_link(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle", "netz"]))
    page = parsed(client.get("/", {"q": "antrag"}))
    narrowed = parsed(client.get("/" + value(page, "#filter-source-netz", "href")))
    assert len(texts(narrowed, ".quote")) == 1
    widened = parsed(client.get("/" + value(narrowed, "[aria-current=true].option", "href")))
    assert len(texts(widened, ".quote")) == 2


def test_more_results_come_as_a_page_and_as_a_fragment(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"viel.txt": "\n\n".join(f"Wort {n}" for n in range(25))})
    sign_in(client, person("anna", ["alle"]))
    more = value(parsed(client.get("/", {"q": "wort"})), "#more a", "href")
    page = parsed(client.get(f"/{more}"))
    fragment = parsed(client.get(f"/{more}", headers={"hx-request": "true", "hx-target": "more"}))
    assert texts(fragment, ".quote") == texts(page, ".quote")
    assert len(texts(page, ".quote")) == 10
    assert fragment.css("form:not(.cite-passage), header") == []


def test_withheld_source_is_named_with_its_contact(client: Client, handbook: Path) -> None:
    Source.objects.filter(name="netz").update(kind="folder", rights_confirmed_at=None, contact="Leitstelle", title="Netzarchiv")
    Source.objects.get(name="netz").announced_to.add(group("netz"))
    sign_in(client, person("ben", ["alle", "netz"]))
    page = parsed(client.get("/", {"q": "antrag"}))
    assert "Netzarchiv" in texts(page, ".withheld")[0]
    assert "Leitstelle" in texts(page, ".withheld")[0]
    assert len(texts(page, ".quote")) == 1


def test_table_row_stands_below_the_headings_of_its_columns(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"preise.md": "# Preise\n\n| Art | Preis |\n|---|---|\n| Strom | 30 ct |\n"})
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "strom"}))
    assert texts(page, ".hit-column") == ["Art", "Preis"]
    assert texts(page, ".quote") == ["Strom", "30 ct"]


@pytest.mark.parametrize("target", [None, "results", "more"])
def test_queries_do_not_depend_on_the_number_of_hits(
    client: Client, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries, target: str | None
) -> None:
    texts_of = {f"{n}.md": f"# Titel\n\nWort einmal{'' if n else ' allein'} {n}" for n in range(10)}
    publish(tmp_path, texts_of)
    sign_in(client, person("anna", ["alle"]))
    headers = {"hx-request": "true", "hx-target": target} if target else {}
    for question, hits in (("allein", 1), ("wort", 10)):
        with django_assert_num_queries(QUERIES_OF_A_SEARCH - (2 if target == "more" else 0)):
            response = client.get("/", {"q": question}, headers=headers)
        assert len(texts(parsed(response), ".quote")) == hits


def test_earlier_versions_are_found_and_labelled_when_they_are_asked_for(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": "Frist acht Tage."})
    publish(tmp_path, {"a.md": "Frist neun Tage."})
    sign_in(client, person("anna", ["alle"]))
    assert texts(parsed(client.get("/", {"q": "acht"})), ".quote") == []
    page = parsed(client.get("/", {"q": "acht", "earlier": "1"}))
    assert (texts(page, ".quote"), texts(page, ".hit-earlier")) == (["Frist acht Tage."], ["Earlier version"])
    assert page.css_first("input[name=earlier][checked]") is not None
    assert texts(page, ".hit-actions form") == []  # only the current text is cited


def test_a_hit_of_an_earlier_version_does_not_bear_what_the_document_is_now(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": "Frist acht Tage."})
    publish(tmp_path, {"a.md": "Frist neun Tage."})
    sign_in(client, person("anna", ["alle"]))
    page = {"q": "Tage", "earlier": "1"}
    for change in (
        {"valid_from": "2026-07-01"},
        {"valid_until": "2026-07-01"},
        {"valid_from": "2999-01-01"},
        {"status": "draft"},
    ):
        Document.objects.update(**{"status": "valid", "valid_from": None, "valid_until": None} | change)
        hits = parsed(client.get("/", page, headers={"accept-language": "en"})).css(".hit")
        told = {"Earlier" in hit.text(): [part.text(strip=True) for part in hit.css(".facts > div")] for hit in hits}
        assert len(told[False]) > len(told[True])
        assert not any(word in fact.lower() for fact in told[True] for word in ("valid", "draft", "expired"))


def test_a_document_that_holds_only_later_is_filtered_by_what_its_source_says_of_it(client: Client, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "Frist acht Tage.", "b.md": "Frist neun Tage."})
    later, draft = ("a*", "valid_from = 2999-01-01"), ("b*", 'status = "draft"')
    write(tmp_path, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'), later, draft)})
    run(tmp_path)
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "Frist", "status": "valid"}, headers={"accept-language": "en"}))
    assert texts(page, ".hit .badge-warn") == ["Valid only from 1 Jan 2999"]
    assert "Status given by the source" in texts(page, ".filters h2") and one(page, "#filter-status-valid")


WIDER = {"mode": "wider"}


def test_exact_is_the_default_and_each_mode_is_one_press_away(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    for question, pressed in ({"q": "antrag"}, "exact"), ({"q": "antrag", **WIDER}, "wider"):
        page = parsed(client.get("/", question))
        states = {
            node.attributes["value"]: node.attributes["aria-pressed"] for node in page.css("#search #mode button[name=mode]")
        }
        assert states == {mode: "true" if mode == pressed else "false" for mode in ("exact", "wider")}
        assert one(page, "#go").attributes.get("value") == ("wider" if pressed == "wider" else None)


@pytest.mark.parametrize(("mode", "does_not"), [("exact", "words spread over"), ("wider", "answer that is put together from")])
def test_where_nothing_is_found_the_page_says_what_this_mode_does_not_do(
    client: Client, handbook: Path, mode: str, does_not: str
) -> None:
    sign_in(client, person("anna", ["alle"]))
    told = texts(parsed(client.get("/", {"q": "xyzzyq", "mode": mode}, headers={"accept-language": "en"})), ".none li")
    assert [line for line in told if "several passages" in line] == [f"no {does_not} several passages"]
    assert any("other forms" in line for line in told) is (mode == "exact")


def test_where_nothing_is_found_a_wider_search_is_offered_that_keeps_the_rest(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "antrag quastenflosser", "source": "handbuch", "earlier": "1"}))
    link = value(page, ".none .button-main", "href")
    assert link == "?q=antrag+quastenflosser&source=handbuch&earlier=1&mode=wider"
    wider = parsed(client.get("/" + link))
    assert texts(wider, ".quote") == ["Der Antrag kommt vor dem Urlaub."]
    assert one(wider, "input[name=earlier][checked]") and value(wider, "#results input[name=source]", "value") == "handbuch"


def test_a_question_too_long_for_the_exact_mode_is_offered_to_the_wider_one(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    question = "Antrag " + " ".join(f"w{n}" for n in range(12))
    page = parsed(client.get("/", {"q": question}))
    assert len(texts(parsed(client.get("/" + value(page, ".notice-bad a", "href"))), ".quote")) == 1
    assert parsed(client.get("/", {"q": "a" * 501, **WIDER})).css(".notice-bad a") == []


def test_the_wider_mode_shows_how_the_question_was_read_and_each_word_was_found(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "Antrag Quastenflosser", **WIDER}, headers={"accept-language": "en"}))
    assert texts(page, ".term-word strong") == ["Antrag", "Quastenflosser"]
    assert "as written in 1 passage" in texts(page, ".term-note")[0] and "in no passage" in texts(page, ".term-note")[1]
    assert texts(page, ".hit .way dt") == ["as written"]
    assert texts(page, ".hit .way-word > [dir]") == ["Antrag"]


def test_each_person_finds_in_the_wider_mode_what_that_person_may_read(client: Client, handbook: Path) -> None:
    for name, groups, found in (("all", ["alle", "netz"], 2), ("part", ["alle"], 1), ("none", [], 0)):
        sign_in(client, person(name, groups))
        assert len(texts(parsed(client.get("/", {"q": "antrag quastenflosser", **WIDER})), ".quote")) == found


def test_wider_page_is_the_same_to_the_byte_with_and_without_what_may_not_be_read(client: Client, tmp_path: Path) -> None:
    publish(tmp_path / "a", {"urlaub.md": "Der Antrag kommt vor dem Urlaub."})
    sign_in(client, person("anna", ["alle"]))
    questions = [{"q": text, **WIDER} for text in ("antrag", "anträge", "netz", "Antrg Urlaube netz", "geheim")]
    place = f"/documents/{document('urlaub').public_id}/"
    reading = {"representation": str(document("urlaub").current.public_id), "passage": "0", "q": "netz anträge", **WIDER}  # type: ignore[union-attr]
    before = [main(client.get("/", question)) for question in questions], main(client.get(place, reading))
    hidden = {"netz.md": "Die Anträge kommen ins Netz, Urlaube nicht. " * 50}
    publish(tmp_path / "n", hidden, allowed='["group:netz"]', source="netz")
    publish(tmp_path / "s", {"liste.txt": "geheim = Antrag"}, allowed='["group:netz"]', source="liste")
    Document.objects.filter(external_id="liste").update(kind="synonyms")
    assert ([main(client.get("/", question)) for question in questions], main(client.get(place, reading))) == before


def test_a_synonym_is_found_by_who_may_read_its_list_and_names_it(client: Client, handbook: Path) -> None:
    publish(handbook / "s", {"liste.txt": "gesuch = antrag"}, allowed='["group:netz"]', source="liste")
    Document.objects.filter(external_id="liste").update(kind="synonyms", title="Wortliste")
    for name, groups, said in (("ben", ["alle", "netz"], ["Wortliste"]), ("anna", ["alle"], [])):
        sign_in(client, person(name, groups))
        page = parsed(client.get("/", {"q": "Gesuch", "source": "handbuch", **WIDER}))
        assert [text for text in texts(page, ".word-said") if "Wortliste" in text] == [f"from “{one}”" for one in said]
        assert len(texts(page, ".quote")) == len(said)


@pytest.mark.parametrize("values", [{"mode": "fuzzy"}, {"mode": "wider", "without": "x"}])
def test_an_address_that_asks_for_what_is_not_there_says_so(client: Client, handbook: Path, values: dict[str, str]) -> None:
    sign_in(client, person("anna", ["alle"]))
    assert client.get("/", {"q": "antrag", **values}).status_code == 400


def test_a_result_leads_on_with_its_mode_and_what_is_off(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "antrag", **WIDER, "without": "antrag:form"}))
    link = value(page, "[data-open]", "href")
    assert link.endswith("&q=antrag&mode=wider&without=antrag%3Aform#p-1")
    reading = parsed(client.get(link))
    assert texts(reading, "#text mark.found") == ["Antrag"]
    assert value(reading, "[data-back]", "href") == "/?q=antrag&mode=wider&without=antrag%3Aform"


def test_the_document_marks_the_same_words_in_the_same_way(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get("/", {"q": "Anträge Urlaub", **WIDER}))
    hit = next(one for one in page.css(".hit") if "kommt" in one.text())
    marks = [(one.text(), one.attributes["class"]) for one in hit.css(".quote mark")]
    reading = parsed(client.get(value(hit, "[data-open]", "href")))
    assert [(one.text(), one.attributes["class"]) for one in reading.css("#text mark.found")] == marks
    assert marks == [("Antrag", "found found-form"), ("Urlaub", "found")]


def test_the_form_changes_with_the_results_that_come_alone(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    fragment = parsed(client.get("/", {"q": "antrag", **WIDER}, headers={"hx-request": "true", "hx-target": "results"}))
    swapped = {node.attributes["id"] for node in fragment.css("[hx-swap-oob]")}
    assert swapped == {"count", "asks", "ask-go", "mode", "finds"}
    assert value(fragment, "#mode-wider", "aria-pressed") == "true" and fragment.css("header") == []


def test_passages_that_share_words_alone_are_shown_as_such(client: Client, handbook: Path) -> None:
    sign_in(client, person("anna", ["alle"]))
    english = {"accept-language": "en"}
    page = parsed(client.get("/", {"q": "Antrag nach § 999 BGB", **WIDER}, headers=english))
    told = "These passages share words with your question; none of them is likely to answer it."
    assert told in texts(page, ".near")[0] and len(texts(page, ".quote")) == 1
    assert texts(page, ".near b") == ["§ 999 BGB"]
    assert texts(page, "#count")[0].startswith("No likely answer.") and len(page.css(".report-loud")) == 1
    for question in ({"q": "antrag"}, {"q": "antrag", **WIDER}):
        page = parsed(client.get("/", question, headers=english))
        assert page.css(".near") == [] and texts(page, "#count") == ["1 passage found"]


def test_queries_of_a_wider_search_do_not_depend_on_the_number_of_hits(
    client: Client, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    publish(tmp_path, {f"{n}.md": f"# Titel\n\nWort einmal{'' if n else ' allein'} {n}" for n in range(10)})
    sign_in(client, person("anna", ["alle"]))
    for question, hits in (("allein", 1), ("wort", 10)):
        with django_assert_num_queries(QUERIES_OF_A_SEARCH + 1):  # lists of synonyms
            response = client.get("/", {"q": question, **WIDER})
        assert len(texts(parsed(response), ".quote")) == hits
