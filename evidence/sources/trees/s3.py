"""Objects of an S3 bucket (or of what speaks like one) whose keys begin alike, taken for a folder.

The listing is flat, a request for each thousand keys. Requests are made through s3fs, but a key never passes through its paths:
there `?versionId=` in a key is a version, and slashes at its ends are none. Nothing is cached. Links and folders do not exist.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Any, Final

import fsspec
from fsspec.asyn import sync

from evidence.errors import Refused, gettext_noop
from evidence.sources.trees import MAX_FILE_BYTES, Enter, Entered, Fetched, Found, composed, is_plain, missing, too_large
from evidence.sources.trees.elsewhere import (
    ANSWER_SECONDS,
    CALL_SECONDS,
    CONNECT_SECONDS,
    FILE_SECONDS,
    MAX_LISTED,
    Line,
    Trouble,
    Unreachable,
    Verdict,
    changed,
    flag,
    need,
    reached,
    too_many,
)

OPTIONS: Final = ("key", "secret", "token", "profile", "anon", "endpoint_url", "region", "ca_file")
"""What the operator can say. profile: a section of the AWS files of the operator; anon = "yes": no credentials at all."""
MAX_PAGES: Final = 10_000
"""Of one listing: an end for what never ends."""

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_CHUNK: Final = 262_144
_PASSING: Final = frozenset({"SlowDown", "RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded"})

Answer = tuple[Mapping[str, Any], bytes]
"""The head of an answer, and the object."""


def at(authority: str, path: str, options: Mapping[str, str]) -> S3Tree:
    """The tree at s3://authority/path. Raises Refused for what can't be such a place. No request is made yet."""
    prefix = path.removeprefix("/").removesuffix("/")
    if not _BUCKET.fullmatch(authority) or (prefix and not is_plain(prefix)):
        raise Refused("origin_address", gettext_noop("The address is not of the form %(form)s."), form="s3://bucket/folder")
    if not options.get("profile") and not flag(options, "anon") and not (options.get("key") and options.get("secret")):
        message = gettext_noop(
            "Nothing opens this place: the operator's credentials need key and secret, or profile, or anon for what is public."
        )
        raise Refused("origin_credentials", message)
    need("s3fs", "s3")
    return S3Tree(authority, f"{prefix}/" if prefix else "", options)


class S3Tree:
    """Implements `Tree`."""

    def __init__(self, bucket: str, prefix: str, options: Mapping[str, str]) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._options = options
        self._line = Line(_judged)
        self._place = f"s3://{bucket}/{prefix}"

    def walk(self, enter: Enter) -> Iterator[Found]:
        """Page by page. A page that can't be had ends it with an error; a prefix without any key is no folder."""
        entered, number = Entered(enter), 0
        with reached(self._place):
            for number, entry in enumerate(self._entries(), start=1):
                if number > MAX_LISTED:
                    raise too_many()
                path = composed(entry["Key"].removeprefix(self._prefix))
                if not path or (path.endswith("/") and not entry["Size"]):
                    continue  # what consoles write for an empty folder
                if not is_plain(path) or entered(path):
                    yield self._found(path, entry)
        if not number:
            raise missing(self._place)

    def fetch(self, path: str, limit: int) -> Fetched | None:
        """One request."""
        with reached(self._place):
            try:
                answer, data = self._get(self._prefix + path, limit, CALL_SECONDS)
            except FileNotFoundError:
                return None
        return Fetched(data, answer.get("LastModified"))

    def gone(self, paths: Collection[str]) -> Collection[str]:
        """Not asked: each path would be a request of its own, or all of them the whole listing."""
        return ()

    @cached_property
    def _files(self) -> Any:
        """The file system of fsspec that makes the requests: our own, with nothing that it remembers."""
        options = self._options
        files = fsspec.filesystem(
            "s3",
            skip_instance_cache=True,
            use_listings_cache=False,
            session=None if options.get("profile") else _session(),
            anon=flag(options, "anon"),
            **{name: options[name] for name in ("key", "secret", "token", "endpoint_url", "profile") if options.get(name)},
            client_kwargs={
                **({"region_name": options["region"]} if options.get("region") else {}),
                **({"verify": options["ca_file"]} if options.get("ca_file") else {}),
            },
            config_kwargs={
                "connect_timeout": CONNECT_SECONDS,
                "read_timeout": ANSWER_SECONDS,
                "retries": {"total_max_attempts": 1},
                "http_session_cls": _straight(),
            },
        )
        files.retries = 1  # `Line` asks again
        return files

    def _entries(self) -> Iterator[Mapping[str, Any]]:
        """Every object below the prefix, as the listing describes it."""
        token: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            page = self._line.ask(partial(self._page, token))
            yield from page.get("Contents", ())
            if not page["IsTruncated"]:
                return
            token = {"ContinuationToken": page["NextContinuationToken"]}
        raise too_many()

    def _page(self, token: Mapping[str, str]) -> Mapping[str, Any]:
        page: Mapping[str, Any] = self._files.call_s3(
            "list_objects_v2", Bucket=self._bucket, Prefix=self._prefix, timeout=CALL_SECONDS, **token
        )
        complete = page.get("IsTruncated") is False or (page.get("IsTruncated") is True and page.get("NextContinuationToken"))
        if not complete or not all(entry["Key"].startswith(self._prefix) for entry in page.get("Contents", ())):
            raise Unreachable("NotAListing")  # a page of somebody else, which holds no objects, must not pass for an empty folder
        return page

    def _found(self, path: str, entry: Mapping[str, Any]) -> Found:
        read = partial(self._read, entry["Key"], entry.get("ETag", ""), entry["Size"])
        return Found(path, read=read, stamp=self._stamp(entry))

    def _read(self, key: str, etag: str, size: int) -> bytes:
        """The object's bytes, which are those that were listed. Raises Refused or OSError."""
        if size > MAX_FILE_BYTES:
            raise too_large()
        answer, data = self._get(key, MAX_FILE_BYTES + 1, FILE_SECONDS, **({"IfMatch": etag} if etag else {}))
        if len(data) > MAX_FILE_BYTES:
            raise too_large()
        if len(data) != size or (etag and answer.get("ETag") != etag):
            raise changed()
        return data

    def _stamp(self, entry: Mapping[str, Any]) -> str:
        """Names bytes at this place. Two writings of equal bytes have two: an ETag can be MD5, of which twins can be made."""
        etag, modified = entry.get("ETag", ""), entry.get("LastModified")
        if not etag.startswith('"') or modified is None:
            return ""
        said = (self._bucket, entry["Key"], etag, str(entry["Size"]), modified.isoformat())
        return hashlib.sha256("\0".join(said).encode()).hexdigest()

    def _get(self, key: str, limit: int, seconds: float, **condition: str) -> Answer:
        files = self._files
        request = {"Bucket": self._bucket, "Key": key, **condition}
        answer: Answer = self._line.ask(lambda: sync(files.loop, _got, files, limit, request, timeout=seconds))
        return answer


