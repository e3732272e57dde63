"""Depth: what lies so deep inside one another that reading it would take minutes is refused before it is tried."""

from __future__ import annotations

import re
from typing import Final

from evidence.errors import Refused, gettext_noop
from evidence.formats.elements import WITHOUT_END

MAX_WORK: Final = 1_000_000_000
"""Tags times depth, which is what the parser's time grows with: 100,000 elements inside one another took it 10 s."""

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")


def too_deep() -> Refused:
    """The refusal of a text whose elements lie too deep inside one another."""
    return Refused("markup_too_deep", gettext_noop("Lists, quotes or elements lie too deep inside one another to be read."))


def refuse_deep(html: str) -> None:
    """Before parsing: depth is counted as if only a matching end tag closed an element, which is never too little."""
    tags = deepest = 0
    unclosed: list[str] = []
    for match in _TAG.finditer(html):
        tags += 1
        name = match[2].lower()
        if match[1]:
            if unclosed and unclosed[-1] == name:
                unclosed.pop()
        elif name not in WITHOUT_END:
            unclosed.append(name)
            deepest = max(deepest, len(unclosed))
    if tags * deepest > MAX_WORK:
        raise too_deep()
