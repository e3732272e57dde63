"""How much an answer may hold, and what is none: said with the number of the sentence and of the citation, counted from 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evidence.answers.values import MAX_CITED, MAX_SENTENCE, MAX_SENTENCES, Draft, Pointer, Sentence
from evidence.citations import MAX_QUOTE
from evidence.errors import Refused, gettext_noop

MAX_POINTERS: Final = 200
"""Citations of one answer: each can cost a search."""
MAX_QUOTATIONS: Final = 50
"""Quotations of an answer that are looked up though no citation has their words: so many where nothing is cited, and so many
where something is. Each costs a search."""
MAX_QUOTED: Final = 200_000
"""Code points of all the words that an answer cites: a short book. More is a copy of the documents."""
MAX_QUESTION: Final = 500
"""Code points of the question, as the table has it."""
MAX_MODEL: Final = 100
"""Code points of the name of a model, as the table has it."""


def refuse(draft: Draft) -> None:
    """Raises Refused for an answer that is too large, empty, or of characters that no text has."""
    refuse_number(len(draft.sentences))
    _refuse_told(draft)
    for number, sentence in enumerate(draft.sentences, 1):
        _refuse_sentence(sentence, number)
    _refuse_citations(sum(len(sentence.pointers) for sentence in draft.sentences))
    if sum(len(text) for sentence in draft.sentences for pointer in sentence.pointers for text in _words(pointer)) > MAX_QUOTED:
        message = gettext_noop("The citations of an answer hold at most %(limit)d characters in all.")
        raise Refused("answer_quoted", message, limit=MAX_QUOTED)


def refuse_size(text: str, *, citations: int) -> None:
    """Raises Refused for a text that can't be an answer within the limits, before any work is done on it."""
    if len(text) > MAX_SENTENCES * MAX_SENTENCE:
        message = gettext_noop("An answer has at most %(limit)d characters.")
        raise Refused("answer_long", message, limit=MAX_SENTENCES * MAX_SENTENCE)
    _refuse_citations(citations)


def refuse_number(sentences: int) -> None:
    """Raises Refused for no sentences and for too many."""
    if not sentences:
        raise Refused("answer_empty", gettext_noop("The answer has no sentence."))
    if sentences > MAX_SENTENCES:
        message = gettext_noop("An answer has at most %(limit)d sentences; this one has %(count)d.")
        raise Refused("answer_sentences", message, limit=MAX_SENTENCES, count=sentences)


def refuse_sentence_size(text: str, number: int, *, citations: int) -> None:
    """Raises Refused for more than one sentence holds. number: which one it is."""
    if len(text) > MAX_SENTENCE:
        message = gettext_noop("Sentence %(sentence)d has more than %(limit)d characters.")
        raise Refused("answer_sentence_long", message, sentence=number, limit=MAX_SENTENCE)
    if citations > MAX_CITED:
        message = gettext_noop("Sentence %(sentence)d has more than %(limit)d citations.")
        raise Refused("answer_sentence_citations", message, sentence=number, limit=MAX_CITED)


def is_text(text: str) -> bool:
    """Whether a text holds neither U+0000 nor half a character: no file and no database has them."""
    return "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)


def _refuse_citations(count: int) -> None:
    if count > MAX_POINTERS:
        message = gettext_noop("An answer has at most %(limit)d citations in all.")
        raise Refused("answer_citations", message, limit=MAX_POINTERS)


def _refuse_told(draft: Draft) -> None:
    if len(draft.question) > MAX_QUESTION:
        message = gettext_noop("The question of an answer has at most %(limit)d characters.")
        raise Refused("answer_question", message, limit=MAX_QUESTION)
    if len(draft.model) > MAX_MODEL:
        message = gettext_noop("The name of a model has at most %(limit)d characters.")
        raise Refused("answer_model", message, limit=MAX_MODEL)
    if not is_text(draft.question + draft.model):
        message = gettext_noop("The question or the name of the model holds a character that no text has (U+0000, for example).")
        raise Refused("answer_characters", message)


def _refuse_sentence(sentence: Sentence, number: int) -> None:
    if not sentence.text.strip():
        raise Refused("answer_sentence_empty", gettext_noop("Sentence %(sentence)d has no words."), sentence=number)
    refuse_sentence_size(sentence.text, number, citations=len(sentence.pointers))
    for at, pointer in enumerate(sentence.pointers, 1):
        if any(len(text) > MAX_QUOTE for text in _words(pointer)):
            message = gettext_noop("Citation %(citation)d of sentence %(sentence)d holds more than %(limit)d characters.")
            raise Refused("answer_quote_long", message, sentence=number, citation=at, limit=MAX_QUOTE)
    if not all(is_text(text) for text in (sentence.text, *(text for one in sentence.pointers for text in _texts(one)))):
        message = gettext_noop("Sentence %(sentence)d or one of its citations holds a character that no text has.")
        raise Refused("answer_sentence_characters", message, sentence=number)


def _words(pointer: Pointer) -> Iterator[str]:
    """The words that it says stand there, wherever it says so."""
    yield from (pointer.exact, pointer.prefix, pointer.suffix)
    yield from (str((pointer.anchor or {}).get(name, "")) for name in ("exact", "prefix", "suffix"))


def _texts(pointer: Pointer) -> Iterator[str]:
    """Everything in it that is kept as text."""
    yield from (pointer.exact, pointer.prefix, pointer.suffix)
    yield from (str(value) for value in (pointer.anchor or {}).values())
