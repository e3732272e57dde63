"""What the words of a question came to among what may be read: the words of documents that answer them, and where those stand.

What a word means is told by `evidence.language`. Candidates come from the vocabulary by their keys. Only those count that stand
in a passage which may be read, or above one, and the most frequent ones there are taken: what may not be read changes neither
which they are nor what is told of them. Weights of words are hundredths: their sums are exact, in whatever order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
import unicodedata2

from evidence import language
from evidence.index.looking import Reader
from evidence.index.postings import Integers
from evidence.index.questions import Alternative, How, Off, Question, Synonym, Term
from evidence.index.ranking import Occurrences
from evidence.index.vocabulary import Kind
from evidence.language import Reference, Role, Wanted, spelling
from evidence.language.references import asked_abbreviation_key

WHOLE: Final = 100
FORM: Final = 90
SYNONYM: Final = 80
TYPING_ERROR: Final = 70
"""Shared by the errors."""
IN_PART: Final = {Kind.HEAD: 50, Kind.MODIFIER: 35}
"""Of a compound with the word."""
SHARED_PART: Final = 30
MOST_SHARED: Final = 10
"""Of compounds with a part of the word. Twenty more change no figure by more than 0.003, and take half as long again."""
MOST_SYNONYMS: Final = 100
"""Of one word, without their forms: the first ones that its lists name. A group has up to 20 of them."""
MOST_EXPRESSIONS: Final = 25
"""Of them, those of several words: to find one of common words takes milliseconds for every ten thousand passages."""
PART_BESIDE: Final = 0.3
PART_ALONE: Final = 0.8
"""What a part of a word counts for where the word is found, and where it is not."""

_DIRECT: Final = frozenset({How.EXACT, How.FORM, How.SPELLING, How.SYNONYM})
_IN_ORDER: Final = {how: place for place, how in enumerate(How)}


@dataclass(frozen=True, slots=True)
class Answering:
    """A word, or several in a row, with its weight in hundredths, and where it stands: in passages, and above which sections."""

    weight: int
    passages: Occurrences
    sections: Occurrences


@dataclass(frozen=True, slots=True)
class Concept:
    """What is asked for, as one. direct: the word in whatever form; compounds: words that have it as a part."""

    weight: float
    direct: Sequence[Answering]
    compounds: Sequence[Answering] = ()


class Part(NamedTuple):
    """A part of a word, and what it is in it."""

    role: Role
    concept: Concept


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question: its own concept, and those of its parts that are found.

    weight: in whether the question is answered; needed, little: see `language.Wanted`.
    """

    written: str
    weight: float
    needed: bool
    little: bool
    own: Concept
    parts: Sequence[Part] = ()


