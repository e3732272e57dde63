"""Numbering: the numbers that Word shows before paragraphs. They are not in the text: they are counted.

Lists that come from one definition (`w:abstractNum`) count together, unless one of them says where it starts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from evidence.formats import symbols
from evidence.formats.docx.looks import is_on
from evidence.formats.docx.names import VAL, W, value
from evidence.formats.markers import BULLET, numeral
from evidence.formats.xml import Element, integer

LEVELS: Final = 9
MAX_NUMBER: Final = 32_767
"""Where Word stops counting."""
MAX_PATTERN: Final = 100
"""Characters around the numbers of a level; more is no number, and every paragraph of the list would repeat it."""
MAX_LINKS: Final = 9
"""Numbering styles that stand for one another; Word makes one step."""
MAX_LETTERS: Final = 780
"""Thirty times the alphabet: what Word numbers with letters at most."""

_PLACE: Final = re.compile(r"%([1-9])")
_HOLLOW_BULLET: Final = "◦"
_CHICAGO: Final = "*†‡§"
_ROMAN: Final = {"lowerRoman": "i", "upperRoman": "I"}
_LETTERS: Final = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "upperLetter": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
}


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list. restart: number of the level (from 1) whose items restart it, None for any above, 0 for never."""

    form: str = "decimal"
    pattern: str = ""
    start: int = 1
    restart: int | None = None
    legal: bool = False
    style: str = ""


@dataclass(slots=True)
class _Counts:
    """What one definition has counted so far; None for a level that starts with its next item."""

    numbers: list[int | None] = field(default_factory=lambda: [None] * LEVELS)
    begun: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _List:
    """A list as paragraphs name it. starts: where it begins to count in levels for which it says so."""

    definition: str
    levels: Mapping[int, Level]
    starts: Mapping[int, int]


class Numbering:
    """Counts through a document. linked: the lists that numbering styles stand for, by their ids."""

    def __init__(self, root: Element | None, linked: Mapping[str, str]) -> None:
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, _Counts] = {}
        if root is not None:
            self._take(root, linked)

    def level_of(self, number: str, style: str) -> int | None:
        """The level of a list that belongs to a paragraph style."""
        named = self._lists.get(number)
        return None if named is None or not style else next((at for at, lvl in named.levels.items() if lvl.style == style), None)

    def next(self, number: str, at: int) -> str:
        """The marker of the next paragraph at a level (from 0) of a list; empty if none is shown or there is no such list."""
        named = self._lists.get(number)
        if named is None or not 0 <= at < LEVELS:
            return ""
        counts = self._counts.setdefault(named.definition, _Counts())
        if number not in counts.begun:
            counts.begun.add(number)
            for level in named.starts:
                counts.numbers[level] = None
        self._count(named, counts.numbers, at)
        return _marker(named, counts.numbers, at)

    def _count(self, named: _List, numbers: list[int | None], at: int) -> None:
        """A level that was left out above counts as one item: after 1.1 without a 1 comes 2."""
        for above in range(at):
            if numbers[above] is None:
                numbers[above] = _start(named, above)
        last = numbers[at]
        numbers[at] = _start(named, at) if last is None else min(last + 1, MAX_NUMBER)
        for below in range(at + 1, LEVELS):
            restart = named.levels.get(below, _NO_LEVEL).restart
            if restart is None or at < restart:
                numbers[below] = None

    def _take(self, root: Element, linked: Mapping[str, str]) -> None:
        definitions = {one.get(f"{W}abstractNumId", ""): one for one in root.iterchildren(f"{W}abstractNum")}
        numbers = {one.get(f"{W}numId", ""): one for one in root.iterchildren(f"{W}num")}
        levels: dict[str, Mapping[int, Level]] = {}
        for number, element in numbers.items():
            definition = _definition(number, numbers, definitions, linked)
            if definition is None:
                continue
            if definition not in levels:
                levels[definition] = dict(map(_level, definitions[definition].iterchildren(f"{W}lvl")))
            self._lists[number] = _list(definition, levels[definition], element)


_NO_LEVEL: Final = Level()


