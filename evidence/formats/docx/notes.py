"""Footnotes and endnotes: their numbers, counted in the order of their references."""

from __future__ import annotations

from typing import Final

from evidence.formats.docx.names import W, value
from evidence.formats.docx.numbering import MAX_NUMBER, written
from evidence.formats.xml import Element, integer

_SEPARATORS: Final = ("separator", "continuationSeparator", "continuationNotice")


class Notes:
    """The notes of one kind ("footnote", "endnote").

    Numbers that begin anew on every page go on counting: pages are not known.
    """

    def __init__(self, kind: str, root: Element | None, settings: Element | None, form: str) -> None:
        self._properties = f"{W}{kind}Pr"
        self._bodies: dict[str, Element] = {}
        self._form = form
        self._start = 1
        self._restarts = False
        self._numbers: dict[str, str] = {}
        for element in () if root is None else root.iterchildren(f"{W}{kind}"):
            if element.get(f"{W}type") not in _SEPARATORS:
                self._bodies.setdefault(element.get(f"{W}id", ""), element)
        self._set(settings)
        self._next = self._start

    def begin_section(self, section: Element) -> None:
        """section: the `w:sectPr` of what follows."""
        self._set(section)
        if self._restarts:
            self._next = self._start

    def number(self, name: str) -> str:
        """The number of a note, given to it when it is first referred to."""
        if name not in self._numbers:
            self._numbers[name] = written(self._next, self._form)
            self._next = min(self._next + 1, MAX_NUMBER)
        return self._numbers[name]

    def take(self, name: str) -> Element | None:
        """The text of a note, once; None if there is none or it was taken."""
        return self._bodies.pop(name, None)

    def _set(self, parent: Element | None) -> None:
        properties = None if parent is None else parent.find(self._properties)
        self._form = value(properties, "numFmt") or self._form
        self._start = max(0, min(integer(value(properties, "numStart"), self._start), MAX_NUMBER))
        restart = value(properties, "numRestart")
        self._restarts = self._restarts if restart is None else restart == "eachSect"
