"""Path patterns: which paths a rule is about, and the parts of a name that its values may use.

`*` stands for anything within one name, `**` for any number of folders, `{part}` for a piece of a name that is kept; the
rest is literal. A part is as short as the pattern allows. `{date}` matches only a day written YYYY-MM-DD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import takewhile
from operator import itemgetter
from typing import Final

import unicodedata2

from evidence.errors import Refused, gettext_noop

MAX_PATH: Final = 1000
"""Code points of a path inside its source; Revision.path holds no more."""
MAX_WILDCARDS: Final = 3
"""In one name, beside {date}. With three a long name that almost fits costs 20 ms, with four a second."""
MAX_DEPTHS: Final = 2
"""How often `**` may stand in one pattern, for the same reason."""
KNOWN_PARTS: Final = frozenset({"path", "folder", "name"})
"""Parts that every path has: itself without its ending, its folders, and its name without its ending."""

_WILD: Final = frozenset("*{")
_TOKEN = re.compile(r"\*|\{[a-z_]+\}|[{}]|[^*{}]+")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern. `parts` are the names that its values may use beside `KNOWN_PARTS`.

    anchor: the names that it begins with and that hold nothing but themselves. expression: None when there are no others.
    """

    text: str
    parts: Set[str]
    anchor: str
    expression: re.Pattern[str] | None

    def match(self, path: str) -> dict[str, str] | None:
        """The captured parts when the whole path fits, else None. The path is NFC and relative, with `/`."""
        if self.expression is None:
            return {} if path == self.anchor else None
        found = self.expression.fullmatch(path)
        return None if found is None else found.groupdict()


class Patterns:
    """Patterns in their order. Of ten thousand only those are tried on a path whose anchor it begins with."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._anchored: dict[str, list[tuple[int, Pattern]]] = {}
        for number, pattern in enumerate(patterns):
            self._anchored.setdefault(pattern.anchor, []).append((number, pattern))

    def matches(self, path: str) -> Iterator[tuple[int, dict[str, str]]]:
        """The number of each pattern that fits, in their order, with what it captured."""
        for number, pattern in sorted(self._tried(path), key=itemgetter(0)):
            captured = pattern.match(path)
            if captured is not None:
                yield number, captured

    def _tried(self, path: str) -> Iterator[tuple[int, Pattern]]:
        yield from self._anchored.get("", ())
        end = path.find("/")
        while end != -1:
            yield from self._anchored.get(path[:end], ())
            end = path.find("/", end + 1)
        yield from self._anchored.get(path, ())


def compile_pattern(text: str, where: str) -> Pattern:
    """The pattern in this text; `where` begins the message of the Refused that a wrong one raises."""
    names = unicodedata2.normalize("NFC", text).split("/")
    if len(text) > MAX_PATH or not {"", ".", ".."}.isdisjoint(names):
        raise _wrong(where, gettext_noop("%(where)s: “%(pattern)s” is not a path inside the folder."), text)
    if names.count("**") > MAX_DEPTHS:
        raise _wrong(where, gettext_noop("%(where)s: “%(pattern)s” holds ** more than %(limit)d times."), text, MAX_DEPTHS)
    parts: set[str] = set()
    expressions = [_expression(name, parts, where, text) for name in names[:-1]]
    above = "".join("(?:[^/]+/)*" if name == "**" else f"{regex}/" for name, regex in zip(names, expressions, strict=False))
    last = ".+" if names[-1] == "**" else _expression(names[-1], parts, where, text)
    anchor = "/".join(takewhile(lambda name: not _WILD.intersection(name), names))
    literal = anchor == "/".join(names)
    return Pattern(text, frozenset(parts), anchor, None if literal else re.compile(above + last, re.DOTALL))


def known_parts(path: str) -> dict[str, str]:
    """The values of `KNOWN_PARTS` for this path."""
    folder, _, file_name = path.rpartition("/")
    name = file_name.rpartition(".")[0] or file_name
    return {"path": f"{folder}/{name}" if folder else name, "folder": folder, "name": name}


def unknown_placeholder(template: str, parts: Set[str]) -> str | None:
    """The first thing in braces that is none of these parts, or a stray brace."""
    for token in _TOKEN.findall(template):
        if token[0] in "{}" and token[1:-1] not in parts:
            return str(token)
    return None


def fill(template: str, parts: Mapping[str, str]) -> str:
    """The template with each `{part}` replaced, once: what a part brings in is not looked at again."""
    return _PLACEHOLDER.sub(lambda found: parts[found[1]], template)


def _expression(name: str, parts: set[str], where: str, pattern: str) -> str:
    """The regular expression for one name; adds the parts that it captures."""
    if name == "**":
        return ""
    tokens = _TOKEN.findall(name)
    if sum(token[0] in "*{" and token != "{date}" for token in tokens) > MAX_WILDCARDS:
        message = gettext_noop("%(where)s: one name in “%(pattern)s” holds more than %(limit)d of * and {part} (beside {date}).")
        raise _wrong(where, message, pattern, MAX_WILDCARDS)
    return "".join(_token(token, parts, where, pattern) for token in tokens)


def _token(token: str, parts: set[str], where: str, pattern: str) -> str:
    if token == "*":
        return "[^/]*?"
    if token[0] not in "{}":
        return re.escape(token)
    part = token[1:-1]
    if not part or part in KNOWN_PARTS:
        message = gettext_noop("%(where)s: “%(pattern)s” has a brace without a name of its own (small letters and _).")
        raise _wrong(where, message, pattern)
    if part in parts:
        return f"(?P={part})"
    parts.add(part)
    return f"(?P<{part}>{'[0-9]{4}-[0-9]{2}-[0-9]{2}' if part == 'date' else '[^/]+?'})"


def _wrong(where: str, template: str, pattern: str, limit: int = 0) -> Refused:
    return Refused("rules_pattern", template, where=where, pattern=pattern[:MAX_PATH], limit=limit)
