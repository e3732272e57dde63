"""Selectors: what a style rule asks of elements, read from its tokens.

Not understood: namespaces, `:has()`, `:nth-last-child()` and other functions, and combinators inside a function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

import tinycss2
from tinycss2.nth import parse_nth

from evidence.formats.elements import names

MAX_COMPOUNDS: Final = 20
"""Parts of one selector between its combinators."""

_STATIC: Final = names(
    "any-link checked disabled empty first-child first-of-type last-child last-of-type link only-child only-of-type required root"
)
_NOT_AT_FIRST: Final = names(
    "active autofill focus focus-visible focus-within fullscreen hover modal playing popover-open target user-invalid user-valid"
    " visited"
)
_LISTS: Final = ("is", "matches", "not", "where")
_PLAIN: Final = re.compile(r"[a-z_][\w-]*", re.ASCII | re.IGNORECASE)
_PSEUDO_ELEMENTS: Final = ("after", "before", "first-letter", "first-line")

Node = Any  # of tinycss2, which has no types


@dataclass(frozen=True, slots=True)
class Compound:
    """What is asked of one element. text: as CSS; nth: pairs of a and b in an+b, for its place among its siblings."""

    text: str
    nth: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds with a combinator (" ", ">", "+", "~") between each two.

    specificity: ids, classes and the like, types.
    """

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: tuple[int, int, int]


class _NotUnderstood(Exception):
    """A selector with something in it that is not known here."""


class _NeverFits(Exception):
    """A selector that no element fits as the page is first shown, or that is for text that is not in the file."""


def parse_selectors(prelude: Sequence[Node], names: Set[str] | None) -> tuple[Sequence[Selector], bool]:
    """The selectors of a rule that can fit an element, and whether all of them were understood.

    names: `Elements.names` of the document, where one that is not among them can fit nothing; None inside of a function.
    """
    found: list[Selector] = []
    understood = True
    for tokens in _split(prelude):
        try:
            found.append(_Builder(tokens, names).selector())
        except _NotUnderstood:
            understood = False
        except _NeverFits:
            continue
    return found, understood


def _split(prelude: Sequence[Node]) -> Iterator[Sequence[Node]]:
    tokens: list[Node] = []
    for token in prelude:
        if token == ",":
            yield tokens
            tokens = []
        elif token.type != "comment":
            tokens.append(token)
    yield tokens


class _Builder:
    """Reads one selector from its tokens."""

    def __init__(self, tokens: Sequence[Node], names: Set[str] | None) -> None:
        self._tokens = list(tokens)
        self._names = names
        self._at = 0
        self._counts = [0, 0, 0]
        self._parts: list[str] = []
        self._nth: list[tuple[int, int]] = []
        self._compounds: list[Compound] = []
        self._combinators: list[str] = []

    def selector(self) -> Selector:
        while self._at < len(self._tokens):
            combinator = self._combinator()
            if combinator and (self._parts or self._nth):
                self._end_compound()
                if combinator != " " or self._at < len(self._tokens):
                    self._combinators.append(combinator)
            elif combinator != " " and combinator:
                raise _NotUnderstood
            elif not combinator:
                self._simple(self._next())
        if self._parts or self._nth:
            self._end_compound()
        if len(self._combinators) != len(self._compounds) - 1 or len(self._compounds) > MAX_COMPOUNDS:
            raise _NotUnderstood
        ids, classes, types = self._counts
        return Selector(tuple(self._compounds), tuple(self._combinators), (ids, classes, types))

    def _next(self) -> Node:
        if self._at >= len(self._tokens):
            raise _NotUnderstood
        self._at += 1
        return self._tokens[self._at - 1]

    def _combinator(self) -> str:
        """The combinator that stands here, with the white space around it; empty if none does."""
        found = ""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.type == "whitespace":
                found = found or " "
            elif token in (">", "+", "~") and found in ("", " "):
                found = str(token.value)
            else:
                break
            self._at += 1
        return found

    def _end_compound(self) -> None:
        self._compounds.append(Compound("".join(self._parts) or "*", tuple(self._nth)))
        self._parts, self._nth = [], []

    def _simple(self, token: Node) -> None:
        if token.type == "ident" and not self._parts:
            self._name(2, "", token)
        elif token == "*" and not self._parts:
            self._parts.append("*")
        elif token.type == "hash" and token.is_identifier:
            self._name(0, "#", token)
        elif token == ".":
            name = self._next()
            if name.type != "ident":
                raise _NotUnderstood
            self._name(1, ".", name)
        elif token.type == "[] block":
            self._add(1, token.serialize())
        elif token == ":":
            self._pseudo(self._next())
        else:
            raise _NotUnderstood

    def _name(self, place: int, sign: str, token: Node) -> None:
        name = str(token.value)
        if self._names is not None and f"{sign}{name}".lower() not in self._names:
            raise _NeverFits
        self._add(place, sign + (name if _PLAIN.fullmatch(name) else tinycss2.serialize_identifier(name)))

    def _add(self, place: int, text: str) -> None:
        self._counts[place] += 1
        self._parts.append(text)

    def _pseudo(self, token: Node) -> None:
        if token == ":" or (token.type == "ident" and token.lower_value in _PSEUDO_ELEMENTS):
            raise _NeverFits
        if token.type == "ident" and token.lower_value in _NOT_AT_FIRST:
            raise _NeverFits
        if token.type == "ident" and token.lower_value in _STATIC:
            self._add(1, f":{token.lower_value}")
        elif token.type != "function" or self._names is None:
            raise _NotUnderstood
        elif token.lower_name == "nth-child":
            self._nth.append(_place(token.arguments))
            self._counts[1] += 1
        elif token.lower_name in _LISTS:
            self._list(token)
        else:
            raise _NotUnderstood

    def _list(self, token: Node) -> None:
        """A function that takes selectors: they may be compounds without functions."""
        inner, understood = parse_selectors(token.arguments, None)
        if not inner or not understood or any(one.combinators for one in inner):
            raise _NotUnderstood
        name = "is" if token.lower_name == "matches" else token.lower_name
        self._parts.append(f":{name}({','.join(one.compounds[0].text for one in inner)})")
        if name != "where":
            self._counts = [a + b for a, b in zip(self._counts, max(one.specificity for one in inner), strict=True)]


def _place(arguments: Sequence[Node]) -> tuple[int, int]:
    found = parse_nth(arguments)
    if found is None or any(abs(number) > 1_000_000 for number in found):
        raise _NotUnderstood
    return int(found[0]), int(found[1])
