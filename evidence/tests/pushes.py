"""A system that pushes, for tests: it calls the API with a token of its source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evidence import tokens
from evidence.models import Role, Source, SourceKind, Tenant
from evidence.tests.builders import access, person, tenant
from evidence.tests.calls import API, Answer

BOUNDARY = "----of-tests"


def pushed_source(name: str = "dms", *, of: Tenant | None = None, **fields: Any) -> Source:
    """A source that another system pushes to; nothing of it was confirmed."""
    return Source.objects.create(tenant=of or tenant(), name=name, kind=SourceKind.PUSH, **fields)


def as_text(at: datetime) -> str:
    """A time as a system sends it."""
    return at.isoformat()


def multipart(*parts: tuple[str, str, bytes]) -> bytes:
    """A body of these parts: name, name of the file (empty: a field), bytes."""
    body = b""
    for name, file, data in parts:
        named = f'; filename="{file}"' if file else ""
        body += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode() + data + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


class Pusher:
    """Calls for this source."""

    def __init__(self, source: Source, *, secret: str = "") -> None:
        self.source = source
        self._client = Client()
        if not secret:
            name = f"chief-of-{source.pk}"
            chief = person(name, of=source.tenant, role=Role.ADMINISTRATOR)
            secret = tokens.make_for_source(access(chief, at=source.tenant.slug), source.name, name="DMS").secret
        self.secret = secret
        self.get("documents")  # so that every further call costs the same

    def put(self, external_id: str, text: str | bytes, *, name: str = "a.txt", raw: bytes | None = None, **said: Any) -> Answer:
        """PUT a document. raw: metadata as it is sent."""
        metadata = json.dumps(said).encode() if raw is None else raw
        data = text.encode() if isinstance(text, str) else text
        return self.put_body(external_id, multipart(("metadata", "", metadata), ("file", name, data)))

    def put_body(self, external_id: str, body: bytes, **headers: str) -> Answer:
        """PUT this body."""
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        return self.call("put", f"documents/{quote(external_id, safe='')}", body, content_type=kind, headers=headers)

    def rights(self, external_id: str, **said: Any) -> Answer:
        """PUT the rights of a document."""
        return self.call("put", f"documents/{quote(external_id, safe='')}/rights", json.dumps(said).encode())

    def delete(self, external_id: str) -> Answer:
        """DELETE a document."""
        return self.call("delete", f"documents/{quote(external_id, safe='')}")

    def confirm(self, at: datetime | None = None, *, documents: Sequence[str] | None = None, **said: Any) -> Answer:
        """Confirm as of then, or now."""
        body = {"as_of": as_text(at or timezone.now()), **said} | ({} if documents is None else {"documents": list(documents)})
        return self.call("post", "confirm", json.dumps(body).encode())

    def get(self, path: str, values: Mapping[str, Any] | None = None) -> Answer:
        """GET what lies under the source."""
        return self.call("get", path, values)

    def call(self, method: str, path: str, sent: Any = None, *, source: str = "", **options: Any) -> Answer:
        """Any call. source: of another name."""
        headers = {"authorization": f"Bearer {self.secret}", **options.pop("headers", {})}
        if method != "get":
            options.setdefault("content_type", "application/json")
        with CaptureQueriesContext(connection) as captured:
            place = f"{API}sources/{source or self.source.name}/{path}"
            response = getattr(self._client, method)(place, sent, headers=headers, **options)
        return Answer(response, len(captured))
