"""The pages for uploading: who gets in, what is kept and refused, what the preview shows, publishing and taking back."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evidence import formats, uploads
from evidence.content import Content, Note, Passage, PassageKind, Span, SpanKind
from evidence.errors import Refused
from evidence.formats import FORMATS
from evidence.models import Document, Role, Upload
from evidence.tests.builders import access, group, person, tenant
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db

TEXT = b"# Ventile\n\nDas Ventil ist zu pr\xc3\xbcfen.\n\n| Teil | Preis |\n|---|---|\n| Dichtung | 3 |\n"
FRAGMENT = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a confined process, which has tests of its own."""
    monkeypatch.setattr("evidence.parsing.extract", lambda ending, data, options: formats.extract(FORMATS[ending], data, options))


@pytest.fixture
def eva(client: Client) -> User:
    """An editor who may read what "alle" may, signed in."""
    eva = person("eva", ["alle"], role=Role.EDITOR)
    group("netz")
    sign_in(client, eva)
    return eva


def file(name: str = "ventile.md", data: bytes = TEXT) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def send(client: Client, *files: SimpleUploadedFile, headers: Mapping[str, str] | None = None, **fields: object) -> HttpResponse:
    return client.post("/uploads/", {"file": list(files), **fields}, headers=headers)  # type: ignore[return-value]


def bring(client: Client, name: str = "ventile.md", data: bytes = TEXT) -> str:
    """Address of the page of a file that was kept."""
    return str(send(client, file(name, data)).headers["Location"])


def fields(client: Client, page: str) -> dict[str, object]:
    """What the form of this page would send as it stands, with "alle" allowed."""
    form = one(parsed(client.get(page)), "form.describe")
    sent: dict[str, object] = {
        node.attributes["name"] or "": node.attributes.get("value") or "" for node in form.css("input[name]")
    }
    return {**sent, "status": "valid", "allowed": [group("alle").pk], "denied": []} | ({} if form.css("[name=unread]") else {})


def publish(client: Client, page: str, **changes: object) -> HttpResponse:
    sent = {name: given for name, given in (fields(client, page) | changes).items() if name != "csrfmiddlewaretoken"}
    return client.post(page, sent)  # type: ignore[return-value]


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.REVIEWER])
def test_people_of_other_roles_get_in_nowhere(client: Client, role: str) -> None:
    sign_in(client, person("max", ["alle"], role=role))
    some = uuid4()
    for path in ("/uploads/", "/uploads/published/", f"/uploads/{some}/"):
        assert client.get(path).status_code == 403
    for path in ("", f"{some}/", f"{some}/read/", f"{some}/version/", f"{some}/discard/", f"published/{some}/withdraw/"):
        assert client.post(f"/uploads/{path}", {"file": file()} if not path else {}).status_code == 403
    assert not Upload.objects.exists()
    assert "/uploads/" not in client.get("/").content.decode()


@pytest.mark.parametrize("role", [Role.EDITOR, Role.ADMINISTRATOR])
def test_editors_and_administrators_find_the_way(client: Client, role: str) -> None:
    sign_in(client, person("max", [], role=role))
    assert parsed(client.get("/")).css('.pages a[href="/uploads/"]')
    assert client.get("/uploads/").status_code == 200


def test_uploads_of_others_are_unavailable_to_the_byte(client: Client, eva: User) -> None:
    ida = access(person("ida", ["alle"], role=Role.EDITOR))
    elsewhere = access(person("eva2", ["alle"], of=tenant("kinderhaus"), role=Role.EDITOR))
    others = [uploads.keep(by, "a.txt", b"x").public_id for by in (ida, elsewhere)]
    for rest in ("", "read/", "version/", "discard/"):
        answers = {main(client.post(f"/uploads/{one}/{rest}")) for one in (*others, uuid4())}
        assert len(answers) == 1 and answers.pop().startswith("404")
    assert {main(client.get(f"/uploads/{one}/")) for one in others} == {main(client.get(f"/uploads/{uuid4()}/"))}


