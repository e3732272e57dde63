"""A folder of a server that speaks WebDAV: Nextcloud, SharePoint, Apache and others, over https or http.

Web pages that list files are not read: nobody can tell a whole one from a sign-in page. Redirections are not followed. Requests
run in fsspec's loop, where each of them ends in time as a whole, however slowly it drips.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache, cached_property, partial
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from fsspec.asyn import get_loop, sync
from lxml import etree

from evidence.errors import Refused, gettext_noop
from evidence.sources.trees import MAX_FILE_BYTES, Enter, Fetched, Found, Unseen, composed, is_plain, too_large
from evidence.sources.trees.elsewhere import (
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
    too_many,
)
from evidence.sources.trees.listed import Entry, inside, walk

OPTIONS: Final = ("username", "password", "token", "host", "ca_file")
"""What the operator can say. host: the only one that gets what opens it, with its port where the address has one."""
MAX_LISTING_BYTES: Final = 50_000_000
"""What a server may say of one folder: some hundred thousand files."""

_HOST = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_ON_THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")
_STRONG = re.compile(r'"[^"]+"')
_CHUNK: Final = 262_144
_QUESTION: Final = (
    b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop>'
    b"<resourcetype/><getetag/><getcontentlength/><getlastmodified/></prop></propfind>"
)
_DAV: Final = "{DAV:}"


def at(scheme: str, authority: str, path: str, options: Mapping[str, str]) -> WebDavTree:
    """The tree at scheme://authority/path. Raises Refused for what can't be such a place. No request is made yet."""
    names = [unquote(name) for name in path.strip("/").split("/")] if path.strip("/") else []
    if not _HOST.fullmatch(authority) or re.search(r"[?#]", path) or (names and not is_plain("/".join(names))):
        form = f"{scheme}://host/folder"
        raise Refused("origin_address", gettext_noop("The address is not of the form %(form)s."), form=form)
    if options.get("password") or options.get("token"):
        if options.get("host", "").lower() != authority.lower():
            message = gettext_noop("The operator's credentials are for another host: theirs is the one that host names.")
            raise Refused("origin_credentials", message)
        if scheme != "https" and urlsplit(f"//{authority}").hostname not in _ON_THIS_MACHINE:
            raise Refused("origin_plain", gettext_noop("Credentials are sent over https only."))
    need("aiohttp", scheme)
    return WebDavTree(f"{scheme}://{authority}", names, options)


@dataclass(frozen=True, slots=True)
class _Answer:
    """head: its fields, lower case."""

    status: int
    head: Mapping[str, str]
    body: bytes


