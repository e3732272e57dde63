"""E-mails (RFC 5322 and MIME): subject, sender, recipients and date; the text; the names of what is attached. Loads nothing.

Where a text comes in several ways, plain text is read, else HTML. E-mails inside are quotes. Attachments are not opened.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from email.parser import BytesParser
from itertools import groupby
from typing import Final

from evidence.anchoring import Parser
from evidence.content import Content, Note, PassageKind
from evidence.errors import Refused, gettext_noop
from evidence.formats import encodings, headers, html, markup
from evidence.formats.options import Options
from evidence.formats.writer import Writer

PARSER: Final = Parser(
    "eml",
    f"1 python={sys.version_info.major}.{sys.version_info.minor} {html.PARSER.version.partition(' ')[2]}",
    "body=plain,html attachments=named",
)
MAX_BYTES: Final = 50_000_000
"""What mail servers let through, attachments included."""
MAX_HEAD: Final = 1_000_000
"""Bytes before the first empty line."""
MAX_PARTS: Final = 1_000
MAX_DEPTH: Final = 30
"""Parts and e-mails inside one another: each forwarding is two."""

_UNKNOWN_CODEC: Final = (LookupError, ValueError, TypeError, OSError)
"""What comes of naming an encoding that is none, or none that is loaded, in a parameter of a header."""
_SHOWN: Final = ("From", "To", "Cc", "Bcc", "Date")
_TEXTS: Final = ("text/plain", "text/html")
_ENCRYPTED: Final = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_EMPTY_LINE: Final = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)*")


def extract(data: bytes, options: Options) -> Content:
    """The content of an e-mail.

    Raises Refused: `mail_not_one`, `mail_head_too_long`, `mail_too_many_parts`, and what `headers` and `markup` say.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    end = _HEAD_END.search(data)
    if (end.start() if end else len(data)) > MAX_HEAD:
        message = gettext_noop("The head of this e-mail is longer than %(limit)d bytes. Is it one?")
        raise Refused("mail_head_too_long", message, limit=MAX_HEAD)
    try:
        return _Reader().content(BytesParser().parsebytes(data))
    except RecursionError as error:
        raise _too_many_parts() from error


