"""Words: the one tokeniser of documents and queries.

Words are those of Unicode's UAX #29, each one lowered by `str.lower()` and without soft hyphens, which nobody sees; no stemming,
no folding. Positions are code points.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

import apsw.unicode

from evidence.content import Searched

MAX_WORD_LENGTH: Final = 40
"""Longer words can't be asked for. They count for a passage's length and for the positions of other words."""

_SOFT_HYPHEN: Final = "\u00ad"
TOKENISER: Final = (
    f"words=uax29 unicode={apsw.unicode.unicode_version} case=lower unicode={unicodedata.unidata_version} without=u+00ad"
)
"""Names every step. An index that was made with another one must be rebuilt."""


def tokenise(text: str) -> Iterator[tuple[int, int, str]]:
    """Each word with its half-open code point range."""
    # apsw's own annotation says Iterator[str]
    pieces = cast("Iterator[tuple[int, int, str]]", apsw.unicode.word_iter_with_offsets(text))
    return ((start, end, _lowered(word)) for start, end, word in pieces)


def words(text: str) -> list[str]:
    """The words alone."""
    return [_lowered(word) for word in apsw.unicode.word_iter(text)]


MAX_FOUND: Final = 1_000
"""Marks in one passage. A passage of 1 MB can hold a word 45,000 times: marking them all took seconds, and helps nobody."""


def find(phrases: Iterable[Sequence[str]], searched: Searched) -> list[tuple[int, int]]:
    """The first MAX_FOUND code point ranges of these phrases in a passage's quote, in order; ranges that overlap become one."""
    tokens = list(tokenise(searched.text))
    found = [word for _, _, word in tokens]
    ranges = [
        (tokens[first][0], tokens[first + len(phrase) - 1][1])
        for phrase in {tuple(phrase) for phrase in phrases if phrase}
        for first, word in enumerate(found)
        if word == phrase[0] and tuple(found[first : first + len(phrase)]) == phrase
    ]
    return [searched.original(*one) for one in _united(sorted(ranges))[:MAX_FOUND]]


class Vocabulary(dict[str, int]):
    """Numbers for the words of many texts, in the order of their first appearance; -1 for words that can't be asked for.

    The dictionary itself is from words as written, so that each spelling is lowered once. `words`: the numbered ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}

    def __missing__(self, written: str) -> int:
        word = _lowered(written)
        if len(word) > MAX_WORD_LENGTH:
            number = -1
        else:
            number = self._numbers.setdefault(word, len(self.words))
            if number == len(self.words):
                self.words.append(word)
        self[written] = number
        return number

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's words: as many as `words(text)` has."""
        return list(map(self.__getitem__, apsw.unicode.word_iter(text)))


def _lowered(word: str) -> str:
    return word.replace(_SOFT_HYPHEN, "").lower()


def _united(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    united: list[tuple[int, int]] = []
    for start, end in ranges:
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
