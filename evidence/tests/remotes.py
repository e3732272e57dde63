"""Servers that repositories are fetched from: dulwich's and git's own over http, with or without TLS, and one that speaks ssh."""

from __future__ import annotations

import os
import shlex
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import paramiko
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from evidence.tests.buckets import Between

DULWICH = """
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server
from dulwich.server import FileSystemBackend
from dulwich.web import make_wsgi_chain
class Quiet(WSGIRequestHandler):
    def log_message(self, *args): pass
class Folder(FileSystemBackend):
    def open_repository(self, path):
        return super().open_repository((path if isinstance(path, str) else path.decode()).lstrip("/"))
server = make_server("127.0.0.1", 0, make_wsgi_chain(Folder(sys.argv[1])), handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
"""
UPLOAD_PACK = "import sys; from dulwich.server import *; sys.exit(serve_command(UploadPackHandler, sys.argv))"


@contextmanager
def dulwich_server(folder: Path) -> Iterator[tuple[str, int]]:
    """A server for the repositories in a folder: host and port. It speaks the older protocol."""
    command = [sys.executable, "-c", DULWICH, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield "127.0.0.1", int(process.stdout.readline())
        finally:
            process.terminate()


@contextmanager
def git_server(folder: Path) -> Iterator[tuple[str, int]]:
    """git's own server program behind http: host and port. It speaks the newer protocol."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path, _, query = self.path.partition("?")
            said = {
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            program = ["git", "http-backend"]
            output = subprocess.run(program, input=body, capture_output=True, env=os.environ | said, check=False).stdout
            head, _, data = output.partition(b"\r\n\r\n")
            fields = [line.partition(": ") for line in head.decode().split("\r\n") if line]
            status = next((value for name, _, value in fields if name == "Status"), "200")
            self.send_response(int(status.split()[0]))
            for name, _, value in fields:
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=partial(server.serve_forever, poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield "127.0.0.1", server.server_port
    finally:
        server.shutdown()
        server.server_close()


def with_certificate(between: Between, folder: Path) -> tuple[str, Path]:
    """Let this speak TLS: its address, and the file that vouches for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    file, key_file = folder / "server.pem", folder / "server.key"
    file.write_bytes(certificate.public_bytes(pem))
    key_file.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key_file)
    server = between._http
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return f"https://localhost:{server.server_port}", file


class SshServer:
    """Lets in whoever has one key, and does what git asks. options: what the operator would keep for it.

    commands: what was asked. program: what is run in place of git's, with the path as its last argument.
    """

    def __init__(self, folder: Path) -> None:
        self.commands: list[str] = []
        self.program = [sys.executable, "-c", UPLOAD_PACK]
        self.user_key, self.host_key = paramiko.ECDSAKey.generate(), paramiko.ECDSAKey.generate()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        key, hosts = folder / "id key", folder / "known hosts"
        self.user_key.write_private_key_file(str(key))
        hosts.write_text(f"[127.0.0.1]:{self.port} {self.host_key.get_name()} {self.host_key.get_base64()}\n")
        self.options = {"ssh_key": str(key), "known_hosts": str(hosts)}
        self._thread = Thread(target=self._serve, daemon=True)

    def __enter__(self) -> SshServer:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with closing(paramiko.Transport(connection)) as transport:
            transport.add_server_key(self.host_key)
            door = _Door(self.user_key, self._run)
            with suppress(paramiko.SSHException, EOFError, OSError):
                transport.start_server(server=door)
                transport.join(60)

    def _run(self, channel: paramiko.Channel, command: str) -> None:
        self.commands.append(command)
        program = [*self.program, shlex.split(command)[-1]]
        with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdin is not None and process.stdout is not None
            incoming = Thread(target=_pump, args=(partial(channel.recv, 65_536), process.stdin), daemon=True)
            incoming.start()
            while data := process.stdout.read1(65_536):  # type: ignore[attr-defined]
                with suppress(OSError):
                    channel.sendall(data)
            process.kill()
            with suppress(OSError, EOFError):
                channel.send_exit_status(0)
                channel.close()


class _Door(paramiko.ServerInterface):  # type: ignore[misc]
    """Lets one key in."""

    def __init__(self, key: paramiko.PKey, run: Callable[[paramiko.Channel, str], None]) -> None:
        self._key, self._run = key, run

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return int(paramiko.AUTH_SUCCESSFUL if key == self._key else paramiko.AUTH_FAILED)

    def get_allowed_auths(self, username: str) -> str:
        return "publickey"

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        Thread(target=self._run, args=(channel, command.decode()), daemon=True).start()
        return True

    def check_channel_env_request(self, channel: paramiko.Channel, name: bytes, value: bytes) -> bool:
        return False


def _pump(read: Callable[[], bytes], stream: object) -> None:
    with suppress(OSError, ValueError):
        while data := read():
            stream.write(data)  # type: ignore[attr-defined]
            stream.flush()  # type: ignore[attr-defined]
        stream.close()  # type: ignore[attr-defined]
