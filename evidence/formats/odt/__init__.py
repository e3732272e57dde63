"""OpenDocument texts (`.odt`): what someone sees who has the document on paper. Macros, pictures and links are never opened.

Out: deleted and hidden text, comments. In, besides the text: the numbers of lists and headings, which the file does not hold;
descriptions of pictures; running headers before the text and footers after it, once each. Where text can't be seen for its
colour or size it is marked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lxml import etree

from evidence.anchoring import Parser
from evidence.content import Content, Note, SpanKind
from evidence.formats import titles, xml
from evidence.formats.odt.names import OFFICE
from evidence.formats.odt.reader import Reader
from evidence.formats.opc import unexpected
from evidence.formats.options import Options
from evidence.formats.package import Package, damaged, encrypted
from evidence.formats.xml import Element

PARSER: Final = Parser(
    "odt",
    f"1 lxml={etree.__version__}",
    "changes=accepted hidden=out comments=out notes=after-passage running=once numbers=counted",
)

_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_MANIFEST: Final = "META-INF/manifest.xml"
_ENCRYPTED: Final = b"encryption-data"


def extract(data: bytes, options: Options) -> Content:
    """The content of an OpenDocument text.

    Raises Refused as Package and `xml.parse` do, `table_repeats`, or `package_other_kind`.
    """
    package = Package(data)
    if _ENCRYPTED in (package.read(_MANIFEST) or b""):
        raise encrypted()
    content = _tree(package, "content.xml")
    if content is None:
        raise damaged()
    body = content.find(f"{OFFICE}body/{OFFICE}text")
    if body is None:
        kinds = content.find(f"{OFFICE}body")
        raise unexpected("content.xml", kinds[0] if kinds is not None and len(kinds) else content)
    reader = Reader(content, _tree(package, "styles.xml"))
    reader.read(body)
    found = reader.content(_title(package))
    unseen = any(span.kind is SpanKind.UNSEEN for span in found.spans)
    return replace(found, notes=(*reader.notes, *((Note.UNSEEN_TEXT,) if unseen else ())))


def _tree(package: Package, part: str) -> Element | None:
    data = package.read(part)
    return None if data is None else xml.parse(data, part)


def _title(package: Package) -> str:
    meta = _tree(package, "meta.xml")
    found = None if meta is None else meta.find(f".//{_TITLE}")
    return "" if found is None else titles.sensible(found.text or "")