@dataclass(frozen=True, slots=True)
class Referred:
    """A reference: the sections that it names, and the slots of passages that cite the same."""

    written: str
    sure: bool
    sections: Integers
    citing: Integers


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a question came to. turning: those of its words that turn it round."""

    terms: Sequence[Term] = ()
    words: Sequence[Word] = ()
    references: Sequence[Referred] = ()
    turning: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Choice:
    """Words among those that answer: one, or several in a row."""

    words: tuple[str, ...]
    how: How
    weight: int


@dataclass(frozen=True, slots=True)
class _Chosen:
    """All that answers one word of the question: it itself, and its parts that are found."""

    own: Sequence[_Choice] = ()
    parts: Sequence[tuple[Role, Sequence[_Choice]]] = ()

    def ways(self) -> Mapping[tuple[str, ...], How]:
        """How each word answers best."""
        best: dict[tuple[str, ...], How] = {}
        for one in (*self.own, *(choice for _, some in self.parts for choice in some)):
            best[one.words] = min(one.how, best.get(one.words, one.how), key=_IN_ORDER.__getitem__)
        return best


def understand(reader: Reader, question: Question) -> Meaning:
    """The terms of a question, in order, and what answers them."""
    text = unicodedata2.normalize("NFC", question.text)
    asked = language.understand(text, question.words)
    names = {group: _names(reader, group) for group in {group for one in asked.references for group in one.law}}
    referred = {one: _refer(reader, one, text, names) for one in asked.references}
    mistaken = [one for one, (_, found) in referred.items() if not one.sure and not len(found.sections)]
    if mistaken:
        asked = language.understand(text, question.words, without=mistaken)
    terms, words = [referred[one][0] for one in asked.references], []
    for wanted in asked.words:
        chosen = _Chosen() if wanted.ignored else _chosen(reader, wanted, question.synonyms)
        off = _switched_off(wanted.written, chosen, question.without)
        terms.append(Term(wanted.written, wanted.start, wanted.end, wanted.ignored, _told(reader, chosen, off)))
        if not wanted.ignored:
            words.append(_word(reader, wanted, chosen, off))
    ordered = tuple(sorted(terms, key=lambda term: term.start))
    return Meaning(ordered, words, [referred[one][1] for one in asked.references], asked.turning)


def _chosen(reader: Reader, wanted: Wanted, synonyms: Sequence[Synonym]) -> _Chosen:
    """All that answers a word, whatever is switched off: what is left is not to mean anything else by that."""
    own = _forms(reader, wanted)
    own += _compounds(reader, wanted, but={one.words[0] for one in own})
    taken = {one.words for one in own}
    own += [one for one in _synonyms(reader, wanted, synonyms) if one.words not in taken]
    parts = [(wanted.parts[key], _part(reader, wanted.written, key)) for key in sorted(wanted.parts)]
    made_of_known = bool(parts) and all(some for _, some in parts)
    if not made_of_known and not any(reader.is_there(one.words) for one in own):
        own += _meant(reader, wanted.written)
    return _Chosen(own, [(role, some) for role, some in parts if some])


def _forms(reader: Reader, wanted: Wanted) -> list[_Choice]:
    """The word itself first."""
    folded = language.fold(wanted.written)
    others = reader.most_frequent([(Kind.FORM, key) for key in wanted.forms], but={wanted.written})
    return [
        _Choice((wanted.written,), How.EXACT, WHOLE),
        *(_Choice((one,), How.SPELLING if language.fold(one) == folded else How.FORM, FORM) for one in others),
    ]


def _compounds(reader: Reader, wanted: Wanted, *, but: Collection[str]) -> Iterator[_Choice]:
    """Words that have the word as a part."""
    inside = [(kind, key) for kind in IN_PART for key in wanted.forms]
    for one, kind in reader.most_frequent(inside, but=but).items():
        yield _Choice((one,), How.PART, IN_PART[kind])


def _part(reader: Reader, written: str, key: str) -> list[_Choice]:
    """For a part of a compound, the words that are this part, and those that have it too."""
    alone = reader.most_frequent([(Kind.FORM, key)], but=())
    shared = reader.most_frequent([(Kind.HEAD, key), (Kind.MODIFIER, key)], but={written, *alone}, most=MOST_SHARED)
    return [
        *(_Choice((one,), How.PART, WHOLE) for one in alone),
        *(_Choice((one,), How.PART, SHARED_PART) for one in shared),
    ]


def _meant(reader: Reader, written: str) -> list[_Choice]:
    """What may have been meant by a word that is nowhere: the closest of the words that are there, the most frequent first."""
    candidates = reader.under([(Kind.SPELLING, key) for key in spelling.asked_buckets(written)])
    while errors := dict(spelling.near(written, candidates)):
        if found := reader.there(errors):
            return [_Choice((one,), How.SPELLING, TYPING_ERROR // errors[one]) for one in found]
        candidates -= errors.keys()
    return []


def _synonyms(reader: Reader, wanted: Wanted, synonyms: Sequence[Synonym]) -> list[_Choice]:
    """What documents say that it means the same, in its forms; several words as they stand there."""
    found: list[_Choice] = []
    for words in islice(_meanings(wanted, synonyms), MOST_SYNONYMS):
        forms = _forms_of(reader, words[0]) if len(words) == 1 else []
        found += [_Choice(one, How.SYNONYM, SYNONYM) for one in (words, *forms)]
    return list(dict.fromkeys(found))


def _meanings(wanted: Wanted, synonyms: Sequence[Synonym]) -> Iterator[tuple[str, ...]]:
    """Each once, in the order of the lists."""
    groups = (group for group in synonyms if any(len(words) == 1 and _is_form(words[0], wanted) for words in group.words))
    expressions = 0
    for words in dict.fromkeys(words for group in groups for words in group.words):
        expressions += len(words) > 1
        if len(words) == 1 or expressions <= MOST_EXPRESSIONS:
            yield words


def _is_form(word: str, wanted: Wanted) -> bool:
    return word == wanted.written or bool(_form_keys(word) & wanted.forms)


@lru_cache(1 << 15)
def _form_keys(word: str) -> frozenset[str]:
    """Many questions meet the same lists."""
    return language.keys(word).forms


def _forms_of(reader: Reader, word: str) -> list[tuple[str, ...]]:
    keys = [(Kind.FORM, key) for key in language.keys(word).forms]
    return [(one,) for one in reader.most_frequent(keys, but={word})]


def _switched_off(written: str, chosen: _Chosen, without: Collection[Off]) -> frozenset[tuple[str, ...]]:
    """Words that are not wanted: each goes by how it answers best, and does not come back as something less."""
    if not without:
        return frozenset()
    return frozenset(
        words
        for words, how in chosen.ways().items()
        if Off(written, how) in without or Off(written, how, " ".join(words)) in without
    )


def _told(reader: Reader, chosen: _Chosen, off: Collection[tuple[str, ...]]) -> tuple[Alternative, ...]:
    """Each once, by how it answers best; what is switched off is told too."""
    told = [
        Alternative(words, how, reader.frequency(words), words in off)
        for words, how in chosen.ways().items()
        if how is How.EXACT or reader.is_there(words)
    ]
    return tuple(sorted(told, key=lambda one: (one.how is not How.EXACT, -one.passages, one.words)))


def _word(reader: Reader, wanted: Wanted, chosen: _Chosen, off: Collection[tuple[str, ...]]) -> Word:
    def on(choices: Sequence[_Choice]) -> Sequence[_Choice]:
        return [one for one in choices if one.words not in off]

    alternatives = on(chosen.own)
    direct = _answering(reader, [one for one in alternatives if one.how in _DIRECT])
    compounds = _answering(reader, [one for one in alternatives if one.how not in _DIRECT])
    beside = any(reader.is_there(one.words) for one in chosen.own)
    weight = wanted.weight * (PART_BESIDE if beside else PART_ALONE)
    left = [(role, on(some)) for role, some in chosen.parts]
    parts = [Part(role, Concept(weight, _answering(reader, some))) for role, some in left if some]
    own = Concept(wanted.weight, direct, compounds)
    return Word(wanted.written, wanted.weight * wanted.emphasis, wanted.needed, wanted.little, own, parts)


def _answering(reader: Reader, choices: Sequence[_Choice]) -> list[Answering]:
    places = reader.places([one.words for one in choices])
    return [Answering(one.weight, *where) for one, where in zip(choices, places, strict=True)]


def _refer(
    reader: Reader, reference: Reference, text: str, names_of: Mapping[tuple[str, ...], Sequence[str]]
) -> tuple[Term, Referred]:
    """Sections with the mark and each of the law's names above them; passages with the number and each of the names in them.

    names_of: what names the same law, for each group; a question may name one law eighty times.
    """
    number = reference.mark[1:]
    laws = [names_of[group] for group in reference.law]
    sections = reader.sections([reference.mark])
    citing = reader.slots([number]) if laws else np.empty(0, np.int64)
    for group, names in zip(reference.law, laws, strict=True):
        sections = np.intersect1d(sections, reader.sections(names), assume_unique=True)
        citing = np.intersect1d(citing, reader.slots([*names, *group]), assume_unique=True)
    named = [(number, How.EXACT)]
    for group, names in zip(reference.law, laws, strict=True):
        named += [(one, How.EXACT if one in group else How.SYNONYM) for one in dict.fromkeys((*group, *names))]
    told = [
        Alternative((one,), how, reader.frequency((one,)))
        for one, how in dict.fromkeys(named)
        if one == number or reader.is_there((one,))
    ]
    term = Term(text[reference.start : reference.end], reference.start, reference.end, alternatives=tuple(told))
    return term, Referred(term.written, reference.sure, sections, citing)


def _names(reader: Reader, group: Sequence[str]) -> list[str]:
    """The words above sections that name the same law."""
    found = {word for word in group if len(reader.sections([word]))}
    for word in group:
        if word.isalpha() and len(word) > 1:
            found |= reader.above([(Kind.FORM, key) for key in language.keys(word).forms])
        if key := asked_abbreviation_key(word):
            found |= {name for name in reader.above([(Kind.ABBREVIATION, key)]) if language.abbreviates(word, name)}
    return sorted(found)
