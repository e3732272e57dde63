"""Letters: kinds of code points, looked up many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from evidence.formats.pdf.glyphs import Codes, Flags

_LAST: Final = 0x27FF
"""The last code point that is looked up: the kinds below hold none of the later ones."""
_HYPHENS: Final = "-\u2010\xad"
_BULLETS: Final = "•▪◦‣∙●○■□➢➤✓–—*-"


class Kind:
    """Code points of one kind."""

    def __init__(self, belongs: Callable[[str], bool], *, later: bool = False) -> None:
        """later: whether all code points behind the last one looked up belong too."""
        self._flags = np.array([belongs(chr(code)) for code in range(_LAST)] + [later])

    def of(self, codes: Codes) -> Flags:
        """Whether each belongs."""
        return np.asarray(self._flags[np.minimum(codes, _LAST)])


SMALL: Final = Kind(str.islower)
DIGIT: Final = Kind("0123456789".__contains__)
WORDLY: Final = Kind(str.isalnum, later=True)
"""Letters and numbers; of the later ones nearly all are."""
HYPHEN: Final = Kind(_HYPHENS.__contains__)
"""Hyphens, and what may be one at a line's end."""
END: Final = Kind(".!?:;…".__contains__)
"""What ends a sentence."""
CLOSING: Final = Kind("\"'“”’»«)]".__contains__)
"""What may stand behind the end of a sentence."""
MARKING: Final = Kind(("(0123456789" + _BULLETS).__contains__)
"""What the marker of a list item begins with, unless it is a letter."""
BULLETS: Final = _BULLETS
