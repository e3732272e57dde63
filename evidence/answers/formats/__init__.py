"""Formats: from what a program or a person sends to a Draft. One file each; what is nonsense is refused with the path to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from evidence.answers import limits
from evidence.answers.formats import anthropic, cohere, gemini, openai, own, plain
from evidence.answers.formats.places import Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Draft, Sentence
from evidence.errors import Refused, gettext_noop

OWN: Final = "fundstelle"
FORMATS: Final[Mapping[str, Callable[[Sent, Places], tuple[list[Sentence], str]]]] = {
    OWN: own.read,
    "text": plain.read,
    "anthropic": anthropic.read,
    "openai": openai.read,
    "gemini": gemini.read,
    "cohere": cohere.read,
}


def read(sent: object, *, host: str) -> Draft:
    """The answer in what JSON gave. host: of this place, with its port if it has one; links to others name nothing here.

    Raises Refused, with the field that is wrong or the sentence that is too long.
    """
    root = Sent(sent)
    name = root.get("format").text(OWN)
    form = FORMATS.get(name)
    if form is None:
        message = gettext_noop("The format of an answer is one of: %(formats)s.")
        raise Refused("answer_format", message, formats=", ".join(FORMATS))
    sentences, model = form(root, Places(root.get("documents"), host=host))
    draft = Draft(sentences, root.get("question").text(""), root.get("model").text(model))
    limits.refuse(draft)
    return draft
