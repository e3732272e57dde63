"""XML of parts of a package: no document types, no entities, no network, no files; depth and length have limits."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from typing import Final

from lxml import etree

from evidence.errors import Refused, gettext_noop

Element = etree._Element

MAX_NODES: Final = 6_000_000
"""Of one part that becomes a tree: tags, and attributes twice. Each took 115 bytes; 1,000 pages of Word have 1 to 6 million."""

MAX_NAME: Final = 100
"""Characters of a part's name, or an element's, that a message repeats."""

_DOCTYPES: Final = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


def parse(data: bytes, part: str) -> Element:
    """The root of a part, without comments and processing instructions. part: its name, for the message.

    Raises Refused: `xml_doctype`, `xml_too_large`, `xml_damaged` (not well-formed, or deeper than libxml2's 256 elements).
    """
    _refuse_doctype(data, part)
    if data.count(b"<") + 2 * data.count(b"=") > MAX_NODES:
        message = gettext_noop("Part %(part)s has more than %(limit)d elements and attributes. Split the document into several.")
        raise Refused("xml_too_large", message, part=part[:MAX_NAME], limit=MAX_NODES)
    try:
        root = etree.fromstring(data, _parser())
    except (etree.XMLSyntaxError, ValueError) as fault:
        raise _damaged(part) from fault
    if root.getroottree().docinfo.internalDTD is not None:  # in an encoding that nobody looked for above
        raise _doctype(part)
    return root


def stream(data: bytes, part: str, names: Collection[str]) -> Iterator[Element]:
    """The elements with these names (without namespaces) as they end, each empty again when the next is asked for.

    For parts that are too long for a tree. Raises Refused as `parse` does, but for `xml_too_large`.
    """
    _refuse_doctype(data, part)
    parser = etree.iterparse(
        io.BytesIO(data),
        events=("end",),
        tag=[f"{{*}}{name}" for name in names],
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for _, element in parser:
            if element.getroottree().docinfo.internalDTD is not None:
                raise _doctype(part)
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as fault:
        raise _damaged(part) from fault


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )


def _refuse_doctype(data: bytes, part: str) -> None:
    """Before parsing: a document type can name files, and entities that grow without end."""
    if any(doctype in data for doctype in _DOCTYPES):
        raise _doctype(part)


def integer(text: str | None, default: int = 0) -> int:
    """A whole number of at most nine digits, else the default."""
    return int(text) if text and _INTEGER.fullmatch(text) else default


def _doctype(part: str) -> Refused:
    message = gettext_noop(
        "Part %(part)s declares a document type (DOCTYPE), through which files and endless text could get in. "
        "Save the document again in the program it was made with."
    )
    return Refused("xml_doctype", message, part=part[:MAX_NAME])


def _damaged(part: str) -> Refused:
    message = gettext_noop(
        "Part %(part)s of this file is damaged: it is not well-formed XML, or its elements lie too deep inside one another. "
        "Save the document again in the program it was made with."
    )
    return Refused("xml_damaged", message, part=part[:MAX_NAME])
