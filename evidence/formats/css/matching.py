"""Matching: which elements of a tree a selector fits, in time that grows with the elements and no faster.

A parser's own selectors go back over every ancestor for every part ("div div div span" took minutes on 400 elements): here only
the parts without combinators are its business, and what stands between them is reckoned with arrays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from evidence.formats.css.selectors import Compound, Selector

Indices = npt.NDArray[np.intp]


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
