"""Taking documents in: what is new, what changed, what is refused, what is withdrawn and removed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from evidence import blobs, confinement, ingest, intake, parsing, projection, removal, worker
from evidence.confinement import Confinement
from evidence.content import Content
from evidence.errors import Refused
from evidence.formats.options import Options
from evidence.identity import rights_are_fresh
from evidence.models import AuditEvent, Document, Passage, Representation, Revision, Run, Source, SourceKind
from evidence.search import search
from evidence.tests import databases
from evidence.tests.builders import access, document, group, listed, person, publish, rules, run, tenant, write
from evidence.tests.hostile import MADE_UP

pytestmark = pytest.mark.django_db

OPEN = 'allowed = ["group:alle"]'


def found(word: str, name: str = "eva") -> list[str]:
    from django.contrib.auth.models import User

    user = User.objects.filter(username=name).first() or person(name, ["alle"])
    return [hit.document.external_id for hit in search(access(user), word).hits]


def test_a_new_document_is_found_with_version_hash_and_text(tmp_path: Path) -> None:
    report = publish(tmp_path, {"a.txt": "Erster Absatz.\n\nZweiter Absatz."})
    row = document("a")
    assert report.counts["new"] == 1
    assert [passage.quote for passage in row.current.passages.all()] == ["Erster Absatz.", "Zweiter Absatz."]  # type: ignore[union-attr]
    assert found("zweiter") == ["a"]


def test_the_same_bytes_version_metadata_and_rights_change_nothing(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    before = (Representation.objects.count(), document("a").updated_at, AuditEvent.objects.count())
    report = run(tmp_path)
    assert report.counts["unchanged"] == 1
    assert (Representation.objects.count(), document("a").updated_at, AuditEvent.objects.count()) == before


def test_changed_bytes_are_a_new_revision_and_the_old_one_stays(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Frist acht Tage."})
    report = publish(tmp_path, {"a.txt": "Frist neun Tage."})
    assert report.counts["changed"] == 1
    assert Revision.objects.count() == 2
    assert (found("neun"), found("acht")) == (["a"], [])


def test_a_new_version_label_over_the_same_bytes_is_a_new_revision(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "Text.", "fundstelle.toml": rules(("**", OPEN + '\nversion = "1"'))})
    run(tmp_path)
    write(tmp_path, {"fundstelle.toml": rules(("**", OPEN + '\nversion = "2"'))})
    run(tmp_path)
    assert [row.label for row in Revision.objects.all()] == ["1", "2"]
    assert document("a").current.revision.label == "2"  # type: ignore[union-attr]


def test_metadata_alone_is_updated_in_place(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    write(tmp_path, {"fundstelle.toml": rules(("**", OPEN + '\ntitle = "Neuer Titel"\nstatus = "draft"'))})
    report = run(tmp_path)
    assert (report.counts["updated"], Revision.objects.count()) == (1, 1)
    assert (document("a").title, document("a").status) == ("Neuer Titel", "draft")


def test_rights_alone_are_updated_in_place_and_hold_at_once(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    assert found("text") == ["a"]
    report = publish(tmp_path, {}, allowed='["group:netz"]')
    assert (report.counts["updated"], Representation.objects.count()) == (1, 1)
    assert found("text") == []
    assert AuditEvent.objects.filter(code="rights.changed").count() == 2  # first they are taken away, then given


def test_states_of_one_document_become_its_revisions_in_the_order_of_their_dates(tmp_path: Path) -> None:
    lines = f'{OPEN}\nid = "{{id}}"\ndate = "{{date}}"'
    write(
        tmp_path,
        {
            "a/2026-01-01.txt": "Neu.",
            "a/2024-01-01.txt": "Alt.",
            "a/2025-01-01.txt": "Mitte.",
            "fundstelle.toml": rules(("{id}/{date}.txt", lines)),
        },
    )
    run(tmp_path)
    assert [row.label for row in Revision.objects.all()] == ["2024-01-01", "2025-01-01", "2026-01-01"]
    assert (found("neu"), found("alt")) == (["a"], [])


def test_two_current_files_with_one_id_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "Eins.", "b.txt": "Zwei.", "fundstelle.toml": rules(("**", OPEN + '\nid = "x"'))})
    report = run(tmp_path)
    assert {one.error.code for one in report.refusals} == {"duplicate_document"}
    assert Document.objects.count() == 0


def test_a_document_that_is_refused_later_is_read_by_nobody_until_its_rights_are_known(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    twice = rules(("**", 'allowed = ["group:netz"]'), ("copy.txt", 'id = "a"'))
    write(tmp_path, {"copy.txt": "Text.", "fundstelle.toml": twice})
    report = run(tmp_path)
    assert ([one for one, _ in report.unreadable], found("text")) == (["a"], [])
    (tmp_path / "copy.txt").unlink()
    publish(tmp_path, {})
    assert found("text") == ["a"]


def test_a_document_that_no_rule_names_is_read_by_nobody_and_reported(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "Text."})
    report = run(tmp_path)
    assert report.unnamed == ["a.txt"]
    assert [one for one, _ in report.unreadable] == ["a"]
    assert found("text") == []


@pytest.mark.parametrize(
    "allowed", ["[]", '["group:gibt-es-nicht"]', '["group:alle", "user:niemand"]', '["alle"]', '"group:alle"']
)
def test_missing_empty_malformed_or_unknown_rights_are_read_by_nobody(tmp_path: Path, allowed: str) -> None:
    report = publish(tmp_path, {"a.txt": "Text."}, allowed=allowed)
    assert (len(report.unreadable), found("text")) == (1, [])


def test_an_unknown_denied_principal_closes_the_document(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "Text.", "fundstelle.toml": rules(("**", OPEN + '\ndenied = ["user:niemand"]'))})
    run(tmp_path)
    assert found("text") == []


def test_a_refused_file_does_not_stop_the_others(tmp_path: Path) -> None:
    report = publish(tmp_path, {"a.txt": "Gut.", "b.txt": "Schlecht\0."})
    assert [(one.path, one.error.code) for one in report.refusals] == [("b.txt", "text_nul")]
    assert [row.external_id for row in Document.objects.all()] == ["a"]


@pytest.mark.django_db(transaction=True)
def test_a_text_is_taken_apart_while_others_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extract = parsing.extract

    def write_elsewhere() -> None:
        tenant("anderswo")
        connection.close()

    def writing_meanwhile(ending: str, data: bytes, options: Options) -> Content:
        with ThreadPoolExecutor(1) as another:  # with a connection of its own, which waits if somebody else is writing
            another.submit(write_elsewhere).result(timeout=20)
        return extract(ending, data, options)

    monkeypatch.setattr(parsing, "extract", writing_meanwhile)
    publish(tmp_path, {"a.txt": "Text."})
    assert found("text") == ["a"]


def test_rights_of_a_refused_document_do_not_become_those_of_another(tmp_path: Path) -> None:
    closed, opened = 'allowed = ["group:netz"]', OPEN
    stated = rules(("a.txt", closed), ("b.txt", opened), ("c.txt", closed))
    write(tmp_path, {"a.txt": "\0", "b.txt": "Offen.", "c.txt": "Gehalt.", "fundstelle.toml": stated})
    run(tmp_path)
    assert (found("offen"), found("gehalt")) == (["b"], [])


@pytest.fixture
def hostile_parsers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Parsers that do what the files tell them, in processes with the usual barriers around them."""
    program = Confinement("evidence.tests.hostile")
    monkeypatch.setattr(confinement, "run", program.run)
    yield
    program.close()


