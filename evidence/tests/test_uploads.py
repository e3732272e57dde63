"""Uploads: kept and read for one person, published through the intake, and gone when they are discarded or forgotten."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, connections
from django.utils import timezone

from evidence import formats, identity, ingest, jobs, publishing, removal, search, uploads, worker
from evidence.access import Access
from evidence.content import Content, Note
from evidence.errors import EvidenceError, Refused, Unavailable
from evidence.formats import FORMATS
from evidence.models import AccessRule, AuditEvent, Document, Job, Revision, Role, Source, SourceKind, Upload
from evidence.publishing import Description, Incomplete
from evidence.sources import Settings
from evidence.tests import databases
from evidence.tests.builders import access, group, person, publish, tenant

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = b"# Ventile\n\nDas Ventil ist zu pr\xc3\xbcfen.\n"


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a confined process, which has tests of its own."""
    monkeypatch.setattr("evidence.parsing.extract", lambda ending, data, options: formats.extract(FORMATS[ending], data, options))


@pytest.fixture
def eva(db: None) -> User:
    """An editor in the group "alle"."""
    return person("eva", ["alle"], role=Role.EDITOR)


@pytest.fixture
def by_eva(eva: User) -> Access:
    return access(eva)


def bring(by: Access, name: str = "ventile.md", data: bytes = TEXT, **options: UUID) -> UUID:
    return uploads.keep(by, name, data, **options).public_id


def said(**fields: object) -> Description:
    """A description that can be published: everybody may read."""
    return Description(**{"allowed": frozenset({group("alle").pk}), **fields})  # type: ignore[arg-type]


def code_of(error: pytest.ExceptionInfo[EvidenceError]) -> str:
    return error.value.code


def kept_bytes() -> set[str]:
    return {path.name for path in Path(settings.BLOB_DIR).glob("*/*")}


def titles(of: User, question: str) -> list[str]:
    return [hit.document.title for hit in search.search(access(of), question).hits]


def test_a_file_is_read_and_seen_by_its_person_alone(by_eva: Access) -> None:
    upload = bring(by_eva)
    row = uploads.get(by_eva, upload)
    assert (row.name, row.size, row.passage_count, row.problem) == ("ventile.md", len(TEXT), 2, {})
    other = access(person("ida", ["alle"], role=Role.EDITOR))
    assert uploads.waiting(other) == []
    for who, which in ((other, upload), (by_eva, uuid4())):
        with pytest.raises(Unavailable):
            uploads.get(who, which)


def test_what_waits_is_found_by_nobody(eva: User, by_eva: Access) -> None:
    bring(by_eva)
    assert titles(eva, "Ventil") == [] and not Document.objects.exists()


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.REVIEWER])
def test_people_of_other_roles_bring_nothing(role: str) -> None:
    with pytest.raises(Refused) as refused:
        bring(access(person("max", ["alle"], role=role)))
    assert code_of(refused) == "not_an_uploader" and kept_bytes() == set()


@pytest.mark.parametrize("role", [Role.EDITOR, Role.ADMINISTRATOR])
def test_editors_and_administrators_bring_files(role: str) -> None:
    assert identity.may_upload(access(person("max", [], role=role)))


def test_a_role_in_one_tenant_is_none_in_another(eva: User) -> None:
    person("eva", ["alle"], of=tenant("kinderhaus"))
    assert not identity.may_upload(access(eva, at="kinderhaus"))


def test_look_gives_the_passages_that_would_be_searched(by_eva: Access) -> None:
    look = uploads.look(uploads.get(by_eva, bring(by_eva)))
    assert look is not None
    assert [(row.kind, row.quote) for row in look.rows] == [("heading", "Ventile"), ("paragraph", "Das Ventil ist zu prüfen.")]


def test_look_gives_a_long_text_in_stretches(by_eva: Access) -> None:
    text = "\n\n".join(f"Absatz {number}" for number in range(uploads.SHOWN + 5)).encode()
    row = uploads.get(by_eva, bring(by_eva, "lang.txt", text))
    numbers = [
        [one.number for one in (uploads.look(row, offset=offset) or pytest.fail()).rows] for offset in (0, uploads.SHOWN, 10**9)
    ]
    assert [(one[0], one[-1]) for one in numbers] == [(0, 199), (200, 204), (204, 204)]


