"""The pages of contradictions, and what is disputed at hits, documents, citations, over the API and MCP: for those who may read
both sides, and not a byte of it for others.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence import citations
from evidence.knowledge import conflicts
from evidence.knowledge.conflicts import Named
from evidence.models import Conflict, Entry, Role
from evidence.tests.assistants import Asking
from evidence.tests.builders import access, document, person, rules, run, write
from evidence.tests.calls import program, secret
from evidence.tests.pages import main, one, parsed, sign_in, texts, value
from evidence.tests.test_disputes import claim, contradicting

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH = {"accept-language": "en"}
TEXTS = {"a.txt": "Ab 10 Prozent räumen.\n\nSonst nicht.", "b.txt": "Ab 20 Prozent räumen.", "c.txt": "Ab 30 Prozent gehen."}
QUERIES_OF_A_LIST = 11
QUERIES_OF_HITS = 19
"""One more than without any dispute: successors of the citations."""


@pytest.fixture
def rita(tmp_path: Path) -> User:
    """An editor who may read all three."""
    rights = [(f"{name}.txt", f'allowed = ["group:{group}"]') for name, group in (("a", "alle"), ("b", "alle"), ("c", "netz"))]
    write(tmp_path, TEXTS | {"fundstelle.toml": rules(*rights)})
    run(tmp_path)
    return person("rita", ["alle", "netz"], role=Role.EDITOR)


@pytest.fixture
def browser(rita: User, client: Client) -> Client:
    sign_in(client, rita)
    return client


@pytest.fixture
def eva(rita: User) -> Client:
    """The browser of a reader who may not read c."""
    client = Client()
    sign_in(client, person("eva", ["alle"]))
    return client


def cited(user: User, name: str, words: str) -> UUID:
    return citations.cite_words(access(user), document(name).public_id, exact=words)


def marked(user: User, right: str = "b", words: str = "20 Prozent", **more: str) -> UUID:
    """The passage of a contradicts another one."""
    sides = Named(citation=cited(user, "a", "10 Prozent")), Named(citation=cited(user, right, words))
    return conflicts.mark(access(user), *sides, matter=more.get("matter", "Räumung"), note=more.get("note", ""))


def disputes_in(response: Any) -> list[str]:
    return [" ".join(text.split()) for text in texts(parsed(response), ".disputes li")]


# Pages


def test_a_citation_leads_to_the_form_which_marks_another_one_of_ones_own(browser: Client, rita: User) -> None:
    left, right = cited(rita, "a", "10 Prozent"), cited(rita, "b", "20 Prozent")
    page = parsed(browser.get(f"/citations/{left}/"))
    link = value(page, f'a[href="/conflicts/mark/?left={left}"]', "href")
    form = parsed(browser.get(link))
    assert value(form, "[name=left]", "value") == str(left)
    assert [node.attributes["value"] for node in form.css("[name=own] option")] == ["", str(right)]
    answer = browser.post("/conflicts/mark/", {"left": left, "own": right, "matter": "Räumung", "note": "Zwei Grenzen."})
    row = Conflict.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/conflicts/{row.public_id}/")
    shown = parsed(browser.get(answer.headers["Location"]))
    assert texts(shown, ".conflict-side .cited-words") == ["10 Prozent", "20 Prozent"]
    assert texts(shown, ".conflict-note") == ["Zwei Grenzen."] and one(shown, "h1").text() == "Räumung"


@pytest.mark.parametrize(
    "pasted", ["http://testserver/citations/{citation}/", "{citation}", "/documents/{document}/?x=1", "{document}"]
)
def test_the_other_side_is_pasted_as_an_address_or_an_id(browser: Client, rita: User, pasted: str) -> None:
    given = pasted.format(citation=cited(rita, "b", "20 Prozent"), document=document("b").public_id)
    browser.post("/conflicts/mark/", {"left": cited(rita, "a", "10 Prozent"), "right": given, "matter": "x"})
    row = Conflict.objects.get()
    assert row.right_document == document("b") and (row.right is None) == ("document" in pasted)


@pytest.mark.parametrize(
    ("right", "words"),
    [
        ("", "Choose the other side"),
        ("https://example.org/", "This is no address"),
        ("96698101-e3d1-4b0a-8d1d-33c5c50be181", "This is not available to you."),
    ],
)
def test_what_names_no_other_side_is_refused_with_what_was_typed(browser: Client, right: str, words: str) -> None:
    sent = {"left": f"/documents/{document('a').public_id}/", "right": right, "matter": "Räumung", "note": "n"}
    answer = browser.post("/conflicts/mark/", sent, headers=ENGLISH)
    page = parsed(answer)
    assert answer.status_code == 400 and words in one(page, "[role=alert]").text()
    assert (value(page, "[name=matter]", "value"), value(page, "[name=right]", "value")) == ("Räumung", right)


def test_a_side_that_may_not_be_read_is_told_as_one_that_never_was(rita: User, eva: Client) -> None:
    sign_in(eva, person("edda", ["alle"], role=Role.EDITOR))
    left, hidden, unknown = f"/documents/{document('a').public_id}/", cited(rita, "c", "30 Prozent"), uuid4()
    pages = [
        main(eva.post("/conflicts/mark/", {"left": left, "right": right, "matter": "x"})).replace(str(right), "")
        for right in (hidden, document("c").public_id, unknown)
    ]
    assert pages[0] == pages[1] == pages[2] and not Conflict.objects.exists()


def test_settling_and_reopening_on_the_page(browser: Client, rita: User) -> None:
    address = f"/conflicts/{marked(rita)}/"
    assert browser.post(f"{address}settle/", {"words": ""}).status_code == 400
    assert browser.post(f"{address}settle/", {"words": "B gilt."}).status_code == 302
    page = parsed(browser.get(address, headers=ENGLISH))
    assert "B gilt." in one(page, ".conflict-settled").text() and texts(page, ".conflict-about .state") == ["settled"]
    assert texts(parsed(browser.get("/conflicts/?settled=1")), ".conflict-row h2") == ["Räumung"]
    assert texts(parsed(browser.get("/conflicts/")), ".conflict-row h2") == []
    browser.post(f"{address}reopen/")
    assert texts(parsed(browser.get("/conflicts/")), ".conflict-row h2") == ["Räumung"]


def test_a_reader_sees_both_sides_and_no_form(rita: User, eva: Client) -> None:
    conflict = marked(rita)
    page = parsed(eva.get(f"/conflicts/{conflict}/"))
    assert len(page.css(".conflict-side")) == 2 and page.css("main form") == []
    for address in (f"/conflicts/{conflict}/settle/", f"/conflicts/{conflict}/reopen/", "/conflicts/mark/"):
        assert eva.post(address, {"words": "x"}).status_code == 404
    assert eva.get("/conflicts/mark/").status_code == 404


def test_the_list_costs_few_queries_however_long(
    browser: Client, rita: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for words in ("20 Prozent", "räumen"):
        marked(rita, words=words)
        with django_assert_num_queries(QUERIES_OF_A_LIST):
            browser.get("/conflicts/")


def test_words_of_people_are_text(browser: Client, rita: User) -> None:
    conflict = marked(rita, matter="<script>alert(1)</script>", note="<b>n</b>")
    for address in (f"/conflicts/{conflict}/", "/conflicts/", "/?q=10+Prozent", f"/documents/{document('a').public_id}/"):
        assert b"<script>alert(1)" not in browser.get(address).content


# Beside what is shown


def places(client: Client, name: str = "a") -> Mapping[str, Any]:
    row = document(name)
    return {
        "exact": client.get("/", {"q": "Prozent"}, headers=ENGLISH),
        "wider": client.get("/", {"q": "räumen Prozent", "mode": "wider"}, headers=ENGLISH),
        "reading": client.get(f"/documents/{row.public_id}/", headers=ENGLISH),
    }


def test_hits_and_documents_show_what_contradicts_them_with_a_link_to_both_sides(eva: Client, rita: User) -> None:
    conflict = marked(rita)
    for answer in places(eva).values():
        assert "Räumung – contradicted by b. Both sides: Räumung" in disputes_in(answer)
        assert value(parsed(answer), ".disputes a", "href") == f"/conflicts/{conflict}/"
        assert texts(parsed(answer), ".disputes .state")[0] == "disputed"


def test_nothing_of_it_stands_in_the_text_root(eva: Client, rita: User) -> None:
    row = document("a")
    assert row.current is not None
    address = f"/documents/{row.public_id}/?representation={row.current.public_id}&passage=0"
    before = one(parsed(eva.get(address)), "#text").html
    marked(rita)
    after = parsed(eva.get(address))
    assert one(after, "#text").html == before and after.css("#text .disputes") == [] and after.css(".disputes")


def test_the_citation_page_shows_it_where_the_range_overlaps(browser: Client, rita: User) -> None:
    marked(rita)
    inside, outside = cited(rita, "a", "Ab 10"), cited(rita, "a", "Sonst nicht")
    assert len(disputes_in(browser.get(f"/citations/{inside}/"))) == 1
    assert disputes_in(browser.get(f"/citations/{outside}/")) == []


def test_the_list_of_documents_says_which_are_disputed(eva: Client, rita: User) -> None:
    conflicts.mark(access(rita), *(Named(document=document(name).public_id) for name in "ab"), matter="x")
    rows = parsed(eva.get("/documents/", headers=ENGLISH)).css(".title-row")
    assert [texts(row, ".state") for row in rows] == [["disputed"], ["disputed"]]  # type: ignore[arg-type]


def test_queries_do_not_depend_on_the_number_of_disputes(
    eva: Client, rita: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for words in ("20 Prozent", "Ab", "räumen"):
        marked(rita, words=words)
        with django_assert_num_queries(QUERIES_OF_HITS):
            eva.get("/", {"q": "Prozent"})


# Programs


def test_programs_get_both_sides_with_ids_and_addresses(rita: User, eva: Client) -> None:
    conflict = marked(rita)
    calls = program(rita)
    row, mine = document("a"), cited(rita, "a", "Ab 10")
    hit = next(one for one in calls.get("search", {"q": "10"}).body["hits"])
    cite = calls.get(f"citations/{mine}").body
    told = [
        hit["disputed"],
        calls.get(f"documents/{row.public_id}").body["disputed"],
        cite["resolution"]["disputed"],
        calls.post("resolve", cite["anchor"]).body["disputed"],
    ]
    for (one_of_it,) in told:
        assert (one_of_it["kind"], one_of_it["matter"], one_of_it["conflict"]) == ("marked", "Räumung", str(conflict))
        assert one_of_it["url"] == f"http://testserver/conflicts/{conflict}/"
        assert (one_of_it["here"]["quote"], one_of_it["there"]["quote"]) == ("10 Prozent", "20 Prozent")
        assert one_of_it["there"]["document"]["external_id"] == "b"
        assert one_of_it["there"]["url"] == f"http://testserver/citations/{one_of_it['there']['citation']}/"


def test_no_program_marks_anything(rita: User) -> None:
    calls = program(rita)
    for path in ("conflicts", f"conflicts/{marked(rita)}", "conflicts/mark"):
        assert calls.post(path, {}).status in {404, 405}


# Those who may not read both sides


def everything(user: User, client: Client) -> list[object]:
    """All that this person gets of the readable document, on pages, over the API and over MCP."""
    row, calls = document("a"), program(user)
    mine = Client()
    sign_in(mine, user)
    own = citations.own(access(user), limit=1)[0][0]
    assert not isinstance(own, UUID)
    web = [main(answer) for answer in places(mine).values()]
    web += [
        main(mine.get(address)) for address in ("/documents/", "/conflicts/", f"/citations/{own.id}/", "/conflicts/?settled=1")
    ]
    api = [
        calls.get("search", {"q": "Prozent"}).body,
        calls.get(f"documents/{row.public_id}").body,
        calls.get(f"citations/{own.id}").body,
        calls.post("resolve", {"anchors": [own.anchor.to_dict()]}).body,
    ]
    assistant = Asking(secret(user))
    tools = [
        assistant.tool("find_passages", query="Prozent").value,
        assistant.tool("read", document=str(row.public_id)).value,
        assistant.tool("resolve", citation=str(own.id)).value,
    ]
    return [*web, *api, *tools]


@pytest.mark.usefixtures("standing_clock")
def test_a_conflict_with_a_side_that_may_not_be_read_changes_no_byte(rita: User, eva: Client) -> None:
    user = User.objects.get(username="eva")
    cited(user, "a", "Ab 10 Prozent")
    claim(rita, cited(rita, "a", "Ab 10 Prozent"), value="10")
    before = everything(user, eva)
    hidden = marked(rita, right="c", words="30 Prozent")
    conflicts.mark(access(rita), Named(document=document("c").public_id), Named(document=document("a").public_id), matter="y")
    assert everything(user, eva) == before
    claim(rita, cited(rita, "c", "Ab 30"), value="30")
    assert everything(user, eva) == before
    gone = [main(eva.get(f"/conflicts/{one}/")).replace(str(one), "") for one in (hidden, uuid4())]
    assert gone[0] == gone[1]
    claim(rita, cited(rita, "b", "Ab 20 Prozent"), value="20")
    with_claims = everything(user, eva)
    marked(rita)
    assert before != with_claims != everything(user, eva)


def test_claims_stand_beside_each_other_for_who_may_read_both_and_only_while_they_contradict(rita: User, eva: Client) -> None:
    one_claim, other = contradicting(rita)
    address = f"/conflicts/claims/{one_claim}/{other}/"
    assert value(parsed(eva.get("/", {"q": "10"})), ".disputes a", "href") == address
    assert texts(parsed(eva.get(address)), ".conflict-side .cited-words") == ["Ab 10 Prozent", "Ab 20 Prozent"]
    hidden = claim(rita, cited(rita, "c", "Ab 30"), value="30")
    Entry.objects.filter(public_id=other).update(value="10")
    for second in (other, hidden, one_claim, uuid4()):
        assert eva.get(f"/conflicts/claims/{one_claim}/{second}/").status_code == 404