class _Reader:
    """Writes an e-mail part by part."""

    def __init__(self) -> None:
        self._writer = Writer()
        self._notes: set[Note] = set()
        self._attachments: list[str] = []
        self._parts = 0

    def content(self, message: Message) -> Content:
        if not any(message.get_all(name) for name in ("Subject", *_SHOWN)):
            raise Refused("mail_not_one", gettext_noop("This is no e-mail: it has neither a sender nor a subject nor a date."))
        subject = " ".join(headers.values(message, "Subject"))
        self._writer.open(PassageKind.HEADING, level=1)
        self._writer.write(subject)
        self._head(message, PassageKind.PARAGRAPH)
        self._part(message, depth=0, quotes=0)
        self._write_attachments()
        return self._writer.content(notes=[note for note in Note if note in self._notes])

    def _head(self, message: Message, kind: PassageKind) -> None:
        self._writer.open(kind)
        for name in _SHOWN if kind is PassageKind.PARAGRAPH else ("Subject", *_SHOWN):
            for value in headers.values(message, name):
                self._writer.next_line()
                self._writer.write(f"{name}: {value}")
        self._writer.close()

    def _part(self, part: Message, *, depth: int, quotes: int) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS or depth > MAX_DEPTH:
            raise _too_many_parts()
        kind = part.get_content_type()
        if kind in _ENCRYPTED:
            self._notes.add(Note.NOT_SHOWN)
        inner = _inner(part)
        if kind == "message/delivery-status":
            for block in inner:
                self._blocks("\n".join(f"{name}: {headers.decoded(str(value))}" for name, value in block.items()), quotes)
        elif kind == "message/rfc822" and inner:
            self._head(inner[0], PassageKind.QUOTE)
            self._part(inner[0], depth=depth + 1, quotes=quotes + 1)
        elif kind == "multipart/alternative" and inner:
            self._alternatives(inner, depth=depth + 1, quotes=quotes)
        elif inner:
            for one in inner:
                self._part(one, depth=depth + 1, quotes=quotes)
        elif kind.startswith("multipart/"):  # whose parts nobody can tell apart
            self._notes.add(Note.REPAIRED)
            self._text(part, "text/plain", quotes)
        elif kind in _TEXTS and part.get_content_disposition() != "attachment":
            self._text(part, kind, quotes)
        elif not part.is_multipart():
            self._attach(part)

    def _alternatives(self, parts: list[Message], *, depth: int, quotes: int) -> None:
        """Read the one that is plain text, else the last one with a text; of the others only what is attached to them."""
        plain = [part for part in parts if part.get_content_type() == "text/plain" and _payload(part).strip()]
        with_text = [part for part in parts if any(one.get_content_type() in _TEXTS for one in part.walk())]
        chosen = next((part for part in (*plain, *reversed(with_text))), None)
        for part in parts:
            if part is chosen:
                self._part(part, depth=depth, quotes=quotes)
            else:
                for one in part.walk():
                    is_text = one.get_content_type() in _TEXTS and one.get_content_disposition() != "attachment"
                    if not one.is_multipart() and not is_text:
                        self._attach(one)

    def _text(self, part: Message, kind: str, quotes: int) -> None:
        data, charset = _payload(part), _charset(part)
        if kind == "text/html":
            text = self._decoded(data, charset or html.named_encoding(data))
            self._notes.update(markup.write(markup.parse(text), self._writer, quotes=quotes))
            return
        text = self._decoded(data, charset).replace("\r\n", "\n").replace("\r", "\n")
        if str(part.get_param("format", "")).lower() == "flowed":
            text = _unfolded(text, deletes_space=str(part.get_param("delsp", "")).lower() == "yes")
        self._blocks(text, quotes)

    def _blocks(self, text: str, quotes: int) -> None:
        for is_quote, block in _blocks(text):
            self._writer.open(PassageKind.QUOTE if quotes or is_quote else PassageKind.PARAGRAPH)
            self._writer.write_verbatim(block)
        self._writer.close()

    def _decoded(self, data: bytes, charset: str) -> str:
        try:
            read = encodings.as_browsers_do(data, named=charset)
        except Refused:  # one part is no reason to refuse the others
            self._notes.update((Note.ENCODING_ASSUMED, Note.REPAIRED))
            return data.decode("windows-1252", "replace")
        self._notes.update(read.notes)
        return read.text

    def _attach(self, part: Message) -> None:
        self._notes.add(Note.ATTACHMENTS)
        name = ""
        with suppress(*_UNKNOWN_CODEC):
            name = headers.decoded(part.get_filename("")[: headers.MAX_HEADER])
        self._attachments.append(name or part.get_content_type())

    def _write_attachments(self) -> None:
        group = self._writer.new_group()
        for name in self._attachments:
            self._writer.open(PassageKind.LIST_ITEM, level=1, group=group)
            self._writer.write(f"Attachment: {name}")


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _charset(part: Message) -> str:
    with suppress(*_UNKNOWN_CODEC):
        return part.get_content_charset("") or ""
    return ""


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """What stands between empty lines, parted again where the quotation of another e-mail begins or ends."""
    for block in _EMPTY_LINE.split(text):
        for is_quote, lines in groupby(block.split("\n"), key=lambda line: line.startswith(">")):
            words = "\n".join(line.rstrip() for line in lines).strip("\n")
            if words:
                yield is_quote, words


def _unfolded(text: str, *, deletes_space: bool) -> str:
    """Text with `format=flowed` (RFC 3676): a line that ends with a space goes on in the next one of the same quotation."""
    lines: list[str] = []
    goes_on = ""
    for line in text.split("\n"):
        signs = line[: len(line) - len(line.lstrip(">"))]
        words = line[len(signs) :].removeprefix(" ")
        if words and goes_on and goes_on[:-1] == signs:
            lines[-1] += words
        else:
            lines.append(f"{signs} {words}" if signs else words)
        flows = words.endswith(" ") and words != "-- "
        goes_on = f"{signs}+" if flows else ""
        if flows and deletes_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def _too_many_parts() -> Refused:
    message = gettext_noop(
        "This e-mail has too many parts, or too many inside one another (at most %(parts)d, %(depth)d deep). Save its text alone."
    )
    return Refused("mail_too_many_parts", message, parts=MAX_PARTS, depth=MAX_DEPTH)
