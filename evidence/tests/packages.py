"""Plain functions that build office files from a few words of XML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Final

from evidence.content import Content

RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES: Final = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": RELATIONS,
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
_CORE: Final = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"


def package(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def relations(targets: Mapping[str, str]) -> str:
    """A part of relationships: id -> "kind target", or "kind http://address" for what lies outside."""
    lines = []
    for name, said in targets.items():
        kind, target = said.split(" ", 1)
        mode = ' TargetMode="External"' if ":" in target else ""
        kind = kind if ":" in kind else f"{RELATIONS}/{kind}"
        lines.append(f'<Relationship Id="{name}" Type="{kind}" Target="{target}"{mode}/>')
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(lines)}</Relationships>'


def office(main: str, root: str, *, title: str | None = None, properties: str = "", **parts: str | bytes) -> bytes:
    """An office file whose main part (a path) is this XML. properties: what its program says. parts: other files by path."""
    targets = {"main": f"officeDocument {main}", "core": f"{_CORE} core.xml", "more": "extended-properties more.xml"}
    files: dict[str, str | bytes] = {"_rels/.rels": relations(targets)}
    if properties:
        files["more.xml"] = properties
    if title is not None:
        files["core.xml"] = f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c>'
    return package({**files, main: root, **parts})


def outline(content: Content) -> list[str]:
    """Each passage: its kind and level in short, and its text."""
    return [f"{one.kind[0]}{one.level or ''} {content.text[one.start : one.end]}" for one in content.passages]


def marked(content: Content, kind: str) -> list[str]:
    """The texts of all spans of a kind."""
    return [content.text[span.start : span.end] for span in content.spans if span.kind == kind]
