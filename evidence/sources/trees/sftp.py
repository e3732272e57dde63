"""A folder of a server that speaks SFTP. The server is known by its key, links are not followed, and there are no stamps:
size and time of a file can be those of another.
"""

from __future__ import annotations

import stat
import time
import weakref
from base64 import b64decode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from evidence.errors import Refused, gettext_noop
from evidence.sources.trees import MAX_FILE_BYTES, Enter, Fetched, Found, Unseen, composed, is_plain, too_large
from evidence.sources.trees.elsewhere import (
    ANSWER_SECONDS,
    CALL_SECONDS,
    CONNECT_SECONDS,
    FILE_SECONDS,
    Line,
    Trouble,
    Unreachable,
    Verdict,
    changed,
    need,
    reached,
)
from evidence.sources.trees.listed import Entry, inside, walk

OPTIONS: Final = ("username", "password", "key_file", "passphrase", "host_key")
"""What the operator can say. host_key: the server's, as `ssh-keyscan` prints it, without the name of the host."""

T = TypeVar("T")
_DENIED: Final = frozenset({"AuthenticationException", "BadAuthenticationType", "PasswordRequiredException"})
_LASTING: Final = frozenset({"BadHostKeyException"})
_CHUNK: Final = 262_144
_AT_ONCE: Final = 64
"""Pieces of 32 kB that are asked for before the first has come."""


def at(authority: str, path: str, options: Mapping[str, str]) -> SftpTree:
    """The tree at sftp://authority/path. Raises Refused for what can't be such a place. No request is made yet."""
    host, port = _host(authority)
    root = path.removesuffix("/")
    if not host or (root and not is_plain(root.removeprefix("/"))):
        raise Refused("origin_address", gettext_noop("The address is not of the form %(form)s."), form="sftp://host/folder")
    if not options.get("host_key") or not options.get("username") or not (options.get("password") or options.get("key_file")):
        message = gettext_noop(
            "Nothing opens this place: the operator's credentials need host_key, username, and password or key_file."
        )
        raise Refused("origin_credentials", message)
    need("paramiko", "sftp")
    return SftpTree(host, port, root, options)


