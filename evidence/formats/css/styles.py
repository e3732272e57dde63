"""Styles: what style sheets and style attributes declare, as far as it decides what a reader sees. Nothing is loaded.

Conditions are judged for a screen and `lengths.WINDOW`. Left out: layers' order, nested rules, and what a condition
that is not understood would declare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from evidence.errors import Refused, gettext_noop
from evidence.formats.css import lengths
from evidence.formats.css.selectors import Selector, parse_selectors
from evidence.formats.elements import names

MAX_STYLE_CHARS: Final = 3_000_000
"""In one document, without embedded pictures and fonts; each style attribute counts once. Reading takes 3 s a million."""
_PROPERTIES: Final = names(
    "animation animation-name background background-clip background-color background-image clip clip-path color"
    " content-visibility display font font-size height left list-style list-style-type margin-left margin-top max-height"
    " max-width opacity overflow overflow-x overflow-y position right text-indent top transform visibility white-space width"
    " -webkit-background-clip -webkit-text-fill-color"
)
_EMBEDDED: Final = re.compile(r"\bdata:[^)\"'\s]*", re.IGNORECASE)
_WIDE: Final = lengths.WINDOW[0]
_SCREENS: Final = ("screen", "all")
_WIDTH: Final = re.compile(r"(min|max)-width\s*:\s*([0-9]*\.?[0-9]+)(px|em|rem)", re.IGNORECASE)
_RANGE: Final = re.compile(r"width\s*([<>]=?)\s*([0-9]*\.?[0-9]+)(px|em|rem)", re.IGNORECASE)
_TRUE_FEATURES: Final = re.compile(
    r"prefers-color-scheme\s*:\s*light|prefers-reduced-motion\s*:\s*no-preference|hover(?:\s*:\s*hover)?|orientation\s*:\s*landscape",
    re.IGNORECASE,
)

Node = Any  # of tinycss2, which has no types
Tokens = Sequence[Node]


@dataclass(frozen=True, slots=True)
class Declarations:
    """Property -> value, for those that matter here; those that are `!important` stand apart."""

    normal: Mapping[str, Tokens]
    important: Mapping[str, Tokens]

    def __bool__(self) -> bool:
        return bool(self.normal or self.important)


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector with what it declares."""

    selector: Selector
    declarations: Declarations


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rules of a document in their order. complete: whether nothing was left out that could set a background."""

    rules: Sequence[Rule]
    complete: bool


class Budget:
    """How much of a document's styles may still be read."""

    def __init__(self) -> None:
        self._left = MAX_STYLE_CHARS

    def spend(self, css: str) -> str:
        """The text without what is embedded in it as data. Raises Refused (`styles_too_heavy`)."""
        css = _EMBEDDED.sub("data:", css)
        self._left -= len(css)
        if self._left < 0:
            raise too_heavy()
        return css


def too_heavy() -> Refused:
    """The refusal of a document that would take minutes of weighing its styles, or whose blocks lie too deep in one another."""
    message = gettext_noop("This page has more styles than can be weighed to tell what a reader sees. Save it as PDF or as text.")
    return Refused("styles_too_heavy", message)


def sheet(sources: Iterable[str], names: Set[str]) -> Sheet:
    """The rules of these style sheets that can fit elements with these names. Raises Refused (`styles_too_heavy`)."""
    try:
        return _sheet([rule for source in sources for rule in _qualified(_parsed(source))], names)
    except RecursionError as error:
        raise too_heavy() from error


def attribute(source: str) -> Declarations:
    """What a style attribute declares."""
    return _declarations(source)


def _parsed(source: str) -> Tokens:
    return list(tinycss2.parse_stylesheet(source, skip_comments=True, skip_whitespace=True))


def _sheet(blocks: Iterable[tuple[Tokens | None, Tokens]], names: Set[str]) -> Sheet:
    rules: list[Rule] = []
    complete = True
    for prelude, content in blocks:
        if prelude is None:
            complete = False
            continue
        selectors, understood = parse_selectors(prelude, names)
        if (selectors or not understood) and (declared := _declarations(content)):
            rules.extend(Rule(selector, declared) for selector in selectors)
            complete = complete and (understood or not _paints(declared))
    return Sheet(rules, complete)


def _qualified(nodes: Tokens) -> Iterator[tuple[Tokens | None, Tokens]]:
    """Selector and declarations of all rules that apply; None for the selector of rules that are somewhere else."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield node.prelude, node.content
        elif node.type == "at-rule" and node.lower_at_keyword == "import":
            yield None, ()
        elif node.type == "at-rule" and node.content is not None and _applies(node):
            inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            yield from _qualified(inner)


def _applies(node: Node) -> bool:
    condition = tinycss2.serialize(node.prelude).strip().lower()
    if node.lower_at_keyword == "media":
        return not condition or any(fits_window(query.strip()) for query in condition.split(","))
    if node.lower_at_keyword == "supports":
        return not condition.startswith("not")
    return bool(node.lower_at_keyword == "layer")


def fits_window(query: str) -> bool:
    """Whether a media query holds; one with a condition that is not known does not."""
    query = query.removeprefix("only ")
    medium, _, conditions = query.partition("(")
    medium = medium.replace(" and ", " ").strip()
    if medium and medium not in _SCREENS:
        return medium == "not print"
    return all(_holds(condition.rstrip(") ")) for condition in re.split(r"\)\s*and\s*\(", conditions) if condition)


def _holds(condition: str) -> bool:
    if found := _WIDTH.fullmatch(condition.strip()):
        pixels = float(found[2]) * (1 if found[3] == "px" else lengths.MEDIUM)
        return pixels <= _WIDE if found[1] == "min" else pixels >= _WIDE
    if found := _RANGE.fullmatch(condition.strip()):
        pixels = float(found[2]) * (1 if found[3] == "px" else lengths.MEDIUM)
        return pixels < _WIDE if found[1].startswith(">") else pixels > _WIDE
    return bool(_TRUE_FEATURES.fullmatch(condition.strip()))


def _declarations(source: str | Tokens) -> Declarations:
    normal: dict[str, Tokens] = {}
    important: dict[str, Tokens] = {}
    for node in tinycss2.parse_blocks_contents(source, skip_comments=True, skip_whitespace=True):
        if node.type == "declaration" and node.lower_name in _PROPERTIES:
            value = [token for token in node.value if token.type not in ("whitespace", "comment")]
            (important if node.important else normal)[node.lower_name] = value
    return Declarations(normal, important)


def _paints(declared: Declarations) -> bool:
    return any(name.startswith("background") for name in (*declared.normal, *declared.important))
