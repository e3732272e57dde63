"""Addresses of repositories: what is one, what is a path on this machine, and what is refused because it holds a secret."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from evidence.errors import Refused, gettext_noop
from evidence.sources.git import faults

_SCHEMES: Final = frozenset({"http", "https", "ssh"})
_SHORT_SSH: Final = re.compile(r"(?P<user>[A-Za-z0-9_.-]+)@(?P<host>[A-Za-z0-9_.-]+):(?P<path>[^/:].*)", re.DOTALL)
_HOST: Final = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.:-]*")
_USER: Final = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.-]*")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a repository is. netloc: host and port as they stand in an address."""

    scheme: str
    netloc: str
    host: str
    port: int | None
    path: str
    user: str | None = None


def address(location: str) -> Address | None:
    """The address in this text; None for a path on this machine. Raises Refused, with nothing of the address in its message."""
    short = _SHORT_SSH.fullmatch(location)
    if short is not None:
        return _checked(Address("ssh", short["host"], short["host"], None, short["path"], short["user"]))
    if "://" not in location and "::" not in location:
        return None
    try:
        parts = urlsplit(location)
        port = parts.port
    except ValueError:
        raise faults.malformed() from None
    if parts.scheme == "file":
        return None
    if parts.scheme not in _SCHEMES:
        message = gettext_noop("A repository is read from a path on this machine, or by https or ssh.")
        raise Refused("git_scheme", message)
    if "?" in location:
        raise faults.malformed()
    _refuse_credentials(parts)
    netloc = parts.netloc.rpartition("@")[2]
    return _checked(Address(parts.scheme, netloc, parts.hostname or "", port, parts.path, parts.username))


def local_path(location: str) -> Path:
    """The path on this machine in this text; it must not depend on where a process stands. Raises Refused."""
    text = location
    if location.startswith("file:"):
        parts = urlsplit(location)
        text = unquote(parts.path) if parts.netloc in {"", "localhost"} else ""
    if not text.startswith("/") or "\0" in text:
        raise faults.malformed()
    return Path(text)


def _refuse_credentials(parts: SplitResult) -> None:
    if parts.password is not None or (parts.username is not None and parts.scheme != "ssh"):
        message = gettext_noop("The address holds a user name or a password. They belong into the operator's credentials.")
        raise Refused("origin_password", message)


def _checked(found: Address) -> Address:
    plain = found.path.isprintable() and not set(found.path) & set(' ?\\"<>^`{|}')
    if not plain or not found.path.strip("/") or _HOST.fullmatch(found.host) is None:
        raise faults.malformed()
    if found.user is not None and _USER.fullmatch(found.user) is None:
        raise faults.malformed()
    return found
