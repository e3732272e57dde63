"""Runs of sources: what each leaves behind however it ends, what it takes away first, and what it must not write."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evidence import blobs, intake, jobs, projection, representations, runs, syncing, worker
from evidence.errors import EvidenceError, Refused
from evidence.identity import rights_are_fresh
from evidence.models import AccessClass, AuditEvent, Document, Group, Job, Receipt, Representation, Revocation, Run, Source
from evidence.search import search
from evidence.sources import Item, Listing, Origin, Rights, folder
from evidence.sources import Source as Asked
from evidence.sources.kinds import KINDS
from evidence.tests.builders import access, document, listed, person, rules, tenant, write

pytestmark = pytest.mark.django_db

ALLE, NETZ = 'allowed = ["group:alle"]', 'allowed = ["group:netz"]'
BOTH = 'allowed = ["group:alle", "group:netz"]'


@pytest.fixture(autouse=True)
def two_people() -> None:
    """Eva is in one group, Ida in another."""
    person("eva", ["alle"])
    person("ida", ["netz"])


def found(word: str, name: str = "eva") -> list[str]:
    hits = search(access(User.objects.get(username=name)), word).hits
    return sorted({hit.document.external_id for hit in hits})


def state(folder: Path, *entries: tuple[str, str], head: str = "") -> None:
    """What the rules file says from now on."""
    write(folder, {"fundstelle.toml": rules(*entries, head=head)})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three documents that all of one group may read."""
    state(write(tmp_path / "in", {f"{name}.txt": f"Text {name}." for name in "abc"}), ("**", ALLE))
    return tmp_path / "in"


@pytest.fixture
def source(place: Path) -> Source:
    """That folder as a source, which has been taken in once."""
    row = Source.objects.create(tenant=tenant(), name="handbuch", location=str(place))
    assert syncing.sync(row).complete
    return row


@dataclass
class Meddled:
    """A folder, and somebody who does something there at certain moments. reads: paths that were read.

    stamps: by which its files are told apart without reading them, where they are.
    """

    inner: Asked
    stamps: Callable[[Item], str] = lambda item: ""
    on_read: Callable[[str], object] = lambda path: None
    on_stamp: Callable[[], object] = lambda: None
    reads: list[str] = field(default_factory=list)

    def list(self) -> Listing:
        listing = self.inner.list()
        return replace(listing, items=[self._item(item) for item in listing.items])

    def stamp(self) -> str:
        self.on_stamp()
        return self.inner.stamp()

    def rights(self, paths: Collection[str]) -> Mapping[str, Rights]:
        return self.inner.rights(paths)

    def _item(self, item: Item) -> Item:
        return replace(item, read=self._reading(item), stamp=self.stamps(item))

    def _reading(self, item: Item) -> Callable[[], bytes]:
        def read() -> bytes:
            self.reads.append(item.path)
            data = item.read()
            self.on_read(item.path)
            return data

        return read


@pytest.fixture
def meddle(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Meddled]:
    """From now on every run meets somebody who does these things."""

    def meddle(**deeds: Callable[..., object]) -> Meddled:
        made = Meddled(None, **deeds)  # type: ignore[arg-type]

        def at(origin: Origin) -> Asked:
            made.inner = folder.at(origin)
            return made

        monkeypatch.setitem(KINDS, "folder", at)
        return made

    return meddle


def digest(item: Item) -> str:
    """A stamp as of an object store: of the bytes."""
    return sha256(item.read()).hexdigest()


@pytest.fixture
def stamped(source: Source, meddle: Callable[..., Meddled]) -> Meddled:
    """The same source with stamps, which has been read with them."""
    made = meddle(stamps=digest)
    syncing.sync(source)
    made.reads.clear()
    return made


def last() -> Run:
    run = Run.objects.order_by("pk").last()
    assert run is not None
    return run


# What a run leaves behind


def test_a_run_confirms_the_rights_as_of_its_start_and_keeps_what_it_did(source: Source) -> None:
    run = last()
    source.refresh_from_db()
    assert (run.outcome, run.error, run.total, run.done) == (Run.Outcome.COMPLETE, "", 3, 3)
    assert source.rights_confirmed_at == run.started_at and source.rights_stamp
    assert found("text") == ["a", "b", "c"]