class _Status(Exception):
    """An answer that is none of those that were expected."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class WebDavTree:
    """Implements `Tree`. names: of the folders that lead to the root."""

    def __init__(self, server: str, names: Sequence[str], options: Mapping[str, str]) -> None:
        self._server = server
        self._names = names
        self._options = options
        self._line = Line(_judged)
        self._place = "/".join((server, *names))

    def walk(self, enter: Enter) -> Iterator[Found | Unseen]:
        """Folder by folder."""
        yield from walk(lambda folder: self._line.ask(partial(self._entries, folder)), self._place, enter)

    def fetch(self, path: str, limit: int) -> Fetched | None:
        """One request."""
        with reached(self._place):
            try:
                answer = self._line.ask(partial(self._asked, "GET", self._url(path), {}, limit, CALL_SECONDS, (200,)))
            except FileNotFoundError:
                return None
        try:
            return Fetched(answer.body, parsedate_to_datetime(answer.head.get("last-modified", "")))
        except ValueError:
            return Fetched(answer.body, None)

    def gone(self, paths: Collection[str]) -> Collection[str]:
        """Not asked: each path would be a request of its own."""
        return ()

    def _entries(self, folder: str) -> Sequence[Entry]:
        """What the folder holds. The server must name the folder itself too: then this is an answer to what was asked."""
        at, described = self._segments(folder), self._described(self._url(folder) + "/", "1")
        if at not in (names for names, _ in described):
            raise Unreachable("NotAListing")
        return [self._entry(folder, at, names, about) for names, about in described if names != at]

    def _entry(self, folder: str, at: Sequence[str], names: Sequence[str], about: etree._Element) -> Entry:
        if names[:-1] != at:
            raise Unreachable("NotAListing")
        if about.find(f"{_DAV}resourcetype/{_DAV}collection") is not None:
            return Entry(names[-1], None)
        path, stamp = inside(folder, names[-1]), self._stamp(names, about)
        etag, size = about.findtext(f"{_DAV}getetag") or "", about.findtext(f"{_DAV}getcontentlength") or ""
        read = partial(self._read, path, etag, int(size) if size.isdecimal() else 0, stamp)
        return Entry(names[-1], Found(composed(path), read=read, stamp=stamp))

    def _described(self, url: str, depth: str) -> Sequence[tuple[Sequence[str], etree._Element]]:
        """What the server says of this address, and of what is in it: names of the path, and properties."""
        head = {"Depth": depth, "Content-Type": "application/xml"}
        answer = self._asked("PROPFIND", url, head, MAX_LISTING_BYTES + 1, CALL_SECONDS, (207,), _QUESTION)
        if len(answer.body) > MAX_LISTING_BYTES:
            raise too_many()
        try:
            root = etree.fromstring(answer.body, etree.XMLParser(resolve_entities=False, no_network=True))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise Unreachable("NotAListing") from error
        if root.tag != f"{_DAV}multistatus":
            raise Unreachable("NotAListing")
        return [(self._named(one), _properties(one)) for one in root.iterfind(f"{_DAV}response")]

    def _named(self, response: etree._Element) -> Sequence[str]:
        """The names of the path that this is about. Raises Unreachable when it is at another server."""
        parts = urlsplit((response.findtext(f"{_DAV}href") or "").strip())
        if not parts.path or (parts.netloc and parts.netloc.lower() != urlsplit(self._server).netloc.lower()):
            raise Unreachable("NotAListing")
        path = parts.path.strip("/")
        return [unquote(name, errors="surrogateescape") for name in path.split("/")] if path else []

    def _read(self, path: str, etag: str, size: int, stamp: str) -> bytes:
        """The file's bytes; those that the stamp names, where there is one. Raises Refused or OSError."""
        if size > MAX_FILE_BYTES:
            raise too_large()
        condition = {"If-Match": etag} if stamp else {}
        return self._line.ask(partial(self._got, path, condition, etag, stamp))

    def _got(self, path: str, condition: Mapping[str, str], etag: str, stamp: str) -> bytes:
        answer = self._asked("GET", self._url(path), condition, MAX_FILE_BYTES + 1, FILE_SECONDS, (200, 412))
        if answer.status == 412:
            raise changed()
        if len(answer.body) > MAX_FILE_BYTES:
            raise too_large()
        if stamp and answer.head.get("etag", "") != etag:
            now = [self._stamp(names, about) for names, about in self._described(self._url(path), "0")]
            if answer.head.get("etag") or now != [stamp]:
                raise changed()
        return answer.body

    def _stamp(self, names: Sequence[str], about: etree._Element) -> str:
        """Names bytes at this place, where the server gives a strong ETag."""
        etag = about.findtext(f"{_DAV}getetag") or ""
        if not _STRONG.fullmatch(etag):
            return ""
        said = (about.findtext(f"{_DAV}getcontentlength") or "", about.findtext(f"{_DAV}getlastmodified") or "")
        text = "\0".join((self._server, *names, etag, *said))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    def _segments(self, path: str) -> Sequence[str]:
        return [*self._names, *path.split("/")] if path else list(self._names)

    def _url(self, path: str) -> str:
        return "/".join(
            (self._server, *(quote(name.encode("utf-8", "surrogateescape"), safe="") for name in self._segments(path)))
        )

    def _asked(
        self,
        method: str,
        url: str,
        head: Mapping[str, str],
        limit: int,
        seconds: float,
        expected: Collection[int],
        data: bytes | None = None,
    ) -> _Answer:
        """The answer, at most `limit` bytes of it. Raises _Status for another status than those."""
        head = {"Accept-Encoding": "identity", **self._authorization, **head}
        context = _context(self._options.get("ca_file", ""))
        answer: _Answer = sync(get_loop(), _answered, method, url, head, data, limit, context, timeout=seconds)
        if answer.status not in expected:
            raise _Status(answer.status)
        return answer

    @cached_property
    def _authorization(self) -> Mapping[str, str]:
        options = self._options
        if options.get("token"):
            return {"Authorization": f"Bearer {options['token']}"}
        if options.get("password"):
            both = f"{options.get('username', '')}:{options['password']}"
            return {"Authorization": f"Basic {b64encode(both.encode()).decode()}"}
        return {}


@cache
def _context(ca_file: str) -> ssl.SSLContext:
    """Whom to trust. To read that takes longer than most requests."""
    return ssl.create_default_context(cafile=ca_file or None)


async def _answered(
    method: str, url: str, head: Mapping[str, str], data: bytes | None, limit: int, context: ssl.SSLContext
) -> _Answer:
    """One request over a connection of its own, which nothing can leave open."""
    import aiohttp  # optional: only who has such a place needs it
    from yarl import URL

    timeout = aiohttp.ClientTimeout(sock_connect=CONNECT_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=timeout, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()) as session,
        session.request(
            method, URL(url, encoded=True), headers=dict(head), data=data, allow_redirects=False, ssl=context
        ) as response,
    ):
        body = bytearray()
        while len(body) < limit and (chunk := await response.content.read(min(_CHUNK, limit - len(body)))):
            body += chunk
        return _Answer(response.status, {name.lower(): value for name, value in response.headers.items()}, bytes(body))


def _properties(response: etree._Element) -> etree._Element:
    """The properties that the server has: those that it lacks stand apart, under another status."""
    for one in response.iterfind(f"{_DAV}propstat"):
        properties = one.find(f"{_DAV}prop")
        if " 200" in (one.findtext(f"{_DAV}status") or "") and properties is not None:
            return properties
    raise Unreachable("NotAListing")


def _judged(error: Exception) -> Verdict:
    if isinstance(error, Unreachable):
        return Verdict(Trouble.LASTING, str(error.strerror))
    if not isinstance(error, _Status):
        return Verdict(Trouble.PASSING, type(error).__name__)
    reason = f"HTTP{error.status}"
    match error.status:
        case 404 | 410:
            return Verdict(Trouble.ABSENT, reason)
        case 401 | 403:
            return Verdict(Trouble.DENIED, reason)
        case 429:
            return Verdict(Trouble.PASSING, reason)
    return Verdict(Trouble.PASSING if error.status >= 500 else Trouble.LASTING, reason)
