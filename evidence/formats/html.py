"""HTML and XHTML files: what their bytes say about their encoding, and their title; `markup` reads the rest.

The encoding: a byte order mark, else what was declared, else what the file says (a meta element or an XML declaration in its
first bytes), else as `encodings.as_browsers_do` guesses.
"""

from __future__ import annotations

import re
from typing import Final

import selectolax
import tinycss2
from selectolax.lexbor import LexborHTMLParser

from evidence import profile
from evidence.anchoring import Parser
from evidence.content import Content
from evidence.formats import encodings, markup
from evidence.formats.options import Options
from evidence.formats.writer import Writer

PARSER: Final = Parser(
    "html",
    f"1 selectolax={selectolax.__version__} tinycss2={tinycss2.__version__}",
    "encoding=bom,declared,meta,utf-8,windows-1252 styles=own",
)
MAX_PRESCAN: Final = 1024
"""Bytes in which a file must name its encoding (HTML, 13.2.3.2)."""

_XML: Final = re.compile(rb"""\s*<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']""", re.IGNORECASE)
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?\s*([^"'\s;]+)""", re.IGNORECASE)


def extract(data: bytes, options: Options) -> Content:
    """The content of an HTML file. Raises Refused: see `encodings.as_browsers_do`, `markup.parse` and `markup.write`."""
    read = encodings.as_browsers_do(data, declared=options.encoding, named=named_encoding(data))
    tree = markup.parse(read.text)
    writer = Writer()
    notes = markup.write(tree, writer)
    return writer.content(_title(tree), [*read.notes, *notes])


def named_encoding(data: bytes) -> str:
    """The encoding that the file names, as it writes it; empty where it names none.

    A name that can be read byte by byte is no name of two bytes for each letter: then it means UTF-8, as for browsers.
    """
    start = data[:MAX_PRESCAN]
    declaration = _XML.match(start)
    names = [*_meta_names(start), *([declaration[1].decode("ascii")] if declaration else ())]
    name = next((name for name in names if encodings.canonical(name)), "")
    return "utf-8" if (encodings.canonical(name) or "").startswith(("utf-16", "utf-32")) else name


def _meta_names(start: bytes) -> list[str]:
    names: list[str] = []
    for meta in LexborHTMLParser(start.decode("latin-1")).css("meta"):
        attributes = meta.attributes
        found = _CHARSET.search(attributes.get("content") or "")
        if attributes.get("charset"):
            names.append(attributes["charset"] or "")
        elif found and (attributes.get("http-equiv") or "").strip().lower() == "content-type":
            names.append(found[1])
    return names


def _title(tree: LexborHTMLParser) -> str:
    titles = (title for title in tree.css("title") if title.parent is None or title.parent.tag != "svg")
    return next((profile.normalise(" ".join(title.text(deep=True).split())) for title in titles), "")
