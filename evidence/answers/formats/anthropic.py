"""Responses of Anthropic's Messages API: blocks of text, each with the places that it cites and the words that stand there.

cited_text is what the API cut out of the document. document_index counts the documents of the request, from 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evidence.answers.formats.annotated import Cited, sentences
from evidence.answers.formats.places import Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Pointer, Sentence

_IN_DOCUMENT: Final = {"char_location", "page_location", "content_block_location"}


def read(sent: Sent, places: Places) -> tuple[list[Sentence], str]:
    """The sentences, and the name of the model."""
    response = sent.get("response")
    text, cited = "", list[Cited]()
    for block in response.get("content").items():
        if block.get("type").text() != "text":
            continue  # thinking, calls of tools and what they gave
        own = block.get("text").text()
        found = [_pointer(one, places) for one in block.get("citations").items()]
        cited += [Cited(len(text), len(text) + len(own), pointer) for pointer in found]
        text += own
    return list(sentences(text, cited)), response.get("model").text("")


def _pointer(sent: Sent, places: Places) -> Pointer:
    kind = sent.get("type").text()
    if kind in _IN_DOCUMENT:
        place = places.at(sent.get("document_index"))
    elif kind == "search_result_location":
        place = places.named(sent.get("source").text())
    elif kind == "web_search_result_location":
        place = places.named(sent.get("url").text())
    else:
        sent.get("type").refuse()
    return replace(place, exact=sent.get("cited_text").text().strip())
