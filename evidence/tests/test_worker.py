"""Workers: what is due is done, by one of them at a time; who dies is followed by another; who is told to stop stops soon."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from evidence import jobs, worker
from evidence.errors import Refused
from evidence.models import Job
from evidence.tests import databases, processes
from evidence.tests.builders import rules, write
from evidence.tests.databases import Place
from evidence.tests.processes import Process

pytestmark = pytest.mark.django_db

LATER, LONG_AGO = "'2099-01-01 00:00:00'", "'2020-01-01 00:00:00'"
OPEN = rules(("**", 'allowed = ["group:alle"]'))


def claimed(kind: str = "test") -> Job:
    job = jobs.claim([kind])
    assert job is not None
    return job


def test_each_wait_doubles_and_is_shortened_by_chance() -> None:
    jobs.enqueue("test", range(50))
    waits: dict[int, set[timedelta]] = {}
    for attempts in (0, 3):
        for _ in range(50):
            Job.objects.update(not_before=timezone.now(), claimed_at=None, attempts=attempts)
            job = claimed()
            jobs.retry(job, error="x")
            waits.setdefault(attempts, set()).add(Job.objects.get(pk=job.pk).not_before - timezone.now())
    first, fourth = waits[0], waits[3]
    assert timedelta(seconds=25) < min(first) < max(first) <= timedelta(minutes=1) and max(first) - min(first) > timedelta(
        seconds=5
    )
    assert timedelta(minutes=3) < min(fourth) < max(fourth) <= timedelta(minutes=8)


def test_a_job_that_failed_too_often_is_given_up_and_stays() -> None:
    jobs.enqueue("test", [1])
    for _ in range(jobs.MAX_ATTEMPTS):
        Job.objects.update(not_before=timezone.now())
        jobs.retry(claimed(), error="x")
    Job.objects.update(not_before=timezone.now())
    assert jobs.claim(["test"]) is None
    assert Job.objects.get().error == "x"


def test_a_claim_that_is_not_renewed_ends_and_one_that_is_lasts() -> None:
    jobs.enqueue("test", [1, 2])
    kept, lost = claimed(), claimed()
    Job.objects.update(claimed_at=timezone.now() - jobs.CLAIM_LASTS - timedelta(seconds=1))
    jobs.keep([kept.pk])
    assert claimed().pk == lost.pk
    assert jobs.claim(["test"]) is None


def test_hurrying_makes_one_job_due_and_begins_one_anew_that_was_given_up() -> None:
    assert jobs.hurry("test", 1, wait=timedelta(hours=1))
    assert not jobs.hurry("test", 1)
    assert claimed().attempts == 0
    assert jobs.hurry("test", 1)  # the one that somebody is at may have looked already
    Job.objects.filter(claimed_at=None).update(attempts=jobs.MAX_ATTEMPTS)
    assert jobs.hurry("test", 1)
    assert Job.objects.filter(claimed_at=None).count() == 1


def test_a_job_that_is_put_off_has_not_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(key: int) -> None:
        raise jobs.Later(timedelta(minutes=3))

    monkeypatch.setattr(worker, "HANDLERS", {"test": handler})
    jobs.enqueue("test", [1])
    worker.run_due()
    job = Job.objects.get()
    assert (job.attempts, job.error, job.claimed_at) == (0, "", None)
    assert timedelta(minutes=2) < job.not_before - timezone.now() <= timedelta(minutes=3)


def test_what_is_periodic_is_done_once_each_time_by_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    monkeypatch.setattr(worker, "PERIODIC", {"often": (timedelta(minutes=5), lambda: done.append(1))})
    assert (worker.run_periodic(), worker.run_periodic(), len(done)) == (1, 0, 1)
    Job.objects.update(not_before=timezone.now())
    jobs.enqueue("often", [0])  # another worker began at the same moment
    for _ in range(3):
        worker.run_periodic()
    assert (len(done), Job.objects.count()) == (2, 1)


def test_what_is_periodic_and_fails_is_tried_again_next_time_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise Refused("broken", "broken")

    monkeypatch.setattr(worker, "PERIODIC", {"often": (timedelta(minutes=5), fail)})
    for _ in range(jobs.MAX_ATTEMPTS + 1):
        Job.objects.update(not_before=timezone.now())
        assert worker.run_periodic() == 1
    assert Job.objects.get().error == "broken"


def test_names_of_what_is_periodic_are_kinds_of_jobs_of_their_own() -> None:
    kinds = {*worker.PERIODIC, *worker.HANDLERS, *worker.RUNS}
    assert len(kinds) == len(worker.PERIODIC) + len(worker.HANDLERS) + len(worker.RUNS)
    assert max(map(len, kinds)) <= (Job._meta.get_field("kind").max_length or 0)


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_told_to_stop_finishes_its_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, done = threading.Event(), []

    def handler(key: int) -> None:
        stop.set()
        time.sleep(0.1)
        done.append(key)

    monkeypatch.setattr(worker, "HANDLERS", {"test": handler})
    monkeypatch.setattr(worker, "PERIODIC", {})
    jobs.enqueue("test", [1, 2])
    worker.work(stop)
    assert (done, Job.objects.count()) == ([1], 1)


@pytest.mark.django_db(transaction=True)
def test_a_long_run_does_not_keep_other_jobs_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    order: list[str] = []

    def long(key: int, stopped: Callable[[], bool]) -> None:
        while not order and not stop.wait(0.05):
            pass
        order.append("run")
        stop.set()

    monkeypatch.setattr(worker, "HANDLERS", {"short": lambda key: order.append("job")})
    monkeypatch.setattr(worker, "RUNS", {"long": long})
    monkeypatch.setattr(worker, "PERIODIC", {})
    jobs.enqueue("long", [1])
    jobs.enqueue("short", [1])
    given_up = threading.Timer(20, stop.set)
    given_up.start()
    worker.work(stop)
    given_up.cancel()
    assert order == ["job", "run"]


# Real processes


def manage(place: Place, *words: str | Path) -> None:
    done = processes.run(place, "manage.py", *words)
    assert done.returncode == 0, done.err


class World:
    """A place where workers work, and what is asked of it from outside."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.place, self.folder = place, folder
        self.workers: list[Process] = []

    def worker(self) -> Process:
        process = processes.start(self.place, "manage.py", "work", talking=True)
        self.workers.append(process)
        assert process.stdout is not None and process.stdout.readline() == "worker started\n"
        return process

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.place.rows(statement)

    def set_source(self, change: str) -> None:
        self.place.write(f"UPDATE evidence_source SET {change}")

    def documents(self) -> int:
        return len(self.rows("SELECT id FROM evidence_document WHERE withdrawn_at IS NULL"))

    def outcomes(self) -> list[tuple[object, ...]]:
        return self.rows("SELECT outcome, error FROM evidence_run ORDER BY id")

    def wait(self, for_this: Callable[[], object], *, at_most: float = 90) -> None:
        until = time.monotonic() + at_most
        while not for_this():
            assert time.monotonic() < until, self.outcomes()
            time.sleep(0.05)


