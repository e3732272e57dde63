"""Confinement: work on what strangers wrote, done in a process that can do nothing else.

`run` hands a task to a child with limits on time, memory, output and files, without network, and gives its result. Whatever
becomes of the child, the caller gets a result or a Refused that says which limit was met. Nothing of formats is known here: the
program that forks the children (`evidence.child`) has the table of tasks.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from evidence.confinement import frames
from evidence.confinement.barriers import MEBIBYTE, Limits
from evidence.confinement.zygote import READY, REPORT
from evidence.errors import EvidenceError, Refused, gettext_noop

PICTURE: Final = Limits(seconds=10, memory_mb=512, output_mb=32)
"""For the picture of one page: a reader waits for it. PNG of an A3 page at 300 dots an inch takes 52 MB raw, far less packed."""
WAITING: Final = 4
"""Wall clock over processor time: where much else goes on a task gets its turn seldom, and that is not the file's fault."""
START_SECONDS: Final = 60.0
"""For the first child: everything is imported, perhaps from a cold disk."""
REPORT_SECONDS: Final = 10.0
"""For word of how a child ended, after its channel has closed."""
ATTEMPTS: Final = 2
"""A zygote that died is replaced, and the task done again: it is not the task that ended it."""
MAX_REFUSAL: Final = 2_000
"""Code points of a message from a child."""

PROGRAM: Final = "evidence.child"
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")
_ODD_DIRECTIVE: Final = re.compile(r"%(?!\(\w{1,40}\)[sd])")
"""A percent sign that is none of those which messages have: a width could take any amount of memory."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a task gave. It may come from a child that a hostile file has taken over: check it."""

    header: Mapping[str, Any]
    body: bytes


def run(task: str, header: Mapping[str, object], data: bytes, *, limits: Limits) -> Result:
    """The result of this task. header: JSON values. Raises Refused, by what ended it:

    `parser_time`, `parser_memory`, `parser_output`, `parser_crashed`, `parser_fault` (an exception), or what the task says.
    Raises NoProcess when no child can be had.
    """
    return _SHARED.run(task, header, data, limits=limits)


def close() -> None:
    """End what was started for tasks; the next task starts it again. It ends by itself when this process does."""
    _SHARED.close()


def end() -> None:
    """End what was started for tasks, and start nothing more: whoever waits for a task gets NoProcess, now and later.

    For a process that is to end soon, however long a file takes.
    """
    _SHARED.end()


class NoProcess(EvidenceError):
    """There is no process to read files in: it says nothing of a file."""

    def __init__(self) -> None:
        super().__init__(
            "parser_unavailable",
            gettext_noop("No process to read files in can be started. Please report it to whoever runs this."),
        )


