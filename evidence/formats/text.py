"""Plain text: UTF-8, split into paragraphs at empty lines. Also decodes the other formats that are UTF-8 by definition."""

from __future__ import annotations

from typing import Final

from evidence import profile
from evidence.anchoring import Parser
from evidence.content import Content, Passage, PassageKind
from evidence.errors import Refused, gettext_noop
from evidence.formats.options import Options

PARSER: Final = Parser("text", "1", "encoding=utf-8 bom=removed split=empty-line")
_EMPTY_LINE: Final = "\n\n"


def decode(data: bytes) -> str:
    """The text of a UTF-8 file after the profile, without a byte order mark at its start.

    Raises Refused (`text_not_utf8`, `text_nul`): guessing an encoding could change words without anyone noticing.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(
            "text_not_utf8",
            gettext_noop(
                "This is not UTF-8: the first wrong byte is at offset %(offset)d. Save the file as UTF-8 and try again."
            ),
            offset=error.start,
        ) from error
    if "\0" in text:
        raise Refused(
            "text_nul",
            gettext_noop("A zero byte (U+0000) stands at offset %(offset)d. Remove it, or save the file as UTF-8 text."),
            offset=data.index(0),
        )
    return profile.normalise(text.removeprefix("\ufeff"))


def extract(data: bytes, options: Options) -> Content:
    """Every piece between empty lines is a paragraph, also an empty one; an empty file is one empty paragraph.

    A separator is exactly two line feeds. Where more follow each other, the third belongs to the next paragraph.
    """
    text = decode(data)
    passages: list[Passage] = []
    start = 0
    for piece in text.split(_EMPTY_LINE):
        passages.append(Passage(PassageKind.PARAGRAPH, start, start + len(piece)))
        start += len(piece) + len(_EMPTY_LINE)
    return Content(text, tuple(passages))
