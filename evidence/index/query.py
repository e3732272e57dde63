"""The query contract of the exact mode: what may be asked, and what it means. Limits that the wider mode has too are here."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import unicodedata2

from evidence.errors import Refused, gettext_noop
from evidence.index.tokens import MAX_WORD_LENGTH, tokenise

MAX_LENGTH: Final = 200
MAX_WORDS: Final = 12
QUOTATION_MARKS: Final = frozenset('"„“”')
"""Any of them opens and any of them closes: keyboards and word processors mix them."""
REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs"})
"""Control characters, tab and line ends among them, and lone surrogates. A text field sends none of them unless pasted."""


@dataclass(frozen=True, slots=True)
class Query:
    """Phrases that must all stand in one passage; most are one word long. Duplicates stay: each counts again in the score.

    text: as it was typed.
    """

    text: str
    phrases: tuple[tuple[str, ...], ...]


def parse(text: str) -> Query:
    """What was typed, as a Query; one without any word has no phrases. Raises Refused.

    "Quoted words" are one phrase, every other word is one of its own. A quotation mark without a partner, or inside a word
    (Hebrew has such words), is no quotation mark. Nothing else has a meaning: OR, NOT, NEAR, * ^ : ( ) are what they are.
    """
    check_characters(text, most=MAX_LENGTH)
    normal = unicodedata2.normalize("NFC", text)
    tokens = list(tokenise(normal))
    different = {word for _, _, word in tokens}
    check_number(different, most=MAX_WORDS)
    _check_lengths(different)
    return Query(text, tuple(_phrases(tokens, _quotations(normal, tokens))))


def check_characters(text: str, *, most: int) -> None:
    """Raises Refused for a text that is too long to be asked, or that nobody types."""
    if len(text) > most:
        raise Refused(
            "query_too_long",
            gettext_noop("The query has %(length)d characters; at most %(limit)d are possible."),
            length=len(text),
            limit=most,
        )
    if any(unicodedata.category(character) in REFUSED_CATEGORIES for character in text):
        raise Refused(
            "query_control_character",
            gettext_noop("The query holds a control character (a tab or a line end, for example). Please remove it."),
        )


def check_number(different: Collection[str], *, most: int) -> None:
    """Raises Refused for more different words than are looked up at once."""
    if len(different) > most:
        raise Refused(
            "query_too_many_words",
            gettext_noop("The query has %(count)d different words; at most %(limit)d are possible."),
            count=len(different),
            limit=most,
        )


def _check_lengths(words: Collection[str]) -> None:
    if any(len(word) > MAX_WORD_LENGTH for word in words):
        raise Refused(
            "query_word_too_long",
            gettext_noop("A word of the query is longer than %(limit)d characters."),
            limit=MAX_WORD_LENGTH,
        )


def _quotations(text: str, tokens: Sequence[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """The ranges between two quotation marks each; a last one without a partner is left out."""
    inside = {position for start, end, _ in tokens for position in range(start, end)}
    marks = [i for i, character in enumerate(text) if character in QUOTATION_MARKS and i not in inside]
    return list(pairwise(marks))[::2]


def _phrases(tokens: Sequence[tuple[int, int, str]], quotations: Sequence[tuple[int, int]]) -> Iterator[tuple[str, ...]]:
    position = 0
    end = tokens[-1][1] if tokens else 0
    for opening, closing in [*quotations, (end, end)]:
        yield from ((word,) for start, _, word in tokens if position <= start < opening)
        if phrase := tuple(word for start, _, word in tokens if opening < start < closing):
            yield phrase
        position = closing
