"""The pages of knowledge: what a reader sees, what is proposed and decided there, and who is told nothing."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evidence import succession
from evidence.models import Proposal, Role
from evidence.tests import knowing
from evidence.tests.builders import access, person, run, write
from evidence.tests.pages import main, one, parsed, sign_in, texts, value
from evidence.tests.test_knowledge import OPEN, anna, emil, rita

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["anna", "emil", "rita"]

ENGLISH = {"accept-language": "en"}
EVIL = "<script>alert(1)</script>"


def browser(user: User) -> Client:
    """A browser in which this person is signed in."""
    client = Client(headers=ENGLISH)
    sign_in(client, user)
    return client


def form_of(client: Client, address: str, **changed: object) -> dict[str, object]:
    """What the form at this address would send, with some of it changed."""
    page = parsed(client.get(address))
    sent: dict[str, object] = {}
    for node in page.css(".entry-form [name]"):
        attributes = node.attributes
        if attributes.get("type") == "checkbox" and "checked" not in attributes:
            continue
        written = node.text() if node.tag == "textarea" else attributes.get("value") or ""
        chosen = node.css_first("option[selected]")
        sent[attributes["name"] or ""] = (chosen.attributes["value"] if chosen else "") if node.tag == "select" else written
    return sent | changed


def test_a_concept_shows_its_claims_with_what_they_stand_on(emil: User, rita: User, anna: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita, text="Eins.\n\nZwei.", terms=["Dauer"])
    knowing.claim(emil, rita, [cited], subject="Frist", property="Dauer", value="zwei Wochen", valid_from="2020-01-01")
    page = parsed(browser(anna).get("/knowledge/handbuch/frist/"))
    assert (texts(page, "h1"), texts(page, ".concept-term")) == (["Frist"], ["Dauer"])
    assert texts(page, ".entry-text p") == ["Eins.", "Zwei."]
    assert texts(page, ".claim .state[data-entry]") == ["Accepted"]
    assert (texts(page, ".claim-text"), texts(page, ".cite-words")) == (["Zwei Wochen."], ["zwei Wochen"])
    assert value(page, ".cite-facts a", "href") == f"/citations/{cited}/"
    assert "valid from" in texts(page, ".claim .entry-states")[0]


def test_a_claim_and_its_proposal_name_the_concept_by_its_title(emil: User, rita: User, anna: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita, title="Fristen im Haus")
    claim = knowing.claim(emil, rita, [cited])
    more = knowing.proposed("claim", by=emil, concept="frist", text="Vier Wochen.", citations=[cited])
    entry = parsed(browser(anna).get(f"/knowledge/entries/{claim}/"))
    assert texts(entry, '.eyebrow [href$="/frist/"]') == ["Fristen im Haus"]
    proposal = parsed(browser(rita).get(f"/knowledge/proposals/{more}/"))
    assert texts(proposal, "#then-heading .label") == ["about Fristen im Haus"]


def test_claims_that_contradict_each_other_are_disputed_and_show_the_other_side(emil: User, rita: User, anna: User) -> None:
    said = {"subject": "Frist", "property": "Dauer"}
    knowing.concept(emil, rita)
    knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")], "Zwei Wochen.", value="2 Wochen", **said)
    knowing.claim(emil, rita, [knowing.cite(emil, "geheim", "drei Monate")], "Drei Monate.", value="3 Monate", **said)
    page = parsed(browser(emil).get("/knowledge/handbuch/frist/"))
    assert texts(page, ".claim .state[data-entry]") == ["Disputed", "Disputed"]
    assert texts(page, ".against a") == ["Drei Monate.", "Both sides: Frist", "Zwei Wochen.", "Both sides: Frist"]
    assert all(browser(emil).get(node.attributes["href"] or "").status_code == 200 for node in page.css(".against a"))
    reader = parsed(browser(anna).get("/knowledge/handbuch/frist/"))
    assert (texts(reader, ".claim .state[data-entry]"), texts(reader, ".against")) == (["Accepted"], [])


@pytest.mark.parametrize(
    "address", ["/knowledge/", "/knowledge/handbuch/", "/knowledge/handbuch/?q=frist", "/knowledge/handbuch/frist/", "/?q=monate"]
)
def test_what_somebody_may_not_read_changes_no_byte_for_them(emil: User, rita: User, anna: User, address: str) -> None:
    knowing.concept(emil, rita)
    knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")], subject="Frist", property="Dauer", value="2 Wochen")
    reader = browser(anna)
    before = main(reader.get(address))
    secret = knowing.cite(emil, "geheim", "drei Monate")
    knowing.concept(emil, rita, "monate", "Monate", terms=["Frist"], citations=[secret])
    knowing.decision(emil, rita, citations=[secret])
    knowing.claim(emil, rita, [secret], "Drei.", subject="Frist", property="Dauer", value="3 Monate")
    knowing.proposed("claim", by=emil, concept="frist", text="Vier.", citations=[secret])
    assert main(reader.get(address)) == before


def test_what_is_hidden_and_what_is_not_there_are_one_page(emil: User, rita: User, anna: User) -> None:
    secret = knowing.cite(emil, "geheim", "drei Monate")
    hidden = knowing.concept(emil, rita, "monate", "Monate", citations=[secret])
    knowing.decision(emil, rita, "jahre", "Jahre", citations=[secret])
    knowing.space("geheim", allowed=["netz"])
    reader = browser(anna)
    pairs = [
        (f"/knowledge/entries/{hidden}/", f"/knowledge/entries/{uuid4()}/"),
        (f"/knowledge/entries/{hidden}/history/", f"/knowledge/entries/{uuid4()}/history/"),
        ("/knowledge/handbuch/monate/", "/knowledge/handbuch/nirgends/"),
        ("/knowledge/handbuch/decisions/jahre/", "/knowledge/handbuch/decisions/nirgends/"),
        ("/knowledge/geheim/", "/knowledge/nirgends/"),
    ]
    for one_, other in pairs:
        answers = [main(reader.get(address)).replace(address, "") for address in (one_, other)]
        assert answers[0] == answers[1] and answers[0].startswith("404")


@pytest.mark.parametrize("role", [Role.READER, Role.ADMINISTRATOR])
@pytest.mark.parametrize("method", ["get", "post"])
def test_who_proposes_nothing_cannot_tell_that_it_is_possible(emil: User, rita: User, role: str, method: str) -> None:
    entry = knowing.concept(emil, rita)
    proposal = knowing.proposed("concept", by=emil, slug="a", title="A")
    strict = Client(enforce_csrf_checks=True, headers=ENGLISH)
    sign_in(strict, person("otto", ["alle", "netz"], role=role))
    nowhere = main(getattr(strict, method)("/knowledge/entries/nowhere/x/y/")).replace("/knowledge/entries/nowhere/x/y/", "")
    for path in (
        "review/", "proposals/", "affected/", f"proposals/{proposal}/", f"proposals/{proposal}/approve/",
        f"proposals/{proposal}/reject/", f"proposals/{proposal}/withdraw/", f"entries/{entry}/change/",
        f"entries/{entry}/deprecate/", "handbuch/propose/concept/", "use/",
    ):  # fmt: skip
        assert main(getattr(strict, method)(f"/knowledge/{path}")).replace(f"/knowledge/{path}", "") == nowhere
    page = strict.get("/knowledge/handbuch/frist/").content.decode()
    assert "change" not in re.findall(r'href="([^"]+)"', page) and "propose" not in page and "deprecate" not in page


@pytest.mark.parametrize("role", [Role.EDITOR, Role.CURATOR])
def test_only_reviewers_are_offered_decisions(emil: User, rita: User, role: str) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="a", title="A")
    other = browser(person("otto", ["alle"], role=role))
    assert parsed(other.get(f"/knowledge/proposals/{proposal}/")).css(".decide") == []
    assert other.post(f"/knowledge/proposals/{proposal}/approve/").status_code == 404
    assert parsed(browser(rita).get(f"/knowledge/proposals/{proposal}/")).css(".decide")


def test_a_claim_is_proposed_reviewed_and_stands(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita)
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    editor, reviewer = browser(emil), browser(rita)
    address = f"/knowledge/handbuch/propose/claim/?concept=frist&citation={cited}"
    sent = form_of(editor, address, text="Zwei Wochen.", why="Steht so darin.")
    answer = editor.post("/knowledge/handbuch/propose/claim/", sent)
    assert answer.status_code == 302
    assert texts(parsed(editor.get("/knowledge/handbuch/frist/")), ".waiting-list a") == ["Zwei Wochen."]
    assert texts(parsed(browser(anna).get("/knowledge/handbuch/frist/")), ".waiting, .claim") == []
    waiting = parsed(reviewer.get("/knowledge/review/"))
    page = parsed(reviewer.get(value(waiting, ".entry-row a", "href")))
    assert texts(page, ".line p") == ["Zwei Wochen."] and texts(page, ".cite-words") == ["zwei Wochen"]
    assert reviewer.post(value(page, ".decide", "action"), {"note": ""}).status_code == 302
    assert texts(parsed(browser(anna).get("/knowledge/handbuch/frist/")), ".claim-text") == ["Zwei Wochen."]


def test_a_change_is_shown_beside_what_counts_now_and_in_the_history(emil: User, rita: User, anna: User) -> None:
    entry = knowing.concept(emil, rita, text="Was abläuft.")
    editor = browser(emil)
    address = f"/knowledge/entries/{entry}/change/"
    answer = editor.post(address, form_of(editor, address, text="Was zu spät abläuft.", why="Genauer"))
    page = parsed(browser(rita).get(answer.headers["Location"]))
    assert (texts(page, "ins"), len(page.css(".beside > section"))) == (["zu spät"], 2)
    browser(rita).post(value(page, ".decide", "action"), {"note": ""})
    told = parsed(browser(anna).get(f"/knowledge/entries/{entry}/history/"))
    assert texts(told, ".states > li > h2 .label") == ["counts now"] and texts(told, "ins") == ["zu spät"]
    assert "Genauer" in texts(told, ".states .facts")[0] and "rita" in texts(told, ".states .facts")[0]


def test_a_change_of_thousands_of_lines_of_a_letter_shows_both_whole(emil: User, rita: User) -> None:
    lines = "\n".join("abc"[number % 3] for number in range(9_999))
    entry = knowing.concept(emil, rita, text=lines)
    said = {"slug": "frist", "title": "Frist", "text": lines[::-1]}
    proposal = knowing.proposed("concept", by=emil, action="change", entry=entry, **said)
    page = parsed(browser(rita).get(f"/knowledge/proposals/{proposal}/"))
    assert "both are shown whole" in one(page, ".line .hint").text()
    assert (texts(page, ".line del"), texts(page, ".line ins")) == ([lines], [lines[::-1]])


def test_a_refused_proposal_keeps_what_was_typed_and_names_the_field(emil: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    sent = {"title": "Frist", "slug": "Nicht so!", "text": "Getippt", "terms": "eins\nzwei", "citation": [str(cited)], "why": "W"}
    page = parsed(answer := browser(emil).post("/knowledge/handbuch/propose/concept/", sent))
    assert (answer.status_code, Proposal.objects.count()) == (400, 0)
    assert "“Short name” may hold" in texts(page, "[role=alert]")[0]
    assert value(page, "[name=slug]", "aria-invalid") == "true"
    assert texts(page, "[name=text], [name=terms], [name=why]") == ["Getippt", "eins\nzwei", "W"]
    assert value(page, "[name=citation][checked]", "value") == str(cited)


@pytest.mark.parametrize("given", ["kein Link", "00000000-0000-4000-8000-000000000000", '{"broken'])
def test_what_is_pasted_must_be_a_citation_that_one_may_read(emil: User, given: str) -> None:
    sent = {"title": "Frist", "given": given}
    page = parsed(answer := browser(emil).post("/knowledge/handbuch/propose/concept/", sent))
    assert answer.status_code == 400 and texts(page, "[role=alert]")
    assert texts(page, "[name=given]") == [given]


def test_pasted_links_count_as_citations_and_the_short_name_is_made_of_the_title(emil: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    sent = {"title": "Frist für Übergaben", "given": f"https://x.example/citations/{cited}/"}
    assert browser(emil).post("/knowledge/handbuch/propose/concept/", sent).status_code == 302
    row = Proposal.objects.get()
    assert (row.content["slug"], row.content["citations"]) == ("frist-fuer-uebergaben", [str(cited)])


def test_a_change_of_what_somebody_else_has_changed_says_so_and_keeps_what_was_typed(emil: User, rita: User) -> None:
    entry = knowing.concept(emil, rita)
    editor, address = browser(emil), f"/knowledge/entries/{entry}/change/"
    sent = form_of(editor, address, title="Meins", why="W")
    knowing.approved(knowing.proposed("concept", by=emil, action="change", entry=entry, slug="frist", title="Anderes"), by=rita)
    answer = editor.post(address, sent)
    assert answer.status_code == 409 and "has been changed since" in texts(parsed(answer), "[role=alert]")[0]
    assert value(parsed(answer), "[name=title]", "value") == "Meins"


def test_rejecting_needs_a_note_which_its_author_reads(emil: User, rita: User) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="a", title="A")
    answer = browser(rita).post(f"/knowledge/proposals/{proposal}/reject/", {"note": ""})
    assert answer.status_code == 400 and "Note" in texts(parsed(answer), "[role=alert]")[0]
    browser(rita).post(f"/knowledge/proposals/{proposal}/reject/", {"note": "Zu allgemein."})
    page = parsed(browser(emil).get("/knowledge/proposals/"))
    assert texts(page, ".state") == ["Rejected"] and "Zu allgemein." in texts(page, ".note")[0]


def test_ones_own_proposal_is_withdrawn_by_a_button(emil: User) -> None:
    proposal = knowing.proposed("concept", by=emil, slug="a", title="A")
    page = parsed(browser(emil).get(f"/knowledge/proposals/{proposal}/"))
    browser(emil).post(value(page, "main form", "action"))
    assert Proposal.objects.get().state == "withdrawn"


def test_a_claim_whose_source_changed_says_so_and_is_listed(emil: User, rita: User, anna: User, tmp_path: Path) -> None:
    knowing.concept(emil, rita)
    knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")])
    write(tmp_path, {"offen.txt": "Die Frist beträgt vier Wochen."})
    run(tmp_path)
    page = parsed(browser(anna).get("/knowledge/handbuch/frist/"))
    assert texts(page, ".claim .state[data-entry]") == ["Accepted", "Not standing"]
    assert texts(page, ".cite .state") == ["Document changed"]
    assert texts(parsed(browser(emil).get("/knowledge/affected/")), ".claim-text") == ["Zwei Wochen."]


def test_a_change_offers_successors_of_what_does_not_hold_any_more(emil: User, rita: User, tmp_path: Path) -> None:
    knowing.concept(emil, rita)
    old = knowing.cite(emil, "offen", "zwei Wochen")
    entry = knowing.claim(emil, rita, [old])
    write(tmp_path, {"offen.txt": f"{OPEN} Immer."})
    run(tmp_path)
    [new] = succession.approve(access(emil), [old])
    editor, address = browser(emil), f"/knowledge/entries/{entry}/change/"
    assert texts(parsed(editor.get(address)), ".choice-row strong") == ["successor of one that does not hold any more"]
    answer = editor.post(address, form_of(editor, address, citation=[str(new)], why="Geändert"))
    browser(rita).post(f"{answer.headers['Location']}approve/", {"note": ""})
    page = parsed(browser(emil).get("/knowledge/handbuch/frist/"))
    assert texts(page, ".claim .state[data-entry]") == ["Accepted"] and texts(page, ".cite .state") == ["Holds"]


def test_a_citation_leads_to_the_concepts_that_it_can_be_used_for(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita)
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    page = parsed(browser(emil).get(f"/citations/{cited}/"))
    uses = parsed(browser(emil).get(value(page, "a[href^='/knowledge/use/']", "href")))
    assert value(uses, ".use a", "href") == f"/knowledge/handbuch/propose/claim/?concept=frist&citation={cited}"
    assert parsed(browser(anna).get(f"/citations/{cited}/")).css("a[href^='/knowledge/use/']") == []


def test_a_search_for_a_term_shows_the_concept_above_the_hits(emil: User, rita: User, anna: User) -> None:
    knowing.concept(emil, rita, terms=["Zwei Wochen"])
    for words in ("FRIST", "zwei  wochen"):
        page = parsed(browser(anna).get("/", {"q": words}))
        assert texts(page, ".concept-found a") == ["Frist"]
        assert value(page, ".concept-found a", "href") == "/knowledge/handbuch/frist/"
    assert parsed(browser(anna).get("/", {"q": "beträgt"})).css(".concept-found") == []


def test_the_head_leads_to_knowledge_for_those_with_a_space(emil: User, anna: User) -> None:
    assert "Knowledge" in texts(parsed(browser(anna).get("/help/")), ".pages a")
    knowing.space(allowed=["netz"])
    assert "Knowledge" not in texts(parsed(browser(anna).get("/help/")), ".pages a")
    assert "Knowledge" in texts(parsed(browser(emil).get("/help/")), ".pages a")


def test_words_of_entries_stay_text(emil: User, rita: User, anna: User) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    concept = knowing.concept(emil, rita, title=EVIL, text=EVIL, terms=[EVIL])
    claim = knowing.claim(emil, rita, [cited], EVIL, subject=EVIL, property=EVIL, value=EVIL)
    knowing.decision(emil, rita, title=EVIL, context=EVIL, decision=EVIL, rationale=EVIL)
    for path in ("", "frist/", "decisions/wochen/"):
        page = parsed(browser(anna).get(f"/knowledge/handbuch/{path}"))
        assert page.css("main script") == [] and EVIL in one(page, "main").text()
    for entry in (concept, claim):
        page = parsed(browser(anna).get(f"/knowledge/entries/{entry}/history/"))
        assert page.css("main script") == [] and EVIL in one(page, "main").text()


def test_an_entry_has_one_address_with_its_id(emil: User, rita: User, anna: User) -> None:
    concept = knowing.concept(emil, rita)
    assert browser(anna).get(f"/knowledge/entries/{concept}/").headers["Location"] == "/knowledge/handbuch/frist/"
    decision = knowing.decision(emil, rita)
    assert browser(anna).get(f"/knowledge/entries/{decision}/").headers["Location"] == "/knowledge/handbuch/decisions/wochen/"


def test_a_decision_names_what_it_takes_the_place_of_and_the_other_way_round(emil: User, rita: User, anna: User) -> None:
    knowing.decision(emil, rita, "alt", "Alt")
    knowing.decision(emil, rita, "neu", "Neu", supersedes="alt", status="accepted", decided_on="2024-02-01", rationale="Darum")
    new, old = (parsed(browser(anna).get(f"/knowledge/handbuch/decisions/{slug}/")) for slug in ("neu", "alt"))
    assert "accepted" in texts(new, ".facts dd") and "alt" in texts(new, ".facts dd")
    assert "Neu" in texts(old, ".facts dd")


def test_deprecating_is_proposed_with_a_reason(emil: User, rita: User, anna: User) -> None:
    entry = knowing.concept(emil, rita)
    editor, address = browser(emil), f"/knowledge/entries/{entry}/deprecate/"
    assert editor.post(address, form_of(editor, address, why="")).status_code == 400
    answer = editor.post(address, form_of(editor, address, why="Überholt"))
    proposal = UUID(answer.headers["Location"].split("/")[-2])
    browser(rita).post(f"/knowledge/proposals/{proposal}/approve/", {"note": ""})
    assert texts(parsed(browser(anna).get("/knowledge/handbuch/frist/")), "main > .entry-states .state") == ["Deprecated"]
    assert editor.get(f"/knowledge/entries/{entry}/nothing/").status_code == 404


@pytest.mark.parametrize("path", ["handbuch/", "handbuch/frist/", "review/", "proposals/"])
def test_queries_do_not_depend_on_how_much_there_is(emil: User, rita: User, path: str) -> None:
    cited = knowing.cite(emil, "offen", "zwei Wochen")
    knowing.concept(emil, rita)
    reader = browser(rita)
    counts = []
    for number in (1, 4):
        for index in range(number):
            slug = f"s{number}-{index}"
            knowing.claim(emil, rita, [cited], slug)
            knowing.concept(emil, rita, slug, slug, citations=[cited])
            knowing.decision(emil, rita, slug, slug)
            for author in (emil, rita):
                knowing.proposed("claim", by=author, concept="frist", text=slug, citations=[cited])
        with CaptureQueriesContext(connection) as counted:
            assert reader.get(f"/knowledge/{path}").status_code == 200
        counts.append(len(counted))
    assert counts[0] == counts[1]
