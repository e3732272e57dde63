"""Translations of passages: proposed and reviewed, shown beside the passage as derived from it, and never in its text."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence import citations
from evidence.citations import Place
from evidence.errors import Refused, Unavailable
from evidence.knowledge import proposals, translations
from evidence.knowledge.contents import Translation
from evidence.models import Proposal, Role, Space
from evidence.tests import knowing
from evidence.tests.builders import access, document, group, person, publish, rules, run, tenant, write
from evidence.tests.calls import program
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH = {"accept-language": "en"}
WORDS = "Ab 10 Prozent wird geräumt."
ENGLISH_WORDS = "From 10 percent on, the <b>house</b> is cleared."
TEXTS = {"a.txt": f"{WORDS}\n\nSonst nicht.", "c.txt": "Nur für das Netz."}


@pytest.fixture
def edda(tmp_path: Path) -> User:
    """An editor; a.txt is for everybody, c.txt for the grid."""
    rights = [(f"{name}.txt", f'allowed = ["group:{one}"]') for name, one in (("a", "alle"), ("c", "netz"))]
    write(tmp_path, TEXTS | {"fundstelle.toml": rules(*rights)})
    run(tmp_path)
    Space.objects.create(tenant=tenant(), slug="betrieb", title="Betrieb")
    return person("edda", ["alle", "netz"], role=Role.EDITOR)


@pytest.fixture
def rita(edda: User) -> User:
    return person("rita", ["alle", "netz"], role=Role.REVIEWER)


@pytest.fixture
def leo(edda: User, client: Client) -> Client:
    """A reader's browser."""
    sign_in(client, person("leo", ["alle"]))
    return client


def cited(user: User, words: str = WORDS, name: str = "a") -> UUID:
    return citations.cite_words(access(user), document(name).public_id, exact=words)


def translated(edda: User, rita: User, citation: UUID, text: str = ENGLISH_WORDS) -> UUID:
    """An approved translation; gives the entry's id."""
    values = {"space": "betrieb", "language": "en", "text": text, "translator": "Büro Nord"}
    return proposals.approve(access(rita), translations.propose(access(edda), citation, **values))


def reading(client: Client, passage: int = 0) -> Any:
    row = document("a")
    assert row.current is not None
    place: dict[str, Any] = {"representation": str(row.current.public_id), "passage": passage}
    return client.get(f"/documents/{row.public_id}/", place, headers=ENGLISH)


def test_it_is_proposed_on_a_page_and_shown_once_a_reviewer_has_let_it_in(edda: User, rita: User, leo: Client) -> None:
    citation, editor = cited(edda), Client()
    sign_in(editor, edda)
    page = parsed(editor.get(f"/citations/{citation}/"))
    form = parsed(editor.get(value(page, f'a[href="/citations/{citation}/translate/"]', "href")))
    assert texts(form, ".cited-words") == [WORDS] and value(form, "[name=space]", "value") == "betrieb"
    sent = {"space": "betrieb", "language": "en", "text": ENGLISH_WORDS, "translator": "Büro Nord"}
    assert editor.post(f"/citations/{citation}/translate/", sent).status_code == 302
    assert parsed(leo.get(f"/citations/{citation}/")).css(".translated") == []
    proposals.approve(access(rita), Proposal.objects.get().public_id)
    shown = one(parsed(leo.get(f"/citations/{citation}/", headers=ENGLISH)), ".translated")
    assert one(shown, "h2").text() == "Translation into English, derived from the passage; not citable"
    assert one(shown, ".translated-words").text() == ENGLISH_WORDS
    assert one(shown, ".translated-words").attributes["lang"] == "en"
    assert "by Büro Nord, approved by rita on" in one(shown, ".hint").text()


def test_it_is_shown_at_every_citation_of_exactly_these_words(edda: User, rita: User, leo: Client) -> None:
    translated(edda, rita, cited(edda))
    same, part = cited(rita), cited(rita, "Ab 10")
    assert [len(parsed(leo.get(f"/citations/{one}/")).css(".translated")) for one in (same, part)] == [1, 0]


def test_the_citation_keeps_the_words_of_the_source(edda: User, rita: User) -> None:
    citation = cited(edda)
    translated(edda, rita, citation)
    assert citations.get(access(edda), citation).anchor.exact == WORDS


def test_it_stands_beside_the_marked_passage_outside_the_text(edda: User, rita: User, leo: Client) -> None:
    before = one(parsed(reading(leo)), "#text").html
    translated(edda, rita, cited(edda))
    page = parsed(reading(leo))
    assert texts(page, ".translated-words") == [ENGLISH_WORDS] and one(page, "#text").html == before
    assert page.css("#text .translated") == [] and parsed(reading(leo, passage=1)).css(".translated") == []


def test_the_words_of_a_translation_are_not_found_and_not_cited(edda: User, rita: User, leo: Client) -> None:
    translated(edda, rita, cited(edda))
    assert parsed(leo.get("/", {"q": "cleared"})).css(".hit") == []
    with pytest.raises(Refused):
        cited(edda, "From 10 percent on")


