"""The official client calls every tool: over standard input and output, and by HTTP from a WSGI and an ASGI server."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from django.conf import settings
from mcp import Client as Assistant
from mcp import StdioServerParameters
from mcp.shared.exceptions import MCPError

from evidence.tests import databases, processes
from evidence.tests.assistants import connected
from evidence.tests.databases import Place

SET_UP = """
import json, sys
from pathlib import Path
import django
django.setup()
from evidence import projection
from evidence.tests.builders import document, person, publish
from evidence.tests.calls import secret
publish(Path(sys.argv[1]), {"handbuch.md": "# Handbuch\\n\\nDie Frist beträgt vier Wochen.\\n\\nDas Ventil."})
projection.ensure()
projection.settle()
from evidence.tests import knowing
emil, rita = knowing.someone("emil"), knowing.someone("rita", role="reviewer")
knowing.space()
cited = knowing.cite(emil, "handbuch", "vier Wochen")
knowing.concept(emil, rita)
knowing.claim(emil, rita, [cited], "Vier Wochen.", subject="Frist", property="Dauer", value="4 Wochen")
knowing.claim(emil, rita, [cited], "Einen Monat.", subject="Frist", property="Dauer", value="1 Monat")
knowing.decision(emil, rita)
people = {name: person(name, groups) for name, groups in {"eva": ["alle"], "max": ["alle"], "ida": []}.items()}
print(json.dumps({"document": str(document("handbuch").public_id), **{name: secret(one) for name, one in people.items()}}))
"""
GUNICORN = ("gunicorn", "--bind", "127.0.0.1:{port}", "--workers", "1", "--threads", "4", "--log-level", "info")
UVICORN = ("uvicorn", "evidence.asgi:application", "--host", "127.0.0.1", "--port", "{port}", "--lifespan", "off")
SERVERS = {"gunicorn": GUNICORN, "uvicorn": UVICORN}
CALLS = 40
CONNECTIONS = 4
"""To the database, that a server at rest may hold: one for each of its threads."""


@dataclass(frozen=True)
class Told:
    """A place for processes, a document there, and the secret of each person."""

    place: Place
    document: str
    secrets: Mapping[str, str]

    def as_stdio(self, person: str) -> StdioServerParameters:
        """How an assistant starts the server for this person."""
        environment = dict(self.place.environment) | {"FUNDSTELLE_MCP_TOKEN": self.secrets[person]}
        return StdioServerParameters(
            command=sys.executable, args=["manage.py", "mcp"], env=environment, cwd=str(settings.BASE_DIR)
        )


@dataclass(frozen=True)
class Running:
    """A server: its address, its process, and what it has written."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path