def test_a_run_notes_what_the_rules_say_of_the_source_but_not_where_it_is(source: Source, place: Path) -> None:
    says = '[source]\ntitle = "Handbuch"\ncontact = "x@example.org"\nkind = "local"\nrevocation_sla = "2h"\n'
    state(place, ("**", ALLE), head=says + 'announced_to = ["group:netz"]\n')
    syncing.sync(source)
    source.refresh_from_db()
    assert (source.title, source.contact, source.kind) == ("Handbuch", "x@example.org", "folder")
    assert (source.revocation_sla, [one.name for one in source.announced_to.all()]) == (timedelta(hours=2), ["netz"])
    assert AuditEvent.objects.filter(code="source.changed").count() == 1


def test_a_group_that_does_not_exist_refuses_the_run(source: Source, place: Path) -> None:
    before = Source.objects.get().rights_confirmed_at
    state(place, ("**", NETZ), head='[source]\nannounced_to = ["group:niemand"]\n')
    with pytest.raises(Refused, match="niemand"):
        syncing.sync(source)
    assert (last().outcome, last().error) == (Run.Outcome.FAILED, "unknown_group")
    assert (Source.objects.get().rights_confirmed_at, found("text")) == (before, ["a", "b", "c"])


@pytest.mark.parametrize("kind", ["local", "push"])
def test_a_source_that_only_receives_is_refused_by_name(kind: str) -> None:
    row = Source.objects.create(tenant=tenant(), name="eingang", kind=kind)
    for ask in (syncing.sync, syncing.request):
        with pytest.raises(Refused, match="eingang") as refused:
            ask(row)
        assert refused.value.code == "source_only_receives"
    assert not Run.objects.exists() and not Job.objects.exists()


@pytest.mark.parametrize(
    ("deed", "code"),
    [
        (lambda place: place.rename(place.with_name("weg")), "folder_missing"),
        (lambda place: write(place, {"fundstelle.toml": "[[document"}), "rules_syntax"),
    ],
)
def test_a_run_that_can_list_nothing_is_kept_as_failed_and_changes_nothing(
    source: Source, place: Path, deed: Callable[[Path], object], code: str
) -> None:
    before = Source.objects.get().rights_confirmed_at
    deed(place)
    with pytest.raises(EvidenceError):
        syncing.sync(source)
    assert (last().outcome, last().error) == (Run.Outcome.FAILED, code)
    assert (Source.objects.get().rights_confirmed_at, found("text")) == (before, ["a", "b", "c"])


