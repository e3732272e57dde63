"""PowerPoint (`.pptx`, `.pptm`): the words on each slide, then those of its speaker's notes. Each slide is a page.

A slide's title is a heading, the rest follows from top to bottom and from left to right. Bullets and numbers are text, as they
are shown. Slides that are not shown, and what stands outside of a slide, are marked as unseen. Macros, pictures, recordings
and links are never opened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lxml import etree

from evidence.anchoring import Parser
from evidence.content import Content, Note, SpanKind
from evidence.formats.opc import Office, unexpected
from evidence.formats.options import Options
from evidence.formats.pptx.names import P
from evidence.formats.pptx.reader import Reader

PARSER: Final = Parser(
    "pptx",
    f"1 lxml={etree.__version__}",
    "order=title,top,left hidden=unseen comments=out notes=heading running=marked numbers=counted",
)


def extract(data: bytes, options: Options) -> Content:
    """The content of a presentation. Raises Refused as Package and `xml.parse` do, or `package_other_kind`."""
    office = Office(data)
    part, root = office.main()
    if root.tag != f"{P}presentation":
        raise unexpected(part, root)
    reader = Reader(office, part, root)
    reader.read()
    content = reader.content(office.title())
    unseen = any(span.kind is SpanKind.UNSEEN for span in content.spans)
    return replace(content, notes=(*reader.notes, *((Note.UNSEEN_TEXT,) if unseen else ())))
