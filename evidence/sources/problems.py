"""Why rights can't be used: said in English where it is found and kept so, for programs and logs; told to people from that.

A reason is a template filled with values. Which one it was can be seen from the text, so that reasons that were kept long ago
are told in every language, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from evidence.errors import gettext_noop

MAX_PROBLEM: Final = 300
"""What Document.rights_problem holds."""
NOTHING_STATED: Final = gettext_noop("no rights are stated")
NO_LIST: Final = gettext_noop("%(where)s: not a list")
EMPTY_LIST: Final = gettext_noop("%(where)s: an empty list")
NO_PRINCIPAL: Final = gettext_noop("%(where)s: “%(value)s” is neither group:NAME nor user:NAME")
UNKNOWN_PRINCIPAL: Final = gettext_noop("unknown principal %(name)s: the tenant has none of this name")
DIFFERENT_RIGHTS: Final = gettext_noop("The states of this document have different rights.")
NOT_KNOWN: Final = gettext_noop("refused: its rights are not known")
NOBODY_LEFT: Final = gettext_noop("none of those who could read it may do so now, and its new content has not been taken in")
DRILL: Final = gettext_noop("revocation drill: the right was withdrawn")
_ALL: Final = (
    NO_PRINCIPAL,
    NO_LIST,
    EMPTY_LIST,
    UNKNOWN_PRINCIPAL,
    NOTHING_STATED,
    DIFFERENT_RIGHTS,
    NOT_KNOWN,
    NOBODY_LEFT,
    DRILL,
)
_VALUE: Final = re.compile(r"%\((\w+)\)s")


def fill(template: str, **values: object) -> str:
    """The reason to keep. Values are cut, so that the words around them, which say what is wrong, always fit."""
    room = (MAX_PROBLEM - len(template)) // max(len(values), 1)
    return template % {name: str(value)[:room] for name, value in values.items()}


def told(problem: str) -> tuple[str, Mapping[str, str]] | None:
    """The template and the values that a kept reason was made of; None for a text that none of them makes."""
    for template in _ALL:
        if found := _pattern(template).fullmatch(problem):
            return template, found.groupdict()
    return None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    words = _VALUE.split(template)  # texts, and between them the names of values
    parts = [f"(?P<{part}>.*?)" if number % 2 else re.escape(part) for number, part in enumerate(words)]
    return re.compile("".join(parts), re.DOTALL)
