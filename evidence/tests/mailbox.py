"""A server that takes mail, on this machine: it speaks as much SMTP as a mail needs, and answers as a test says."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Mailbox:
    """A server that is running. mails: what it took. refusing: whether it says that it is not the time."""

    port: int = 0
    refusing: bool = False
    mails: list[EmailMessage] = field(default_factory=list)


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    """A server on a free port of 127.0.0.1."""
    made = Mailbox()

    class Handler(socketserver.StreamRequestHandler):
        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def handle(self) -> None:
            self.say("220 test")
            while line := self.rfile.readline():
                match line.split()[0].upper():
                    case b"DATA":
                        self.take()
                    case b"MAIL" if made.refusing:
                        self.say("451 not now")
                    case b"QUIT":
                        self.say("221 bye")
                        return
                    case _:
                        self.say("250 ok")

        def take(self) -> None:
            self.say("354 go on")
            lines = []
            while (line := self.rfile.readline()) != b".\r\n":
                lines.append(line.removeprefix(b"."))
            mail = message_from_bytes(b"".join(lines), policy=policy.default)
            assert isinstance(mail, EmailMessage)
            made.mails.append(mail)
            self.say("250 taken")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        made.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield made
        finally:
            server.shutdown()
