"""A small OpenID provider behind a real socket, with a key of its own, that can be told to say anything."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client
from joserfc import jwt
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry

CLIENT = "fundstelle"
SECRET = "secret-of-the-client"
Claims = dict[str, Any]
Answer = tuple[int, Mapping[str, str], bytes]


@cache
def key(name: str = "first", *, alg: str = "RS256") -> RSAKey:
    """A key with this id; making one takes a moment."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": alg})


def signed(claims: Mapping[str, object], *, by: RSAKey | None = None, **header: object) -> str:
    """A token as a decent provider signs it, unless the header says something else."""
    own = by or key()
    named: dict[str, Any] = {"alg": "RS256", "kid": own.kid, **header}
    kept = {name: value for name, value in named.items() if value is not None}
    registry = JWSRegistry(algorithms=[str(named["alg"])], strict_check_header=False)
    return jwt.encode(kept, dict(claims), own, registry=registry)


@dataclass
class Provider:
    """What the provider says, for tests to change. changed: what becomes of the claims of a token before it is signed."""

    issuer: str
    people: dict[str, Claims] = field(default_factory=dict)
    metadata: Claims = field(default_factory=dict)
    keys: list[Claims] = field(default_factory=lambda: [dict(key().as_dict(private=False))])
    changed: Callable[[Claims], Claims] = lambda claims: claims
    token: Callable[[Claims], object] = signed
    answers: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    signed_in: str = ""
    refuses: str = ""
    asked: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    _codes: dict[str, Claims] = field(default_factory=dict)

    def authorize(self, address: str, subject: str = "") -> str:
        """Where the browser is sent back to when this person agrees at this address."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        back = {"state": asked["state"]}
        person = subject or self.signed_in
        if self.refuses or not person:
            error = {"error": self.refuses or "login_required", "error_description": "Geheimes"}
            return f"{asked['redirect_uri']}?{urlencode(back | error)}"
        code = secrets.token_urlsafe(20)
        self._codes[code] = asked | {"subject": person}
        return f"{asked['redirect_uri']}?{urlencode(back | {'code': code})}"

    def configuration(self) -> Claims:
        """The discovery document."""
        stated: Claims = {
            "issuer": self.issuer,
            **{f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token", "userinfo", "end_session")},
            "jwks_uri": f"{self.issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
        } | self.metadata
        return {name: value for name, value in stated.items() if value is not None}

    def exchange(self, form: Mapping[str, str], authorization: str) -> tuple[int, Claims]:
        """The token endpoint: the client's secret, the code, once, and PKCE."""
        begun = self._codes.pop(form.get("code", ""), None)
        if base64.b64decode(authorization.removeprefix("Basic ")).decode() != f"{CLIENT}:{SECRET}":
            return 401, {"error": "invalid_client", "error_description": "Geheimes"}
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=")
        same = begun and begun["code_challenge"] == challenge.decode() and begun["redirect_uri"] == form["redirect_uri"]
        if not begun or not same or begun["code_challenge_method"] != "S256":
            return 400, {"error": "invalid_grant", "error_description": "Geheimes"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": begun["nonce"]}
        claims |= {"sub": begun["subject"]} | self.people.get(begun["subject"], {})
        token = self.token(self.changed(claims))
        access = secrets.token_urlsafe(20)
        self._codes[access] = begun
        return 200, {"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": token}

    def user_info(self, authorization: str) -> Claims:
        """The user info endpoint."""
        begun = self._codes[authorization.removeprefix("Bearer ")]
        told: Claims = self.people.get(begun["subject"], {}).get("user info", {})
        return {"sub": begun["subject"]} | told


class _Handler(BaseHTTPRequestHandler):
    """One request. Everything but the path is decided by the provider."""

    @property
    def provider(self) -> Provider:
        return cast(Provider, cast(Any, self.server).provider)

    def do_GET(self) -> None:
        """What a browser or the product reads."""
        parts = urlsplit(self.path)
        self.provider.asked.append(parts.path)
        if parts.path in self.provider.answers:
            self._send(*self.provider.answers[parts.path]())
        elif parts.path == "/.well-known/openid-configuration":
            self._json(200, self.provider.configuration())
        elif parts.path == "/jwks":
            self._json(200, {"keys": self.provider.keys})
        elif parts.path == "/userinfo":
            self._json(200, self.provider.user_info(self.headers["Authorization"]))
        elif parts.path == "/authorization":
            self._send(302, {"Location": self.provider.authorize(self.path)}, b"")
        else:
            self._send(200, {"Content-Type": "text/html"}, b"<!doctype html><title>Provider</title><p>Signed out there.")

    def do_POST(self) -> None:
        """The token endpoint."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        path = urlsplit(self.path).path
        self.provider.asked.append(path)
        self.provider.forms.append(body)
        if path in self.provider.answers:
            self._send(*self.provider.answers[path]())
            return
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self._json(*self.provider.exchange(form, self.headers.get("Authorization", "")))

    def _json(self, status: int, value: object) -> None:
        self._send(status, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in (dict(headers) | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def running(**people: Claims) -> Iterator[Provider]:
    """A provider that answers, on a port of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    provider = Provider(f"http://127.0.0.1:{server.server_port}", people=dict(people))
    cast(Any, server).provider = provider
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield provider
    server.shutdown()
    server.server_close()
    thread.join()


def settings_for(provider: Provider, tenant: str = "lindenau") -> dict[str, object]:
    """What the operator sets for it."""
    return {
        "OIDC_ISSUER": provider.issuer,
        "OIDC_CLIENT_ID": CLIENT,
        "OIDC_CLIENT_SECRET": SECRET,
        "OIDC_TENANT": tenant,
    }


def sign_in(client: Client, provider: Provider, subject: str, *, after: str = "/") -> Any:
    """The whole way there and back, as a browser goes it; the answer to the callback."""
    return client.get(way_back(client, provider, subject, after=after), headers={"accept-language": "en"})


def way_back(client: Client, provider: Provider, subject: str, *, after: str = "/") -> str:
    """The way there: the address that the provider sends the browser back to."""
    start = client.get("/sign-in/oidc/", {"next": after})
    assert start.status_code == 302, start.content.decode()
    back = urlsplit(provider.authorize(start["Location"], subject))
    return f"{back.path}?{back.query}"
