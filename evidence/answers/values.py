"""An answer as values: sentences, what each of them cites, and what checking that gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

MAX_SENTENCES: Final = 100
"""Sentences of one answer: a long report."""
MAX_SENTENCE: Final = 2_000
"""Code points of one sentence."""
MAX_CITED: Final = 10
"""Citations of one sentence."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a sentence cites, as it was given; as much of it as the format knows.

    citation: a stored citation's id. anchor: one as JSON has it. document, representation, passage: a document's id, one of its
    states, the number of a passage in it. exact: the words that are said to stand there. prefix, suffix: what stands around them.
    A pointer without words names a place and proves nothing.
    """

    citation: UUID | None = None
    anchor: Mapping[str, object] | None = None
    document: UUID | None = None
    representation: UUID | None = None
    passage: int | None = None
    exact: str = ""
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, word for word, and what it cites."""

    text: str
    pointers: Sequence[Pointer] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it is checked. question, model: as told, may be empty."""

    sentences: Sequence[Sentence]
    question: str = ""
    model: str = ""


class Support(StrEnum):
    """What checking gave for one pointer or, the worst of them first, for a sentence. None of them says that it is true.

    SUPPORTED: all its quotes stand word for word where they are said to stand. MISATTRIBUTED: the quote stands word for word in
    something that this person may read, but not in what was cited. STITCHED: its parts stand there, not together. ABSENT: it
    stands nowhere that this person may read, or names no words. UNCITED: the sentence cites nothing. Words in quotation marks are
    quotes as well: of the documents that the sentence cites.

    Of a sentence that cites nothing but has words in quotation marks: FOUND, they stand word for word at one place that this
    person may read; AMBIGUOUS, at several, or it can't be told that at one only; ABSENT, nowhere.
    """

    ABSENT = "absent"
    STITCHED = "stitched"
    MISATTRIBUTED = "misattributed"
    AMBIGUOUS = "ambiguous"
    UNCITED = "uncited"
    FOUND = "found"
    SUPPORTED = "supported"
