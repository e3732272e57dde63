"""Receiving a document from a program: a multipart body with a file and what is said of it, as far as it can be read at all.

Django reads such bodies of POST alone. The length is looked at first, so that nobody has to send what is refused anyway; a body
that ends too early is none, however much of a file it holds.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.datastructures import MultiValueDict

from evidence.errors import Refused, TooLarge, gettext_noop
from evidence.formats import FORMATS
from evidence.incoming import Incoming
from evidence.sources.push import MAX_METADATA_BYTES

FILE: Final = "file"
METADATA: Final = "metadata"
LARGEST: Final = max(form.max_bytes for form in FORMATS.values())
"""Bytes of a file of any kind."""
AROUND: Final = 10_000
"""Bytes that a body has beside its parts: their heads, and what parts them."""
_END: Final = 200
"""Bytes at the end of a body that are looked at: the mark of its end has at most 74, blanks and line ends may follow."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What came: the file's name and bytes, and the metadata as it was sent."""

    name: str
    data: bytes
    metadata: bytes


class _Parts(Incoming):
    """Takes the two parts, each once; the metadata may be sent as a file too."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self._seen: set[str] = set()

    def begins(self) -> None:
        name = str(self.field_name)
        if name not in {FILE, METADATA} or name in self._seen:
            raise _wrong_parts()
        self._seen.add(name)

    def grows(self, size: int) -> None:
        if self.field_name == METADATA:
            refuse_large_metadata(size)
        else:
            refuse_large(str(self.file_name), size)


class _Body:
    """The body as it is read, and what its end was."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self.size = 0
        self.end = b""

    def read(self, size: int = -1) -> bytes:
        """So many bytes at most."""
        data: bytes = self._request.read(size)
        self.size += len(data)
        self.end = (self.end + data)[-_END:]
        return data


def document(request: HttpRequest) -> Sent:
    """The file and its metadata, which may be left out. Raises Refused."""
    length = _length(request)
    if length > LARGEST + MAX_METADATA_BYTES + AROUND:
        raise _too_large(LARGEST)
    body = _Body(request)
    with ExitStack() as opened:
        parts = opened.enter_context(closing(_Parts(request)))
        fields, files = _parsed(request, body, parts)
        for name in files:
            for file in files.getlist(name):
                opened.enter_context(closing(file))
        for _, fault in parts.refused:
            raise fault
        if length and (body.size != length or not body.end.rstrip().endswith(b"--")):
            raise Refused("body_cut_short", gettext_noop("The body ends before its end. Nothing was changed."))
        if FILE not in files or fields.keys() - {METADATA} or len(fields.getlist(METADATA)) + len(files.getlist(METADATA)) > 1:
            raise _wrong_parts()
        said = [file.read() for file in files.getlist(METADATA)] or [text.encode() for text in fields.getlist(METADATA)]
        metadata = said[0] if said else b"{}"
        refuse_large_metadata(len(metadata))
        return Sent(files.getlist(FILE)[0].name, files.getlist(FILE)[0].read(), metadata)


def _length(request: HttpRequest) -> int:
    """Of the body, as its head says; nothing is read of one that does not say it."""
    said = str(request.META.get("CONTENT_LENGTH") or "")
    return int(said) if said.isascii() and said.isdigit() else 0


def _parsed(request: HttpRequest, body: _Body, parts: _Parts) -> tuple[QueryDict, MultiValueDict[str, Any]]:
    """Fields and files. Raises Refused."""
    try:
        return MultiPartParser(request.META, body, [parts], "utf-8").parse()  # type: ignore[arg-type]  # it is read alone
    except RequestDataTooBig:
        raise _metadata_too_large() from None
    except (MultiPartParserError, TooManyFieldsSent, TooManyFilesSent):
        raise _wrong_parts() from None


def refuse_large(name: str, size: int) -> None:
    """Raises TooLarge when a file of this name is read only up to fewer bytes."""
    form = FORMATS.get(PurePosixPath(name).suffix.lower())
    limit = LARGEST if form is None else form.max_bytes
    if size > limit:
        raise _too_large(limit)


def refuse_large_metadata(size: int) -> None:
    """Raises TooLarge."""
    if size > MAX_METADATA_BYTES:
        raise _metadata_too_large()


def _too_large(limit: int) -> TooLarge:
    message = gettext_noop("This file is too large: files of its kind may have %(limit)d bytes.")
    return TooLarge("file_too_large", message, limit=limit)


def _metadata_too_large() -> TooLarge:
    return TooLarge("metadata_too_large", gettext_noop("The metadata may have %(limit)d bytes."), limit=MAX_METADATA_BYTES)


def _wrong_parts() -> Refused:
    message = gettext_noop(
        "Send multipart/form-data with the part “file”, which has a file name, and the part “metadata”, each once."
    )
    return Refused("parts_wrong", message)
