"""Plain functions that build Word files from a few words of XML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evidence import profile
from evidence.content import Content
from evidence.formats import FORMATS, extract
from evidence.tests.packages import NAMESPACES, office, relations

WORD = FORMATS[".docx"]


def docx(
    body: str,
    *,
    title: str | None = None,
    links: Mapping[str, str] | None = None,
    styles: str = "",
    numbering: str = "",
    settings: str = "",
    files: Mapping[str, str] | None = None,
    **others: str,
) -> bytes:
    """A Word file.

    links: more relationships of the document. files: more files beside it. others: insides of `footnotes`, `header1` and so on.
    """
    tags = {"styles": styles, "numbering": numbering, "settings": settings, **others}
    inside = {name: text for name, text in tags.items() if text}
    targets = {name: f"{name.rstrip('0123456789')} {name}.xml" for name in inside}
    parts = {f"word/{name}.xml": _part(name, text) for name, text in inside.items()}
    parts |= {f"word/{name}": text for name, text in (files or {}).items()}
    parts["word/_rels/document.xml.rels"] = relations({**targets, **(links or {})})
    root = f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>"
    return office("word/document.xml", root, title=title, **parts)


def _part(name: str, text: str) -> str:
    tag = {"header": "hdr", "footer": "ftr"}.get(name.rstrip("0123456789"), name.rstrip("0123456789"))
    return f"<w:{tag} {NAMESPACES}>{text}</w:{tag}>"


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inside: str, properties: str = "", *, style: str = "") -> str:
    """A paragraph: runs, or just words."""
    runs = inside if inside.startswith("<") or not inside else run(inside)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{runs}</w:p>"


def read(body: str, **parts: Any) -> Content:
    """What is read of a file with this body."""
    content = extract(WORD, docx(body, **parts))
    assert content.text == profile.normalise(content.text)
    return content


def style(name: str, inside: str = "", *, kind: str = "paragraph", based: str = "", named: str = "") -> str:
    """A style; inside: its properties. based: on the style of this id. named: its name, if that is not its id."""
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{named or name}"/>{on}{inside}</w:style>'


def level(at: int, pattern: str, form: str = "decimal", inside: str = "") -> str:
    """A level of a list, which starts at 1 unless it says so."""
    start = "" if "<w:start" in inside else '<w:start w:val="1"/>'
    return f'<w:lvl w:ilvl="{at}">{start}<w:numFmt w:val="{form}"/><w:lvlText w:val="{pattern}"/>{inside}</w:lvl>'


def lists(*levels: str, more: str = "") -> str:
    """Definition 0 and list 1 of it."""
    definition = f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>'
    return f'{definition}{more}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'


def item(words: str, at: int = 0, number: int = 1) -> str:
    """A paragraph at a level of a list."""
    return paragraph(words, f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>')


def cell(inside: str, properties: str = "") -> str:
    """A cell: paragraphs, or just words."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside if inside.startswith('<') else paragraph(inside)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    """A row of cells, or of words."""
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(one if one.startswith('<') else cell(one) for one in cells)}</w:tr>"


def table(*rows: str, properties: str = "") -> str:
    """A table of rows."""
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(rows)}</w:tbl>"


def nested(before: str, inside: str, after: str, times: int) -> str:
    """Something inside so many elements."""
    return before * times + inside + after * times
