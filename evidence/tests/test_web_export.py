"""Exported citations: what is in the files, their checksums, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evidence import citations
from evidence.models import Membership
from evidence.tests.builders import access, document, person, publish
from evidence.tests.pages import sign_in

TEXT = '=HYPERLINK("https://example.org/")\n\nDie Frist beträgt\nacht Tage; „so, und nicht anders“.\n\n@Ende'

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ids(client: Client, tmp_path: Path) -> list[UUID]:
    """Two citations by Anna, who is signed in; the older one begins like a formula."""
    publish(tmp_path, {"a.txt": TEXT})
    anna = person("anna", ["alle"])
    sign_in(client, anna)
    row = document("a").public_id
    return [citations.cite_words(access(anna), row, exact=words) for words in (TEXT.split("\n\n")[0], "beträgt\nacht Tage")]


def lines(client: Client, query: str = "") -> list[dict[str, str]]:
    content = client.get(f"/citations/export/citations.csv{query}").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content, newline="")))


def test_csv_has_a_line_for_each_and_keeps_line_feeds_and_quotation_marks(client: Client, ids: list[UUID]) -> None:
    found = lines(client)
    assert [line["id"] for line in found] == [str(ids[1]), str(ids[0])]
    assert (found[0]["quote"], found[0]["state"]) == ("beträgt\nacht Tage", "resolved")


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "＝1"])
def test_what_would_begin_a_formula_gets_an_apostrophe(client: Client, tmp_path: Path, start: str) -> None:
    publish(tmp_path, {"a.txt": f"{start} Ende"})
    anna = person("anna", ["alle"])
    sign_in(client, anna)
    citations.cite_words(access(anna), document("a").public_id, exact=f"{start} Ende")
    assert lines(client)[0]["quote"] == f"'{start} Ende"
    assert (
        json.loads(client.get("/citations/export/citations.json").content)["citations"][0]["anchor"]["exact"] == f"{start} Ende"
    )


def test_json_holds_anchors_and_the_hash_of_its_content(client: Client, ids: list[UUID]) -> None:
    whole = json.loads(client.get("/citations/export/citations.json").content)
    canonical = json.dumps(whole["citations"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert whole["content_sha256"] == sha256(canonical.encode()).hexdigest()
    anna = access(User.objects.get(username="anna"))
    assert whole["citations"][0]["anchor"] == citations.get(anna, ids[1]).anchor.to_dict()


def test_zip_holds_both_with_sums_that_fit(client: Client, ids: list[UUID]) -> None:
    archive = zipfile.ZipFile(io.BytesIO(client.get("/citations/export/citations.zip").content))
    sums = [f"{sha256(archive.read(name)).hexdigest()}  {name}" for name in ("citations.csv", "citations.json")]
    assert archive.read("SHA256SUMS").decode().splitlines() == sums


@pytest.mark.parametrize("kind", ["csv", "json", "zip"])
def test_each_file_is_an_attachment_with_its_digest_in_the_header(client: Client, ids: list[UUID], kind: str) -> None:
    response = client.get(f"/citations/export/citations.{kind}")
    digest = b64encode(sha256(response.content).digest()).decode()
    assert response.headers["Repr-Digest"] == f"sha-256=:{digest}:"
    assert response.headers["Content-Disposition"] == f'attachment; filename="citations.{kind}"'
    assert "no-store" in response.headers["Cache-Control"]


def test_what_may_not_be_read_any_more_is_only_its_id(client: Client, ids: list[UUID]) -> None:
    Membership.objects.get(user__username="anna").groups.clear()
    assert [{name: text for name, text in line.items() if text and name != "checked_at"} for line in lines(client)] == [
        {"id": str(one), "state": "unavailable"} for one in reversed(ids)
    ]
    whole = json.loads(client.get("/citations/export/citations.json").content)
    assert whole["citations"] == [{"id": str(one), "state": "unavailable"} for one in reversed(ids)]


def test_export_is_narrowed_down_as_the_list_is(client: Client, ids: list[UUID], tmp_path: Path) -> None:
    assert lines(client, "?state=changed") == []
    publish(tmp_path, {"a.txt": "Neu."})
    assert len(lines(client, "?state=source_changed")) == 2


def test_others_export_only_their_own_and_unknown_kinds_are_not_there(client: Client, ids: list[UUID]) -> None:
    sign_in(client, person("max", ["alle"]))
    assert lines(client) == []
    assert client.get("/citations/export/citations.xlsx").status_code == 404
