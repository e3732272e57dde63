"""Looks: how an element shows its text, from what is declared for it.

Two outcomes matter. Not shown: `display: none`, `visibility: hidden` and their like take no place on the page, and their text
is left out. Unseen: the text is on the page, and was made so that nobody sees it: transparent, of its ground's colour, tiny,
clipped away, far outside. What covers a text can't be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from evidence.formats.css import lengths
from evidence.formats.css.colours import BLACK, WHITE, Colour, can_be_told, colour, only_colour
from evidence.formats.css.styles import Tokens
from evidence.formats.elements import names

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
_KEPT: Final = ("inherit", "revert", "revert-layer", "unset", "currentcolor")
_WHOLE: Final = 100.0
"""Pixels that percentages of a width or height are taken to be of: only those of (almost) nothing matter."""

Declared = Mapping[str, Tokens]
Node = Any  # of tinycss2, which has no types


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


def inside(around: Look, declared: Declared) -> Look:
    """How an element looks for which this is declared, in another one that looks like `around`."""
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
