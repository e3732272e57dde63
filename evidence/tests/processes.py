"""Processes of the product that start at once: forked from one that has imported what takes long and read the dictionaries.

Each is a process like any other: its own memory, its own environment and settings, real signals, a status when it ends. Starting
Python for each took up to three seconds of the processor, and tests start hundreds. How commands and servers start by themselves,
others try: `test_concurrency`, `test_mcp_clients`, `test_demo`.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import Pipe
from pathlib import Path
from typing import IO

from django.conf import settings

from evidence.tests import forking
from evidence.tests.databases import Place


class Process:
    """One of them. What it writes is in `out` and `err` when it has ended."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], *, talking: bool) -> None:
        self.returncode: int | None = None
        self.out, self.err = "", ""
        self.stdin: IO[str] | None = None
        self._written = os.memfd_create("out"), os.memfd_create("err")
        self._report, report = Pipe(duplex=False)
        given, output = os.open(os.devnull, os.O_RDONLY), os.dup(self._written[0])
        self.stdout: IO[str] | None = None
        if talking:
            os.close(given)
            os.close(output)
            given, answers = os.pipe()
            questions, output = os.pipe()
            self.stdin, self.stdout = os.fdopen(answers, "w"), os.fdopen(questions)
        request = json.dumps([words, dict(environment)]).encode()
        socket.send_fds(_forking(), [request], [given, output, self._written[1], report.fileno()])
        os.close(given)
        os.close(output)
        report.close()
        self.pid: int = self._report.recv()

    def __repr__(self) -> str:
        """For who wants to know why it ended as it did."""
        return f"<{self.pid}: {self.returncode}, {self.err}>"

    def poll(self) -> int | None:
        """Its status if it has ended."""
        if self.returncode is None and self._report.poll():
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its status, once it has ended."""
        if self.returncode is None:
            if not self._report.poll(timeout):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """To the process itself, while it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """At once."""
        self.send_signal(signal.SIGKILL)

    def _end(self) -> None:
        self.returncode = self._report.recv()
        self._report.close()
        if self.stdin is not None:
            self.stdin.close()
        if self.stdout is not None:
            self.stdout.close()
        self.out, self.err = (Path(f"/proc/self/fd/{written}").read_text() for written in self._written)
        for written in self._written:
            os.close(written)


def start(place: Place, *words: str | Path, talking: bool = False) -> Process:
    """A process in this place: a script, or "-c" and a program, with its arguments. talking: by pipes, stdin and stdout."""
    return Process([str(word) for word in words], place.environment, talking=talking)


def run(place: Place, *words: str | Path) -> Process:
    """One that has ended."""
    process = start(place, *words)
    process.wait()
    return process


@cache
def _forking() -> socket.socket:
    """The line to the process that forks them; it ends with this one."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, forking.LARGEST)
    with there:
        words = [sys.executable, "-m", forking.__name__, str(there.fileno())]
        process = subprocess.Popen(words, cwd=settings.BASE_DIR, pass_fds=[there.fileno()], stdout=subprocess.DEVNULL)

    def close() -> None:
        here.close()
        process.wait()

    atexit.register(close)
    return here
