"""Formats: bytes to Content, one file per format, and the table of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from evidence.anchoring import Parser
from evidence.content import Content, Note
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import docx, eml, html, markdown, odt, pdf, pptx, text, xlsx
from evidence.formats.options import NOTHING_SAID, Options
from evidence.formats.package import MAX_PACKAGE_BYTES

MAX_TEXT_BYTES: Final = 20_000_000
"""UTF-8 bytes of text in one document: more than ten times the longest German law, and still read in one piece."""
MAX_PASSAGES: Final = 250_000
"""In one document, empty ones included: a browser shows no more, and an import keeps one document in memory."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to read bytes. `extract` gives Content whose text has gone through the profile; it raises Refused.

    max_bytes: the largest file that is read at all; for a file that is nothing but text, the limit on text.
    takes_encoding: whether a declared encoding changes what is read; then it is part of the parser's configuration.
    """

    parser: Parser
    media_type: str
    extract: Callable[[bytes, Options], Content]
    max_bytes: int = MAX_TEXT_BYTES
    takes_encoding: bool = False

    def parser_with(self, options: Options) -> Parser:
        """The parser as an anchor names it when a file is read with these options."""
        if not self.takes_encoding or not options.encoding:
            return self.parser
        return replace(self.parser, configuration=f"{self.parser.configuration} declared={options.encoding.lower()}")


_TEXT: Final = Format(text.PARSER, "text/plain", text.extract, takes_encoding=True)
_MARKDOWN: Final = Format(markdown.PARSER, "text/markdown", markdown.extract, takes_encoding=True)
_HTML: Final = Format(html.PARSER, "text/html", html.extract, takes_encoding=True)
_EML: Final = Format(eml.PARSER, "message/rfc822", eml.extract, eml.MAX_BYTES)
_PDF: Final = Format(pdf.PARSER, "application/pdf", pdf.extract, pdf.MAX_BYTES)
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_WORD: Final = Format(docx.PARSER, f"{_OFFICE}.wordprocessingml.document", docx.extract, MAX_PACKAGE_BYTES)
_WORD_WITH_MACROS: Final = replace(_WORD, media_type="application/vnd.ms-word.document.macroEnabled.12")
_OPEN_TEXT: Final = Format(odt.PARSER, "application/vnd.oasis.opendocument.text", odt.extract, MAX_PACKAGE_BYTES)
_SLIDES: Final = Format(pptx.PARSER, f"{_OFFICE}.presentationml.presentation", pptx.extract, MAX_PACKAGE_BYTES)
_SLIDES_WITH_MACROS: Final = replace(_SLIDES, media_type="application/vnd.ms-powerpoint.presentation.macroEnabled.12")
_SHEETS: Final = Format(xlsx.PARSER, f"{_OFFICE}.spreadsheetml.sheet", xlsx.extract, MAX_PACKAGE_BYTES)
_SHEETS_WITH_MACROS: Final = replace(_SHEETS, media_type="application/vnd.ms-excel.sheet.macroEnabled.12")

FORMATS: dict[str, Format] = {
    ".txt": _TEXT,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    ".eml": _EML,
    ".pdf": _PDF,
    ".docx": _WORD,
    ".docm": _WORD_WITH_MACROS,
    ".odt": _OPEN_TEXT,
    ".pptx": _SLIDES,
    ".pptm": _SLIDES_WITH_MACROS,
    ".xlsx": _SHEETS,
    ".xlsm": _SHEETS_WITH_MACROS,
}
"""File ending (lower case, with its dot) -> format."""


def unknown(name: str) -> Refused:
    """What is said of a file whose name has none of these endings."""
    known = ", ".join(sorted(FORMATS))
    ending = PurePosixPath(name).suffix.lower()
    if not ending:
        message = gettext_noop("A file without an ending can't be read: the ending says how. Those that can: %(known)s.")
        return Refused("format_unknown", message, known=known)
    message = gettext_noop("Files of this kind can't be read (%(ending)s). Those that can: %(known)s.")
    return Refused("format_unknown", message, ending=ending, known=known)


def extract(form: Format, data: bytes, options: Options = NOTHING_SAID) -> Content:
    """The content of a file, noted as NO_TEXT when nothing in it can be read.

    Raises Refused: `text_too_large`, `too_many_passages`, `parser_fault`, or what the format itself says.
    """
    _refuse_large(len(data), form.max_bytes)
    try:
        content = form.extract(data, options)
    except (EvidenceError, MemoryError):  # the limit on memory is not the format's to tell of
        raise
    except Exception as fault:  # a parser that breaks on one file must not end the run that reads thousands
        message = gettext_noop(
            "The parser %(parser)s can't cope with this file (%(kind)s). Please report it to whoever runs this."
        )
        raise Refused("parser_fault", message, parser=form.parser.name, kind=type(fault).__name__) from fault
    _refuse_large(len(content.text.encode()), MAX_TEXT_BYTES)
    if len(content.passages) > MAX_PASSAGES:
        message = gettext_noop("This has %(count)d paragraphs or rows; one document may have %(limit)d. Split it into several.")
        raise Refused("too_many_passages", message, count=len(content.passages), limit=MAX_PASSAGES)
    if content.text.strip() or Note.NO_TEXT in content.notes:
        return content
    return replace(content, notes=(Note.NO_TEXT, *content.notes))


def _refuse_large(size: int, limit: int) -> None:
    if size > limit:
        raise Refused(
            "text_too_large",
            gettext_noop("This is larger than one document may be (%(size)d bytes, at most %(limit)d). Split it into several."),
            size=size,
            limit=limit,
        )
