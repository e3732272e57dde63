"""The demo says where it is when it can be opened there, and says so when it can't."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from evidence.management import announcement

WORDS = "Fundstelle is at … “here”.\n"


class Answering(BaseHTTPRequestHandler):
    """Says that it is alive."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *told: object) -> None:
        """Not to the terminal."""


@pytest.fixture
def answering() -> Iterator[int]:
    """A port that answers."""
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def silent() -> Iterator[int]:
    """A port where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def told(port: int, *, server: int) -> tuple[str, str]:
    """What it says on standard output and on standard error."""
    words = [sys.executable, "-m", announcement.__name__, str(port), str(server)]
    done = subprocess.run(words, input=WORDS, capture_output=True, encoding="utf-8", timeout=60, check=True)
    return done.stdout, done.stderr


def test_it_is_told_of_where_it_answers(answering: int) -> None:
    assert told(answering, server=os.getpid()) == (WORDS, "")


def test_a_server_that_has_ended_is_not_told_of(silent: int) -> None:
    assert told(silent, server=os.getppid()) == ("", f"{announcement.ENDED}\n")


def test_a_server_that_never_answers_is_not_waited_for_for_ever(silent: int) -> None:
    assert announcement.fault(silent, server=os.getppid(), seconds=0) == announcement.NO_ANSWER.format(port=silent)