@pytest.fixture(scope="module")
def made(founded: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """One document; eva and max may read it, ida may not. Nobody has asked yet."""
    with databases.place(tmp_path_factory.mktemp("made") / "data", like=founded) as place:
        done = processes.run(place, "-c", SET_UP, tmp_path_factory.mktemp("in"))
        assert done.returncode == 0, done.err
        found = json.loads(done.out)
        yield Told(place, found.pop("document"), found)


@pytest.fixture
def told(made: Told, tmp_path: Path) -> Iterator[Told]:
    """The same in a place of its own."""
    with databases.place(tmp_path / "data", like=made.place) as place:
        yield replace(made, place=place)


@contextmanager
def served(told: Told, server: str, log: Path) -> Iterator[Running]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", *(word.format(port=port) for word in SERVERS[server])]
    with (
        log.open("wb") as written,
        subprocess.Popen(words, env=told.place.environment, stdout=written, stderr=written) as process,
    ):
        try:
            until = time.monotonic() + 60
            while not _answers(port):
                assert time.monotonic() < until and process.poll() is None, log.read_text()
                time.sleep(0.1)
            yield Running(f"http://127.0.0.1:{port}", process, log)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
    assert "Traceback" not in log.read_text(), log.read_text()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def value(assistant: Assistant, tool: str, **arguments: object) -> Any:
    """What the tool gave; the client has compared it with the schema that the tool promises."""
    given = await assistant.call_tool(tool, arguments)
    assert not given.is_error, given.content
    return given.structured_content


async def code(assistant: Assistant, tool: str, **arguments: object) -> str:
    """What the tool gave instead."""
    given = await assistant.call_tool(tool, arguments)
    assert given.is_error
    return str(json.loads(given.content[0].text)["code"])  # type: ignore[union-attr]


async def try_everything(assistant: Assistant, document: str) -> None:
    """Each tool once, one after the other, as somebody works with them."""
    offered = {tool.name for tool in (await assistant.list_tools()).tools}
    (found,) = (await value(assistant, "search", query="Frist"))["results"]
    assert (await value(assistant, "fetch", id=found["id"]))["text"].startswith("Handbuch\n\nDie Frist")
    (hit,) = (await value(assistant, "find_passages", query="Frist"))["hits"]
    assert hit["document"]["id"] == document
    around = await value(assistant, "read", document=document, first=hit["passage"]["number"], count=2)
    assert [one["text"] for one in around["passages"]] == [hit["quote"], "Das Ventil."]
    assert (await value(assistant, "provenance", document=document))["document"]["id"] == document
    assert (await value(assistant, "history", document=document))["revisions"]
    place = {"representation": hit["representation"], "start": hit["passage"]["start"], "end": hit["passage"]["end"]}
    made = await value(assistant, "cite", document=document, **place)
    for sent in ({"citation": made["id"]}, {"anchor": made["anchor"]}):
        assert (await value(assistant, "resolve", **sent))["state"] == "resolved"
    await try_knowledge(assistant)
    documents = {"search", "fetch", "find_passages", "read", "provenance", "history", "cite", "resolve"}
    assert offered == documents | {"concepts", "claims", "decisions"}


async def try_knowledge(assistant: Assistant) -> None:
    """From a concept to its claims, both sides of them, and the passage that one stands on."""
    (concept,) = (await value(assistant, "concepts", query="frist"))["concepts"]
    whole = await value(assistant, "concepts", id=concept["id"])
    assert [line["state"] for line in whole["claims"]] == ["disputed", "disputed"]
    found = (await value(assistant, "claims", concept=concept["slug"], space="handbuch"))["claims"]
    claim = (await value(assistant, "claims", id=found[0]["id"]))["claim"]
    assert [side["text"] for side in claim["disputed_by"]] == ["Einen Monat."]
    resolved = await value(assistant, "resolve", citation=claim["citations"][0]["id"])
    assert resolved["resolution"]["quote"] == "vier Wochen"
    (decision,) = (await value(assistant, "decisions"))["decisions"]
    assert (await value(assistant, "decisions", id=decision["id"]))["decision"]["decision"] == "Wir zählen in Wochen."


async def find_nothing(assistant: Assistant, document: str) -> None:
    assert (await value(assistant, "search", query="Frist"))["results"] == []
    assert (await value(assistant, "find_passages", query="Frist"))["total"] == 0
    assert (await value(assistant, "claims"))["total"] == 0
    assert {await code(assistant, tool, document=document) for tool in ("read", "provenance", "history")} == {"unavailable"}
    assert await code(assistant, "cite", document=document, exact="Frist") == "unavailable"


def revoke(told: Told, person: str) -> None:
    told.place.write(
        "UPDATE evidence_token SET revoked_at = CURRENT_TIMESTAMP "
        f"WHERE user_id = (SELECT id FROM auth_user WHERE username = '{person}')"
    )


def test_over_standard_input_and_output(told: Told) -> None:
    async def talk() -> None:
        async with Assistant(told.as_stdio("eva")) as assistant:
            await try_everything(assistant, told.document)
            revoke(told, "eva")
            assert await code(assistant, "find_passages", query="Frist") == "unauthenticated"
        async with Assistant(told.as_stdio("ida"), mode="legacy") as assistant:
            await find_nothing(assistant, told.document)

    anyio.run(talk)


def test_no_process_starts_without_a_valid_token(told: Told) -> None:
    for given in ({}, {"FUNDSTELLE_MCP_TOKEN": "fst_wrong"}):
        words = [sys.executable, "manage.py", "mcp"]
        done = subprocess.run(
            words, env={**told.place.environment, **given}, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1 and "FUNDSTELLE_MCP_TOKEN must hold a valid token" in done.stderr and not done.stdout


@pytest.mark.parametrize("server", SERVERS)
def test_by_http(told: Told, server: str, tmp_path: Path) -> None:
    async def talk(address: str) -> None:
        for mode, person in (("auto", "eva"), ("legacy", "max")):
            async with connected(address, told.secrets[person], mode=mode) as assistant:
                await try_everything(assistant, told.document)
        async with connected(address, told.secrets["ida"]) as other, connected(address, told.secrets["eva"]) as assistant:
            await find_nothing(other, told.document)
            await at_once(assistant)
            revoke(told, "eva")
            with pytest.raises(MCPError, match="error response"):
                await value(assistant, "find_passages", query="Frist")

    with served(told, server, tmp_path / "log") as running:
        anyio.run(talk, running.address)
        headers = {"Authorization": f"Bearer {told.secrets['eva']}"}
        assert httpx2.post(f"{running.address}/mcp", headers=headers, json={}).status_code == 401
        assert (sessions(told) if databases.POSTGRESQL else open_databases(running)) <= CONNECTIONS
        httpx2.get(f"{running.address}/api/v1/search?q=Frist", headers=headers)
    written = running.log.read_text()
    assert "/mcp" in written and "/api/v1/search" in written and "Frist" not in written


async def at_once(assistant: Assistant) -> None:
    """Many calls side by side."""
    totals: list[int] = []

    async def ask() -> None:
        totals.append((await value(assistant, "find_passages", query="Frist"))["total"])

    async with anyio.create_task_group() as group:
        for _ in range(CALLS):
            group.start_soon(ask)
    assert totals == [1] * CALLS


def sessions(told: Told) -> int:
    """How many the processes of the server have with PostgreSQL now."""
    rows = told.place.rows("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    return int(rows[0][0]) - 1  # this one


def open_databases(running: Running) -> int:
    """How often the processes of the server have the database open now."""
    held = 0
    children = subprocess.run(
        ["pgrep", "-P", str(running.process.pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    for process in [str(running.process.pid), *children]:
        for one in Path(f"/proc/{process}/fd").iterdir():
            try:
                held += bool(re.search(r"fundstelle\.sqlite3$", str(one.readlink())))
            except OSError:
                continue
    return held
