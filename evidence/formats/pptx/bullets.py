"""Bullets: what PowerPoint shows before a paragraph, which is not in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from evidence.formats import symbols
from evidence.formats.drawing import A
from evidence.formats.markers import BULLET, numeral
from evidence.formats.xml import Element, integer

LEVELS: Final = 9
MAX_NUMBER: Final = 32_767

_KINDS: Final = (f"{A}buNone", f"{A}buChar", f"{A}buAutoNum", f"{A}buBlip")
_FORM: Final = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain|Minus)")
_STYLES: Final = {"arabic": "1", "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_AROUND: Final = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}", "Minus": "- {} -"}


class Bullets:
    """Goes through the paragraphs of one text. styles: list styles (`a:lstStyle`), the nearest first."""

    def __init__(self, styles: Sequence[Element]) -> None:
        self._styles = styles
        self._counted: list[tuple[str, int] | None] = [None] * LEVELS

    def next(self, properties: Element | None) -> tuple[str, int]:
        """Marker, empty for none, and level (from 0) of the next paragraph that has words."""
        level = max(0, min(integer(None if properties is None else properties.get("lvl")), LEVELS - 1))
        said = [one for one in (properties, *(style.find(f"{A}lvl{level + 1}pPr") for style in self._styles)) if one is not None]
        bullet = _first(said, _KINDS)
        last, self._counted[level:] = self._counted[level], [None] * (LEVELS - level)
        if bullet is None or bullet.tag == f"{A}buNone":
            return "", level
        if bullet.tag != f"{A}buAutoNum":
            font = _first(said, (f"{A}buFont",))
            return _sign(bullet, "" if font is None else font.get("typeface", "")), level
        form, start = bullet.get("type", ""), max(1, min(integer(bullet.get("startAt"), 1), MAX_NUMBER))
        number = last[1] + 1 if last is not None and last[0] == f"{form} {start}" else start
        self._counted[level] = (f"{form} {start}", number)
        return _numbered(number, form), level


def _first(parents: Iterable[Element], tags: Sequence[str]) -> Element | None:
    return next((child for parent in parents for child in parent.iterchildren(tags)), None)


def _sign(bullet: Element, font: str) -> str:
    shown = symbols.shown(bullet.get("char", BULLET), font).strip()[:1]
    is_private = "\ue000" <= shown <= "\uf8ff" or shown == symbols.UNKNOWN
    return BULLET if is_private or bullet.tag == f"{A}buBlip" else shown


def _numbered(number: int, form: str) -> str:
    found = _FORM.fullmatch(form)
    return _AROUND[found[2]].format(numeral(number, _STYLES[found[1]])) if found else f"{number}."