def test_of_an_earlier_state_it_is_said_so(edda: User, rita: User, leo: Client, tmp_path: Path) -> None:
    citation = cited(edda)
    translated(edda, rita, citation)
    publish(tmp_path, {"a.txt": "Ab 20 Prozent wird geräumt."})
    page = parsed(leo.get(f"/citations/{citation}/", headers=ENGLISH))
    assert "It translates the words of version 1." in one(page, ".translated-earlier").text()
    assert parsed(reading(leo)).css(".translated") == []


def test_the_api_gives_translations_of_a_citation(edda: User, rita: User) -> None:
    citation = cited(edda)
    calls = program(edda)
    assert calls.get(f"citations/{citation}").body["translations"] == []
    entry = translated(edda, rita, citation)
    (told,) = calls.get(f"citations/{citation}").body["translations"]
    same = {name: told[name] for name in ("id", "language", "text", "translator", "author", "reviewer", "standing")}
    assert same == {
        "id": str(entry),
        "language": "en",
        "text": ENGLISH_WORDS,
        "translator": "Büro Nord",
        "author": "edda",
        "reviewer": "rita",
        "standing": True,
    }


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"language": "english please"}, "is no language tag"),
        ({"text": ""}, "“Text” is missing"),
        ({"text": "x" * 20_001}, "at most"),
    ],
)
def test_what_is_refused_is_told_in_the_form_with_what_was_typed(
    edda: User, client: Client, sent: dict[str, str], words: str
) -> None:
    sign_in(client, edda)
    values = {"space": "betrieb", "language": "en", "text": "a", "translator": "wer"} | sent
    answer = client.post(f"/citations/{cited(edda)}/translate/", values, headers=ENGLISH)
    page = parsed(answer)
    assert answer.status_code == 400 and words in one(page, "[role=alert]").text()
    assert value(page, "[name=translator]", "value") == "wer" and not Proposal.objects.exists()


def test_a_reader_proposes_none(edda: User, leo: Client) -> None:
    citation = cited(edda)
    assert leo.get(f"/citations/{citation}/translate/").status_code == 404
    assert parsed(leo.get(f"/citations/{citation}/")).css('a[href$="/translate/"]') == []
    with pytest.raises(Unavailable):
        translations.propose(
            access(User.objects.get(username="leo")), citation, space="betrieb", language="en", text="a", translator=""
        )


def test_a_citation_that_may_not_be_read_is_not_translated(edda: User, client: Client) -> None:
    hidden = cited(edda, "Nur für das Netz.", "c")
    sign_in(client, person("emil", ["alle"], role=Role.EDITOR))
    sent = {"space": "betrieb", "language": "en", "text": "a", "translator": ""}
    assert {
        client.get(f"/citations/{hidden}/translate/").status_code,
        client.post(f"/citations/{hidden}/translate/", sent).status_code,
    } == {404}


def test_where_there_is_no_space_the_form_says_so(edda: User, client: Client) -> None:
    Space.objects.all().delete()
    sign_in(client, edda)
    page = parsed(client.get(f"/citations/{cited(edda)}/translate/"))
    assert page.css("main form") == [] and page.css(".notice")


@pytest.mark.usefixtures("standing_clock")
def test_one_in_a_space_that_may_not_be_read_changes_no_byte(edda: User, rita: User, leo: Client) -> None:
    citation = cited(edda)
    calls = program(User.objects.get(username="leo"))

    def seen() -> list[object]:
        return [main(leo.get(f"/citations/{citation}/")), main(reading(leo)), calls.get(f"citations/{citation}").body]

    Space.objects.get().allowed.add(group("netz"))
    before = seen()
    translated(edda, rita, citation)
    assert seen() == before
    Space.objects.get().allowed.clear()
    assert seen() != before


def test_any_number_of_them_in_a_space_that_may_not_be_read_pushes_no_other_out(
    edda: User, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translations, "MAX_AT_PLACE", 1)
    knowing.space("geheim", allowed=["netz"])
    hidden = translations.propose(
        access(edda), cited(edda, "Ab 10 Prozent"), space="geheim", language="en", text="X", translator=""
    )
    proposals.approve(access(rita), hidden)
    translated(edda, rita, cited(edda, "wird geräumt"), "cleared")
    row = document("a")
    assert row.current is not None
    place = Place(row.public_id, row.current.public_id, 0, len(WORDS))
    read = translations.of_place(access(person("leo", ["alle"])), place)
    assert [getattr(one.content, "text", "") for one in read] == ["cleared"]


def test_queries_do_not_grow_with_translations(edda: User, rita: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    row, who = document("a"), access(edda)
    assert row.current is not None
    place = Place(row.public_id, row.current.public_id, 0, 10)
    with django_assert_num_queries(1):
        assert translations.of_place(who, place) == []
    counts = []
    for text in ("one", "two", "three"):
        translated(edda, rita, cited(edda), text)
        with django_assert_num_queries(6):
            found = translations.of_place(who, place)
        counts.append([read.content.text for read in found if isinstance(read.content, Translation)])
    assert counts == [["one"], ["one", "two"], ["one", "two", "three"]]
