"""Codes: a number format as a workbook writes it (`#,##0.00;[Red]-0`), taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_CODE: Final = 255
"""Characters of a code: what Excel takes. A longer one would only make long cells of short numbers."""

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General|Standard)|(?P<half>AM/PM|A/P)|(?P<power>E[+-])|(?P<date>y+|m+|d+|h+|s+)"
    r"|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)|(?P<percent>%)|(?P<stroke>/)|(?P<text>@)|(?P<section>;)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION: Final = re.compile(r"(<=|>=|<>|<|>|=)(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)", re.ASCII)
_ELAPSED: Final = re.compile(r"h{1,9}|m{1,9}|s{1,9}", re.IGNORECASE)
_CURRENCY: Final = re.compile(r"\$([^-]*)(?:-.*)?", re.DOTALL)
_DATES: Final = ("date", "half", "elapsed")


@dataclass(frozen=True, slots=True)
class Token:
    """kind: literal, general, half, power, date, elapsed, digit, point, comma, percent, stroke or text."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a code. condition: operator and number, for values that it is for."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None = None

    @property
    def is_date(self) -> bool:
        """Whether it writes dates or times."""
        return any(token.kind in _DATES for token in self.tokens)

    @property
    def is_text(self) -> bool:
        """Whether it is for texts."""
        return any(token.kind == "text" for token in self.tokens)


@lru_cache(maxsize=2_000)
def sections(code: str) -> tuple[Section, ...]:
    """The parts of a code, one at least."""
    found: list[Section] = []
    tokens: list[Token] = []
    condition: tuple[str, float] | None = None
    for token in (*_tokens(code[:MAX_CODE]), Token("section", ";")):
        if token.kind == "section":
            found.append(Section(tuple(tokens), condition))
            tokens, condition = [], None
        elif token.kind == "condition":
            said = _CONDITION.fullmatch(token.text)
            condition = (said[1], float(said[2])) if said else None
        else:
            tokens.append(token)
    return tuple(found)


def _tokens(code: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "", match[match.lastgroup or 0]
        if kind in ("quoted", "escaped", "other"):
            yield Token("literal", text)
        elif kind == "space":
            yield Token("literal", " ")
        elif kind == "bracket":
            yield from _bracket(text)
        elif kind == "date":
            yield Token("date", text.lower())
        elif kind != "fill":
            yield Token(kind, text)


def _bracket(text: str) -> Sequence[Token]:
    """A currency, a time that is not cut at 24 hours, a condition; colours and languages are nothing."""
    currency = _CURRENCY.fullmatch(text)
    if currency:
        return (Token("literal", currency[1]),)
    if _ELAPSED.fullmatch(text):
        return (Token("elapsed", text.lower()),)
    return (Token("condition", text),) if _CONDITION.fullmatch(text) else ()
