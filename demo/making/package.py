"""Zip packages as office programs write them: parts with names, the same bytes each time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Final

_MADE: Final = (2026, 1, 1, 0, 0, 0)
CORE: Final = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
"""The kind of relationship that leads to title and author."""
XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'


def package(parts: Mapping[str, str | bytes], *, stored: str = "") -> bytes:
    """A zip file of these parts in their order. stored: the part that is not compressed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _MADE)
            entry.compress_type = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            made.writestr(entry, content)
    return stream.getvalue()


def content_types(kinds: Mapping[str, str]) -> str:
    """[Content_Types].xml of an OOXML package: part -> content type."""
    base = "application/vnd.openxmlformats-"
    overrides = "".join(f'<Override PartName="/{part}" ContentType="{base}{kind}"/>' for part, kind in kinds.items())
    return (
        f'{XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{base}package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def relationships(targets: Mapping[str, str]) -> str:
    """A .rels part: target -> its kind, whole or the last word of it; ids are rId1, rId2 and so on."""
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    rows = "".join(
        f'<Relationship Id="rId{number}" Type="{kind if "://" in kind else base + kind}" Target="{target}"/>'
        for number, (target, kind) in enumerate(targets.items(), 1)
    )
    return f'{XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def core(title: str, author: str) -> str:
    """The part that CORE leads to."""
    return (
        f'{XML}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title><dc:creator>{author}</dc:creator>'
        "</cp:coreProperties>"
    )
