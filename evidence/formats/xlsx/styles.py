"""Styles: the number format of a cell, and what else of its look decides how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.formats.xlsx.manners import Manner
from evidence.formats.xlsx.names import S
from evidence.formats.xlsx.values import GENERAL
from evidence.formats.xml import Element, integer

_WHITE: Final = "FFFFFF"
_WHITE_THEME: Final = "0"
_OFF: Final = ("0", "false")
_ASIAN_DATES: Final = (*range(27, 37), *range(50, 59))
_DATE: Final = 14


@dataclass(frozen=True, slots=True)
class CellStyle:
    """code: of its number format. is_white: whether its letters are white and nothing is behind them."""

    code: str = GENERAL
    bold: bool = False
    is_white: bool = False


def cell_styles(root: Element | None, manner: Manner) -> Sequence[CellStyle]:
    """The styles that cells name by their places."""
    if root is None:
        return ()
    codes = {integer(one.get("numFmtId")): one.get("formatCode", GENERAL) for one in root.iterfind(f"{S}numFmts/{S}numFmt")}
    fonts = root.findall(f"{S}fonts/{S}font")
    fills = root.findall(f"{S}fills/{S}fill")
    return [_style(one, codes, fonts, fills, manner) for one in root.iterfind(f"{S}cellXfs/{S}xf")]


def _style(
    form: Element, codes: Mapping[int, str], fonts: Sequence[Element], fills: Sequence[Element], manner: Manner
) -> CellStyle:
    number = integer(form.get("numFmtId"))
    built_in = manner.forms.get(_DATE if number in _ASIAN_DATES else number, GENERAL)
    font, fill = _at(fonts, form.get("fontId")), _at(fills, form.get("fillId"))
    bold = None if font is None else font.find(f"{S}b")
    return CellStyle(
        code=codes.get(number, built_in),
        bold=bold is not None and bold.get("val") not in _OFF,
        is_white=_is_white(font) and not _is_filled(fill),
    )


def _at(elements: Sequence[Element], place: str | None) -> Element | None:
    at = integer(place, -1)
    return elements[at] if 0 <= at < len(elements) else None


def _is_white(font: Element | None) -> bool:
    colour = None if font is None else font.find(f"{S}color")
    if colour is None:
        return False
    is_theme = colour.get("theme") == _WHITE_THEME and colour.get("tint", "0") == "0"
    return is_theme or colour.get("rgb", "")[-6:].upper() == _WHITE


def _is_filled(fill: Element | None) -> bool:
    pattern = None if fill is None else fill.find(f"{S}patternFill")
    if fill is None or pattern is None:
        return fill is not None and len(fill) > 0
    return pattern.get("patternType", "none") != "none"
