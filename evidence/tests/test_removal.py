"""Removal: gone from every row and file, with a receipt that says so, and that says it when it is not so."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from evidence import blobs, citations, derived, jobs, needles, projection, remains, removal, runs, worker
from evidence.anchoring import State
from evidence.errors import Unavailable
from evidence.models import AuditEvent, Citation, Document, Job, Receipt, Run, SearchTrace, Upload
from evidence.remains import Unsearched
from evidence.tests.builders import access, document, person, publish, run, tenant
from evidence.tests.entries import entry

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "Zaubernusswurzelextrakt"
TEXT = f"# Vom {WORD}\n\nDer {WORD} wird im Keller der Bibliothek getrocknet und danach gemahlen.\n\nNoch ein Absatz über Töpfe."
OTHER = "Ein ganz anderer Text über den Fahrplan der Straßenbahn am Sonntag."


def purged(name: str = "a") -> Receipt:
    """The receipt of a purge, as it is after the worker's run."""
    made = removal.request_purge(document(name))
    worker.run_due()
    return Receipt.objects.get(pk=made.pk)


def files_with(folder: Path, word: str) -> list[str]:
    """Files below `folder`, and of the database, that hold the word in any of the ways it was stored."""
    places = [path for path in folder.rglob("*") if path.is_file()]
    database = Path(str(connection.settings_dict["NAME"]))
    if connection.vendor == "sqlite":
        places += list(database.parent.glob(database.name + "*"))
    forms = [form.encode() for form in (word, word.lower(), word.upper())]
    return [path.name for path in places if any(form in path.read_bytes() for form in forms)]


def again() -> None:
    """Make what failed due now, and do it."""
    Job.objects.update(not_before=timezone.now(), claimed_at=None)
    worker.run_due()


def test_a_receipt_tells_times_and_counts_and_that_nothing_is_left(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT, "b.txt": OTHER})
    receipt = purged()
    assert receipt.invisible_at and receipt.purged_at and receipt.finished_at
    assert receipt.requested_at <= receipt.invisible_at + timedelta(seconds=1)
    assert receipt.invisible_at <= receipt.purged_at <= receipt.finished_at
    assert receipt.counts == {
        "documents": 1,
        "revisions": 1,
        "representations": 1,
        "passages": 3,
        "pages": 0,
        "uploads": 0,
        "citations": 0,
        "answers": 0,
        "concepts": 0,
        "claims": 0,
        "decisions": 0,
        "translations": 0,
        "conflicts": 0,
        "searches": 0,
        "runs": 0,
        "originals": 1,
        "originals_shared": 0,
        "page_images": 0,
    }
    database = 0 if connection.vendor == "sqlite" else None
    assert receipt.traces == {
        "rows": 0,
        "index_entries": 0,
        "index_words": 0,
        "index_files": 0,
        "originals": 0,
        "page_images": 0,
        "origin_caches": 0,
        "database_files": database,
        "files": 0,
    }


def test_a_receipt_holds_nothing_of_the_document(tmp_path: Path) -> None:
    publish(tmp_path, {"geheimer-name.md": TEXT})
    receipt = purged("geheimer-name")
    kept = json.dumps([receipt.counts, receipt.traces, str(receipt.public_id), str(receipt.document)])
    assert not any(word in kept for word in (WORD, "geheimer-name", sha256(TEXT.encode()).hexdigest()))


def test_every_derivative_goes(tmp_path: Path, data_folder: Path) -> None:
    anna = person("anna", ["alle"])
    publish(tmp_path, {"a.md": TEXT, "b.txt": OTHER})
    row = document("a")
    state = row.current
    assert state is not None
    citations.cite(access(anna), row.public_id, representation=state.public_id, start=0, end=20)
    derived.put(state.revision, "1.png", b"picture")
    SearchTrace.objects.create(tenant=tenant(), passages=[[state.pk, 1], [state.pk + 1, 0]], query=f"{WORD} im Keller")
    Run.objects.filter(source=row.source).update(problems=[["a.md", "no_text"], ["b.txt", "no_text"]])
    receipt = purged()
    counts = {name: receipt.counts[name] for name in ("citations", "page_images", "searches", "runs")}
    assert counts == {"citations": 1, "page_images": 1, "searches": 1, "runs": 1}
    assert files_with(data_folder, WORD) == []
    assert Run.objects.get().problems == [["", "no_text"], ["b.txt", "no_text"]]
    trace = SearchTrace.objects.get()
    assert (trace.passages, trace.query) == ([[state.pk + 1, 0]], "")
    assert receipt.finished_at is not None and not any(receipt.traces.values())


