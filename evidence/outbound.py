"""Outbound: the one way in which this server calls an address that somebody configured.

Whoever may write such an address must not reach through this server what only it can reach. So: https to port 443 and to
addresses of the public internet, unless the operator lists the host (`PRIVATE_HOSTS`: any port, http too, addresses of the own
network too). A name is resolved once, every address it has is checked, and the connection goes to one of exactly these, with
the certificate checked for the name: a name that changes its address in between gains nothing. No redirect is followed, no
proxy of the environment used, no cookie kept. One deadline bounds all of it, however slowly the other side speaks.

Nothing here names an address in a message or a log: it may hold a secret.
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import json
import re
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import IO, Any, Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.patience import Late, Patience

MAX_ADDRESS: Final = 1_000
"""Characters of an address: what the columns that keep one hold."""
MAX_ANSWER: Final = 64_000
"""Bytes of an answer, unless the caller takes more: most that are asked for here say yes or no, or nothing."""
HTTPS_PORT: Final = 443
_AGENT: Final = "Fundstelle"
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A host whose last part is a number is an address to resolvers, in spellings of many kinds."""

_names = Patience(each=2, altogether=8)
"""Resolving a name has no time limit of its own."""

Resolved = tuple[socket.AddressFamily, Any]
"""Family and address, as a socket takes them."""


class Unanswered(EvidenceError):
    """There is no answer that counts. The code says why."""


