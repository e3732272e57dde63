"""A small WebDAV server of this process, over a folder: PROPFIND and GET as RFC 4918 has them, with strong ETags of the bytes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape


class Handler(BaseHTTPRequestHandler):
    """Answers for a folder."""

    def __init__(self, root: Path, *arguments: object) -> None:
        self.root = root
        super().__init__(*arguments)  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_PROPFIND(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        file = self.file()
        if not file.exists():
            return self.answer(404)
        listed = [file, *file.iterdir()] if self.headers["Depth"] == "1" and file.is_dir() else [file]
        body = "".join(self.described(one) for one in listed)
        self.answer(207, f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{body}</D:multistatus>'.encode())

    def do_GET(self) -> None:
        file = self.file()
        if not file.is_file():
            return self.answer(404)
        data = file.read_bytes()
        if self.headers.get("If-Match", etag(data)) != etag(data):
            return self.answer(412)
        self.answer(200, data, {"ETag": etag(data), "Last-Modified": formatdate(file.stat().st_mtime, usegmt=True)})

    def described(self, file: Path) -> str:
        href = escape(quote(b"/" + os.fsencode(file.relative_to(self.root))))
        kind, about = "<D:collection/>", ""
        if file.is_file():
            data, kind = file.read_bytes(), ""
            about = f"<D:getetag>{escape(etag(data))}</D:getetag><D:getcontentlength>{len(data)}</D:getcontentlength>"
        found = f"<D:prop><D:resourcetype>{kind}</D:resourcetype>{about}</D:prop><D:status>HTTP/1.1 200 OK</D:status>"
        missing = "<D:prop><D:quota/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status>"
        both = f"<D:propstat>{missing}</D:propstat><D:propstat>{found}</D:propstat>"
        return f"<D:response><D:href>{href}</D:href>{both}</D:response>"

    def file(self) -> Path:
        return self.root / unquote(self.path, errors="surrogateescape").strip("/")

    def answer(self, status: int, body: bytes = b"", head: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(head or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def etag(data: bytes) -> str:
    return f'"{hashlib.sha256(data).hexdigest()[:16]}"'


@contextmanager
def dav_server(root: Path) -> Iterator[tuple[str, int]]:
    """Serves this folder as the server's root until the end: host and port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, root)) as server:
        thread = Thread(target=partial(server.serve_forever, poll_interval=0.02), daemon=True)
        thread.start()
        yield "127.0.0.1", server.server_port
        server.shutdown()
        thread.join()
