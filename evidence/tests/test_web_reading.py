"""The reading page and what stands around a passage: the text to the code point, its marks, its states, its cost."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from evidence.models import Document, Passage
from evidence.tests.builders import document, person, publish, tenant
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

MARKDOWN = """# Urlaub

Der **Antrag** kommt [vor](https://example.org/?a=1&b=2) dem `Urlaub`.

- eins
- zwei

| Art | Tage |
|---|---|
| Sonder | 3 |
|  | leer |

```
x  <  y
```

Der Antrag &lt;b&gt;bleibt&lt;/b&gt; Text.
"""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def handbook(tmp_path: Path, client: Client) -> Document:
    """One document, read by a person who may."""
    publish(tmp_path, {"urlaub.md": MARKDOWN})
    sign_in(client, person("anna", ["alle"]))
    return document("urlaub")


def address(row: Document, passage: int | None = None, question: str = "") -> str:
    """Where this document is read."""
    assert row.current is not None
    place = "" if passage is None else f"?representation={row.current.public_id}&passage={passage}&q={question}"
    return f"/documents/{row.public_id}/{place}"


def stored(row: Document) -> str:
    """The text as it is kept."""
    return "".join(Passage.objects.filter(representation=row.current).order_by("number").values_list("text", flat=True))


def number_of(row: Document, words: str) -> int:
    return Passage.objects.get(representation=row.current, text__contains=words).number


@pytest.mark.parametrize("words", ["", "bleibt", "Sonder", "zwei", "x  <  y"])
def test_text_of_the_page_is_the_stored_text(client: Client, handbook: Document, words: str) -> None:
    root = one(parsed(client.get(address(handbook, number_of(handbook, words) if words else None, "antrag"))), "#text")
    assert root.text() == stored(handbook)
    assert root.attributes["data-sha256"] == sha256(root.text().encode()).hexdigest()
    assert root.attributes["data-length"] == str(len(root.text()))


def test_every_passage_says_where_it_begins(client: Client, handbook: Document) -> None:
    page = parsed(client.get(address(handbook)))
    rows = Passage.objects.filter(representation=handbook.current).order_by("number")
    found = [(node.attributes["id"], node.attributes["data-s"]) for node in page.css("#text .passage")]
    assert found == [(f"p-{row.number}", str(row.start)) for row in rows]


def test_marked_passage_is_marked_whole_and_its_words_in_it(client: Client, handbook: Document) -> None:
    number = number_of(handbook, "bleibt")
    page = parsed(client.get(address(handbook, number, "antrag")))
    assert texts(page, f"#p-{number} mark.cited") == ["Der Antrag <b>bleibt</b> Text."]
    assert texts(page, "mark.cited mark.found") == ["Antrag"]
    anchor = json.loads(one(page, "#anchor").text())
    assert stored(handbook)[anchor["start"] : anchor["end"]] == anchor["exact"] == "Der Antrag <b>bleibt</b> Text."


def test_mark_of_a_table_row_leaves_its_cells_in_their_places(client: Client, handbook: Document) -> None:
    number = number_of(handbook, "Sonder")
    page = parsed(client.get(address(handbook, number)))
    assert texts(page, f"#p-{number} > .cell > mark") == ["Sonder", "3"]
    assert {node.attributes.get("role") for node in page.css(f"#p-{number} > mark")} == {"none"}
    assert "".join(texts(page, f"#p-{number} mark.cited")) == "Sonder3"


def test_page_without_a_place_has_nothing_to_check(client: Client, handbook: Document) -> None:
    page = parsed(client.get(address(handbook)))
    assert page.css("#check, #anchor, mark, [data-anchor]") == []


def test_links_of_documents_are_shown_and_never_loaded(client: Client, handbook: Document) -> None:
    page = parsed(client.get(address(handbook)))
    assert value(page, "#text .link", "title") == "https://example.org/?a=1&b=2"
    assert page.css("#text [href], #text [src]") == []


def test_earlier_state_says_so_and_leads_to_the_current_one(client: Client, handbook: Document, tmp_path: Path) -> None:
    earlier = address(handbook, 0)
    publish(tmp_path, {"urlaub.md": MARKDOWN + "\nNeu."})
    page = parsed(client.get(earlier))
    assert value(page, ".reading-earlier a", "href") == f"/documents/{handbook.public_id}/"
    assert "Neu." not in one(page, "#text").text()
    assert parsed(client.get(address(document("urlaub")))).css(".reading-earlier") == []


def test_a_place_in_an_earlier_state_is_not_said_to_be_citable(client: Client, handbook: Document, tmp_path: Path) -> None:
    earlier = address(handbook, 0)
    assert parsed(client.get(earlier)).css(".place-worth-good")
    publish(tmp_path, {"urlaub.md": MARKDOWN + "\nNeu."})
    told = parsed(client.get(earlier, headers={"accept-language": "en"}))
    assert told.css(".place-worth-good") == [] and "this is an earlier state" in one(told, ".place").text()


def test_words_that_stand_there_twice_are_not_citable_alone(client: Client, tmp_path: Path) -> None:
    publish(tmp_path, {"x.txt": "\n\n".join(["gleich"] * 90)})
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get(address(document("x"), 45)))
    assert page.css(".place-worth-warn") and not page.css(".place-worth-good")


def test_unknown_passage_is_refused_with_the_reason(client: Client, handbook: Document) -> None:
    response = client.get(address(handbook, 99), headers={"accept-language": "en"})
    assert response.status_code == 400
    assert "no passage number 99" in response.content.decode()


def test_what_may_not_be_read_is_the_same_page_to_the_byte(client: Client, handbook: Document, tmp_path: Path) -> None:
    publish(tmp_path / "n", {"netz.md": "# Netz\n\nGeheim."}, allowed='["group:netz"]', source="netz")
    secret = document("netz", source="netz")
    assert secret.current is not None and handbook.current is not None
    around = f"/documents/{{}}/passages/{secret.current.public_id}/0/neighbours/"
    addresses = [
        f"/documents/{uuid4()}/",
        address(secret),
        address(secret, 0, "geheim"),
        f"/documents/{handbook.public_id}/?representation={secret.current.public_id}",
        f"/documents/{handbook.public_id}/?representation=no-id",
        f"/documents/{handbook.public_id}/?passage=x",
        around.format(secret.public_id),
        around.format(handbook.public_id),
        "/documents/no-id/",
        "/documents/no/page/at/all",
    ]
    pages = {main(client.get(place)) for place in addresses}
    assert len(pages) == 1
    assert pages.pop().startswith("404 ")


@pytest.mark.parametrize("groups", [[], ["netz"]])
def test_who_may_not_read_gets_nothing(client: Client, handbook: Document, groups: list[str]) -> None:
    sign_in(client, person("ben", groups))
    for place in (address(handbook), address(handbook, 1), neighbours(handbook, 1)):
        assert client.get(place).status_code == 404


def test_withdrawn_document_is_gone_with_the_next_request(client: Client, handbook: Document) -> None:
    assert client.get(address(handbook)).status_code == 200
    Document.objects.update(withdrawn_at=timezone.now())
    assert client.get(address(handbook)).status_code == 404


def neighbours(row: Document, number: int) -> str:
    """Where what stands around a passage is shown."""
    assert row.current is not None
    return f"/documents/{row.public_id}/passages/{row.current.public_id}/{number}/neighbours/"


def test_neighbours_come_as_a_page_and_as_a_fragment(client: Client, handbook: Document) -> None:
    page = parsed(client.get(neighbours(handbook, 1)))
    fragment = parsed(client.get(neighbours(handbook, 1), headers={"hx-request": "true"}))
    assert texts(page, ".neighbour") == texts(fragment, ".neighbour")
    assert texts(page, ".neighbour")[0] == "Urlaub"
    assert fragment.css("header, form") == []


def test_markup_in_a_document_stays_text(client: Client, tmp_path: Path) -> None:
    evil = '</div><script>alert(1)</script><img src=x onerror="alert(1)"> &amp; {{ x }}'
    publish(tmp_path, {"x.txt": f"{evil}\n\n{evil} zwei"})
    Document.objects.update(title=evil)
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get(address(document("x"), 1, "script")))
    assert one(page, "#text").text() == f"{evil}\n\n{evil} zwei"
    assert texts(page, "h1") == [evil]
    assert page.css("main img, #text script") == []


def test_document_of_a_megabyte_is_rendered_whole_and_marked(client: Client, tmp_path: Path) -> None:
    paragraph = "Wer fristlos kündigt, muss den wichtigen Grund auf Verlangen schriftlich mitteilen. "
    text = "\n\n".join(f"# § {n}\n\n" + "\n\n".join(f"({i}) {n} {paragraph * 3}" for i in range(4)) for n in range(1_000))
    publish(tmp_path, {"gross.md": text}, of=tenant("gross"))
    sign_in(client, person("anna", ["alle"], of=tenant("gross")))
    place = address(document("gross", of=tenant("gross")), 3_001, "wichtigen")
    page = parsed(client.get(place))
    assert len(page.css("#text .passage")) == 5_000
    assert set(texts(page, "mark.cited mark.found, mark.found")) == {"wichtigen"}