@pytest.fixture
def world(founded: Place, tmp_path: Path) -> Iterator[World]:
    """A world of its own with a watched source of two documents; its workers end with the test."""
    folder = write(tmp_path / "in", {"a.txt": "Text.", "b.txt": "Text.", "fundstelle.toml": OPEN})
    with databases.place(tmp_path / "own", like=founded) as place:
        made = World(place, folder)
        manage(place, "createsource", "handbuch", "--tenant", "lindenau", "--location", folder, "--watch", "--every", "1h")
        yield made
        for process in made.workers:
            process.kill()
            process.wait()


def test_a_worker_takes_a_source_in_when_it_is_due_and_again_when_a_file_changes(world: World) -> None:
    world.worker()
    world.wait(lambda: world.documents() == 2)
    write(world.folder, {"c.txt": "Text."})
    world.wait(lambda: world.documents() == 3)
    (world.folder / "c.txt").unlink()
    world.wait(lambda: world.documents() == 2)


def test_a_folder_that_vanishes_does_not_end_the_worker_and_is_watched_again_when_it_is_back(world: World) -> None:
    process = world.worker()
    world.wait(lambda: world.documents() == 2)
    elsewhere = world.folder.rename(world.folder.with_name("elsewhere"))
    world.wait(lambda: ("failed", "folder_missing") in world.outcomes())
    elsewhere.rename(world.folder)
    world.wait(lambda: world.outcomes()[-1][0] == "complete")
    write(world.folder, {"c.txt": "Text."})
    world.wait(lambda: world.documents() == 3)
    assert process.poll() is None


