"""Calls to configured addresses: they reach nothing of the own network, follow nobody, and end in time."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from evidence import outbound
from evidence.errors import EvidenceError
from evidence.tests.elsewhere import answering, certificate, dripping, elsewhere, endless

ALLOWED = b'{"allowed": true}'


def fault(url: str, *, timeout: float = 2.0, **options: Any) -> str:
    """The code of what calling this raises."""
    with pytest.raises(EvidenceError) as raised:
        outbound.post(url, {}, timeout=timeout, **options)
    assert not url or url not in str(raised.value)
    return raised.value.code


@pytest.fixture
def listed(settings: Settings) -> Iterator[None]:
    """The operator lists this machine, and one name."""
    settings.PRIVATE_HOSTS = ["127.0.0.1", "dms.example.org"]
    outbound._trust.cache_clear()
    yield
    outbound._trust.cache_clear()


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names are resolved to these addresses, one after the other with each look-up."""
    addresses: list[str] = []

    def look_up(host: str, port: int, **options: int) -> list[Any]:
        found = addresses.pop(0)
        family = socket.AF_INET6 if ":" in found else socket.AF_INET
        return [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (found, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return addresses


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://127.1.2.3/",
        "https://10.0.0.1/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://0.0.0.0/",
        "https://255.255.255.255/",
        "https://224.0.0.1/",
        "https://[::]/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:93.184.215.14]/",
        "https://[::7f00:1]/",
        "https://[fe80::1]/",
        "https://[fec0::1]/",
        "https://[fd00::1]/",
        "https://[ff02::1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[64:ff9b:1::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2001:0:7f00:1::]/",
        "https://localhost/",
    ],
)
def test_the_own_network_is_not_called(url: str) -> None:
    assert fault(url) == "outbound_private"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://example.org/", "outbound_scheme"),
        ("ftp://example.org/", "outbound_scheme"),
        ("file:///etc/passwd", "outbound_malformed"),
        ("//example.org/", "outbound_scheme"),
        ("https://example.org:8443/", "outbound_port"),
        ("https://example.org:0/", "outbound_port"),
        ("https://example.org:99999/", "outbound_malformed"),
        ("https://eva:geheim@example.org/", "outbound_malformed"),
        ("https://@example.org/", "outbound_malformed"),
        ("https://example.org./", "outbound_malformed"),
        ("https://example.org#@127.0.0.1/", "outbound_malformed"),
        ("https://example.org\\@127.0.0.1/", "outbound_malformed"),
        ("https://exa mple.org/", "outbound_malformed"),
        ("https://example.org/\r\nX-Other: 1", "outbound_malformed"),
        ("https://example.org/\t", "outbound_malformed"),
        ("https://münchen.example/", "outbound_malformed"),
        ("https://example。org/", "outbound_malformed"),
        ("https://2130706433/", "outbound_malformed"),
        ("https://0x7f000001/", "outbound_malformed"),
        ("https://0x7f.0x1/", "outbound_malformed"),
        ("https://0177.0.0.1/", "outbound_malformed"),
        ("https://127.1/", "outbound_malformed"),
        ("https://127.0.0.1./", "outbound_malformed"),
        ("https://[::1%25lo]/", "outbound_malformed"),
        ("https://[127.0.0.1]/", "outbound_malformed"),
        ("https://exa%6dple.org/", "outbound_malformed"),
        ("https:///path", "outbound_malformed"),
        ("https://" + "a" * 1_000, "outbound_malformed"),
        ("", "outbound_malformed"),
    ],
)
def test_an_address_in_another_form_is_refused_without_a_look_up(url: str, code: str, resolved: list[str]) -> None:
    assert fault(url) == code
    with pytest.raises(EvidenceError):
        outbound.check(url)


def test_an_address_as_it_should_be_is_fine() -> None:
    for url in ("https://example.org", "https://hooks.example.org/T0/B0?a=b%20c", "https://[2606:4700::1]/", "https://1.1.1.1/"):
        outbound.check(url)


def test_a_name_with_one_address_of_the_own_network_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(socket.AF_INET, 0, 0, "", (one, 443)) for one in ("1.1.1.1", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *place, **options: both)
    assert fault("https://example.org/") == "outbound_private"


def test_a_name_that_changes_its_address_is_called_at_the_first(resolved: list[str], listed: None) -> None:
    with elsewhere(answering(ALLOWED)) as server:
        resolved += ["127.0.0.1", "127.0.0.9"]
        assert outbound.post(f"http://dms.example.org:{server.port}/ask", {}, timeout=5) == (200, ALLOWED)
    assert resolved == ["127.0.0.9"]
    assert f"Host: dms.example.org:{server.port}".encode() in server.requests[0]