@pytest.mark.parametrize(
    "name, data, code",
    [
        ("virus.exe", b"x", "format_unknown"),
        ("ohne", b"x", "format_unknown"),
        ("leer.txt", b"", "upload_empty"),
        ("gross.txt", b"x" * 20_000_001, "upload_too_large"),
    ],
)
def test_files_that_can_never_be_read_are_not_kept(by_eva: Access, name: str, data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        bring(by_eva, name, data)
    assert code_of(refused) == code and str(refused.value)
    assert kept_bytes() == set() and not Upload.objects.exists()


def test_a_file_without_an_ending_is_refused_in_words_of_its_own(by_eva: Access) -> None:
    with pytest.raises(Refused, match="without an ending"):
        bring(by_eva, "ohne", b"x")
    with pytest.raises(Refused, match=r"\(\.exe\)"):
        bring(by_eva, "virus.exe", b"x")


def test_files_of_one_person_are_limited_in_number(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_WAITING", 2)
    bring(by_eva), bring(by_eva)
    with pytest.raises(Refused, match="2 files") as refused:
        bring(by_eva)
    assert code_of(refused) == "too_many_uploads"


def test_files_of_one_person_are_limited_in_bytes(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_KEPT_BYTES", len(TEXT))
    bring(by_eva)
    with pytest.raises(Refused) as refused:
        bring(by_eva)
    assert code_of(refused) == "uploads_too_large"


@pytest.mark.parametrize(
    "name, shown",
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\eva\\brief.txt", "brief.txt"),
        ("gut\u202etxt.exe.txt", "gut\ufffdtxt.exe.txt"),
        ("zei\nle.txt", "zei\ufffdle.txt"),
        ("a\u0308.txt", "ä.txt"),
        ("x" * 300 + ".txt", "x" * 251 + ".txt"),
        ("<b>.txt", "<b>.txt"),
    ],
)
def test_names_of_files_are_text_and_no_paths(by_eva: Access, name: str, shown: str) -> None:
    assert uploads.get(by_eva, bring(by_eva, name)).name == shown


def test_what_its_reader_refuses_is_kept_with_the_reason(by_eva: Access) -> None:
    row = uploads.get(by_eva, bring(by_eva, "alt.txt", b"Pr\xfcfung"))
    assert row.problem["code"] == "text_not_utf8" and uploads.look(row) is None
    with pytest.raises(Refused) as refused:
        publishing.publish(by_eva, row.public_id, said())
    assert code_of(refused) == "upload_unread"


def test_reading_again_takes_the_place_of_what_was_read(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = bring(by_eva, "alt.txt", b"Pr\xfcfung")

    def decoded(ending: str, data: bytes, options: formats.options.Options) -> Content:
        return formats.extract(FORMATS[ending], data.decode(options.encoding).encode())

    monkeypatch.setattr("evidence.parsing.extract", decoded)
    row = uploads.read_again(by_eva, upload, encoding="windows-1252")
    assert (row.problem, uploads.content_of(row).text) == ({}, "Prüfung")
    uploads.read_again(by_eva, upload, encoding="iso-8859-2")
    assert len(kept_bytes()) == 2  # the file, and what was read last


@pytest.mark.parametrize("encoding, password, code", [("rot13", "", "encoding_unknown"), ("", "x" * 201, "password_long")])
def test_ways_of_reading_are_limited(by_eva: Access, encoding: str, password: str, code: str) -> None:
    upload = bring(by_eva)
    with pytest.raises(Refused) as refused:
        uploads.read_again(by_eva, upload, encoding=encoding, password=password)
    assert code_of(refused) == code


def test_a_published_upload_is_found_at_once_by_those_who_may(eva: User, by_eva: Access) -> None:
    made = publishing.publish(by_eva, bring(by_eva), said(title="Ventilbuch", language="de", kind="Anweisung"))
    assert titles(eva, "Ventil prüfen") == ["Ventilbuch"]
    assert titles(person("ida", ["netz"]), "Ventil prüfen") == []
    assert (made.source.name, made.source.kind, made.language, made.kind) == ("uploads", SourceKind.LOCAL, "de", "Anweisung")


def test_publishing_leaves_the_original_and_nothing_else(by_eva: Access) -> None:
    upload = bring(by_eva)
    made = publishing.publish(by_eva, upload, said())
    row = uploads.get(by_eva, upload)
    assert (row.document, row.content, row.password) == (made, "", "")
    assert kept_bytes() == set(Revision.objects.values_list("source_sha256", flat=True))
    assert uploads.waiting(by_eva) == []


def test_who_published_is_written_down(eva: User, by_eva: Access) -> None:
    made = publishing.publish(by_eva, bring(by_eva), said())
    publishing.recall(access(eva), made.public_id)
    events = AuditEvent.objects.filter(document=made.public_id).order_by("pk")
    assert list(events.values_list("code", "actor__username")) == [
        ("document.added", "eva"),
        ("revision.added", "eva"),
        ("document.recalled", "eva"),
    ]
    assert AuditEvent.objects.filter(code="source.created", actor=eva).count() == 1


def test_other_documents_of_the_source_stay_as_they_are(by_eva: Access) -> None:
    first = publishing.publish(by_eva, bring(by_eva), said())
    publishing.publish(by_eva, bring(by_eva, "b.txt", b"anderes"), said())
    first.refresh_from_db()
    assert first.withdrawn_at is None and Source.objects.get(name="uploads").rights_confirmed_at is None


def test_publishing_twice_makes_one_document(by_eva: Access) -> None:
    upload = bring(by_eva)
    made = [publishing.publish(by_eva, upload, said(title=title)) for title in ("eins", "zwei")]
    assert made[0] == made[1] and Document.objects.get().title == "eins"


def test_publishing_twice_at_the_same_moment_makes_one_document(by_eva: Access) -> None:
    upload, made, start = bring(by_eva), list[UUID](), threading.Barrier(4)

    def click() -> None:
        start.wait()
        made.append(publishing.publish(by_eva, upload, said()).public_id)
        connections.close_all()

    threads = [threading.Thread(target=click) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(made) == 4 and set(made) == {Document.objects.get().public_id}


def test_a_death_while_publishing_leaves_nothing_published(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(row: Upload, made: Document) -> None:
        raise KeyboardInterrupt

    upload = bring(by_eva)
    with monkeypatch.context() as dying, pytest.raises(KeyboardInterrupt):
        dying.setattr(uploads, "published_as", die)
        publishing.publish(by_eva, upload, said())
    assert not Document.objects.exists() and uploads.get_waiting(by_eva, upload).content
    assert publishing.publish(by_eva, upload, said()) == Document.objects.get()


def test_whoever_died_over_publishing_does_not_own_it_for_ever(by_eva: Access) -> None:
    upload = bring(by_eva)
    Upload.objects.update(publishing_at=timezone.now() - uploads.PUBLISHING_TAKES - timedelta(seconds=1))
    assert publishing.publish(by_eva, upload, said()) == Document.objects.get()


def test_what_is_withdrawn_meanwhile_is_not_brought_back(eva: User, by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    old = publishing.publish(by_eva, bring(by_eva), said())
    upload = new_version(access(eva), old)

    def wait(handle: int) -> bool:
        removal.withdraw(old)
        return True

    monkeypatch.setattr("evidence.runs._locked", wait)
    with pytest.raises(Incomplete) as incomplete:
        publishing.publish(access(eva), upload, said(document=old.public_id, version="2"))
    assert list(incomplete.value.faults) == ["document"] and not Document.objects.filter(withdrawn_at=None).exists()


def test_what_is_being_published_is_not_discarded(by_eva: Access) -> None:
    upload = bring(by_eva)
    Upload.objects.update(publishing_at=timezone.now())
    with pytest.raises(Refused) as refused:
        uploads.discard(by_eva, upload)
    assert code_of(refused) == "upload_publishing"


def test_a_failure_leaves_the_upload_free_again(by_eva: Access) -> None:
    upload = bring(by_eva)
    with pytest.raises(Incomplete):
        publishing.publish(by_eva, upload, said(version=""))
    assert publishing.publish(by_eva, upload, said()).title == "Ventile"


@pytest.mark.parametrize(
    "fields, faults",
    [
        ({"version": " "}, {"version": "rules_empty"}),
        ({"title": "x" * 501}, {"title": "rules_too_long"}),
        ({"owner": "a\0b"}, {"owner": "rules_control"}),
        ({"date": "31.12.2026"}, {"date": "rules_date"}),
        ({"status": "maybe"}, {"status": "rules_status"}),
        ({"valid_from": "2026-02-01", "valid_until": "2026-01-01"}, {"valid_until": "validity_inverted"}),
        ({"source": "geheim"}, {"source": "source_unknown"}),
        ({"document": uuid4()}, {"document": "document_unavailable"}),
        ({"allowed": frozenset()}, {"allowed": "nobody_may_read"}),
        ({"allowed": frozenset({10**9})}, {"allowed": "group_unknown"}),
        ({"version": "", "date": "gestern"}, {"version": "rules_empty", "date": "rules_date"}),
    ],
)
def test_a_description_is_checked_field_by_field(by_eva: Access, fields: dict[str, object], faults: dict[str, str]) -> None:
    with pytest.raises(Incomplete) as incomplete:
        publishing.publish(by_eva, bring(by_eva), said(**fields))
    assert {name: fault.code for name, fault in incomplete.value.faults.items()} == faults
    assert all(str(fault) for fault in incomplete.value.faults.values())
    assert not Document.objects.exists() and not Source.objects.exists()


def test_a_group_is_on_one_side_only(by_eva: Access) -> None:
    both = frozenset({group("alle").pk})
    with pytest.raises(Incomplete) as incomplete:
        publishing.publish(by_eva, bring(by_eva), said(denied=both))
    assert [fault.code for fault in incomplete.value.faults.values()] == ["group_both"]


@pytest.mark.parametrize("denied", [[], ["alle"]])
def test_what_the_person_could_not_read_is_to_be_confirmed(by_eva: Access, denied: list[str]) -> None:
    sides = {"allowed": frozenset({group("netz").pk}), "denied": frozenset(group(one).pk for one in denied)}
    upload = bring(by_eva)
    with pytest.raises(Incomplete) as incomplete:
        publishing.publish(by_eva, upload, said(**sides))
    assert [fault.code for fault in incomplete.value.faults.values()] == ["not_for_yourself"]
    made = publishing.publish(by_eva, upload, said(**sides, unread=True))
    assert made not in Document.objects.readable(access(User.objects.get(username="eva")))


def test_denied_groups_are_kept_out(by_eva: Access) -> None:
    publishing.publish(by_eva, bring(by_eva), said(denied=frozenset({group("netz").pk})))
    assert titles(person("ida", ["alle", "netz"]), "Ventil") == []
    assert titles(person("max", ["alle"]), "Ventil") == ["Ventile"]


def new_version(by: Access, of: Document, data: bytes = b"# Ventile\n\nNeue Fassung.\n") -> UUID:
    return bring(by, "ventile-neu.md", data, replaces=of.public_id)


def test_a_new_version_takes_over_what_was_said_of_the_one_before(eva: User, by_eva: Access) -> None:
    fields = {"title": "Ventilbuch", "owner": "Technik", "valid_from": "2026-01-01", "denied": frozenset({group("netz").pk})}
    first = publishing.publish(by_eva, bring(by_eva), said(**fields))
    offered = publishing.suggested(access(eva), uploads.get(by_eva, new_version(access(eva), first)))
    assert offered == said(**fields, version="2", document=first.public_id)


def test_language_and_source_are_offered_as_they_were_last_and_rights_are_not(eva: User, by_eva: Access) -> None:
    Source.objects.create(tenant=tenant(), name="aushang", kind=SourceKind.LOCAL)
    publishing.publish(by_eva, bring(by_eva), said(language="fr", source="aushang", kind="Notiz"))
    offered = publishing.suggested(access(eva), uploads.get(by_eva, bring(by_eva)))
    assert (offered.language, offered.source, offered.kind, offered.allowed) == ("fr", "aushang", "", frozenset())


def test_a_new_version_belongs_to_its_document_and_the_old_one_is_kept(eva: User, by_eva: Access) -> None:
    first = publishing.publish(by_eva, bring(by_eva), said())
    now = access(eva)
    upload = new_version(now, first)
    second = publishing.publish(now, upload, publishing.suggested(now, uploads.get(now, upload)))
    assert second == first and [one.label for one in second.revisions.all()] == ["1", "2"]
    assert titles(eva, "Fassung") == ["Ventile"] and titles(eva, "prüfen") == []


@pytest.mark.parametrize(
    "fields, faults",
    [({"version": "1"}, {"version": "version_taken"}), ({"version": "2", "date": "2025-12-31"}, {"date": "version_older"})],
)
def test_a_new_version_has_its_own_label_and_no_older_day(
    eva: User, by_eva: Access, fields: dict[str, object], faults: dict[str, str]
) -> None:
    first = publishing.publish(by_eva, bring(by_eva), said(date="2026-01-01"))
    now = access(eva)
    with pytest.raises(Incomplete) as incomplete:
        publishing.publish(now, new_version(now, first), said(document=first.public_id, **fields))
    assert {name: fault.code for name, fault in incomplete.value.faults.items()} == faults


def test_a_document_that_may_not_be_read_is_no_choice_and_no_answer(by_eva: Access, tmp_path: Path) -> None:
    netz = access(person("ida", ["netz"], role=Role.EDITOR))
    hidden = publishing.publish(netz, bring(netz), said(allowed=frozenset({group("netz").pk})))
    row = uploads.get(by_eva, bring(by_eva, replaces=hidden.public_id))
    assert row.replaces is None and publishing.choices(by_eva, row) == []
    for document in (hidden.public_id, uuid4()):
        with pytest.raises(Unavailable):
            uploads.choose(by_eva, row.public_id, document)
        with pytest.raises(Incomplete) as incomplete:
            publishing.publish(by_eva, row.public_id, said(document=document))
        assert [fault.code for fault in incomplete.value.faults.values()] == ["document_unavailable"]


def test_a_document_from_a_folder_is_no_choice(eva: User, tmp_path: Path) -> None:
    publish(tmp_path, {"ventile.md": "Ventil"})
    now = access(eva)
    row = uploads.get(now, bring(now))
    assert titles(eva, "Ventil") == ["ventile"] and publishing.choices(now, row) == []


def test_a_document_of_a_file_of_the_same_name_is_the_first_choice(eva: User, by_eva: Access) -> None:
    for title, name in (("Alpha", "a.txt"), ("Omega", "ventile.md")):
        publishing.publish(by_eva, bring(by_eva, name, TEXT), said(title=title))
    now = access(eva)
    assert [one.title for one in publishing.choices(now, uploads.get(now, bring(now)))] == ["Omega", "Alpha"]


def test_sources_that_a_run_lists_are_not_offered(by_eva: Access) -> None:
    assert publishing.sources(by_eva) == [("uploads", "Uploads")]
    Source.objects.create(tenant=tenant(), name="uploads", kind=SourceKind.LOCAL, location="/srv/x")
    Source.objects.create(tenant=tenant("kinderhaus"), name="fremd", kind=SourceKind.LOCAL)
    assert publishing.sources(by_eva) == [("uploads-2", "Uploads")]
    Source.objects.create(tenant=tenant(), name="aushang", title="Aushang", kind=SourceKind.LOCAL)
    assert publishing.sources(by_eva) == [("aushang", "Aushang")]


def test_an_import_does_not_take_uploads_for_missing(by_eva: Access, tmp_path: Path) -> None:
    publishing.publish(by_eva, bring(by_eva), said())
    with pytest.raises(Refused) as refused:
        ingest.source(tenant(), "uploads", location=str(tmp_path), settings=Settings())
    assert code_of(refused) == "source_of_uploads"


def test_a_parser_that_changed_has_the_text_looked_at_again(by_eva: Access) -> None:
    upload = bring(by_eva)
    Upload.objects.update(parser="markdown 0")
    with pytest.raises(Refused) as refused:
        publishing.publish(by_eva, upload, said())
    assert code_of(refused) == "upload_read_anew"
    assert publishing.publish(by_eva, upload, said()).title == "Ventile"


def test_what_was_looked_at_is_what_is_published(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = bring(by_eva)
    monkeypatch.setattr("evidence.parsing.extract", lambda *_: pytest.fail("read again"))
    assert publishing.publish(by_eva, upload, said()).current is not None


def test_a_file_without_text_is_published_and_noted(by_eva: Access) -> None:
    row = uploads.get(by_eva, bring(by_eva, "leer.txt", b" \n"))
    assert row.notes == [Note.NO_TEXT]
    made = publishing.publish(by_eva, row.public_id, said())
    assert made.current is not None and made.current.notes == ["no_text"]


def test_discarding_removes_row_file_and_text(by_eva: Access) -> None:
    uploads.discard(by_eva, bring(by_eva))
    assert kept_bytes() == set() and not Upload.objects.exists()


@databases.sqlite_files
def test_name_and_title_of_what_was_discarded_are_in_no_file_a_day_later(by_eva: Access) -> None:
    uploads.discard(by_eva, bring(by_eva, "Quallenzucht.md", b"# Zebrafink\n"))
    Job.objects.filter(kind=removal.WIPE, not_before__lte=timezone.now() + timedelta(days=1)).update(not_before=timezone.now())
    worker.run_due()
    database = Path(str(connection.settings_dict["NAME"]))
    stored = b"".join(path.read_bytes() for path in database.parent.glob(f"{database.name}*"))
    assert stored and b"Quallenzucht" not in stored and b"Zebrafink" not in stored


def test_the_numbers_of_a_refusal_stay_numbers(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> Content:
        raise Refused("odd", "Page %(number)d, %(share).1f", number=7, share=0.5)

    monkeypatch.setattr("evidence.parsing.extract", refuse)
    problem = uploads.get(by_eva, bring(by_eva)).problem
    assert problem["template"] % problem["values"] == "Page 7, 0.5"


def test_nothing_stays_of_a_text_that_was_read_twice_at_once(by_eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    upload, texts = bring(by_eva, "a.txt"), iter((b"eins", b"zwei"))

    def read(ending: str, data: bytes, options: object) -> Content:
        words = next(texts)
        if words == b"eins":
            uploads.read_again(by_eva, upload, encoding="utf-8")
        return formats.extract(FORMATS[ending], words)

    monkeypatch.setattr("evidence.parsing.extract", read)
    uploads.discard(by_eva, uploads.read_again(by_eva, upload).public_id)
    assert kept_bytes() == set()


def test_discarding_keeps_bytes_that_others_name(eva: User, by_eva: Access) -> None:
    publishing.publish(by_eva, bring(by_eva), said())
    other = access(person("ida", ["netz"], role=Role.EDITOR))
    waits = bring(other, "b.txt", b"anderes")
    before = kept_bytes()
    for upload in (bring(by_eva), bring(by_eva, "b.txt", b"anderes")):
        uploads.discard(by_eva, upload)
    assert kept_bytes() == before and uploads.look(uploads.get(other, waits)) is not None


def test_wiping_keeps_what_waits(by_eva: Access, eva: User) -> None:
    waits = bring(by_eva, "b.txt", b"anderes")
    made = publishing.publish(by_eva, bring(by_eva), said())
    removal.request_purge(made)
    worker.run_due()
    assert not Document.objects.exists() and not Upload.objects.exclude(document=None).exists()
    assert len(kept_bytes()) == 2 and uploads.look(uploads.get(by_eva, waits)) is not None


def test_abandoned_uploads_are_removed_after_their_time(by_eva: Access) -> None:
    bring(by_eva)
    worker.run_due()
    assert Upload.objects.count() == 1
    later = timezone.now() - timedelta(seconds=1)
    Upload.objects.update(kept_until=later), Job.objects.filter(kind=uploads.JOB).update(not_before=later)
    worker.run_due()
    assert kept_bytes() == set() and not Upload.objects.exists() and not Job.objects.filter(kind=uploads.JOB).exists()


def test_reading_again_is_waited_for(by_eva: Access) -> None:
    upload = bring(by_eva)
    Job.objects.filter(kind=uploads.JOB).update(not_before=timezone.now())
    worker.run_due()
    row = uploads.get(by_eva, upload)
    assert list(Job.objects.filter(kind=uploads.JOB).values_list("key", "not_before")) == [(row.pk, row.kept_until)]


def test_a_published_upload_is_not_abandoned(by_eva: Access) -> None:
    upload = bring(by_eva)
    publishing.publish(by_eva, upload, said())
    uploads.expire(uploads.get(by_eva, upload).pk)
    assert Document.objects.count() == 1 and uploads.get(by_eva, upload).document is not None


def test_those_who_published_withdraw_and_nobody_else(eva: User, by_eva: Access) -> None:
    made = publishing.publish(by_eva, bring(by_eva), said())
    ida = person("ida", ["alle"], role=Role.EDITOR)
    assert publishing.mine(access(ida), made.public_id) is None and publishing.mine(access(eva), made.public_id) == made
    with pytest.raises(Unavailable):
        publishing.recall(access(ida), made.public_id)
    publishing.recall(access(eva), made.public_id)
    assert titles(eva, "Ventil") == [] and publishing.published(access(eva)).total == 0


def test_what_one_published_is_listed_only_while_one_may_read_it(eva: User, by_eva: Access) -> None:
    made = publishing.publish(by_eva, bring(by_eva), said(title="Ventilbuch"))
    assert [one.title for one in publishing.published(access(eva)).documents] == ["Ventilbuch"]
    AccessRule.objects.filter(access_class=made.access_class).delete()
    assert publishing.published(access(eva)).documents == []
    with pytest.raises(Unavailable):
        publishing.recall(access(eva), made.public_id)


def test_jobs_wait_for_their_time() -> None:
    jobs.enqueue("x", [1], not_before=timezone.now() + timedelta(hours=1))
    assert jobs.claim(["x"]) is None
