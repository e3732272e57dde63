"""Forms of a word: two words are forms of one another when they share a key.

Keys are stems (Snowball's, by PyStemmer) of the word and of its basic forms (simplemma's), each language in a space of its own:
the language of a word is not known, and a word that both have gets both. Snowball's German stems lose the umlaut, which makes one
word of "fordern" and "fördern"; it is put back here, spelled out, so that "gefährden" and "gefaehrden" share their key. Snowball
3 or later is needed: before, "universe" and "university" had one stem.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

import Stemmer

from evidence.language import lexicon, numbers
from evidence.language.spelling import fold, unfolded

_BARE: Final = str.maketrans("äöü", "aou")
_REMEMBERED: Final = 1 << 15


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)


def german_stem(word: str) -> str:
    """Snowball's stem with the umlauts that the word has, spelled out."""
    written = word.replace("ß", "ss")
    kept, place = [], 0
    for letter in _stemmer("german").stemWord(written):
        if place < len(written) and written[place].translate(_BARE) != letter:  # the e of an umlaut that is spelled out
            kept.append(written[place])
            place += 1
        if place == len(written):
            break
        kept.append(written[place])
        place += 1
    return fold("".join(kept))


def english_stem(word: str) -> str:
    """Snowball's stem."""
    return str(_stemmer("english").stemWord(word))


@lru_cache(_REMEMBERED)
def basic(word: str) -> tuple[str, ...]:
    """Its basic forms in German: as it is written, else as it may have been meant with umlauts and ß."""
    return next((found for spelled in unfolded(word) if (found := lexicon.german(spelled))), ())


def german_keys(word: str) -> frozenset[str]:
    """Keys of a word that is taken for German."""
    return frozenset(f"d:{german_stem(one)}" for one in (word, *basic(word)))


@lru_cache(_REMEMBERED)
def part_keys(word: str) -> frozenset[str]:
    """Keys of a part of a compound, which is a noun if it can be one: the "Wand" in "Wandhalterung" is no form of "winden"."""
    basics = basic(word)
    return frozenset(f"d:{german_stem(one)}" for one in (word, *(basics[:1] if lexicon.kind(word) == "noun" else basics)))


def keys(word: str, *, compound: bool = False) -> frozenset[str]:
    """Keys of any word; numbers have one by their value. What neither language knows gets those of both, but for compounds."""
    word = word.replace("’", "'")
    number = numbers.value(word)
    if number is not None and word not in numbers.WORDS:
        return frozenset((f"n:{number}",))
    found = set() if number is None else {f"n:{number}"}
    lemma = lexicon.english(word)
    if lemma is not None:
        found.update(f"e:{english_stem(one)}" for one in (word, lemma))
    known = basic(word)
    if known or lemma is None:
        found.update(german_keys(word))
    if lemma is None and not known and not compound and word.isascii():
        found.add(f"e:{english_stem(word)}")
    return frozenset(found)
