"""Words of one text in another: whole, in pieces, in runs. Pure. Equality of NFC texts at word borders, never similarity."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import unicodedata2

from evidence.index.tokens import MAX_WORD_LENGTH, tokenise

Range = tuple[int, int]
"""Code points, half-open."""

FEWEST: Final = 3
"""Words that a piece or a run has at least: two in a row stand in most texts by chance."""
MAX_PIECES: Final = 8
"""Pieces of one quote. More could be put together from any long text."""
ASKED_WORDS: Final = 12
"""Words of a quote that are searched for: as many as the exact mode takes."""
_ELLIPSIS: Final = re.compile(  # possessive, and blanks from their first on: a long run of them is passed over once
    r"(?:(?<!\s)\s++)?+(?:\[\s*+(?:…|\.\.\.)\s*+\]|\(\s*+(?:…|\.\.\.)\s*+\)|…|\.\.\.)\s*+"
)
_LONGEST_TOKEN: Final = 100
"""Code points looked at around an edge, to see whether it cuts a word in two."""
_LETTERS: Final = "0-9A-Za-zÀ-ÖØ-öø-ɏΑ-ΡΣ-Ωα-ωА-яЀ-Џѐ-џ"
"""Signs of which no two beside each other belong to different words, so that nothing else needs to be looked at."""
_LETTER: Final = re.compile(f"[{_LETTERS}]")


def normal(text: str) -> str:
    """The text as documents have theirs: NFC."""
    return str(unicodedata2.normalize("NFC", text))


def spoken(text: str) -> str:
    """The words of a quote as documents have them, without blanks around: models copy those too. Signs alone are no words."""
    words = normal(text).strip()
    return words if any(tokenise(words)) else ""


def without_ellipses(quote: str) -> str:
    """The quote without the dots that say that it begins or ends within a sentence."""
    parts = list(_ELLIPSIS.finditer(quote))
    start = parts[0].end() if parts and parts[0].start() == 0 else 0
    end = parts[-1].start() if parts and parts[-1].end() == len(quote) else len(quote)
    return quote[start:end] if start < end else ""


def find(text: str, words: str, start: int = 0, end: int | None = None) -> Range | None:
    """Where the words stand first within a range of the text, cutting no word in two: “3 days” does not stand in “13 days”."""
    last = len(text) if end is None else end
    position = text.find(words, start, last) if words else -1
    whole = None
    while position >= 0:
        if not _cuts(text, position) and not _cuts(text, position + len(words)):
            return position, position + len(words)
        whole = whole or _whole(words)  # a short word is a part of very many others
        found = whole.search(text, position + 1)
        position = found.start() if found is not None and found.end() <= last else -1
    return None


def places(text: str, words: str, *, most: int) -> Sequence[Range]:
    """The first places where the words stand in a text, overlapping ones included, at most so many."""
    found: list[Range] = []
    while len(found) < most and (place := find(text, words, found[-1][0] + 1 if found else 0)) is not None:
        found.append(place)
    return found


def pieces(quote: str, text: str) -> Sequence[Range] | None:
    """Where the pieces of a quote stand in a text in which it does not stand as a whole; None when some of it does not.

    It is cut where dots leave something out, and as rarely as possible between words. Every piece has at least FEWEST words.
    """
    found: list[Range] = []
    for part in filter(None, _ELLIPSIS.split(quote)):
        more = _cut(part, lambda words: find(text, words), most=MAX_PIECES - len(found))
        if more is None:
            return None
        found += more
    return found or None


def runs(sentence: str, quotes: Sequence[str]) -> Sequence[Range]:
    """Ranges of the sentence that stand word for word in one of these quotes: the longest, at least FEWEST words each."""
    tokens = list(tokenise(sentence))
    found: list[Range] = []
    first = 0
    while first + FEWEST <= len(tokens):
        last = _longest(sentence, tokens, first, lambda words: any(find(quote, normal(words)) for quote in quotes))
        if last:
            found.append((tokens[first][0], tokens[last - 1][1]))
        first = last or first + 1
    return found


def asked(quote: str) -> Sequence[str]:
    """The words of a quote to search for: up to ASKED_WORDS in a row of one line, so that one passage can hold them."""
    longest: Sequence[str] = ()
    for line in quote.split("\n"):
        run: list[str] = []
        for _, _, word in tokenise(line):
            run = [*run, word] if len(word) <= MAX_WORD_LENGTH else []
            if len(run) == ASKED_WORDS:
                return run
            longest = max(longest, run, key=len)
    return longest


def quotations(sentence: str) -> Sequence[str]:
    """What stands in quotation marks in a sentence and has at least FEWEST words."""
    found = (match.group(match.lastindex or 0) for match in _QUOTED.finditer(sentence))
    return [one.strip() for one in found if len(list(tokenise(one))) >= FEWEST]


_QUOTED: Final = re.compile(
    r"„([^„“”\"]+)[“”\"]"  # German, and what keyboards make of it
    r"|“([^“”]+)”"
    r"|»([^«»]+)«"
    r"|«([^«»]+)»"
    r"|\"([^\"]+)\""
    r"|‚([^‚‘’]+)[‘’](?!\w)"
)


def _cut(part: str, stands: Callable[[str], Range | None], *, most: int) -> list[Range] | None:
    """The part in as few pieces as standing allows; None when there is no way, or none with so few."""
    tokens = list(tokenise(part))
    found: list[Range] = []
    first = 0
    while first < len(tokens):
        if len(found) == most:
            return None
        last = _longest(part, tokens, first, stands)
        if 0 < len(tokens) - last < FEWEST:
            last = len(tokens) - FEWEST  # so that the rest is a piece
        place = stands(part[tokens[first][0] : tokens[last - 1][1]]) if last - first >= FEWEST else None
        if place is None:
            return None
        found.append(place)
        first = last
    return found


def _longest(text: str, tokens: Sequence[tuple[int, int, str]], first: int, stands: Callable[[str], object]) -> int:
    """The end of the longest run of words from `first` that stands there; 0 when not even FEWEST do.

    What begins a run that stands there stands there too, so that halving finds the end.
    """

    def holds(last: int) -> bool:
        return bool(stands(text[tokens[first][0] : tokens[last - 1][1]]))

    low, high = first + FEWEST, len(tokens)
    if low > high or not holds(low):
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _whole(words: str) -> re.Pattern[str]:
    """Finds the words where no letter stands at one of theirs."""
    before = f"(?<![{_LETTERS}])" if _LETTER.match(words[0]) else ""
    after = f"(?![{_LETTERS}])" if _LETTER.match(words[-1]) else ""
    return re.compile(before + re.escape(words) + after)


def _cuts(text: str, position: int) -> bool:
    """Whether an edge lies inside a word."""
    if not 0 < position < len(text) or text[position - 1].isspace() or text[position].isspace():
        return False
    start, end = position, position
    while start > max(position - _LONGEST_TOKEN, 0) and not text[start - 1].isspace():
        start -= 1
    while end < min(position + _LONGEST_TOKEN, len(text)) and not text[end].isspace():
        end += 1
    return any(start + left < position < start + right for left, right, _ in tokenise(text[start:end]))