def test_one_file_leads_to_its_page_and_several_to_the_list(client: Client, eva: User) -> None:
    assert bring(client) == f"/uploads/{Upload.objects.get().public_id}/"
    assert send(client, file("a.txt", b"x"), file("b.txt", b"y")).headers["Location"] == "/uploads/"
    assert texts(parsed(client.get("/uploads/")), ".file h3") == ["ventile.md", "a.txt", "b.txt"]


def test_refused_files_are_named_and_the_others_kept(client: Client, eva: User) -> None:
    answer = send(client, file("a.exe", b"x"), file("b.txt", b"y"), file("c.txt", b""))
    assert answer.status_code == 400
    page = parsed(answer)
    assert [problem.partition(" – ")[0] for problem in texts(page, ".problems li")] == ["a.exe", "c.txt"]
    assert ".md" in texts(page, ".problems li")[0] and texts(page, ".file h3") == ["b.txt"]


def test_no_file_is_told_so(client: Client, eva: User) -> None:
    assert texts(parsed(client.post("/uploads/", {})), ".problems li") == ["Choose at least one file."]


def test_a_script_gets_the_refusal_alone(client: Client, eva: User) -> None:
    answer = send(client, file("a.exe", b"x"), headers=FRAGMENT)
    assert answer.status_code == 400 and "<html" not in answer.content.decode()
    assert texts(parsed(answer), ".file-name") == ["a.exe"]
    assert send(client, file(), headers=FRAGMENT).status_code == 200


def test_a_script_gets_the_list_alone(client: Client, eva: User) -> None:
    bring(client)
    answer = client.get("/uploads/", headers={**FRAGMENT, "HX-Target": "waiting"})
    assert "<html" not in answer.content.decode() and texts(parsed(answer), ".file h3") == ["ventile.md"]


