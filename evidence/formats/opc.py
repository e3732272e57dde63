"""Open Packaging Conventions: the parts of Word, Excel and PowerPoint files, and how they refer to each other.

The Strict variant has names of its own for the same things: they become the usual (Transitional) ones when a part is read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.formats import xml
from evidence.formats.package import Package, damaged
from evidence.formats.titles import sensible
from evidence.formats.xml import Element

RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
"""Namespace of the attributes that name a relationship (`r:id`)."""
MAX_TARGET: Final = 1_000
"""Characters of a link's target; a longer one is no address that anyone reads, and many links can have the same one."""

_RELATIONSHIP: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_STRICT: Final = "{http://purl.oclc.org/ooxml/"
_TRANSITIONAL: Final = "{http://schemas.openxmlformats.org/"


@dataclass(frozen=True, slots=True)
class Relationship:
    """kind: last word of its type ("hyperlink"). target: name of a part; where it is external, an address that is only shown."""

    kind: str
    target: str
    external: bool


class Office:
    """The parts of an office file. Raises Refused as Package and `xml.parse` do."""

    def __init__(self, data: bytes) -> None:
        self._package = Package(data)
        self._own = self.relationships("")

    def main(self) -> tuple[str, Element]:
        """Name and root of the part that everything else belongs to."""
        for relationship in self._own.values():
            if relationship.kind == "officeDocument":
                root = self.tree(relationship.target)
                if root is not None:
                    return relationship.target, root
        raise damaged()

    def tree(self, part: str) -> Element | None:
        """The root of a part, with Transitional names; None if there is no such part."""
        data = self._package.read(part)
        if data is None:
            return None
        root = xml.parse(data, part)
        if _STRICT[1:].encode() in data:
            _rename(root)
        return root

    def bytes(self, part: str) -> bytes | None:
        """The bytes of a part; None if there is no such part."""
        return self._package.read(part)

    def relationships(self, part: str) -> Mapping[str, Relationship]:
        """What a part refers to, by id; of the whole file for an empty name."""
        folder, name = posixpath.split(part)
        data = self._package.read(posixpath.join(folder, "_rels", f"{name}.rels"))
        if data is None:
            return {}
        found = xml.parse(data, f"{name}.rels").iter(_RELATIONSHIP)
        return {one.get("Id", ""): _relationship(one, folder) for one in found}

    def related(self, part: str, kind: str) -> Iterator[str]:
        """Names of the parts of this kind that a part refers to."""
        yield from (one.target for one in self.relationships(part).values() if one.kind == kind and not one.external)

    def title(self) -> str:
        """The title that the file's properties give it, if anybody has chosen it; else empty."""
        root = self.property_part("core-properties")
        return "" if root is None else sensible(root.findtext(_TITLE) or "")

    def property_part(self, kind: str) -> Element | None:
        """The root of a part that says something about the whole file."""
        part = next((one.target for one in self._own.values() if one.kind == kind and not one.external), None)
        return None if part is None else self.tree(part)


def unexpected(part: str, root: Element) -> Refused:
    """The refusal of a file whose main part is something else than its ending says."""
    message = gettext_noop(
        "This file is not what its name says: its part %(part)s holds <%(tag)s>. Give it the ending that belongs to it."
    )
    tag = root.tag.rpartition("}")[2]
    return Refused("package_other_kind", message, part=part[: xml.MAX_NAME], tag=tag[: xml.MAX_NAME])


def _relationship(element: Element, folder: str) -> Relationship:
    kind = element.get("Type", "").rpartition("/")[2]
    target = element.get("Target", "")
    if element.get("TargetMode") == "External":
        return Relationship(kind, target if len(target) <= MAX_TARGET else "", True)
    return Relationship(kind, posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/"), False)


def _rename(root: Element) -> None:
    names: dict[str, str] = {}
    for element in root.iter():
        if element.tag.startswith(_STRICT):
            element.tag = _transitional(element.tag, names)
        for name in [name for name in map(str, element.keys()) if name.startswith(_STRICT)]:
            element.set(_transitional(name, names), element.attrib.pop(name))


def _transitional(name: str, names: dict[str, str]) -> str:
    """{http://purl.oclc.org/ooxml/drawingml/main}p -> {http://schemas.openxmlformats.org/drawingml/2006/main}p."""
    if name not in names:
        family, _, rest = name.removeprefix(_STRICT).partition("/")
        names[name] = f"{_TRANSITIONAL}{family}/2006/{rest}"
    return names[name]
