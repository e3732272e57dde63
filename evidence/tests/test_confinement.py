"""A task in a confined process: what it may take, what it can't do, and that nothing but its own result is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from evidence.confinement import Confinement, NoProcess, Result
from evidence.confinement.barriers import Limits
from evidence.errors import Refused
from evidence.tests.hostile import ATTEMPTS, DEEDS

SHORT = Limits(seconds=0.5, memory_mb=64, output_mb=1)
LONG = Limits(seconds=60, memory_mb=64, output_mb=1)
PROGRAM = "evidence.tests.hostile"
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="what Linux alone refuses")
SCRIPT = f"""
from evidence.confinement import Confinement
from evidence.confinement.barriers import Limits
LONG = Limits(60, 64, 1)
confined = Confinement("{PROGRAM}")
"""


@pytest.fixture(scope="module")
def confined() -> Iterator[Confinement]:
    """The hostile program, one for all tests here: each of them leaves it working."""
    program = Confinement(PROGRAM)
    yield program
    program.close()


def echo(confined: Confinement, *, wait: float = 0, limits: Limits = LONG) -> Result:
    return confined.run("echo", {"wait": wait, "word": "Ä"}, b"\0\xff", limits=limits)


def refusal(confined: Confinement, task: str, **header: object) -> Refused:
    with pytest.raises(Refused) as caught:
        confined.run(task, header, b"", limits=SHORT)
    return caught.value


def children(pid: int | None) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def soon(holds: Callable[[], bool], *, within: float = 60) -> bool:
    """Whether it holds before that many seconds have passed."""
    until = time.monotonic() + within
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_a_task_gets_header_and_bytes_and_gives_both(confined: Confinement) -> None:
    result = echo(confined)
    assert (result.header["word"], result.body) == ("Ä", b"\0\xff")


def test_a_task_without_bytes_may_be_done_before_its_sender_notices(confined: Confinement) -> None:
    assert [confined.run("produce", {"size": 0}, b"", limits=LONG).body for _ in range(100)] == [b""] * 100


def test_each_task_has_a_process_of_its_own(confined: Confinement) -> None:
    pids = {echo(confined).header["pid"] for _ in range(5)}
    assert len(pids) == 5 and os.getpid() not in pids


@pytest.mark.parametrize(
    ("deed", "code", "values"),
    [
        ("loop", "parser_time", {"seconds": 0.5}),
        ("sleep", "parser_time", {"seconds": 0.5}),
        ("allocate", "parser_memory", {"megabytes": 64}),
        ("allocate_at_once", "parser_memory", {"megabytes": 64}),
        ("write_for_ever", "parser_output", {"megabytes": 1}),
        ("announce_too_much", "parser_output", {"megabytes": 1}),
        ("recurse", "parser_fault", {"parser": "recurse", "kind": "RecursionError"}),
        ("divide", "parser_fault", {"parser": "divide", "kind": "ZeroDivisionError"}),
        ("exit_silently", "parser_crashed", {"how": "exit status 0"}),
        ("exit_with_status", "parser_crashed", {"how": "exit status 7"}),
        ("exit_python", "parser_crashed", {"how": "exit status 70"}),
        ("announce_and_stop", "parser_crashed", {"how": "exit status 0"}),
        ("segfault", "parser_crashed", {"how": "SIGSEGV"}),
        ("abort", "parser_crashed", {"how": "SIGABRT"}),
        ("kill_itself", "parser_crashed", {"how": "SIGKILL"}),
        ("answer_no_json", "parser_crashed", {"how": "exit status 0"}),
        ("answer_a_list", "parser_crashed", {"how": "exit status 0"}),
        ("answer_deep", "parser_crashed", {"how": "exit status 0"}),
        ("answer_something_else", "parser_crashed", {"how": "no valid answer"}),
        ("refuse_with_a_wide_message", "parser_crashed", {"how": "no valid answer"}),
        ("refuse_without_the_value", "parser_crashed", {"how": "no valid answer"}),
        ("refuse_with_an_odd_code", "parser_crashed", {"how": "no valid answer"}),
        ("refuse_with_half_a_character", "parser_crashed", {"how": "no valid answer"}),
        ("refuse_with_no_number", "parser_crashed", {"how": "no valid answer"}),
        ("fail_with_half_a_character", "parser_crashed", {"how": "no valid answer"}),
        ("refuse_with_an_odd_value", "parser_crashed", {"how": "no valid answer"}),
    ],
)
def test_a_deed_is_refused_by_its_limit_and_the_next_task_works(
    confined: Confinement, deed: str, code: str, values: dict[str, object]
) -> None:
    refused = refusal(confined, deed)
    assert (refused.code, refused.values) == (code, values)
    assert str(refused)
    assert echo(confined).body == b"\0\xff"


def test_every_deed_is_tested() -> None:
    (cases,) = [
        mark.args[1]
        for mark in test_a_deed_is_refused_by_its_limit_and_the_next_task_works.pytestmark  # type: ignore[attr-defined]
    ]
    assert {case[0] for case in cases} == set(DEEDS)


def test_a_result_is_as_large_as_it_may_be_and_no_larger(confined: Confinement) -> None:
    assert len(confined.run("produce", {"size": 1 << 20}, b"", limits=SHORT).body) == 1 << 20
    assert refusal(confined, "produce", size=(1 << 20) + 1).code == "parser_output"


@ON_LINUX
def test_memory_counts_from_what_the_process_has_already(confined: Confinement) -> None:
    assert confined.run("hold", {"size": 60 << 20}, b"", limits=SHORT).body == b""
    assert refusal(confined, "hold", size=72 << 20).code == "parser_memory"


@ON_LINUX
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_child_that_was_taken_over_can_do_nothing(confined: Confinement, attempt: str) -> None:
    assert "failed" in confined.run(attempt, {}, b"", limits=SHORT).header
    assert echo(confined).body == b"\0\xff"


def test_a_child_has_nothing_of_its_parent_but_the_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNDSTELLE_SECRET_KEY", "geheim")
    program = Confinement(PROGRAM)
    with Path(__file__).open() as file:
        os.set_inheritable(file.fileno(), True)
        owned = program.run("possessions", {}, b"", limits=LONG).header
    program.close()
    assert owned["descriptors"] == [0, 1, 2, 3]
    assert "geheim" not in str(owned) and not any(name.startswith(("FUNDSTELLE", "HOME")) for name in owned["environment"])


def test_threads_have_their_own_children(confined: Confinement) -> None:
    begun = time.monotonic()
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: echo(confined, wait=0.3), range(4)))
    assert len({result.header["pid"] for result in results}) == 4
    assert time.monotonic() - begun < 4 * 0.3


def test_a_child_that_is_killed_is_told_of(confined: Confinement) -> None:
    echo(confined)
    assert soon(lambda: len(children(confined.pid)) == 1)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(echo, confined, wait=100)
        assert soon(lambda: len(children(confined.pid)) == 2)  # the one that sleeps, and the one that is kept ready
        for pid in children(confined.pid):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(Refused) as caught:
            running.result()
    assert (caught.value.code, caught.value.values) == ("parser_crashed", {"how": "SIGKILL"})
    assert echo(confined).body == b"\0\xff"


def test_a_task_survives_the_death_of_the_program_and_leaves_no_child(confined: Confinement) -> None:
    before = echo(confined).header["parent"]
    assert soon(lambda: len(children(before)) == 1)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(echo, confined, wait=2)
        assert soon(lambda: len(children(before)) == 2)
        orphans = children(before)
        os.kill(before, signal.SIGKILL)
        assert running.result().header["parent"] != before
    assert soon(lambda: all(map(is_gone, (before, *orphans))))


def test_a_program_that_can_not_start_is_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    program = Confinement("evidence.tests.no_such_program")
    with pytest.raises(NoProcess):
        echo(program)
    program.close()
    assert "no_such_program" in capfd.readouterr().err


def test_nothing_is_left_when_it_is_closed() -> None:
    program = Confinement(PROGRAM)
    echo(program)
    pids = [program.pid, *children(program.pid)]
    program.close()
    assert program.pid is None
    assert soon(lambda: all(is_gone(pid) for pid in pids if pid))


def test_children_that_ended_are_reaped(confined: Confinement) -> None:
    for _ in range(3):
        echo(confined)
        refusal(confined, "segfault")
    refusal(confined, "sleep")
    assert soon(lambda: len(children(confined.pid)) == 1)


def python(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT + script], cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True
    )


def lines(process: subprocess.Popen[str], count: int) -> Sequence[str]:
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(count)]


def test_program_and_children_end_with_a_parent_that_is_killed() -> None:
    process = python(
        """
