"""Fields: their results are text, the code that makes them is not."""

from __future__ import annotations

from typing import Final

from evidence.formats.docx.looks import is_on
from evidence.formats.docx.names import VAL, W, value
from evidence.formats.xml import Element, integer

CHARACTER: Final = f"{W}fldChar"
_KIND: Final = f"{W}fldCharType"
_GONE: Final = (f"{W}del", f"{W}moveFrom")
_BOXES: Final = {True: "☒", False: "☐"}


class Fields:
    """Where the walk through one story is among its fields, which lie inside one another and go on over paragraphs.

    A field that never ends is none: else its code would be the rest of the document.
    """

    def __init__(self, story: Element | None) -> None:
        self._unended = set() if story is None else _unended(story)
        self._in_code: list[bool] = []
        self._codes = 0

    @property
    def in_code(self) -> bool:
        """Whether what comes next is part of a code, or of a result that a code uses."""
        return self._codes > 0

    def meet(self, character: Element) -> None:
        """Go past a `w:fldChar`."""
        kind = character.get(_KIND)
        if kind == "begin" and character not in self._unended:
            self._in_code.append(True)
            self._codes += 1
        elif kind == "separate" and self._in_code:
            self._codes -= self._in_code[-1]
            self._in_code[-1] = False
        elif kind == "end" and self._in_code:
            self._codes -= self._in_code.pop()


def form_field(begin: Element) -> str:
    """What a form shows that has no result: a box with or without its cross, the chosen entry of a list."""
    data = begin.find(f"{W}ffData")
    if data is None:
        return ""
    box, choices = data.find(f"{W}checkBox"), data.find(f"{W}ddList")
    if box is not None:
        checked = box.find(f"{W}checked")
        return _BOXES[is_on(box.find(f"{W}default") if checked is None else checked)]
    if choices is not None:
        entries = [entry.get(VAL, "") for entry in choices.iterchildren(f"{W}listEntry")]
        chosen = integer(value(choices, "result") or value(choices, "default"))
        return entries[chosen] if 0 <= chosen < len(entries) else ""
    return ""


def _unended(story: Element) -> set[Element]:
    begun: list[Element] = []
    for character in story.iter(CHARACTER):
        kind = character.get(_KIND)
        if kind == "separate" or next(character.iterancestors(*_GONE), None) is not None:
            continue
        if kind == "begin":
            begun.append(character)
        elif kind == "end" and begun:
            begun.pop()
    return set(begun)
