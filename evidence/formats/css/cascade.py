"""The cascade: which of a page's declarations hold for an element, and so how it looks.

Style sheets in other files are not read; where there are such files, the ground beneath a text is not known until its own page
gives it a colour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from evidence.formats.css.colours import WHITE
from evidence.formats.css.looks import Declared, Look, inside
from evidence.formats.css.matching import Elements
from evidence.formats.css.styles import Budget, Declarations, Tokens, attribute, fits_window, sheet, too_heavy

MAX_WEIGHED: Final = 500_000_000
"""Elements times parts of selectors, which is what matching them costs: 1 to 2 s."""
MAX_FITTING: Final = 5_000_000
"""Elements that rules fit, each counted for each rule: 100 MB, and 2 s."""

_ALL_OF_IT: Final = ("html", "body")
_SHORTHANDS: Final = {
    "animation": ("animation-name",),
    "background": ("background-color", "background-image", "background-clip", "-webkit-background-clip"),
    "font": ("font-size",),
    "list-style": ("list-style-type",),
    "overflow": ("overflow-x", "overflow-y"),
}
_FIELD: Final = "color:#000;background:#fff;font-size:13px;white-space:normal"
_USUAL: Final = {
    "a": "color:#00e",
    "button": _FIELD,
    "dialog": "display:none",
    "dir": "list-style-type:initial",
    "input": _FIELD,
    "mark": "color:#000;background:#ff0",
    "menu": "list-style-type:initial",
    "ol": "list-style-type:initial",
    "select": _FIELD,
    "textarea": f"{_FIELD};white-space:pre-wrap",
    "ul": "list-style-type:initial",
}
"""What a browser declares for elements of a kind."""
_NEEDS: Final = {"a": ("href", True), "dialog": ("open", False)}
"""Kind -> an attribute with or without which `_USUAL` holds for it."""
_HEX: Final = re.compile(r"[0-9a-f]{6}", re.IGNORECASE)
_WORD: Final = re.compile(r"#?\w+", re.ASCII)

Numbers = npt.NDArray[np.intp]

_NOTHING: Final[Declared] = {}
_NO_NUMBERS: Final[Numbers] = np.empty(0, dtype=np.intp)


class Looks:
    """The looks of one tree's elements. Raises Refused (`styles_too_heavy`).

    outermost: the look of what is around the tree.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._budget = Budget()
        sources = [self._budget.spend(node.text(deep=True)) for node in tree.css("style") if _is_for_screens(node)]
        elements = Elements(tree) if sources else None
        rules = sheet(sources, elements.names if elements else frozenset())
        elsewhere = any("stylesheet" in (node.attributes.get("rel") or "").lower() for node in tree.css("link[rel]"))
        self.outermost = Look(ground=WHITE if rules.complete and not elsewhere else None)
        self._rules = sorted(rules.rules, key=lambda rule: rule.selector.specificity)
        self._numbers = elements.numbers if elements and self._rules else {}
        self._fitting, self._starts = self._weigh(elements) if elements and self._rules else (_NO_NUMBERS, _NO_NUMBERS)
        self._attributes: dict[str, Declarations] = {}
        self._declared: dict[tuple[str, bytes, str], Declared] = {}
        self._looks: dict[tuple[int, int, bool], Look] = {}
        self._same: dict[Look, Look] = {self.outermost: self.outermost}

    def look(self, node: LexborNode, around: Look) -> Look:
        """How an element looks inside another one that looks like `around`, which came from here."""
        declared = self._declarations(node)
        key = (id(around), id(declared), node.tag in _ALL_OF_IT)
        if key not in self._looks:
            found = inside(around, declared)
            if node.tag in _ALL_OF_IT:  # hidden until a script has run, which is then there to show it
                found = replace(found, display="", shown=True, concealed=False)
            self._looks[key] = self._same.setdefault(found, found)
        return self._looks[key]

    def _declarations(self, node: LexborNode) -> Declared:
        """What is declared for an element; the same object each time it is the same."""
        attributes = node.attributes
        if not attributes and not self._numbers and node.tag not in _USUAL:
            return _NOTHING
        style = attributes.get("style") or ""
        number = self._numbers.get(node.mem_id)
        fitting = b"" if number is None else self._fitting[self._starts[number] : self._starts[number + 1]].tobytes()
        key = (_hints(node.tag or "", attributes), fitting, style)
        if key not in self._declared:
            rules = (self._rules[rule].declarations for rule in np.frombuffer(fitting, np.intp))
            layers = [self._attribute(key[0]), *rules, self._attribute(style)]
            self._declared[key] = _merged([*(layer.normal for layer in layers), *(layer.important for layer in layers)])
        return self._declared[key]

    def _attribute(self, style: str) -> Declarations:
        if style not in self._attributes:
            self._attributes[style] = attribute(self._budget.spend(style))
        return self._attributes[style]

    def _weigh(self, elements: Elements) -> tuple[Numbers, Numbers]:
        """The rules that fit, as numbers in the order of their weight, element by element; and where each element's begin."""
        weighed = found = 0
        fitting: list[Numbers] = []
        for rule in self._rules:
            weighed += elements.count * len(rule.selector.compounds)
            if weighed > MAX_WEIGHED:
                raise too_heavy()
            fitting.append(elements.fitting(rule.selector))
            found += len(fitting[-1])
            if found > MAX_FITTING:
                raise too_heavy()
        elements_of, counts = np.concatenate(fitting), [len(one) for one in fitting]
        order = np.argsort(elements_of, kind="stable")
        starts = np.searchsorted(elements_of[order], np.arange(elements.count + 1))
        return np.repeat(np.arange(len(fitting), dtype=np.intp), counts)[order], starts


def _is_for_screens(style: LexborNode) -> bool:
    media = (style.attributes.get("media") or "").strip().lower()
    return not media or any(fits_window(query.strip()) for query in media.split(","))


def _hints(tag: str, attributes: Mapping[str, str | None]) -> str:
    """As a style attribute: what the kind of an element and its other attributes say."""
    hints: list[str] = []
    if tag in _USUAL:
        needed, present = _NEEDS.get(tag, ("", False))
        if (needed in attributes) is present:
            hints.append(_USUAL[tag])
    if attributes:
        for name, hint in (("bgcolor", "background-color"), ("text", "color"), ("color", "color")):
            value = attributes.get(name) or ""
            if _WORD.fullmatch(value) and (name != "text" or tag == "body"):
                hints.append(f"{hint}:{'#' if _HEX.fullmatch(value) else ''}{value}")
        if attributes.get("background"):
            hints.append("background-image:url()")
        if "hidden" in attributes:
            hints.append("display:none")
    return ";".join(hints)


def _merged(layers: Sequence[Declared]) -> Declared:
    """One value for each property: the last one; a shorthand takes away what was said of its parts before it."""
    merged: dict[str, Tokens] = {}
    for layer in layers:
        for name, value in layer.items():
            for part in _SHORTHANDS.get(name, ()):
                merged.pop(part, None)
            merged[name] = value
    return merged
