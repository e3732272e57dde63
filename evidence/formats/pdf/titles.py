"""Titles: what a PDF says its title is, when that is one and not what a program left there."""

from __future__ import annotations

import re
from typing import Final

import pypdfium2

from evidence import profile

_MOST: Final = 300
_LOST: Final = "\ufffd"
_LEFT_THERE: Final = re.compile(
    r"microsoft (?:word|excel|powerpoint|office)\b.*"
    r"|.*\.(?:docx?|dotx?|rtf|odt|xlsx?|ods|pptx?|odp|pdf|indd|qxd|qxp|pmd|tex|dvi|ps|eps|txt|html?|xml|md|cdr|ai|vsdx?)"
    r"|(?:untitled|unbenannt|unnamed|anonymous|\(anonymous\)|unknown|no title|title|titel)"
    r"|(?:neues )?(?:dokument|document|tabelle)\s*\d*"
    r"|(?:slide|folie|präsentation|presentation)\s*\d*|powerpoint[- ].*|scan(?:ned)?\b.*|print(?:out)?|druckauftrag.*"
    r"|(?:file|https?):.*",
    re.IGNORECASE | re.DOTALL,
)
_LETTER: Final = re.compile(r"[^\W\d_]")


def own(document: pypdfium2.PdfDocument) -> str:
    """The title among a PDF's own statements, or nothing."""
    said = document.get_metadata_value("Title")
    title = profile.normalise(" ".join(said.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip("\0").split()))
    if (
        len(title) > _MOST
        or not _LETTER.search(title)
        or not title.isprintable()
        or _LOST in title
        or _LEFT_THERE.fullmatch(title)
    ):
        return ""
    return title
