"""The index follows the database: pending changes, rebuild, one writer at a time."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from evidence import jobs, projection, removal, worker
from evidence.errors import IndexFault
from evidence.models import Document, Job, Representation
from evidence.search import Mode, search
from evidence.tests.builders import access, document, person, publish, rules, run, write
from evidence.tests.entries import entry

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_a_change_reaches_the_index_right_after_its_commit(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    removal.withdraw(document("a"))
    assert projection.pending() == set()
    assert list(projection.engine().documents()) == []


def test_settling_twice_changes_nothing(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    before = list(projection.engine().documents())
    jobs.enqueue(projection.JOB, [document("a").pk] * 2)
    projection.settle()
    assert list(projection.engine().documents()) == before


def test_a_search_settles_what_little_is_pending(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    projection.engine().remove([document("a").pk])
    jobs.enqueue(projection.JOB, [document("a").pk])
    assert search(access(person("eva", ["alle"])), "text").total == 1


def test_a_missing_index_is_a_fault_and_the_worker_builds_it_anew(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    mine = access(person("eva", ["alle"]))
    for path in (data_folder / "index").iterdir():
        path.unlink()
    with pytest.raises(IndexFault, match="missing"):
        search(mine, "text")
    worker.run_due()
    assert search(mine, "text").total == 1


def test_a_rebuild_ends_in_the_same_index_and_drops_the_old_file(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b."})
    before, (old,) = list(projection.engine().documents()), (data_folder / "index").glob("*.sqlite3")
    assert projection.rebuild() == 2
    assert list(projection.engine().documents()) == before
    (new,) = (data_folder / "index").glob("*.sqlite3")
    assert new.name != old.name


def test_an_index_that_was_deleted_is_not_built_anew_under_its_old_name(tmp_path: Path, data_folder: Path) -> None:
    """Whoever has the old file open would go on asking it, and whoever has not would ask a half-built one."""
    publish(tmp_path, {"a.txt": "Text a."})
    (old,) = (data_folder / "index").glob("*.sqlite3")
    old.unlink()
    projection.ensure()
    assert not old.exists()
    assert search(access(person("eva", ["alle"])), "text").total == 1


def test_searches_go_on_during_a_rebuild(tmp_path: Path) -> None:
    publish(tmp_path, {f"{number}.txt": f"Text {number}." for number in range(5)})
    mine = access(person("eva", ["alle"]))
    totals: list[int] = []
    projection.rebuild(lambda passages: totals.append(search(mine, "text").total))
    assert totals == [5]


def test_a_change_during_a_rebuild_is_not_lost(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    pk = document("a").pk

    def withdraw(passages: int) -> None:
        Document.objects.filter(pk=pk).update(current=None)
        jobs.enqueue(projection.JOB, [pk])

    projection.rebuild(withdraw)
    assert list(projection.engine().documents()) == []


def test_only_one_process_writes_at_a_time(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    jobs.enqueue(projection.JOB, [document("a").pk])
    with projection._writing(wait=True):
        assert projection.settle(wait=False) == 0
        projection.settle_quickly()
        assert document("a").pk in projection.pending()
    assert projection.settle() == 1


def test_a_failed_job_is_tried_again_later_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[int] = []

    def handler(key: int) -> None:
        if key == 1:
            raise ValueError("geheim")
        done.append(key)

    monkeypatch.setattr(worker, "HANDLERS", {"test": handler})
    jobs.enqueue("test", [1, 2])
    worker.run_due()
    kept = Job.objects.get()
    assert (done, kept.attempts, kept.error) == ([2], 1, "ValueError")
    assert jobs.claim(["test"]) is None


def indexed() -> list[int]:
    """Representations in the index."""
    return sorted(one.representation for one in projection.engine().documents())


def test_earlier_revisions_are_in_the_index_beside_the_current_one(tmp_path: Path) -> None:
    for text in ("Eins.", "Zwei.", "Drei."):
        publish(tmp_path, {"a.txt": text})
    assert indexed() == sorted(Representation.objects.values_list("pk", flat=True))
    assert list(projection.differences()) == []


def test_a_revision_that_is_current_again_is_no_earlier_one(tmp_path: Path) -> None:
    for text in ("Eins.", "Zwei.", "Eins."):
        publish(tmp_path, {"a.txt": text})
    assert document("a").current_id in [one.representation for one in projection.engine().documents() if one.document < 1 << 40]
    assert (len(indexed()), list(projection.differences())) == (2, [])


def test_withdrawing_takes_earlier_revisions_out_too(tmp_path: Path) -> None:
    for text in ("Eins.", "Zwei."):
        publish(tmp_path, {"a.txt": text})
    removal.withdraw(document("a"))
    projection.settle()
    assert indexed() == []


def test_rights_move_earlier_revisions_too(tmp_path: Path) -> None:
    for text in ("Eins.", "Zwei."):
        publish(tmp_path, {"a.txt": text})
    publish(tmp_path, {"a.txt": "Zwei."}, allowed='["group:netz"]')
    classes = {one.access_class % (1 << 40) for one in projection.engine().documents()}
    assert classes == {document("a").access_class_id}


@pytest.mark.django_db(transaction=True)
def test_what_the_database_does_not_know_is_swept_out_of_the_index(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Eins."})
    projection.engine().put([entry(7, "verwaist")])
    projection.purge_traces()
    assert indexed() == [document("a").current_id]


def titled(folder: Path, title: str) -> None:
    lines = f'allowed = ["group:alle"]\ntitle = "{title}"'
    write(folder, {"a.md": "# Fristen\n\nDie Klage.\n\n## Verlängerung\n\nSie ruht.", "fundstelle.toml": rules(("**", lines))})
    run(folder)


def asked(text: str) -> list[tuple[int, float]]:
    eva = User.objects.filter(username="eva").first() or person("eva", ["alle"])
    found = search(access(eva), text, mode=Mode.WIDER)
    return [(hit.passage.number, hit.score) for hit in found.hits]


def test_a_passage_is_found_better_under_headings_that_hold_the_words(tmp_path: Path) -> None:
    said = "Die Klage ruht, der Vertrag läuft."
    publish(tmp_path, {"a.md": f"# Verjährung\n\n{said}\n\n# Anderes\n\n{said}", "b.txt": "Es regnet."})
    scores = dict(asked("Verjährung: ruht die Klage, läuft der Vertrag?"))
    assert scores[1] > scores[3] > 0


def test_a_long_text_without_headings_is_several_sections(tmp_path: Path) -> None:
    far = projection.SECTION_PASSAGES + 1
    texts = ["Es regnet."] * (2 * far)
    texts[0], texts[1], texts[far] = "Die Klage.", "Der Vertrag.", "Der Vertrag."
    publish(tmp_path, {"a.txt": "\n\n".join(texts)})
    scores = dict(asked("Klage Vertrag"))
    assert scores[0] > scores[far] > 0
    assert scores[1] > scores[far]


def test_a_new_title_counts_at_once_and_the_old_one_no_more(tmp_path: Path) -> None:
    titled(tmp_path, "Prozess")
    before = asked("Klage Prozess")
    titled(tmp_path, "Vertrag")
    assert projection.engine().known({"prozess", "vertrag"}) == {"vertrag"}
    assert asked("Klage Prozess") < before
    assert asked("Klage Vertrag") == before


def test_a_title_that_the_index_does_not_have_is_a_difference(tmp_path: Path) -> None:
    titled(tmp_path, "Prozess")
    assert list(projection.differences()) == []
    Document.objects.update(title="Vertrag")
    (difference,) = projection.differences()
    assert "Prozess" not in difference
    assert projection.unlike([document("a").pk]) == {document("a").pk}


def test_other_rights_leave_the_words_as_they_are(tmp_path: Path) -> None:
    titled(tmp_path, "Prozess")
    publish(tmp_path, {}, allowed='["group:netz"]')
    assert asked("Klage") == []
    assert projection.engine().known({"prozess", "klage"}) == {"klage"}
