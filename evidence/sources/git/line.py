"""Connections to repositories elsewhere: one for each question, and whatever goes wrong in it is said in words.

https (and http, without a password) by dulwich, with the host alone that the address names: no redirect, no proxy, no other
address that a server hands out. ssh by the machine's own ssh program, which never asks and knows the host already. Credentials
are what the operator keeps for the source. A connection has one deadline, and a bound to what it brings.
"""

from __future__ import annotations

import select
import shlex
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import BufferedReader
from typing import IO, Any, Final

import urllib3
from dulwich.client import GitClient, TraditionalGitClient, Urllib3HttpGitClient
from dulwich.protocol import Protocol

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.sources.git import faults
from evidence.sources.git.address import Address

MAX_FETCHED_BYTES: Final = 2_000_000_000
"""That one run receives: a repository of documents with all its history is seldom a tenth of that."""
CONNECT_SECONDS: Final = 10.0
SILENCE_SECONDS: Final = 60.0
"""That a server may take for the next piece of an answer, while there is time at all: it packs what it sends."""
OPTIONS: Final = ("username", "password", "ca", "ssh_key", "known_hosts")
"""What the operator can say of a repository elsewhere: the first two for https (a token is a password), `ca` the file with the
certificates that vouch for its server; for ssh the file with the key, and the one with the keys of hosts."""

_ADVERTISED: Final = "application/x-git-upload-pack-advertisement"
_SAID: Final = 65_536
_OWN_HOST: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Line:
    """A connection for one question. Whatever goes wrong in it becomes Refused."""

    def __init__(self, address: Address, options: Mapping[str, str], until: float) -> None:
        self._ssh = _Ssh(address, options, until) if address.scheme == "ssh" else None
        self.path: Any = address.path
        self.client: GitClient = self._ssh or Urllib3HttpGitClient(
            f"{address.scheme}://{address.netloc}/",
            pool_manager=_Web(address, options, until),  # type: ignore[arg-type]  # as much of one as is asked of it
            username=_username(address, options),
            password=options.get("password"),
        )

    def __enter__(self) -> Line:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.client.close()
        if error is None or isinstance(error, EvidenceError) or not isinstance(error, Exception):
            return
        reason = None if self._ssh is None else self._ssh.reason()
        if reason is not None:
            raise reason from error
        if isinstance(error, ConnectionError):
            raise faults.unreached() from error
        if not isinstance(error, OSError):  # those of the disk are somebody else's
            raise faults.unspoken() from error


class _Web:
    """What dulwich asks addresses with: one host, no redirect, and a bound to what all answers together bring."""

    headers: Final = {"User-Agent": "git/2.40 (Fundstelle)"}
    """Some servers answer nobody whose name does not begin with git/."""

    def __init__(self, address: Address, options: Mapping[str, str], until: float) -> None:
        self._allowed = f"{address.scheme}://{address.netloc}/"
        self._until = until
        self.received = 0
        self._pool = urllib3.PoolManager(ca_certs=options.get("ca"), cert_reqs=ssl.CERT_REQUIRED)

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | Iterator[bytes] | None = None, **_: object
    ) -> _Answer:
        """Ask. Raises Refused for every answer but a good one."""
        if not url.startswith(self._allowed):
            raise faults.unspoken()
        seconds = left(self._until)
        timeout = urllib3.Timeout(connect=min(seconds, CONNECT_SECONDS), read=min(seconds, SILENCE_SECONDS))
        with _reaching():
            response = self._pool.request(
                method, url, body=body, headers=headers, timeout=timeout, preload_content=False, redirect=False, retries=False
            )
        answer = _Answer(response, url, self)
        try:
            _refuse_status(response.status)
            if method == "GET" and response.headers.get("Content-Type", "").partition(";")[0] != _ADVERTISED:
                raise faults.no_repository()
        except Refused:
            answer.close()
            raise
        return answer

    def count(self, received: int) -> None:
        """So many bytes more."""
        left(self._until)
        self.received += received
        refuse_too_much(self.received)

    def clear(self) -> None:
        """Close what is open."""
        self._pool.clear()


class _Answer:
    """An answer as it comes in, as much of one of urllib3 as dulwich uses."""

    content_type: str | None
    redirect_location: str

    def __init__(self, response: urllib3.BaseHTTPResponse, url: str, web: _Web) -> None:
        self._response, self._url, self._web = response, url, web
        self.status, self.headers = response.status, response.headers

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        pieces: list[bytes] = []
        while size:
            with _reaching():
                piece = self._response.read1(size)
            if not piece:
                break
            self._web.count(len(piece))
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def geturl(self) -> str:
        return self._url

    def close(self) -> None:
        """Nothing more of it is wanted."""
        self._response.close()
        self._web.clear()