def test_what_is_sent_is_json_and_the_headers_that_were_given(listed: None) -> None:
    with elsewhere(answering(ALLOWED)) as server:
        headers = {"Authorization": "Bearer geheim"}
        outbound.post(f"http://127.0.0.1:{server.port}/ask?from=here", {"user": "eva"}, timeout=5, headers=headers)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /ask?from=here HTTP/1.1\r\n")
    assert b"\r\nAuthorization: Bearer geheim" in head
    assert json.loads(body) == {"user": "eva"}


def test_a_header_can_not_begin_another_one(listed: None) -> None:
    with elsewhere(answering(ALLOWED)) as server:
        url = f"http://127.0.0.1:{server.port}/"
        assert fault(url, headers={"Authorization": "geheim\r\nX-Other: 1"}) == "outbound_header"


def test_a_redirect_is_not_followed(listed: None) -> None:
    with elsewhere(answering(ALLOWED)) as inner:
        there = answering(b"", status="307 Temporary Redirect", head=f"Location: http://127.0.0.1:{inner.port}/\r\n")
        with elsewhere(there) as server:
            assert outbound.post(f"http://127.0.0.1:{server.port}/", {}, timeout=5).status == 307
    assert inner.requests == []


def test_no_proxy_of_the_environment_is_used(listed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with elsewhere(answering(ALLOWED)) as server, elsewhere(answering(b"{}")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert outbound.post(f"http://127.0.0.1:{server.port}/", {}, timeout=5).body == ALLOWED
    assert proxy.requests == []


def test_a_server_that_drips_holds_nobody(listed: None) -> None:
    with elsewhere(dripping()) as server:
        begun = time.monotonic()
        assert fault(f"http://127.0.0.1:{server.port}/", timeout=0.4) == "outbound_slow"
        assert time.monotonic() - begun < 0.8


def test_a_name_that_is_not_resolved_in_time_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *place, **options: time.sleep(1))
    begun = time.monotonic()
    assert fault("https://slow.example.org/", timeout=0.2) == "outbound_slow"
    assert time.monotonic() - begun < 0.6


def test_a_huge_answer_is_not_read_to_its_end(listed: None) -> None:
    with elsewhere(endless()) as server:
        assert fault(f"http://127.0.0.1:{server.port}/", timeout=5) == "outbound_large"


def test_an_answer_may_have_as_many_bytes_as_the_limit_says(listed: None) -> None:
    with elsewhere(answering(b"a" * outbound.MAX_ANSWER)) as server:
        assert len(outbound.post(f"http://127.0.0.1:{server.port}/", {}, timeout=5).body) == outbound.MAX_ANSWER


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 abc\r\n\r\n"])
def test_what_is_no_http_is_no_answer(said: bytes, listed: None) -> None:
    with elsewhere(lambda connection: connection.sendall(said)) as server:
        assert fault(f"http://127.0.0.1:{server.port}/") == "outbound_failed"


def test_nobody_there_is_no_answer(listed: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert fault(f"http://127.0.0.1:{port}/") == "outbound_failed"


def test_an_unknown_name_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*place: object, **options: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert fault("https://nowhere.example/") == "outbound_unknown"


def test_a_certificate_for_the_name_is_needed(
    resolved: list[str], listed: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, expected in (("dms.example.org", 200), ("other.example.org", "outbound_certificate")):
        trusted, secure = certificate(tmp_path, name)
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        outbound._trust.cache_clear()
        with elsewhere(answering(ALLOWED), secure=secure) as server:
            resolved.append("127.0.0.1")
            url = f"https://dms.example.org:{server.port}/"
            assert (outbound.post(url, {}, timeout=5).status if expected == 200 else fault(url)) == expected


def test_a_certificate_that_nobody_trusts_is_none(resolved: list[str], listed: None, tmp_path: Path) -> None:
    _, secure = certificate(tmp_path, "dms.example.org")
    resolved.append("127.0.0.1")
    with elsewhere(answering(ALLOWED), secure=secure) as server:
        assert fault(f"https://dms.example.org:{server.port}/") == "outbound_certificate"


def test_a_secure_address_is_never_asked_in_the_clear(resolved: list[str], listed: None) -> None:
    resolved.append("127.0.0.1")
    with elsewhere(answering(ALLOWED)) as server:
        assert fault(f"https://dms.example.org:{server.port}/", timeout=0.3) == "outbound_slow"  # it waits for a head
    assert server.requests == []
