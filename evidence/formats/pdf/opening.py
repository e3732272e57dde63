"""Opening a PDF, with one clear reason when that can't be done.

A file that opens without a password but forbids copying is read: what its owner password guards is a wish for programs, and
whoever may read the document here reads it anyway.
"""

from __future__ import annotations

from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium

from evidence.errors import Refused, gettext_noop

_HEAD: Final = b"%PDF-"
_HEAD_WITHIN: Final = 1024
"""How far from its start a reader looks for a PDF's head (PDF 1.7, implementation note 13)."""


def opened(data: bytes, password: str = "") -> pypdfium2.PdfDocument:
    """The document, to be closed by the caller; form fields, if it has any, are ready to be drawn.

    Raises Refused: `pdf_empty`, `not_a_pdf`, `pdf_password`, `pdf_wrong_password`, `pdf_encryption`, `pdf_damaged`,
    `pdf_no_pages`.
    """
    if not data:
        raise Refused("pdf_empty", gettext_noop("This file is empty (0 bytes). Fetch it again from where it came from."))
    try:
        document = pypdfium2.PdfDocument(data, password=password or None)
    except pypdfium2.PdfiumError as error:
        raise _refusal(data, password, error.err_code) from error
    try:
        document.init_forms()
        if not len(document):
            raise Refused("pdf_no_pages", gettext_noop("This PDF has no pages that can be read. Save it again as PDF."))
    except BaseException:
        document.close()
        raise
    return document


def is_repaired(document: pypdfium2.PdfDocument) -> bool:
    """Whether the table of a file's parts was missing or wrong, so that they had to be searched for."""
    return not pdfium.FPDF_DocumentHasValidCrossReferenceTable(document)


def _refusal(data: bytes, password: str, code: int | None) -> Refused:
    if code == pdfium.FPDF_ERR_PASSWORD and password:
        return Refused(
            "pdf_wrong_password",
            gettext_noop("The password that the rules give for this PDF does not open it. Correct it there."),
        )
    if code == pdfium.FPDF_ERR_PASSWORD:
        message = gettext_noop('This PDF opens only with a password. Give it in the rules: password = "...".')
        return Refused("pdf_password", message)
    if code == pdfium.FPDF_ERR_SECURITY:
        message = gettext_noop("This PDF is encrypted in a way that can't be read here. Save it without encryption.")
        return Refused("pdf_encryption", message)
    if _HEAD not in data[:_HEAD_WITHIN]:
        message = gettext_noop("This is not a PDF, although its name says so. Look at what it is, and fetch it again.")
        return Refused("not_a_pdf", message)
    message = gettext_noop("This PDF is damaged or cut off, and can't be repaired. Fetch it again from where it came from.")
    return Refused("pdf_damaged", message)