def test_a_source_that_is_made_while_the_worker_runs_is_watched_within_seconds(world: World, tmp_path: Path) -> None:
    world.set_source(f"watched = false, next_sync_at = {LATER}")
    world.worker()
    write(world.folder, {"c.txt": "Text."})
    time.sleep(2)
    assert world.documents() == 0
    world.set_source("watched = true")
    world.wait(lambda: world.documents() == 3)


def complete(world: World, number: int) -> bool:
    """Whether so many runs have been complete, and the last one is."""
    return len(world.outcomes()) == number and world.outcomes()[-1][0] == "complete"


def test_of_two_workers_one_does_a_due_run(world: World) -> None:
    world.set_source(f"watched = false, next_sync_at = {LATER}")
    world.worker()
    world.worker()
    for number in range(1, 4):
        world.set_source(f"next_sync_at = {LONG_AGO}")
        world.wait(partial(complete, world, number))
    time.sleep(2)
    assert world.outcomes() == [("complete", "")] * 3


def slow(world: World, documents: int = 14) -> None:
    """Documents that take a while to be read."""
    write(world.folder, {f"{number:03}.md": "Wort. " * 40_000 for number in range(documents)})


def test_a_worker_that_is_told_to_stop_in_a_run_leaves_whole_documents_and_the_next_one_goes_on(world: World) -> None:
    slow(world)
    process = world.worker()
    world.wait(lambda: world.documents() >= 3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    some = world.documents()
    assert some < 16 and world.outcomes()[-1] == ("incomplete", "stopped")
    assert world.rows("SELECT id FROM evidence_document WHERE current_id IS NULL") == []
    world.worker()
    world.wait(lambda: world.documents() == 16 and world.outcomes()[-1] == ("complete", ""))
    assert world.outcomes()[0] == ("incomplete", "stopped")


def test_a_sync_that_is_told_to_stop_says_so_and_leaves_whole_documents(world: World) -> None:
    slow(world)
    process = processes.start(world.place, "manage.py", "sync", "handbuch", "-v0")
    world.wait(lambda: world.documents() >= 3)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 1
    assert world.documents() < 16 and world.outcomes() == [("incomplete", "stopped")]


def test_a_second_signal_ends_it_at_once_and_harms_nothing(world: World) -> None:
    slow(world)
    process = world.worker()
    world.wait(lambda: world.documents() >= 3)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    world.worker()
    world.wait(lambda: world.documents() == 16)
    manage(world.place, "verify", "-v0")


def test_a_worker_that_is_killed_in_a_run_is_followed_by_another_within_the_time_of_a_claim(world: World) -> None:
    slow(world)
    process = world.worker()
    world.wait(lambda: world.documents() >= 3)
    process.kill()
    process.wait()
    assert world.outcomes()[-1] == ("running", "")
    longer = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%d %H:%M:%S")
    world.place.write(f"UPDATE evidence_job SET claimed_at = '{longer}' WHERE kind = 'sync' AND claimed_at IS NOT NULL")
    world.worker()
    world.wait(lambda: world.documents() == 16 and world.outcomes()[-1][0] == "complete")
    assert world.outcomes()[0] == ("failed", "killed")
