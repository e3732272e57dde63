"""Numbering of OpenDocument: the numbers before list items and headings, which are counted and not in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evidence.formats import symbols
from evidence.formats.docx.numbering import MAX_NUMBER, MAX_PATTERN, written
from evidence.formats.markers import BULLET, numeral
from evidence.formats.odt.names import LIBREOFFICE, STYLE, TEXT
from evidence.formats.odt.styles import look
from evidence.formats.xml import Element, integer

LEVELS: Final = 10

_PLACE: Final = re.compile(r"%([0-9]{1,2})%")
_TOGETHER: Final = {"a": "lowerLetter", "A": "upperLetter"}
_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"
_UNNAMED: Final = ""

Numbers = list[int | None]
"""What has been counted in each level; None for one that starts with its next item."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list. form: of its numbers, empty for none. pattern: "%2%" is the number of level 2. bullet: instead."""

    form: str = ""
    pattern: str = ""
    bullet: str = ""
    start: int = 1
    together: bool = False


_NO_LEVEL: Final = Level()


class ListStyle:
    """The levels of a list, from 1."""

    def __init__(self, element: Element | None) -> None:
        self._levels: Mapping[int, Level] = dict(map(_level, () if element is None else element))

    def next(self, numbers: Numbers, at: int, start: int | None = None) -> str:
        """Count an item and give its marker.

        A level that was left out above counts as one item: after 1.1 without a 1 comes 2.
        """
        at = max(1, min(at, LEVELS))
        for above in range(at - 1):
            if numbers[above] is None:
                numbers[above] = self._at(above + 1).start
        last = numbers[at - 1]
        numbers[at - 1] = start if start is not None else self._at(at).start if last is None else min(last + 1, MAX_NUMBER)
        numbers[at:] = [None] * (LEVELS - at)
        return self._marker(numbers, at)

    def _at(self, at: int) -> Level:
        return self._levels.get(at, _NO_LEVEL)

    def _marker(self, numbers: Numbers, at: int) -> str:
        level = self._at(at)

        def number(place: re.Match[str]) -> str:
            which = int(place[1])
            value = numbers[which - 1] if 1 <= which <= LEVELS else None
            return "" if value is None else _written(value, self._at(which))

        return level.bullet or _PLACE.sub(number, level.pattern).strip()


class Numbering:
    """The lists of a document as they go on."""

    def __init__(self) -> None:
        self.outline: Numbers = [None] * LEVELS
        self._named: dict[str, Numbers] = {}
        self._last: dict[str, Numbers] = {}

    def begin(self, element: Element, style: str) -> Numbers:
        """What a list begins to count with: anew, or where another one has ended."""
        named = self._named.get(element.get(f"{TEXT}continue-list", _UNNAMED))
        last = self._last.get(style) if element.get(f"{TEXT}continue-numbering") == "true" else None
        numbers = named or last or [None] * LEVELS
        self._last[style] = numbers
        if element.get(_ID):
            self._named[element.get(_ID, "")] = numbers
        return numbers

    def named(self, name: str) -> Numbers:
        """What the numbered paragraphs of one name have counted."""
        return self._named.setdefault(f"paragraphs {name}", [None] * LEVELS)


def starting(element: Element, name: str = "start-value") -> int | None:
    """The number that an item begins with, if it says so."""
    said = element.get(f"{TEXT}{name}")
    return None if said is None else max(0, min(integer(said, 1), MAX_NUMBER))


def _level(element: Element) -> tuple[int, Level]:
    at = integer(element.get(f"{TEXT}level"), 1)
    if element.tag == f"{TEXT}list-level-style-bullet":
        return at, Level(bullet=_bullet(element))
    if element.tag == f"{TEXT}list-level-style-image":
        return at, Level(bullet=BULLET)
    form = element.get(f"{STYLE}num-format", "")
    before, after = (element.get(f"{STYLE}num-{name}", "")[:MAX_PATTERN] for name in ("prefix", "suffix"))
    first = max(1, at + 1 - integer(element.get(f"{TEXT}display-levels"), 1))
    pattern = element.get(f"{LIBREOFFICE}num-list-format", "")[:MAX_PATTERN]
    if not pattern:
        pattern = before + ".".join(f"%{level}%" for level in range(first, min(at, LEVELS) + 1)) + after
    start = starting(element)
    together = element.get(f"{STYLE}num-letter-sync") == "true"
    return at, Level(form, pattern if form else "", "", 1 if start is None else start, together)


def _bullet(element: Element) -> str:
    font = look(element.find(f"{STYLE}text-properties")).font
    shown = symbols.shown(element.get(f"{TEXT}bullet-char", BULLET)[:MAX_PATTERN], font)
    is_private = any("\ue000" <= sign <= "\uf8ff" or sign == symbols.UNKNOWN for sign in shown)
    return BULLET if is_private else shown


def _written(number: int, level: Level) -> str:
    if not level.form:
        return ""
    if level.together and level.form in _TOGETHER:
        return written(number, _TOGETHER[level.form])
    return numeral(number, level.form)
