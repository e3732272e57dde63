"""Office Math: a formula on one line, in the order in which it is read aloud."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from evidence.formats.xml import Element

M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MAX_NESTING: Final = 100
"""Elements inside one another: twenty fractions of fractions. What lies deeper is only its signs in a row."""

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEFT_OUT: Final = (f"{_W}del", f"{_W}moveFrom", f"{_W}rPr")
_SIMPLE: Final = re.compile(r"[\w.,′]*")
_RAISED: Final = str.maketrans("0123456789+−-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED: Final = str.maketrans("0123456789+−-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def text(element: Element) -> str:
    """The formula's text. A fraction has a stroke, what stands high or low is raised or lowered, or follows ^ or _."""
    if _is_deep(element):
        return "".join(sign.text or "" for sign in element.iter(f"{M}t"))
    return _text(element)


def raised(digits: str) -> str:
    """Digits and signs as superscripts; anything else unchanged."""
    return digits.translate(_RAISED)


def _is_deep(element: Element) -> bool:
    generation = [element]
    for _ in range(MAX_NESTING):
        generation = [child for parent in generation for child in parent]
    return bool(generation)


def _text(element: Element) -> str:
    form = _FORMS.get(element.tag)
    return _inside(element) if form is None else form(element)


def _inside(element: Element) -> str:
    return "".join(_text(child) for child in element if child.tag not in _LEFT_OUT)


def _part(element: Element, name: str) -> str:
    child = element.find(f"{M}{name}")
    return "" if child is None else _inside(child)


def _property(element: Element, path: str, default: str) -> str:
    found = element.find("/".join(f"{M}{name}" for name in path.split("/")))
    return default if found is None else found.get(f"{M}val", "")


def _closed(part: str) -> str:
    return part if _SIMPLE.fullmatch(part) else f"({part})"


def _script(part: str, table: dict[int, int], otherwise: str) -> str:
    moved = part.translate(table)
    return moved if all(ord(sign) in table for sign in part) else otherwise + _closed(part)


def _high(element: Element) -> str:
    return _script(_part(element, "sup"), _RAISED, "^")


def _low(element: Element) -> str:
    return _script(_part(element, "sub"), _LOWERED, "_")


def _run(element: Element) -> str:
    return "".join(child.text or "" for child in element if child.tag in (f"{M}t", f"{_W}t"))


def _fraction(element: Element) -> str:
    return f"{_closed(_part(element, 'num'))}/{_closed(_part(element, 'den'))}"


def _root(element: Element) -> str:
    degree = _part(element, "deg")
    return f"{_script(degree, _RAISED, '') if degree else ''}√{_closed(_part(element, 'e'))}"


def _brackets(element: Element) -> str:
    between = _property(element, "dPr/sepChr", "|")
    inside = between.join(map(_inside, element.iterchildren(f"{M}e")))
    return _property(element, "dPr/begChr", "(") + inside + _property(element, "dPr/endChr", ")")


def _large(element: Element) -> str:
    return f"{_property(element, 'naryPr/chr', '∫')}{_low(element)}{_high(element)} {_part(element, 'e')}"


def _rows(rows: Iterable[Element], between: str) -> str:
    return between.join(" ".join(_inside(cell) for cell in row.iterchildren(f"{M}e")) for row in rows)


_FORMS: Final[dict[str, Callable[[Element], str]]] = {
    f"{M}r": _run,
    f"{M}f": _fraction,
    f"{M}rad": _root,
    f"{M}d": _brackets,
    f"{M}nary": _large,
    f"{M}sSup": lambda element: _part(element, "e") + _high(element),
    f"{M}sSub": lambda element: _part(element, "e") + _low(element),
    f"{M}sSubSup": lambda element: _part(element, "e") + _low(element) + _high(element),
    f"{M}sPre": lambda element: _low(element) + _high(element) + _part(element, "e"),
    f"{M}func": lambda element: f"{_part(element, 'fName')} {_part(element, 'e')}",
    f"{M}m": lambda element: _rows(element.iterchildren(f"{M}mr"), "; "),
    f"{M}eqArr": lambda element: "; ".join(map(_inside, element.iterchildren(f"{M}e"))),
}
