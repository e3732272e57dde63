"""Connections to repositories elsewhere: one for each question, and whatever goes wrong in it is said in words.

https (and http, without a password) by dulwich, with the host alone that the address names: no redirect, no proxy, no other
address that a server hands out. ssh by the machine's own ssh program, which never asks and knows the host already. Credentials
are what the operator keeps for the source. A connection has one deadline, and a bound to what it brings.
"""

from __future__ import annotations

import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import urllib3
from dulwich.client import GitClient, SSHGitClient, SSHVendor, SubprocessWrapper, Urllib3HttpGitClient

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
        self._ssh = _Ssh(options, until) if address.scheme == "ssh" else None
        self.path: Any = address.path
        self.client: GitClient
        if self._ssh is not None:
            self.client = SSHGitClient(address.host, address.port, address.user, vendor=self._ssh, thin_packs=False)
        else:
            self.client = Urllib3HttpGitClient(
                f"{address.scheme}://{address.netloc}/",
                pool_manager=_Web(address, options, until),  # type: ignore[arg-type]  # as much of one as is asked of it
                username=_username(address, options),
                password=options.get("password"),
                thin_packs=False,
            )

    def __enter__(self) -> Line:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.client.close()
        reason = None if self._ssh is None else self._ssh.ended(failed=error is not None)
        if error is None or isinstance(error, EvidenceError) or not isinstance(error, Exception):
            return
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


class _Ssh(SSHVendor):
    """Commands by the machine's ssh: it asks nobody anything, knows the host already, and ends when the time is over."""

    def __init__(self, options: Mapping[str, str], until: float) -> None:
        self._options = options
        self._until = until
        self._said: Any = None
        self._timer: threading.Timer | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def run_command(
        self,
        host: str,
        command: bytes,
        username: str | None = None,
        port: int | None = None,
        password: str | None = None,
        key_filename: str | None = None,
        ssh_command: str | None = None,
        protocol_version: int | None = None,
    ) -> SubprocessWrapper:
        seconds = left(self._until)
        target = f"{username}@{host}" if username else host
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  # read and closed in `ended`
        try:
            self._process = subprocess.Popen(
                ["ssh", *self._arguments(seconds, port), "--", target, command],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
            )
        except FileNotFoundError:
            raise Refused("git_no_ssh", gettext_noop("There is no ssh program on this machine.")) from None
        self._timer = threading.Timer(seconds, self._process.kill)
        self._timer.daemon = True
        self._timer.start()
        return SubprocessWrapper(self._process)

    def _arguments(self, seconds: float, port: int | None) -> Sequence[str]:
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
        settings = [part for name, value in said.items() for part in ("-o", f"{name}={value}")]
        return ["-x", "-a", "-T", *(["-p", str(port)] if port else []), *settings]

    def ended(self, *, failed: bool) -> Refused | None:
        """Let go of the program; why it failed, where it says so."""
        if self._timer is not None:
            self._timer.cancel()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        if self._said is None:
            return None
        self._said.seek(0)
        said = self._said.read(_SAID)
        self._said.close()
        if not failed:
            return None
        if self._until <= time.monotonic():
            return faults.slow()
        return _said_by_ssh(said)


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
    except urllib3.exceptions.TimeoutError as error:
        raise faults.slow() from error
    except urllib3.exceptions.HTTPError as error:
        raise faults.unreached() from error
