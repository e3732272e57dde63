"""The browser for every test here: Debian's or any other installed Chromium, on a desktop and on a phone, and watched.

A watched browser window fails its test when the page writes an error to the console, throws, or asks another host for
anything. A test that provokes an error on purpose says so with `faults.expect("part of the message")`.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request
from pytest_django import DjangoDbBlocker

from e2e.site import Room, Site, data_in, new_room, served

# Playwright's synchronous interface runs an event loop in this thread; without this Django refuses its database there.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

OWN_HOSTS = frozenset({"localhost", "127.0.0.1"})
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 3,
    "has_touch": True,
    "is_mobile": True,
}
QUIET_FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


class Faults:
    """What went wrong in the windows of one test."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._expected: list[str] = []

    def expect(self, part: str) -> None:
        """Let messages that contain `part` pass."""
        self._expected.append(part)

    def watch(self, context: BrowserContext) -> None:
        """Collect errors and foreign requests of all windows of this context."""
        context.on("request", self._note_request)
        context.on("console", self._note_console)
        context.on("weberror", lambda error: self._seen.append(f"uncaught: {error.error}"))

    def unexpected(self) -> list[str]:
        """Everything seen that no one expected."""
        return [fault for fault in self._seen if not any(part in fault for part in self._expected)]

    def _note_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname not in OWN_HOSTS:
            self._seen.append(f"request elsewhere: {request.url}")

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._seen.append(f"console: {message.text}")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """An installed Chromium: $CHROMIUM, else the first one on the path, else Playwright's own."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # as in find-chromium
    found = next(filter(None, (shutil.which(name) for name in (os.environ.get("CHROMIUM"), *names) if name)), None)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    chosen = {"executable_path": found} if found else {}
    return {**browser_type_launch_args, **chosen, "args": QUIET_FLAGS + sandbox}


@pytest.fixture(autouse=True)
def data_folder() -> None:
    """Stands in for the unit tests' folder for each test: here all tests share the site's."""


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """The product with the demo in it, set up once. Tests that change anything do so in a room of their own."""
    folder = tmp_path_factory.mktemp("site")
    with django_db_blocker.unblock(), data_in(folder):
        call_command("demo", no_server=True, stdout=StringIO())
        with served() as site:
            yield site


@pytest.fixture
def room(site: Site, tmp_path: Path) -> Room:
    """An empty tenant with one person in it, for this test alone."""
    return new_room(f"room-{uuid.uuid4().hex[:8]}", tmp_path)


@pytest.fixture(scope="session")
def base_url() -> None:
    """Stands in for the plugin's own fixture, which pytest 9 warns about; tests use whole addresses."""


@pytest.fixture
def faults() -> Iterator[Faults]:
    """Fails the test at its end if a watched window had a fault that was not expected."""
    faults = Faults()
    yield faults
    assert faults.unexpected() == []


@pytest.fixture
def open_window(new_context: Callable[..., BrowserContext], faults: Faults) -> Callable[..., Page]:
    """Opens a watched window; takes Playwright's context options, such as DESKTOP or PHONE."""

    def open_one(**options: Any) -> Page:
        context = new_context(**options)
        context.set_default_timeout(10_000)
        faults.watch(context)
        return context.new_page()

    return open_one


@pytest.fixture
def desktop(open_window: Callable[..., Page]) -> Page:
    """A watched window of 1280 by 800."""
    return open_window(**DESKTOP)


@pytest.fixture
def phone(open_window: Callable[..., Page]) -> Page:
    """A watched window of 390 by 844 with touch."""
    return open_window(**PHONE)


@pytest.fixture(params=["desktop", "phone"])
def either_device(request: pytest.FixtureRequest, open_window: Callable[..., Page]) -> Page:
    """The same test on both."""
    return open_window(**(PHONE if request.param == "phone" else DESKTOP))
