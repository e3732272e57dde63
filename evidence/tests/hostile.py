"""A program for `confinement` whose tasks do what a hostile file would have a parser do: `python -m evidence.tests.hostile`.

Each deed is a task of its own; a file that begins with a deed's name and an exclamation mark has its parser do it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from evidence import child
from evidence.confinement import zygote
from evidence.content import Content, Passage, PassageKind

CHANNEL: Final = 3
LENGTHS: Final = struct.Struct("!IQ")


def loop() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(3_600)


def allocate() -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def allocate_at_once() -> None:
    bytearray(1 << 40)


def recurse() -> None:
    recurse()


def divide() -> None:
    1 / 0  # noqa: B018


def exit_silently() -> None:
    os._exit(0)


def exit_with_status() -> None:
    os._exit(7)


def exit_python() -> None:
    sys.exit()


def segfault() -> None:
    ctypes.string_at(0)


def abort() -> None:
    os.abort()


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def write_for_ever() -> None:
    while True:
        os.write(CHANNEL, b"x" * 65_536)


def announce_too_much() -> None:
    os.write(CHANNEL, LENGTHS.pack(2, 1 << 40) + b"{}")


def announce_and_stop() -> None:
    os.write(CHANNEL, LENGTHS.pack(2, 1 << 10) + b"{}")
    os._exit(0)


def answer_with(header: bytes) -> Callable[[], None]:
    def answer() -> None:
        os.write(CHANNEL, LENGTHS.pack(len(header), 0) + header)
        os._exit(0)

    return answer


DEEDS: Final[Mapping[str, Callable[[], object]]] = {
    "loop": loop,
    "sleep": sleep,
    "allocate": allocate,
    "allocate_at_once": allocate_at_once,
    "recurse": recurse,
    "divide": divide,
    "exit_silently": exit_silently,
    "exit_with_status": exit_with_status,
    "exit_python": exit_python,
    "segfault": segfault,
    "abort": abort,
    "kill_itself": kill_itself,
    "write_for_ever": write_for_ever,
    "announce_too_much": announce_too_much,
    "announce_and_stop": announce_and_stop,
    "answer_no_json": answer_with(b"\x80\x04\x95"),
    "answer_a_list": answer_with(b"[]"),
    "answer_something_else": answer_with(b'{"result": 1}'),
    "answer_deep": answer_with(b"[" * 60_000),
    "refuse_with_a_wide_message": answer_with(b'{"refused": {"code": "wide", "template": "%(n)999999999d", "values": {"n": 1}}}'),
    "refuse_without_the_value": answer_with(b'{"refused": {"code": "bare", "template": "%(n)d", "values": {}}}'),
    "refuse_with_an_odd_code": answer_with(b'{"refused": {"code": "<b>", "template": "", "values": {}}}'),
    "refuse_with_half_a_character": answer_with(
        b'{"refused": {"code": "half", "template": "%(n)s", "values": {"n": "\\ud800"}}}'
    ),
    "refuse_with_no_number": answer_with(b'{"refused": {"code": "none", "template": "%(n)s", "values": {"n": NaN}}}'),
    "fail_with_half_a_character": answer_with(b'{"fault": "\\ud800"}'),
    "refuse_with_an_odd_value": answer_with(b'{"refused": {"code": "odd", "template": "a", "values": {"code": 1}}}'),
}
"""What a file may do to the program that reads it."""

ATTEMPTS: Final[Mapping[str, Callable[[], object]]] = {
    "read_a_file": lambda: Path(__file__).read_bytes(),
    "write_a_file": lambda: Path("/tmp/written-by-a-hostile-file").write_bytes(b"x"),
    "look_for_a_file": lambda: Path(__file__).stat(),
    "list_a_folder": lambda: list(Path("/").iterdir()),
    "open_a_socket": lambda: socket.socket(),
    "open_a_pair": lambda: socket.socketpair(),
    "duplicate": lambda: os.dup(0),
    "fork": os.fork,
    "start_a_thread": lambda: threading.Thread(target=len).start(),
    "start_a_program": lambda: subprocess.run(["/bin/true"], check=True),
    "become_a_program": lambda: os.execv("/bin/true", ["true"]),
    "kill_its_parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "kill_everyone": lambda: os.kill(-1, signal.SIGKILL),
    "change_the_folder": lambda: os.chdir("/tmp"),
    "raise_its_limits": lambda: __import__("resource").setrlimit(7, (100, 100)),
    "become_root": lambda: os.setuid(0),
}
"""What a program that a file has taken over would try."""


def _doing(deed: Callable[[], object]) -> zygote.Task:
    def task(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
        deed()
        return {}, b""

    return task


def _trying(attempt: Callable[[], object]) -> zygote.Task:
    """A task that says whether it could do it, or by which exception it could not."""

    def task(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
        try:
            attempt()
        except (OSError, RuntimeError, ValueError) as error:
            return {"failed": type(error).__name__}, b""
        return {"succeeded": True}, b""

    return task


def _echo(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    """header: seconds to wait. The same header and bytes, and where they were."""
    time.sleep(header.get("wait", 0))
    return {**header, "pid": os.getpid(), "parent": os.getppid()}, data


def _produce(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    return {}, bytes(header["size"])


def _hold(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    """size: so many bytes of memory, held for a moment."""
    bytearray(header["size"])
    return {}, b""


def _possessions(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    """What a child has from its parent."""
    return {"environment": dict(os.environ), "descriptors": [n for n in range(zygote.MAX_DESCRIPTORS) if _is_open(n)]}, b""


def _is_open(descriptor: int) -> bool:
    try:
        os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError as error:
        return error.errno == errno.ESPIPE
    return True


def _made_up(**changed: object) -> bytes:
    """Content as JSON with something wrong in it."""
    content = json.loads(Content("ab", (Passage(PassageKind.PARAGRAPH, 0, 2),)).to_json())
    return json.dumps({**content, **changed}).encode()


MADE_UP: Final[Mapping[str, bytes]] = {
    "content_of_another_kind": b'{"text": 7}',
    "content_of_odd_numbers": _made_up(spans=[["strong", 0.5, 1.5, ""]]),
    "content_of_odd_levels": _made_up(passages=[["heading", 0, 2, 99_999_999_999, [], None]]),
    "content_of_odd_columns": _made_up(passages=[["paragraph", 0, 2, 0, [], 10**30]]),
    "content_of_odd_headings": _made_up(passages=[["paragraph", 0, 2, 0, [5], None]]),
    "content_of_odd_pages": _made_up(pages=[["1", 0, 2, float("nan"), 1, ""]]),
    "content_of_odd_notes": _made_up(notes=["hello"]),
    "content_of_odd_titles": _made_up(title=7),
    "content_out_of_range": _made_up(spans=[["strong", 0, 9, ""]]),
    "content_with_surrogates": _made_up(title="\ud800"),
}
"""What a file that has taken over its parser may give for content."""


def _obey(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    """The real extraction, but for files that begin with a deed."""
    name, is_deed, _ = data[:100].decode("utf-8", "replace").partition("!")
    if is_deed and name in MADE_UP:
        return {}, MADE_UP[name]
    if is_deed and name in DEEDS:
        DEEDS[name]()
    return child.TASKS["extract"](header, data)


TASKS: Final[Mapping[str, zygote.Task]] = {
    **child.TASKS,
    **{name: _doing(deed) for name, deed in DEEDS.items()},
    **{name: _trying(attempt) for name, attempt in ATTEMPTS.items()},
    "echo": _echo,
    "produce": _produce,
    "hold": _hold,
    "possessions": _possessions,
    "extract": _obey,
}

if __name__ == "__main__":
    zygote.serve(zygote.control_of_this_process(), TASKS)
