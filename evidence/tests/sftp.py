"""A real SFTP server of this process, over a folder: paramiko's own, with one person and one password."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import paramiko

PASSWORD = "geheimes-kennwort"


@dataclass
class Server:
    """A server that is running. passwords: how many were tried. lines: every connection. asked: what was asked.

    before: is called before each answer, and may raise OSError. after_opening: after an open file was looked at.
    """

    port: int
    host_key: str
    passwords: int = 0
    lines: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    before: Callable[[str, str], object] = lambda what, path: None
    after_opening: Callable[[str], object] = lambda path: None

    def options(self) -> dict[str, str]:
        return {"username": "eva", "password": PASSWORD, "host_key": self.host_key}


class Door(paramiko.ServerInterface):  # type: ignore[misc]
    """Lets one person in."""

    def __init__(self, running: Server) -> None:
        self.running = running

    def check_auth_password(self, username: str, password: str) -> int:
        self.running.passwords += 1
        return int(paramiko.AUTH_SUCCESSFUL if (username, password) == ("eva", PASSWORD) else paramiko.AUTH_FAILED)

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)


class Handle(paramiko.SFTPHandle):  # type: ignore[misc]
    """An open file."""

    running: Server

    def stat(self) -> Any:
        attributes = paramiko.SFTPAttributes.from_stat(os.fstat(self.readfile.fileno()))
        self.running.after_opening("")
        return attributes


class Files(paramiko.SFTPServerInterface):  # type: ignore[misc]
    """What the server shows of a folder."""

    def __init__(self, server: Any, root: Path, running: Server) -> None:
        super().__init__(server)
        self.root = root
        self.running = running

    def list_folder(self, path: str) -> Any:
        return self.answered("list", path, self.entries)

    def entries(self, folder: Path) -> Any:
        return [paramiko.SFTPAttributes.from_stat(one.lstat(), one.name) for one in folder.iterdir()]

    def stat(self, path: str) -> Any:
        return self.answered("stat", path, lambda file: paramiko.SFTPAttributes.from_stat(file.stat()))

    def lstat(self, path: str) -> Any:
        return self.answered("stat", path, lambda file: paramiko.SFTPAttributes.from_stat(file.lstat()))

    def canonicalize(self, path: str) -> str:
        real = os.path.realpath(self.there(path))
        return "/" + os.path.relpath(real, self.root) if real != str(self.root) else "/"

    def open(self, path: str, flags: int, attr: Any) -> Any:
        return self.answered("open", path, self.opened)

    def opened(self, file: Path) -> Any:
        handle = Handle()
        handle.running = self.running
        handle.readfile = file.open("rb")
        return handle

    def answered(self, what: str, path: str, answer: Callable[[Path], Any]) -> Any:
        self.running.asked.append(f"{what} {path}")
        try:
            self.running.before(what, path)
            return answer(self.there(path))
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)

    def there(self, path: str) -> Path:
        return self.root / path.lstrip("/")


@contextmanager
def sftp_server(root: Path) -> Iterator[Server]:
    """Serves this folder as the server's root until the end."""
    key = paramiko.ECDSAKey.generate()
    listening = socket.create_server(("127.0.0.1", 0))
    running = Server(listening.getsockname()[1], f"{key.get_name()} {key.get_base64()}")

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                line = paramiko.Transport(connection)
                running.lines.append(line)
                line.add_server_key(key)
                line.set_subsystem_handler("sftp", paramiko.SFTPServer, Files, root.resolve(), running)
                with suppress(paramiko.SSHException, EOFError):
                    line.start_server(server=Door(running))

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
        for line in running.lines:
            line.close()
