"""Word (`.docx`, `.docm`): what someone sees who has the document on paper. Macros, pictures and links are never opened.

Out: deleted and hidden text, comments, codes of fields. In, besides the text: the numbers of lists, headings and notes, which
the file does not hold; descriptions of pictures; running headers before the text and footers after it, once each. Where text
can't be seen for its colour or size it is marked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lxml import etree

from evidence.anchoring import Parser
from evidence.content import Content, Note, SpanKind
from evidence.formats.docx.names import W
from evidence.formats.docx.reader import Reader
from evidence.formats.opc import Office, unexpected
from evidence.formats.options import Options

PARSER: Final = Parser(
    "docx",
    f"1 lxml={etree.__version__}",
    "changes=accepted hidden=out comments=out notes=after-passage running=once numbers=counted",
)


def extract(data: bytes, options: Options) -> Content:
    """The content of a Word file, also a Strict one. Raises Refused as Package and `xml.parse` do, or `package_other_kind`."""
    office = Office(data)
    part, root = office.main()
    if root.tag != f"{W}document":
        raise unexpected(part, root)
    reader = Reader(office, part, root)
    reader.read()
    content = reader.content(office.title())
    unseen = any(span.kind is SpanKind.UNSEEN for span in content.spans)
    return replace(content, notes=(*reader.found, *((Note.UNSEEN_TEXT,) if unseen else ())))