import threading, time
confined.run("echo", {}, b"", limits=LONG)
print(confined.pid, flush=True)
confined.run("sleep", {}, b"", limits=LONG)
"""
    )
    program = int(lines(process, 1)[0])
    assert soon(lambda: len(children(program)) == 2)
    pids = [program, *children(program)]
    process.kill()
    process.communicate()
    assert soon(lambda: all(map(is_gone, pids)))


def test_a_fork_of_the_parent_has_a_program_of_its_own() -> None:
    process = python(
        """
import os
before = confined.run("echo", {}, b"", limits=LONG).header["parent"]
forked = os.fork()
after = confined.run("echo", {}, b"", limits=LONG).header["parent"]
print((after == before) == bool(forked), flush=True)
if forked:
    print(os.waitpid(forked, 0)[1])
"""
    )
    assert lines(process, 3) == ["True", "True", "0"]
    assert process.wait() == 0
    process.communicate()


@ON_LINUX
def test_processor_time_ends_a_child_that_nobody_watches() -> None:
    process = subprocess.run([sys.executable, "-c", LOOPING], cwd=settings.BASE_DIR, check=False)
    assert process.returncode == -signal.SIGXCPU


LOOPING = """
from evidence.confinement.barriers import Limits, raise_around
raise_around(Limits(0.2, 64, 1))
while True: pass
"""