class Confinement:
    """A program that forks children, started when it is first needed. Threads share it; a fork of this process has its own."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._ended = False
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        _LIVING.add(self)

    def run(self, task: str, header: Mapping[str, object], data: bytes, *, limits: Limits) -> Result:
        """See `run` of this module."""
        for _ in range(ATTEMPTS):
            with suppress(_Gone, OSError):  # too many open files, for instance
                return self._attempt({**header, "task": task, "limits": asdict(limits)}, data, limits)
        raise NoProcess

    @property
    def pid(self) -> int | None:
        """The process number of the program while it runs."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the program and all its children; the next task starts it again."""
        with self._lock:
            self._discard()

    def end(self) -> None:
        """End the program and all its children; no task starts it again."""
        self._ended = True
        self.close()

    def forget(self) -> None:
        """Leave the program to the process that this one was forked from."""
        self._lock = threading.Lock()  # a thread that is not here may have held it
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.returncode = 0  # not ours to wait for
        self._control = self._process = None

    def _attempt(self, header: Mapping[str, object], data: bytes, limits: Limits) -> Result:
        channel, theirs = socket.socketpair()
        watch, report = socket.socketpair()
        with channel, _ended_with(watch):
            with theirs, report:
                self._order(theirs, report)
            _await_child(channel)
            until = time.monotonic() + WAITING * limits.seconds
            try:
                frames.send(channel, header, data, until=until)
                answer, body = frames.receive(channel, max_body=limits.output_mb * MEBIBYTE, until=until)
            except TimeoutError:
                raise _too_long(limits) from None
            except frames.TooLarge:
                raise _too_much(limits) from None
            except (OSError, frames.Broken):
                raise _ended(watch, limits) from None
        return _result(str(header["task"]), answer, bytes(body), limits)

    def _order(self, channel: socket.socket, report: socket.socket) -> None:
        """Ask for a child, of a new program when the old one turns out to be dying."""
        with self._lock:
            for _ in range(0 if self._ended else ATTEMPTS):
                try:
                    socket.send_fds(self._started(), [READY], [channel.fileno(), report.fileno()])
                    return
                except OSError:
                    self._discard()
        raise _Gone

    def _started(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.poll() is None:
            return self._control
        self._discard()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", self._program, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # what is typed at a terminal is for its parent
            )
        return self._control

    def _discard(self) -> None:
        if self._control is not None:
            _end(self._control)
        if self._process is not None:
            try:
                self._process.wait(REPORT_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._control = self._process = None


_LIVING: Final[weakref.WeakSet[Confinement]] = weakref.WeakSet()
_SHARED: Final = Confinement(PROGRAM)


def _forget_all() -> None:
    for one in list(_LIVING):
        one.forget()


def _close_all() -> None:
    for one in list(_LIVING):
        one.close()


os.register_at_fork(after_in_child=_forget_all)
atexit.register(_close_all)


class _Gone(Exception):
    """The program that forks children died, or can't be started."""


def _environment() -> Mapping[str, str]:
    """What the program needs and nothing that is secret. Threads of numerical libraries would not survive a fork."""
    root = str(Path(__file__).resolve().parent.parent.parent)
    return {"PYTHONPATH": os.pathsep.join((root, *filter(None, sys.path))), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@contextmanager
def _ended_with(watch: socket.socket) -> Iterator[None]:
    """At the end of this the child is killed, if it still lives: that is what the end of its watch means."""
    try:
        yield
    finally:
        _end(watch)


def _end(connection: socket.socket) -> None:
    """Close a connection, also for those who got it by forking."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def _await_child(channel: socket.socket) -> None:
    channel.settimeout(START_SECONDS)
    if channel.recv(len(READY)) != READY:
        raise _Gone


def _ended(watch: socket.socket, limits: Limits) -> Exception:
    """Why a child gave no answer."""
    watch.settimeout(REPORT_SECONDS)
    try:
        told = watch.recv(REPORT.size, socket.MSG_WAITALL)
    except OSError:
        return _Gone()
    if len(told) < REPORT.size:
        return _Gone()  # the zygote died as well
    (status,) = REPORT.unpack(told)
    if status == -signal.SIGXCPU:
        return _too_long(limits)
    return _crashed(_signal_name(-status) if status < 0 else f"exit status {status}")


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _result(task: str, answer: Mapping[str, Any], body: bytes, limits: Limits) -> Result:
    match answer:
        case {"done": dict(header)}:
            return Result(header, body)
        case {"refused": {"code": str(code), "template": str(template), "values": dict(values)}}:
            raise _refused(code, template, values)
        case {"limit": "memory"}:
            raise _too_big(limits)
        case {"limit": "output"}:
            raise _too_much(limits)
        case {"fault": str(kind)} if kind.isidentifier() and len(kind) <= MAX_REFUSAL:
            raise Refused(
                "parser_fault",
                gettext_noop(
                    "The parser %(parser)s can't cope with this file (%(kind)s). Please report it to whoever runs this."
                ),
                parser=task,
                kind=kind,
            )
    raise _crashed("no valid answer")


def _refused(code: str, template: str, values: Mapping[str, object]) -> Refused:
    """A refusal that a child told, if it is one that can be shown."""
    texts = (template, *values, *map(str, values.values()))
    plain = all(isinstance(value, int | float | str) for value in values.values())
    if plain and sum(map(len, texts)) <= MAX_REFUSAL and _CODE.fullmatch(code) and not _ODD_DIRECTIVE.search(template):
        with suppress(KeyError, TypeError, ValueError, OverflowError):  # of a directive without its value, for instance
            refused = Refused(code, template, **values)
            str(refused).encode()
            json.dumps(values, allow_nan=False)
            return refused
    return _crashed("no valid answer")


def _too_long(limits: Limits) -> Refused:
    message = gettext_noop(
        "Reading this file takes more than %(seconds)d seconds. Split it, or have FUNDSTELLE_PARSE_SECONDS raised."
    )
    return Refused("parser_time", message, seconds=limits.seconds)


def _too_big(limits: Limits) -> Refused:
    message = gettext_noop(
        "Reading this file takes more than %(megabytes)d MB of memory. Split it, or have FUNDSTELLE_PARSE_MEMORY_MB raised."
    )
    return Refused("parser_memory", message, megabytes=limits.memory_mb)


def _too_much(limits: Limits) -> Refused:
    message = gettext_noop("What this file holds takes more than %(megabytes)d MB. Split it into several.")
    return Refused("parser_output", message, megabytes=limits.output_mb)


def _crashed(how: str) -> Refused:
    message = gettext_noop(
        "The process that read this file came to its end (%(how)s). The file may be damaged or hostile; open it in the program "
        "it was made with and save it anew."
    )
    return Refused("parser_crashed", message, how=how)
