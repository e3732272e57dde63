"""Numbers: one value, several ways to write it."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = re.compile(r"\d+(?:[.,']\d+)*\Z", re.ASCII)
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,']\d{3})+\Z", re.ASCII)

_UP_TO_TWENTY: Final = (
    ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "dreizehn", "vierzehn")
    + ("fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn", "zwanzig"),
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen")
    + ("fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_TENS: Final = (
    ("dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"),
    ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
)
WORDS: Final = {
    **{word: number for words in _UP_TO_TWENTY for number, word in enumerate(words, start=2)},
    **{word: tens * 10 for words in _TENS for tens, word in enumerate(words, start=3)},
    **dict.fromkeys(("hundert", "einhundert", "hundred"), 100),
    **dict.fromkeys(("tausend", "eintausend", "thousand"), 1000),
}
"""No word for one: "ein" and "one" mean it seldom."""


def is_one(word: str) -> bool:
    """Whether a word is a number, or has one in it: `1974`, `three`, `12th`, `b2`."""
    return word in WORDS or any(map(str.isdecimal, word))


def value(word: str) -> str | None:
    """The number that a word is, without what groups its digits: `1.000` and `1,000` are `1000`; `0,15` and `0.15` are `0.15`."""
    if word in WORDS:
        return str(WORDS[word])
    if not _DIGITS.match(word):
        return None
    if _GROUPED.match(word):
        return re.sub(r"\D", "", word)
    return word.replace(",", ".")
