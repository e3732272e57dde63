"""How tests call the tools: single exchanges by Django's client, and the official SDK's client on a server or a process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client

from evidence.tests.calls import secret

ADDRESS = "/mcp"
ACCEPTED = "application/json, text/event-stream"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    response: HttpResponse

    @property
    def status(self) -> int:
        """Of HTTP."""
        return self.response.status_code

    @property
    def body(self) -> Any:
        """The JSON."""
        return json.loads(self.response.content)

    @property
    def result(self) -> Any:
        """Of the protocol."""
        return self.body["result"]

    @property
    def value(self) -> Any:
        """What the tool gave."""
        assert not self.result["isError"], self.result
        return self.result["structuredContent"]

    @property
    def error(self) -> Any:
        """What the tool gave instead."""
        assert self.result["isError"] and "structuredContent" not in self.result, self.result
        return json.loads(self.result["content"][0]["text"])

    @property
    def whole(self) -> tuple[int, Mapping[str, str], bytes]:
        """All that a caller could tell answers apart by."""
        return self.status, dict(self.response.headers), self.response.content


class Asking:
    """Calls tools with a token, one exchange each."""

    def __init__(self, token: str) -> None:
        self._client = Client()
        self._token = token

    def tool(self, name: str, **arguments: object) -> Answer:
        """Call this tool."""
        return self.send("tools/call", {"name": name, "arguments": arguments})

    def send(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        """Send a request of the protocol."""
        return self.post(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}), **headers)

    def post(self, body: str, **headers: str) -> Answer:
        """Send this body."""
        named = {"accept": ACCEPTED} | {name.replace("_", "-"): value for name, value in headers.items()}
        if self._token:
            named["authorization"] = f"Bearer {self._token}"
        response: Any = self._client.post(ADDRESS, body, content_type="application/json", headers=named)
        return Answer(response)


def asking(user: User, *scopes: str, at: str = "") -> Asking:
    """Calls for this person."""
    return Asking(secret(user, *scopes, at=at))


@asynccontextmanager
async def connected(address: str, token: str, *, mode: str = "auto") -> AsyncIterator[Assistant]:
    """The official client, connected by HTTP."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Assistant(streamable_http_client(f"{address}{ADDRESS}", http_client=http), mode=mode) as assistant,
    ):
        yield assistant
