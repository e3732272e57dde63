"""The dictionaries of simplemma: which words German and English have, and the basic forms of each.

They are read when first needed (about 2 seconds, 130 MB) or by `prepare`. Everything here takes lowered words.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, Literal

from simplemma.strategies.dictionaries import DefaultDictionaryFactory

Kind = Literal["noun", "other"]

_REMEMBERED: Final = 1 << 16
_SHORTEST_CONTAINED: Final = 4


@cache
def _dictionary(language: str) -> Mapping[str, str]:
    return DefaultDictionaryFactory().get_dictionary(language)


def prepare() -> None:
    """Read the dictionaries now, so that nobody waits for it later."""
    _dictionary("de")
    _dictionary("en")


@lru_cache(_REMEMBERED)
def kind(word: str) -> Kind | None:
    """What German knows the word as; nouns are those that it writes with a capital. None: it does not know it."""
    german = _dictionary("de")
    if german.get(word.capitalize()) is not None:
        return "noun"
    return "other" if german.get(word) is not None else None


def is_verb(word: str) -> bool:
    """Whether it is a German verb's basic form, which may be written with a capital like a noun."""
    return word.endswith("n") and _dictionary("de").get(word) == word


def german(word: str) -> tuple[str, ...]:
    """Basic forms, lowered, nouns first. None at all for a word that German does not know."""
    dictionary = _dictionary("de")
    found = (dictionary.get(word.capitalize()), dictionary.get(word))
    return tuple(dict.fromkeys(lemma.lower() for lemma in found if lemma is not None and not _detached(word, lemma.lower())))


def _detached(word: str, lemma: str) -> bool:
    """`arbeit` is not a form of `abarbeiten`, whose imperative it is part of."""
    return len(word) >= _SHORTEST_CONTAINED and word in lemma[1:]


def english(word: str) -> str | None:
    """The basic form, lowered; None for a word that English does not know."""
    dictionary = _dictionary("en")
    lemma = dictionary.get(word) or dictionary.get(word.capitalize())
    return lemma.lower() if lemma is not None else None
