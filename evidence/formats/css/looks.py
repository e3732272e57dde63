"""Looks: how an element shows its text, from what style sheets, its style attribute and its other attributes say.

Two outcomes matter. Not shown: `display: none`, `visibility: hidden` and their like take no place on the page, and their text
is left out. Unseen: the text is on the page, and was made so that nobody sees it: transparent, of its ground's colour, tiny,
clipped away, far outside. What covers a text, and style sheets in other files, can't be told; where there are such files, the
ground beneath a text is not known until its own page gives it a colour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from evidence.formats.css import lengths
from evidence.formats.css.colours import BLACK, WHITE, Colour, can_be_told, colour, only_colour
from evidence.formats.css.selectors import Elements
from evidence.formats.css.styles import Budget, Declarations, Tokens, attribute, fits_window, sheet, too_heavy
from evidence.formats.elements import names

MAX_WEIGHED: Final = 500_000_000
"""Elements times parts of selectors, which is what matching them costs: 1 to 2 s."""
MAX_FITTING: Final = 5_000_000
"""Elements that rules fit, each counted for each rule: 100 MB, and 2 s."""
MIN_LETTERS: Final = 3.0
"""Pixels: smaller letters are dust."""
MIN_OPACITY: Final = 0.1
"""Share below which nobody sees an element, whatever it stands on."""
FAR_OUTSIDE: Final = -500.0
"""Pixels left of or above the place where it belongs: what moves a text so far means it to be gone. Also -100 %."""
MAX_SLIVER: Final = 1.0
"""Pixels of width or height in which nothing can be seen."""

_BLOCKS: Final = names(
    "block flex flow-root grid list-item table table-caption table-row table-row-group -webkit-box -webkit-flex"
)
_ROWS: Final = names("flex inline-flex grid inline-grid -webkit-box -webkit-flex")
_LINES_KEPT: Final = ("break-spaces", "pre", "pre-line", "pre-wrap")
_MOVED: Final = ("absolute", "fixed", "relative", "sticky")
_CUT_OUT: Final = ("absolute", "fixed")
_CUT: Final = ("clip", "hidden")
_ALL_OF_IT: Final = ("html", "body")
_KEPT: Final = ("inherit", "revert", "revert-layer", "unset", "currentcolor")
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
_WHOLE: Final = 100.0
"""Pixels that percentages of a width or height are taken to be of: only those of (almost) nothing matter."""
_HEX: Final = re.compile(r"[0-9a-f]{6}", re.IGNORECASE)
_WORD: Final = re.compile(r"#?\w+", re.ASCII)

Declared = Mapping[str, Tokens]
Numbers = npt.NDArray[np.intp]
Node = Any  # of tinycss2, which has no types

_NOTHING: Final[Declared] = {}
_NO_NUMBERS: Final[Numbers] = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Look:
    """How text right inside an element looks.

    display: of the element itself, "" where it is as usual for its kind; "none" where nothing of it takes any place.
    shown: whether the text takes its place. concealed, outdented: the element or one around it is made not to be seen; its text
    is moved far away. letters: their size in pixels. ground: the opaque colour beneath, None if it is not known. lines: line
    feeds are kept. marker: of list items, as `list-style-type` names it or a quotation mark and a text; "" as usual. unseen:
    whether nobody sees text that stands here.
    """

    display: str = ""
    shown: bool = True
    concealed: bool = False
    outdented: bool = False
    letters: float = lengths.MEDIUM
    colour: Colour | None = BLACK
    ground: Colour | None = WHITE
    lines: bool = False
    marker: str = ""
    unseen: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        seen = self.letters >= MIN_LETTERS and can_be_told(self.colour, self.ground)
        object.__setattr__(self, "unseen", self.concealed or self.outdented or not seen)

    @property
    def is_block(self) -> bool:
        """Whether the element begins and ends on a line of its own, whatever its kind."""
        return self.display in _BLOCKS

    @property
    def has_columns(self) -> bool:
        """Whether the elements right inside stand apart from each other."""
        return self.display in _ROWS


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
            found = _inside(around, declared)
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


def _inside(around: Look, declared: Declared) -> Look:
    if not declared:
        return replace(around, display="")
    letters = _letters(declared, around)
    return Look(
        display=_display(declared),
        shown=_switched(declared, "visibility", on=("visible",), off=("collapse", "hidden"), otherwise=around.shown),
        concealed=around.concealed or _is_concealed(declared, letters),
        outdented=_is_outdented(declared, around, letters),
        letters=letters,
        colour=_letters_colour(declared, around),
        ground=_ground(declared, around),
        lines=_switched(declared, "white-space", on=_LINES_KEPT, off=("normal", "nowrap", "initial"), otherwise=around.lines),
        marker=_marker(declared, around),
    )


def _word(declared: Declared, name: str) -> str:
    """The only word of a value, in lower case; empty if it is none."""
    value = declared.get(name, ())
    return str(value[0].lower_value) if len(value) == 1 and value[0].type == "ident" else ""


def _switched(declared: Declared, name: str, *, on: Sequence[str], off: Sequence[str], otherwise: bool) -> bool:
    word = _word(declared, name)
    return word in on or (word not in off and otherwise)


def _display(declared: Declared) -> str:
    if _word(declared, "content-visibility") == "hidden":
        return "none"
    words = [str(token.lower_value) for token in declared.get("display", ()) if token.type == "ident"]
    return "" if not words or words[-1] in _KEPT else words[-1]


def _letters(declared: Declared, around: Look) -> float:
    for name in ("font-size", "font"):
        found = lengths.of_letters(declared.get(name, ()), around.letters)
        if found is not None:
            return found
    return around.letters


def _letters_colour(declared: Declared, around: Look) -> Colour | None:
    """None for a colour that is not known, as that of letters that are cut out of a background."""
    found = around.colour
    for name in ("color", "-webkit-text-fill-color"):
        if name in declared and _word(declared, name) not in _KEPT:
            found = BLACK if _word(declared, name) == "initial" else _single_colour(declared[name])
    cut_out = "text" in (_word(declared, "background-clip"), _word(declared, "-webkit-background-clip"))
    return None if cut_out else found


def _single_colour(value: Tokens) -> Colour | None:
    return colour(value[0]) if len(value) == 1 else None


def _ground(declared: Declared, around: Look) -> Colour | None:
    """What is beneath the letters; None where a picture or something that is not known is."""
    found, plain = only_colour(declared.get("background", ()))
    if "background-color" in declared:
        found, known = only_colour(declared["background-color"])
        plain = plain and known
    if "background-image" in declared:
        plain = _word(declared, "background-image") in ("none", "initial", "unset")
    if not plain:
        return None
    if found is None or found.alpha == 0:
        return around.ground
    if around.ground is None:
        return found if found.alpha == 1 else None
    return found.over(around.ground)


def _marker(declared: Declared, around: Look) -> str:
    for name in ("list-style-type", "list-style"):
        value = declared.get(name, ())
        words = [str(token.lower_value) for token in value if token.type == "ident"]
        texts = [f'"{token.value}' for token in value if token.type == "string"]
        if any(word in _KEPT for word in words):
            return around.marker
        if value:
            return next((word for word in (*texts, *words) if word not in ("initial", "inside", "outside")), "")
    return around.marker


def _is_outdented(declared: Declared, around: Look, letters: float) -> bool:
    value = declared.get("text-indent", ())
    if not value:
        return around.outdented
    beyond = value[0].type == "percentage" and value[0].value >= 100 and _cuts(declared)
    return beyond or _is_far(value[0], letters)


def _is_concealed(declared: Declared, letters: float) -> bool:
    return (
        _is_transparent(declared)
        or _is_moved_away(declared, letters)
        or _is_cut_away(declared, letters)
        or any(_shrinks(token, letters) for token in declared.get("transform", ()))
    )


def _is_transparent(declared: Declared) -> bool:
    value = declared.get("opacity", ())
    if len(value) != 1 or value[0].type not in ("number", "percentage") or _is_animated(declared):
        return False
    return bool(value[0].value < MIN_OPACITY * (1 if value[0].type == "number" else 100))


def _is_animated(declared: Declared) -> bool:
    """Whether what is declared is where a movement begins."""
    return any(name in declared and _word(declared, name) != "none" for name in ("animation", "animation-name"))


def _is_moved_away(declared: Declared, letters: float) -> bool:
    sides = ["margin-left", "margin-top"]
    if _word(declared, "position") in _MOVED:
        sides += ["left", "right", "top"]
    return any(_is_far(declared[side][0], letters) for side in sides if declared.get(side))


def _is_cut_away(declared: Declared, letters: float) -> bool:
    if _cuts(declared):
        for side in ("height", "max-height", "max-width", "width"):
            size = lengths.pixels(declared[side][0], letters=letters, whole=_WHOLE) if declared.get(side) else None
            if size is not None and size <= MAX_SLIVER:
                return True
    if _word(declared, "position") in _CUT_OUT and _is_empty_rectangle(declared.get("clip", ()), letters):
        return True
    return any(_is_empty_shape(token) for token in declared.get("clip-path", ()))


def _cuts(declared: Declared) -> bool:
    return any(_word(declared, name) in _CUT for name in ("overflow", "overflow-x", "overflow-y"))


def _is_empty_rectangle(value: Tokens, letters: float) -> bool:
    """Whether `rect(top, right, bottom, left)` has no more than a sliver inside."""
    if len(value) != 1 or value[0].type != "function" or value[0].lower_name != "rect":
        return False
    edges = [
        lengths.pixels(token, letters=letters) for token in value[0].arguments if token.type not in ("whitespace", "literal")
    ]
    if len(edges) != 4 or None in edges:
        return False
    top, right, bottom, left = (edge or 0.0 for edge in edges)
    return right - left <= MAX_SLIVER or bottom - top <= MAX_SLIVER


def _is_empty_shape(token: Node) -> bool:
    """Whether `inset()` or `circle()` leaves nothing."""
    first = _first_number(token)
    if first is None or token.lower_name not in ("inset", "circle"):
        return False
    if token.lower_name == "circle":
        return bool(first.value == 0)
    return first.type == "percentage" and bool(first.value >= 50)


def _shrinks(token: Node, letters: float) -> bool:
    """Whether a transformation makes an element nothing or takes it away."""
    first = _first_number(token)
    if first is None:
        return False
    if token.lower_name in ("scale", "scalex", "scaley", "scale3d"):
        return bool(first.value == 0)
    return token.lower_name in ("translate", "translatex", "translatey", "translate3d") and _is_far(first, letters)


def _first_number(token: Node) -> Node | None:
    """The first number among a function's arguments."""
    if token.type != "function":
        return None
    return next((one for one in token.arguments if one.type in ("percentage", "number", "dimension")), None)


def _is_far(token: Node, letters: float) -> bool:
    if token.type == "percentage":
        return bool(token.value <= -100)
    moved = lengths.pixels(token, letters=letters)
    return moved is not None and moved <= FAR_OUTSIDE
