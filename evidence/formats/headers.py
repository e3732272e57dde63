"""Headers of e-mails: what stands in them, in letters. Nothing in a value can look like the end of it."""

from __future__ import annotations

import binascii
import quopri
import re
from contextlib import suppress
from email.message import Message
from itertools import groupby
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.formats import encodings

MAX_HEADER: Final = 100_000
"""Characters of one header: two thousand recipients."""

_WORD: Final = re.compile(r"=\?([^?*\s]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?([^?]*)\?=", re.IGNORECASE)


def values(message: Message, name: str) -> list[str]:
    """What the headers of this name say, in their order. Raises Refused (`mail_header_too_long`)."""
    found = [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]
    if sum(map(len, found)) > MAX_HEADER:
        message_template = gettext_noop("The header %(name)s of this e-mail is longer than %(limit)d characters. Shorten it.")
        raise Refused("mail_header_too_long", message_template, name=name, limit=MAX_HEADER)
    return [decoded(value) for value in found]


def decoded(raw: str) -> str:
    """The letters of a header's value: encoded words (RFC 2047) and raw bytes decoded, white space made one space."""
    pieces: list[tuple[str, bytes]] = []
    position = 0
    for word in _WORD.finditer(raw):
        between = raw[position : word.start()]
        if between.strip() or not pieces:
            pieces.append(("", _bytes(between)))
        pieces.append((word[1], _encoded(word[2], word[3])))
        position = word.end()
    pieces.append(("", _bytes(raw[position:])))
    runs = ((charset, b"".join(part for _, part in run)) for charset, run in groupby(pieces, key=lambda piece: piece[0].lower()))
    return " ".join("".join(_letters(data, charset) for charset, data in runs).replace("\0", "\ufffd").split())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _encoded(how: str, text: str) -> bytes:
    data = _bytes(text)
    if how in "qQ":
        return quopri.decodestring(data.replace(b"_", b" "))
    with suppress(binascii.Error):
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    return data


def _letters(data: bytes, charset: str) -> str:
    """As browsers do, and whatever it is: a header is no reason to refuse an e-mail."""
    with suppress(Refused):
        return encodings.as_browsers_do(data, named=charset).text
    return data.decode("windows-1252", "replace")
