"""Plain text, split into paragraphs at empty lines and at form feeds, which begin pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from evidence import profile
from evidence.anchoring import Parser
from evidence.content import Content, Page, Passage, PassageKind
from evidence.formats import encodings
from evidence.formats.options import Options

PARSER: Final = Parser("text", "2", "encoding=bom,declared,utf-8 bom=removed split=empty-line,form-feed")

_SEPARATOR: Final = re.compile(r"\n\n|\n(?=\f)|(?<=[^\n])(?=\f)")
_FORM_FEED: Final = re.compile(r"\f")


def decode(data: bytes, options: Options) -> str:
    """The text of a file after the profile, without a byte order mark at its start. Raises Refused: see `encodings.exactly`."""
    return profile.normalise(encodings.exactly(data, options.encoding))


def extract(data: bytes, options: Options) -> Content:
    """Every piece between separators is a paragraph, also an empty one; an empty file is one empty paragraph.

    A separator is exactly two line feeds, or what stands before a form feed: one line feed or nothing. Where more line feeds
    follow each other, the third belongs to the next paragraph. A form feed belongs to the paragraph and page that it begins.
    """
    text = decode(data, options)
    passages = tuple(Passage(PassageKind.PARAGRAPH, start, end) for start, end in _pieces(text))
    return Content(text, passages, pages=tuple(_pages(text)))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for separator in _SEPARATOR.finditer(text):
        yield start, separator.start()
        start = separator.end()
    yield start, len(text)


def _pages(text: str) -> Sequence[Page]:
    """The pages that form feeds begin, numbered from 1; none where no form feed stands between words."""
    begun = [match.start() for match in _FORM_FEED.finditer(text, 1, len(text.rstrip()))]
    if not begun:
        return ()
    return [Page(str(number), *ends) for number, ends in enumerate(pairwise((0, *begun, len(text))), start=1)]
