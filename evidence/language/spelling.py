"""Ways to write one word: umlauts and ß spelled out, and typing errors. Words are lowered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

_SPELLED_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_DRAWN_TOGETHER: Final = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß"}
_MAX_PLACES: Final = 4

SHORTEST: Final = 5
"""Shorter words have too many neighbours to guess what was meant."""
_LONG: Final = 9
"""From here on two errors are forgiven. Chosen so that one letter in five may be wrong at most."""
_START: Final = 2
_END: Final = 4


def fold(word: str) -> str:
    """ä, ö, ü, ß spelled out: words that fold to the same are spellings of one word."""
    return word.translate(_SPELLED_OUT)


def unfolded(word: str) -> Iterator[str]:
    """The ways to write a word that may have been spelled out: `strasse`, `straße`. The word itself comes first."""
    places = [place for place in range(len(word) - 1) if word[place : place + 2] in _DRAWN_TOGETHER][:_MAX_PLACES]
    for chosen in product((False, True), repeat=len(places)):
        drawn = {place for place, together in zip(places, chosen, strict=True) if together}
        yield "".join(
            _DRAWN_TOGETHER[word[place : place + 2]] if place in drawn else letter
            for place, letter in enumerate(word)
            if place - 1 not in drawn
        )


def errors(word: str) -> int:
    """How many typing errors are forgiven in this word."""
    if len(word) < SHORTEST or not word.isalpha():
        return 0
    return 2 if len(word) >= _LONG else 1


def buckets(word: str) -> frozenset[str]:
    """Under which keys a word of the vocabulary is found by those that are nearly alike: its start or end, and its length."""
    if len(word) < SHORTEST - 1 or not word.isalpha():
        return frozenset()
    return frozenset((f"{word[:_START]}*{len(word)}", f"{len(word)}*{word[-_END:]}"))


def asked_buckets(word: str) -> frozenset[str]:
    """Under which of those keys the words may be that a mistyped word meant. None for words that are not corrected."""
    allowed = errors(word)
    if not allowed:
        return frozenset()
    lengths = range(len(word) - allowed, len(word) + allowed + 1)
    return frozenset(key for length in lengths for key in (f"{word[:_START]}*{length}", f"{length}*{word[-_END:]}"))


def near(word: str, candidates: Iterable[str]) -> list[tuple[str, int]]:
    """Those that differ from the word by as few errors as possible (a letter missing, added or wrong, two swapped), and how many.

    Only the closest: one error is not guessed further away when a word with fewer is there.
    """
    allowed = errors(word)
    if not allowed:
        return []
    found = process.extract(
        word, sorted(set(candidates) - {word}), scorer=OSA.distance, score_cutoff=allowed, limit=None, processor=None
    )
    closest = min((distance for _, distance, _ in found), default=0)
    return sorted((other, int(distance)) for other, distance, _ in found if distance == closest)