@pytest.mark.usefixtures("hostile_parsers")
def test_files_that_break_their_parsers_are_refused_and_all_others_taken_in(tmp_path: Path, settings: Settings) -> None:
    settings.PARSE_SECONDS, settings.PARSE_MEMORY_MB = 1, 64
    deeds = {
        "divide": "parser_fault",
        "segfault": "parser_crashed",
        "exit_silently": "parser_crashed",
        "allocate": "parser_memory",
        "loop": "parser_time",
        "announce_too_much": "parser_output",
    }
    poison = {f"{deed}.md": f"{deed}!" for deed in deeds}
    report = publish(tmp_path, {**poison, **{f"{deed}-danach.txt": "Gut." for deed in deeds}})
    assert {(one.path, one.error.code) for one in report.refusals} == {(f"{deed}.md", code) for deed, code in deeds.items()}
    assert sorted(found("gut")) == sorted(f"{deed}-danach" for deed in deeds)


def test_a_run_that_could_read_nothing_confirms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Confinement("evidence.tests.no_such_program")
    monkeypatch.setattr(confinement, "run", program.run)
    report = publish(tmp_path, {"a.txt": "Text."})
    program.close()
    assert [one.error.code for one in report.refusals] == ["parser_unavailable"]
    assert not report.complete and Source.objects.get().rights_confirmed_at is None


