"""Depth: what lies so deep inside one another that reading it would take minutes is refused before it is tried."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.formats.elements import FORMATTING, WITHOUT_END

MAX_WORK: Final = 1_000_000_000
"""Tags times depth, which is what the parser's time grows with: 100,000 elements inside one another took it 10 s."""

MAX_REOPENED: Final = 1_000_000
"""Elements that begin again in later blocks, because they were not ended, at most: 500 MB, from a file of 13 KB."""

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)")
_ALIKE: Final = 3
"""How many that are alike begin again (HTML's "Noah's Ark clause")."""


def too_deep() -> Refused:
    """The refusal of a text whose elements lie too deep inside one another."""
    return Refused("markup_too_deep", gettext_noop("Lists, quotes or elements lie too deep inside one another to be read."))


def refuse_deep(html: str) -> None:
    """Before parsing: depth is counted as if only a matching end tag closed an element, which is never too little."""
    tags = deepest = reopened = 0
    unclosed: list[str] = []
    formatting = _Formatting()
    for match in _TAG.finditer(html):
        tags += 1
        name = match[2].lower()
        if match[1]:
            if unclosed and unclosed[-1] == name:
                unclosed.pop()
            formatting.end(name)
        elif name not in WITHOUT_END:
            unclosed.append(name)
            deepest = max(deepest, len(unclosed))
            formatting.begin(name, match[3])
        reopened += formatting.count
    if tags * deepest > MAX_WORK or reopened > MAX_REOPENED:
        raise too_deep()


class _Formatting:
    """Elements that were not ended and begin again in every block; `count` of them, those that are alike only so often."""

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[str, list[str]] = {}
        self._alike: Counter[tuple[str, str]] = Counter()

    def begin(self, name: str, attributes: str) -> None:
        if name in FORMATTING:
            key = (name, "" if name == "a" else attributes)  # a link ends the one before
            self._open.setdefault(name, []).append(key[1])
            self.count += self._alike[key] < _ALIKE
            self._alike[key] += 1

    def end(self, name: str) -> None:
        if self._open.get(name):
            key = (name, self._open[name].pop())
            self._alike[key] -= 1
            self.count -= self._alike[key] < _ALIKE
