"""Formats: bytes to Content, one file per format, and the table of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evidence.anchoring import Parser
from evidence.content import Content
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import markdown, text

MAX_TEXT_BYTES: Final = 20_000_000
"""UTF-8 bytes of text in one document: more than ten times the longest German law, and still read in one piece."""
MAX_PASSAGES: Final = 250_000
"""In one document, empty ones included: a browser shows no more, and an import keeps one document in memory."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to read bytes. `extract` gives Content whose text has gone through the profile; it raises Refused.

    max_bytes: the largest file that is read at all; for a file that is nothing but text, the limit on text.
    """

    parser: Parser
    media_type: str
    extract: Callable[[bytes], Content]
    max_bytes: int = MAX_TEXT_BYTES


_TEXT: Final = Format(text.PARSER, "text/plain", text.extract)
_MARKDOWN: Final = Format(markdown.PARSER, "text/markdown", markdown.extract)

FORMATS: dict[str, Format] = {".txt": _TEXT, ".md": _MARKDOWN, ".markdown": _MARKDOWN}
"""File ending (lower case, with its dot) -> format."""


def extract(form: Format, data: bytes) -> Content:
    """The content of a file.

    Raises Refused: `text_too_large`, `too_many_passages`, `parser_fault`, or what the format itself says.
    """
    _refuse_large(len(data), form.max_bytes)
    try:
        content = form.extract(data)
    except EvidenceError:
        raise
    except Exception as fault:  # a parser that breaks on one file must not end the run that reads thousands
        message = gettext_noop(
            "The parser %(parser)s can't cope with this file (%(kind)s). Please report it to whoever runs this."
        )
        raise Refused("parser_fault", message, parser=form.parser.name, kind=type(fault).__name__) from fault
    _refuse_large(len(content.text.encode()), MAX_TEXT_BYTES)
    if len(content.passages) > MAX_PASSAGES:
        message = gettext_noop("This has %(count)d paragraphs or rows; one document may have %(limit)d. Split it into several.")
        raise Refused("too_many_passages", message, count=len(content.passages), limit=MAX_PASSAGES)
    return content


def _refuse_large(size: int, limit: int) -> None:
    if size > limit:
        raise Refused(
            "text_too_large",
            gettext_noop("This is larger than one document may be (%(size)d bytes, at most %(limit)d). Split it into several."),
            size=size,
            limit=limit,
        )
