"""Sections: which running headers and footers a document shows on its pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from evidence.formats.docx.looks import is_on
from evidence.formats.docx.names import W
from evidence.formats.opc import RELATION
from evidence.formats.xml import Element

_SHOWN_FIRST: Final = ("first", "default", "even")


def sections(body: Element) -> Sequence[Element]:
    """The `w:sectPr` of each section in order; what one of them was before a tracked change is none."""
    return [found for found in body.iter(f"{W}sectPr") if _is_current(found)]


def running(found: Iterable[Element], kind: str, settings: Element | None) -> Sequence[str]:
    """Ids of the relationships to the headers or footers (kind: "header", "footer") that are shown, each once, in order.

    A section without one of its own shows that of the section before; the first page and even pages have theirs only where
    that is switched on.
    """
    even = settings is not None and is_on(settings.find(f"{W}evenAndOddHeaders"))
    current: dict[str, str] = {}
    shown: dict[str, None] = {}
    for section in found:
        for reference in section.iterchildren(f"{W}{kind}Reference"):
            current[reference.get(f"{W}type", "default")] = reference.get(f"{RELATION}id", "")
        switched = {"default": True, "first": is_on(section.find(f"{W}titlePg")), "even": even}
        shown.update((current[which], None) for which in _SHOWN_FIRST if switched[which] and which in current)
    return list(shown)


def _is_current(section: Element) -> bool:
    parent = section.getparent()
    return parent is not None and parent.tag != f"{W}sectPrChange"
