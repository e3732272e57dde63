"""Responses of OpenAI's Responses API and of Chat Completions: a text, and annotations of ranges of it.

An annotation names an address or a file, and no words of it. Its range covers the mark in the text, such as “([name](address))”,
or the words that it is for; file_citation names the place after which it belongs. Positions are code points.
"""

from __future__ import annotations

from collections.abc import Iterator

from evidence.answers.formats.annotated import Cited, sentences
from evidence.answers.formats.places import Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Sentence


def read(sent: Sent, places: Places) -> tuple[list[Sentence], str]:
    """The sentences, and the name of the model."""
    response = sent.get("response")
    parts = list(_of_choice(response) if response.get("output").value is None else _of_output(response))
    text, cited = "", list[Cited]()
    for own, annotated in parts:
        text += "\n\n" if text else ""
        cited += [found for one in annotated for found in _cited(one, own, len(text), places)]
        text += own
    return list(sentences(text, cited)), response.get("model").text("")


def _of_output(response: Sent) -> Iterator[tuple[str, list[Sent]]]:
    """The texts of a response with what annotates each."""
    for item in response.get("output").items():
        if item.get("type").text() != "message":
            continue  # reasoning, calls of tools
        for part in item.get("content").items():
            if part.get("type").text() == "output_text":
                yield part.get("text").text(), list(part.get("annotations").items())


def _of_choice(response: Sent) -> Iterator[tuple[str, list[Sent]]]:
    choices = response.get("choices").items()
    if not choices:
        response.get("output", "choices").refuse()
    message = choices[0].get("message")
    yield message.get("content").text(), list(message.get("annotations").items())


def _cited(sent: Sent, text: str, offset: int, places: Places) -> Iterator[Cited]:
    kind = sent.get("type").text()
    if kind == "url_citation":
        within = sent.get("url_citation") if sent.get("url_citation").value is not None else sent
        start, end = _range(within, text)
        yield Cited(offset + start, offset + end, places.named(within.get("url").text()))
    elif kind == "file_citation":
        at = offset + min(sent.get("index").number(), len(text))
        yield Cited(at, at, places.named(sent.get("file_id").text(), sent.get("filename").text("")))
    elif kind == "container_file_citation":
        start, end = _range(sent, text)
        yield Cited(offset + start, offset + end, places.named(sent.get("file_id").text(), sent.get("filename").text("")))
    elif kind != "file_path":  # a file that was made, which cites nothing
        sent.get("type").refuse()


def _range(sent: Sent, text: str) -> tuple[int, int]:
    start, end = sent.get("start_index"), sent.get("end_index")
    if start.number() > len(text):
        start.refuse()
    if end.number() < start.number():
        end.refuse()
    return start.number(), min(end.number(), len(text))
