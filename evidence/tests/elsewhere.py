"""Servers on this machine that stand for systems elsewhere: they answer as a test says, well or badly."""

from __future__ import annotations

import socket
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Behaviour = Callable[[socket.socket], None]
"""What is done with a connection whose request has been read."""


@dataclass
class Elsewhere:
    """A server that is running. requests: what was sent to it, each whole."""

    port: int
    requests: list[bytes] = field(default_factory=list)


def answering(body: bytes, *, status: str = "200 OK", head: str = "") -> Behaviour:
    """Answers this."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{head}\r\n"
    return lambda connection: connection.sendall(head.encode() + body)


def dripping(*, every: float = 0.05) -> Behaviour:
    """Sends a head that never ends, one character at a time: each read is quick, and all of them take for ever."""

    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
        for _ in range(1_000):
            connection.sendall(b"a")
            time.sleep(every)

    return drip


def endless() -> Behaviour:
    """Sends a body without an end."""

    def pour(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(10_000):
            connection.sendall(b"a" * 10_000)

    return pour


def silent(stop: threading.Event) -> Behaviour:
    """Takes the request and says nothing until it is told to stop."""

    def wait(connection: socket.socket) -> None:
        stop.wait(30)

    return wait


@contextmanager
def elsewhere(behaviour: Behaviour, *, secure: ssl.SSLContext | None = None) -> Iterator[Elsewhere]:
    """A server on a free port of 127.0.0.1, with as many connections at once as come."""
    made = Elsewhere(0)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                connection = secure.wrap_socket(self.request, server_side=True) if secure else self.request
                made.requests.append(_request(connection))
                behaviour(connection)
                connection.close()
            except OSError:
                pass  # whoever called has gone

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False  # some are made to hang
        request_queue_size = 50

    with Server(("127.0.0.1", 0), Handler) as server:
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()


def certificate(folder: Path, *names: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate that is valid for these names and signed by itself: the file to trust, and what a server shows."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(one) for one in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pkcs8, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, pkcs8, plain))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return public, context


def _request(connection: socket.socket) -> bytes:
    """A request with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _received(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < int(lengths[0]):
        body += _received(connection)
    return head + b"\r\n\r\n" + body


def _received(connection: socket.socket) -> bytes:
    data = connection.recv(65_536)
    if not data:
        raise ConnectionError
    return data
