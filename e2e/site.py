"""The product as it runs: a server over the demo's documents, people who are signed in, and rooms of a test's own."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.test import Client, override_settings
from playwright.sync_api import BrowserContext, Page

from evidence.models import Document, Tenant
from evidence.tests import builders, databases

DEMO: Final = Path(__file__).parent.parent / "demo"
PEOPLE: Final[dict[str, Any]] = tomllib.loads((DEMO / "people.toml").read_text(encoding="utf-8"))
PASSWORDS: Final[Mapping[str, str]] = {one["name"]: one["password"] for one in PEOPLE["person"]}
ANNA: Final = "anna.berger"
"""Reads nearly everything of the demo."""
HASHED_NAMES: Final = "whitenoise.storage.CompressedManifestStaticFilesStorage"


@dataclass(frozen=True)
class Site:
    """Where the product answers."""

    address: str

    def url(self, path: str = "/", **query: object) -> str:
        """The whole address of a path with its query."""
        return f"{self.address}{path}" + (f"?{urlencode(query)}" if query else "")

    def sign_in(self, context: BrowserContext, name: str = ANNA) -> None:
        """Give the browser the session of this person, as the form would."""
        client = Client()
        client.force_login(User.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
        value = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": value, "url": self.address, "httpOnly": True}])

    def search(self, page: Page, question: str, name: str = ANNA) -> None:
        """Sign in and see what this question finds."""
        self.sign_in(page.context, name)
        page.goto(self.url(q=question))


@dataclass(frozen=True)
class Room:
    """A tenant of one test's own, and the one person who reads everything in it (named like it)."""

    name: str
    folder: Path

    @property
    def tenant(self) -> Tenant:
        """Its row."""
        return builders.tenant(self.name)

    def publish(self, texts: Mapping[str, str], allowed: str = '["group:alle"]') -> None:
        """Put these files into its only source; files from before stay."""
        builders.publish(self.folder, texts, allowed=allowed, of=self.tenant)

    def document(self, external_id: str) -> Document:
        """The row of one of its documents."""
        return builders.document(external_id, of=self.tenant)

    def path(self, external_id: str, passage: int | None = None, *, question: str = "") -> str:
        """Path and query of the reading page, with its current state pinned."""
        document = self.document(external_id)
        assert document.current is not None
        query: dict[str, object] = {"representation": document.current.public_id}
        query |= {} if passage is None else {"passage": passage}
        query |= {"q": question} if question else {}
        return f"/documents/{document.public_id}/?{urlencode(query)}"


def new_room(name: str, folder: Path) -> Room:
    """An empty room and its person."""
    builders.person(name, ["alle"], of=builders.tenant(name))
    return Room(name, folder)


@contextmanager
def data_in(folder: Path) -> Iterator[None]:
    """A database, an index, originals and static files of its own in this folder.

    pytest-django's database would be cleared by tests, and is not made at all when no test asks for it. Its tests run before
    any that has none in its eyes, as the ones here.
    """
    described = connections.settings["default"]
    before = described["NAME"]
    with databases.place(folder) as place:
        described["NAME"] = place.database or folder / "site.sqlite3"
        connections.close_all()
        with override_settings(
            DATA_DIR=folder,
            INDEX_DIR=folder / "index",
            BLOB_DIR=folder / "blobs",
            STATIC_ROOT=folder / "static",
            STORAGES={**settings.STORAGES, "staticfiles": {"BACKEND": HASHED_NAMES}},
            WHITENOISE_USE_FINDERS=False,
        ):
            yield
        connections.close_all()
        described["NAME"] = before


@contextmanager
def served() -> Iterator[Site]:
    """The product behind a real socket, with its own middlewares, static files and access log."""
    server = ThreadedWSGIServer(("localhost", 0), WSGIRequestHandler)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield Site(f"http://localhost:{server.server_port}")
    server.shutdown()
    server.server_close()
    thread.join()
