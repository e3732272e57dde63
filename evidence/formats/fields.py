"""Fields: what a form's controls show before anyone has touched them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

_NOTHING_TO_READ: Final = frozenset({"color", "file", "hidden", "image", "password", "range"})
_TICKS: Final = {"checkbox": ("☐", "☑"), "radio": ("○", "◉")}


def input_text(node: LexborNode) -> str:
    """What an `input` shows: its value, the state of a box to tick, or the alternative text of a picture."""
    attributes = node.attributes
    kind = (attributes.get("type") or "text").strip().lower()
    if kind in _TICKS:
        return _TICKS[kind]["checked" in attributes]
    if kind == "image":
        return attributes.get("alt") or ""
    return "" if kind in _NOTHING_TO_READ else attributes.get("value") or ""


def is_list_box(select: LexborNode) -> bool:
    """Whether a `select` shows several of its options at once."""
    attributes = select.attributes
    return "multiple" in attributes or (attributes.get("size") or "1").strip() not in ("", "0", "1")


def option_text(option: LexborNode) -> str:
    """What an `option` or the title of a group of them shows."""
    return option.attributes.get("label") or (option.text(deep=True) if option.tag == "option" else "")


def chosen(select: LexborNode) -> str:
    """What a `select` with one line shows: the last option that is selected, else the first one that can be."""
    options = list(_options(select))
    selected = [option for option in options if "selected" in option.attributes]
    possible = [option for option in options if "disabled" not in option.attributes]
    return next((option_text(option) for option in (*reversed(selected), *possible)), "")


def _options(select: LexborNode) -> Iterator[LexborNode]:
    for node in select.iter():
        if node.tag == "option":
            yield node
        elif node.tag == "optgroup":
            yield from (option for option in node.iter() if option.tag == "option")