class _Ssh(TraditionalGitClient):
    """git's protocol through the machine's ssh, which asks nobody anything, knows the host already, and ends in time."""

    def __init__(self, address: Address, options: Mapping[str, str], until: float) -> None:
        super().__init__()
        self._address, self._options, self._until = address, options, until
        self._open = ExitStack()
        self._said = b""

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], IO[bytes] | None]:
        """Begin the program at the other side. What ssh itself says is for `reason`."""
        seconds = left(self._until)
        errors = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # the stack is closed
        try:
            process = subprocess.Popen(
                ["ssh", *self._arguments(seconds), "--", self._target(), f"git-{cmd.decode()} {_remote(path)}"],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        except FileNotFoundError:
            raise Refused("git_no_ssh", gettext_noop("There is no ssh program on this machine.")) from None
        timer = threading.Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        assert process.stdin is not None and process.stdout is not None
        incoming: Any = BufferedReader(process.stdout)
        self._open.callback(self._end, process, timer, errors, [incoming, process.stdin])
        protocol = Protocol(incoming.read, process.stdin.write, _nothing)
        self._open.callback(protocol.close)
        return protocol, partial(_is_readable, process.stdout), None

    def close(self) -> None:
        """Let go of the program."""
        self._open.close()

    def reason(self) -> Refused | None:
        """Why it failed, where ssh says so. Asked after `close`."""
        return faults.slow() if self._until <= time.monotonic() else _said_by_ssh(self._said)

    def _end(
        self, process: subprocess.Popen[bytes], timer: threading.Timer, errors: IO[bytes], pipes: Sequence[IO[bytes]]
    ) -> None:
        timer.cancel()
        process.kill()
        process.wait()
        for pipe in pipes:
            with suppress(OSError):
                pipe.close()
        errors.seek(0)
        self._said = errors.read(_SAID)

    def _target(self) -> str:
        return f"{self._address.user}@{self._address.host}" if self._address.user else self._address.host

    def _arguments(self, seconds: float) -> Sequence[str]:
        said = {
            "BatchMode": "yes",
            "StrictHostKeyChecking": "yes",
            "ClearAllForwardings": "yes",
            "PermitLocalCommand": "no",
            "ConnectTimeout": str(max(1, round(min(seconds, CONNECT_SECONDS)))),
            "ServerAliveInterval": "15",
        }
        if key := self._options.get("ssh_key"):
            said |= {"IdentityFile": _quoted(key), "IdentitiesOnly": "yes"}
        if hosts := self._options.get("known_hosts"):
            said |= {"UserKnownHostsFile": _quoted(hosts)}
        port = ["-p", str(self._address.port)] if self._address.port else []
        return ["-x", "-a", "-T", *port, *(part for name, value in said.items() for part in ("-o", f"{name}={value}"))]


def _nothing() -> None:
    """The program is ended elsewhere."""


def _is_readable(stream: IO[bytes]) -> bool:
    return bool(select.select([stream], [], [], 0)[0])


def _remote(path: str | bytes) -> str:
    """A path as the shell at the other side reads it. What begins with ~ is somebody's home there."""
    text = path.decode() if isinstance(path, bytes) else path
    return shlex.quote(text.removeprefix("/") if text.startswith("/~") else text)


def _said_by_ssh(said: bytes) -> Refused | None:
    if b"Host key verification failed" in said:
        message = gettext_noop("The key of the host is not known here, or is another one. Put it into the file of known hosts.")
        return Refused("git_host_unknown", message)
    if b"Permission denied" in said:
        return faults.denied()
    if any(sign in said for sign in (b"Could not resolve", b"Connection ", b"No route", b"Network is unreachable")):
        return faults.unreached()
    if any(sign in said for sign in (b"not appear to be a git repository", b"not found", b"does not exist")):
        return faults.no_repository()
    return None


def left(until: float) -> float:
    """Seconds until then. Raises Refused when there are none."""
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise faults.slow()
    return seconds


def _quoted(path: str) -> str:
    """A path as ssh reads it in its settings, where a blank ends it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def _username(address: Address, options: Mapping[str, str]) -> str | None:
    """Who asks, where there is a password. Raises Refused rather than send it where everybody can read it."""
    if not options.get("password"):
        return None
    if address.scheme != "https" and address.host not in _OWN_HOST:
        message = gettext_noop("A password is sent by https only.")
        raise Refused("git_password_in_the_clear", message)
    return options.get("username", "git")


def refuse_too_much(received: int) -> None:
    if received > MAX_FETCHED_BYTES:
        message = gettext_noop("The repository sends more than %(limit)d bytes.")
        raise Refused("git_repository_too_large", message, limit=MAX_FETCHED_BYTES)


def _refuse_status(status: int) -> None:
    if status in {401, 403}:
        raise faults.denied()
    if status == 404:
        raise faults.no_repository()
    if 300 <= status < 400:
        message = gettext_noop(
            "The server sends us to another address. Enter the one that it uses itself, mostly with .git at its end."
        )
        raise Refused("git_moved", message)
    if status != 200:
        message = gettext_noop("The server of the repository answers with an error (%(status)d).")
        raise Refused("git_server_error", message, status=status)


@contextmanager
def _reaching() -> Iterator[None]:
    """Say what keeps a server from being reached."""
    try:
        yield
    except urllib3.exceptions.SSLError as error:
        message = gettext_noop("The server of the repository has no certificate that is valid for its name.")
        raise Refused("git_certificate", message) from error
    except urllib3.exceptions.NewConnectionError as error:  # is a timeout, to urllib3
        raise faults.unreached() from error
    except urllib3.exceptions.TimeoutError as error:
        raise faults.slow() from error
    except urllib3.exceptions.HTTPError as error:
        raise faults.unreached() from error
