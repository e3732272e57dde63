"""A text as people paste it: words in quotation marks, and links to documents or citations here."""

from __future__ import annotations

import re
from typing import Final

from evidence.answers.formats.annotated import Cited, sentences
from evidence.answers.formats.places import ELSEWHERE, Places
from evidence.answers.formats.sent import Sent
from evidence.answers.values import Sentence

_ADDRESS: Final = r"https?://[^\s<>()\[\]{}\"“”„»«]+"
_LINK: Final = re.compile(rf"\[[^\[\]\n]*+\]\((?P<named>{_ADDRESS})\)|(?P<bare>{_ADDRESS})")


def read(sent: Sent, places: Places) -> tuple[list[Sentence], str]:
    """The sentences, each with the links in it; a link alone belongs to the sentence before it."""
    text = sent.get("text").text()
    cited = []
    for match in _LINK.finditer(text):
        address = match["named"] or match["bare"].rstrip(".,;:!?’'*_")
        end = match.end() if match["named"] else match.start() + len(address)
        cited.append(Cited(match.start(), end, places.link(address) or ELSEWHERE))
    return list(sentences(text, cited)), sent.get("model").text("")
