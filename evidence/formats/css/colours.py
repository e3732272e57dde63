"""Colours: what a text's colour and the ground beneath it are, and whether one can be told from the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tinycss2.color4 import parse_color

MIN_CONTRAST: Final = 1.1
"""Ratio of luminances (WCAG 2) below which nobody sees letters: #f4f4f4 on white."""
MIN_ALPHA: Final = 0.1
"""Share of its own colour below which nobody sees letters, whatever they stand on."""

_KNOWN_SPACES: Final = ("srgb", "hsl", "hwb")

Node = Any  # of tinycss2, which has no types


@dataclass(frozen=True, slots=True)
class Colour:
    """Red, green, blue and opacity from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, ground: Colour) -> Colour:
        """This colour as it looks on an opaque ground."""
        return Colour(*(a * self.alpha + b * (1 - self.alpha) for a, b in zip(self._three(), ground._three(), strict=True)))

    def luminance(self) -> float:
        """Relative luminance (WCAG 2) of an opaque colour."""
        red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in self._three())
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def _three(self) -> tuple[float, float, float]:
        return self.red, self.green, self.blue


BLACK: Final = Colour(0, 0, 0)
WHITE: Final = Colour(1, 1, 1)


def colour(token: Node) -> Colour | None:
    """The colour that a token gives; None for what is none or is not known."""
    try:
        found = parse_color(token)
        if found is None or isinstance(found, str) or found.space not in _KNOWN_SPACES:
            return None
        red, green, blue = (min(max(float(one or 0), 0.0), 1.0) for one in found.to("srgb").coordinates)
    except (ValueError, TypeError, AssertionError, ArithmeticError):
        return None
    return Colour(red, green, blue, float(found.alpha))


def only_colour(value: Sequence[Node]) -> tuple[Colour | None, bool]:
    """The colour in a `background`, and whether nothing else is in it that could be seen."""
    colours = [found for token in value if (found := colour(token)) is not None]
    plain = all(
        token.type in ("ident", "hash", "number", "percentage", "dimension") or colour(token) is not None for token in value
    )
    return (colours[-1] if colours else None), plain


def can_be_told(letters: Colour | None, ground: Colour | None) -> bool:
    """Whether letters of this colour can be seen on this opaque ground; None is a colour that is not known."""
    if letters is None:
        return True
    if letters.alpha < MIN_ALPHA:
        return False
    if ground is None:
        return True
    light, dark = sorted((letters.over(ground).luminance() + 0.05, ground.luminance() + 0.05), reverse=True)
    return light / dark >= MIN_CONTRAST
