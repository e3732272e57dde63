"""A real S3 server in a process of its own, its buckets, and what stands between a server and who asks."""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Protocol
from urllib.parse import quote
from uuid import uuid4

SERVER = "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"


@contextmanager
def s3_server() -> Iterator[tuple[str, int]]:
    """A running moto server: host and port."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stderr is not None
            found = next(match for line in process.stderr if (match := re.search(r"http://127\.0\.0\.1:(\d+)", line)))
            reading = Thread(target=process.stderr.read, daemon=True)  # a full pipe would stop it
            reading.start()
            yield "127.0.0.1", int(found[1])
        finally:
            process.terminate()
            reading.join()


class Reply(Protocol):
    """An answer given in the server's place; None lets the request through."""

    def __call__(self, number: int, method: str, path: str) -> tuple[int, Mapping[str, str], bytes] | None: ...


def late(number: int, method: str, path: str) -> tuple[int, Mapping[str, str], bytes]:
    """A `Reply` that comes when nobody waits any more."""
    time.sleep(10)
    return 500, {}, b""


class Between:
    """Stands between who asks and a server: knows every request, and can answer in its place, late, or in part.

    requests: method and path of each. heads: their fields. without: fields that the server does not get. rewritten: what is
    done to the paths that it is asked for; altered: to the bodies that it answers. cut: bytes that are missing at the end of each
    answer. reply: see `Reply`; number counts from 1.
    """

    def __init__(self, server: tuple[str, int]) -> None:
        self.requests: list[tuple[str, str]] = []
        self.heads: list[Mapping[str, str]] = []
        self.without: Collection[str] = ()
        self.reply: Reply = lambda number, method, path: None
        self.altered: Callable[[str, bytes], bytes] = lambda path, body: body
        self.rewritten: Callable[[str], str] = lambda path: path
        self.cut = 0
        self._server = server
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = Thread(target=partial(self._http.serve_forever, poll_interval=0.02), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Between:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        between = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                pass

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                between.requests.append((self.command, self.path))
                between.heads.append(dict(self.headers))
                status, headers, data = between.reply(len(between.requests), self.command, self.path) or self.passed(body)
                self.close_connection = True
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data)), "Connection": "close"}.items():
                    self.send_header(name, value)
                with suppress(ConnectionError):  # nobody waits any more
                    self.end_headers()
                    self.wfile.write(b"" if self.command == "HEAD" else data[: len(data) - between.cut])

            def passed(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
                upstream = http.client.HTTPConnection(*between._server, timeout=30)
                head = {name: value for name, value in self.headers.items() if name not in between.without}
                upstream.request(self.command, between.rewritten(self.path), body, head)
                answer = upstream.getresponse()
                data = between.altered(self.path, answer.read())
                upstream.close()
                kept = {name: value for name, value in answer.getheaders() if name.lower() not in _OF_THE_CONNECTION}
                return answer.status, kept, data

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PROPFIND = answer

        return Handler


_OF_THE_CONNECTION = {"content-length", "connection", "transfer-encoding", "date", "server"}


class Bucket:
    """A new bucket of the server, written to as somebody else does."""

    def __init__(self, server: tuple[str, int]) -> None:
        self.name = f"akten-{uuid4().hex}"
        self._server = server
        self._send("PUT", "")

    def write(self, key: str, data: bytes) -> None:
        self._send("PUT", f"/{quote(key)}", data)

    def remove(self, key: str) -> None:
        self._send("DELETE", f"/{quote(key)}")

    def keep_versions(self) -> None:
        self._send("PUT", "?versioning", b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")

    def _send(self, method: str, path: str, body: bytes = b"") -> None:
        with closing(http.client.HTTPConnection(*self._server, timeout=30)) as connection:
            connection.request(method, f"/{self.name}{path}", body, {"Authorization": "AWS k:s"})
            with connection.getresponse() as answer:
                assert answer.status < 300, answer.read()
