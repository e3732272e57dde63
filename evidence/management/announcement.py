"""What the demo tells once it can be opened: a small process of its own that waits for the server, speaks and ends.

The demo's process becomes the server, so it can't speak afterwards itself. Until the dictionaries are read, nobody answers there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Final

SECONDS_TO_ANSWER: Final = 180.0
"""Of a start: about 5 on two cores with nothing else to do, a minute with tests beside it."""
SECONDS_BETWEEN: Final = 0.2
ENDED: Final = "The server ended before it answered. What it said stands above."
NO_ANSWER: Final = "The server has not answered yet. If http://localhost:{port}/ stays without an answer: Ctrl-C ends it."


def begin(text: str, *, port: int) -> None:
    """Have this told once the server answers that this process is about to become."""
    words = [sys.executable, "-m", __name__, str(port), str(os.getpid())]
    speaker = subprocess.Popen(words, stdin=subprocess.PIPE, text=True, encoding="utf-8")
    assert speaker.stdin is not None
    with speaker.stdin as pipe:
        pipe.write(text)


def fault(port: int, *, server: int, seconds: float = SECONDS_TO_ANSWER) -> str:
    """Wait until this port answers, and say nothing then; else why not. server: the process, whose child this one is."""
    end = time.monotonic() + seconds
    while not _answers(port):
        if os.getppid() != server:
            return ENDED
        if time.monotonic() > end:
            return NO_ANSWER.format(port=port)
        time.sleep(SECONDS_BETWEEN)
    return ""


def _answers(port: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as line:
        try:
            line.request("GET", "/healthz")
            return line.getresponse().status < 500
        except (OSError, HTTPException):
            return False


def main() -> None:
    """Tell what comes in on standard input, or on standard error why not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C before the server answers: no word more
    port, server = map(int, sys.argv[1:])
    text = sys.stdin.buffer.read().decode()
    if wrong := fault(port, server=server):
        print(wrong, file=sys.stderr)
    else:
        sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