class SftpTree:
    """Implements `Tree`. One connection, which is made when it is needed, again after a failure, and ends with the tree."""

    def __init__(self, host: str, port: int, root: str, options: Mapping[str, str]) -> None:
        self._host = host
        self._port = port
        self._root = root
        self._options = options
        self._line = Line(_judged)
        self._place = f"sftp://{host}{root}"
        self._sftp: Any = None
        self._real_root = ""
        self._hang: Any = None

    def walk(self, enter: Enter) -> Iterator[Found | Unseen]:
        """Folder by folder."""
        yield from walk(lambda folder: self._ask(partial(self._entries, folder)), self._place, enter)

    def fetch(self, path: str, limit: int) -> Fetched | None:
        """One file is opened and read."""
        with reached(self._place):
            try:
                return self._ask(partial(self._got, path, limit, CALL_SECONDS))
            except FileNotFoundError:
                return None

    def gone(self, paths: Collection[str]) -> Collection[str]:
        """Not asked: each path would be a question of its own."""
        return ()

    def _ask(self, question: Callable[[], T]) -> T:
        return self._line.ask(question, anew=self._hang_up)

    def _entries(self, folder: str) -> Sequence[Entry]:
        self._check_real(folder)
        return [self._entry(folder, one) for one in self._client().listdir_attr(self._there(folder))]

    def _entry(self, folder: str, one: Any) -> Entry:
        if one.st_mode is None:
            raise Unreachable("NoFileTypes")
        if stat.S_ISDIR(one.st_mode):
            return Entry(one.filename, None)
        path = inside(folder, one.filename)
        return Entry(one.filename, Found(composed(path), partial(self._read, path), partial(_check, one.st_mode)))

    def _read(self, path: str) -> bytes:
        kept = self._ask(partial(self._got, path, MAX_FILE_BYTES + 1, FILE_SECONDS))
        if len(kept.data) > MAX_FILE_BYTES:
            raise too_large()
        return kept.data

    def _got(self, path: str, limit: int, seconds: float) -> Fetched:
        """The file as it was during this one reading. Raises Refused when it was written meanwhile."""
        self._check_real(path)
        until = time.monotonic() + seconds
        with self._client().open(self._there(path), "rb") as file:
            before = file.stat()
            _check(before.st_mode or 0)
            size = min(before.st_size or 0, limit)
            file.prefetch(size, max_concurrent_requests=_AT_ONCE)
            data = bytearray()
            while len(data) < limit and (chunk := file.read(min(_CHUNK, limit - len(data)))):
                data += chunk
                if time.monotonic() > until:
                    raise TimeoutError
            after = file.stat()
        if (before.st_size, before.st_mtime) != (after.st_size, after.st_mtime) or len(data) != size:
            raise changed()
        return Fetched(bytes(data), datetime.fromtimestamp(before.st_mtime, tz=UTC) if before.st_mtime else None)

    def _check_real(self, path: str) -> None:
        """Refuse what is reached through a link, which may have come after the listing."""
        real = self._client().normalize(self._there(path))
        if real.rstrip("/") != f"{self._real_root}/{path}".rstrip("/"):
            raise Refused("link_not_followed", _NO_LINKS)

    def _there(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root or "/"

    def _client(self) -> Any:
        if self._sftp is None:
            self._connect()
        return self._sftp

    def _connect(self) -> None:
        import paramiko  # optional: only who has such a place needs it

        options, name = self._options, self._host if self._port == 22 else f"[{self._host}]:{self._port}"
        key = _public_key(options["host_key"])
        ssh = paramiko.SSHClient()
        ssh.get_host_keys().add(name, key.get_name(), key)
        ssh.set_missing_host_key_policy(paramiko.RejectPolicy())
        self._hang = weakref.finalize(self, ssh.close)
        ssh.connect(
            self._host,
            self._port,
            username=options["username"],
            password=options.get("password"),
            pkey=_private_key(options),
            allow_agent=False,
            look_for_keys=False,
            timeout=CONNECT_SECONDS,
            banner_timeout=ANSWER_SECONDS,
            auth_timeout=ANSWER_SECONDS,
            channel_timeout=ANSWER_SECONDS,
        )
        sftp = ssh.open_sftp()
        sftp.get_channel().settimeout(ANSWER_SECONDS)
        self._real_root = sftp.normalize(self._root or "/").rstrip("/")
        self._sftp = sftp

    def _hang_up(self) -> None:
        """The next question makes a new connection."""
        self._sftp = None
        if self._hang is not None:
            self._hang()


_NO_LINKS: Final = gettext_noop("This is a link, or is reached through one. At an address links are not followed.")


def _public_key(text: str) -> Any:
    """The key in this text, which begins with its kind. Raises Refused."""
    import paramiko

    kind, _, data = text.strip().partition(" ")
    try:
        return paramiko.PKey.from_type_string(kind, b64decode(data.partition(" ")[0], validate=True))
    except Exception as error:  # each kind has its own
        message = gettext_noop(
            "host_key in the operator's credentials is no key. It begins with its kind, as in ssh-ed25519 AAAA…"
        )
        raise Refused("origin_option", message) from error


def _private_key(options: Mapping[str, str]) -> Any:
    """What is in key_file, if that is said. Raises Refused."""
    import paramiko

    if not options.get("key_file"):
        return None
    try:
        return paramiko.PKey.from_path(options["key_file"], password=options.get("passphrase", "").encode() or None)
    except Exception as error:
        message = gettext_noop("The file that key_file in the operator's credentials names holds no key that can be read.")
        raise Refused("origin_option", message) from error


def _check(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise Refused("link_not_followed", _NO_LINKS)
    if not stat.S_ISREG(mode):
        raise Refused("not_a_file", gettext_noop("This is not a file."))


def _host(authority: str) -> tuple[str, int]:
    """Host and port; an empty host for what is none."""
    try:
        parts = urlsplit(f"//{authority}")
        return parts.hostname or "", parts.port or 22
    except ValueError:
        return "", 22


def _judged(error: Exception) -> Verdict:
    name = type(error).__name__
    if isinstance(error, FileNotFoundError) or getattr(error, "errno", None) == 2:
        return Verdict(Trouble.ABSENT, "")
    if isinstance(error, PermissionError) or getattr(error, "errno", None) == 13 or name in _DENIED:
        return Verdict(Trouble.DENIED, name)
    if isinstance(error, Unreachable):
        return Verdict(Trouble.LASTING, str(error.strerror))
    if isinstance(error, UnicodeDecodeError):  # one such name, and paramiko gives nothing of its folder
        return Verdict(Trouble.LASTING, "NameIsNotUTF8")
    return Verdict(Trouble.LASTING if name in _LASTING else Trouble.PASSING, name)