@pytest.mark.parametrize("answer", MADE_UP)
@pytest.mark.usefixtures("hostile_parsers")
def test_content_that_a_hostile_file_made_up_is_refused(tmp_path: Path, answer: str) -> None:
    report = publish(tmp_path, {"a.md": f"{answer}!", "b.txt": "Gut."})
    assert [one.path for one in report.refusals] == ["a.md"]
    assert found("gut") == ["b"]


def test_documents_are_written_in_the_order_of_their_names_however_long_reading_takes(tmp_path: Path) -> None:
    texts = {f"{number}.md": "Wort. " * (10_000 if number % 3 == 0 else 1) for number in range(9)}
    publish(tmp_path, texts)
    assert [row.external_id for row in Document.objects.order_by("pk")] == [str(number) for number in range(9)]


def test_a_current_state_that_is_refused_leaves_what_was_taken_in_before(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Gut."})
    report = publish(tmp_path, {"a.txt": "Schlecht\0."})
    assert len(report.refusals) == 1
    assert found("gut") == ["a"]


def test_other_formats_are_counted_and_named(tmp_path: Path) -> None:
    assert publish(tmp_path, {"a.txt": "Text.", "b.xyz": "?", "c.xyz": "?"}).unread == {".xyz": 2}


def test_a_document_that_is_gone_is_withdrawn_and_comes_back(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b.", "c.txt": "Text c."})
    (tmp_path / "b.txt").unlink()
    assert run(tmp_path).counts["withdrawn"] == 1
    assert found("b") == []
    publish(tmp_path, {"b.txt": "Text b."})
    assert found("b") == ["b"]


def test_a_run_that_misses_most_documents_withdraws_nothing_and_closes_the_source(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b.", "c.txt": "Text c."}, kind=SourceKind.FOLDER)
    assert found("text")
    (tmp_path / "a.txt").unlink()
    (tmp_path / "b.txt").unlink()
    report = run(tmp_path, kind=SourceKind.FOLDER)
    assert [one.error.code for one in report.refusals] == ["too_many_missing"]
    assert Document.objects.filter(withdrawn_at=None).count() == 3
    assert (Source.objects.get().rights_confirmed_at, found("text")) == (None, [])
    assert AuditEvent.objects.filter(code="rights.unconfirmed").count() == 1


def test_removals_can_be_allowed(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b."})
    (tmp_path / "a.txt").unlink()
    (tmp_path / "b.txt").unlink()
    assert run(tmp_path, allow_removals=True).counts["withdrawn"] == 2


def test_an_import_confirms_rights_as_of_its_start(tmp_path: Path) -> None:
    started = timezone.now() - timedelta(hours=25)
    publish(tmp_path, {"a.txt": "Text."}, kind=SourceKind.FOLDER, started=started)
    assert not rights_are_fresh(Source.objects.get(), now=timezone.now())
    assert found("text") == []


def test_an_older_run_does_not_bring_back_rights_that_a_newer_one_took_away(tmp_path: Path) -> None:
    older = timezone.now()
    publish(tmp_path, {"a.txt": "Text."}, allowed='["group:netz"]')
    with pytest.raises(Refused, match="newer import"):
        publish(tmp_path, {}, started=older)
    assert found("text") == []


def test_a_source_has_one_run_at_a_time(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    again = partial(run, tmp_path)
    listing = listed(tmp_path)

    def begin_another(items: int) -> None:
        with pytest.raises(Refused, match="Another import"):
            again()

    ingest.take_in(Source.objects.get(), listing, started=timezone.now(), progress=begin_another)
    assert again().counts["unchanged"] == 1


def test_a_run_is_kept_with_counts_and_codes_only(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Geheim.", "b.txt": "\0"})
    kept = Run.objects.get()
    assert (kept.outcome, kept.counts["new"], kept.problems) == (Run.Outcome.COMPLETE, 1, [["b.txt", "text_nul"]])


def test_empty_passages_keep_their_numbers(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Eins.\n\n\n\nDrei."})
    assert list(Passage.objects.values_list("number", "start", "end")) == [(0, 0, 5), (1, 7, 7), (2, 9, 14)]
    eva = person("eva", ["alle"])
    assert search(access(eva), "drei").hits[0].passage.number == 2


def test_public_ids_are_the_same_in_every_database(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    row = document("a")
    assert row.public_id == intake.public_id(row.source, "a")


@pytest.mark.django_db(transaction=True)
def test_a_purged_document_leaves_no_word_in_any_file(tmp_path: Path, data_folder: Path) -> None:
    word = "Zaubernusswurzelextrakt"
    publish(tmp_path / "in", {"a.md": f"# {word} im Titel\n\nDie {word} steht hier.", "b.txt": "Ein anderer Text."})
    assert found(word) == ["a", "a"]
    assert _files_with(data_folder, word)
    removal.request_purge(document("a"))
    worker.run_due()
    assert not Document.objects.filter(external_id="a").exists()
    assert _files_with(data_folder, word) == []
    assert found("anderer") == ["b"]


@databases.sqlite_files
@pytest.mark.django_db(transaction=True)
def test_a_purge_writes_the_database_anew(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Absatz.\n\n" * 2_000, "b.txt": "Text."})
    removal.request_purge(document("a"))
    worker.run_due()
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA freelist_count").fetchone() == (0,)


@databases.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_purge_has_the_server_give_up_the_room_of_dead_rows(tmp_path: Path) -> None:
    def size() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_relation_size('evidence_passage')")
            return int(cursor.fetchone()[0])

    publish(tmp_path, {"a.txt": "Text.", "b.txt": "Absatz.\n\n" * 2_000})
    before = size()
    removal.request_purge(document("b"))
    worker.run_due()
    assert size() < before / 2


@pytest.mark.django_db(transaction=True)
def test_a_purge_removes_what_killed_imports_and_rebuilds_left(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.txt": "Text.", "b.txt": "Bleibt."})
    blobs.put(b"Von einem Import, der vor seiner Transaktion starb.")
    next((data_folder / "blobs").iterdir()).joinpath(".part-x").touch()
    (data_folder / "index" / "7.sqlite3").touch()
    removal.request_purge(document("a"))
    worker.run_due()
    assert [path.name for path in (data_folder / "index").glob("*.sqlite3")] == [(data_folder / "index" / "current").read_text()]
    assert [path.name for path in (data_folder / "blobs").glob("*/*")] == [sha256(b"Bleibt.").hexdigest()]


@pytest.mark.django_db(transaction=True)
def test_a_document_that_comes_back_before_its_purge_stays_whole(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    removal.request_purge(document("a"))
    run(tmp_path)
    worker.run_due()
    assert (found("text"), list(projection.differences())) == (["a"], [])
    assert blobs.read(document("a").current.revision.source_sha256) == b"Text."  # type: ignore[union-attr]


@pytest.mark.django_db(transaction=True)
def test_a_purge_can_be_begun_again(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    receipt = removal.request_purge(document("a"))
    removal.purge(receipt.pk)
    removal.purge(receipt.pk)
    assert AuditEvent.objects.filter(code="document.purged").count() == 1


@pytest.mark.django_db(transaction=True)
def test_bytes_that_another_document_has_too_stay(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.txt": "Gleich.", "b.txt": "Gleich."})
    removal.request_purge(document("a"))
    worker.run_due()
    assert len(list((data_folder / "blobs").rglob("*"))) == 2


def test_index_and_database_agree_after_everything(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b.", "c.txt": "Text c."})
    publish(tmp_path, {"a.txt": "Anders."}, allowed='["group:netz"]')
    removal.withdraw(document("c"))
    assert list(projection.differences()) == []


def test_a_source_announced_to_an_unknown_group_is_refused(tmp_path: Path) -> None:
    head = '[source]\nannounced_to = ["group:gibt-es-nicht"]\n'
    write(tmp_path, {"a.txt": "Text.", "fundstelle.toml": rules(("**", OPEN), head=head)})
    with pytest.raises(Exception, match="does not exist"):
        run(tmp_path)
    assert not Source.objects.exists()


def test_the_same_id_in_two_sources_is_two_documents(tmp_path: Path) -> None:
    group("alle", of=tenant())
    publish(tmp_path / "x", {"a.txt": "Text."}, source="x")
    publish(tmp_path / "y", {"a.txt": "Text."}, source="y")
    assert len({row.public_id for row in Document.objects.all()}) == 2


def _files_with(folder: Path, word: str) -> list[str]:
    """Files below `folder` (and the test database beside it) that hold the word in any of the ways it was stored."""
    database = Path(str(connection.settings_dict["NAME"]))
    places = [path for path in folder.rglob("*") if path.is_file()]
    if database.exists():
        places += list(database.parent.glob(database.name + "*"))
    forms = [form.encode() for form in (word, word.lower(), word.upper())]
    return [path.name for path in places if any(form in path.read_bytes() for form in forms)]