class Answer(NamedTuple):
    """Status of HTTP, and the body."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class _Place:
    """A checked address. listed: whether the operator trusts the host."""

    secure: bool
    host: str
    port: int
    target: str
    listed: bool


def check(url: str) -> None:
    """Raises Refused for an address that can never be called, whatever its name is resolved to."""
    _place(url)


def post(
    url: str,
    payload: Mapping[str, object],
    *,
    timeout: float,
    headers: Mapping[str, str] = _NO_HEADERS,
    most: int = MAX_ANSWER,
) -> Answer:
    """POST this as JSON and give the answer, whatever its status. timeout: seconds, for all of it.

    headers: further ones, such as a secret that the other side knows. most: bytes of the answer. Raises Refused for an address
    that may not be called, and Unanswered.
    """
    until = time.monotonic() + timeout
    place = _place(url)
    body = json.dumps(payload).encode()
    try:
        with closing(_connected(place, _resolved(place, until), until)) as stream:
            return _asked(stream, place, body, headers, most)
    except (TimeoutError, Late):
        raise Unanswered("outbound_slow", gettext_noop("The address did not answer in time.")) from None
    except ssl.SSLCertVerificationError:
        message = gettext_noop("The address has no certificate that is valid for its name.")
        raise Unanswered("outbound_certificate", message) from None
    except (OSError, http.client.HTTPException):
        raise Unanswered("outbound_failed", gettext_noop("The address can't be reached, or does not speak HTTP.")) from None


def _place(url: str) -> _Place:
    if not url.isascii() or not url.isprintable() or set(url) & set(' \\"<>^`{|}') or len(url) > MAX_ADDRESS:
        message = gettext_noop("An address has at most %(limit)d characters, all of them such as an address may have.")
        raise Refused("outbound_malformed", message, limit=MAX_ADDRESS)
    try:
        parts = urlsplit(url)
        port = parts.port
        host = _host(parts)
    except ValueError:
        raise Refused("outbound_malformed", gettext_noop("This is not an address such as https://host/path.")) from None
    if "@" in parts.netloc or "#" in url:
        message = gettext_noop("An address can't hold a user, a password or a fragment.")
        raise Refused("outbound_malformed", message)
    secure, listed = parts.scheme == "https", host in settings.PRIVATE_HOSTS
    if not secure and not (listed and parts.scheme == "http"):
        raise Refused("outbound_scheme", gettext_noop("Only https is called, and http only on hosts that the operator lists."))
    usual = HTTPS_PORT if secure else http.client.HTTP_PORT
    port = usual if port is None else port
    if not listed and port != HTTPS_PORT:
        message = gettext_noop("Only port %(port)d is called, and others only on hosts that the operator lists.")
        raise Refused("outbound_port", message, port=HTTPS_PORT)
    return _Place(secure, host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), listed)


def _host(parts: SplitResult) -> str:
    """The host, in the one spelling that is taken: a name without a dot at its end, or an address as it is usually written."""
    host = parts.hostname or ""
    if "[" in parts.netloc:
        return str(ipaddress.IPv6Address(host)) if "%" not in host else _none()
    if _NUMBER.fullmatch(host):
        return str(ipaddress.IPv4Address(host))
    return host if len(host) <= 253 and _NAME.fullmatch(host) else _none()


def _none() -> str:
    raise ValueError


def _resolved(place: _Place, until: float) -> Sequence[Resolved]:
    """All addresses of this place. Raises Unanswered when it has none, or one that may not be called."""
    look_up = partial(socket.getaddrinfo, place.host, place.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    try:
        found = _names.begin(place.host, look_up, until=until).result()
    except (socket.gaierror, UnicodeError):
        raise Unanswered("outbound_unknown", gettext_noop("The name of the address is not known.")) from None
    if not place.listed and not all(_is_public(str(address[0])) for *_, address in found):
        message = gettext_noop("The address belongs to a network that is not called. The operator can list the host.")
        raise Unanswered("outbound_private", message)
    return [(family, address) for family, _, _, _, address in found]


def _is_public(written: str) -> bool:
    """Whether this is one host of the public internet. Addresses that hold another one inside (mapped, NAT64, Teredo, 6to4) are
    not: all of them but the last are reserved.
    """
    address = ipaddress.ip_address(written.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and (address.is_site_local or address.sixtofour is not None):
        return False
    special = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    return address.is_global and not special


def _connected(place: _Place, addresses: Sequence[Resolved], until: float) -> _Stream:
    """A connection to the first of these addresses that takes one."""
    fault: OSError = OSError()
    for family, address in addresses:
        plain = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            plain.settimeout(_left(until))
            plain.connect(address)
            plain.settimeout(_left(until))
            return _Stream(_trust().wrap_socket(plain, server_hostname=place.host) if place.secure else plain, until)
        except OSError as error:
            plain.close()
            if isinstance(error, ssl.SSLError | TimeoutError):
                raise
            fault = error
    raise fault


@cache
def _trust() -> ssl.SSLContext:
    """Whose certificates count: those of the system. Reading them takes some ten milliseconds."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _asked(stream: _Stream, place: _Place, body: bytes, headers: Mapping[str, str], most: int) -> Answer:
    kind = http.client.HTTPSConnection if place.secure else http.client.HTTPConnection
    connection = kind(place.host, place.port)
    connection.sock = stream  # what it uses of a socket is there
    said = {"User-Agent": _AGENT, "Accept": "application/json", "Content-Type": "application/json", "Connection": "close"}
    try:
        connection.putrequest("POST", place.target, skip_accept_encoding=True)
        for name, value in (said | {"Content-Length": str(len(body))} | dict(headers)).items():
            connection.putheader(name, value)
    except ValueError:  # its message repeats the value
        raise Refused("outbound_header", gettext_noop("A header can't hold what it was to hold.")) from None
    connection.endheaders(body)
    response = http.client.HTTPResponse(stream, method="POST")  # type: ignore[arg-type]  # it asks for makefile alone
    response.begin()
    answer = response.read(most + 1)
    if len(answer) > most:
        message = gettext_noop("The answer is longer than %(limit)d bytes.")
        raise Unanswered("outbound_large", message, limit=most)
    return Answer(response.status, answer)


class _Stream(io.RawIOBase):
    """A connection with one deadline for all that is sent and received on it: as much of a socket as http.client uses."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        super().__init__()
        self._connection = connection
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(_left(self._until))
        return self._connection.recv_into(buffer)

    def sendall(self, data: bytes) -> None:
        """Send all of it, in time."""
        rest = memoryview(data)
        while rest:
            self._connection.settimeout(_left(self._until))
            rest = rest[self._connection.send(rest) :]

    def makefile(self, mode: str) -> IO[bytes]:
        """To be read."""
        return io.BufferedReader(self)

    def close(self) -> None:
        self._connection.close()
        super().close()


def _left(until: float) -> float:
    """Seconds until then. Raises TimeoutError when there are none."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
