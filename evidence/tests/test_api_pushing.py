"""REST for a system that pushes: what it may send, what it is told, and what it never learns."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from pytest_django import Settings

from evidence import pushing, runs
from evidence.api import receiving
from evidence.models import AccessRule, AuditEvent, Document, Job, Revision, Source, SourceKind, Token
from evidence.sources.push import MAX_METADATA_BYTES, MAX_PRINCIPALS
from evidence.tests.builders import group, person, tenant
from evidence.tests.calls import program
from evidence.tests.pdfs import pdf, words
from evidence.tests.pushes import BOUNDARY, Pusher, as_text, multipart, pushed_source

pytestmark = pytest.mark.django_db

ALLE: dict[str, Any] = {"allowed": ["group:alle"]}


@pytest.fixture
def pusher() -> Pusher:
    group("alle")
    group("netz")
    return Pusher(pushed_source())


def row(external_id: str = "a") -> Document:
    return Document.objects.select_related("current__revision").get(external_id=external_id)


def kept(of: Document) -> str:
    assert of.current is not None
    return "".join(of.current.passages.values_list("text", flat=True))


# Whose token it is


def test_an_unknown_a_foreign_and_a_kept_source_are_the_same_to_the_byte(pusher: Pusher) -> None:
    pushed_source("andere")
    pushed_source("fremde", of=tenant("andere"))
    Source.objects.create(tenant=tenant(), name="ordner", kind=SourceKind.FOLDER)
    for method, path in (("get", "documents"), ("put", "documents/a"), ("put", "documents/a/rights"), ("delete", "documents/a")):
        answers = [pusher.call(method, path, source=name).whole for name in ("nirgends", "andere", "fremde", "ordner")]
        assert answers == [answers[0]] * 4
        assert answers[0][0] == 404


def test_a_source_that_is_not_pushed_any_more_is_unavailable(pusher: Pusher) -> None:
    Source.objects.update(kind=SourceKind.FOLDER)
    assert pusher.put("a", "Text", **ALLE).code == "unavailable"


def test_a_token_that_pushes_reads_nothing(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)
    pusher.confirm()
    reader = program(person("eva", ["alle"]))
    reader._token = pusher.secret
    known = str(row().public_id)
    for path in ("search", "documents", f"documents/{known}", f"documents/{known}/original", f"documents/{known}/history"):
        answer = reader.get(path, {"q": "Text"})
        assert (answer.status, answer.code) == (403, "scope_missing")
    assert reader.post("citations", {"document": known, "exact": "Text"}).code == "scope_missing"


def test_a_persons_token_pushes_nothing(pusher: Pusher) -> None:
    eva = program(person("eva", ["alle"]))
    other = Pusher(pusher.source, secret=eva._token)
    assert (other.put("a", "Text", **ALLE).status, other.confirm().code) == (403, "scope_missing")
    assert not Document.objects.exists()


def test_a_revoked_token_pushes_nothing(pusher: Pusher) -> None:
    Token.objects.update(revoked_at=timezone.now())
    assert pusher.put("a", "Text", **ALLE).status == 401


def test_the_token_belongs_to_the_source_whoever_made_it(pusher: Pusher) -> None:
    Token.objects.get().user.memberships.update(active=False)
    assert pusher.put("a", "Text", **ALLE).status == 201


def test_calls_are_counted_by_token(pusher: Pusher, settings: Settings) -> None:
    settings.API_CALLS_PER_MINUTE = 3  # one was made already
    assert [pusher.get("documents").status for _ in range(3)] == [200, 200, 429]


# Documents


def test_a_document_is_taken_in_with_what_is_said_of_it(pusher: Pusher) -> None:
    said: dict[str, Any] = {
        "title": "Bescheid",
        "version": "2",
        "date": "2026-02-01",
        "owner": "Amt",
        "language": "de",
        "kind": "Bescheid",
        "status": "draft",
        "valid_from": "2026-02-01",
        "valid_until": "2027-02-01",
        "sensitivity": "intern",
        "url": "https://dms.example.org/1",
    }
    answer = pusher.put("a", "Die Frist.", name="bescheid.md", **said, **ALLE)
    made = row()
    assert made.current is not None
    assert (made.title, made.owner, made.language, made.kind, made.status) == ("Bescheid", "Amt", "de", "Bescheid", "draft")
    assert (str(made.valid_from), str(made.valid_until), made.sensitivity) == ("2026-02-01", "2027-02-01", "intern")
    assert (made.origin, made.current.revision.path) == ("https://dms.example.org/1", "bescheid.md")
    assert (made.current.revision.label, str(made.current.revision.dated)) == ("2", "2026-02-01")
    assert answer.body == {
        "id": str(made.public_id),
        "external_id": "a",
        "state": "new",
        "version": "2",
        "sha256": made.current.revision.source_sha256,
        "readable": True,
        "problem": None,
        "rights_as_of": None,
        "notes": [],
    }


def test_the_same_once_more_changes_nothing(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)

    def everything() -> list[Any]:
        return [list(table.objects.values()) for table in (Document, Revision, AuditEvent, Job)]

    before = everything()
    answer = pusher.put("a", "Text", **ALLE)
    assert (answer.status, answer.body["state"]) == (200, "unchanged")
    assert everything() == before


def test_new_content_new_metadata_and_a_new_version_are_told_apart(pusher: Pusher) -> None:
    pusher.put("a", "Text", **ALLE)
    assert pusher.put("a", "Text", title="Neu", **ALLE).body["state"] == "updated"
    assert pusher.put("a", "Mehr", title="Neu", **ALLE).body["state"] == "changed"
    assert pusher.put("a", "Mehr", title="Neu", version="2", **ALLE).body["state"] == "changed"
    assert Revision.objects.count() == 3


@pytest.mark.parametrize(
    ("sent", "known"),
    [
        ("akten/2026/Nr. 1", "akten/2026/Nr. 1"),
        ("Straße 5 – Prüfung", "Straße 5 – Prüfung"),
        ("Pru\u0308fung", "Prüfung"),
        ("a?b#c&d=e%20f", "a?b#c&d=e%20f"),
        ("ends/rightsless", "ends/rightsless"),
        ("/a//b/", "/a//b/"),
        ("a" * 200, "a" * 200),
        ("💧", "💧"),
    ],
)
def test_an_id_may_hold_nearly_everything(pusher: Pusher, sent: str, known: str) -> None:
    assert pusher.put(sent, "Text", **ALLE).body["external_id"] == known
    assert pusher.rights(sent, allowed=["group:netz"]).status == 200
    assert pusher.delete(known).status == 202


@pytest.mark.parametrize("sent", ["a" * 201, "a\tb", "a\u0085b"])
def test_an_id_that_can_not_be_kept_is_refused(pusher: Pusher, sent: str) -> None:
    for answer in (pusher.put(sent, "Text", **ALLE), pusher.rights(sent, **ALLE), pusher.delete(sent)):
        assert (answer.status, list(answer.body["fields"])) == (400, ["external_id"])


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"title": 7}, "title"),
        ({"title": "a" * 501}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "\ud800"}, "title"),
        ({"version": ""}, "version"),
        ({"version": "a" * 101}, "version"),
        ({"date": "1.2.2026"}, "date"),
        ({"date": "2026-02-30"}, "date"),
        ({"valid_from": "2026-02-02", "valid_until": "2026-02-01"}, "valid_until"),
        ({"status": "old"}, "status"),
        ({"language": "a" * 21}, "language"),
        ({"kind": ["a"]}, "kind"),
        ({"url": "a" * 1001}, "url"),
        ({"encoding": "klingon"}, "encoding"),
        ({"media_type": "image/png"}, "media_type"),
        ({"media_type": "application/pdf"}, "media_type"),
        ({"allowed": "group:alle"}, "allowed"),
        ({"allowed": ["alle"]}, "allowed"),
        ({"allowed": [7]}, "allowed"),
        ({"allowed": ["group:a"] * (MAX_PRINCIPALS + 1)}, "allowed"),
        ({"denied": ["group:alle"]}, "allowed"),
        ({"denied": {"group": "alle"}, "allowed": []}, "denied"),
        ({"rights_as_of": "2026-02-01"}, "rights_as_of"),
        ({"rights_as_of": "2026-02-01T10:00:00"}, "rights_as_of"),
        ({"rights_as_of": "0001-01-01T00:00:00+14:00"}, "rights_as_of"),
        ({"rights_as_of": as_text(timezone.now() + timedelta(days=1))}, "rights_as_of"),
        ({"rights_as_of": 1700000000}, "rights_as_of"),
        ({"colour": "red"}, "metadata"),
    ],
)
def test_what_is_wrong_is_told_for_its_field(pusher: Pusher, said: dict[str, Any], field: str) -> None:
    answer = pusher.put("a", "Text", **said)
    assert (answer.status, answer.code, list(answer.body["fields"])) == (400, "invalid_fields", [field])
    assert not Document.objects.exists()


def test_all_that_is_wrong_is_told_at_once(pusher: Pusher) -> None:
    assert list(pusher.put("a", "Text", title=7, status="old").body["fields"]) == ["status", "title"]


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"title": NaN}', b'{"allowed": ["group:alle"], "allowed": []}', b"\xff", b"[" * 9_000]
)
def test_metadata_that_is_no_object_is_refused(pusher: Pusher, raw: bytes) -> None:
    answer = pusher.put("a", "Text", raw=raw)
    assert (answer.status, list(answer.body["fields"])) == (400, ["metadata"])


def test_null_is_nothing_said(pusher: Pusher) -> None:
    assert pusher.put("a", "Text", title=None, valid_from=None, allowed=["group:alle"], denied=None).body["readable"] is True


def test_an_unknown_principal_lets_nobody_in_and_the_answer_says_so(pusher: Pusher) -> None:
    answer = pusher.put("a", "Text", allowed=["group:alle", "group:nirgends"])
    assert (answer.status, answer.body["readable"]) == (201, False)
    assert "group:nirgends" in answer.body["problem"]
    pusher.confirm()
    assert program(person("eva", ["alle"])).get("search", {"q": "Text"}).body["total"] == 0


@pytest.mark.parametrize("said", [{}, {"allowed": []}, {"allowed": None}])
def test_a_new_document_without_rights_is_read_by_nobody(pusher: Pusher, said: dict[str, Any]) -> None:
    answer = pusher.put("a", "Text", **said)
    assert (answer.status, answer.body["readable"]) == (201, False)
    assert not AccessRule.objects.exists()


def test_content_without_rights_keeps_those_that_are_here(pusher: Pusher) -> None:
    before = pusher.put("a", "Text", allowed=["group:alle"], denied=["group:netz"]).body
    rights = row().access_class_id
    assert pusher.put("a", "Mehr").body == before | {"state": "changed", "sha256": row_sha()}
    assert row().access_class_id == rights
    pusher.rights("a", allowed=["group:nirgends"])
    assert "group:nirgends" in pusher.put("a", "Noch mehr").body["problem"]


def row_sha() -> str:
    current = row().current
    assert current is not None
    return current.revision.source_sha256


def test_rights_of_a_person_who_left_are_kept_as_they_are(pusher: Pusher) -> None:
    eva = person("eva")
    pusher.put("a", "Text", allowed=["user:eva", "group:alle"])
    eva.memberships.all().delete()
    assert pusher.put("a", "Mehr").body["readable"] is True


def test_the_media_type_says_how_a_file_without_an_ending_is_read(pusher: Pusher) -> None:
    assert (
        pusher.put("a", pdf(words("Die Frist beträgt acht Tage.")), name="blob", media_type="application/pdf", **ALLE).status
        == 201
    )
    current = row().current
    assert current is not None
    assert (current.revision.path, current.revision.media_type) == ("blob.pdf", "application/pdf")


@pytest.mark.parametrize("name", ["blob", "bild.png", "x.exe"])
def test_a_file_of_a_kind_that_is_not_read_is_refused(pusher: Pusher, name: str) -> None:
    answer = pusher.put("a", "Text", name=name, **ALLE)
    assert (answer.status, list(answer.body["fields"])) == (400, ["file"])


def test_the_name_of_a_file_is_no_path(pusher: Pusher) -> None:
    pusher.put_body("a", multipart(("file", "../../etc/Pru\u0308fung.txt", b"Text")))
    current = row().current
    assert current is not None
    assert current.revision.path == "Prüfung.txt"


def test_a_text_in_another_encoding_is_read_as_it_says(pusher: Pusher) -> None:
    pusher.put("a", "Prüfung".encode("windows-1252"), encoding="windows-1252", **ALLE)
    assert kept(row()) == "Prüfung"


def test_a_file_that_can_not_be_read_changes_nothing(pusher: Pusher) -> None:
    pusher.put("a", "Text", title="Alt", **ALLE)
    answer = pusher.put("a", b"a\xff", title="Neu", **ALLE)
    assert (answer.status, answer.code) == (400, "text_not_utf8")
    assert (row().title, kept(row())) == ("Alt", "Text")
    assert pusher.put("b", b"%PDF-1.7 broken", name="b.pdf", **ALLE).status == 400
    assert not Document.objects.filter(external_id="b").exists()


def test_whoever_loses_a_document_loses_it_though_the_file_can_not_be_read(pusher: Pusher) -> None:
    pusher.put("a", "Text", allowed=["group:alle", "group:netz"])
    pusher.confirm()
    answer = pusher.put("a", b"\xff\xfe\x00", allowed=["group:netz"])
    assert answer.status == 400
    assert program(person("eva", ["alle"])).get("search", {"q": "Text"}).body["total"] == 0
    assert program(person("max", ["netz"])).get("search", {"q": "Text"}).body["total"] == 1


def test_nobody_gains_a_document_whose_file_can_not_be_read(pusher: Pusher) -> None:
    pusher.put("a", "Text", allowed=["group:netz"])
    pusher.confirm()
    assert pusher.put("a", b"\xff\xfe\x00", allowed=["group:alle", "group:netz"]).status == 400
    assert program(person("eva", ["alle"])).get("search", {"q": "Text"}).body["total"] == 0


def test_an_empty_file_is_refused(pusher: Pusher) -> None:
    assert pusher.put("a", "", **ALLE).code == "file_empty"


# Bodies


@pytest.mark.parametrize(
    "body",
    [
        b"",
        multipart(("metadata", "", b"{}")),
        multipart(("file", "", b"Text")),
        multipart(("file", "a.txt", b"Text"), ("file", "b.txt", b"Text")),
        multipart(("file", "a.txt", b"Text"), ("metadata", "", b"{}"), ("metadata", "", b"{}")),
        multipart(("file", "a.txt", b"Text"), ("metadata", "m.json", b"{}"), ("metadata", "", b"{}")),
        multipart(("file", "a.txt", b"Text"), ("other", "", b"x")),
        multipart(("other", "a.txt", b"Text")),
        multipart(*[(f"f{number}", "", b"") for number in range(1_100)]),
        multipart(*[("file", "a.txt", b"x")] * 200),
    ],
)
def test_other_parts_are_refused(pusher: Pusher, body: bytes) -> None:
    answer = pusher.put_body("a", body)
    assert (answer.status, answer.code) == (400, "parts_wrong")
    assert not Document.objects.exists()


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", "multipart/form-data; boundary=ü", ""])
def test_a_body_of_another_kind_is_refused(pusher: Pusher, kind: str) -> None:
    assert pusher.call("put", "documents/a", b"{}", content_type=kind).code == "parts_wrong"


def test_metadata_may_be_a_file_and_come_last(pusher: Pusher) -> None:
    said = json.dumps({"title": "Bescheid", **ALLE}).encode()
    assert pusher.put_body("a", multipart(("file", "a.txt", b"Text"), ("metadata", "m.json", said))).body["readable"] is True


@pytest.mark.parametrize("missing", [1, 3, len(BOUNDARY) + 8])
def test_a_body_that_ends_too_early_is_none(pusher: Pusher, missing: int) -> None:
    whole = multipart(("metadata", "", b"{}"), ("file", "a.txt", b"Text of some length"))
    cut = whole.rstrip()[:-missing]
    assert pusher.put_body("a", cut).code == "body_cut_short"
    assert not Document.objects.exists()


def test_a_connection_that_ends_too_early_leaves_nothing(pusher: Pusher) -> None:
    whole = multipart(("metadata", "", b"{}"), ("file", "a.txt", b"Text"))
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    cut: dict[str, Any] = {"CONTENT_LENGTH": str(len(whole) + 10), "wsgi.input": BytesIO(whole)}
    answer = pusher.call("put", "documents/a", whole, content_type=kind, **cut)
    assert answer.code == "body_cut_short"


def test_a_file_has_at_most_as_many_bytes_as_its_kind_may(pusher: Pusher, data_folder: Any) -> None:
    answer = pusher.put("a", b"a" * 20_000_001, name="a.txt", **ALLE)
    assert (answer.status, answer.code) == (413, "file_too_large")
    assert pusher.put("a", b"a" * 20_000_001, name="blob", media_type="text/plain", **ALLE).status == 413
    assert list((data_folder / "incoming").iterdir()) == []


def test_a_body_that_is_too_long_is_not_read(pusher: Pusher) -> None:
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    length = str(receiving.LARGEST + MAX_METADATA_BYTES + receiving.AROUND + 1)
    answer = pusher.call("put", "documents/a", b"", content_type=kind, CONTENT_LENGTH=length)
    assert (answer.status, answer.code) == (413, "file_too_large")


@pytest.mark.parametrize("file", ["", "m.json"])
@pytest.mark.parametrize("size", [MAX_METADATA_BYTES + 1, 5_000_000])
def test_metadata_has_a_limit(pusher: Pusher, file: str, size: int) -> None:
    answer = pusher.put_body("a", multipart(("metadata", file, b"{" + b" " * size), ("file", "a.txt", b"Text")))
    assert (answer.status, answer.code) == (413, "metadata_too_large")


def test_nothing_is_received_for_a_source_of_others(pusher: Pusher, data_folder: Any) -> None:
    pushed_source("andere")
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    body = multipart(("file", "a.txt", b"Text"))
    assert pusher.call("put", "documents/a", body, content_type=kind, source="andere").status == 404
    assert not (data_folder / "incoming").exists()


# Somebody else is at work


def test_a_source_that_is_busy_says_when_to_come_again(pusher: Pusher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "WAITS", 0.1)
    pusher.put("a", "Text", **ALLE)
    with runs.alone(pusher.source):
        for answer in (pusher.put("a", "Mehr", **ALLE), pusher.rights("a", **ALLE), pusher.delete("a"), pusher.confirm()):
            assert (answer.status, answer.code, answer.response.headers["Retry-After"]) == (503, "busy", "10")
    assert kept(row()) == "Text"


@pytest.mark.django_db(transaction=True)
def test_calls_at_once_for_one_document_come_one_after_the_other() -> None:
    group("alle")
    pusher = Pusher(pushed_source())
    statuses: list[int] = []

    def send(number: int) -> None:
        sent = Pusher(pusher.source, secret=pusher.secret).put("a", f"Text {number}", version=str(number), **ALLE)
        statuses.append(sent.status)
        connections.close_all()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(5)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(statuses) == [200, 200, 200, 200, 201]
    assert (Document.objects.count(), Revision.objects.count()) == (1, 5)


# What is held


def test_what_is_held_is_listed_page_by_page(pusher: Pusher) -> None:
    for name in ("c", "a", "b/1"):
        pusher.put(name, f"Text {name}", version="7", **ALLE)
    first = pusher.get("documents", {"limit": 2}).body
    assert [one["external_id"] for one in first["documents"]] == ["a", "b/1"]
    assert first["documents"][0] == {
        "id": str(row().public_id),
        "external_id": "a",
        "version": "7",
        "sha256": row_sha(),
        "readable": True,
        "rights_as_of": None,
    }
    second = pusher.get("documents", {"limit": 2, "after": first["next"]}).body
    assert ([one["external_id"] for one in second["documents"]], second["next"]) == (["c"], None)


def test_what_is_held_is_of_this_source_and_not_removed(pusher: Pusher) -> None:
    other = Pusher(pushed_source("andere"))
    other.put("x", "Text", **ALLE)
    pusher.put("a", "Text", **ALLE)
    pusher.delete("a")
    assert pusher.get("documents").body == {"documents": [], "next": None}
    assert pusher.get("documents", {"limit": 0}).code == "limit_out_of_range"
    assert pusher.get("documents", {"after": "a\0"}).code == "invalid_fields"


def test_a_receipt_of_another_source_is_unavailable(pusher: Pusher) -> None:
    other = Pusher(pushed_source("andere"))
    other.put("x", "Text", **ALLE)
    theirs = other.delete("x").body["receipt"]
    assert other.get(f"receipts/{theirs}").status == 200
    answers = [pusher.get(f"receipts/{one}").whole for one in (theirs, "nothing", "00000000-0000-0000-0000-000000000000")]
    assert answers == [answers[0]] * 3
    assert answers[0][0] == 404
