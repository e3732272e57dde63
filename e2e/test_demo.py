"""`make demo` as somebody meets it: the command's own server, with a fresh data folder, from first sign-in to Ctrl-C."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import Faults
from e2e.reading_page import wait_for_state
from e2e.site import DEMO
from e2e.steps import QUESTION, QUOTE, ask, fill_in_sign_in, joined, result

READY = "Fundstelle is at"
"""How the first line of what the command tells once it serves begins."""


def free_port() -> int:
    """One that nobody listens on now."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Where the demo answers, in a process with no setting but where its data lies; it is stopped as Ctrl-C does."""
    port = free_port()
    words = [sys.executable, "manage.py", "demo", "--port", str(port)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "FUNDSTELLE_"))}
    environment = kept | {"FUNDSTELLE_DATA": str(tmp_path / "demo")}
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(words, cwd=DEMO.parent, env=environment, stdout=subprocess.PIPE, stderr=log, text=True) as demo,
    ):
        try:
            assert demo.stdout is not None
            assert any(line.startswith(READY) for line in demo.stdout), "the demo ended before it served"
            with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60) as answer:
                assert answer.status == 200  # at once: it is told of when it can be opened
            yield port
            demo.send_signal(signal.SIGINT)
            assert demo.wait(timeout=60) == 0
        finally:
            demo.kill()  # else the end of `with` would wait for one that does not end


def test_demo_is_served_and_its_log_holds_no_question(desktop: Page, port: int, tmp_path: Path, faults: Faults) -> None:
    faults.expect("400")
    desktop.goto(f"http://localhost:{port}/")
    fill_in_sign_in(desktop)
    ask(desktop, QUESTION)
    result(desktop).locator("[data-open]").click()
    wait_for_state(desktop, "checked")
    assert joined(desktop, "mark.cited.checked") == QUOTE
    desktop.goto(f"http://localhost:{port}/?q={'a' * 201}")
    expect(desktop.get_by_role("alert")).to_be_visible()
    log = (tmp_path / "log").read_text()
    assert "Kündigung" not in log and "q=" not in log and "Traceback" not in log
