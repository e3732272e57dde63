"""Selectors: which elements of a tree a style rule is for, in time that grows with the elements and no faster.

A parser's own selectors go back over every ancestor for every part ("div div div span" took minutes on 400 elements): here only
the parts without combinators are its business, and what stands between them is reckoned with arrays.
Not understood: namespaces, `:has()`, `:nth-last-child()` and other functions, and combinators inside a function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import tinycss2
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError
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

Indices = npt.NDArray[np.intp]
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


class Elements:
    """The elements of a tree, numbered in the order of the document, and which of them a selector fits.

    numbers: `mem_id` of an element -> its number. names: types, ".class" and "#id" that there are, in lower case.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self.numbers: dict[int, int] = {}
        self.names: set[str] = set()
        self._known: dict[Compound, Indices] = {}
        rows = self._walk(tree.root)
        self.count = len(rows)
        self._parent, self._before, self._place, self._end = np.array(rows, dtype=np.intp).reshape(-1, 4).T

    def fitting(self, selector: Selector) -> Indices:
        """The numbers of the elements that the selector fits."""
        fits = self._compound(selector.compounds[0])
        for combinator, compound in zip(selector.combinators, selector.compounds[1:], strict=True):
            if not len(fits):
                break
            candidates = self._compound(compound)
            fits = candidates[self._beyond(fits, combinator)[candidates]]
        return fits

    def _beyond(self, fits: Indices, combinator: str) -> npt.NDArray[np.bool_]:
        """For all elements, whether one of `fits` stands where the combinator says."""
        chosen = np.zeros(self.count + 1, dtype=bool)
        chosen[fits] = True
        if combinator == ">":
            return chosen[self._parent]
        if combinator == "+":
            return chosen[self._before]
        if combinator == "~":
            first = np.full(self.count + 1, self.count, dtype=np.intp)
            np.minimum.at(first, self._parent[fits], fits)
            return np.asarray(first[self._parent] < np.arange(self.count))
        inside = np.zeros(self.count + 1, dtype=np.intp)
        np.add.at(inside, fits + 1, 1)
        np.add.at(inside, self._end[fits], -1)
        return np.asarray(inside.cumsum()[: self.count] > 0)

    def _compound(self, compound: Compound) -> Indices:
        if compound not in self._known:
            try:
                nodes = self._tree.css(compound.text)
            except (SelectolaxError, ValueError):
                nodes = []
            numbers = (self.numbers.get(node.mem_id) for node in nodes)
            found = np.array(sorted({number for number in numbers if number is not None}), dtype=np.intp)
            for step, offset in compound.nth:
                found = found[_stands_at(self._place[found], step, offset)]
            self._known[compound] = found
        return self._known[compound]

    def _walk(self, root: LexborNode | None) -> list[list[int]]:
        """Of each element: its parent, the sibling before it (-1 for none), its place among its siblings from 1, and the number
        after the last one inside it."""
        rows: list[list[int]] = []
        path: list[tuple[LexborNode, int]] = []
        last: list[tuple[int, int]] = [(-1, 0)]
        node = root
        while node is not None or path:
            if node is None:
                node, number = path.pop()
                rows[number][3] = len(rows)
                last.pop()
                node = node.next
            elif node.is_element_node:
                number, (before, place) = len(rows), last[-1]
                rows.append([path[-1][1] if path else -1, before, place + 1, 0])
                last[-1] = (number, place + 1)
                self._name(node, number)
                path.append((node, number))
                last.append((-1, 0))
                node = node.first_child
            else:
                node = node.next
        return rows

    def _name(self, node: LexborNode, number: int) -> None:
        self.numbers[node.mem_id] = number
        self.names.add((node.tag or "").lower())
        attributes = node.attributes
        if identity := attributes.get("id"):
            self.names.add(f"#{identity}".lower())
        self.names.update(f".{name}" for name in (attributes.get("class") or "").lower().split())


def _stands_at(place: Indices, step: int, offset: int) -> npt.NDArray[np.bool_]:
    rest = place - offset
    if step == 0:
        return np.asarray(rest == 0)
    return np.asarray((rest % step == 0) & (rest // step >= 0))
