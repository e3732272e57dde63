"""The zygote: a process that has imported everything, never sees what strangers wrote, and forks a child for each task.

Forking takes a few milliseconds where a new interpreter with all formats takes half a second, and one child is always forked in
advance. The parent sends, for each task, the ends of two pairs of sockets: a channel, on which the child takes its task and
answers, and a watch, on which the zygote reports how the child ended. Whoever closes the other end of the watch has the child
killed. The zygote ends, and its children with it, when its parent does.
"""

from __future__ import annotations

import gc
import mmap
import os
import resource
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from evidence.confinement import barriers, frames
from evidence.confinement.barriers import MEBIBYTE, Limits
from evidence.errors import EvidenceError

REPORT: Final = struct.Struct("!i")
"""A child's exit status, or minus the number of the signal that ended it."""
READY: Final = b"!"
"""What a child says before it is told its task: until then, nothing of a file can have harmed it."""
MAX_DESCRIPTORS: Final = 1_024
"""Two for each running child, and what a child has to close."""
RESERVE: Final = 16 * MEBIBYTE
"""Memory that a child keeps back, to tell with that there is no more."""
_CHANNEL: Final = 3
_FAILED: Final = 70

Task = Callable[[Mapping[str, Any], bytes], tuple[Mapping[str, object], bytes]]
"""Header and bytes to header and bytes. Raises EvidenceError to refuse."""


def serve(control: int, tasks: Mapping[str, Task]) -> NoReturn:
    """Fork children for tasks until the parent is gone. Everything that tasks need has been imported by now."""
    _lead_nowhere()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(MAX_DESCRIPTORS, hard) if hard >= 0 else MAX_DESCRIPTORS, hard))
    gc.collect()
    gc.freeze()
    _Zygote(socket.socket(fileno=control), tasks).serve()
    os._exit(0)


def _lead_nowhere() -> None:
    """From now on nothing is said: what a library prints could repeat what a file holds."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    os.close(nowhere)


@dataclass(frozen=True, slots=True)
class _Spare:
    """A child that waits for its channel to come over the line."""

    pid: int
    line: socket.socket


@dataclass(slots=True)
class _Zygote:
    control: socket.socket
    tasks: Mapping[str, Task]
    running: dict[int, socket.socket] = field(default_factory=dict)
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    spare: _Spare | None = None

    def serve(self) -> None:
        """Until the parent closes its end of the control socket, by ending if not before."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ended, wakeup = socket.socketpair()
        ended.setblocking(False)
        wakeup.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.control, selectors.EVENT_READ)
        self.selector.register(ended, selectors.EVENT_READ)
        self._keep_a_spare()
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.control:
                    if not self._take():
                        return
                elif key.fileobj is ended:
                    with suppress(BlockingIOError):
                        ended.recv(4_096)
                    self._reap()
                else:
                    self._given_up(key.data)

    def _take(self) -> bool:
        """Begin a task; gives whether there is a parent still."""
        try:
            message, handles, _, _ = socket.recv_fds(self.control, 1, 2)
        except OSError:
            message, handles = b"", []
        if not message:
            self._end()
            return False
        if len(handles) == 2:
            self._begin(handles[0], socket.socket(fileno=handles[1]))
        else:
            for handle in handles:
                os.close(handle)
        return True

    def _begin(self, channel: int, report: socket.socket) -> None:
        """Hand the channel to the spare child; to a fresh one when that one has died meanwhile."""
        pid = self._hand_over(channel) or self._hand_over(channel)
        os.close(channel)
        if pid:
            self.running[pid] = report
            self.selector.register(report, selectors.EVENT_READ, pid)
        else:
            report.close()
        self._keep_a_spare()

    def _hand_over(self, channel: int) -> int:
        """The number of the child that has the channel now, or 0."""
        self._keep_a_spare()
        if self.spare is None:
            return 0
        spare, self.spare = self.spare, None
        try:
            socket.send_fds(spare.line, [READY], [channel])
        except OSError:
            return 0
        finally:
            spare.line.close()
        return spare.pid

    def _keep_a_spare(self) -> None:
        """Fork a child in advance; a system that has no room for one now may have it later."""
        if self.spare is not None:
            return
        line, end = socket.socketpair()
        try:
            pid = os.fork()
        except OSError:
            line.close()
            end.close()
            return
        if not pid:
            _be_a_child(end, self.tasks)
        end.close()
        self.spare = _Spare(pid, line)

    def _reap(self) -> None:
        """Report how children ended."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if self.spare is not None and pid == self.spare.pid:
                    self.spare.line.close()
                    self.spare = None
                if report := self.running.pop(pid, None):
                    self.selector.unregister(report)
                    with suppress(OSError):
                        report.send(REPORT.pack(os.waitstatus_to_exitcode(status)))
                    report.close()

    def _given_up(self, pid: int) -> None:
        """Nobody waits for this child any more. It is reaped like the others."""
        if report := self.running.pop(pid, None):  # not reaped: the number is still its own
            os.kill(pid, signal.SIGKILL)
            self.selector.unregister(report)
            report.close()

    def _end(self) -> None:
        pids = [*self.running, *([self.spare.pid] if self.spare else [])]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _be_a_child(line: socket.socket, tasks: Mapping[str, Task]) -> NoReturn:
    """Wait for a channel, do the one task that comes over it, and end, whatever happens."""
    try:
        barriers.end_with_parent()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(line.fileno(), _CHANNEL)
        os.closerange(_CHANNEL + 1, MAX_DESCRIPTORS)
        _, handles, _, _ = socket.recv_fds(socket.socket(fileno=_CHANNEL), 1, 1)
        if handles:
            os.dup2(handles[0], _CHANNEL)
            os.close(handles[0])
            _do(socket.socket(fileno=_CHANNEL), tasks)
            os._exit(0)
    finally:
        os._exit(_FAILED)


def _do(channel: socket.socket, tasks: Mapping[str, Task]) -> None:
    channel.sendall(READY)
    header, received = frames.receive(channel)
    limits = Limits(**header.pop("limits"))
    task = tasks[header.pop("task")]
    data = bytes(received)
    del received
    reserve = mmap.mmap(-1, RESERVE)  # address space alone: nothing is written to it
    barriers.raise_around(limits)
    try:
        answer, body = _answer(task, header, data, limits)
    except MemoryError:
        answer, body = {"limit": "memory"}, b""
    reserve.close()
    frames.send(channel, answer, body)


def _answer(task: Task, header: Mapping[str, Any], data: bytes, limits: Limits) -> tuple[Mapping[str, object], bytes]:
    """What the task gives, or the reason why it gives nothing. Raises MemoryError."""
    try:
        answer, body = task(header, data)
        if len(body) <= limits.output_mb * MEBIBYTE:
            return {"done": answer}, body
        return {"limit": "output"}, b""
    except EvidenceError as error:
        return {"refused": {"code": error.code, "template": error.template, "values": _plain(error.values)}}, b""
    except MemoryError:
        raise
    except Exception as fault:
        return {"fault": type(fault).__name__}, b""


def _plain(values: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value if isinstance(value, int | float | str) else str(value) for name, value in values.items()}


def control_of_this_process() -> int:
    """The number of the control socket, which the parent names on the command line."""
    return int(sys.argv[1])