def test_files_at_once_are_limited(client: Client, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_FILES", 2)
    answer = send(client, *(file(f"{number}.txt", b"x") for number in range(4)))
    assert texts(parsed(answer), ".file h3") == ["0.txt", "1.txt"]
    assert [line.partition(" – ")[0] for line in texts(parsed(answer), ".problems li")] == ["2.txt", "3.txt"]


def test_a_long_file_is_not_written_to_its_end(client: Client, eva: User) -> None:
    answer = send(client, file("a.txt", b"x" * 20_000_001), file("b.txt", b"y"))
    assert "20 MB" in texts(parsed(answer), ".problems li")[0]
    assert texts(parsed(answer), ".file h3") == ["b.txt"]


def test_no_temporary_file_stays(client: Client, eva: User) -> None:
    bring(client)
    assert list((Path(settings.DATA_DIR) / "incoming").iterdir()) == []


def test_a_file_that_was_cut_off_is_not_kept(client: Client, eva: User) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    for body in (head + b"half of it", head):
        client.generic("POST", "/uploads/", body, content_type="multipart/form-data; boundary=x")
    assert not Upload.objects.exists()


def test_a_form_that_breaks_within_a_file_leaves_none_open(client: Client, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def noting(folder: Path) -> IO[bytes]:
        opened.append(make(dir=folder))
        return opened[-1]

    make = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda dir: noting(dir))
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
    form = {"data": head + b"!!!!x\r\n--x--\r\n", "content_type": "multipart/form-data; boundary=x"}
    assert client.post("/uploads/", **form).status_code == 400  # type: ignore[arg-type]
    assert [file.closed for file in opened] == [True]


def test_other_pages_take_no_files(client: Client, eva: User) -> None:
    answer = client.post("/citations/check/", {"given": "x", "file": file()})
    assert not answer.wsgi_request.FILES


def test_a_form_of_another_site_is_refused(eva: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    sign_in(strict, eva)
    assert send(strict, file()).status_code == 403 and not Upload.objects.exists()


def test_names_of_files_are_shown_as_text(client: Client, eva: User) -> None:
    page = bring(client, "<b>gut\u202etxt.exe</b>.txt", b"x")
    assert texts(parsed(client.get(page)), "h1 bdi") == ["b>.txt"]
    page = bring(client, "<b>gut\u202etxt.exe.txt", b"x")
    assert texts(parsed(client.get(page)), "h1 bdi") == ["<b>guttxt.exe.txt"]


def test_the_preview_is_the_text_that_will_be_searched(client: Client, eva: User) -> None:
    page = parsed(client.get(bring(client)))
    assert one(page, ".preview .text").text() == uploads.content_of(Upload.objects.get()).text
    assert [node.tag for node in page.css(".preview .passage")][:2] == ["h2", "p"]
    assert len(page.css(".preview [role=table] [role=row]")) == 2


def test_a_long_text_comes_in_stretches(client: Client, eva: User) -> None:
    page = bring(client, "lang.txt", "\n\n".join(f"Absatz {number}" for number in range(450)).encode())
    answer = client.get(f"{page}?offset=200", headers={**FRAGMENT, "HX-Target": "preview"})
    shown = parsed(answer)
    assert texts(shown, ".preview-count") == ["Passages 201 to 400 of 450"] and len(shown.css(".passage")) == 200
    assert [node.attributes["href"] for node in shown.css(".turn a")] == [f"{page}?offset=0", f"{page}?offset=400"]
    assert len(parsed(client.get(f"{page}?offset=400")).css(".preview .passage")) == 50


def test_what_is_not_searched_and_what_nobody_sees_is_marked(client: Client, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Kopf \u2400\u2400\u2400 weiß"
    spans = (Span(SpanKind.RUNNING, 0, 4), Span(SpanKind.GARBLED, 5, 8), Span(SpanKind.UNSEEN, 9, 13))
    content = Content(text, (Passage(PassageKind.PARAGRAPH, 0, len(text)),), spans, notes=(Note.LETTER_SOUP, Note.UNSEEN_TEXT))
    monkeypatch.setattr("evidence.parsing.extract", lambda *_: content)
    page = parsed(client.get(bring(client)))
    assert [len(page.css(f".preview .trait-{kind}")) for kind in ("running", "garbled", "unseen")] == [1, 1, 1]
    assert len(page.css(".legend-traits li")) == 3 and len(page.css(".notes li")) == 2


def test_nothing_to_search_is_said(client: Client, eva: User) -> None:
    page = bring(client, "leer.txt", b" \n")
    assert parsed(client.get(page)).css(".note-no_text")
    assert texts(parsed(client.get("/uploads/")), ".file-problem") == ["Nothing in it can be searched."]


def test_a_text_in_another_encoding_is_asked_about_and_read_again(client: Client, eva: User) -> None:
    page = bring(client, "alt.txt", "Prüfung".encode("cp1252"))
    shown = parsed(client.get(page))
    assert "not in UTF-8" in one(shown, ".notice-bad").text() and not shown.css("form.describe")
    assert client.post(f"{page}read/", {"encoding": "windows-1252"}).headers["Location"] == page
    assert one(parsed(client.get(page)), ".preview .text").text() == "Prüfung"


def test_every_encoding_that_is_offered_can_be_read(client: Client, eva: User) -> None:
    page = bring(client, "a.txt", b"ab")
    offered = [node.attributes["value"] for node in parsed(client.get(page)).css("[name=encoding] option")]
    assert offered == ["", *uploads.ENCODINGS]
    for name in uploads.ENCODINGS:
        client.post(f"{page}read/", {"encoding": name})
        assert Upload.objects.get().problem == {}, name


def test_a_password_is_asked_for_and_not_shown_again(client: Client, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(ending: str, data: bytes, options: formats.options.Options) -> Content:
        if options.password != "geheim-7":
            raise Refused("pdf_password", "Give it in the rules.")
        return Content("offen", (Passage(PassageKind.PARAGRAPH, 0, 5),))

    monkeypatch.setattr("evidence.parsing.extract", locked)
    page = bring(client)
    assert value(parsed(client.get(page)), "[name=password]", "type") == "password"
    client.post(f"{page}read/", {"password": "geheim-7"})
    answer = client.get(page)
    assert one(parsed(answer), ".preview .text").text() == "offen" and "geheim-7" not in answer.content.decode()


def test_publishing_makes_a_document_and_shows_where_it_is(client: Client, eva: User) -> None:
    page = bring(client)
    answer = publish(client, page, title="Ventilbuch")
    assert (answer.status_code, answer.headers["Location"]) == (302, page)
    made = Document.objects.get()
    assert value(parsed(client.get(page)), ".published h2 a", "href") == f"/documents/{made.public_id}/"
    assert texts(parsed(client.get("/?q=Ventil")), ".hit h2, .hit h3")
    assert texts(parsed(client.get("/uploads/")), ".file h3") == []


def test_publishing_again_shows_the_same_document(client: Client, eva: User) -> None:
    page = bring(client)
    sent = fields(client, page)
    for _ in range(2):
        assert client.post(page, sent, follow=True).status_code == 200
    assert Document.objects.count() == 1


def test_a_text_that_another_window_had_read_anew_is_looked_at_first(client: Client, eva: User) -> None:
    page = bring(client, "a.txt", b"Gr\xc3\xbc\xc3\x9fe")
    seen = fields(client, page)["seen"]
    client.post(f"{page}read/", {"encoding": "cp850"})
    assert publish(client, page, seen=seen).status_code == 400 and not Document.objects.exists()
    assert publish(client, page).status_code == 302


def test_what_is_missing_is_said_at_its_field_and_nothing_is_lost(client: Client, eva: User) -> None:
    page = bring(client)
    answer = publish(client, page, version="", date="gestern", allowed=[], owner="Technik")
    shown = parsed(answer)
    assert answer.status_code == 400 and not Document.objects.exists()
    assert [node.attributes["href"] for node in shown.css(".problems a")] == ["#field-version", "#field-date", "#field-allowed"]
    assert one(shown, "#problem-version").text() == "Version: this can't be empty."
    assert value(shown, "#field-version", "aria-describedby") == "problem-version"
    assert value(shown, "#field-owner", "value") == "Technik"


def test_what_the_person_could_not_read_is_to_be_confirmed(client: Client, eva: User) -> None:
    page, netz = bring(client), [group("netz").pk]
    answer = publish(client, page, allowed=netz)
    assert parsed(answer).css("#field-unread") and not Document.objects.exists()
    assert publish(client, page, allowed=netz, unread="1").status_code == 302
    assert not parsed(client.get(page)).css(".published") and "Ventile" not in client.get(page).content.decode()


def test_groups_of_another_tenant_are_not_offered_and_not_taken(client: Client, eva: User) -> None:
    foreign = group("fremd", of=tenant("kinderhaus"))
    page = bring(client)
    assert texts(parsed(client.get(page)), "#field-allowed .choice") == ["alle", "netz"]
    assert publish(client, page, allowed=[foreign.pk]).status_code == 400


def test_a_new_version_is_brought_from_the_documents_side(client: Client, eva: User) -> None:
    publish(client, bring(client), title="Ventilbuch", owner="Technik")
    made = Document.objects.get()
    assert texts(parsed(client.get(f"/uploads/?document={made.public_id}")), ".notice strong") == ["Ventilbuch"]
    page = str(send(client, file("neu.md", b"# Neu\n"), document=str(made.public_id)).headers["Location"])
    shown = parsed(client.get(page))
    assert [value(shown, f"#field-{name}", "value") for name in ("title", "version", "owner")] == ["Ventilbuch", "2", "Technik"]
    publish(client, page)
    assert Document.objects.get().revisions.count() == 2


def test_a_new_version_is_chosen_on_the_files_page(client: Client, eva: User) -> None:
    publish(client, bring(client), title="Ventilbuch")
    made = Document.objects.get()
    page = bring(client)
    assert "from a file of this name" in texts(parsed(client.get(page)), "#field-document option")[1]
    client.post(f"{page}version/", {"document": str(made.public_id)})
    assert value(parsed(client.get(page)), ".describe [name=document]", "value") == str(made.public_id)
    client.post(f"{page}version/", {"document": ""})
    assert value(parsed(client.get(page)), ".describe [name=document]", "value") == ""


@pytest.mark.parametrize("sent", ["nonsense", "unknown", "hidden"])
def test_documents_that_may_not_be_read_are_one_answer(client: Client, eva: User, sent: str) -> None:
    ida = access(person("ida", ["netz"], role=Role.EDITOR))
    sign_in(other := Client(), User.objects.get(username="ida"))
    assert publish(other, bring(other), allowed=[group("netz").pk]).status_code == 302 and ida.user
    which = {"nonsense": "x", "unknown": str(uuid4()), "hidden": str(Document.objects.get().public_id)}[sent]
    page = bring(client)
    assert client.get(f"/uploads/?document={which}").status_code == 404
    assert client.post(f"{page}version/", {"document": which}).status_code == 404
    assert texts(parsed(publish(client, page, document=which)), ".problems a") == [
        "The document that this was to be a new version of is not available to you."
    ]


def test_hidden_documents_change_no_byte_of_the_pages(client: Client, eva: User) -> None:
    page = bring(client)
    paths = ["/uploads/", page, "/uploads/published/"]
    before = [main(client.get(path)) for path in paths]
    person("ida", ["netz"], role=Role.EDITOR)
    sign_in(other := Client(), User.objects.get(username="ida"))
    publish(other, bring(other), title="Geheim", kind="Geheimsache", allowed=[group("netz").pk])
    bring(other)
    assert [main(client.get(path)) for path in paths] == before


def test_discarding_removes_the_file(client: Client, eva: User) -> None:
    page = bring(client)
    assert client.post(f"{page}discard/").headers["Location"] == "/uploads/"
    assert not Upload.objects.exists() and client.get(page).status_code == 404


def test_what_was_published_is_listed_and_withdrawn(client: Client, eva: User) -> None:
    page = bring(client)
    publish(client, page)
    made = Document.objects.get()
    assert texts(parsed(client.get("/uploads/published/")), ".file h2") == ["Ventile"]
    assert client.post(f"/uploads/published/{made.public_id}/withdraw/").headers["Location"] == "/uploads/published/"
    assert texts(parsed(client.get("/uploads/published/")), ".file h2") == []
    assert client.get(f"/documents/{made.public_id}/").status_code == 404
    assert not parsed(client.get(page)).css(".published")
    assert client.post(f"/uploads/published/{made.public_id}/withdraw/").status_code == 404


def test_only_those_who_published_may_withdraw(client: Client, eva: User) -> None:
    publish(client, bring(client))
    sign_in(other := Client(), person("ida", ["alle"], role=Role.EDITOR))
    answers = {main(other.post(f"/uploads/published/{one}/withdraw/")) for one in (Document.objects.get().public_id, uuid4())}
    assert len(answers) == 1 and answers.pop().startswith("404")


def test_lists_cost_as_many_queries_for_many_as_for_one(
    client: Client, eva: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        page = bring(client, f"{number}.txt", b"x")
        if number % 2:
            publish(client, page, title=f"Titel {number}")
    last = bring(client)
    for path, most in (("/uploads/", 8), ("/uploads/published/", 9), (last, 15)):
        with django_assert_max_num_queries(most):
            assert client.get(path).status_code == 200


def test_no_log_holds_a_name_or_a_password(client: Client, eva: User, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="evidence"):
        page = bring(client, "streng-vertraulich.txt", b"x")
        client.post(f"{page}read/", {"password": "geheim-7"})
    assert "vertraulich" not in caplog.text and "geheim-7" not in caplog.text
