"""Responses of the Gemini API with grounding: a text, and segments of it that chunks support.

Positions count the bytes of a part's UTF-8. A chunk names an address, or a retrieved document with its words. Scores of
confidence are left aside: they say nothing about what stands where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidence.answers import limits
from evidence.answers.formats.annotated import Cited, sentences
from evidence.answers.formats.places import ELSEWHERE, Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Pointer, Sentence


def read(sent: Sent, places: Places) -> tuple[list[Sentence], str]:
    """The sentences of the first candidate, and the name of the model."""
    response = sent.get("response")
    candidates = response.get("candidates").items()
    if not candidates:
        response.get("candidates").refuse()
    parts = [_text(part) for part in candidates[0].get("content").get("parts").items()]
    metadata = candidates[0].get("groundingMetadata", "grounding_metadata")
    text = "".join(parts)
    limits.refuse_size(text, citations=0)
    cited = list(_cited(metadata, parts, places)) if metadata.value is not None else []
    return list(sentences(text, cited)), response.get("modelVersion", "model_version").text("")


def _text(part: Sent) -> str:
    """What a part says; nothing for thoughts and calls of functions."""
    return "" if part.get("thought").value else part.get("text").text("")


def _cited(metadata: Sent, parts: Sequence[str], places: Places) -> Iterator[Cited]:
    chunks = metadata.get("groundingChunks", "grounding_chunks").items()
    found = [_chunk(chunk, number, places) for number, chunk in enumerate(chunks)]
    supports = metadata.get("groundingSupports", "grounding_supports").items()
    limits.refuse_size("", citations=len(supports))
    for support in supports:
        start, end = _range(support.get("segment"), parts)
        for index in support.get("groundingChunkIndices", "grounding_chunk_indices").items():
            if index.number() >= len(found):
                index.refuse()
            pointer, words = found[index.number()]
            yield Cited(start, end, pointer, otherwise=words)


def _chunk(chunk: Sent, number: int, places: Places) -> tuple[Pointer, str]:
    """The place that a chunk names, by its address, its title or its number; and its words, where it tells them."""
    kind = next((one for one in ("retrievedContext", "retrieved_context", "web") if chunk.get(one).value is not None), "")
    if not kind:
        return ELSEWHERE, ""  # of a map, for example
    told = chunk.get(kind)
    names = [told.get(name).text("") for name in ("uri", "title")]
    place = places.named(*names)
    if place == ELSEWHERE and places.has(number):
        place = places.at(Sent(number, chunk.path))
    return place, told.get("text").text("").strip()


def _range(segment: Sent, parts: Sequence[str]) -> tuple[int, int]:
    """Code points of all parts together."""
    part = segment.get("partIndex", "part_index")
    if part.number(0) >= len(parts):
        part.refuse()
    own = parts[part.number(0)]
    before = sum(map(len, parts[: part.number(0)]))
    data = own.encode(errors="replace")
    first, last = segment.get("startIndex", "start_index").number(0), segment.get("endIndex", "end_index").number(len(data))
    start, end = (len(data[:one].decode(errors="ignore")) for one in (first, last))
    said = segment.get("text").text("")
    if said and own[start:end] != said:  # some count otherwise; the words decide
        start = own.find(said)
        end = start + len(said)
        if start < 0:
            segment.get("text").refuse()
    if start > end:
        segment.get("endIndex", "end_index").refuse()
    return before + start, before + end
