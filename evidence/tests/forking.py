"""The program that processes of tests are forked from; see `processes`. It knows no settings, so that each reads its own."""

from __future__ import annotations

import builtins
import gc
import json
import os
import runpy
import signal
import socket
import sys
import types
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Final

from django.conf import settings

from evidence.language import lexicon

IMPORTED: Final = (
    "authlib.integrations.requests_client",
    "django.core.management",
    "django.db.models",
    "django.forms",
    "django.template",
    "evidence.formats",
    "evidence.index.sqlite",
    "evidence.sources.kinds",
    "watchfiles",
)
"""What needs no settings, with all that it imports in turn."""
LARGEST: Final = 1 << 18
"""Bytes of a request: words and an environment."""


def _fork_all(line: socket.socket) -> list[str]:
    """Fork as asked; gives its words in each that was forked, and ends when nobody is left to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, handed, _, _ = socket.recv_fds(line, LARGEST, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            break
        for one in handed:
            os.close(one)
    line.close()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    words, environment = json.loads(request)
    *streams, report = handed
    if pid := os.fork():
        for one in streams:
            os.close(one)
        _tell_of(pid, Connection(report))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for one in handed:
        os.close(one)
    os.environ.clear()
    os.environ.update(environment)
    return list(words)


def _tell_of(pid: int, report: Any) -> None:
    """What its parent knows: its number, and how it ended."""
    report.send(pid)
    report.send(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)


def _become(words: list[str]) -> None:
    """Run a script, or a program, as Python does that is given these words."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    if words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        exec(compile(words[1], "<string>", "exec"), main.__dict__)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    for name in IMPORTED:
        import_module(name)
    lexicon.prepare()
    gc.freeze()
    assert not settings.configured, "a process would not read settings of its own"
    _become(_fork_all(socket.socket(fileno=int(sys.argv[1]))))