@cache
def _session() -> Any:
    """What botocore knows of S3, which takes it a quarter of a second to read: too much of the one that a live question has."""
    from aiobotocore.session import AioSession  # comes with s3fs, which is optional

    return AioSession()


@cache
def _straight() -> type:
    """What sends the requests, and follows no redirection: it would take a session's token to whatever host it is told."""
    from aiobotocore.httpsession import AIOHTTPSession

    class Straight(AIOHTTPSession):  # type: ignore[misc]
        async def _get_session(self, proxy_url: str | None) -> _NoRedirections:
            return _NoRedirections(await super()._get_session(proxy_url))

    return Straight


class _NoRedirections:
    """The one method of aiohttp's session that requests are sent with."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def request(self, *arguments: Any, **options: Any) -> Any:
        return await self._session.request(*arguments, allow_redirects=False, **options)


async def _got(files: Any, limit: int, request: Mapping[str, str]) -> Answer:
    """The answer's head and at most `limit` bytes. Raises Refused where a condition does not hold any more."""
    try:
        answer = await files._call_s3("get_object", **request)
    except OSError as error:
        if _code(error) in {"PreconditionFailed", "412"}:
            raise changed() from error
        if _code(error) == "InvalidObjectState":
            message = gettext_noop("The object lies in an archive. It can be read once somebody has had it restored there.")
            raise Refused("object_archived", message) from error
        raise
    async with answer["Body"] as body:
        data = bytearray()
        while len(data) < limit and (chunk := await body.read(min(_CHUNK, limit - len(data)))):
            data += chunk
    return answer, bytes(data)


def _judged(error: Exception) -> Verdict:
    """By code and status of the answer, where there was one; else no answer came, which may pass."""
    code, status = _code(error), _response(error).get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if isinstance(error, Unreachable):
        return Verdict(Trouble.LASTING, str(error.strerror))
    if code in {"NoSuchKey", "404"}:
        return Verdict(Trouble.ABSENT, code)
    if status in {401, 403}:
        return Verdict(Trouble.DENIED, code)
    if not status or status >= 500 or status == 429 or code in _PASSING:
        return Verdict(Trouble.PASSING, code)
    return Verdict(Trouble.LASTING, code)


def _code(error: Exception) -> str:
    return str(_response(error).get("Error", {}).get("Code", ""))


def _response(error: Exception) -> Mapping[str, Any]:
    """What the server said: botocore's error has it, and s3fs's own translation of that has it as its cause."""
    for one in (error, error.__cause__):
        response = getattr(one, "response", None)
        if isinstance(response, dict):
            return response
    return {}
