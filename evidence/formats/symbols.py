"""Symbol fonts: what a reader sees where a file holds a letter or a private code point in Symbol, Wingdings or the like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

UNKNOWN: Final = "\ufffd"
"""A sign of a symbol font that has no known counterpart."""

_PRIVATE: Final = 0xF000
_HEX: Final = re.compile(r"[0-9a-fA-F]{1,5}", re.ASCII)

_SYMBOL_RANGES: Final = {
    0x21: "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    0x61: "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…",
    0xBF: "↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑",
    0xF1: "⟩∫⌠⎮⌡",
}
_WINGDINGS_RANGES: Final = {
    0x21: "✏✂✁",
    0x28: "☎✆✉",
    0x36: "⌛",
    0x3F: "✍",
    0x41: "✌",
    0x43: "👍👎☜☞☝☟✋☺😐☹",
    0x4E: "☠⚐",
    0x51: "✈☼",
    0x54: "❄",
    0x58: "✠✡☪☯",
    0x6C: "●❍■□□❑❒⬧⧫◆❖⬥⌧",
    0x7A: "⌘❀✿❝❞",
    0x80: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿",
    0x9E: "·•",
    0xA1: "○",
    0xA4: "◉◎",
    0xA7: "▪◻",
    0xAA: "✦★✶✴✹✵",
    0xD8: "➢",
    0xDF: "←→↑↓↖↗↙↘⬅➔⬆⬇",
    0xEF: "⇦⇨⇧⇩⬄⇳⇖⇗⇙⇘",
    0xFB: "✗✓☒☑",
}
_FONTS: Final = {
    "symbol": _SYMBOL_RANGES,
    "wingdings": _WINGDINGS_RANGES,
    "wingdings 2": {0x4F: "✗✓☒☑☒☒", 0x95: "•●●", 0xA2: "■☐"},
    "wingdings 3": {0x7D: "▶"},
    "webdings": {0x34: "▶", 0x61: "✔", 0x63: "□", 0x67: "■", 0x6E: "●", 0x72: "✖"},
}


def _table(ranges: Mapping[int, str]) -> dict[int, str]:
    """Every code that such a font has, as a letter and as a private code point."""
    known = {start + place: sign for start, signs in ranges.items() for place, sign in enumerate(signs)}
    codes = range(0x21, 0x100)
    plain = {code: known.get(code, UNKNOWN) for code in codes if not 0x7F <= code < 0x80}
    return {**plain, **{_PRIVATE + code: sign for code, sign in plain.items()}}


_TABLES: Final = {font: _table(ranges) for font, ranges in _FONTS.items()}


def shown(text: str, font: str | None) -> str:
    """The text as it looks in this font."""
    table = _TABLES.get(font.lower()) if font else None
    return text if table is None else text.translate(table)


def sign(code: str, font: str) -> str:
    """What a code (hexadecimal) looks like in a font; UNKNOWN for a private one in a font that is not known."""
    number = int(code, 16) if _HEX.fullmatch(code) else 0
    if font.lower() in _TABLES:
        return shown(chr(number), font)
    is_letter = 0x20 < number < 0xD800 or 0xF900 <= number < 0x11_0000
    return chr(number) if is_letter else UNKNOWN
