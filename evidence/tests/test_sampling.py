"""Reading back what is kept: each fault is found, named by ids, and nothing else is."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from evidence import blobs, jobs, projection, sampling
from evidence.models import AccessRule, AuditEvent, Document, Passage, Run, Source
from evidence.tests.builders import document, group, publish, run

pytestmark = pytest.mark.django_db

TEXTS = {"a.txt": "Erster Absatz.\n\nZweiter Absatz.", "b.txt": "Ein anderer Text."}


@pytest.fixture(autouse=True)
def two_documents(tmp_path: Path) -> Path:
    """A source with two documents."""
    publish(tmp_path / "in", TEXTS)
    return tmp_path / "in"


def damage_text() -> None:
    Passage.objects.filter(representation=document("a").current_id, number=1).update(text="Zweiter Absatz!")


def lose_passage() -> None:
    Passage.objects.filter(representation=document("a").current_id, number=1).delete()


def damage_original() -> None:
    path = blobs._path(document("a").current.revision.source_sha256)  # type: ignore[union-attr]
    path.write_bytes(b"Anderes.")


def lose_original() -> None:
    blobs.remove(document("a").current.revision.source_sha256)  # type: ignore[union-attr]


def open_class() -> None:
    """A rule comes to the class of all documents behind everybody's back."""
    AccessRule.objects.create(access_class=document("a").access_class, effect="allow", group=group("netz"))


def forget_in_index() -> None:
    projection.engine().remove([document("a").pk])


def reclass_in_index() -> None:
    projection.engine().reclass({document("a").pk: (77, projection.attributes(document("a")))})


FAULTS = [
    (damage_text, "text_differs", ["a"]),
    (lose_passage, "text_differs", ["a"]),
    (damage_original, "blob_damaged", ["a"]),
    (lose_original, "blob_missing", ["a"]),
    (open_class, "rights_differ", ["a", "b"]),
    (forget_in_index, "index_differs", ["a"]),
    (reclass_in_index, "index_differs", ["a"]),
]


def names(found: list[list[str]]) -> list[str]:
    """External ids of the documents that findings name."""
    return sorted(Document.objects.filter(public_id__in=[one for _, one in found]).values_list("external_id", flat=True))


@pytest.mark.parametrize(("deed", "code", "where"), FAULTS)
def test_the_sample_finds_what_is_wrong_and_says_it_to_administrators(deed: object, code: str, where: list[str]) -> None:
    deed()  # type: ignore[operator]
    sample = sampling.after_run(Source.objects.get())
    assert ({fault for fault, _ in sample["faults"]}, names(sample["faults"])) == ({code}, where)
    events = AuditEvent.objects.filter(code="sample.fault")
    assert {event.ids["fault"] for event in events} == {code} and len(events) == len(where)


def test_a_run_reads_a_sample_back_and_keeps_what_it_found(two_documents: Path) -> None:
    assert Run.objects.get().sample == {"checked": 2, "faults": [], "error": ""}
    damage_text()
    run(two_documents)
    assert Run.objects.order_by("pk").last().sample["faults"] == [["text_differs", str(document("a").public_id)]]  # type: ignore[union-attr]


def test_a_sample_has_no_more_documents_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLE", 1)
    assert sampling.after_run(Source.objects.get())["checked"] == 1


def test_a_change_that_has_not_reached_the_index_is_no_fault() -> None:
    forget_in_index()
    jobs.enqueue(projection.JOB, [document("a").pk])
    assert sampling.after_run(Source.objects.get())["faults"] == []


def test_an_index_that_cannot_be_asked_is_said_and_no_fault_of_a_document(settings: Settings) -> None:
    (settings.INDEX_DIR / (settings.INDEX_DIR / "current").read_text()).unlink()
    projection._engines.clear()
    assert sampling.after_run(Source.objects.get()) == {"checked": 2, "faults": [], "error": "index_missing"}


def verify(*words: str) -> str:
    out = StringIO()
    call_command("verify", *words, verbosity=0, stdout=out)
    return out.getvalue()


def test_verify_says_that_all_is_well() -> None:
    assert "2 documents, no fault" in verify()


@pytest.mark.parametrize(("deed", "code", "where"), FAULTS)
def test_verify_names_codes_and_ids_and_ends_with_one(deed: object, code: str, where: list[str]) -> None:
    deed()  # type: ignore[operator]
    out = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("verify", verbosity=0, stdout=out)
    assert failed.value.returncode == 1
    assert sorted(out.getvalue().splitlines()) == sorted(f"{code} {document(one).public_id}" for one in where)


def test_verify_reads_earlier_states_too(two_documents: Path) -> None:
    publish(two_documents, {"a.txt": "Neuer Text."})
    old = document("a").revisions.order_by("pk").first()
    assert old is not None
    blobs.remove(old.source_sha256)
    with pytest.raises(CommandError):
        verify()


def test_verify_finds_states_in_the_index_that_are_no_documents() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM evidence_job")
    pk = document("b").pk
    Document.objects.filter(pk=pk).update(current=None)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("verify", verbosity=0, stdout=out)
    assert f"index_stray {pk}" in out.getvalue()


def test_verify_of_one_source_leaves_the_others_alone(tmp_path: Path) -> None:
    publish(tmp_path / "zwei", {"c.txt": "Text."}, source="zweite")
    damage_text()
    assert "1 document, no fault" in verify("zweite", "--tenant", "lindenau")


def test_verify_of_an_unknown_source_does_nothing() -> None:
    with pytest.raises(CommandError) as failed:
        verify("nirgends", "--tenant", "lindenau")
    assert failed.value.returncode == 2
