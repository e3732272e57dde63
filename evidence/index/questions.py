"""Questions of the wider mode: any of the words may match, in other forms too, and what was made of each word is told.

A Question is what was asked, before anything was looked up. What its words came to among what a person may read is told by
`Term`s, which an engine gives with what it found: they are made of that person's own vocabulary, never of another's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

import unicodedata2

from evidence.content import Searched
from evidence.errors import Refused, gettext_noop
from evidence.index.query import check_characters, check_number
from evidence.index.tokens import MAX_FOUND, MAX_WORD_LENGTH, tokenise

MAX_QUESTION: Final = 500
"""Code points of a whole question, as typed."""
MAX_QUESTION_WORDS: Final = 40
"""Different words. Whole questions have 6 to 15."""
MAX_WITHOUT: Final = 100
"""Expansions that are switched off at once."""
MAX_OFF: Final = 2 * MAX_QUESTION
"""Characters of one of them; none that `Off` writes has more. Matching takes time by their square, and millions can be sent."""


class How(StrEnum):
    """How a word of a document answers a word of the question."""

    EXACT = "exact"
    FORM = "form"
    PART = "part"
    SPELLING = "spelling"
    SYNONYM = "synonym"


_OFF: Final = re.compile(f"(.+?):({'|'.join(how for how in How if how is not How.EXACT)})(?::(.+))?")
"""Words can hold colons themselves ("k:a")."""


class Answerability(StrEnum):
    """What the passages found are likely to be worth. NEAR: they share words with the question, none is likely to answer it."""

    ANSWERABLE = "answerable"
    NEAR = "near"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, order=True)
class Off:
    """An expansion that is not wanted: of this word, all of one kind; or one word alone where `word` is told."""

    written: str
    how: How
    word: str = ""

    def __str__(self) -> str:
        return ":".join(filter(None, (self.written, self.how, self.word)))

    @classmethod
    def of(cls, text: str) -> Off:
        """From what `str` gives. Raises Refused."""
        parts = _OFF.fullmatch(text) if len(text) <= MAX_OFF else None
        if parts is None:
            raise Refused("query_without", gettext_noop("What is to be left out is not understood. Ask anew."))
        return cls(parts[1], How(parts[2]), parts[3] or "")


@dataclass(frozen=True, slots=True)
class Synonym:
    """Words that mean the same, as a document says that this person may read. Each is one word or several.

    document: the public id of the one that says so.
    """

    words: tuple[tuple[str, ...], ...]
    document: UUID | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked. words: (start, end, lowered) code points of the NFC text, in order, duplicates included."""

    text: str
    words: tuple[tuple[int, int, str], ...]
    without: frozenset[Off] = frozenset()
    synonyms: tuple[Synonym, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A word, or several that stand together, that answers a word of the question. passages: with it, of what may be read."""

    words: tuple[str, ...]
    how: How
    passages: int = 0
    off: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """What was made of one word of the question (of several, where they are one reference or synonym).

    ignored: a word that says nothing of what is asked ("wie", "the"). alternatives: the word itself first, then the most frequent
    first; those that are switched off are among them.
    """

    written: str
    start: int
    end: int
    ignored: bool = False
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """A found word in a passage's quote (half-open code points), and how it answers which word of the question."""

    start: int
    end: int
    how: How
    written: str


def locate(terms: Sequence[Term], searched: Searched) -> tuple[Way, ...]:
    """Where the passage holds what the question's words came to, in order; at most MAX_FOUND, none overlaps another.

    What several words of the question came to goes to the closest of them: the word itself before its forms, these before parts.
    """
    known: dict[tuple[str, ...], tuple[int, How, str]] = {}
    sizes: dict[str, set[int]] = {}
    for how in How:
        for term in terms:
            for one in term.alternatives:
                if one.how is how and not one.off:
                    known.setdefault(one.words, (len(known), how, term.written))
                    sizes.setdefault(one.words[0], set()).add(len(one.words))
    tokens = list(tokenise(searched.text))
    found: list[Way] = []
    taken = 0
    for place, (start, _, word) in enumerate(tokens):
        if place < taken or word not in sizes:
            continue
        # one look for each size: a thousand expressions may begin with the same word
        ahead = {tuple(token for _, _, token in tokens[place : place + size]) for size in sizes[word]}
        if here := ahead & known.keys():
            words = min(here, key=known.__getitem__)
            _, how, written = known[words]
            taken = place + len(words)
            found.append(Way(*searched.original(start, tokens[taken - 1][1]), how, written))
        if len(found) == MAX_FOUND:
            break
    return tuple(found)


def parse_question(text: str, *, without: Collection[Off] = (), synonyms: Sequence[Synonym] = ()) -> Question:
    """What was typed, as a Question. Raises Refused."""
    check_characters(text, most=MAX_QUESTION)
    if len(without) > MAX_WITHOUT:
        raise Refused("query_without", gettext_noop("What is to be left out is not understood. Ask anew."))
    words = tuple(tokenise(unicodedata2.normalize("NFC", text)))
    check_number({word for _, _, word in words}, most=MAX_QUESTION_WORDS)
    kept = tuple(one for one in words if len(one[2]) <= MAX_WORD_LENGTH)
    return Question(text, kept, frozenset(without), tuple(synonyms))