def _definition(
    number: str, numbers: Mapping[str, Element], definitions: Mapping[str, Element], linked: Mapping[str, str]
) -> str | None:
    """The definition behind a list, through the numbering styles that stand for others; None if they lead nowhere."""
    for _ in range(MAX_LINKS):
        definition = value(numbers.get(number), "abstractNumId")
        if definition is None or definition not in definitions:
            return None
        link = value(definitions[definition], "numStyleLink")
        if link is None:
            return definition
        number = linked.get(link, "")
    return None


def _list(definition: str, levels: Mapping[int, Level], element: Element) -> _List:
    own: dict[int, Level] = {}
    starts: dict[int, int] = {}
    for override in element.iterchildren(f"{W}lvlOverride"):
        at = integer(override.get(f"{W}ilvl"), -1)
        if not 0 <= at < LEVELS:
            continue
        replaced = override.find(f"{W}lvl")
        if replaced is not None:
            own[at] = _level(replaced)[1]
        start = value(override, "startOverride")
        if start is not None:
            starts[at] = _limited(start)
    return _List(definition, {**levels, **own}, starts)


def _level(element: Element) -> tuple[int, Level]:
    restart = value(element, "lvlRestart")
    form = value(element, "numFmt")
    if form is None:  # newer forms stand in an AlternateContent, with an older one to fall back on
        form = next((found.get(VAL, "") for found in element.iter(f"{W}numFmt")), "decimal")
    pattern = (value(element, "lvlText") or "")[:MAX_PATTERN]
    if form == "bullet":
        pattern = _bullet(pattern, element)
    if is_on(element.find(f"{W}rPr/{W}vanish")):
        form, pattern = "none", ""
    level = Level(
        form=form,
        pattern=pattern,
        start=_limited(value(element, "start") or "0"),
        restart=None if restart is None else integer(restart),
        legal=is_on(element.find(f"{W}isLgl")),
        style=value(element, "pStyle") or "",
    )
    return integer(element.get(f"{W}ilvl"), -1), level


def _bullet(pattern: str, element: Element) -> str:
    if element.find(f"{W}lvlPicBulletId") is not None:
        return BULLET
    fonts = element.find(f"{W}rPr/{W}rFonts")
    font = "" if fonts is None else fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi") or ""
    shown = symbols.shown(pattern.strip(), font)
    if shown == "o":
        return _HOLLOW_BULLET
    is_private = any("\ue000" <= sign <= "\uf8ff" or sign == symbols.UNKNOWN for sign in shown)
    return BULLET if is_private else shown


def _limited(number: str) -> int:
    return max(0, min(integer(number, 1), MAX_NUMBER))


def _start(named: _List, at: int) -> int:
    return named.starts.get(at, named.levels.get(at, _NO_LEVEL).start)


def _marker(named: _List, numbers: list[int | None], at: int) -> str:
    level = named.levels.get(at, _NO_LEVEL)
    if level.form == "bullet":
        return level.pattern

    def number(place: re.Match[str]) -> str:
        which = int(place[1]) - 1
        value = numbers[which]
        form = named.levels.get(which, _NO_LEVEL).form
        if value is None or form == "bullet":
            return ""
        return written(value, "decimal" if level.legal and form != "none" else form)

    return _PLACE.sub(number, level.pattern).strip()


def written(number: int, form: str) -> str:
    """A number in one of Word's forms; one that is not known, or has no such number, is written in digits."""
    match form:
        case "none":
            return ""
        case "lowerRoman" | "upperRoman":
            return numeral(number, _ROMAN[form])
        case "lowerLetter" | "upperLetter" | "russianLower" | "russianUpper" if 0 < number <= MAX_LETTERS:
            times, letter = divmod(number - 1, len(_LETTERS[form]))
            return _LETTERS[form][letter] * (times + 1)
        case "decimalZero":
            return f"{number:02}"
        case "ordinal":
            return f"{number}."
        case "numberInDash":
            return f"- {number} -"
        case "chicago" if 0 < number <= 4 * MAX_LETTERS:
            times, sign = divmod(number - 1, len(_CHICAGO))
            return _CHICAGO[sign] * min(times + 1, MAX_PATTERN)
        case "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if 0 < number <= 20:
            return chr(ord("①") + number - 1)
    return str(number)
