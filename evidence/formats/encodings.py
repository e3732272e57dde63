"""Encodings: which names are known, what a byte order mark says, and bytes to text.

A name means what the WHATWG's Encoding Standard says it means to a browser: "iso-8859-1" and "ascii" are windows-1252. Known
beside those: what DOS, mainframes and UTF-32 files need. `exactly` guesses nothing; `as_browsers_do` guesses, and says so.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import webencodings
from webencodings.labels import LABELS

from evidence.content import Note
from evidence.errors import Refused, gettext_noop

_BESIDE: Final = {
    "cp273": "cp273",
    "cp437": "cp437",
    "cp500": "cp500",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp858": "cp858",
    "mac-roman": "mac-roman",
    "utf-16": "utf-16",
    "utf-32": "utf-32",
    "utf-32be": "utf-32-be",
    "utf-32le": "utf-32-le",
}
_NO_TEXT: Final = ("replacement", "x-user-defined")
# Looked up here, with those that e-mail's own parser needs: where files are read, no codec can be loaded any more.
_OF_THE_LIBRARY: Final = tuple(codecs.lookup(name) for name in ("ascii", "latin-1", "raw-unicode-escape"))
_CODECS: Final = {
    **{name: codecs.lookup(codec) for name, codec in _BESIDE.items()},
    **{name: webencodings.lookup(name).codec_info for name in LABELS.values() if name not in _NO_TEXT},
}
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32le"),
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_NEED_A_MARK: Final = ("utf-16", "utf-32")
_WESTERN: Final = "windows-1252"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without its byte order mark, and what a reader must know about how it was read."""

    text: str
    notes: Sequence[Note] = ()


def canonical(name: str) -> str | None:
    """The one name of an encoding that has several; None for one that is not known."""
    name = name.strip(" \t\n\r\f").lower()
    name = name if name in _BESIDE else LABELS.get(name, name)
    return name if name in _CODECS else None


def exactly(data: bytes, declared: str = "") -> str:
    """The text of a file in UTF-8, in what its byte order mark says, or in what was declared; without the mark.

    Raises Refused (`text_not_utf8`, `text_not_encoding`, `text_mark_differs`, `text_no_mark`, `text_nul`): guessing an encoding
    could change words without anyone noticing.
    """
    marked, mark = _marked(data, declared)
    name = marked or canonical(declared) or "utf-8"
    if name in _NEED_A_MARK:
        message = gettext_noop(
            "The rules name %(encoding)s, and no byte order mark says which one it is. Name %(encoding)sle or %(encoding)sbe."
        )
        raise Refused("text_no_mark", message, encoding=name)
    try:
        text = _decode(data[mark:], name)
    except UnicodeDecodeError as error:
        raise _undecodable(name, mark + error.start, marked=bool(marked), declared=bool(declared)) from error
    return _without_zeros(text, name, mark)


def as_browsers_do(data: bytes, *, declared: str = "", named: str = "") -> Decoded:
    """The text of a file that may name its encoding itself (`named`, as the file writes it), and need not be right about it.

    What can't be read in the encoding that it names becomes U+FFFD, as a browser shows it. Without a name that is known it is
    UTF-8 if it can be, else windows-1252. What was declared from outside is not to be doubted: then as `exactly`.
    Raises Refused: what `exactly` says, and `encoding_unknown` when it can't be windows-1252 either.
    """
    marked, mark = _marked(data, declared)
    if declared and not marked:
        return Decoded(exactly(data, declared))
    name = marked or canonical(named)
    if name is None or name in _NEED_A_MARK:
        return _guessed(data)
    try:
        return Decoded(_decode(data[mark:], name))
    except UnicodeDecodeError:
        return Decoded(_decode(data[mark:], name, "replace"), (Note.REPAIRED,))


def _decode(data: bytes, name: str, errors: str = "strict") -> str:
    return str(_CODECS[name].decode(data, errors)[0])


def _guessed(data: bytes) -> Decoded:
    if b"\0" not in data:
        with suppress(UnicodeDecodeError):
            return Decoded(data.decode("utf-8"))
        text = data.decode("utf-8", "replace")
        if sum(character > "\x7f" for character in text) > 2 * text.count("\ufffd"):  # letters of several bytes are no chance
            return Decoded(text, (Note.ENCODING_ASSUMED, Note.REPAIRED))
        with suppress(UnicodeDecodeError):
            return Decoded(_decode(data, _WESTERN), (Note.ENCODING_ASSUMED,))
    message = gettext_noop(
        "This does not say in which encoding it is, and it is neither UTF-8 nor windows-1252. Name its encoding in the rules "
        '(encoding = "utf-16le", for instance).'
    )
    raise Refused("encoding_unknown", message)


def _marked(data: bytes, declared: str) -> tuple[str, int]:
    """The encoding that a byte order mark names, and the mark's length; "" and 0 without one."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            if declared and not name.startswith(canonical(declared) or declared):
                message = gettext_noop(
                    "The byte order mark says %(marked)s, and the rules say %(declared)s. One of them is wrong."
                )
                raise Refused("text_mark_differs", message, marked=name, declared=declared)
            return name, len(mark)
    return "", 0


def _without_zeros(text: str, name: str, mark: int) -> str:
    """The text, unless a zero byte shows that it is something else."""
    found = text.find("\0")
    if found >= 0:
        message = gettext_noop(
            "A zero byte (U+0000) stands at offset %(offset)d. Remove it, save the file as UTF-8 text, or name its encoding in "
            'the rules (encoding = "utf-16le", for instance).'
        )
        raise Refused("text_nul", message, offset=mark + len(_CODECS[name].encode(text[:found])[0]))
    return text


def _undecodable(name: str, offset: int, *, marked: bool, declared: bool) -> Refused:
    if marked and name != "utf-8":
        message = gettext_noop(
            "This is not %(encoding)s, as its byte order mark says: the first wrong byte is at offset %(offset)d. Save the "
            "file as UTF-8 and try again."
        )
    elif declared and not marked:
        message = gettext_noop(
            "This is not %(encoding)s, as the rules say: the first wrong byte is at offset %(offset)d. Name the right encoding "
            "there, or save the file as UTF-8."
        )
    else:
        message = gettext_noop(
            "This is not UTF-8: the first wrong byte is at offset %(offset)d. Save the file as UTF-8, or name its encoding in "
            'the rules (encoding = "windows-1252", for instance).'
        )
        return Refused("text_not_utf8", message, offset=offset)
    return Refused("text_not_encoding", message, encoding=name, offset=offset)
