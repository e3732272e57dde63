"""Names of WordprocessingML: namespaces, and the elements that more than one module asks for."""

from __future__ import annotations

from typing import Final

from evidence.formats.xml import Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VAL: Final = f"{W}val"


def value(parent: Element | None, name: str) -> str | None:
    """The `w:val` of a child; None where there is no such child."""
    child = None if parent is None else parent.find(f"{W}{name}")
    return None if child is None else child.get(VAL, "")