def test_an_origin_that_cannot_be_reached_is_said_without_its_address(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(self: folder.Folder) -> Listing:
        raise ConnectionRefusedError("http://geheim.example/")

    monkeypatch.setattr(folder.Folder, "list", unreachable)
    with pytest.raises(Refused) as refused:
        syncing.sync(source)
    assert "geheim" not in str(refused.value) and last().error == "origin_unreachable"


def test_a_run_that_was_killed_is_marked_by_the_next_one(source: Source) -> None:
    killed = Run.objects.create(source=source)
    syncing.sync(source)
    killed.refresh_from_db()
    assert (killed.outcome, killed.error) == (Run.Outcome.FAILED, "killed") and killed.finished_at


def test_a_run_that_was_killed_is_marked_by_the_worker_and_one_that_goes_on_is_not(source: Source) -> None:
    killed = Run.objects.create(source=source)
    with runs.alone(source):
        worker.run_periodic()
        killed.refresh_from_db()
        assert killed.outcome == Run.Outcome.RUNNING
    Job.objects.update(not_before=timezone.now())
    worker.run_periodic()
    killed.refresh_from_db()
    assert killed.error == "killed"


def test_how_far_a_run_is_can_be_seen_while_it_goes_on(
    source: Source, place: Path, meddle: Callable[..., Meddled], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "TOLD_EVERY", 0.0)
    seen: list[tuple[int | None, int]] = []
    write(place, {f"{name}.txt": f"Neuer Text {name}." for name in "abc"})
    meddle(on_read=lambda path: seen.append((last().total, last().done)))
    told: list[int] = []
    syncing.sync(source, listed=told.append, progress=told.append)
    assert (seen[0], seen[-1][0], last().done) == ((3, 0), 3, 3)
    assert (told[0], sum(told[1:])) == (3, 3)


def test_a_run_that_is_told_to_stop_leaves_the_rest_and_confirms_nothing(source: Source, place: Path) -> None:
    before = Source.objects.get().rights_confirmed_at
    write(place, {f"{name}.txt": f"Neuer Text {name}." for name in "abc"})
    done: list[int] = []
    report = syncing.sync(source, stop=lambda: bool(done), progress=lambda items: done.append(1) if items else None)
    assert (report.error, last().outcome, last().error) == ("stopped", Run.Outcome.INCOMPLETE, "stopped")
    assert Source.objects.get().rights_confirmed_at == before
    assert len(found("neuer")) == 1


def test_a_clock_that_was_set_back_keeps_no_run_from_being_made(source: Source) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    Run.objects.update(started_at=tomorrow)
    Source.objects.update(rights_confirmed_at=tomorrow)
    assert found("text") == []
    syncing.sync(source)
    assert found("text") == ["a", "b", "c"]


# What is taken away


def test_a_right_that_was_taken_away_holds_before_any_content_is_read(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    state(place, ("**", ALLE), ("c.txt", NETZ))
    write(place, {"a.txt": "Neuer Text a."})
    seen: list[list[str]] = []
    meddle(on_read=lambda path: seen.append(found("text")))
    syncing.sync(source)
    assert seen and not any("c" in names for names in seen)
    assert found("text") == ["a", "b"]


def test_what_is_gone_is_withdrawn_before_any_content_is_read_however_the_run_ends(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    (place / "c.txt").unlink()
    write(place, {"a.txt": "Neuer Text a."})

    def vanish(path: str) -> None:
        assert "c" not in found("text")
        raise OSError("gone")

    meddle(on_read=vanish)
    report = syncing.sync(source)
    assert (report.error, found("text")) == ("file_unreadable", ["a", "b"])


def test_a_document_whose_content_cannot_be_read_loses_its_rights_at_once(source: Source, place: Path) -> None:
    state(place, ("**", ALLE), ("a.txt", NETZ))
    write(place, {"a.txt": "Kaputt\0."})
    syncing.sync(source)
    assert (found("text"), found("text", "ida")) == (["b", "c"], [])
    assert document("a").rights_problem


def test_a_document_whose_content_cannot_be_read_gains_no_reader(source: Source, place: Path) -> None:
    state(place, ("**", ALLE), ("a.txt", BOTH))
    write(place, {"a.txt": "Kaputt\0."})
    syncing.sync(source)
    assert (found("text"), found("text", "ida")) == (["a", "b", "c"], [])
    write(place, {"a.txt": "Text a, wieder heil."})
    syncing.sync(source)
    assert (found("text"), found("text", "ida")) == (["a", "b", "c"], ["a"])


def test_metadata_of_a_content_that_cannot_be_read_is_not_put_over_the_text_of_before(source: Source, place: Path) -> None:
    state(place, ("**", f'{ALLE}\ntitle = "Fassung zwei"\nstatus = "expired"'))
    write(place, {"a.txt": "Kaputt\0."})
    syncing.sync(source)
    assert (document("a").title, document("a").status) == ("a", "valid")
    assert document("b").title == "Fassung zwei"


def test_a_right_that_was_taken_from_one_and_given_to_another_waits_for_nothing(source: Source, place: Path) -> None:
    state(place, ("**", NETZ))
    syncing.sync(source)
    assert (found("text"), found("text", "ida")) == ([], ["a", "b", "c"])


def test_one_row_says_how_long_the_taking_away_of_a_run_took(source: Source, place: Path) -> None:
    state(place, ("**", ALLE), ("a.txt", NETZ), ("b.txt", f'{ALLE}\ndenied = ["user:ida"]'))
    (place / "c.txt").unlink()
    syncing.sync(source)
    row = Revocation.objects.get()
    written = (place / "fundstelle.toml").stat().st_mtime
    assert (row.documents, row.drill) == (3, False)
    assert row.at_origin is not None and abs(row.at_origin.timestamp() - written) < 1
    assert row.at_origin <= row.in_effect_at <= timezone.now()


def test_a_document_that_is_gone_says_nothing_of_when_it_went(source: Source, place: Path) -> None:
    (place / "c.txt").unlink()
    syncing.sync(source)
    assert Revocation.objects.get().at_origin is None


def test_no_row_says_that_something_was_taken_away_where_nothing_was(source: Source, place: Path) -> None:
    state(place, ("**", BOTH))
    write(place, {"a.txt": "Neuer Text."})
    syncing.sync(source)
    assert not Revocation.objects.exists()


def test_what_is_gone_is_removed_after_the_time_of_its_source_and_not_if_it_comes_back(source: Source, place: Path) -> None:
    Source.objects.update(purge_after=timedelta(hours=3))
    (place / "c.txt").unlink()
    syncing.sync(source)
    due = Receipt.objects.get().due_at - timezone.now()
    assert timedelta(hours=2) < due <= timedelta(hours=3)
    write(place, {"c.txt": "Text c."})
    syncing.sync(source)
    Job.objects.update(not_before=timezone.now())
    worker.run_due()
    assert found("text") == ["a", "b", "c"]


# A listing that is cut short


def shorten(place: Path) -> None:
    for name in "ab":
        (place / f"{name}.txt").unlink()


def test_a_listing_that_misses_too_much_closes_the_source_and_the_next_good_one_opens_it(source: Source, place: Path) -> None:
    shorten(place)
    assert syncing.sync(source).error == "too_many_missing"
    assert (found("text"), Document.objects.filter(withdrawn_at=None).count()) == ([], 3)
    write(place, {"a.txt": "Text a.", "b.txt": "Text b."})
    syncing.sync(source)
    assert found("text") == ["a", "b", "c"]


def test_a_listing_that_misses_too_much_opens_the_source_when_that_is_allowed(source: Source, place: Path) -> None:
    shorten(place)
    syncing.sync(source)
    assert syncing.sync(source, allow_removals=True).complete
    assert found("text") == ["c"]


@pytest.mark.parametrize(("share", "closed"), [(0.6, True), (0.7, False), (1.0, False), (0.0, True)])
def test_how_much_may_be_missing_is_for_the_source_to_say(source: Source, place: Path, share: float, closed: bool) -> None:
    Source.objects.update(max_missing_share=share)
    shorten(place)
    syncing.sync(source)
    assert rights_are_fresh(Source.objects.get(), now=timezone.now()) is not closed


# What must not be written


def test_content_of_after_a_withdrawal_is_never_visible_under_the_right_of_before(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    """The new enemy: between listing and reading, Eva loses the right, and then something is written that she must not see."""
    plain = (place / "a.txt").read_bytes
    write(place, {"a.txt": "Text von vorhin.", "b.txt": "Text b, neu."})

    def betray(items: int) -> None:
        state(place, ("**", NETZ))
        write(place, {"a.txt": "Text und Geheimnis."})

    meddle()
    before = Source.objects.get().rights_confirmed_at
    report = syncing.sync(source, listed=betray)
    assert plain() == b"Text und Geheimnis."
    assert (report.error, last().outcome) == ("rights_changed_meanwhile", Run.Outcome.INCOMPLETE)
    assert (found("geheimnis"), found("neu"), Source.objects.get().rights_confirmed_at) == ([], [], before)
    waits = Job.objects.get(kind=syncing.JOB).not_before - timezone.now()
    assert timedelta() < waits <= syncing.SOON
    syncing.sync(source)
    assert (found("geheimnis"), found("geheimnis", "ida"), found("text")) == ([], ["a"], [])


def test_nothing_that_was_read_after_the_rights_changed_is_written(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    write(place, {f"{name}.txt": f"Neuer Text {name}." for name in "abc"})
    meddle(on_read=lambda path: state(place, ("**", NETZ)) if path == "b.txt" else None)
    assert syncing.sync(source).error == "rights_changed_meanwhile"
    assert found("neuer") == []  # the first was read before, but asked after


def test_the_same_text_is_not_opened_by_rights_that_are_no_longer_stated(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    state(place, ("**", BOTH))
    meddle(on_stamp=lambda: state(place, ("**", ALLE)))
    assert syncing.sync(source).error == "rights_changed_meanwhile"
    assert (found("text"), found("text", "ida")) == (["a", "b", "c"], [])


def test_what_is_known_by_its_stamp_is_not_opened_by_them_either(source: Source, place: Path, stamped: Meddled) -> None:
    state(place, ("**", BOTH))
    stamped.on_stamp = lambda: state(place, ("**", ALLE))
    assert syncing.sync(source).error == "rights_changed_meanwhile"
    assert (found("text"), found("text", "ida"), stamped.reads) == (["a", "b", "c"], [], [])


def test_an_origin_that_goes_away_in_the_middle_ends_the_run(source: Source, place: Path, meddle: Callable[..., Meddled]) -> None:
    def gone() -> None:
        raise ConnectionResetError

    write(place, {"a.txt": "Neuer Text."})
    meddle(on_stamp=gone)
    assert syncing.sync(source).error == "origin_unreachable"
    assert (last().outcome, found("neuer")) == (Run.Outcome.INCOMPLETE, [])


def test_an_origin_that_gives_no_file_any_more_is_not_asked_for_all_of_them(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    def gone(path: str) -> None:
        raise TimeoutError

    write(place, {f"neu-{number:02}.txt": "Text." for number in range(30)})
    made = meddle(on_read=gone)
    assert syncing.sync(source).error in {"file_unreadable", "origin_unreachable"}
    assert len(made.reads) == intake.MAX_FAILURES


# What is not read again


def test_what_is_here_by_its_stamp_is_not_read_again_and_still_gets_its_rights_and_metadata(
    source: Source, place: Path, stamped: Meddled
) -> None:
    state(place, ("**", f'{BOTH}\ntitle = "Titel"'))
    write(place, {"b.txt": "Neuer Text b."})
    report = syncing.sync(source)
    assert stamped.reads == ["b.txt"]
    assert (report.counts["updated"], report.counts["changed"]) == (2, 1)
    assert (found("text", "ida"), document("a").title) == (["a", "b", "c"], "Titel")


def test_another_way_of_reading_reads_what_is_kept_here_and_not_the_origin(
    source: Source, stamped: Meddled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(representations, "PROFILE", "another-profile")
    report = syncing.sync(source)
    assert (stamped.reads, report.counts["changed"], Representation.objects.count()) == ([], 3, 6)


def test_an_original_that_is_lost_here_is_read_from_the_origin(
    source: Source, stamped: Meddled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(representations, "PROFILE", "another-profile")
    blobs.remove(document("a").current.revision.source_sha256)  # type: ignore[union-attr]
    assert (syncing.sync(source).complete, stamped.reads) == (True, ["a.txt"])


def test_a_file_that_was_only_touched_is_read_once_and_then_no_more(source: Source, stamped: Meddled) -> None:
    stamped.stamps = lambda item: f"touched {item.path}" if item.path == "a.txt" else digest(item)
    assert syncing.sync(source).counts["unchanged"] == 3
    syncing.sync(source)
    assert stamped.reads == ["a.txt"]


def test_a_stamp_of_the_same_bytes_under_another_label_is_another_state(source: Source, place: Path, stamped: Meddled) -> None:
    state(place, ("**", f'{ALLE}\nversion = "2"'))
    syncing.sync(source)
    assert document("a").current.revision.label == "2"  # type: ignore[union-attr]


def test_a_document_that_was_removed_while_a_run_goes_on_is_taken_in_anew(
    source: Source, place: Path, meddle: Callable[..., Meddled]
) -> None:
    state(place, ("**", f'{ALLE}\ntitle = "Titel"'))
    meddle(on_read=lambda path: Document.objects.filter(external_id="a", title="a").delete())
    report = syncing.sync(source)
    assert (report.complete, report.counts["new"], report.counts["updated"]) == (True, 1, 2)
    assert found("text") == ["a", "b", "c"]


# A change is seen whole


def test_until_a_change_has_reached_the_index_neither_state_passes_for_the_current_one(source: Source, place: Path) -> None:
    write(place, {"a.txt": "Neuer Text a."})
    with projection._writing(wait=True):  # nobody can bring the index in line
        made = intake.Intake(source, intake.Report())
        made.take("a", [item for item in listed(place).items if item.external_id == "a"])
        assert (found("text"), found("neuer")) == (["b", "c"], [])
    assert (found("text"), found("neuer")) == (["a", "b", "c"], ["a"])


def test_a_document_of_other_rights_leaves_its_class_empty_and_the_class_goes(source: Source, place: Path) -> None:
    state(place, ("**", NETZ))
    syncing.sync(source)
    assert [row.documents.count() for row in AccessClass.objects.all()] == [3]
    assert {one.access_class for one in projection.engine().documents()} == {AccessClass.objects.get().pk}
    Group.objects.get(name="alle").delete()  # nothing names it any more


def test_classes_of_no_document_go_by_themselves(source: Source) -> None:
    AccessClass.objects.create(source=source, digest="leer")
    worker.run_periodic()
    assert not AccessClass.objects.filter(digest="leer").exists()


# Asking for runs


def test_asking_for_a_run_makes_one_job_and_says_who_asked(source: Source) -> None:
    eva = User.objects.get(username="eva")
    assert (syncing.request(source, actor=eva.pk), syncing.request(source, actor=eva.pk)) == (True, False)
    assert Job.objects.filter(kind=syncing.JOB, key=source.pk).count() == 1
    assert set(AuditEvent.objects.filter(code="source.sync_requested").values_list("actor", flat=True)) == {eva.pk}


def test_a_source_is_due_once_each_time(source: Source) -> None:
    Source.objects.update(sync_every=timedelta(minutes=10))
    now = timezone.now()
    for _ in range(2):
        syncing.enqueue_due(now)
    assert Job.objects.filter(kind=syncing.JOB).count() == 1
    assert Source.objects.get().next_sync_at == now + timedelta(minutes=10)
    worker.run_due()
    syncing.enqueue_due(now + timedelta(minutes=9))
    assert not Job.objects.filter(kind=syncing.JOB).exists()
    syncing.enqueue_due(now + timedelta(minutes=10))
    assert Job.objects.filter(kind=syncing.JOB).exists()


def test_a_failed_run_is_tried_again_by_its_own_job_and_sooner_when_its_time_comes(source: Source, place: Path) -> None:
    Source.objects.update(sync_every=timedelta(minutes=10), next_sync_at=timezone.now())
    place.rename(place.with_name("weg"))
    syncing.enqueue_due(timezone.now())
    worker.run_due()
    job = Job.objects.get(kind=syncing.JOB)
    assert (job.attempts, job.error) == (1, "folder_missing") and job.not_before > timezone.now()
    syncing.enqueue_due(timezone.now() + timedelta(minutes=10))
    assert Job.objects.get(kind=syncing.JOB).not_before <= timezone.now() + timedelta(minutes=10)


def test_a_good_run_takes_a_given_up_job_away(source: Source) -> None:
    jobs.enqueue(syncing.JOB, [source.pk])
    Job.objects.update(attempts=jobs.MAX_ATTEMPTS)
    syncing.sync(source)
    assert not Job.objects.filter(kind=syncing.JOB).exists()


def test_a_run_that_saw_too_little_is_tried_again(source: Source, place: Path) -> None:
    shorten(place)
    syncing.request(source)
    worker.run_due()
    assert Job.objects.get(kind=syncing.JOB).error == "too_many_missing"


def test_while_another_run_goes_on_a_job_waits_and_has_not_failed(source: Source) -> None:
    syncing.request(source)
    with runs.alone(source):
        worker.run_due()
    job = Job.objects.get(kind=syncing.JOB)
    assert (job.attempts, job.claimed_at) == (0, None) and job.not_before > timezone.now()


def test_a_job_of_a_source_that_is_gone_is_done(source: Source) -> None:
    jobs.enqueue(syncing.JOB, [source.pk + 1])
    worker.run_due()
    assert not Job.objects.filter(kind=syncing.JOB).exists()
