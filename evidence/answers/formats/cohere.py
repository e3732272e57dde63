"""Responses of Cohere's Chat API, version 2: a text, and citations of ranges of it.

`text` of a citation is the answer's; `sources` are the documents, each with the id under which the model was given it and,
mostly, with its fields. Positions are code points of one block of content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from evidence.answers import limits
from evidence.answers.formats.annotated import Cited, sentences
from evidence.answers.formats.places import ELSEWHERE, Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Pointer, Sentence

_WORDS: Final = ("text", "snippet", "content", "data")
"""Fields in which documents have their words; there is no fixed one."""
_NUMBERED: Final = re.compile(r"doc:([0-9]{1,9})")
"""How documents without an id are called, with their number."""


def read(sent: Sent, places: Places) -> tuple[list[Sentence], str]:
    """The sentences, and the name of the model, which this API does not tell."""
    message = sent.get("response").get("message")
    parts = [_text(part) for part in message.get("content").items()]
    text, starts = "".join(parts), [0, *accumulate(map(len, parts))]
    limits.refuse_size(text, citations=0)
    cited = [found for one in message.get("citations").items() for found in _cited(one, parts, starts, places)]
    return list(sentences(text, cited)), sent.get("response").get("model").text("")


def _text(part: Sent) -> str:
    return part.get("text").text() if part.get("type").text() == "text" else ""


def _cited(sent: Sent, parts: Sequence[str], starts: Sequence[int], places: Places) -> Iterator[Cited]:
    if sent.get("type").text("TEXT_CONTENT") != "TEXT_CONTENT":
        return  # of its plan or its thoughts
    index = sent.get("content_index")
    if index.number(0) >= len(parts):
        index.refuse()
    own, before = parts[index.number(0)], starts[index.number(0)]
    start, end = sent.get("start").number(), sent.get("end").number()
    said = sent.get("text").text("")
    if said and own[start:end] != said:
        start = own.find(said)
        end = start + len(said)
    if not 0 <= start <= end <= len(own):
        sent.get("text" if said else "end").refuse()
    for source in sent.get("sources").items():
        pointer, words = _source(source, places)
        yield Cited(before + start, before + end, pointer, otherwise=words)


def _source(source: Sent, places: Places) -> tuple[Pointer, str]:
    """The place that a source names, by its id, its address or its number; and its words, where it tells them."""
    told = source.get("document", "tool_output")
    fields = told if isinstance(told.value, Mapping) else Sent({}, told.path)
    name = source.get("id").text("")
    names = [name, *(fields.get(one).value for one in ("id", "url"))]
    place = places.named(*(one for one in names if isinstance(one, str) and one))
    numbered = _NUMBERED.fullmatch(name)
    if place == ELSEWHERE and numbered and places.has(int(numbered[1])):
        place = places.at(Sent(int(numbered[1]), source.path))
    words = next((one for field in _WORDS if isinstance(one := fields.get(field).value, str)), "")
    return place, words.strip()
