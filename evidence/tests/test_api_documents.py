"""GET documents: list, text, provenance, history; one answer for everything that is not available."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from evidence.models import Document, Membership
from evidence.tests.builders import document, person, publish
from evidence.tests.calls import program
from evidence.tests.papers import paper, pdf, trait

pytestmark = pytest.mark.django_db

OLD = "# Fristen\n\nAcht Tage 🔧.\n"
NEW = "# Fristen\n\nNeun Tage 🔧.\n"


@pytest.fixture
def row(tmp_path: Path) -> Document:
    publish(tmp_path, {"a.md": OLD, "b.txt": "Anderes"})
    return document("a")


def test_the_list_holds_what_may_be_read_by_title(row: Document) -> None:
    calls = program(person("eva", ["alle"]))
    body = calls.get("documents", {"title": "FRIST"}).body
    assert (body["total"], [one["document"]["title"] for one in body["documents"]]) == (1, ["Fristen"])
    assert body["documents"][0]["url"].endswith(f"/documents/{row.public_id}/")
    assert calls.get("documents", {"limit": 1, "offset": 1}).body["total"] == 2
    assert program(person("ida", ["netz"])).get("documents").body == {"total": 0, "documents": []}


@pytest.mark.parametrize(
    ("values", "code"),
    [({"limit": "51"}, "limit_out_of_range"), ({"offset": "x"}, "offset_out_of_range"), ({"title": "x" * 201}, "title_too_long")],
)
def test_a_list_outside_the_contract_is_refused(values: dict[str, str], code: str) -> None:
    answer = program(person("eva", ["alle"])).get("documents", values)
    assert (answer.status, answer.code) == (400, code)


def test_a_document_has_its_text_and_passages_that_part_it(row: Document) -> None:
    body = program(person("eva", ["alle"])).get(f"documents/{row.public_id}").body
    assert hashlib.sha256(body["text"].encode()).hexdigest() == body["text_sha256"]
    assert [body["text"][one["start"] : one["end"]] for one in body["passages"]] == ["Fristen", "Acht Tage 🔧."]
    assert body["passages"][1]["context"]["headings"] == ["Fristen"]
    assert (body["is_current"], body["representation"]) == (True, body["current"])


def test_a_kept_state_is_read_by_its_id_and_says_that_it_is_not_current(row: Document, tmp_path: Path) -> None:
    old = row.current
    publish(tmp_path, {"a.md": NEW})
    assert old is not None
    calls = program(person("eva", ["alle"]))
    body = calls.get(f"documents/{row.public_id}", {"representation": str(old.public_id)}).body
    assert ("Acht" in body["text"], body["is_current"]) == (True, False)
    assert "Neun" in calls.get(f"documents/{row.public_id}").body["text"]


def test_a_kept_state_does_not_bear_the_validity_of_the_current_one(row: Document, tmp_path: Path) -> None:
    old = row.current
    publish(tmp_path, {"a.md": NEW})
    Document.objects.update(valid_from="2026-07-01", valid_until="2999-01-01")
    assert old is not None
    calls = program(person("eva", ["alle"]))
    now = calls.get(f"documents/{row.public_id}").body["document"]
    assert (now["status"], now["valid_from"], now["valid_until"]) == ("valid", "2026-07-01", "2999-01-01")
    then = calls.get(f"documents/{row.public_id}", {"representation": str(old.public_id)}).body["document"]
    assert (then["status"], then["valid_from"], then["valid_until"]) == ("", None, None)


def test_an_immutable_text_is_not_sent_again(row: Document) -> None:
    calls = program(person("eva", ["alle"]))
    assert row.current is not None
    state = {"representation": str(row.current.public_id)}
    first = calls.get(f"documents/{row.public_id}", state)
    assert first.response["Cache-Control"] == "private, no-cache"
    again = calls.get(f"documents/{row.public_id}", state, if_none_match=first.response["ETag"])
    assert (again.status, again.response.content, again.response["ETag"]) == (304, b"", first.response["ETag"])
    assert again.queries < first.queries
    assert calls.get(f"documents/{row.public_id}", state, if_none_match='"other"').status == 200


def test_what_stands_about_a_text_belongs_to_its_etag(row: Document) -> None:
    calls = program(person("eva", ["alle"]))
    assert row.current is not None
    state = {"representation": str(row.current.public_id)}
    etag = calls.get(f"documents/{row.public_id}", state).response["ETag"]
    Document.objects.update(title="Anders")
    assert calls.get(f"documents/{row.public_id}", state, if_none_match=etag).status == 200


def test_the_current_text_without_a_state_may_not_be_kept(row: Document) -> None:
    response = program(person("eva", ["alle"])).get(f"documents/{row.public_id}").response
    assert (response["Cache-Control"], "ETag" in response.headers) == ("private, no-store", False)


def test_an_etag_opens_nothing_to_whom_the_right_was_withdrawn(row: Document) -> None:
    calls = program(person("eva", ["alle"]))
    assert row.current is not None
    state = {"representation": str(row.current.public_id)}
    etag = calls.get(f"documents/{row.public_id}", state).response["ETag"]
    Membership.objects.get(user__username="eva").groups.clear()
    assert calls.get(f"documents/{row.public_id}", state, if_none_match=etag).status == 404
    assert calls.get(f"documents/{row.public_id}", state, if_none_match="*").status == 404


def test_provenance_names_origin_hashes_parser_profile_and_times(row: Document) -> None:
    body = program(person("eva", ["alle"])).get(f"documents/{row.public_id}/provenance").body
    assert body["source_sha256"] == hashlib.sha256(OLD.encode()).hexdigest()
    assert (body["path"], body["parser"]["name"], body["size"]) == ("a.md", "markdown", len(OLD.encode()))
    assert all(body[name] for name in ("profile", "text_sha256", "imported_at", "extracted_at", "last_complete_run_at"))


def test_history_lists_revisions_and_events_the_latest_first(row: Document, tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": NEW})
    body = program(person("eva", ["alle"])).get(f"documents/{row.public_id}/history").body
    assert [one["source_sha256"] for one in body["revisions"]] == [
        hashlib.sha256(text.encode()).hexdigest() for text in (NEW, OLD)
    ]
    assert [one["representations"][0]["is_current"] for one in body["revisions"]] == [True, False]
    assert "revision.added" in [event["code"] for event in body["events"]]


def test_every_passage_has_its_page_and_what_nobody_sees_is_named(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Erste Seite.\n\nEin Absatz", "geht weiter.\n\nWeiss."], labels=["xii", ""], notes=["unseen_text"])
    trait(row, "Weiss", "unseen")
    body = program(person("eva", ["alle"])).get(f"documents/{row.public_id}").body
    assert [one["page"] for one in body["passages"]] == ["xii", "xii", "2"]
    assert ([body["text"][start:end] for start, end in body["unseen"]], body["notes"]) == (["Weiss"], ["unseen_text"])


def test_the_original_comes_to_the_byte_and_as_nothing_that_opens(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Eine Seite."])
    answer = program(person("eva", ["alle"])).get(f"documents/{row.public_id}/original")
    assert (answer.response.content, answer.response["Content-Type"]) == (pdf(["Eine Seite."]), "application/octet-stream")
    assert answer.response["Content-Disposition"] == "attachment; filename=\"papier.pdf\"; filename*=UTF-8''papier.pdf"
    assert answer.response["Cache-Control"] == "private, no-store"


def test_the_original_of_a_kept_state_is_that_states(row: Document, tmp_path: Path) -> None:
    old = row.current
    publish(tmp_path, {"a.md": NEW})
    assert old is not None
    calls = program(person("eva", ["alle"]))
    found = calls.get(f"documents/{row.public_id}/original", {"representation": str(old.public_id)})
    assert found.response.content == OLD.encode()
