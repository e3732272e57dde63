"""How tests call the REST API: a client with a person's token."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evidence import tokens
from evidence.tests.builders import access

API = "/api/v1/"


def secret(user: User, *scopes: str, at: str = "") -> str:
    """The secret of a new token of this person; with every scope unless told."""
    return tokens.make(access(user, at=at), name="test", scopes=scopes or ("read", "cite")).secret


@dataclass(frozen=True)
class Answer:
    """What came back, and how many queries it cost."""

    response: HttpResponse
    queries: int

    @property
    def status(self) -> int:
        """Of HTTP."""
        return self.response.status_code

    @property
    def body(self) -> Any:
        """The JSON."""
        return json.loads(self.response.content)

    @property
    def code(self) -> str:
        """Of an error."""
        return str(self.body["code"])

    @property
    def whole(self) -> tuple[int, Mapping[str, str], bytes, int]:
        """All that a caller could tell answers apart by."""
        return self.status, dict(self.response.headers), self.response.content, self.queries


class Program:
    """Calls the API with a token; without one if it is empty."""

    def __init__(self, token: str) -> None:
        self._client = Client()
        self._token = token

    def get(self, path: str, values: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        """GET."""
        return self._call("get", path, values, headers)

    def head(self, path: str) -> Answer:
        """HEAD."""
        return self._call("head", path, None, {})

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """POST this as JSON; bytes as they are."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._call("post", path, sent, headers, content_type="application/json")

    def delete(self, path: str, **headers: str) -> Answer:
        """DELETE."""
        return self._call("delete", path, "", headers)

    def _call(self, method: str, path: str, sent: Any, headers: Mapping[str, str], **options: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self._token:
            named["authorization"] = f"Bearer {self._token}"
        with CaptureQueriesContext(connection) as captured:
            response = getattr(self._client, method)(API + path, sent, headers=named, **options)
        return Answer(response, len(captured))


def program(user: User, *scopes: str, at: str = "") -> Program:
    """Calls for this person. The token has been used before, so that every further call costs the same."""
    calls = Program(secret(user, *scopes, at=at))
    calls.get("nowhere")
    calls.get("documents", {"limit": 1})
    return calls