def test_a_citation_of_a_purged_document_is_unavailable(tmp_path: Path) -> None:
    anna = person("anna", ["alle"])
    publish(tmp_path, {"a.md": TEXT})
    row = document("a")
    made = citations.cite_words(access(anna), row.public_id, exact="im Keller der Bibliothek")
    assert citations.get(access(anna), made).resolution.state == State.RESOLVED
    purged()
    assert Citation.objects.get().exact == ""
    with pytest.raises(Unavailable):
        citations.get(access(anna), made)


def test_asking_twice_gives_one_receipt(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    row = document("a")
    assert removal.request_purge(row).pk == removal.request_purge(row).pk


def test_what_left_its_source_is_removed_when_its_time_is_over(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    worker.run_due()
    assert Document.objects.count() == 1
    again()
    assert Document.objects.count() == 0
    assert Receipt.objects.get().finished_at is not None


def test_what_came_back_is_left_alone_and_its_receipt_goes(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    run(tmp_path)
    again()
    assert document("a").withdrawn_at is None
    assert not Receipt.objects.exists()
    assert needles.folder_files() == []


def test_what_came_back_and_left_again_waits_its_full_time_anew(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    run(tmp_path)
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    Job.objects.filter(pk=Job.objects.filter(kind=removal.PURGE).earliest("pk").pk).update(not_before=timezone.now())
    worker.run_due()
    assert Document.objects.count() == 1
    (receipt,) = Receipt.objects.all()
    assert receipt.due_at > timezone.now() + timedelta(days=6)


def test_a_purge_that_somebody_asks_for_does_not_wait(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    left = document("a").withdrawn_at
    receipt = purged()
    assert (receipt.invisible_at, Receipt.objects.count()) == (left, 1)
    assert receipt.finished_at is not None


def test_a_withdrawal_that_is_repeated_keeps_its_time(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    before = document("a").withdrawn_at
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    assert (document("a").withdrawn_at, Receipt.objects.count()) == (before, 1)


def test_an_original_that_another_document_has_too_stays_and_is_counted(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT, "b.md": TEXT})
    receipt = purged()
    assert (receipt.counts["originals"], receipt.counts["originals_shared"]) == (0, 1)
    assert receipt.finished_at is not None
    assert blobs.exists(sha256(TEXT.encode()).hexdigest())


def test_words_that_another_document_has_by_right_are_no_trace(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT, "b.md": f"{TEXT}\n\nUnd ein Satz mehr.", "c.txt": OTHER})
    receipt = purged()
    assert receipt.finished_at is not None
    assert not any(receipt.traces.values())


def test_a_document_that_came_back_after_its_purge_is_no_trace(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    receipt = removal.request_purge(document("a"))
    removal.purge(receipt.pk)
    run(tmp_path)
    worker.run_due()
    receipt.refresh_from_db()
    assert receipt.finished_at is not None


@pytest.mark.parametrize("place", ["planted.txt", "origins/7/mirror", "index/9.txt"])
def test_a_planted_trace_is_found_and_the_receipt_stays_open(place: str, tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.md": TEXT, "b.txt": OTHER})
    planted = data_folder / place
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(TEXT)
    receipt = purged()
    assert receipt.finished_at is None
    assert receipt.traces["index_files" if place.startswith("index") else "files"] > 0
    assert Job.objects.get(kind=removal.WIPE).error == "remains_found"
    planted.unlink()
    again()
    receipt.refresh_from_db()
    assert (receipt.finished_at is None, any(receipt.traces.values())) == (False, False)
    assert needles.folder_files() == []


def test_what_is_kept_of_the_origin_goes_too(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    kept = data_folder / "origins" / str(document("a").source_id) / "mirror"
    kept.mkdir(parents=True)
    (kept / "pack").write_bytes(b"packed")
    assert purged().finished_at is not None
    assert not kept.exists()


def test_a_run_that_uses_what_is_kept_of_the_origin_is_waited_for(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    with runs.alone(document("a").source):
        receipt = purged()
    assert (receipt.finished_at, receipt.traces["origin_caches"]) == (None, 1)
    again()
    receipt.refresh_from_db()
    assert receipt.finished_at is not None


def test_a_state_that_the_index_still_holds_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, {"a.md": TEXT, "b.txt": OTHER})
    receipt = removal.request_purge(document("a"))
    removal.purge(receipt.pk)
    kept = needles.read(receipt)
    assert kept is not None and WORD.lower() in kept.words
    stale = entry(kept.document, f"Der {WORD} ist noch hier.")
    projection.engine().put([stale])
    traces = remains.search({receipt.pk: kept}, kept=())[receipt.pk]
    assert traces["index_entries"] == 1


def test_needles_are_private_and_gone_afterwards(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    receipt = removal.request_purge(document("a"))
    removal.purge(receipt.pk)
    (path,) = needles.folder_files()
    assert path.stat().st_mode & 0o777 == 0o600
    worker.run_due()
    assert needles.folder_files() == []


def test_pieces_are_none_that_others_have(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT, "b.md": TEXT})
    row = document("a")
    removal.withdraw(row)
    projection.settle()
    chosen = needles.choose(row)
    assert (chosen.pieces, chosen.words) == (("Vom " + WORD, "vom " + WORD.lower()), ())


def test_a_short_text_is_said_not_to_have_been_searched(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Kurz."})
    receipt = purged()
    assert receipt.finished_at is not None
    assert (receipt.traces["rows"], receipt.traces["files"], receipt.traces["index_files"]) == (0, None, None)


def test_published_uploads_go_too(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    row = document("a")
    sha = blobs.put(b"Noch eine Fassung mit " + WORD.encode())
    Upload.objects.create(tenant=tenant(), name=f"{WORD}.md", sha256=sha, size=1, document=row, kept_until=timezone.now())
    receipt = purged()
    assert receipt.counts["uploads"] == 1
    assert not blobs.exists(sha)
    assert files_with(data_folder, WORD) == []


def command(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_purge_prints_the_receipt(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    told = command("purge", "a", "--source", "handbuch", "--tenant", "lindenau")
    receipt = Receipt.objects.get()
    assert f"{receipt.document} is removed; receipt {receipt.public_id}." in told
    assert "1 documents, 1 originals, 3 passages, 1 representations, 1 revisions" in told
    assert "files 0" in told and WORD not in told


def test_of_a_document_without_long_words_a_receipt_says_that_there_was_nothing_to_look_for(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": "Ein Satz mit nur kurzen Worten, und er ist so lang, wie er ist."})
    told = command("purge", "a", "--source", "handbuch", "--tenant", "lindenau")
    assert "index_words nothing to look for" in told and "not searched" not in told
    assert Receipt.objects.get().finished_at is not None


def test_places_without_a_number_say_why() -> None:
    words, files, rows = "index_words", "files", "rows"
    assert remains.unsearched({rows: 0, words: None, files: 0}) == {words: Unsearched.NOTHING}
    assert remains.unsearched({rows: 0, files: 0, "database_files": None}) == {"database_files": Unsearched.OUT_OF_REACH}
    assert remains.unsearched({rows: 0, files: None}) == {files: Unsearched.NOTHING}
    assert set(remains.unsearched(remains.NOT_SEARCHED).values()) == {Unsearched.FORGOTTEN}


def test_receipts_are_listed_by_source(tmp_path: Path) -> None:
    publish(tmp_path / "x", {"a.md": TEXT}, source="x")
    publish(tmp_path / "y", {"a.md": OTHER}, source="y")
    removal.request_purge(document("a", source="x"))
    made = removal.request_purge(document("a", source="y"))
    worker.run_due()
    told = command("receipts", "--source", "y", "--tenant", "lindenau")
    assert str(made.public_id) in told and told.count("document ") == 1
    assert f"source {made.source_id} (lindenau/y)" in told
    assert command("receipts", "--open") == ""


def test_receipts_of_what_may_come_back_are_not_listed(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    removal.withdraw_missing([document("a")], purge_after=timedelta(days=7))
    assert command("receipts") == ""


def test_what_was_given_up_is_looked_for_again_and_closed_by_hand(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    (data_folder / "planted.txt").write_text(TEXT)
    receipt = purged()
    Job.objects.filter(kind=removal.WIPE).update(attempts=jobs.MAX_ATTEMPTS)
    assert command("receipts", "--again").startswith("1 are")
    assert Job.objects.get(kind=removal.WIPE).attempts == 0
    command("receipts", "--close", str(receipt.public_id))
    receipt.refresh_from_db()
    assert receipt.finished_at is not None and receipt.traces["files"] > 0
    assert not Job.objects.filter(kind=removal.WIPE).exists()
    assert (needles.folder_files(), AuditEvent.objects.filter(code="receipt.closed").count()) == ([], 1)
    with pytest.raises(CommandError, match="no receipt"):
        command("receipts", "--close", str(receipt.public_id))


def test_needles_are_not_kept_for_ever(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    (data_folder / "planted.txt").write_text(TEXT)
    receipt = purged()
    Receipt.objects.update(purged_at=timezone.now() - needles.KEPT_FOR - timedelta(hours=1))
    again()
    assert needles.folder_files() == []
    again()
    receipt.refresh_from_db()
    assert receipt.finished_at is None and receipt.traces["files"] > 0
